"""Tables of counts: ``n`` trials and ``k`` right per length and depth, and no single trials."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from lcstats.cells import Cells, cells_from_count_frame
from lcstats.errors import Notice, OptionError, TableError, UnscoredWarning, describe
from lcstats.readers.formats import Format
from lcstats.readers.samples import TABLE_SHAPES, Sample
from lcstats.readers.tables import load_tables
from lcstats.trials import RawTable, Reading, TableOptions
from lcstats.trials.assemble import no_scored_trials, refuse_no_rows
from lcstats.trials.columns import COUNT_COLUMNS, DESIGN_COLUMNS, is_count_header
from lcstats.trials.design import read_design
from lcstats.trials.faults import Faults
from lcstats.trials.naming import NamedTable, name_columns
from lcstats.trials.values import Kind, parse_column
from lcstats.trials.wording import counted, listed

_MOST = 2.0**53
"""Counts up to here are exact whatever wrote them."""


def build_counts(tables: Sequence[RawTable], options: TableOptions, reading: Reading) -> Cells:
    """Turn raw tables of counts into cells; announces nothing.

    Parameters
    ----------
    tables : sequence of RawTable
        At least one.
    options : TableOptions
        What the call asked for.
    reading : Reading
        Format and files.

    Returns
    -------
    Cells
        With ``aggregate_only`` set.

    Raises
    ------
    TableError
        If columns are missing or unclear, values cannot be used, or nothing was counted.
    OptionError
        If options ask about single scores.
    """
    wanted = (*DESIGN_COLUMNS, "length_unit", *COUNT_COLUMNS)
    named = name_columns(tables, options, wanted=wanted, required=("length", *COUNT_COLUMNS))
    _refuse_score_options(named, options)
    refuse_no_rows(named)
    faults = Faults(named.origin, named.knowledge.decimal)
    design = read_design(named, options, faults)
    counts = {name: _read_counts(named, name, faults) for name in COUNT_COLUMNS}
    _refuse_too_many_right(named, counts, faults)
    faults.raise_any()
    if not counts["n_cases"].any():
        raise TableError(no_scored_trials(named.origin.name, "every count is 0"))
    frame = design.frame.assign(**counts)
    return cells_from_count_frame(
        frame,
        length_unit=design.length_unit,
        reading=replace(reading, mapping=dict(named.mapping), depth_unit=design.depth_unit),
        notices=(
            *named.notices,
            *design.notices,
            *_shared_cell_notices(frame),
            *_empty_cell_notices(frame, named.named("n_cases")),
        ),
    )


def _refuse_score_options(named: NamedTable, options: TableOptions) -> None:
    if options.score_threshold is None and options.score_scale is None:
        return
    raise OptionError(
        describe(
            f"{named.origin.name} holds counts of right trials, and a score threshold or scale "
            "was given",
            "expected scores of single trials for these options",
            "leave out --score-threshold and --score-scale",
        )
    )


def _read_counts(named: NamedTable, name: str, faults: Faults) -> pd.Series:
    column = named.frame[name]
    parsed = parse_column(column)
    values = parsed.values
    may_be_part = name == "successes" and _is_own(named) and np.nanmax(values, initial=0) > 1
    with np.errstate(invalid="ignore"):
        is_whole = (values == np.floor(values)) | may_be_part
        usable = parsed.is_kind(Kind.NUMBER) & (values >= 0) & is_whole
    too_many = usable & (values >= _MOST)
    faults.add(
        too_many,
        named.named(name),
        column,
        (f"expected a count below {_MOST:.0f}", "mend the value; no sweep is that large"),
    )
    faults.add(
        ~usable,
        named.named(name),
        column,
        (
            "expected a whole number of at least 0",
            "give counts, not rates; leave out rows that were not run",
        ),
    )
    kept = np.where(usable & ~too_many, values, 0)
    return pd.Series(kept if may_be_part else kept.astype(np.int64))


def _is_own(named: NamedTable) -> bool:
    """Tell whether this is how lcstats writes counts, whose sums of grades need not be whole."""
    return all(named.mapping.get(name) == name for name in (*DESIGN_COLUMNS, *COUNT_COLUMNS))


def _refuse_too_many_right(
    named: NamedTable, counts: Mapping[str, pd.Series], faults: Faults
) -> None:
    stands = ~parse_column(named.frame["n_cases"]).is_kind(Kind.MISSING)
    faults.add(
        stands & (counts["successes"] > counts["n_cases"]),
        named.named("successes"),
        counts["successes"],
        (
            f"expected at most {named.named('n_cases')}, the number of trials",
            "check that the two columns are not swapped "
            "(--map n_cases=THEIRS --map successes=THEIRS)",
        ),
    )


def _empty_cell_notices(frame: pd.DataFrame, name: str) -> tuple[Notice, ...]:
    """Say which rows count no trial: their lengths and depths are no tested ones."""
    lengths = frame.loc[frame["n_cases"] == 0, "length"]
    if lengths.empty:
        return ()
    untested = listed(np.unique(lengths).tolist())
    return (
        Notice(
            "empty-counts",
            f"{counted(len(lengths), 'row')} with {name} 0 left out, at length {untested}: "
            "nothing was counted there",
            UnscoredWarning,
        ),
    )


def _shared_cell_notices(frame: pd.DataFrame) -> tuple[Notice, ...]:
    n_shared = int(frame.duplicated(list(DESIGN_COLUMNS)).sum())
    if not n_shared:
        return ()
    return (
        Notice(
            "counts-added",
            f"{counted(n_shared, 'row')} with the model, task, length and depth of an earlier row: "
            "their counts were added up",
        ),
    )


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    return is_count_header(sample.columns, columns)


COUNTS = Format(
    name="counts",
    title="counts of trials (n) and of right ones (k) per length and depth, in any kind of table",
    carries="language model, task, length, depth, number of trials and of right ones",
    lacks="single trials: no pairing, no clusters, no unscored trials",
    checked="files made for the tests",
    shapes=TABLE_SHAPES,
    sniff=_sniff,
    load=load_tables,
    build=build_counts,
)
