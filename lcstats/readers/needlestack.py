"""Results of llmonpy/needle-in-a-needlestack (commit eafb9b3): one nested JSON file per run.

``published_tests/16k/MODEL_full_results.json`` holds locations, in each of them questions about a
limerick that is put there, and for each question the trials. A question is the case, and the
cluster, since the same questions are asked at every location; ``trial_number`` counts repeats at
temperature 0. ``passed`` is the verdict of most of five judges, and missing where a request or a
judge failed. ``location_token_position`` is in tokens from the start. The file does not say how
long the prompt was: the length is what the name of its folder says, ``110k`` being 110000 tokens,
and depth is the location over that length. What was sent is shorter than the folder says for some
language models (24000 tokens in ``32k``), so their limericks lie deeper than the depths here say.
Prompts that hold the limerick several times have a task of their own.

Nobody guesses such answers. Written from the layout of the published files, and checked on files
made after them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from lcstats.errors import FormatError, Notice, describe
from lcstats.readers.fields import FieldKind, check_fields, require_fields
from lcstats.readers.formats import Format
from lcstats.readers.json_records import load_json
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import Sample
from lcstats.trials import Knowledge, Origin, Part, RawTable
from lcstats.trials.wording import counted

_FIELDS = {"model_name": str, "location_list": list}
_COUNTS: Mapping[str, FieldKind] = {
    "repeat_question_limerick_count": "number",
    "failed_test_count": "number",
}
_QUESTION = "location_list[].question_result_list[]"
_NESTED: Mapping[str, FieldKind] = {
    "location_list[]": "object",
    "location_list[].location_token_position": "plain",
    "location_list[].question_result_list": "list",
    _QUESTION: "object",
    f"{_QUESTION}.question": "object",
    f"{_QUESTION}.question.id": "plain",
    f"{_QUESTION}.trial_results": "list",
    f"{_QUESTION}.trial_results[]": "object",
    f"{_QUESTION}.trial_results[].trial_number": "number",
}
_LENGTH = re.compile(r"(?<![A-Za-z0-9])(\d+)k(?![A-Za-z0-9])")
_REPEATED = "repeat_question_limerick_count"
_COLUMNS = {
    "model": "model_name",
    "task": _REPEATED,
    "case": "question id",
    "repeat": "trial_number",
    "length": "folder name",
    "depth": "location_token_position",
    "score": "passed",
    "cluster": "question id",
    "output": "generated_answer",
}


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    return {*_FIELDS, "number_of_trials_per_location"} <= sample.record.keys()


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    return [_load_one(sample, request) for sample in samples]


def _load_one(sample: Sample, request: ReadRequest) -> RawTable:
    table = load_json([sample], request)
    for field, kind in _FIELDS.items():
        require_fields(table, {field}, "needlestack", kind)
    runs = table.frame.to_dict("records")
    check_fields(table, _COUNTS, "needlestack")
    check_fields(table, _NESTED, "needlestack", are_needed=True)
    rows = [row for run in runs for row in _trials_of(run)]
    frame = pd.DataFrame(rows, columns=[*dict.fromkeys(_COLUMNS.values()), "dissent_count"])
    frame["folder name"] = _length_of(sample)
    n_failed = sum(int(_number(run, "failed_test_count", 0)) for run in runs)
    return RawTable(
        frame,
        Origin((Part(sample.name, len(frame), "trial"),)),
        Knowledge(_COLUMNS, aliases=False, depth_unit="tokens", score_scale="0-1"),
        (*table.notices, *_failed_notices(sample, n_failed)),
    )


def _trials_of(run: Mapping[Any, Any]) -> Iterator[dict[str, object]]:
    n_times = _number(run, _REPEATED, 1) or 1
    for location in run["location_list"]:
        for question in location["question_result_list"]:
            for trial in question["trial_results"]:
                yield {
                    "model_name": run["model_name"],
                    _REPEATED: "needlestack" if n_times == 1 else f"needlestack_{n_times:g}x",
                    "question id": question["question"]["id"],
                    "trial_number": trial["trial_number"] + 1,
                    "location_token_position": location["location_token_position"],
                    "passed": trial.get("passed"),
                    "generated_answer": trial.get("generated_answer"),
                    "dissent_count": trial.get("dissent_count"),
                }


def _number(run: Mapping[Any, Any], name: str, missing: float) -> float:
    """Return a number of a run; a table writes those that are missing as NaN."""
    number = run.get(name)
    return missing if number is None or number != number else float(number)


def _length_of(sample: Sample) -> int:
    """Return the length in tokens that the folder's name says."""
    lengths = _LENGTH.findall(sample.source.folder)
    if len(lengths) != 1:
        raise FormatError(
            describe(
                f"{sample.name} does not say how long its prompts were, and the name of its "
                f"folder, {sample.source.folder!r}, does not either",
                "expected a folder named after the length, such as 16k (16000 tokens)",
                "move the file into such a folder",
            )
        )
    return int(lengths[0]) * 1000


def _failed_notices(sample: Sample, n_failed: int) -> tuple[Notice, ...]:
    if not n_failed:
        return ()
    return (
        Notice(
            "failed-tests",
            f"{sample.name} says that {counted(n_failed, 'request')} failed: such trials are "
            "unscored, never taken as wrong",
        ),
    )


NEEDLESTACK = Format(
    name="needlestack",
    title="Needle in a needlestack (NIAN), one nested JSON file per run",
    carries="language model, length (its folder's name), position in tokens as depth, verdict of "
    "most judges, question as case and cluster, repeats, output, judges who dissent",
    lacks="how long a prompt really was, so depths are of the folder's length; which request "
    "failed how",
    checked="files made after the published ones",
    shapes=("json", "jsonl"),
    sniff=_sniff,
    load=_load,
)
