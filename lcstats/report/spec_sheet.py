"""The spec sheet of a language model: what it holds up to, on what, how well known, what not.

All of it is computed here, before any layout; the pages, the tables and ``report.json`` read the
same records.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from lcstats.lengths import EffectiveLength
from lcstats.options import percent
from lcstats.report.task_kinds import KIND_MEANINGS, RULES, KindOfTask
from lcstats.report.timings import Timing
from lcstats.report.untested import Untested, share_of_window
from lcstats.report.worst_place import WorstPlace
from lcstats.trials.wording import counted

EASIEST = (
    "Only retrieval was tested, the easiest kind of task: on reasoning or aggregation the same "
    "language model may hold up for a far shorter context, and nothing here says how short."
)


@dataclass(frozen=True, slots=True, eq=False)
class TaskSheet:
    """What the spec sheet says of one task.

    Attributes
    ----------
    kind : KindOfTask
    answer : EffectiveLength
        Under the bar of its kind.
    advertised : int or None
        Advertised window in tokens.
    decay : DataFrame
        One row per length: length, accuracy, lower, upper, n_cases.
    level : float
        Of the intervals.
    worst : WorstPlace
    untested : Untested
    unscored : mapping of str to int
        Status to number of trials.
    timings : tuple of Timing
    notes : tuple of str
        What to know about the answer under this bar, beyond the report's warnings.
    """

    kind: KindOfTask
    answer: EffectiveLength
    advertised: int | None
    decay: pd.DataFrame
    level: float
    worst: WorstPlace
    untested: Untested
    unscored: Mapping[str, int]
    timings: tuple[Timing, ...]
    notes: tuple[str, ...] = ()

    @property
    def share(self) -> float | None:
        """Effective length as a share of the advertised window; None where there is none."""
        answer = self.answer
        return share_of_window(answer.quoted.length, answer.length_unit, self.advertised)

    def share_in_words(self) -> str:
        """Say the share of the advertised window; empty where it cannot be said.

        A length that no longer context bounds is a share of at least that much.
        """
        if self.advertised is None:
            return ""
        if self.answer.length_unit != "tokens":
            return f"no share of the advertised window: lengths are {self.answer.length_unit}"
        window = f"of the advertised {self.advertised}"
        if self.share is None:
            shortest = self.answer.lengths[0] / self.advertised
            return f"less than {shortest:.1%} {window}"
        least = "at least " if self.answer.quoted.status == "beyond_tested" else ""
        return f"{least}{self.share:.1%} {window}"

    def counts_in_words(self) -> str:
        """Say trials, cases, lengths and depths."""
        answer = self.answer
        parts = [
            counted(int(answer.n_trials.sum()), "scored trial"),
            counted(int(answer.n_cases.sum()), "case"),
            counted(answer.lengths.size, "length"),
        ]
        if self.untested.n_depths:
            parts.append(counted(self.untested.n_depths, "depth"))
        return ", ".join(parts)

    def unscored_in_words(self) -> str:
        """Say how many trials have no score, by what became of them."""
        if not self.unscored:
            return "none"
        by_status = ", ".join(f"{count} {status}" for status, count in self.unscored.items())
        return (
            f"{counted(sum(self.unscored.values()), 'trial')}, never counted as wrong: {by_status}"
        )

    def sentence(self) -> str:
        """Say the result as it can be quoted: nothing of it is a number alone."""
        share = self.share_in_words()
        share = f" That is {share} tokens." if share and "no share" not in share else ""
        kind = f"{self.kind.kind.capitalize()} task; {self.counts_in_words()}."
        return f"{self.answer.sentence()}{share} {kind}"

    def decay_rows(self) -> list[dict[str, Any]]:
        """Return the degradation curve, one row per length."""
        return [{str(k): v for k, v in row.items()} for row in self.decay.to_dict("records")]

    def to_dict(self) -> dict[str, Any]:
        """Return an entry of ``tasks`` in the ``spec_sheet`` of ``report.json``."""
        answer = self.answer
        estimate = answer.quoted
        return {
            "task": answer.task,
            "kind": self.kind.kind,
            "kind_because": self.kind.why,
            "criterion": {
                **answer.criterion.to_dict(),
                "applied_threshold": float(answer.applied_threshold),
            },
            "method": estimate.method,
            "is_headline": answer.headline is not None,
            "length": estimate.length,
            "length_unit": answer.length_unit,
            "status": estimate.status,
            "display": estimate.display,
            "set": estimate.default_set.to_dict(),
            "share_of_advertised": self.share,
            "accuracy_by_length": {str(row.pop("length")): row for row in self.decay_rows()},
            "interval_level": self.level,
            "worst_place": self.worst.to_dict(),
            "not_tested": self.untested.to_dict(),
            "unscored_by_status": dict(self.unscored),
            "timings": [timing.to_dict() for timing in self.timings],
            "notes": list(self.notes),
            "sentence": self.sentence(),
        }


@dataclass(frozen=True, slots=True, eq=False)
class SpecSheet:
    """What the spec sheet says of one language model.

    Attributes
    ----------
    model : str
    advertised : int or None
        Advertised window in tokens.
    tasks : tuple of TaskSheet
    """

    model: str
    advertised: int | None
    tasks: tuple[TaskSheet, ...]

    @property
    def retrieval(self) -> tuple[TaskSheet, ...]:
        """Tasks of the easiest kind."""
        return tuple(task for task in self.tasks if task.kind.is_retrieval)

    @property
    def reasoning(self) -> tuple[TaskSheet, ...]:
        """Tasks that ask for more than finding: reasoning and aggregation."""
        return tuple(task for task in self.tasks if not task.kind.is_retrieval)

    @property
    def caution(self) -> str:
        """What to say where only the easiest kind of task was tested; empty otherwise."""
        return "" if self.reasoning else EASIEST

    def timings_in_words(self) -> list[tuple[str, list[str]]]:
        """Return each quantity that a task has, with its words for every task that has it."""
        said: dict[str, list[str]] = {}
        for task in self.tasks:
            prefix = f"{task.answer.task}: " if len(self.tasks) > 1 else ""
            for timing in task.timings:
                said.setdefault(timing.name, []).append(prefix + timing.sentence())
        return list(said.items())

    def decay_by_length(self) -> list[tuple[int, list[dict[str, Any] | None]]]:
        """Return the degradation curves side by side: a length, and each task's row or None."""
        rows = [{row["length"]: row for row in task.decay_rows()} for task in self.tasks]
        lengths = sorted({length for by_length in rows for length in by_length})
        return [(length, [by.get(length) for by in rows]) for length in lengths]

    def to_dict(self) -> dict[str, Any]:
        """Return an entry of ``models`` in the ``spec_sheet`` of ``report.json``."""
        return {
            "model": self.model,
            "advertised_window": self.advertised,
            "only_easiest_kind": not self.reasoning,
            "caution": self.caution or None,
            "tasks": [task.to_dict() for task in self.tasks],
        }


