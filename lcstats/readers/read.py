"""`read_trials`: from paths to trials or cells."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import pandas as pd

from lcstats.cells import Cells, Results
from lcstats.errors import FormatError, Notice, OptionError, TableError, announce, describe
from lcstats.options import Axis, DepthUnit, LengthUnit, ScoreScale, check_type
from lcstats.readers.formats import Format
from lcstats.readers.huge_numbers import of_huge_number
from lcstats.readers.registry import find_format, get_format
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import TABLE_SHAPES, Sample, look_at
from lcstats.readers.sources import PathLike, find_sources
from lcstats.readers.wide_heatmap import WIDE_HEATMAP
from lcstats.trials import Reading, TableOptions
from lcstats.trials.assemble import no_scored_trials
from lcstats.trials.wording import counted, flag

_NAME = re.compile(r"[^\W\d][\w %()./-]{0,39}|")

_HEAD, _WIDE_SHARE = 1 << 14, 0.1
"""Bytes to look at, and the share of them that is NUL in text of two bytes a character."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Files of one format, and what was set aside beside them."""

    format: Format
    samples: tuple[Sample, ...]
    notices: tuple[Notice, ...]


def read_trials(
    paths: PathLike | Iterable[PathLike],
    *,
    format: str = "auto",
    model_name: str | None = None,
    columns: Mapping[str, str] = MappingProxyType({}),
    depth_unit: DepthUnit | None = None,
    score_scale: ScoreScale | None = None,
    score_threshold: float | None = None,
    length_unit: LengthUnit | None = None,
    axis: Axis = "asked",
    filter_name: str | None = None,
    keep_truncated: bool = False,
    encoding: str | None = None,
    decimal: str = ".",
    skip_bad_lines: bool = False,
    cases_per_cell: int | None = None,
) -> Results:
    """Read the results of a sweep.

    Parameters
    ----------
    paths : str, path, or iterable of them
        A file, a folder (with its subfolders), a glob, or ``-`` for standard input; gz, zst and
        zip are opened. All files must be of one format.
    format : str
        ``"auto"`` finds the format by content; otherwise one of :func:`list_formats`.
    model_name : str, optional
        Name of the language model, where the files have none or a wrong one.
    columns : mapping of str to str
        Canonical column name to the files' own; wins over aliases.
    depth_unit : {"fraction", "percent", "hundredths", "tokens", "index0", "index1"}, optional
        Unit of the depths; inferred only where a column leaves no doubt.
    score_scale : {"0-1", "0-100", "1-10", "0-10"}, optional
        Scale of the scores; inferred only where a column leaves no doubt.
    score_threshold : float, optional
        In the files' own scale: a score at or above it is right (1), another wrong (0).
        Without it, graded scores stay graded.
    length_unit : str, optional
        Unit of the lengths: tokens, k1000, k1024, characters, words, documents, pairs or lines.
        Without it, what the files say, and tokens where they do not.
    axis : {"asked", "received"}
        ``"received"`` lets files without asked-for lengths use the tokens received.
    filter_name : str, optional
        Keep the rows whose ``filter`` column says this.
    keep_truncated : bool
        Count trials that received well below the tokens asked for, too; they are left out as
        truncated without it.
    encoding : str, optional
        Encoding of the files; UTF-8, or what a byte order mark says, without it.
    decimal : {".", ","}
        Sign before the decimals; with a comma, ``.`` groups thousands.
    skip_bad_lines : bool
        Leave out lines that cannot be read, and count them.
    cases_per_cell : int, optional
        How many cases each mean is of, for tables of means by depth and length alone.

    Returns
    -------
    Trials, Cells or Means
        Cells where the files only have counts, means where they do not even have those.
        ``reading`` says which format and columns were found, ``notices`` what else a reader has
        to know.

    Raises
    ------
    FormatError
        If files are missing, of an unknown or of several formats, or cannot be decoded.
    TableError
        If values cannot be used; all faults are listed. If nothing is scored.
    OptionError
        If `paths` are none, an option has a word it does not know, or contradicts the files.
    MissingExtraError
        If a file needs an optional dependency.

    Warns
    -----
    LcstatsWarning
        Every notice, once.
    """
    request = ReadRequest(
        table=TableOptions(
            columns=columns,
            model_name=model_name,
            depth_unit=depth_unit,
            score_scale=score_scale,
            score_threshold=score_threshold,
            length_unit=length_unit,
            axis=axis,
            filter_name=filter_name,
            keep_truncated=keep_truncated,
        ),
        encoding=encoding,
        decimal=decimal,
        skip_bad_lines=skip_bad_lines,
        cases_per_cell=cases_per_cell,
    )
    result = read_request(_listed(paths), request, format)
    announce(result.notices)
    return result


