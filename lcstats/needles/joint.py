"""Tasks of one language model on one curve: which of them differ from plain retrieval, and how."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from lcstats.cells import count_cells
from lcstats.curve import TERMS
from lcstats.errors import OptionError, TableError, describe
from lcstats.fit import TermTest
from lcstats.fit.joint import JointFit, TaskCounts, compare_joint, fit_joint
from lcstats.fit.joint.door import N_SIMULATIONS
from lcstats.fit.table import base_and_span
from lcstats.needles.cells import needle_cells
from lcstats.needles.data import tabulate_needles, with_numbers
from lcstats.needles.single import task_counts
from lcstats.options import Penalty, Repeats, check_type
from lcstats.records import SCHEMA_VERSION
from lcstats.trials import Trials
from lcstats.trials.wording import counted

COMBINE = "combine"
"""What a task asks for that has still to combine what it found, beside terms of its own."""


@dataclass(frozen=True, slots=True)
class TaskPart:
    """What a task of a joint fit has of its own.

    Attributes
    ----------
    name : str
    own_terms : tuple of str
        Terms of the law in which it differs from the tasks that have none.
    combines : bool
        Whether found facts have still to be combined, as in two hops.
    """

    name: str
    own_terms: tuple[str, ...] = ()
    combines: bool = False

    @classmethod
    def parse(cls, text: str) -> "TaskPart":
        """Read ``TASK`` or ``TASK:intercept,length,combine``.

        Raises
        ------
        OptionError
            If a word is no term and not ``combine``.

        Examples
        --------
        >>> TaskPart.parse("two hops:combine").combines
        True
        >>> TaskPart.parse("distractors:intercept,length").own_terms
        ('intercept', 'length')
        """
        name, _, listed = text.rpartition(":") if ":" in text else (text, "", "")
        words = tuple(word.strip() for word in listed.split(",") if word.strip())
        unknown = [word for word in words if word not in (*TERMS, COMBINE)]
        if unknown or not name:
            raise OptionError(
                describe(
                    f"{text!r} says {unknown[0]!r}" if unknown else f"{text!r} names no task",
                    f"expected a task, and some of {', '.join((*TERMS, COMBINE))}",
                    "write TASK:intercept,length or TASK:combine",
                )
            )
        return cls(name, tuple(word for word in words if word != COMBINE), COMBINE in words)

    @property
    def differs(self) -> bool:
        """True if the task has anything of its own."""
        return bool(self.own_terms) or self.combines


@dataclass(frozen=True, slots=True, eq=False)
class JointComparison:
    """A joint fit, and whether what each task has of its own is needed.

    Attributes
    ----------
    model : str
    fit : JointFit
    tests : tuple of TermTest
        For each task with something of its own: the fit against the one in which it has nothing.
    """

    model: str
    fit: JointFit
    tests: tuple[TermTest, ...]

    def combining_by_length(self, task: TaskCounts) -> dict[int, float]:
        """Return how often found facts are combined, at every tested length of a task."""
        rate, decay = self.fit.combining_of(task.name)
        lengths = np.unique(task.length)
        chances = rate * np.exp(-decay * np.log2(lengths / self.fit.law.base_length))
        return dict(zip(lengths.astype(int).tolist(), chances.tolist(), strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values."""
        return {
            "schema_version": SCHEMA_VERSION,
            "model": self.model,
            "fit": {k: v for k, v in self.fit.to_dict().items() if k not in ("counts", "notices")},
            "combining": {
                task.name: {
                    **dict(zip(("rate", "decay"), self.fit.combining_of(task.name), strict=True)),
                    "by_length": {str(k): h for k, h in self.combining_by_length(task).items()},
                }
                for task in self.fit.tasks
                if task.combines
            },
            "tests": [test.to_dict() for test in self.tests],
        }


