"""Predictions of LV-Eval (infinigence/LVEval, commit 63e7ae9): ``DATASET_LEVEL.jsonl``.

The file's name holds data set and level: ``16k`` to ``256k`` are lengths of 16000 to 256000 words,
or characters where it is Chinese. ``length`` in the file, that of the very text, is kept as
``length_in_file``. The score is the suite's, worked out here: F1 of the words of ``pred`` and of
the first of ``answers``, and 0 if less than a fifth of the words of ``gold_ans``, where there are
such, is in it (in Chinese two fifths, of those of the answer where there are none); ROUGE-L for
``dureader_mixup``. Chinese data sets need the package jieba for their words, and are left out where
English ones are read, for words and characters are no one scale. The case is a digest of question
and answers: the same questions are asked at all five levels, so they pair. Runs that were appended
to the file are repeats; copies of a row are one. The folder is the language model's. Depths and
failed requests are nowhere.

An empty prediction is unscored; the suite counts it as wrong, as ``official_score`` does. Nobody
guesses such answers. Written from the code, and checked on files made after it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from lcstats.errors import FormatError, Notice, describe
from lcstats.options import LengthUnit
from lcstats.readers.appended import appended_notices, name_cases
from lcstats.readers.fields import check_fields, require_fields
from lcstats.readers.folders import folder_names, folder_notices
from lcstats.readers.formats import Format
from lcstats.readers.json_records import load_json
from lcstats.readers.lv_eval_metrics import CHINESE, METRICS, score_answer
from lcstats.readers.nested import nested_values
from lcstats.readers.official import OFFICIAL, empty_notices, wants_official
from lcstats.readers.request import ReadRequest
from lcstats.readers.runs import number_runs, short_digest
from lcstats.readers.samples import Sample
from lcstats.trials import Knowledge, RawTable
from lcstats.trials.wording import counted

_FIELDS = {"pred", "answers", "gold_ans"}
_NAME = re.compile(r"(?P<task>.+)_(?P<thousands>\d{1,3})k")
_COLUMNS = {
    "model": "name of its folder",
    "task": "data set",
    "case": "question and answers",
    "repeat": "run",
    "length": "level",
    "score": "score",
    "status": "outcome",
    "output": "pred",
}


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    return sample.record.keys() >= _FIELDS


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    named = {sample.name: _name_of(sample) for sample in samples}
    scorable = [sample for sample in samples if named[sample.name][0] in METRICS]
    english = [sample for sample in scorable if named[sample.name][0] not in CHINESE]
    kept = english or scorable
    if not kept:
        raise FormatError(
            describe(
                f"{samples[0].name} is of none of LV-Eval's data sets",
                f"expected one of {', '.join(sorted(METRICS))}",
                "give it the name of its data set, or score it and read a table with length and "
                "score",
            )
        )
    models = folder_names(kept)
    tables = [_load_one(sample, models[sample], request) for sample in kept]
    n_empty = sum(int((table.frame["pred"] == "").sum()) for table in tables)
    notices = (
        *_aside_notices([sample for sample in samples if sample not in kept]),
        *folder_notices(filter(None, models.values())),
        *empty_notices(n_empty, "LV-Eval", request),
    )
    return [replace(tables[0], notices=(*notices, *tables[0].notices)), *tables[1:]]


def _name_of(sample: Sample) -> tuple[str, int]:
    """Return data set and level, in words."""
    match = _NAME.fullmatch(sample.source.stem)
    if match is None:
        raise FormatError(
            describe(
                f"{sample.name} does not say data set and level in its name",
                "expected a name such as hotpotwikiqa_mixup_16k.jsonl",
                "give it back the name that LV-Eval gave it",
            )
        )
    return match["task"], 1000 * int(match["thousands"])


def _load_one(sample: Sample, model: str, request: ReadRequest) -> RawTable:
    task, level = _name_of(sample)
    table = load_json([sample], request)
    require_fields(table, {"answers"}, "lv_eval", list)
    check_fields(table, {"answers[]": "plain", "gold_ans": "plain", "pred": "plain"}, "lv_eval")
    frame = table.frame if "pred" in table.frame else table.frame.assign(pred=None)
    outcomes = frame["pred"].map(_outcome_of)
    official = pd.Series(
        [
            None if outcome == "error" else score_answer(task, pred, answers, keywords)
            for pred, answers, keywords, outcome in zip(
                frame["pred"],
                frame["answers"],
                nested_values(frame, "gold_ans"),
                outcomes,
                strict=True,
            )
        ],
        frame.index,
        dtype="Float64",
    )
    digests = _digests_of(nested_values(frame, "input"), frame["answers"])
    words = frame["length"].astype("str") if "length" in frame else ""
    cases = name_cases(digests, digests + " " + words)
    added: dict[str, Any] = {
        "name of its folder": model or "model",
        "data set": task,
        "question and answers": cases,
        "run": number_runs(cases.to_frame("case"), frame["pred"]),
        "level": level,
        "score": official.where(outcomes == "ok"),
        OFFICIAL: official,
        "outcome": outcomes.replace("empty", "ok") if wants_official(request) else outcomes,
    }
    frame = frame.assign(**added).drop(columns="all_classes", errors="ignore")
    unit: LengthUnit = "characters" if task in CHINESE else "words"
    knowledge = Knowledge(
        _COLUMNS,
        aliases=False,
        score_scale="0-1",
        length_unit=unit,
        other_units={"length": unit},
    )
    notices = (*table.notices, *appended_notices(sample.name, digests, cases))
    return replace(table, frame=frame, knowledge=knowledge, notices=notices)


def _outcome_of(pred: object) -> str:
    if not isinstance(pred, str):
        return "error"
    return "ok" if pred.strip() else "empty"


def _digests_of(questions: Sequence[object], answers: pd.Series) -> pd.Series:
    """Name the prompts by question and answers."""
    pairs = zip(questions, answers, strict=True)
    return pd.Series([short_digest(*pair) for pair in pairs], answers.index)


def _aside_notices(aside: Sequence[Sample]) -> tuple[Notice, ...]:
    if not aside:
        return ()
    names = ", ".join(sample.name for sample in aside[:3]) + ", ..." * (len(aside) > 3)
    message = (
        f"{counted(len(aside), 'file')} with lengths in characters, or of no data set of the "
        f"suite, left out: {names}; name Chinese ones alone to read them"
    )
    return (Notice("other-files", message),)


LV_EVAL = Format(
    name="lv_eval",
    title="LV-Eval, one JSONL file per data set and level",
    carries="language model (its folder's name), data set and level in words or characters (the "
    "file's name), "
    "score by the suite's metric, digest of question and answers as case, re-runs as repeats, "
    "empty predictions as unscored, output",
    lacks="depth, tokens, failed requests; without the extra 'chinese', scores of Chinese answers",
    checked="files made after the code",
    shapes=("jsonl", "json"),
    sniff=_sniff,
    load=_load,
)
