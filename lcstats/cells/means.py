"""`Means`: mean scores of cells of which nobody says how many cases they are of."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pandas as pd

from lcstats.cells.table import Cells
from lcstats.errors import Notice, OptionError, TableError, describe
from lcstats.trials import Reading, Trials
from lcstats.trials.wording import CASES_PER_CELL, counted


@dataclass(frozen=True, slots=True, eq=False)
class Means:
    """Mean scores per length and depth, without the number of cases behind them.

    They can be looked at and drawn. Nothing that needs numbers of cases, such as a set or a fit,
    can be made of them: a mean without its n has no interval.

    Attributes
    ----------
    frame : DataFrame, shape (n_cells, 5)
        ``model``, ``task`` (str), ``length`` (int64), ``depth`` (fraction, NaN for none) and
        ``mean`` (float64 in [0, 1]), sorted by the first four; one row per cell that has a mean.
    length_unit : str
        Unit of the lengths.
    reading : Reading or None
    notices : tuple of Notice

    Examples
    --------
    >>> frame = pd.DataFrame(
    ...     {"model": "m", "task": "t", "length": [4096, 8192], "depth": 0.5, "mean": [1.0, 0.5]}
    ... )
    >>> Means(frame)
    Means(2 cells, 1 language model, 1 task)
    """

    frame: pd.DataFrame
    length_unit: str = "tokens"
    reading: Reading | None = None
    notices: tuple[Notice, ...] = ()

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the language models."""
        return tuple(self.frame["model"].unique().tolist())

    @property
    def tasks(self) -> tuple[str, ...]:
        """Names of the tasks."""
        return tuple(self.frame["task"].unique().tolist())

    def select(self, *, model: str | None = None, task: str | None = None) -> "Means":
        """Return the means of one language model, one task or both.

        Raises
        ------
        OptionError
            If nothing matches.
        """
        frame = self.frame
        for column, wanted in (("model", model), ("task", task)):
            frame = frame if wanted is None else frame[frame[column] == wanted]
        if frame.empty:
            raise OptionError(
                describe(
                    f"no mean is of model {model!r} and task {task!r}",
                    f"expected one of {', '.join(self.models)} and one of {', '.join(self.tasks)}",
                    "pass names as they are written there",
                )
            )
        return replace(self, frame=frame.reset_index(drop=True))

    def __iter__(self) -> Iterator["Means"]:
        """Iterate over the groups, each as means of its own."""
        groups = self.frame[["model", "task"]].drop_duplicates()
        return (
            self.select(model=model, task=task) for model, task in groups.itertuples(index=False)
        )

    def __repr__(self) -> str:
        return (
            f"Means({counted(len(self.frame), 'cell')}, "
            f"{counted(len(self.models), 'language model')}, {counted(len(self.tasks), 'task')})"
        )


Results = Trials | Cells | Means
"""What files of results turn out to hold."""


def without_counts(means: Means) -> TableError:
    """Return the error for a question about means that only counts can answer."""
    files = ", ".join(means.reading.files[:3]) if means.reading else "the table"
    return TableError(
        describe(
            f"{files}: {counted(len(means.frame), 'mean score')} by length and depth, without "
            "saying how many cases each is of",
            "expected single trials, or the numbers of cases and of right ones: a mean without "
            "them has no interval and no fit, and can only be read and drawn as a heat map or a "
            "decay",
            f"pass {CASES_PER_CELL} if every mean is of N cases, "
            "read the results that the means were taken of, or write one row per cell with the "
            "columns length,depth,n,k",
        )
    )
