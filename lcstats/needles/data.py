"""The needle table: what every trial of one task found, needle by needle, and what trials share."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lcstats.errors import OptionError, TableError, describe
from lcstats.options import Repeats, check_option, check_type
from lcstats.records import array_of, freeze_arrays, list_numbers
from lcstats.trials import Trials
from lcstats.trials.wording import counted

NeedleData = Literal["needles", "counts", "all_or_nothing"]
"""What is known of a trial: which needles were found, how many of them, or only whether all."""

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

ROUNDING = 1e-6
"""A share of needles this close to a whole number of them is that number."""

_GROUP = ["model", "task", "n_needles"]


@dataclass(frozen=True, slots=True, eq=False)
class NeedleTable:
    """The scored trials of one language model on one task with one number of needles.

    Attributes
    ----------
    model, task, length_unit : str
    n_needles : int
        Needles of every trial.
    kind : {"needles", "counts", "all_or_nothing"}
        Of ``counts`` nobody knows which needles were found: ones stand before zeros in `found`, and
        what depends on the place of a needle has no meaning. Of ``all_or_nothing`` `found` is
        missing.
    repeats : {"fold", "independent"}
        Whether the repeats of a case are one unit, or each is a unit of its own.
    length : ndarray of int64, shape (n_trials,)
    asked_depth : ndarray of float64, shape (n_trials,)
        Depth of the trial as a whole; NaN where it has none.
    depths : ndarray of float64, shape (n_trials, n_needles)
        Ascending in every row; NaN where unknown.
    found : ndarray of float64, shape (n_trials, n_needles)
        1 or 0; in the order of `depths`.
    all_found : ndarray of float64, shape (n_trials,)
    unit : ndarray of int64, shape (n_trials,)
        What is evidence of its own: the case, or the trial.
    weight : ndarray of float64, shape (n_trials,)
        1 over the trials of the unit.
    cluster : ndarray of int64, shape (n_units,)
        What units share: the haystack, say; a code of its own where nothing is shared.
    placement : ndarray of int64, shape (n_trials,)
        Code of the length and the depths of all needles together.
    n_unscored : int
    """

    model: str
    task: str
    length_unit: str
    n_needles: int
    kind: NeedleData
    repeats: Repeats
    length: Whole
    asked_depth: Floats
    depths: Floats
    found: Floats
    all_found: Floats
    unit: Whole
    weight: Floats
    cluster: Whole
    placement: Whole
    n_unscored: int

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze_arrays(self)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values; what is NaN is None."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            name: list_numbers(value) if isinstance(value, np.ndarray) else value
            for name, value in values.items()
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "NeedleTable":
        """Restore what :meth:`to_dict` returned."""
        whole = ("length", "unit", "cluster", "placement")
        broken = ("asked_depth", "depths", "found", "all_found", "weight")
        return cls(
            **{
                **{field.name: document[field.name] for field in fields(cls)},
                **{name: np.array(document[name], dtype=np.int64) for name in whole},
                **{name: array_of(document[name]) for name in broken},
            }
        )

    @property
    def n_trials(self) -> int:
        """Scored trials."""
        return int(self.length.size)

    @property
    def n_units(self) -> int:
        """Units of evidence: cases, or trials."""
        return int(self.cluster.size)

    @property
    def lengths(self) -> Whole:
        """Lengths with scored trials, ascending."""
        return np.unique(self.length)

    @property
    def has_depths(self) -> bool:
        """True where every needle's depth is known."""
        return not bool(np.isnan(self.depths).any())

    @property
    def has_asked_depths(self) -> bool:
        """True where every trial as a whole has a depth."""
        return not bool(np.isnan(self.asked_depth).any())

    @property
    def units_by_placement(self) -> Whole:
        """How many units share the placement of each trial, shape (n_trials,)."""
        return count_members(self.placement, self.unit)[self.placement]

    @property
    def length_of_unit(self) -> Whole:
        """Length of every unit, shape (n_units,)."""
        lengths = np.zeros(self.n_units, dtype=np.int64)
        lengths[self.unit] = self.length
        return lengths


