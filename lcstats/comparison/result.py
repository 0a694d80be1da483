"""`Comparison`: what the same cases say about two language models."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from lcstats.comparison.contrast import Contrast, Slice
from lcstats.comparison.curve_result import CurveComparison
from lcstats.comparison.gate import Gate
from lcstats.comparison.shift_result import LengthShift
from lcstats.errors import Notice
from lcstats.options import Verdict
from lcstats.records import SCHEMA_VERSION, list_notices, notices_of, restoring

TEST_WORDS: Mapping[str, str] = {
    "mcnemar": "McNemar's test",
    "sign_flip": "exchange of signs",
    "score": "score test of independent samples",
}
INTERVAL_WORDS: Mapping[str, str] = {
    "tango": "Tango's score interval",
    "tango_effective": "Tango's score interval on effective counts",
    "miettinen_nurminen": "the interval of Miettinen and Nurminen, unpaired",
}


@dataclass(frozen=True, slots=True)
class TaskComparison:
    """Two language models on one task.

    Attributes
    ----------
    task : str
    overall : Contrast
        Over all lengths and depths.
    n_unmatched_old, n_unmatched_new : int
        Scored cases without a partner; without pairs, cases in cells that only one side has.
    holm_p : float
        The test's p-value, corrected for the number of tasks.
    verdict : {"better", "worse", "tied", "undecided"}
        Of the new language model.
    by_length, by_depth : tuple of Slice
        Not corrected for their number.
    n_unscored_old, n_unscored_new : mapping of int to int
        Trials without a score, at the lengths that have any.
    effective_length_shift : mapping of str to LengthShift
        By method: how far effective lengths moved; empty without a criterion or without pairs.
    curve_tests : mapping of str to CurveComparison
        Whether curves are equal; empty where shifts are, and for one length.
    """

    task: str
    overall: Contrast
    n_unmatched_old: int
    n_unmatched_new: int
    holm_p: float
    verdict: Verdict
    by_length: tuple[Slice, ...] = ()
    by_depth: tuple[Slice, ...] = ()
    n_unscored_old: Mapping[int, int] = field(default_factory=dict)
    n_unscored_new: Mapping[int, int] = field(default_factory=dict)
    effective_length_shift: Mapping[str, LengthShift] = field(default_factory=dict)
    curve_tests: Mapping[str, CurveComparison] = field(default_factory=dict)

    @property
    def is_paired(self) -> bool:
        """True if both language models were scored on the same cases."""
        return self.overall.n_paired > 0

    def to_dict(self) -> dict[str, Any]:
        """Return one of the ``groups`` of the JSON."""
        return {
            "task": self.task,
            **self.overall.to_dict(),
            "n_unmatched_old": self.n_unmatched_old,
            "n_unmatched_new": self.n_unmatched_new,
            "n_unscored_by_length_old": _with_text_keys(self.n_unscored_old),
            "n_unscored_by_length_new": _with_text_keys(self.n_unscored_new),
            "holm_p": self.holm_p,
            "verdict": self.verdict,
            "by_length": [{"length": int(s.place), **s.contrast.to_dict()} for s in self.by_length],
            "by_depth": [{"depth": s.place, **s.contrast.to_dict()} for s in self.by_depth],
            "effective_length_shift": {
                method: shift.to_dict() for method, shift in self.effective_length_shift.items()
            },
            "curve_tests": {name: test.to_dict() for name, test in self.curve_tests.items()},
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "TaskComparison":
        """Restore what :meth:`to_dict` returned."""
        names = ("task", "n_unmatched_old", "n_unmatched_new", "holm_p", "verdict")
        shifts, curves = document["effective_length_shift"], document["curve_tests"]
        return cls(
            **{name: document[name] for name in names},
            overall=Contrast.from_dict(document),
            n_unscored_old=_with_lengths(document["n_unscored_by_length_old"]),
            n_unscored_new=_with_lengths(document["n_unscored_by_length_new"]),
            by_length=_slices(document, "length"),
            by_depth=_slices(document, "depth"),
            effective_length_shift={k: LengthShift.from_dict(v) for k, v in shifts.items()},
            curve_tests={k: CurveComparison.from_dict(v) for k, v in curves.items()},
        )


def _with_text_keys(counts: Mapping[int, int]) -> dict[str, int]:
    return {str(length): n for length, n in counts.items()}


def _with_lengths(counts: Mapping[str, int]) -> dict[int, int]:
    return {int(length): n for length, n in counts.items()}


def _slices(document: Mapping[str, Any], axis: str) -> tuple[Slice, ...]:
    listed = document[f"by_{axis}"]
    return tuple(Slice(each[axis], Contrast.from_dict(each)) for each in listed)


def _test_words(group: TaskComparison, n_tests: int) -> str:
    """Say the test of one task, and what it comes to among several."""
    found = group.overall
    kind = "p" if found.exact_p is None else "mid-p"
    exact = "" if found.exact_p is None else f" (exact {found.exact_p:.3g})"
    words = f"{TEST_WORDS[found.test]}, {kind} {found.p_value:.3g}{exact}"
    return words if n_tests == 1 else f"{words}, {group.holm_p:.3g} among {n_tests} tests (Holm)"


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the same cases say about two language models, task by task.

    Attributes
    ----------
    old_model, new_model : str
    length_unit : str
    margin : float
        Differences up to here do not matter.
    level : float
        Of the two-sided intervals and of verdicts; one-sided, of the gate.
    groups : tuple of TaskComparison
        By the name of the task.
    pooled : Contrast or None
        All pairs of all tasks together; None for one task, or where a task has no pairs.
    gate : Gate or None
    notices : tuple of Notice
    """

    old_model: str
    new_model: str
    length_unit: str
    margin: float
    level: float
    groups: tuple[TaskComparison, ...]
    pooled: Contrast | None = None
    gate: Gate | None = None
    notices: tuple[Notice, ...] = ()

    @property
    def group(self) -> TaskComparison:
        """The first task's comparison: the only one's, where there is one."""
        return self.groups[0]

    def sentence(self) -> str:
        """Say, for every task, the difference with its interval, tests, margin and verdict.

        Examples
        --------
        >>> from lcstats.comparison import compare
        >>> from lcstats.trials import Trials
        >>> table = pd.DataFrame({"case": range(20), "length": 4096, "score": [1] * 18 + [0] * 2})
        >>> new = table.assign(score=[1] * 11 + [0] * 9)
        >>> answer = compare(
        ...     Trials.from_frame(table.assign(model="old")),
        ...     Trials.from_frame(new.assign(model="new")),
        ... )
        >>> print(answer.sentence())
        new against old on default: worse. 0.55 against 0.9 on 20 pairs, difference -0.35 (95% \
interval -0.567 to -0.132), Tango's score interval; McNemar's test, mid-p 0.00781 (exact 0.0156); \
margin 0.02.
        """
        return " ".join(map(self.sentence_on, self.groups))

    def sentence_on(self, group: TaskComparison, *, n_tests: int | None = None) -> str:
        """Say what one task comes to; `n_tests` are corrected for, the tasks unless said."""
        found = group.overall
        test_words = _test_words(group, n_tests or len(self.groups))
        return (
            f"{self.new_model} against {self.old_model} on {group.task}: {group.verdict}. "
            f"{found.words()}, {INTERVAL_WORDS[found.interval.kind]}; {test_words}; "
            f"margin {self.margin:g}."
        )

    def __repr__(self) -> str:
        verdicts = ", ".join(f"{group.task} {group.verdict}" for group in self.groups)
        return f"Comparison({self.new_model} against {self.old_model}: {verdicts})"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per task and slice; length and depth are missing where all are meant."""
        return pd.DataFrame(list(self._rows()))

    def _rows(self) -> Iterator[dict[str, Any]]:
        for group in self.groups:
            places: list[tuple[float | None, float | None, Contrast]]
            places = [(None, None, group.overall)]
            places += [(each.place, None, each.contrast) for each in group.by_length]
            places += [(None, each.place, each.contrast) for each in group.by_depth]
            for length, depth, contrast in places:
                numbers = contrast.to_dict()
                interval = numbers.pop("interval")
                ends = {"lower": interval["lower"], "upper": interval["upper"]}
                yield {"task": group.task, "length": length, "depth": depth, **numbers, **ends}

    def to_dict(self) -> dict[str, Any]:
        """Return the ``compare`` object of the JSON."""
        gate = self.gate
        return {
            "schema_version": SCHEMA_VERSION,
            "old_model": self.old_model,
            "new_model": self.new_model,
            "length_unit": self.length_unit,
            "margin": self.margin,
            "level": self.level,
            "groups": [group.to_dict() for group in self.groups],
            "pooled": None if self.pooled is None else self.pooled.to_dict(),
            "gate": "off" if gate is None else gate.outcome,
            "gate_details": None if gate is None else gate.to_dict(),
            "pairs_to_decide": None if gate is None else gate.pairs_to_decide,
            "warnings": list_notices(self.notices),
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "Comparison":
        """Restore what :meth:`to_dict` returned.

        Raises
        ------
        FormatError
            If it is of an unknown schema version or not whole.
        """
        with restoring("Comparison", document):
            names = ("old_model", "new_model", "length_unit", "margin", "level")
            pooled, gate = document["pooled"], document["gate_details"]
            return cls(
                **{name: document[name] for name in names},
                groups=tuple(map(TaskComparison.from_dict, document["groups"])),
                pooled=None if pooled is None else Contrast.from_dict(pooled),
                gate=None if gate is None else Gate.from_dict(gate),
                notices=notices_of(document["warnings"]),
            )
