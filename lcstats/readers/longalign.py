"""Needle results of THUDM/LongAlign's ``Needle_test/eval.py`` (commit 450ecc8): one keyed object.

The key of a trial is ``{tokenizer}_len_{length}_depth_{depth}``: the length asked for in tokens
(about 200 of them are kept free) and the nominal depth in hundredths of a percent, cut to a whole
number. ``score`` is a judge's mark from 1 to 10; it is null, and the trial unscored, where none was
found in the judge's answer. Which mark counts as right is not said. ``prediction`` is the output.

The file is named after the judge, not after the language model under test, which is nowhere in it.
A case is the needle of a cell; the needle itself, tokens received, where it really went and failed
requests are not recovered. Written from the runner's code and tried on files made for the tests.

Nobody guesses the sentence asked for: the guess rate is 0.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from lcstats.errors import FormatError, Notice, describe
from lcstats.readers.formats import Format
from lcstats.readers.json_records import frame_of
from lcstats.readers.kamradt import ONLY_NEEDLE, require_meaning_of_marks
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import Sample
from lcstats.trials import Knowledge, Origin, Part, RawTable
from lcstats.trials.wording import counted, shown

_KEY = re.compile(r"_len_(\d{1,15})_depth_(\d{1,15})$")
_COLUMNS = {
    "case": "needle",
    "length": "length in key",
    "depth": "depth in key",
    "score": "score",
    "output": "prediction",
}


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    record = sample.record
    return sample.is_single and len(_trials_of(record)) == len(record) > 0


def _trials_of(document: object) -> list[dict[str, Any]]:
    """Return the trials of a keyed object; entries of another kind are passed over."""
    if not isinstance(document, dict):
        return []
    matched = [(_KEY.search(key), entry) for key, entry in document.items()]
    return [
        {
            "needle": ONLY_NEEDLE,
            "length in key": int(match[1]),
            "depth in key": int(match[2]) / 10_000,
            "score": entry["score"],
            "prediction": entry.get("prediction"),
        }
        for match, entry in matched
        if match is not None and isinstance(entry, dict) and "score" in entry
    ]


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    require_meaning_of_marks("longalign", request)
    return [_load_one(sample, request) for sample in samples]


def _load_one(sample: Sample, request: ReadRequest) -> RawTable:
    document = sample.documents[0] if sample.documents else {}
    records = _trials_of(document)
    others = (
        []
        if not isinstance(document, dict)
        else [
            f"{key!r} is {shown(entry)}"
            for key, entry in document.items()
            if not _trials_of({key: entry})
        ]
    )
    if others and not request.skip_bad_lines:
        raise FormatError(
            describe(
                f"{sample.name}: {counted(len(others), 'entry', 'entries')} of another kind, such "
                f"as {others[0]}",
                "expected a score under every key such as model_len_1000_depth_5000",
                'remove it, write {"score": null} for a trial that failed, or pass '
                "skip_bad_lines=True (--skip-bad-lines) to leave such entries out and count them",
            )
        )
    left_out = counted(len(others), "entry", "entries")
    notices = [Notice("bad-lines", f"{sample.name}: {left_out} of another kind left out")]
    part = Part(sample.name, len(records), "entry")
    frame = frame_of(records).reindex(columns=list(_COLUMNS.values()))
    knowledge = Knowledge(_COLUMNS, aliases=False, depth_unit="fraction")
    return RawTable(frame, Origin((part,)), knowledge, tuple(notices[: len(others)]))


LONGALIGN = Format(
    name="longalign",
    title="LongAlign's needle results, one JSON object keyed by length and depth",
    carries="length asked for and depth (in the keys), judge's mark from 1 to 10, trials without a "
    "mark as unscored, output",
    lacks="language model (the file is named after the judge), which mark counts as right, needle, "
    "decimals of depths below a hundredth of a percent, tokens received, failed requests",
    checked="the runner's code; it publishes no results",
    shapes=("json", "jsonl"),
    sniff=_sniff,
    load=_load,
)