def count_members(group: Whole, member: Whole) -> Whole:
    """Return how many different members every group has, shape (n_groups,).

    Examples
    --------
    >>> count_members(np.array([0, 0, 0, 1]), np.array([7, 7, 8, 7])).tolist()
    [2, 1]
    """
    return np.bincount(np.unique(np.stack([group, member]), axis=1)[0])


def split_needles(trials: Trials) -> Iterator[Trials]:
    """Yield the trials of every language model, task and number of needles that says the number.

    Parameters
    ----------
    trials : Trials

    Raises
    ------
    TableError
        If no trial says how many needles it asked for.

    Examples
    --------
    >>> frame = pd.DataFrame({"length": [4096, 4096], "score": [0.5, 1.0], "n_needles": [4, 1]})
    >>> [part.n_trials for part in split_needles(Trials.from_frame(frame))]
    [1, 1]
    """
    check_type(trials, Trials, "trials")
    frame = with_numbers(trials.frame)
    if frame["n_needles"].isna().all():
        raise TableError(
            describe(
                "no trial says how many needles it asked for",
                "expected a column n_needles, or lists in needle_found or needle_depths",
                "name it with columns={'n_needles': 'THEIRS'} (--map n_needles=THEIRS)",
            )
        )
    for _, part in frame[frame["n_needles"].notna()].groupby(_GROUP, sort=False):
        yield Trials(
            part.reset_index(drop=True),
            trials.length_unit,
            trials.has_case_ids,
            trials.reading,
            trials.notices,
        )


LISTS = ("needle_found", "needle_depths")
"""Columns with a value for each needle."""


def with_numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """Fill in numbers of needles from the lists, where a column is missing or empty.

    Raises
    ------
    TableError
        If the lists of a trial, or its number of needles, do not agree in size.
    """
    frame = frame.copy(deep=False)
    number = frame["n_needles"] if "n_needles" in frame else pd.Series(pd.NA, index=frame.index)
    number = number.astype("Int64")
    for name in LISTS:
        if name in frame:
            sizes = frame[name].map(_size, na_action=None).astype("Int64")
            _check_sizes(frame, name, sizes, number)
            number = number.fillna(sizes)
    frame["n_needles"] = number
    return frame


def _size(value: object) -> object:
    return len(value) if isinstance(value, list) else pd.NA


def _check_sizes(frame: pd.DataFrame, name: str, sizes: pd.Series, number: pd.Series) -> None:
    """Refuse lists of another size than the number of needles, or than the list before."""
    wrong = np.flatnonzero((sizes != number).fillna(False))
    if not wrong.size:
        return
    first = wrong[0]
    raise TableError(
        describe(
            f"{name} holds {counted(int(sizes.iloc[first]), 'value')} in a trial of "
            f"{counted(int(number.iloc[first]), 'needle')} (case {frame['case'].iloc[first]}, "
            f"length {frame['length'].iloc[first]}; {counted(wrong.size, 'such trial')})",
            f"expected n_needles, {' and '.join(LISTS)} to be of one size in every trial",
            "write one for each needle that was asked for, or leave the whole list empty",
        )
    )


