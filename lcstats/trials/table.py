"""`Trials`: the validated table, one row per trial."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from lcstats.errors import Notice, OptionError, TableError, announce, describe
from lcstats.options import check_type
from lcstats.trials.assemble import assemble_trials
from lcstats.trials.identity import CELL, key_codes
from lcstats.trials.origin import Origin
from lcstats.trials.raw import RawTable
from lcstats.trials.records import Reading, TableOptions
from lcstats.trials.wording import counted

CANONICAL_COLUMNS = ("model", "task", "case", "repeat", "length", "depth", "score", "status")


@dataclass(frozen=True, slots=True, eq=False)
class Trials:
    """The validated table of trials, one row per trial.

    Attributes
    ----------
    frame : DataFrame, shape (n_trials, n_columns)
        Always ``model``, ``task``, ``case`` (str), ``repeat`` (int64), ``length`` (int64, in
        `length_unit`), ``depth`` (float64 in [0, 1], missing where a trial has none),
        ``score`` (float64 in [0, 1], missing where unscored), ``status`` (str); ``cluster``
        and other columns where the table had them.
    length_unit : str
        ``"tokens"``, ``"characters"``, ``"words"`` or ``"documents"``.
    has_case_ids : bool
        False where the table had no ids: each row is then its own case.
    reading : Reading, optional
        Where the table came from and what was done to it.
    notices : tuple of Notice
        What a reader of any result from this table has to know.

    Examples
    --------
    >>> frame = pd.DataFrame({"Context Length": [4096, 4096], "depth": [0, 50], "correct": [1, 0]})
    >>> trials = Trials.from_frame(frame)
    >>> trials
    Trials(2 trials, 2 scored, 1 language model, 1 task, length 4096 tokens)
    >>> trials.frame["depth"].tolist()
    [0.0, 0.5]
    """

    frame: pd.DataFrame
    length_unit: str = "tokens"
    has_case_ids: bool = True
    reading: Reading | None = None
    notices: tuple[Notice, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a table that was not checked.

        Raises
        ------
        TableError
            The message names :meth:`from_frame`.
        """
        check_type(self.frame, pd.DataFrame, "frame", mend_as="Trials", error=TableError)
        lacking = [name for name in CANONICAL_COLUMNS if name not in self.frame]
        if lacking:
            raise TableError(
                describe(
                    f"the table has no {', '.join(lacking)}",
                    "expected the columns of a table that was checked",
                    "pass a table of your own through Trials.from_frame(frame)",
                )
            )

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        options: TableOptions | None = None,
        *,
        origin: Origin | None = None,
    ) -> "Trials":
        """Check a table and turn it into trials.

        Parameters
        ----------
        frame : DataFrame, shape (n_rows, n_columns)
            At least a length and a score, under any known name.
        options : TableOptions, optional
            Units, scales and names that the table does not declare.
        origin : Origin, optional
            Where the rows came from; messages name rows of the table without it.

        Returns
        -------
        Trials

        Raises
        ------
        TableError
            If the table cannot be used; all its faults are listed.
        OptionError
            If options contradict the table.

        Warns
        -----
        LcstatsWarning
            Every notice, once.
        """
        check_type(frame, pd.DataFrame, "frame", error=TableError)
        origin = Origin.of_frame(len(frame)) if origin is None else origin
        trials = build_trials([RawTable(frame, origin)], options or TableOptions())
        announce(trials.notices)
        return trials

    @property
    def n_trials(self) -> int:
        """How many trials there are, scored or not."""
        return len(self.frame)

    @property
    def n_scored(self) -> int:
        """How many trials have a score."""
        return int(self.frame["score"].notna().sum())

    @property
    def n_cases(self) -> int:
        """How many distinct cases there are, scored or not."""
        if not self.has_case_ids or (self.frame["repeat"] == 1).all():
            return len(self.frame)
        return int(pd.Series(key_codes(self.frame, (*CELL, "case"))).nunique())

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the language models, in order of appearance."""
        return tuple(self.frame["model"].unique().tolist())

    @property
    def tasks(self) -> tuple[str, ...]:
        """Names of the tasks, in order of appearance."""
        return tuple(self.frame["task"].unique().tolist())

    def to_frame(self) -> pd.DataFrame:
        """Return a copy of the table."""
        return self.frame.copy()

    def select(self, *, model: str | None = None, task: str | None = None) -> "Trials":
        """Return the trials of one language model, one task, or both.

        Raises
        ------
        OptionError
            If no trial is of that language model and task.
        """
        frame = self.frame
        for column, wanted, present in (("model", model, self.models), ("task", task, self.tasks)):
            if wanted is None:
                continue
            frame = frame[frame[column] == wanted]
            if frame.empty:
                raise OptionError(
                    describe(
                        f"{column} is {wanted!r}",
                        f"expected one of {', '.join(present)} that has trials here",
                        f"choose another {column}",
                    )
                )
        return replace(self, frame=frame.reset_index(drop=True))

    def __repr__(self) -> str:
        """Return one line that says how much there is."""
        first, last = self.frame["length"].min(), self.frame["length"].max()
        lengths = f"length {first}" if first == last else f"lengths {first} to {last}"
        return (
            f"Trials({counted(self.n_trials, 'trial')}, {self.n_scored} scored, "
            f"{counted(len(self.models), 'language model')}, {counted(len(self.tasks), 'task')}, "
            f"{lengths} {self.length_unit})"
        )


def build_trials(
    tables: Sequence[RawTable], options: TableOptions, reading: Reading | None = None
) -> Trials:
    """Turn raw tables of one format into trials; announces nothing.

    Parameters
    ----------
    tables : sequence of RawTable
        At least one, all of one format.
    options : TableOptions
        What the call asked for.
    reading : Reading, optional
        Format and files.

    Returns
    -------
    Trials

    Raises
    ------
    TableError
        If the tables cannot be used; all their faults are listed.
    OptionError
        If options contradict the tables.
    """
    done = assemble_trials(tables, options, reading or Reading("table"))
    return Trials(done.frame, done.length_unit, done.has_case_ids, done.reading, done.notices)
