"""Predictions of booydar/babilong (commit 7a6efee): one CSV file per task, length and prompt.

``ORG/MODEL/qa1_128k_PROMPT.csv`` has the columns row (without a name, or ``Unnamed: 0``),
``target``, ``output`` and ``question``; what RAG found is an extra ``result``. Language model, task
and length asked for are in the path, the length in tokens with k as 1024; ``0k`` is a prompt
without filler. Depth there is none: facts lie all over the text. The score is the suite's: the
output up to the first full stop, ``<context>`` or ``<example>``, letter case aside, names the
target and no other label of the task, those in the question aside. Files without ``question`` are
scored without that exception.

An empty output, which prompts beyond the language model's window give, has no score; the suite
counts it as wrong. The suite's own script also takes outputs such as ``None`` for empty, and finds
the label one in none, so that the right answer none of qa7 is always wrong to it; here texts stay
as they are, and none is not one. ``official_score`` is the suite's score as its script has it:
``--map score=official_score`` takes it, and leaves no output unscored.

The case is the row, and the cluster is the row with its question and target: one item was asked at
many lengths in the same row. Where items were left out for being too long rows are shifted, and
items from 64k on are others; then rows only pair by chance. The guess rate is one over the number
of labels. Where a folder has several prompts for a task, each makes a task of its own; the suite
takes the best one, which favours whoever tried more.

Checked on published predictions of Gemini 3 Flash for qa1 to qa5 (36832 rows); labels of the other
tasks are from the code.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lcstats.errors import FormatError, Notice, describe
from lcstats.readers.csv_table import load_csv
from lcstats.readers.fields import require_fields
from lcstats.readers.folders import folder_names, folder_notices, folders_above
from lcstats.readers.formats import Format
from lcstats.readers.official import OFFICIAL, empty_notices, wants_official
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import Sample
from lcstats.trials import Knowledge, Origin, RawTable
from lcstats.trials.wording import counted

_ROW = frozenset({"", "Unnamed: 0"})
_FIELDS = frozenset({"target", "output"})
_POSSIBLE = _ROW | _FIELDS | {"question", "result"}
_STEM = re.compile(r"(?P<task>qa\d+)_(?P<length>\d+[kM])_(?P<prompt>.+)")
_COPY = " copy"
_EVALS = "babilong_evals"
_CUTS = (".", "<context>", "<example>")
_PLACES = ("bathroom", "bedroom", "garden", "hallway", "kitchen", "office")
_YES_NO = ("no", "yes")
LABELS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("qa1", "qa2", "qa3", "qa4", "qa11", "qa12", "qa13"), _PLACES),
    "qa5": ("bill", "fred", "jeff", "mary", "apple", "football", "milk"),
    **dict.fromkeys(("qa6", "qa9", "qa17", "qa18"), _YES_NO),
    "qa7": ("none", "one", "three", "two"),
    "qa8": ("apple", "football", "milk", "nothing"),
    "qa10": ("maybe", *_YES_NO),
    "qa14": ("bedroom", "cinema", "kitchen", "office", "park", "school"),
    "qa15": ("cat", "mouse", "sheep", "wolf"),
    "qa16": ("gray", "green", "white", "yellow"),
    "qa19": ("e,e", "e,n", "e,s", "n,e", "n,n", "n,w", "s,e", "s,s", "s,w", "w,n", "w,s", "w,w"),
    "qa20": ("bedroom", "bored", "garden", "hungry", "kitchen", "thirsty", "tired"),
}
"""The answers that a task has, in lower case."""

_TASK = r"^(qa\d+)"
_NESTED_TASK = "qa7"
"""The task with a label within another one: one in none."""

_SET_TASK = "qa8"
"""The task whose target can be several labels, separated by commas."""

_PANDAS_MISSING = (
    *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN"),
    *("<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
)
"""What ``pandas.read_csv`` takes for missing."""

_COLUMNS = {
    "model": "name of its folder",
    "task": "task",
    "case": "row",
    "length": "length in name",
    "score": "score",
    "status": "what became of it",
    "guess_rate": "guess rate",
    "cluster": "item",
    "output": "output",
}


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    header = set(sample.columns)
    return sample.columns[0] in _ROW and _FIELDS <= header <= _POSSIBLE


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    kept = [sample for sample in samples if not sample.source.stem.endswith(_COPY)]
    copies = [sample for sample in samples if sample not in kept]
    named = _models_of(kept or samples)
    tables = [_load_one(sample, model, request) for sample, model in named.items()]
    table = _joined(_with_prompts(tables, named))
    table = _scored(table, request)
    models = [name for sample, name in named.items() if not _is_made_by_babilong(sample)]
    notices = (*_copy_notices(copies if kept else ()), *folder_notices(filter(None, models)))
    return [replace(table, notices=(*notices, *table.notices))]


def _load_one(sample: Sample, model: str, request: ReadRequest) -> RawTable:
    match = _STEM.fullmatch(sample.source.stem)
    if match is None or match["task"] not in LABELS:
        raise FormatError(
            describe(
                f"{sample.name} does not say its task and length in its name",
                "expected a name such as qa1_128k_instruction_yes_examples_yes.csv",
                "give it back the name that BABILong gave it",
            )
        )
    table = load_csv(sample, request)
    require_fields(table, {"target"}, "babilong")
    frame = table.frame.rename(columns={"Unnamed: 0": "row", "": "row"})
    if "row" not in frame:
        frame = frame.assign(row=np.arange(len(frame)))
    frame = frame.assign(
        **{
            "name of its folder": model or "model",
            "task": match["task"],
            "prompt": match["prompt"],
            "length in name": match["length"],
        }
    )
    notices = table.notices
    if "question" not in frame:
        message = "no column question: labels that questions name count as wrong answers"
        notices = (*notices, Notice("no-question", f"{sample.name} has {message}"))
        frame["question"] = ""
    return replace(table, frame=frame, notices=notices)


def _models_of(samples: Sequence[Sample]) -> dict[Sample, str]:
    """Return the names of the folders, with that of the organisation where BABILong made it."""
    named = folder_names(samples)
    made = {sample: folders_above(sample)[:2] for sample in samples if _is_made_by_babilong(sample)}
    return named | {sample: f"{above}/{name}" for sample, (name, above) in made.items()}


def _is_made_by_babilong(sample: Sample) -> bool:
    return _EVALS in folders_above(sample)[2:3]


def _with_prompts(tables: Sequence[RawTable], models: Mapping[Sample, str]) -> list[RawTable]:
    """Give each prompt a task of its own where a language model met a task in several."""
    named = {sample: _STEM.fullmatch(sample.source.stem) for sample in models}
    met = {
        (models[sample], match["task"], match["prompt"]) for sample, match in named.items() if match
    }
    if len({(model, task) for model, task, _ in met}) == len(met):
        return list(tables)
    message = "several prompts for one task: each is a task of its own; BABILong takes the best"
    told = Notice("several-prompts", message)
    renamed = [
        replace(
            table, frame=table.frame.assign(task=table.frame["task"] + " " + table.frame["prompt"])
        )
        for table in tables
    ]
    return [replace(renamed[0], notices=(told, *renamed[0].notices)), *renamed[1:]]


def _joined(tables: Sequence[RawTable]) -> RawTable:
    """Put the tables together: scoring many small ones takes longer."""
    frame = pd.concat([table.frame for table in tables], ignore_index=True)
    origin = Origin.join(table.origin for table in tables)
    notices = tuple(notice for table in tables for notice in table.notices)
    return RawTable(frame, origin, notices=notices)


def _scored(table: RawTable, request: ReadRequest) -> RawTable:
    """Add scores, guess rates and clusters."""
    frame = table.frame
    text = {name: frame[name].fillna("").astype("str") for name in ("target", "output", "question")}
    scores, official = _scores_of(frame["task"], text)
    is_empty = text["output"].str.strip() == ""
    labels = frame["task"].str.extract(_TASK, expand=False).map(LABELS)
    item = frame["row"].astype("str") + " " + text["question"].str.strip() + " " + text["target"]
    added: dict[str, Any] = {
        "score": scores,
        OFFICIAL: official,
        "what became of it": np.where(is_empty & (not wants_official(request)), "empty", "ok"),
        "guess rate": [1 / len(names) for names in labels],
        "item": item,
    }
    notices = (
        *table.notices,
        *empty_notices(int(is_empty.sum()), "BABILong", request),
        *_word_notices(int((scores != official).sum()), request),
    )
    knowledge = Knowledge(_COLUMNS, aliases=False, score_scale="0-1")
    return replace(table, frame=frame.assign(**added), knowledge=knowledge, notices=notices)


def _scores_of(
    tasks: pd.Series, text: Mapping[str, pd.Series]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the score of each output, and the one that the suite's script gives it."""
    scores, official = np.zeros(len(tasks)), np.zeros(len(tasks))
    names = tasks.str.extract(_TASK, expand=False)
    for task, rows in names.groupby(names, sort=False).groups.items():
        columns = [text[name].loc[rows] for name in ("target", "output", "question")]
        labels, is_set = LABELS[str(task)], task == _SET_TASK
        scores[rows] = names_target(*columns, labels=labels, is_set=is_set)
        official[rows] = scores[rows]
        if task == _NESTED_TASK:
            official[rows] = names_target(*columns, labels=labels, tells_apart=False)
    return scores, np.where(text["output"].isin(_PANDAS_MISSING), 0.0, official)


