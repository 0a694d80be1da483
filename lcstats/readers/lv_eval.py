"""Predictions of LV-Eval (infinigence/LVEval, commit 63e7ae9): ``DATASET_LEVEL.jsonl``.

The file's name holds data set and level: ``16k`` to ``256k`` are lengths of 16000 to 256000 words.
``length`` in the file, the words of the very text, is kept as ``length_in_file``. The score is the
suite's, worked out here: F1 of the words of ``pred`` and of the first of ``answers``, and 0 if less
than a fifth of the words of ``gold_ans``, where there are such, is in it. The Chinese data sets,
whose words need the package jieba, are left out. The case is a digest of question and answers: the
same questions are asked at all five levels, so they pair. Runs that were appended to the file are
repeats; copies of a row are one. The folder is the language model's.

An empty prediction is unscored; the suite counts it as wrong, as ``official_score`` does. Nobody
guesses such answers. Written from the code, and checked on files made after it.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from lcstats.errors import FormatError, Notice, describe
from lcstats.readers.appended import appended_notices, name_cases
from lcstats.readers.fields import check_fields, require_fields
from lcstats.readers.folders import folder_names, folder_notices
from lcstats.readers.formats import Format
from lcstats.readers.json_records import load_json
from lcstats.readers.longbench_metrics import word_f1
from lcstats.readers.nested import nested_values
from lcstats.readers.official import OFFICIAL, empty_notices, wants_official
from lcstats.readers.request import ReadRequest
from lcstats.readers.runs import number_runs, short_digest
from lcstats.readers.samples import Sample
from lcstats.readers.squad import squad_words
from lcstats.trials import Knowledge, RawTable
from lcstats.trials.wording import counted

ENGLISH = frozenset(
    {
        "hotpotwikiqa_mixup",
        "loogle_SD_mixup",
        "loogle_CR_mixup",
        "loogle_MIR_mixup",
        "multifieldqa_en_mixup",
        "factrecall_en",
    }
)
"""Data sets that can be scored here."""

LEAST_RECALL = 0.2
"""Share of the keywords' words below which an answer is wrong."""

_NO_KEYWORDS = "factrecall_en"
_FIELDS = {"pred", "answers", "gold_ans"}
_NAME = re.compile(r"(?P<task>.+)_(?P<thousands>\d{1,3})k")
_PASSED_OVER = frozenset(
    {
        *("and", "to", "of", "in", "her", "was", "with", "for", "it", "from", "is", "that", "his"),
        *("he", "by", "she", "they", "or", "at", "because", "be", "on", "are", "their", "what"),
        *("as", "had", "were", "about", "being", "this", "who", "but", "have", "has", "when"),
        *("which", "does"),
    }
)
"""Words that do not count as found keywords."""

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
    kept = [sample for sample in samples if named[sample.name][0] in ENGLISH]
    if not kept:
        raise FormatError(
            describe(
                f"{samples[0].name} is of none of the data sets that can be scored here",
                f"expected one of {', '.join(sorted(ENGLISH))} (Chinese words need jieba)",
                "score it with LV-Eval's evaluation.py and read a table with length and score",
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
    knowledge = Knowledge(
        _COLUMNS,
        aliases=False,
        score_scale="0-1",
        length_unit="words",
        other_units={"length": "words"},
    )
    notices = (*table.notices, *appended_notices(sample.name, digests, cases))
    return replace(table, frame=frame, knowledge=knowledge, notices=notices)


def score_answer(task: str, pred: str, answers: Sequence[str], keywords: object) -> float:
    """Score a prediction by the suite's rule.

    Parameters
    ----------
    task : str
        One of :data:`ENGLISH`.
    pred : str
    answers : sequence of str
        Of which only the first counts.
    keywords : object
        Words of which some have to be there; anything but a text is none.

    Returns
    -------
    float
        In [0, 1].

    Examples
    --------
    >>> score_answer("loogle_SD_mixup", "in the red house", ["a red house"], "house")
    0.8
    >>> score_answer("loogle_SD_mixup", "in the red house", ["a red house"], "barn")
    0.0
    """
    if not answers:
        return 0.0
    if task != _NO_KEYWORDS and isinstance(keywords, str) and keywords:
        wanted = squad_words(keywords)
        shared = Counter(squad_words(pred)) & Counter(wanted)
        n_found = sum(n for word, n in shared.items() if word not in _PASSED_OVER)
        if wanted and n_found / len(wanted) < LEAST_RECALL:
            return 0.0
    return word_f1(pred, str(answers[0]))


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
    message = "whose metric needs Chinese words (jieba), left out"
    return (Notice("other-files", f"{counted(len(aside), 'file')} {message}: {names}"),)


LV_EVAL = Format(
    name="lv_eval",
    title="LV-Eval, one JSONL file per data set and level",
    carries="language model (its folder's name), data set and level in words (the file's name), "
    "score by the suite's metric, digest of question and answers as case, re-runs as repeats, "
    "empty predictions as unscored, output",
    lacks="depth, tokens, failed requests; scores of the Chinese data sets",
    checked="files made after the code",
    shapes=("jsonl", "json"),
    sniff=_sniff,
    load=_load,
)
