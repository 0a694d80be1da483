"""Predictions of OpenBMB's InfiniteBench (commit 88b3daa): one JSON lines file per task.

``results/MODEL/preds_TASK.jsonl`` (``preds_TASK_START-STOP.jsonl`` for a part) has ``id``, which
is the case, ``prediction`` and ``ground_truth``, or ``pred`` and ``label``. Language model and
task are in the path. The score is the suite's and is worked out here; that of summaries is ROUGE.
The guess rate of the two tasks with four choices is 1/4.

No file has lengths: each task has texts of about one length, and the length here is the mean that
the suite's README names, in tokens. So there is no decay over length to be seen.

Depth follows from the order in which the data were made: ``number_string`` has ten prompts at each
of 59 places, evenly spaced, so depth is (id // 10) / 58, and so has ``passkey``, to judge by its
590 rows and where language models fail; in ``kv_retrieval`` the answer is record 5 id of 2500, so
depth is id / 500. The suite's GPT-4 file is of another data
set: where a file's references are not those of the released one, depth is left out and that is
said. Other tasks have none.

An empty prediction has no score here; the suite counts it as wrong, as ``official_score`` does. For
GPT-4 the suite passes over the first number of an answer to ``math_calc``, which is not done here.
Checked on the published predictions of Claude 2, Kimi and YaRN-Mistral for five tasks, whose
accuracies match the suite's README to two decimals.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from lcstats.errors import FormatError, Notice, describe
from lcstats.readers.fields import check_fields, require_fields
from lcstats.readers.folders import folder_names, folder_notices, folders_above
from lcstats.readers.formats import Format
from lcstats.readers.infinitebench_metrics import (
    EXPECTED,
    METRICS,
    is_reference,
    score_output,
    unlisted,
)
from lcstats.readers.json_records import load_json
from lcstats.readers.official import OFFICIAL, empty_notices, wants_official
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import Sample
from lcstats.trials import Knowledge, RawTable
from lcstats.trials.wording import shown

_OUTPUTS, _REFERENCES = ("prediction", "pred"), ("ground_truth", "label")
_POSSIBLE = {"id", *_OUTPUTS, *_REFERENCES}
_STEM = re.compile(r"preds_(?P<task>[a-z_]+?)(_\d+-\d+)?")
_RESULTS = "results"
_TOKENS = {
    **dict.fromkeys(("passkey", "number_string"), 122_400),
    **dict.fromkeys(("kv_retrieval", "kv_retrieval_prefix", "kv_retrieval_both"), 89_900),
    "longbook_sum_eng": 171_500,
    "longbook_choice_eng": 184_400,
    "longbook_qa_eng": 192_600,
    "longbook_qa_chn": 2_068_600,
    "longdialogue_qa_eng": 103_600,
    "code_debug": 114_700,
    "code_run": 75_200,
    "math_calc": 43_900,
    "math_find": 87_900,
}
"""Mean length of a task's prompts, from the README."""

_GUESS_RATES = {"longbook_choice_eng": 0.25, "code_debug": 0.25}
_N_PLACES, _N_PER_PLACE, _N_PAIRS = 59, 10, 500
_PLACED = frozenset({"passkey", "number_string"})
_PAIRS = "kv_retrieval"
_RELEASED = (
    "5ef1bb06ba7822e3cfa3fd7599ff47b0000f0b9639c5d6fef83ca841fbe6200fdbc532d4dbd44254"
    "98c605116caf7d2b8503a1d28b61a481dcfd1d1bd57cab0807d910ccdfc942de3e0c74efc752765d"
    "567544fed4733b310c1a51681c688b6d2ea5c2354a594573c8ece6320356d6c3d8fa8040c502848a"
    "de24f13d380d515608cfe237d7a57f04f9ee84472ae4ebef4eef928d6081f8778f17163177314744"
    "80eb4c0889a3f969ef1fbcbffaef44fa8b5230a414dfbd3a18b7681778863a4f04c269ff3f5b1d10"
    "75be185ea562ce3340efe4389a86f4bbfa20df7a39b133b45b073a6774bc40f390909b68e9717f0e"
    "5373715dcf3cf9e7fb852a9366b443bb8ace5b8afda0f1d26acb110c7ab3c5f6dfb1606efb316a67"
    "001fd5b98d493a8ae538062614bed962ed4119aac98aeab1cf2fd42dfeeac22e7c03bf18883a4d63"
    "e66f617a77790f7340140e47ef6ee86188815fd556740617f97cebe86e59ba3712c4c13439a594ca"
    "4be3c4f8d38dc3ac25ea00221fcf930bd298465b40e74a0c24dc8a380bff8888c8b350739e38fcf0"
    "13c8d3de7fcb4e3b62c0a612aedcd01d19df51d617720884776ab79999718346de3a535d4a7fb5f4"
    "2460482fed73463b5a65539f9df722d1c11d68f573af19a75e2a2ba841a26349c204ec899315309e"
    "9646c80b51c54998a61c57f2c68fce8d71016b1c"
)
"""The first two characters of each reference of the released pairs, by id."""

