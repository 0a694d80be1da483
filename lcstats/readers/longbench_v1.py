"""Predictions of THUDM's LongBench (v1, commit 2e00731): one JSON lines file per data set.

``pred/MODEL/DATASET.jsonl`` (``pred_e`` for LongBench-E) has ``pred``, ``answers``,
``all_classes`` and ``length``, the words of the text before anything was cut out of it (characters
where it is Chinese). Language model and data set, which is the task, are in the path. The score is
the suite's and is worked out here: F1 of words, ROUGE-L, classes, counts, numbers of paragraphs or
likeness of code. Chinese words need the package jieba. Where English data sets are read, Chinese
ones are left out, for words and characters are no one scale.

Every text has a length of its own: lengths are grouped by their upper ends 4000, 8000, 16000, ...,
the suite's classes 0-4k, 4-8k and 8k+ with the last one divided further. The number itself is kept
as ``length_in_file``, and ``--map length=length`` takes it.

There is no id. The case is a digest of answers and length, which language models share. Predictions
are appended to the file: where rows begin again in the order of the first, or very many cases occur
again, these are runs of the same prompts, however early the last one was killed, and copies of a
row are one; others are prompts of their own with the same answers and length. Both are said.
An empty prediction has no score here; the suite counts it as wrong, as ``official_score`` does.

The metrics cannot be guessed at a known rate, apart from single classes, so there is no guess rate.
Checked on published predictions of Llama 2 7B and Llama 3 8B, whose ``result.json`` the mean scores
match to its two decimals; ROUGE, likeness of code and Chinese words on the packages that the suite
takes them from.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from lcstats.errors import FormatError, Notice, describe
from lcstats.readers.appended import appended_notices, name_cases
from lcstats.readers.fields import FieldKind, check_fields, require_fields
from lcstats.readers.folders import folder_names, folder_notices, folders_above
from lcstats.readers.formats import Format
from lcstats.readers.json_records import load_json
from lcstats.readers.longbench_metrics import (
    CHINESE,
    METRICS,
    score_output,
    share_of_class,
)
from lcstats.readers.official import OFFICIAL, empty_notices, wants_official
from lcstats.readers.request import ReadRequest
from lcstats.readers.runs import number_runs, short_digest
from lcstats.readers.samples import Sample
from lcstats.trials import Knowledge, RawTable
from lcstats.trials.wording import counted

SHORTEST_CLASS = 4000

_FIELDS = {"pred", "answers", "all_classes", "length"}
_LV_EVAL = "gold_ans"
_PREDICTIONS = frozenset({"pred", "pred_e"})
_CLASS_END = "end of length class"
_COLUMNS = {
    "model": "name of its folder",
    "task": "name of the file",
    "case": "answers and length",
    "repeat": "run",
    "length": _CLASS_END,
    "length_unit": "unit",
    "score": "score",
    "status": "what became of it",
    "output": "pred",
}


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    return sample.record.keys() >= _FIELDS and _LV_EVAL not in sample.record


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    scorable = [sample for sample in samples if _dataset_of(sample) in METRICS]
    english = [sample for sample in scorable if _dataset_of(sample) not in CHINESE]
    kept = english or scorable
    if not kept:
        raise _without_metric(samples[0])
    models = folder_names(kept)
    tables = [_load_one(sample, models[sample], request) for sample in kept]
    doubtful = {models[sample] for sample in kept if not _is_suites_folder(sample)}
    doubtful |= {name for name in models.values() if "/" in name}
    n_empty = sum(int((table.frame["pred"].map(_status_of) == "empty").sum()) for table in tables)
    notices = (
        *_aside_notices(samples, kept),
        *folder_notices(doubtful),
        *empty_notices(n_empty, "LongBench", request),
        *_class_notices(english, request),
    )
    return [replace(tables[0], notices=(*notices, *tables[0].notices)), *tables[1:]]


def _dataset_of(sample: Sample) -> str:
    return sample.source.stem.removesuffix("_e")


def _is_suites_folder(sample: Sample) -> bool:
    folders = folders_above(sample)
    return not folders or (len(folders) > 1 and folders[1] in _PREDICTIONS)


def _load_one(sample: Sample, model: str, request: ReadRequest) -> RawTable:
    table = load_json([sample], request)
    require_fields(table, {"answers"}, "longbench_v1", list)
    require_fields(table, {"length"}, "longbench_v1", int)
    needed: dict[str, FieldKind] = {"answers[]": "text", "all_classes[]": "text"}
    check_fields(table, needed, "longbench_v1", are_needed=True)
    check_fields(table, {"all_classes": "list"}, "longbench_v1")
    frame, dataset = table.frame, _dataset_of(sample)
    classes = _classes_of(frame, sample)
    preds = frame["pred"] if "pred" in frame else pd.Series(None, frame.index, dtype=object)
    status, digests = preds.map(_status_of), _digests_of(frame)
    cases = name_cases(digests)
    official = pd.Series(
        [
            None if word == "error" else score_output(dataset, pred, answers, classes)
            for pred, answers, word in zip(preds, frame["answers"], status, strict=True)
        ],
        frame.index,
        dtype="Float64",
    )
    added: dict[str, Any] = {
        "pred": preds,
        "name of its folder": model or "model",
        "name of the file": dataset,
        "answers and length": cases,
        "run": number_runs(cases.to_frame(), preds),
        _CLASS_END: class_ends(frame["length"]),
        "unit": "characters" if dataset in CHINESE else "words",
        "score": official.where(status == "ok"),
        OFFICIAL: official,
        "what became of it": status.replace("empty", "ok") if wants_official(request) else status,
    }
    frame = frame.assign(**added).drop(columns=["all_classes"], errors="ignore")
    knowledge = Knowledge(
        _COLUMNS, aliases=False, score_scale="0-1", other_units={"length": added["unit"]}
    )
    notices = (*table.notices, *appended_notices(sample.name, digests, cases))
    return replace(table, frame=frame, knowledge=knowledge, notices=notices)


def _classes_of(frame: pd.DataFrame, sample: Sample) -> list[str]:
    """Return the classes of the last row, which are all rows' to the suite."""
    classes = frame["all_classes"].iloc[-1] if "all_classes" in frame else None
    if not isinstance(classes, list):
        classes = []
    if METRICS[_dataset_of(sample)] is share_of_class and not classes:
        raise FormatError(
            describe(
                f"{sample.name} is scored by its classes, and the last row has none",
                "expected the list all_classes of the data set, as LongBench writes it",
                "fill it in from the data set, or score the file and read a table with length and "
                "score",
            )
        )
    return classes


