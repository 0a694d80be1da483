"""NeedleBench results of open-compass/opencompass (commit a5acc4b), one JSON file per cell.

``results/MODEL/Length8000Depth50_origin_en_128k.json`` is ``{"score": mean, "details": [...]}``
with one item per trial. Nothing in the file says the language model (its folder does), the length
asked for in tokens and the nominal depth in percent (its name does; what follows is the task).
``score`` is from 0 to 100. In the tasks ``origin`` it is 100 where the keyword is in the answer;
otherwise 0, or in the first version a fifth of the likeness to the needle, so up to 20 for a wrong
answer. It is kept as it is, as the suite averages it; ``score_threshold=100`` counts the keyword
alone. The case and the cluster are the number of the item, which seeds needle and haystack alike
at every length and depth. Nobody guesses such answers.

The haystack is shorter than the length by a buffer that is not stored: in English it is 3000 tokens
in the second version, which leaves none at all at lengths up to that. Parallel files hold only the
percentage of each depth, and not of how many trials it is: they are left out.

Written from the evaluators' code, and checked on files made after it.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath

import pandas as pd

from lcstats.errors import FormatError, Notice, describe
from lcstats.readers.fields import require_fields
from lcstats.readers.folders import folder_notices
from lcstats.readers.formats import Format
from lcstats.readers.json_records import frame_of, load_json
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import Sample
from lcstats.trials import Knowledge, Origin, Part, RawTable
from lcstats.trials.wording import counted

_FIELDS = {"pred", "answer", "score"}
_DEPTH = re.compile(r"Depth\d+")
_NAME = re.compile(r"Length(?P<length>\d+)Depth(?P<depth>\d+)_(?P<task>.+)")
_RESULTS = "results"
_COLUMNS = {
    "model": "folder name",
    "task": "dataset",
    "case": "item",
    "length": "Length",
    "depth": "Depth",
    "score": "score",
    "cluster": "item",
    "output": "pred",
}


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    details = sample.record.get("details")
    if not isinstance(details, list):
        return False
    if not details:
        return _is_parallel(sample)
    return (
        "score" in sample.record and isinstance(details[0], dict) and details[0].keys() >= _FIELDS
    )


def _is_parallel(sample: Sample) -> bool:
    return "average_score" in sample.record and any(map(_DEPTH.fullmatch, sample.record))


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    parallel = [sample for sample in samples if _is_parallel(sample)]
    single = [sample for sample in samples if not _is_parallel(sample)]
    if not single:
        raise FormatError(
            describe(
                f"{parallel[0].name} holds a percentage for each depth, and not of how many trials",
                "expected the files of single needles, which list every trial",
                "read those, or make a table of counts with the columns length, depth, n, k",
            )
        )
    frames = [_load_one(sample, request) for sample in single]
    frame = pd.concat(frames, ignore_index=True)
    parts = (
        Part(sample.name, len(rows), "item") for sample, rows in zip(single, frames, strict=True)
    )
    notices = (*_aside_notices(parallel), *_partial_notices(frame), *_model_notices(single))
    knowledge = Knowledge(_COLUMNS, aliases=False, depth_unit="percent", score_scale="0-100")
    return [RawTable(frame, Origin(tuple(parts)), knowledge, notices)]


def _load_one(sample: Sample, request: ReadRequest) -> pd.DataFrame:
    match = _NAME.fullmatch(sample.source.stem)
    if match is None:
        raise FormatError(
            describe(
                f"{sample.name} does not say its length and depth in its name",
                "expected a name such as Length8000Depth50_origin_en_128k.json",
                "give it back the name that OpenCompass gave it",
            )
        )
    table = load_json([sample], request)
    require_fields(table, {"details"}, "opencompass", list)
    listed_items = [item for items in table.frame["details"] for item in items]
    details = [item if isinstance(item, dict) else {} for item in listed_items]
    listed = RawTable(frame_of(details), Origin((Part(sample.name, len(details), "item"),)))
    require_fields(listed, _FIELDS, "opencompass")
    return listed.frame.assign(
        item=[str(number) for number in range(1, len(details) + 1)],
        Length=int(match["length"]),
        Depth=int(match["depth"]),
        dataset=match["task"],
        **{"folder name": sample.source.folder},
    )


def _aside_notices(parallel: Sequence[Sample]) -> tuple[Notice, ...]:
    if not parallel:
        return ()
    message = "of several needles, which hold no trials, left out: "
    names = ", ".join(sample.name for sample in parallel[:3]) + ", ..." * (len(parallel) > 3)
    return (Notice("other-files", f"{counted(len(parallel), 'file')} {message}{names}"),)


def _partial_notices(frame: pd.DataFrame) -> tuple[Notice, ...]:
    """Say that wrong answers have a score for their likeness, where some have."""
    scores = pd.to_numeric(frame["score"], errors="coerce")
    is_origin = frame["dataset"].str.startswith("origin")
    n_partial = int((is_origin & (scores > 0) & (scores < 100)).sum())
    if not n_partial:
        return ()
    return (
        Notice(
            "partial-scores",
            f"{counted(n_partial, 'answer')} without the keyword scored above 0 of 100 for "
            "likeness to the needle; pass score_threshold=100 (--score-threshold 100) to count "
            "only those with the keyword",
        ),
    )


def _model_notices(samples: Sequence[Sample]) -> tuple[Notice, ...]:
    """Say where the language model's name is from, unless OpenCompass made that folder."""
    given = [PurePath(sample.source.given) for sample in samples]
    names = {path.parent.name for path in given if path.parent.parent.name != _RESULTS}
    return folder_notices(names)


OPENCOMPASS = Format(
    name="opencompass",
    title="OpenCompass NeedleBench, one JSON file per length and depth",
    carries="language model (its folder's name), task, length asked for and depth (the file's "
    "name), score from 0 to 100, item as case and cluster, output",
    lacks="the buffer by which haystacks are shorter, tokens received, failed requests; trials of "
    "parallel needles",
    checked="files made after the code of the evaluators",
    shapes=("json", "jsonl"),
    sniff=_sniff,
    load=_load,
)