_MEAN = "mean tokens of the task"
_COLUMNS = {
    "model": "name of its folder",
    "task": "task",
    "case": "id",
    "length": _MEAN,
    "depth": "place by id",
    "score": "score",
    "status": "what became of it",
    "guess_rate": "guess rate",
    "output": "prediction",
}


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    keys = sample.record.keys()
    has_both = not keys.isdisjoint(_OUTPUTS) and not keys.isdisjoint(_REFERENCES)
    return "id" in keys and has_both and keys <= _POSSIBLE


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    models = folder_names(samples)
    tables = [_load_one(sample, models[sample], request) for sample in samples]
    doubtful = {
        name
        for sample, name in models.items()
        if "/" in name or folders_above(sample)[1:2] != (_RESULTS,)
    }
    n_empty = sum(int((table.frame["prediction"] == "").sum()) for table in tables)
    notices = (
        *folder_notices(filter(None, doubtful)),
        *empty_notices(n_empty, "InfiniteBench", request),
        *_mean_notices(request),
    )
    return [replace(tables[0], notices=(*notices, *tables[0].notices)), *tables[1:]]


def _task_of(sample: Sample) -> str | None:
    match = _STEM.fullmatch(sample.source.stem)
    return match["task"] if match else None


def _load_one(sample: Sample, model: str, request: ReadRequest) -> RawTable:
    task = _task_of(sample)
    if task not in METRICS:
        raise _unknown_task(sample)
    table = load_json([sample], request)
    frame = table.frame.rename(columns={"pred": "prediction", "label": "ground_truth"})
    table = replace(table, frame=frame)
    require_fields(table, {"id", "ground_truth"}, "infinitebench")
    check_fields(table, {"id": "plain"}, "infinitebench")
    _check_references(str(task), table)
    outputs = frame["prediction"] if "prediction" in frame else frame["id"].map({})
    outputs = outputs.map(lambda text: text.strip() if isinstance(text, str) else None)
    status = outputs.map(_status_of)
    official = pd.Series(
        [
            None if word == "error" else score_output(str(task), output, reference)
            for output, reference, word in zip(outputs, frame["ground_truth"], status, strict=True)
        ],
        frame.index,
        dtype="Float64",
    )
    depths = _depths_of(str(task), frame)
    added: dict[str, Any] = {
        "name of its folder": model or "model",
        "task": task,
        _MEAN: _TOKENS[str(task)],
        "place by id": depths,
        "prediction": outputs,
        "score": official.where(status == "ok"),
        OFFICIAL: official,
        "what became of it": status.replace("empty", "ok") if wants_official(request) else status,
        "guess rate": _GUESS_RATES.get(str(task), 0.0),
    }
    knowledge = Knowledge(_COLUMNS, aliases=False, depth_unit="fraction", score_scale="0-1")
    notices = table.notices
    if task == _PAIRS and depths.isna().all():
        message = "references are not those of the released data, so depths are not known"
        notices = (*notices, Notice("other-data", f"{sample.name}: {message}"))
    return replace(table, frame=frame.assign(**added), knowledge=knowledge, notices=notices)


def _status_of(output: object) -> str:
    if output is None or output != output:
        return "error"
    return "ok" if output else "empty"


def _depths_of(task: str, frame: pd.DataFrame) -> pd.Series:
    """Return where the answer of each prompt is, as a fraction; missing where that is unknown."""
    numbers = pd.to_numeric(frame["id"], errors="coerce").astype("Float64")
    if task in _PLACED:
        return (numbers // _N_PER_PLACE / (_N_PLACES - 1)).where(numbers < _N_PLACES * _N_PER_PLACE)
    if task == _PAIRS and _is_released(frame):
        return (numbers / _N_PAIRS).where(numbers < _N_PAIRS)
    return pd.Series(pd.NA, frame.index, dtype="Float64")


def _is_released(frame: pd.DataFrame) -> bool:
    """Tell whether the pairs are the released ones, by how their references begin."""
    references = (unlisted(reference) for reference in frame["ground_truth"])
    known = [
        str(reference).startswith(_RELEASED[2 * number : 2 * number + 2])
        for number, reference in zip(frame["id"], references, strict=True)
        if isinstance(number, int) and 0 <= number < _N_PAIRS
    ]
    return bool(known) and all(known)


def _check_references(task: str, table: RawTable) -> None:
    """Refuse references that the rule of a task cannot compare anything with."""
    for row, reference in enumerate(table.frame["ground_truth"]):
        if not is_reference(task, reference):
            raise FormatError(
                describe(
                    f"{table.origin.place(row)}: ground_truth is {shown(reference)}",
                    f"expected {EXPECTED[task]}, as InfiniteBench has it for {task}",
                    "give it back the reference of the data set, or remove the row",
                )
            )


def _unknown_task(sample: Sample) -> FormatError:
    return FormatError(
        describe(
            f"{sample.name} cannot be scored: its name does not say which task it is of",
            f"expected a name such as preds_kv_retrieval.jsonl, of {', '.join(METRICS)}",
            "give it back the name that InfiniteBench gave it, or read a table with length and "
            "score",
        )
    )


def _mean_notices(request: ReadRequest) -> tuple[Notice, ...]:
    if request.table.columns.get("length", _MEAN) != _MEAN:
        return ()
    return (
        Notice(
            "mean-lengths",
            "no file has lengths: each task has one, the mean of its prompts that InfiniteBench's "
            "README names",
        ),
    )


INFINITEBENCH = Format(
    name="infinitebench",
    title="InfiniteBench, one preds_TASK.jsonl per task",
    carries="language model and task (the path), depth by id for passkey, number_string and "
    "kv_retrieval, score by the suite's rule, also as the suite has it (official_score), guess "
    "rate, id as case, empty predictions as unscored, output",
    lacks="lengths (each task has the mean of its prompts), depth of other tasks, tokens received, "
    "failed requests",
    checked="published predictions of Claude 2, Kimi and YaRN-Mistral for five tasks",
    shapes=("jsonl",),
    sniff=_sniff,
    load=_load,
)
