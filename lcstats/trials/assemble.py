"""From raw tables to the canonical one: names, then columns, then identity."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lcstats.errors import Notice, TableError, UnscoredWarning, describe
from lcstats.trials.design import Design, read_design
from lcstats.trials.failures import Failures, cut_answers_notices, find_failures
from lcstats.trials.faults import Faults
from lcstats.trials.identity import CELL, Identified, key_codes, number_cases, resolve_identity
from lcstats.trials.missing import unscored_notices
from lcstats.trials.naming import NamedTable, name_columns
from lcstats.trials.needle_scores import score_from_needles
from lcstats.trials.origin import Origin
from lcstats.trials.raw import RawTable
from lcstats.trials.records import Reading, TableOptions
from lcstats.trials.repeats import identical_repeats_notices
from lcstats.trials.score_column import Scores, parse_scores, read_scores
from lcstats.trials.side_columns import read_repeats, read_side_columns, received_notices
from lcstats.trials.status_column import Statuses, normalise_status, read_statuses
from lcstats.trials.truncation import Truncation, find_truncated
from lcstats.trials.values import Kind, Parsed, Texts, texts_of
from lcstats.trials.wording import counted, counts_by_status, switch


@dataclass(frozen=True, slots=True, eq=False)
class Assembled:
    """Everything that :class:`lcstats.trials.Trials` holds."""

    frame: pd.DataFrame
    length_unit: str
    has_case_ids: bool
    reading: Reading
    notices: tuple[Notice, ...]


def assemble_trials(
    tables: Sequence[RawTable], options: TableOptions, reading: Reading
) -> Assembled:
    """Turn raw tables of one format into the canonical table of trials.

    Parameters
    ----------
    tables : sequence of RawTable
        At least one.
    options : TableOptions
        What the call asked for.
    reading : Reading
        Format and files; the rest is filled in.

    Returns
    -------
    Assembled

    Raises
    ------
    TableError
        If columns are missing or unclear, values cannot be used, trials contradict each
        other, or no trial is scored.
    OptionError
        If options contradict the table.
    """
    named = score_from_needles(name_columns(tables, options))
    refuse_no_rows(named)
    faults = Faults(named.origin, named.knowledge.decimal)
    design = read_design(named, options, faults)
    scores, statuses = _read_outcomes(named, design, options, faults)
    sides = read_side_columns(named, faults)
    case, repeats = _read_case(named, faults), read_repeats(named, faults)
    faults.raise_any()
    cut = _find_truncated(design, sides, options)
    statuses = statuses.marked(cut.rows, "truncated")
    _require_scored(named.origin, statuses, cut)
    score = scores.values
    if cut.rows.any():
        score = np.where(statuses.counts, score, np.nan)
    columns = {"score": pd.Series(score), "status": statuses.values, **sides}
    identified = _identify(named, design, columns, case, repeats)
    notices = (
        *named.notices,
        *design.notices,
        *scores.notices,
        *statuses.notices,
        *cut.notices,
        *cut_answers_notices(named, design.frame["length"], statuses.counts),
        *received_notices(identified.frame, design.length_unit),
        *identified.notices,
        *(identical_repeats_notices(identified.frame) if case is not None else ()),
        *unscored_notices(identified.frame),
    )
    done = replace(
        reading,
        mapping=dict(named.mapping),
        n_duplicates=identified.n_duplicates,
        depth_unit=design.depth_unit,
        score_scale=scores.scale,
        score_threshold=options.score_threshold,
    )
    return Assembled(identified.frame, design.length_unit, case is not None, done, notices)


def refuse_no_rows(named: NamedTable) -> None:
    """Refuse a table without rows.

    Raises
    ------
    TableError
        If the table has a header and nothing below it.
    """
    if not len(named.frame):
        raise TableError(no_scored_trials(named.origin.name, "it has a header and no rows"))


def no_scored_trials(table: str, why: str) -> str:
    """Return the message for a table that holds nothing to analyse.

    Examples
    --------
    >>> no_scored_trials("zero.csv", "the file is empty")
    'no scored trials in zero.csv: the file is empty; expected at least one trial with a score; \
check that the sweep ran and that this is the file it wrote'
    """
    return describe(
        f"no scored trials in {table}: {why}",
        "expected at least one trial with a score",
        "check that the sweep ran and that this is the file it wrote",
    )


def _read_outcomes(
    named: NamedTable, design: Design, options: TableOptions, faults: Faults
) -> tuple[Scores, Statuses]:
    column = named.frame["score"]
    parsed, sentinels = _without_sentinels(parse_scores(column))
    output = named.column("output")
    with np.errstate(invalid="ignore"):
        is_right = parsed.values > 0
    failures = find_failures(named, is_right)
    statuses = read_statuses(
        _with_failures(named.column("status"), failures, is_right),
        ~parsed.is_kind(Kind.MISSING),
        has_output=None if output is None else _has_text(output),
        name=named.named("status"),
        faults=faults,
    )
    scores = read_scores(
        _only(parsed, statuses.counts),
        column,
        scale=options.score_scale or named.knowledge.score_scale,
        threshold=options.score_threshold,
        groups=lambda: key_codes(design.frame, ("model", "task"), design.codes),
        name=named.named("score"),
        faults=faults,
    )
    further = sentinels if failures is None else (*sentinels, *failures.notices)
    statuses = replace(statuses, notices=(*further, *statuses.notices))
    return scores, statuses


def _without_sentinels(parsed: Parsed) -> tuple[Parsed, tuple[Notice, ...]]:
    """Take -1 for "not this one" where it is the only score below 0."""
    with np.errstate(invalid="ignore"):
        below = parsed.is_kind(Kind.NUMBER) & (parsed.values < 0)
    if not below.any() or (parsed.values[below] != -1).any():
        return parsed, ()
    said = Notice(
        "sentinel",
        f"{counted(int(below.sum()), 'score')} of -1 taken as missing, as no scale goes below 0",
        UnscoredWarning,
    )
    return _only(parsed, ~below), (said,)


def _with_failures(
    column: pd.Series | None, failures: Failures | None, is_right: NDArray[np.bool_]
) -> pd.Series | None:
    """Let what failed stand where the table has no status, or calls ok what was not right."""
    if failures is None or column is None:
        return column if failures is None else failures.statuses
    words = column.astype("str").str.strip()
    weak = column.isna() | (words == "") | (words.map(normalise_status).eq("ok") & ~is_right)
    replaced = weak & failures.statuses.notna()
    return column.astype(object).where(~replaced, failures.statuses)


def _find_truncated(
    design: Design, sides: dict[str, pd.Series], options: TableOptions
) -> Truncation:
    received = None if options.keep_truncated else sides.get("tokens_received")
    return find_truncated(design.frame, received, design.length_unit)


def _has_text(output: pd.Series) -> NDArray[np.bool_]:
    return (output.notna() & (output != "")).to_numpy(dtype=bool)


def _only(parsed: Parsed, counts: NDArray[np.bool_]) -> Parsed:
    """Make the scores that do not count missing."""
    if counts.all():
        return parsed
    kinds = np.where(counts, parsed.kinds, np.uint8(Kind.MISSING))
    return Parsed(np.where(counts, parsed.values, np.nan), kinds)


def _read_case(named: NamedTable, faults: Faults) -> Texts | None:
    column = named.column("case")
    if column is None:
        return None
    texts = texts_of(column)
    faults.add(
        texts.codes < 0,
        named.named("case"),
        column,
        (
            "expected an id on every row, since other rows have one",
            "fill it in, or map a complete column with --map case=THEIRS",
        ),
    )
    return texts


def _require_scored(origin: Origin, statuses: Statuses, cut: Truncation) -> None:
    if statuses.counts.any():
        return
    by_status = counts_by_status(statuses.values)
    why = f"{counted(statuses.counts.size, 'row')} without a score ({by_status})"
    if not cut.rows.any():
        raise TableError(no_scored_trials(origin.name, why))
    raise TableError(
        describe(
            f"no scored trials in {origin.name}: {why}; {cut.found}",
            "expected prompts that arrived whole",
            "let the server take longer prompts and run again, or pass "
            f"{switch('keep_truncated')} to count the trials all the same",
        )
    )


def _identify(
    named: NamedTable,
    design: Design,
    columns: dict[str, pd.Series],
    case: Texts | None,
    repeats: pd.Series | None,
) -> Identified:
    """Put the canonical table together and make its trials unique."""
    place = design.frame
    if case is None:
        cells = key_codes(place, CELL, design.codes)
        cases, numbers = number_cases(repeats, cells), None
    else:
        cases, numbers = case.values, repeats
    identity = {
        "model": place["model"],
        "task": place["task"],
        "case": cases,
        "repeat": 1 if numbers is None else numbers,
        "length": place["length"],
        "depth": place["depth"],
    }
    frame = pd.DataFrame({**identity, **columns, **named.frame[named.extras]}, copy=False)
    if case is None:
        return Identified(frame, 0, ())
    return resolve_identity(frame, named.origin, {**design.codes, "case": case.codes})
