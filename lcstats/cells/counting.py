"""From trials to cells: repeats folded, cases counted, nothing left out in silence."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import gcd, lcm
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lcstats.cells.grid import CaseIndex, CellGrid
from lcstats.cells.lattice import FINEST_UNIT, on_lattice
from lcstats.cells.means import Means, Results, without_counts
from lcstats.cells.stages import came_later, mark_adaptive
from lcstats.cells.table import Cells
from lcstats.errors import DesignWarning, Notice, TableError, UnscoredWarning, announce, describe
from lcstats.options import Axis, Repeats, check_option, check_type
from lcstats.trials import Reading, Trials
from lcstats.trials.values import number_integers
from lcstats.trials.wording import counted

GROUP = ("model", "task")
CASE = (*GROUP, "length", "depth", "case")

Names = tuple[str, str]


def count_cells(trials: Results, *, repeats: Repeats = "fold", axis: Axis = "asked") -> Cells:
    """Count cases and successes per model, task, length and depth.

    Trials of length 0 (written ``0k``: a prompt without filler) are a reference and no tested
    length; a notice gives their accuracy.

    Parameters
    ----------
    trials : Trials, Cells or Means
        Cells are returned as they are; means, which have no counts, are refused.
    repeats : {"fold", "independent"}
        ``fold`` makes the mean score of a case one observation (METHOD section 1);
        ``independent`` counts every row as a trial of its own.
    axis : {"asked", "received"}
        ``received`` puts each asked-for length at the median number of tokens received there.

    Returns
    -------
    Cells
        Independent of the order of the rows.

    Raises
    ------
    TableError
        If no trial is scored, the received axis has no counts to use, or there are only means
        without their numbers of cases.
    OptionError
        If it is given something else, or an option is unknown.

    Examples
    --------
    >>> import pandas as pd
    >>> from lcstats.trials import Trials
    >>> frame = pd.DataFrame(
    ...     {"length": [4096] * 4, "depth": [0.0, 0.0, 0.5, 0.5], "score": [1, 0, 1, 1]}
    ... )
    >>> count_cells(Trials.from_frame(frame)).grid.n_cases.tolist()
    [[2, 2]]
    """
    if isinstance(trials, Cells):
        return trials
    if isinstance(trials, Means):
        raise without_counts(trials)
    check_type(trials, (Trials, Cells), "trials")
    check_option(repeats, Repeats, "repeats")
    check_option(axis, Axis, "axis")
    frame = trials.frame if axis == "asked" else _at_received_lengths(trials.frame)
    frame, without_filler = _set_aside_no_filler(frame)
    fold = repeats == "fold" and trials.has_case_ids
    unscored = _count_unscored(frame[frame["score"].isna()])
    every = _scored_rows(frame)
    grids = _count_groups(every, frame, trials.length_unit, fold=fold)
    later = came_later(frame)
    if later.any():
        fixed = frame[~later]
        scored = fixed[fixed["score"].notna()]
        pilots = _count_groups(scored, fixed, trials.length_unit, fold=fold)
        grids = mark_adaptive(grids, {(pilot.model, pilot.task): pilot for pilot in pilots})
    notices = (
        *without_filler,
        *_notices_on_guess_rates(every),
        *_notices_on_unscored(unscored, grids),
    )
    announce(notices)
    return Cells(grids=grids, reading=trials.reading, notices=(*trials.notices, *notices))


def _count_groups(
    scored: pd.DataFrame, frame: pd.DataFrame, length_unit: str, *, fold: bool
) -> tuple[CellGrid, ...]:
    """Tabulate every group of the scored rows of a table."""
    if not len(scored):
        return ()
    unscored_rows = frame[frame["score"].isna()]
    observed, unit = _observe(scored, fold=fold)
    unscored = _count_unscored(unscored_rows)
    missing = _missing_cases(unscored_rows, scored, fold=fold)
    rates = guess_rates(scored)
    grids = tuple(
        _grid_of(
            names,
            group,
            length_unit=length_unit,
            unit=unit,
            unscored=unscored.get(names, {}),
            missing=missing.get(names),
            guess_rate=rates.get(names, 0.0),
        )
        for names, group in _grouped(observed)
    )
    return grids if "cluster" in scored else _number_apart(grids)


def cells_from_count_frame(
    frame: pd.DataFrame,
    *,
    length_unit: str = "tokens",
    reading: Reading | None = None,
    notices: tuple[Notice, ...] = (),
) -> Cells:
    """Make cells from a table that only has counts.

    Parameters
    ----------
    frame : DataFrame
        Columns model, task, length, depth (may be missing), n_cases, successes; rows of one
        cell are added up.

    Returns
    -------
    Cells
        With ``aggregate_only`` set.
    """
    counts = frame[frame["n_cases"] > 0]
    numerators, unit = on_lattice(counts["successes"].to_numpy())
    counts = counts.assign(numerator=numerators, n_trials=counts["n_cases"])
    grids = tuple(
        _grid_of(names, group, length_unit=length_unit, unit=unit)
        for names, group in _grouped(counts)
    )
    return Cells(grids=grids, aggregate_only=True, reading=reading, notices=notices)


def _set_aside_no_filler(frame: pd.DataFrame) -> tuple[pd.DataFrame, tuple[Notice, ...]]:
    """Leave out trials of length 0, and say how they went."""
    empty = frame["length"] == 0
    if not empty.any():
        return frame, ()
    score = frame.loc[empty, "score"]
    mean = f", accuracy {score.mean():.4g}" if score.notna().any() else ""
    return frame[~empty], (
        Notice(
            "no-filler",
            f"{counted(int(empty.sum()), 'trial')} at length 0 "
            f"(no filler{mean}): kept as a reference, and no tested length",
            DesignWarning,
        ),
    )


def _scored_rows(frame: pd.DataFrame) -> pd.DataFrame:
    scored = frame["score"].notna()
    if not scored.any():
        raise TableError(
            describe(
                f"no scored trials among {len(frame)} rows",
                "expected at least one row with a score",
                "look at the status column, or at --map score=COLUMN",
            )
        )
    return frame if scored.all() else frame[scored]


def _grouped(frame: pd.DataFrame) -> Iterator[tuple[Names, pd.DataFrame]]:
    """Split a table by (model, task), in the order of their names; one group is not copied."""
    if not len(frame):
        return
    if all((frame[name] == frame[name].iloc[0]).all() for name in GROUP):
        yield (str(frame["model"].iloc[0]), str(frame["task"].iloc[0])), frame
        return
    for names, group in frame.groupby(list(GROUP), sort=True):
        model, task = cast("Names", names)
        yield (str(model), str(task)), group


def _observe(scored: pd.DataFrame, *, fold: bool) -> tuple[pd.DataFrame, int]:
    """Return one row per case (or per trial), and the unit of its numerators."""
    numerators, unit = on_lattice(scored["score"].to_numpy())
    folds = fold and bool((scored["repeat"] != 1).any())
    columns = [*CASE] if folds else [*GROUP, "length", "depth"]
    observed = scored[columns].assign(numerator=numerators, n_trials=1)
    if "cluster" in scored:
        observed["cluster"] = cluster_codes(scored["cluster"])
    return fold_repeats(observed, unit) if folds else (observed, unit)


def fold_repeats(observed: pd.DataFrame, unit: int) -> tuple[pd.DataFrame, int]:
    """Replace the repeats of a case by their mean; return one row per case, and the unit.

    Parameters
    ----------
    observed : DataFrame
        The columns of :data:`CASE`, ``numerator``, ``n_trials`` and perhaps ``cluster``.
    unit : int
        Of the numerators.
    """
    sums = {"numerator": ("numerator", "sum"), "n_trials": ("n_trials", "sum")}
    if "cluster" in observed:
        sums["cluster"] = ("cluster", "first")
    cases = observed.groupby([*CASE], sort=True, dropna=False).agg(**sums).reset_index()
    n_repeats = cases["n_trials"].to_numpy()
    common = lcm(*(int(count) for count in np.unique(n_repeats)))
    if unit * common > FINEST_UNIT:
        means = cases["numerator"].to_numpy() / (unit * n_repeats)
        numerators, unit = np.rint(means * FINEST_UNIT).astype(np.int64), FINEST_UNIT
    else:
        numerators, unit = cases["numerator"].to_numpy() * (common // n_repeats), unit * common
    shared = gcd(unit, int(np.gcd.reduce(numerators)))
    return cases.assign(numerator=numerators // shared), unit // shared


def cluster_codes(column: pd.Series) -> NDArray[np.int64]:
    """Number the clusters, shape (n_rows,); a row without one is a cluster of its own."""
    codes = pd.factorize(column, sort=True)[0].astype(np.int64)
    alone = codes < 0
    codes[alone] = codes.max(initial=-1) + 1 + np.arange(alone.sum())
    return codes


def _grid_of(
    names: Names,
    observed: pd.DataFrame,
    *,
    length_unit: str,
    unit: int,
    unscored: Mapping[int, Mapping[str, int]] | None = None,
    missing: pd.DataFrame | None = None,
    guess_rate: float = 0.0,
) -> CellGrid:
    """Tabulate the observations of one group."""
    row, lengths = number_integers(observed["length"].to_numpy(np.int64))
    column, depths = _factorize_depths(observed["depth"], _depths_without_score(missing, lengths))
    flat = row * depths.size + column
    shape = (lengths.size, depths.size)
    is_cases = "n_cases" not in observed
    n_cases = np.ones(len(observed), np.int64) if is_cases else observed["n_cases"].to_numpy()
    return CellGrid(
        model=names[0],
        task=names[1],
        length_unit=length_unit,
        lengths=lengths,
        depths=depths,
        n_cases=_add_up(flat, n_cases, shape),
        n_trials=_add_up(flat, observed["n_trials"].to_numpy(), shape),
        numerators=_add_up(flat, observed["numerator"].to_numpy(), shape),
        unit=unit,
        unscored=unscored or {},
        cases=_index_cases(flat, observed, unit) if is_cases else None,
        n_missing=None if missing is None else _place(missing, lengths, depths),
        guess_rate=guess_rate,
    )


def _number_apart(grids: tuple[CellGrid, ...]) -> tuple[CellGrid, ...]:
    """Give the cases of every group cluster numbers of their own."""
    apart, first = [], 0
    for grid in grids:
        cases = cast("CaseIndex", grid.cases)
        apart.append(replace(grid, cases=replace(cases, cluster=cases.cluster + first)))
        first += cases.cluster.size
    return tuple(apart)


def _factorize_depths(
    column: pd.Series, further: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Number the depths, `further` ones too, ascending; NaN, which stands for none, comes last."""
    values = column.to_numpy(np.float64)
    codes, depths = pd.factorize(values, sort=True, use_na_sentinel=False)
    every = np.unique(np.concatenate([depths, further]))
    if every.size > depths.size:
        codes, depths = pd.Index(every).get_indexer(pd.Index(depths))[codes], every
    return codes.astype(np.int64, copy=False), depths


