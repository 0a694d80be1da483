"""Runners that write Kamradt's v1 layout with shares of the needle's words instead of marks.

FranxYao/Long-Context-Data-Engineering ``eval/needle`` (commit 2b38d52) writes as ``score`` the
ROUGE-1 F of needle and response times 10, nightdessert/Retrieval_Head (3ac171a) the ROUGE-1 recall
times 100: in both a number with decimals, where Kamradt's judge gives whole marks from 1 to 10. A
score above 10 can only be the second. Where no file has one, the two cannot be told apart, and the
scale has to be declared. A right answer in other words scores low, with F often below 7 of 10; both
runners draw their scores as they are, and neither says which of them count as right.

All other fields are those of ``kamradt_v1``: length asked for in tokens, nominal depth in percent,
needle as case, ``version`` and ``_results_2`` files as repeats. Written from the runners' code and
tried on files made for the tests: the only published ones are empty.

Words shared by chance have no known rate: the guess rate is 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from lcstats.errors import Notice, OptionError, describe
from lcstats.readers.formats import Format
from lcstats.readers.kamradt import HIGHEST_MARK, is_judges_mark, is_v1_layout, load_v1_layout
from lcstats.readers.nested import nested_values
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import Sample
from lcstats.trials import RawTable


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    is_layout = is_v1_layout(sample.record, sample.source.stem)
    return is_layout and not is_judges_mark(sample.record["score"])


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    return [_with_scale(table, request) for table in load_v1_layout(samples, request)]


def _with_scale(table: RawTable, request: ReadRequest) -> RawTable:
    """Add the scale, where a score above 10 tells it; ask where none does."""
    marks = pd.Series(nested_values(table.frame, "score"), dtype=object)
    scores = pd.to_numeric(marks, errors="coerce").dropna()
    if not scores.empty and scores.max() > HIGHEST_MARK:
        message = f"scores run from {scores.min():g} to {scores.max():g}: shares of 100"
        notice = Notice("score-scale", f"{message}, as Retrieval_Head writes ROUGE-1 recall")
        knowledge = replace(table.knowledge, score_scale="0-100")
        return replace(table, knowledge=knowledge, notices=(*table.notices, notice))
    if request.table.score_threshold is None and request.table.score_scale is None:
        raise OptionError(
            describe(
                f"{table.origin.name}: scores have decimals and none is above {HIGHEST_MARK}: "
                "shares of words, of 10 (FranxYao's runner) or of 100 (Retrieval_Head), and the "
                "files do not say which",
                "expected a score threshold or a score scale",
                "pass score_threshold=5 (--score-threshold 5), say, in the scale of the files, or "
                "score_scale='0-100' (--score-scale 0-100) if they are percentages",
            )
        )
    return table


KAMRADT_ROUGE = Format(
    name="kamradt_rouge",
    title="Kamradt's v1 layout with ROUGE scores: FranxYao's runner (0 to 10) and Retrieval_Head "
    "(0 to 100)",
    carries="language model, length asked for, depth, share of the needle's words in the response, "
    "needle as case, version and _results_2 files as repeats, output, duration",
    lacks="which score counts as right, whether the scale is 0 to 10 or 0 to 100 where no score is "
    "above 10, tokens received, real needle position, failed requests",
    checked="the runners' code; their published files are empty",
    shapes=("json", "jsonl"),
    sniff=_sniff,
    load=_load,
)