def tabulate_needles(trials: Trials, *, repeats: Repeats = "fold") -> NeedleTable:
    """Put the needles of one language model, task and number of needles into one table.

    Parameters
    ----------
    trials : Trials
        With one of ``needle_found`` (lists of 0 and 1), ``n_found``, a score that is the share of
        needles found, or a score of 0 and 1 that says whether all were.
    repeats : {"fold", "independent"}

    Returns
    -------
    NeedleTable
        Of scored trials alone; independent of the order of the rows but for the order of its own.

    Raises
    ------
    OptionError
        If there are several language models, tasks or numbers of needles.
    TableError
        If no trial is scored, or lists have another size than the number of needles.

    Examples
    --------
    >>> frame = pd.DataFrame(
    ...     {
    ...         "length": [4096, 4096],
    ...         "score": [0.5, 1.0],
    ...         "needle_depths": [[0.9, 0.1], [0.9, 0.1]],
    ...         "needle_found": [[1, 0], [1, 1]],
    ...     }
    ... )
    >>> table = tabulate_needles(Trials.from_frame(frame))
    >>> table.depths.tolist(), table.found.tolist()
    ([[0.1, 0.9], [0.1, 0.9]], [[0.0, 1.0], [1.0, 1.0]])
    """
    check_type(trials, Trials, "trials")
    check_option(repeats, Repeats, "repeats")
    frame = with_numbers(trials.frame)
    scored = frame[frame["score"].notna()].reset_index(drop=True)
    n_needles = _one_group(frame, scored)
    kind, found = _found_of(scored, n_needles)
    depths = _depths_of(scored, n_needles)
    order = np.argsort(depths, axis=1, kind="stable")
    if kind == "needles":
        found = np.take_along_axis(found, order, axis=1)
    depths = np.take_along_axis(depths, order, axis=1)
    fold = repeats == "fold" and trials.has_case_ids
    unit = _units(scored, fold=fold)
    return NeedleTable(
        model=str(scored["model"].iloc[0]),
        task=str(scored["task"].iloc[0]),
        length_unit=trials.length_unit,
        n_needles=n_needles,
        kind=kind,
        repeats="fold" if fold else "independent",
        length=scored["length"].to_numpy(dtype=np.int64),
        asked_depth=scored["depth"].to_numpy(dtype=np.float64),
        depths=depths,
        found=found,
        all_found=_all_found(scored, kind, found),
        unit=unit,
        weight=1.0 / np.bincount(unit)[unit],
        cluster=_clusters(scored, unit),
        placement=_placements(scored, depths),
        n_unscored=len(frame) - len(scored),
    )


def _one_group(frame: pd.DataFrame, scored: pd.DataFrame) -> int:
    """Return the number of needles, if all rows are of one group and one is scored."""
    groups = frame[_GROUP].drop_duplicates()
    if len(groups) != 1 or groups["n_needles"].isna().any():
        names = "; ".join(
            f"{row.model} on {row.task}, {row.n_needles} needles" for row in groups.itertuples()
        )
        raise OptionError(
            describe(
                f"the trials are of {counted(len(groups), 'group')}: {names}",
                "expected one language model, one task and one known number of needles",
                "analyze each of split_needles(trials), or choose with trials.select(...)",
            )
        )
    if not len(scored):
        raise TableError(
            describe(
                "no trial is scored",
                "expected at least one trial whose needles were looked for",
                "check that the sweep ran",
            )
        )
    number = int(groups["n_needles"].iloc[0])
    if number < 1:
        raise TableError(
            describe(
                f"n_needles is {number}",
                "expected at least one needle",
                "leave it empty for tasks without needles",
            )
        )
    return number


def _found_of(scored: pd.DataFrame, n_needles: int) -> tuple[NeedleData, Floats]:
    """Return what is known of the needles, and ones and zeros, (n_trials, n_needles)."""
    if "needle_found" in scored and scored["needle_found"].notna().all():
        return "needles", _matrix(scored["needle_found"], n_needles, "needle_found", (0.0, 1.0))
    counts = _counts_of(scored, n_needles)
    if counts is None:
        return "all_or_nothing", np.full((len(scored), n_needles), np.nan)
    return "counts", (np.arange(n_needles) < counts[:, None]).astype(np.float64)