def read_request(
    paths: PathLike | Iterable[PathLike], request: ReadRequest, format: str = "auto"
) -> Results:
    """Read the results of a sweep as a request says; announces nothing.

    Parameters and errors are those of :func:`read_trials`.
    """
    chosen = None if format == "auto" else get_format(format)
    samples = [look_at(source, request) for source in find_sources(paths)]
    found = _sort_out(samples, request, chosen)
    _refuse_cases_per_cell(found, request)
    try:
        result = _read_found(found, request)
    except (OverflowError, RecursionError) as error:
        raise of_huge_number(found.samples, request) from error
    return replace(result, notices=(*result.notices, *_unnamed_notices(result, request)))


def _refuse_cases_per_cell(found: Found, request: ReadRequest) -> None:
    """Refuse a number of cases for files that say it themselves."""
    format = found.format
    takes_it = format is WIDE_HEATMAP or format.is_generic or format.is_refused
    if request.cases_per_cell is None or takes_it:
        return
    raise OptionError(
        describe(
            f"cases_per_cell is {request.cases_per_cell}, and {found.samples[0].name} is of the "
            f"format {format.name}, which says how many cases there are",
            "expected a table of means, with one for each length and depth",
            "leave out --cases-per-cell",
        )
    )


def _read_found(found: Found, request: ReadRequest) -> Results:
    first, *others = found.format.load(found.samples, request)
    tables = [replace(first, notices=(*found.notices, *first.notices)), *others]
    files = tuple(sample.source.given for sample in found.samples)
    return found.format.build(tables, request.table, Reading(found.format.name, files))


def _listed(paths: PathLike | Iterable[PathLike]) -> list[PathLike]:
    """Return paths as a list.

    Raises
    ------
    OptionError
        If it is something else, such as a table; the message says where that goes.
    """
    is_one = isinstance(paths, str | bytes | os.PathLike | pd.DataFrame | pd.Series)
    listed: list[Any] = list(paths) if isinstance(paths, Iterable) and not is_one else [paths]
    for path in listed:
        check_type(path, (str, os.PathLike), "paths")
    return listed


def _unnamed_notices(result: Results, request: ReadRequest) -> tuple[Notice, ...]:
    """Say that nothing names the language model; where several files were joined, that is said."""
    mapping = result.reading.mapping if result.reading else {}
    if "model" in mapping or request.table.model_name is not None:
        return ()
    if isinstance(result, Cells):
        models = {grid.model for grid in result.grids}
    else:
        models = set(result.models)
    known = {notice.code for notice in result.notices}
    if models != {"model"} or "model-unnamed" in known:
        return ()
    return (
        Notice(
            "model-unnamed",
            "no column names the language model, so it is called 'model'; "
            "pass model_name='NAME' (--model-name NAME) to name it",
        ),
    )


