"""Mean scores by position, as ViktorTorp/lost-in-the-middle (commit a7a9725) keeps them: refused.

``original_position_scores.csv`` and its sisters hold ``position``, the index of the gold document
from 0, and ``metric``, the mean score there; some with a fold, or with the ends of an interval.
They say neither how many documents there were, which is the length and gives the depth, nor how
many questions, without which there is no interval. Both are told apart from the file, so it can be
made a table of counts, and the message says how. Checked on the published files.
"""

from collections.abc import Mapping, Sequence
from typing import NoReturn

from lcstats.errors import FormatError, describe
from lcstats.readers.formats import Format
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import Sample

_NEEDED = {"position", "metric"}
_POSSIBLE = _NEEDED | {"fold", "lower_bound", "upper_bound"}


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    return not columns and _NEEDED <= set(sample.columns) <= _POSSIBLE


def _load(samples: Sequence[Sample], request: ReadRequest) -> NoReturn:
    raise FormatError(
        describe(
            f"{samples[0].name} holds the mean score at each position, and neither the number of "
            "documents nor that of questions",
            "expected the predictions (JSONL), or counts",
            "make a table of counts with the columns length (documents), depth (position over "
            "documents - 1), n (questions) and k (metric times n)",
        )
    )


LITM_SCORES = Format(
    name="litm_scores",
    title="Lost in the Middle, mean scores by position (refused, with what to do)",
    carries="mean score by position",
    lacks="number of documents and of questions: read the predictions, or make a table of counts",
    checked="the published files of ViktorTorp's fork",
    shapes=("csv",),
    sniff=_sniff,
    load=_load,
    is_refused=True,
)
