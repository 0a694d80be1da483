"""Predictions of OpenBMB's InfiniteBench (commit 88b3daa): one JSON lines file per task.

``results/MODEL/preds_TASK.jsonl`` (``preds_TASK_START-STOP.jsonl`` for a part) has ``id``, which
is the case, ``prediction`` and ``ground_truth``, or ``pred`` and ``label``. Language model and
task are in the path. The score is the suite's and is worked out here; summaries, which need
another package, are left out. The guess rate of the two tasks with four choices is 1/4.

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
from lcstats.readers.folders import folder_notices, folders_above
from lcstats.readers.formats import Format
from lcstats.readers.infinitebench_metrics import METRICS, score_output
from lcstats.readers.json_records import load_json
from lcstats.readers.official import OFFICIAL, empty_notices, wants_official
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import Sample
from lcstats.trials import Knowledge, RawTable
from lcstats.trials.wording import counted

_OUTPUTS, _REFERENCES = ("prediction", "pred"), ("ground_truth", "label")
_POSSIBLE = {"id", *_OUTPUTS, *_REFERENCES}
_STEM = re.compile(r"preds_(?P<task>[a-z_]+?)(_\d+-\d+)?")
_RESULTS = "results"
_SUMMARIES = "longbook_sum_eng"
_TOKENS = {
    **dict.fromkeys(("passkey", "number_string"), 122_400),
    **dict.fromkeys(("kv_retrieval", "kv_retrieval_prefix", "kv_retrieval_both"), 89_900),
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
_RELEASED = {
    0: "5e6b7b90-710d-4953-9b18-3e96b2cadbf2",
    100: "4a356d9e-e230-475c-93f5-83a6df14f254",
    200: "75efe795-a371-4767-bfea-a45a6e7f6f64",
    300: "c97ef611-e4cc-4766-8a36-1dc815ddd4d3",
    400: "13098df1-4800-4c61-bcda-c522bf07f3b2",
}
"""Some references of the released pairs, by id."""

_COLUMNS = {
    "model": "name of its folder",
    "task": "task",
    "case": "id",
    "length": "mean tokens of the task",
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
    kept = [sample for sample in samples if _task_of(sample) != _SUMMARIES]
    if not kept:
        raise _unknown_task(samples[0], "its metric is ROUGE")
    tables = [_load_one(sample, request) for sample in kept]
    doubtful = {
        folders[0]
        for sample in kept
        if (folders := folders_above(sample)) and folders[1:2] != (_RESULTS,)
    }
    n_empty = sum(int((table.frame["prediction"] == "").sum()) for table in tables)
    notices = (
        *_summary_notices(len(samples) - len(kept)),
        *folder_notices(doubtful),
        *empty_notices(n_empty, "InfiniteBench", request),
        Notice(
            "mean-lengths",
            "no file has lengths: each task has one, the mean of its prompts that InfiniteBench's "
            "README names",
        ),
    )
    return [replace(tables[0], notices=(*notices, *tables[0].notices)), *tables[1:]]


def _task_of(sample: Sample) -> str | None:
    match = _STEM.fullmatch(sample.source.stem)
    return match["task"] if match else None


def _load_one(sample: Sample, request: ReadRequest) -> RawTable:
    task = _task_of(sample)
    if task not in METRICS:
        raise _unknown_task(sample, "its name does not say which task it is of")
    table = load_json([sample], request)
    frame = table.frame.rename(columns={"pred": "prediction", "label": "ground_truth"})
    table = replace(table, frame=frame)
    require_fields(table, {"id", "ground_truth"}, "infinitebench")
    check_fields(table, {"id": "plain"}, "infinitebench")
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
        "name of its folder": next(iter(folders_above(sample)), "model"),
        "task": task,
        "mean tokens of the task": _TOKENS[str(task)],
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
    """Tell whether the pairs are the released ones, by those of them that are known."""
    references = {
        number: reference[0] if isinstance(reference, list) and reference else reference
        for number, reference in zip(frame["id"], frame["ground_truth"], strict=True)
    }
    known = [number for number in _RELEASED if number in references]
    return bool(known) and all(references[number] == _RELEASED[number] for number in known)


def _unknown_task(sample: Sample, why: str) -> FormatError:
    return FormatError(
        describe(
            f"{sample.name} cannot be scored: {why}",
            f"expected a name such as preds_kv_retrieval.jsonl, of {', '.join(METRICS)}",
            "give it back the name that InfiniteBench gave it, or read a table with length and "
            "score",
        )
    )


def _summary_notices(n_files: int) -> tuple[Notice, ...]:
    if not n_files:
        return ()
    message = "of summaries left out: their metric is ROUGE"
    return (Notice("other-files", f"{counted(n_files, 'file')} {message}"),)


INFINITEBENCH = Format(
    name="infinitebench",
    title="InfiniteBench, one preds_TASK.jsonl per task",
    carries="language model and task (the path), depth by id for passkey, number_string and "
    "kv_retrieval, score by the suite's rule, also as the suite has it (official_score), guess "
    "rate, id as case, empty predictions as unscored, output",
    lacks="lengths (each task has the mean of its prompts), depth of other tasks, tokens received, "
    "failed requests; scores of summaries",
    checked="published predictions of Claude 2, Kimi and YaRN-Mistral for five tasks",
    shapes=("jsonl",),
    sniff=_sniff,
    load=_load,
)