def _status_of(pred: object) -> str:
    if not isinstance(pred, str):
        return "error"
    return "ok" if pred.strip() else "empty"


def class_ends(lengths: pd.Series) -> pd.Series:
    """Return the upper end of the class that each length is in.

    Examples
    --------
    >>> class_ends(pd.Series([1, 3999, 4000, 9000])).tolist()
    [4000, 4000, 8000, 16000]
    """
    doublings = np.floor(np.log2(np.maximum(lengths.to_numpy() / SHORTEST_CLASS, 0.5))) + 1
    return pd.Series((SHORTEST_CLASS * 2**doublings).astype(np.int64), lengths.index)


def _digests_of(frame: pd.DataFrame) -> pd.Series:
    """Name the prompts by answers and length."""
    pairs = zip(frame["answers"], frame["length"], strict=True)
    return pd.Series([short_digest(*pair) for pair in pairs], frame.index, name="case")


def _without_metric(sample: Sample) -> FormatError:
    return FormatError(
        describe(
            f"{sample.name} cannot be scored: LongBench has no data set {_dataset_of(sample)!r}",
            f"expected one of {', '.join(METRICS)}",
            "give the file the name of its data set, or score it and read a table with length and "
            "score",
        )
    )


def _aside_notices(samples: Sequence[Sample], kept: Sequence[Sample]) -> tuple[Notice, ...]:
    aside = [sample for sample in samples if sample not in kept]
    if not aside:
        return ()
    names = ", ".join(sorted({_dataset_of(sample) for sample in aside}))
    message = (
        f"{counted(len(aside), 'file')} with lengths in characters, or of no data set of the "
        f"suite, left out: {names}; name Chinese ones alone to read them"
    )
    return (Notice("other-files", message),)


def _class_notices(english: Sequence[Sample], request: ReadRequest) -> tuple[Notice, ...]:
    if "length" in request.table.columns:
        return ()
    unit = "words" if english else "characters"
    return (
        Notice(
            "length-classes",
            f"lengths were grouped by their upper ends 4000, 8000, 16000, ... {unit}; pass "
            "columns={'length': 'length'} (--map length=length) for each text's own",
        ),
    )


LONGBENCH_V1 = Format(
    name="longbench_v1",
    title="LongBench (v1), one JSONL file per data set",
    carries="language model and data set (the path), length of the text in words or characters by "
    "classes, score by the suite's metric, digest of answers and length as case, re-runs as "
    "repeats, empty predictions as unscored, output",
    lacks="question, depth, tokens received, what was cut out of long texts, failed requests; "
    "without the extra 'chinese', scores of Chinese answers",
    checked="2800 published predictions of Llama 2 7B and Llama 3 8B",
    shapes=("jsonl",),
    sniff=_sniff,
    load=_load,
)