def group_by_model(tasks: Sequence[TaskSheet]) -> tuple[SpecSheet, ...]:
    """Return one sheet per language model, in order of appearance."""
    by_model: dict[str, list[TaskSheet]] = {}
    for task in tasks:
        by_model.setdefault(task.answer.model, []).append(task)
    return tuple(SpecSheet(model, own[0].advertised, tuple(own)) for model, own in by_model.items())


def spec_sheet_document(sheets: Sequence[SpecSheet], bars: Mapping[str, float]) -> dict[str, Any]:
    """Return the ``spec_sheet`` object of ``report.json``."""
    return {
        "bars": dict(bars),
        "kinds": dict(KIND_MEANINGS),
        "name_rules": [{"kind": rule.kind, "names": rule.words} for rule in RULES],
        "models": [sheet.to_dict() for sheet in sheets],
    }


def spec_table(sheets: Sequence[SpecSheet]) -> pd.DataFrame:
    """Return one row per language model and task: the spec sheet as a table."""
    return pd.DataFrame([_spec_row(sheet, task) for sheet in sheets for task in sheet.tasks])


def _spec_row(sheet: SpecSheet, task: TaskSheet) -> dict[str, object]:
    answer = task.answer
    estimate = answer.quoted
    interval = estimate.default_set
    return {
        "model": sheet.model,
        "task": answer.task,
        "kind": task.kind.kind,
        "threshold": float(answer.criterion.exact_threshold),
        "depth_treatment": answer.criterion.depth_treatment,
        "method": estimate.method,
        "effective_length": estimate.display,
        "length_unit": answer.length_unit,
        "set": interval.display,
        "set_kind": interval.kind,
        "level": interval.level,
        "advertised": sheet.advertised,
        "share_of_advertised": task.share,
        "worst_place": task.worst.place,
        "worst_accuracy": task.worst.accuracy,
        "n_trials": int(answer.n_trials.sum()),
        "n_cases": int(answer.n_cases.sum()),
        "n_unscored": sum(task.unscored.values()),
    }


def set_name(task: TaskSheet) -> str:
    """Name the set that stands with a length: ``95% set 4096 to 8192, certified``."""
    interval = task.answer.quoted.default_set
    return f"{percent(interval.level)} set {interval.display}, {interval.kind}"
