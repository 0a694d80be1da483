"""Tables of anybody's making, one format per shape, and the library's own table."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from lcstats.readers.aggregates import DECLARED, build_table
from lcstats.readers.formats import Format
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import TABLE_SHAPES, Sample, Shape
from lcstats.readers.tables import load_tables
from lcstats.trials import Knowledge, RawTable
from lcstats.trials.columns import is_count_header, is_trial_header

CANONICAL_HEADER = ("model", "task", "case", "repeat", "length", "depth", "score", "status")
"""How a table of trials that lcstats wrote begins; without ``case`` if it has no ids."""

_WITHOUT_IDS = tuple(name for name in CANONICAL_HEADER if name != "case")
_CARRIES = (
    "length, depth, score; language model, task, case id, repeat, status, needles found, "
    "tokens received, cluster and output where columns have them"
)
_LACKS = "what no column says; units and scales are asked for where they are in doubt"
_OWN_KNOWLEDGE = Knowledge(
    aliases=False, depth_unit="fraction", score_scale="0-1", has_zero_lengths=True
)


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    return is_trial_header(sample.columns, columns) and not is_count_header(sample.columns, columns)


def _sniff_own(sample: Sample, columns: Mapping[str, str]) -> bool:
    return sample.columns[:8] == CANONICAL_HEADER or sample.columns[:7] == _WITHOUT_IDS


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    """Load tables; what the call says of means becomes a column of theirs."""
    tables = load_tables(samples, request)
    if request.cases_per_cell is None:
        return tables
    knowledge = Knowledge({"n_cases": DECLARED})
    return [
        replace(
            table,
            frame=table.frame.assign(**{DECLARED: request.cases_per_cell}),
            knowledge=knowledge,
        )
        for table in tables
    ]


def _load_own(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    return [replace(table, knowledge=_OWN_KNOWLEDGE) for table in load_tables(samples, request)]


def _generic(name: Shape, title: str) -> Format:
    return Format(
        name=name,
        title=title,
        carries=_CARRIES,
        lacks=_LACKS,
        checked="files made for the tests",
        shapes=(name,),
        sniff=_sniff,
        load=_load,
        build=build_table,
        is_generic=True,
    )


LCSTATS = Format(
    name="lcstats",
    title="the table of trials that lcstats itself writes (CSV, JSONL or Parquet)",
    carries="every canonical column, depths as fractions, scores from 0 to 1",
    lacks="nothing",
    checked="files written by lcstats",
    shapes=TABLE_SHAPES,
    sniff=_sniff_own,
    load=_load_own,
)

CSV = _generic("csv", "one trial per line, separated by comma, semicolon or tab, with a header")
JSONL = _generic("jsonl", "one JSON object per line and trial")
JSON = _generic("json", "a JSON list of one object per trial, or one object per file")
PARQUET = _generic("parquet", "one trial per row of a Parquet file (extra 'parquet')")
