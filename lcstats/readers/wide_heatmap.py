"""Wide tables of means: a row per depth, a column per length, a mean score in each cell.

Heat maps are kept so, as ``original_results/gpt4.csv`` of A-Roucher's fork of Kamradt's runner
(commit 465b697): the first header is empty, the others are lengths, the first column is the depth
in percent. YaRN's ``eval/passkey.py`` (995db5b) writes the same with a row per language model. No
cell says how many cases its mean is of, and without that there is neither an interval nor a test:
the table is read as means, which can be drawn and no more, unless the call says it
(``cases_per_cell``). Then each mean has to be a whole number of right cases over that number, up to
the rounding of its digits; means of marks, 1 to 10, are not, and say nothing about how many were
right. Its numbers are not always those of the trials either: in ``gpt4.csv`` 7 of 225 cells are
0.0, off the scale of 1 to 10, where the marks were 1 and 3. Written from the description of these
files.
"""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from math import isfinite

from lcstats.cells import Cells, Means
from lcstats.errors import FormatError, Notice, TableError, describe
from lcstats.readers.counts import build_counts
from lcstats.readers.decimals import with_point
from lcstats.readers.formats import Format
from lcstats.readers.json_records import frame_of
from lcstats.readers.means import build_means
from lcstats.readers.printed_means import (
    FLOAT_NOISE,
    half_of_last_digit,
    right_cases,
    top_of_scale,
)
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import Sample
from lcstats.trials import Knowledge, Origin, Part, RawTable, Reading, TableOptions
from lcstats.trials.depth_column import parse_percentage
from lcstats.trials.length_column import parse_suffixed
from lcstats.trials.values import MISSING_WORDS, parse_number, plain_number
from lcstats.trials.wording import DECIMAL_COMMA, WITH_DECIMAL_COMMA, counted, listed

_FEWEST_LENGTHS = 2
_N_SHOWN = 5
_MOST_DECIMALS = 30


@dataclass(frozen=True, slots=True)
class _Mean:
    """A cell as it is printed, and where it is."""

    line: int
    row: str
    length: str
    printed: str

    @property
    def value(self) -> Decimal:
        return Decimal(self.printed)

    @property
    def n_decimals(self) -> int:
        return min(max(0, -int(self.value.as_tuple().exponent)), _MOST_DECIMALS)


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    first, *others = sample.columns
    are_lengths = len(others) >= _FEWEST_LENGTHS and all(map(_is_length, others))
    return are_lengths and not _is_length(first) and not _counts_up(sample.columns)


def _counts_up(columns: Sequence[str]) -> bool:
    """Tell whether a header is the numbers that pandas gives columns without names."""
    return list(columns) == [str(number) for number in range(len(columns))]


def _is_length(header: str) -> bool:
    length = parse_number(header) or parse_suffixed(header, 1024)
    return length is not None and length >= 1


def _is_depth(word: str) -> bool:
    return parse_number(word) is not None or parse_percentage(word) is not None


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    return [_load_one(sample, request) for sample in samples]


def _load_one(sample: Sample, request: ReadRequest) -> RawTable:
    lines = _Lines(sample, skips_long=request.skip_bad_lines)
    means = list(_means_of(lines, request.decimal))
    n_cases = request.cases_per_cell
    if n_cases is None:
        values: list[dict[str, object]] = [{"mean": mean.printed} for mean in means]
        known = {"score": "mean"}
    else:
        right = _right_of(sample, means, n_cases, request)
        values = [{"cases_per_cell": n_cases, "mean": n_right} for n_right in right]
        known = {"n_cases": "cases_per_cell", "successes": "mean"}
    are_depths = all(_is_depth(mean.row) for mean in means)
    row_name = (sample.columns[0] if are_depths else "") or ("depth" if are_depths else "model")
    rows = [
        {row_name: mean.row, "header": mean.length, **value}
        for mean, value in zip(means, values, strict=True)
    ]
    known |= {"depth" if are_depths else "model": row_name, "length": "header"}
    part = Part(sample.name, len(rows), "line", lambda row: means[row].line)
    known_columns = Knowledge(known, aliases=False)
    return RawTable(frame_of(rows), Origin((part,)), known_columns, tuple(lines.notices()))


def _right_of(
    sample: Sample, means: Sequence[_Mean], n_cases: int, request: ReadRequest
) -> list[int]:
    """Return of how many right cases each mean is, or refuse means that are of none."""
    highest = max((mean.value for mean in means), default=Decimal(0))
    top = top_of_scale(sample.name, highest, request.table.score_scale)
    half = _half_of_last_digit(means, top)
    faults = [text for mean in means if (text := _fault_of(sample, mean, n_cases, top, half))]
    if faults:
        n_more = len(faults) - _N_SHOWN
        more = [f"and {n_more} more cells"] * (n_more > 0)
        raise TableError("\n".join(faults[:_N_SHOWN] + more))
    return [_n_right(mean, n_cases, top) for mean in means]