def _depths_without_score(
    missing: pd.DataFrame | None, lengths: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the depths that were asked for at a tested length and got no score there.

    A depth without any score has a column of its own, or its absence would be invisible. A failed
    request without a depth says nothing of the kind.
    """
    if missing is None:
        return np.empty(0)
    depths = missing.loc[missing["length"].isin(lengths), "depth"].to_numpy(np.float64)
    return np.unique(depths[~np.isnan(depths)])


def _add_up(
    flat: NDArray[np.int64], values: NDArray[Any], shape: tuple[int, int]
) -> NDArray[np.int64]:
    total = np.zeros(shape[0] * shape[1], dtype=np.int64)
    np.add.at(total, flat, values.astype(np.int64, copy=False))
    return total.reshape(shape)


def _index_cases(flat: NDArray[np.int64], observed: pd.DataFrame, unit: int) -> CaseIndex:
    """Order the cases by cell, then worth, then cluster, so that the rows' order is lost."""
    numerator = observed["numerator"].to_numpy(np.int64)
    if "cluster" in observed:
        cluster = observed["cluster"].to_numpy(np.int64)
        order = np.lexsort((cluster, numerator, flat))
        return CaseIndex(cell=flat[order], numerator=numerator[order], cluster=cluster[order])
    kind = flat * (unit + 1) + numerator
    if kind.max(initial=0) > 4 * kind.size + 1_000_000:
        kinds, counts = np.unique(kind, return_counts=True)
    else:
        counts = np.bincount(kind)
        kinds = np.arange(counts.size)
    # Cases of one kind are alike, so counting them is a sort, and the fastest.
    cell, worth = (np.repeat(part, counts) for part in np.divmod(kinds, unit + 1))
    return CaseIndex(cell=cell, numerator=worth, cluster=np.arange(kind.size))


def _at_received_lengths(frame: pd.DataFrame) -> pd.DataFrame:
    """Put every asked-for length at the median number of tokens received there."""
    received = frame.get("tokens_received")
    if received is None or received.isna().all():
        raise TableError(
            describe(
                "the table has no tokens_received",
                "expected the number of tokens the server counted, for axis='received'",
                "use axis='asked', or map the column with --map tokens_received=COLUMN",
            )
        )
    keys = [*GROUP, "length"]
    median = received.astype("Float64").groupby([frame[key] for key in keys]).transform("median")
    return frame.assign(length=median.round().fillna(frame["length"]).astype("int64"))


def guess_rates(scored: pd.DataFrame) -> dict[Names, float]:
    """Return the guess rate of every (model, task) whose table says one.

    Where it differs between questions a length has their mean, and the task the lowest of its
    lengths: a floor that no length is below.
    """
    return {names: lowest for names, (lowest, _) in _ranges_of_guessing(scored)}


def _ranges_of_guessing(scored: pd.DataFrame) -> Iterator[tuple[Names, tuple[float, float]]]:
    """Yield the lowest and the highest guess rate of a length, of every group that has any."""
    if "guess_rate" not in scored:
        return
    for names, group in _grouped(scored):
        rates = group.groupby("length")["guess_rate"].agg(["min", "max", "mean"])
        # A mean of equal rates may be off by a rounding error.
        own = rates["mean"].clip(rates["min"], rates["max"])
        yield names, (float(own.min()), float(own.max()))


def _notices_on_guess_rates(scored: pd.DataFrame) -> Iterator[Notice]:
    for (model, task), (lowest, highest) in _ranges_of_guessing(scored):
        if lowest < highest:
            yield Notice(
                "guess-rates-differ",
                f"{model} on {task}: guessing is right {highest:.2g} of the time at one length "
                f"and {lowest:.2g} at another; the lowest is the floor of the curve and of "
                f"the rule above_chance; pass --guess-rate {highest:.2g} for the highest",
                DesignWarning,
            )


def _count_unscored(unscored: pd.DataFrame) -> dict[Names, dict[int, dict[str, int]]]:
    """Count trials without a score per group, length and status."""
    counts: dict[Names, dict[int, dict[str, int]]] = {}
    for names, group in _grouped(unscored):
        sizes = group.groupby(["length", "status"], sort=True).size().reset_index(name="size")
        for length, status, size in sizes.itertuples(index=False):
            by_length = counts.setdefault(names, {})
            by_length.setdefault(int(length), {})[str(status)] = int(size)
    return counts


def _missing_cases(
    unscored: pd.DataFrame, scored: pd.DataFrame, *, fold: bool
) -> dict[Names, pd.DataFrame]:
    """Return length and depth of every case that has no score at all, by group."""
    if fold and len(unscored):
        keys = pd.MultiIndex.from_frame(unscored[[*CASE]])
        has_score = keys.isin(pd.MultiIndex.from_frame(scored[[*CASE]]))
        unscored = unscored[~has_score].drop_duplicates([*CASE])
    return {names: group[["length", "depth"]] for names, group in _grouped(unscored)}


def _place(
    missing: pd.DataFrame, lengths: NDArray[np.int64], depths: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Count missing cases on the grid; those at lengths without any score are off it."""
    row = pd.Index(lengths).get_indexer(pd.Index(missing["length"]))
    column = pd.Index(depths).get_indexer(pd.Index(missing["depth"]))
    on_grid = (row >= 0) & (column >= 0)
    flat = row[on_grid] * depths.size + column[on_grid]
    return _add_up(flat, np.ones(flat.size, np.int64), (lengths.size, depths.size))


def _notices_on_unscored(
    unscored: Mapping[Names, Mapping[int, Mapping[str, int]]], grids: tuple[CellGrid, ...]
) -> tuple[Notice, ...]:
    """Name the lengths at which trials were asked for and none is scored."""
    tested = {(grid.model, grid.task): set(grid.lengths.tolist()) for grid in grids}
    notices = []
    for (model, task), by_length in unscored.items():
        for length, statuses in by_length.items():
            if length in tested.get((model, task), set()):
                continue
            reasons = ", ".join(f"{count} {status}" for status, count in statuses.items())
            message = (
                f"{model}, {task}: no trial at length {length} is scored ({reasons}); "
                "it is not a tested length"
            )
            notices.append(Notice("length-unscored", message, UnscoredWarning))
    return tuple(notices)