def compare_tasks(
    trials: Trials,
    parts: Sequence[TaskPart],
    *,
    repeats: Repeats = "fold",
    penalty: Penalty = "jeffreys",
    guess_rate: float = 0.0,
    n_simulations: int = N_SIMULATIONS,
    seed: int = 0,
) -> JointComparison:
    """Fit one curve of single facts to several tasks, and test what each has of its own.

    Parameters
    ----------
    trials : Trials
        Of one language model.
    parts : sequence of TaskPart
        At least one of them with nothing of its own: plain retrieval, say.
    repeats : {"fold", "independent"}
    penalty : {"jeffreys", "none"}
    guess_rate : float
        Of a single fact.
    n_simulations, seed : int
        Of every test.

    Returns
    -------
    JointComparison

    Raises
    ------
    OptionError
        If a task is not there or named twice, every task differs in the same term, or a task
        combines and asks for a single fact, or none of single facts is beside it.
    TableError
        If trials of a task that combines do not say how many facts they ask for.

    Notes
    -----
    Trials that say which needles were found enter needle by needle, unless the task combines them;
    those that say how many, as counts; others as wholes. Chains alone hardly tell a combining
    factor from the intercept: single facts beside them do.

    Examples
    --------
    >>> from lcstats.truths import DISTRACTORS, SINGLE_NEEDLE, simulate_trials
    >>> import pandas as pd
    >>> drawn = [
    ...     simulate_trials(truth, [4096, 32768], [0.0, 0.5, 1.0], n_trials=60, seed=1)
    ...     for truth in (SINGLE_NEEDLE, DISTRACTORS)
    ... ]
    >>> both = Trials.from_frame(pd.concat([one.frame for one in drawn]))
    >>> parts = [TaskPart("single-needle"), TaskPart("distractors", ("intercept",))]
    >>> found = compare_tasks(both, parts, n_simulations=99)
    >>> found.tests[0].terms
    ('intercept[distractors]',)
    """
    check_type(trials, Trials, "trials")
    _refuse_twice(parts)
    tasks = [_counts_of(trials, part, repeats) for part in parts]
    _refuse_without_plain(tasks)
    lengths = np.unique(np.concatenate([task.length for task in tasks])).astype(np.int64)
    base, span = base_and_span(lengths, trials.length_unit)

    def fit(listed: Sequence[TaskCounts]) -> JointFit:
        return fit_joint(
            listed,
            penalty=penalty,
            guess_rate=guess_rate,
            base_length=base,
            span_doublings=span,
        )

    whole = fit(tasks)
    tests = []
    for part in parts:
        plainer = fit([_plain(task) if task.name == part.name else task for task in tasks])
        if set(plainer.parameters) < set(whole.parameters):
            tests.append(compare_joint(plainer, whole, n_simulations=n_simulations, seed=seed))
    return JointComparison(trials.models[0], whole, tuple(tests))


def _plain(task: TaskCounts) -> TaskCounts:
    return replace(task, own_terms=(), combines=False)


def _counts_of(trials: Trials, part: TaskPart, repeats: Repeats) -> TaskCounts:
    """Count the successes of one task, of needles where they are known."""
    if part.name not in trials.tasks:
        raise OptionError(
            describe(
                f"no trial is of {part.name!r}",
                f"expected tasks among {', '.join(trials.tasks)}",
                "write the name as it is there",
            )
        )
    own = trials.select(task=part.name)
    numbers = with_numbers(own.frame)["n_needles"]
    if part.combines:
        _check_facts(part.name, numbers)
    if (numbers.fillna(1) == 1).all():
        task = TaskCounts.from_grid(count_cells(own, repeats=repeats).grid)
    else:
        table = tabulate_needles(own, repeats=repeats)
        if table.kind == "needles" and not part.combines:
            task = TaskCounts.from_grid(needle_cells(table).grid)
        else:
            task = task_counts(replace(table, kind="all_or_nothing") if part.combines else table)
    return replace(task, name=part.name, combines=part.combines, own_terms=part.own_terms)


def _refuse_twice(parts: Sequence[TaskPart]) -> None:
    names = [part.name for part in parts]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise OptionError(
            describe(
                f"{' and '.join(twice)} is named more than once",
                "expected every task once, with all that it has of its own",
                f"write {twice[0]}:TERM,TERM with the terms in one list",
            )
        )


def _refuse_without_plain(tasks: Sequence[TaskCounts]) -> None:
    """Refuse a combining factor that nothing tells from the curve of single facts."""
    combining = [task.name for task in tasks if task.combines]
    has_plain = any(not (task.combines or task.own_terms) and task.n_factors == 1 for task in tasks)
    if combining and not has_plain:
        raise OptionError(
            describe(
                f"{' and '.join(combining)} combines found facts, and no task of single facts is "
                "beside it",
                "expected a task of single facts with nothing of its own: chains alone do not tell "
                "combining from finding",
                "add it, as in --joint SINGLE --joint CHAIN:combine",
            )
        )


def _check_facts(task: str, numbers: pd.Series) -> None:
    """Refuse to combine facts of which there is one, or nobody knows how many."""
    if numbers.isna().any():
        raise TableError(
            describe(
                f"{int(numbers.isna().sum())} of {counted(len(numbers), 'trial')} of {task} do not "
                "say how many facts they ask for",
                "expected n_needles in every trial of a task that combines, 2 for two hops: the "
                "chance to find all of them is a product",
                "add the column, or name it with columns={'n_needles': 'THEIRS'} "
                "(--map n_needles=THEIRS)",
            )
        )
    if (numbers == 1).all():
        raise OptionError(
            describe(
                f"{task} asks for a single fact, and is to combine what it found",
                "expected combine for tasks of several facts",
                f"write --joint {task} without combine",
            )
        )