class _Lines:
    """The lines of a table below its header; those of another width are refused, or counted."""

    def __init__(self, sample: Sample, *, skips_long: bool) -> None:
        self.sample = sample
        reader = csv.reader(io.StringIO(sample.text(), newline=""), delimiter=sample.separator)
        self.header = next(reader)
        self.rows: list[tuple[int, list[str]]] = []
        self.short: list[int] = []
        self.long: list[int] = []
        for row in reader:
            self._sort_in(reader.line_num, row)
        if self.long and not skips_long:
            raise self._too_long()

    def _sort_in(self, number: int, row: list[str]) -> None:
        if not any(map(str.strip, row)):
            return
        if any(map(str.strip, row[len(self.header) :])):
            self.long.append(number)
            return
        if len(row) < len(self.header):
            self.short.append(number)
        self.rows.append((number, row))

    def _too_long(self) -> FormatError:
        return FormatError(
            describe(
                f"{self.sample.name} line {listed(self.long)}: more cells than the header",
                f"expected {len(self.header)}, as in the header",
                "name every length in the header, or pass skip_bad_lines=True (--skip-bad-lines) "
                "to leave such lines out and count them",
            )
        )

    def notices(self) -> Iterator[Notice]:
        """Say which lines were left out, and which lack cells."""
        name = self.sample.name
        if self.long:
            left_out = counted(len(self.long), "bad line")
            yield Notice("bad-lines", f"{name}: {left_out} left out (line {listed(self.long)})")
        if self.short:
            yield Notice(
                "short-lines",
                f"{name}: line {listed(self.short)} has fewer cells than the header; its last "
                "lengths were taken as not run",
            )


def _means_of(lines: _Lines, decimal: str) -> Iterator[_Mean]:
    """Yield the cells that are not empty."""
    for number, row in lines.rows:
        for length, cell in zip(lines.header[1:], row[1:], strict=False):
            text = cell.strip().removesuffix("%")
            text = with_point(text) if decimal == "," else text
            if text.casefold() in MISSING_WORDS:
                continue
            printed = plain_number(text)
            if printed is None or not isfinite(float(printed)):
                raise _no_mean(lines.sample, number, length, cell, decimal)
            first, length = (
                with_point(word) if decimal == "," and word[:1].isdigit() else word
                for word in (row[0].strip(), length.strip())
            )
            yield _Mean(number, first, length, printed)


def _half_of_last_digit(means: Sequence[_Mean], top: int) -> Decimal:
    """Return how far rounding can have moved a mean: a table is written with so many decimals.

    Ones and zeros alone are whole counts: nobody rounds fractions to them.
    """
    n_decimals = max((mean.n_decimals for mean in means), default=0)
    if not n_decimals and top == 1:
        return FLOAT_NOISE
    return half_of_last_digit(n_decimals)


def _n_right(mean: _Mean, n_cases: int, top: int) -> int:
    return round(mean.value * n_cases / top)


def _fault_of(sample: Sample, mean: _Mean, n_cases: int, top: int, half: Decimal) -> str | None:
    """Say why a mean is not of so many cases; None if it can be."""
    exact = mean.value * n_cases / top
    reach = half * n_cases / top
    n_right = _n_right(mean, n_cases, top)
    place = f"{sample.name} line {mean.line}, column {mean.length}: {mean.printed}"
    candidates = right_cases(exact, reach)
    if not 0 <= n_right <= n_cases or not candidates:
        return describe(
            f"{place} of {counted(n_cases, 'case')} is {float(exact):.10g} right",
            "expected a whole number of right cases in every cell, up to rounding",
            f"check cases_per_cell={n_cases} (--cases-per-cell {n_cases}) and the scale of scores",
        )
    fewest, most = max(candidates[0], 0), min(candidates[-1], n_cases)
    if fewest < most:
        return describe(
            f"{place} has too few digits to tell how many of {n_cases} cases were right",
            f"expected one whole number of right cases that rounds to it, not {fewest} to {most}",
            "write the means with more digits",
        )
    return None


def _no_mean(sample: Sample, line: int, length: str, cell: str, decimal: str) -> TableError:
    return TableError(
        describe(
            f"{sample.name} line {line}, column {length} is {cell!r}",
            "expected a mean score",
            "leave the cell empty if it was not run; "
            + (DECIMAL_COMMA if decimal == "." else WITH_DECIMAL_COMMA[DECIMAL_COMMA]),
        )
    )


def _build(tables: Sequence[RawTable], options: TableOptions, reading: Reading) -> Cells | Means:
    if "n_cases" not in tables[0].knowledge.columns:
        return build_means(tables, options, reading)
    return build_counts(tables, replace(options, score_scale=None), reading)


WIDE_HEATMAP = Format(
    name="wide_heatmap",
    title="wide heat-map CSV, mean scores by depth (rows) and length (columns)",
    carries="lengths, depths or language models, and mean scores, to be drawn; counts if the call "
    "says of how many cases each mean is (--cases-per-cell)",
    lacks="how many cases a mean is of; single trials",
    checked="files made after the description of published ones",
    shapes=("csv",),
    sniff=_sniff,
    load=_load,
    build=_build,
)