def names_target(
    target: pd.Series,
    output: pd.Series,
    question: pd.Series,
    *,
    labels: Sequence[str],
    is_set: bool = False,
    tells_apart: bool = True,
) -> NDArray[np.bool_]:
    """Tell where an output names the target and no other label, by the suite's rule.

    Parameters
    ----------
    target, output, question : Series of str, shape (n_rows,)
    labels : sequence of str
        The task's answers, in lower case.
    is_set : bool
        Whether a target can be several labels, separated by commas.
    tells_apart : bool
        Whether a label within a longer one is not named by it, as one by none. The suite's rule
        does not tell these apart.

    Returns
    -------
    bool array, shape (n_rows,)

    Examples
    --------
    >>> texts = [["office"] * 2, ["In the Office. Or garden", "office or garden"], ["Where?"] * 2]
    >>> names_target(*map(pd.Series, texts), labels=["garden", "office"]).tolist()
    [True, False]
    """
    head = output.str.lower()
    for cut in _CUTS:
        head = head.str.partition(cut)[0]
    asked, wanted = question.str.lower(), target.str.lower().to_numpy()
    is_right = np.zeros(len(output), dtype=bool)
    n_named = np.zeros(len(output), dtype=np.int64)
    n_hit = np.zeros(len(output), dtype=np.int64)
    for label in labels:
        longer = [other for other in labels if label in other and label != other and tells_apart]
        shown = head.str.replace(longer[0], "", regex=False) if longer else head
        is_named = (
            shown.str.contains(label, regex=False) & ~asked.str.contains(label, regex=False)
        ).to_numpy(dtype=bool)
        n_named += is_named
        is_right |= is_named & (wanted == label)
        n_hit += is_named & np.array([label in words.split(",") for words in wanted])
    if not is_set:
        return np.asarray(is_right & (n_named == 1))
    n_wanted = np.array([words.count(",") + 1 for words in wanted])
    return np.asarray((n_hit == n_wanted) & (n_named == n_wanted))


