"""Tables of means that nobody says the number of cases of: to be looked at, never counted."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from lcstats.cells import Means
from lcstats.errors import DesignWarning, Notice, OptionError, TableError, describe
from lcstats.trials import RawTable, Reading, TableOptions
from lcstats.trials.assemble import no_scored_trials, refuse_no_rows
from lcstats.trials.columns import DESIGN_COLUMNS
from lcstats.trials.design import read_design
from lcstats.trials.faults import Faults
from lcstats.trials.naming import NamedTable, name_columns
from lcstats.trials.score_column import parse_scores, read_scores
from lcstats.trials.wording import CASES_PER_CELL, counted, listed


def build_means(tables: Sequence[RawTable], options: TableOptions, reading: Reading) -> Means:
    """Turn raw tables of one mean score per cell into means; announces nothing.

    Parameters
    ----------
    tables : sequence of RawTable
        At least one; their column of scores holds the means.
    options : TableOptions
        What the call asked for.
    reading : Reading
        Format and files.

    Returns
    -------
    Means

    Raises
    ------
    TableError
        If values cannot be used, no cell has a mean, or a cell has two.
    OptionError
        If a score threshold is given, which only single trials can be held against.
    """
    named = name_columns(
        tables,
        options,
        wanted=(*DESIGN_COLUMNS, "length_unit", "score"),
        required=("length", "score"),
    )
    _refuse_threshold(named, options)
    refuse_no_rows(named)
    faults = Faults(named.origin, named.knowledge.decimal)
    design = read_design(named, options, faults)
    column = named.frame["score"]
    scores = read_scores(
        parse_scores(column),
        column,
        scale=options.score_scale,
        name=named.named("score"),
        faults=faults,
    )
    faults.raise_any()
    frame = design.frame.assign(mean=scores.values)
    frame = frame[np.isfinite(scores.values)].sort_values([*DESIGN_COLUMNS], ignore_index=True)
    if frame.empty:
        raise TableError(no_scored_trials(named.origin.name, "every cell is empty"))
    _refuse_twins(frame, named.origin.name)
    return Means(
        frame,
        length_unit=design.length_unit,
        reading=replace(
            reading,
            mapping=dict(named.mapping),
            depth_unit=design.depth_unit,
            score_scale=scores.scale,
        ),
        notices=(
            *named.notices,
            *design.notices,
            *scores.notices,
            _uncounted(frame),
            *_ragged(frame),
        ),
    )


def _refuse_threshold(named: NamedTable, options: TableOptions) -> None:
    if options.score_threshold is None:
        return
    raise OptionError(
        describe(
            f"{named.origin.name} holds mean scores, and score_threshold is "
            f"{options.score_threshold:g}",
            "expected scores of single trials for it: a mean does not say how many of them reach a "
            "threshold",
            "leave out --score-threshold, or read the results that the means were taken of",
        )
    )


def _refuse_twins(frame: pd.DataFrame, name: str) -> None:
    twins = frame[frame.duplicated([*DESIGN_COLUMNS])]
    if twins.empty:
        return
    first = twins.iloc[0]
    raise TableError(
        describe(
            f"{name}: {counted(len(twins), 'cell')} of the language model, task, length and depth "
            f"of another, the first {first['model']} at length {first['length']} and depth "
            f"{first['depth']:g}",
            "expected one mean for each, as means of unknown numbers of cases cannot be joined",
            "leave out all but one, read the files apart, or name their language models",
        )
    )


def _uncounted(frame: pd.DataFrame) -> Notice:
    return Notice(
        "means-without-counts",
        f"{counted(len(frame), 'mean score')}, and nothing says of how many cases: they can be "
        "drawn, without intervals; for sets and fits pass "
        f"{CASES_PER_CELL} if every mean is of N cases",
        DesignWarning,
    )


def _ragged(frame: pd.DataFrame) -> Iterator[Notice]:
    """Say which lengths lack a mean at depths of the others: their average is over the rest."""
    for (model, task), group in frame.groupby(["model", "task"]):
        n_depths = group.groupby("length")["depth"].nunique(dropna=False)
        lacking = n_depths.index[n_depths < group["depth"].nunique(dropna=False)].tolist()
        if lacking:
            yield Notice(
                "ragged-grid",
                f"{model} on {task}: length {listed(lacking)} lacks a mean at "
                "some depths, so its mean over depths is over the others",
                DesignWarning,
            )