def _sort_out(samples: Sequence[Sample], request: ReadRequest, chosen: Format | None) -> Found:
    """Keep the files of one format; empty and unknown files are set aside and counted."""
    filled = [sample for sample in samples if sample.shape != "empty"]
    if not filled:
        content = samples[0].source.data.strip()[:2].decode("ascii", errors="ignore")
        why = f"it holds nothing but {content}" if content in ("{}", "[]") else "the file is empty"
        why = why if len(samples) == 1 else f"all {len(samples)} files are empty"
        raise TableError(no_scored_trials(samples[0].name, why))
    format = chosen or _find_common(filled, request)
    kept, aside = _split(filled, [format.claims(s, request.table.columns) for s in filled])
    if not kept:
        kept, aside = _split(filled, [sample.shape in format.shapes for sample in filled])
    if not kept:
        raise _of_another_format(filled[0], format)
    notices = (
        *_aside_notices("empty-files", "empty", [s for s in samples if s.shape == "empty"]),
        *_aside_notices("other-files", f"not of the format {format.name}", aside),
    )
    return Found(format, tuple(kept), notices)


def _split(samples: Sequence[Sample], marks: Sequence[bool]) -> tuple[list[Sample], list[Sample]]:
    pairs = list(zip(samples, marks, strict=True))
    return [sample for sample, mark in pairs if mark], [
        sample for sample, mark in pairs if not mark
    ]


def _find_common(samples: Sequence[Sample], request: ReadRequest) -> Format:
    """Return the one format that files are of."""
    found: dict[str, list[Sample]] = {}
    for sample in samples:
        format = find_format(sample, request.table.columns)
        if format is not None:
            found.setdefault(format.name, []).append(sample)
    if len(found) > 1:
        raise _of_several_formats(found)
    if found:
        return get_format(next(iter(found)))
    shapes = {sample.shape for sample in samples}
    if len(shapes) == 1 and (shape := shapes.pop()) in TABLE_SHAPES and _has_names(samples[0]):
        return get_format(shape)
    raise _of_no_format(samples, request)


def _has_names(sample: Sample) -> bool:
    """Tell whether a header reads like names of columns, and not like prose."""
    return all(map(_NAME.fullmatch, sample.columns))


def _of_several_formats(found: Mapping[str, Sequence[Sample]]) -> FormatError:
    listed = ", ".join(
        f"{name} ({len(samples)}, such as {samples[0].name})" for name, samples in found.items()
    )
    first = max(found, key=lambda name: (not get_format(name).is_refused, len(found[name])))
    return FormatError(
        describe(
            f"the files are of several formats: {listed}",
            "expected one format",
            f"name fewer files, or choose with format={first!r} (--format {first})",
        )
    )


def _of_no_format(samples: Sequence[Sample], request: ReadRequest) -> FormatError:
    first, head = samples[0].name, samples[0].source.data[:_HEAD]
    n_nul = head.count(b"\0")
    found = (
        f"{first} is in no known format"
        if len(samples) == 1
        else f"none of {len(samples)} files is in a known format, such as {first}"
    )
    mend = "name the results files themselves"
    if n_nul > _WIDE_SHARE * len(head):
        mend += (
            "; for UTF-16 without a byte order mark pass encoding='utf-16-le' "
            "(--encoding utf-16-le)"
        )
    elif n_nul:
        found += f" and holds a NUL byte (0x00 at offset {head.index(0)})"
        mend = "if it is a table, remove its NUL bytes: something damaged it"
    elif samples[0].shape == "unknown" and len(head.splitlines()) > 1:
        mend += "; if it is a table, separate its columns by commas, semicolons or tabs"
    if request.encoding is not None:
        mend += f"; or leave out {flag('encoding', request.encoding)}, if that is not theirs"
    return FormatError(
        describe(
            found,
            "expected CSV, JSON, JSONL or Parquet with a length and a score of every trial, "
            "or one of `lcstats formats`",
            mend,
        )
    )


def _of_another_format(sample: Sample, format: Format) -> FormatError:
    return FormatError(
        describe(
            f"{sample.name} is of shape {sample.shape}",
            f"expected {' or '.join(format.shapes)} for the format {format.name}",
            "leave out --format to have it found",
        )
    )


def _aside_notices(code: str, what: str, aside: Sequence[Sample]) -> tuple[Notice, ...]:
    if not aside:
        return ()
    names = ", ".join(sample.name for sample in aside[:3]) + (", ..." if len(aside) > 3 else "")
    return (Notice(code, f"{counted(len(aside), 'file')} {what}, left out: {names}"),)