def _word_notices(n_words: int, request: ReadRequest) -> tuple[Notice, ...]:
    if not n_words or wants_official(request):
        return ()
    message = f"{counted(n_words, 'right answer')} such as None, which BABILong's script takes for "
    message += f"missing or wrong; pass columns={{'score': {OFFICIAL!r}}} "
    return (Notice("words-for-missing", message + f"(--map score={OFFICIAL}) for its score"),)


def _copy_notices(copies: Sequence[Sample]) -> tuple[Notice, ...]:
    if not copies:
        return ()
    names = ", ".join(sample.name for sample in copies[:3]) + ", ..." * (len(copies) > 3)
    return (Notice("other-files", f"{counted(len(copies), 'copy', 'copies')} left out: {names}"),)


BABILONG = Format(
    name="babilong",
    title="BABILong, one CSV file per task, length and prompt",
    carries="language model, task and length asked for (the path), right or wrong by the suite's "
    "rule, also as its script has it (official_score), guess rate, row as case, item as cluster, "
    "empty outputs as unscored, prompt, output",
    lacks="depth, tokens received, failed requests; which item a row is where rows are shifted",
    checked="36832 published predictions of Gemini 3 Flash, qa1 to qa5",
    shapes=("csv",),
    sniff=_sniff,
    load=_load,
)