def _counts_of(scored: pd.DataFrame, n_needles: int) -> Whole | None:
    """Return needles found per trial; None where scores only say whether all were."""
    if "n_found" in scored and scored["n_found"].notna().all():
        return np.asarray(scored["n_found"], dtype=np.int64)
    number = scored["score"].to_numpy(dtype=np.float64) * n_needles
    if n_needles > 1 and np.isin(number, (0.0, n_needles)).all():
        return None
    if np.abs(number - np.rint(number)).max() > ROUNDING:
        raise TableError(
            describe(
                f"a score is no share of {counted(n_needles, 'needle')}",
                "expected needle_found, n_found, or scores that are whole numbers of needles over "
                "their number",
                "name the column with columns={'n_found': 'THEIRS'} (--map n_found=THEIRS)",
            )
        )
    return np.asarray(np.rint(number), dtype=np.int64)


def _depths_of(scored: pd.DataFrame, n_needles: int) -> Floats:
    """Return depths of needles; the trial's own for a single one, NaN where unknown."""
    if "needle_depths" in scored and scored["needle_depths"].notna().all():
        column = scored["needle_depths"]
        return _matrix(column, n_needles, "needle_depths", None)
    if n_needles == 1:
        return scored["depth"].to_numpy(dtype=np.float64)[:, None]
    return np.full((len(scored), n_needles), np.nan)


def _matrix(
    lists: pd.Series, n_needles: int, name: str, allowed: tuple[float, ...] | None
) -> Floats:
    """Stack lists of one size; refuse values that are not of 0 to 1, or not among `allowed`."""
    rows = lists.tolist()
    wrong = next((row for row in rows if not _usable(row, n_needles, allowed)), None)
    if wrong is not None:
        what = "0 and 1" if allowed else "fractions from 0 to 1"
        raise TableError(
            describe(
                f"{name} holds [{', '.join(map(str, wrong))}]",
                f"expected {counted(n_needles, 'value')}, {what}",
                "write one for each needle that was asked for, or leave the whole list empty",
            )
        )
    return np.array(rows, dtype=np.float64)


def _usable(row: Any, n_needles: int, allowed: tuple[float, ...] | None) -> bool:
    if len(row) != n_needles or not all(isinstance(value, Real) for value in row):
        return False
    return all(value in allowed if allowed else 0.0 <= value <= 1.0 for value in row)


def _all_found(scored: pd.DataFrame, kind: NeedleData, found: Floats) -> Floats:
    if kind == "all_or_nothing":
        return np.asarray(scored["score"] == 1.0, dtype=np.float64)
    return np.asarray(found.all(axis=1), dtype=np.float64)


def _units(scored: pd.DataFrame, *, fold: bool) -> Whole:
    """Number the units from 0, in order of appearance."""
    if not fold:
        return np.arange(len(scored))
    keys = scored[["length", "depth", "case"]]
    return np.asarray(keys.groupby(list(keys), sort=False, dropna=False).ngroup(), dtype=np.int64)


def _clusters(scored: pd.DataFrame, unit: Whole) -> Whole:
    """Return the code of what every unit shares with others, shape (n_units,)."""
    n_units = int(unit.max()) + 1
    code = np.arange(n_units)
    if "cluster" in scored:
        names, _ = pd.factorize(scored["cluster"])
        named = np.asarray(names) >= 0
        code[unit[named]] = n_units + np.asarray(names)[named]
    return np.asarray(np.unique(code, return_inverse=True)[1], dtype=np.int64)


def _placements(scored: pd.DataFrame, depths: Floats) -> Whole:
    """Number the different places: length and depths of all needles, else of the trial."""
    own = scored["depth"].to_numpy(dtype=np.float64)[:, None]
    places = own if np.isnan(depths).any() else depths
    keys = np.column_stack(
        [scored["length"].to_numpy(dtype=np.float64), np.nan_to_num(places, nan=-1.0)]
    )
    return np.asarray(np.unique(keys, axis=0, return_inverse=True)[1].ravel(), dtype=np.int64)


DATA_WORDS: dict[NeedleData, str] = dict(
    zip(
        get_args(NeedleData),
        (
            "which needles were found",
            "how many needles were found, not which",
            "whether all needles were found",
        ),
        strict=True,
    )
)
