"""Results of NVIDIA's RULER (commit c3f5e3b): predictions, and summaries where there are no others.

``MODEL/synthetic/LENGTH/pred/TASK.jsonl`` holds a prediction per line. Language model, length asked
for in tokens and task are in the path alone; a task in chunks, ``TASK-0.jsonl``, is one task. The
score follows the suite: the share of ``outputs`` that are in ``pred``, letter case aside, and for
``qa`` tasks whether any of them is. The case is ``index``; where several prompts share one (the
runner writes the place of the answer into it since commit d4293b9), in whichever chunk, a digest of
their answers is added. ``length`` in the file is the tokens of the prompt and of the answer to
come: it is kept as ``length_in_file``. Where the prompt is stored, ``answer_position`` is where its
answer starts, a fraction of its characters, and ``answer_tenth`` the middle of the tenth that this
is in. No file names a depth, and nearly every prompt has a place of its own: ``--map
depth=answer_tenth`` takes the tenths for depths.
An empty prediction has no score here; the suite counts it as wrong, as ``official_score`` does.

``summary.csv`` holds the mean score of every task, in percent, and ``Nulls`` how many of how many
predictions are empty: counts per task and length, and no single trials. Sums are recovered exactly
from the two decimals where the number of answers to a prompt is the suite's. ``avg`` is no task.
``submission.csv`` holds predictions without references, and cannot be scored.

``nemo_ruler`` is the same suite run by NVIDIA-NeMo/Skills (commit 8b18f39):
``ruler.SETUP.TASK/output.jsonl`` with ``generation``, ``expected_answer`` and ``is_correct``, the
share that was found, which is worked out as above where it is missing. The length is what SETUP
ends with (``llama_128k``, ``llama-131072``), what comes before it the language model;
``output-rs1.jsonl`` is the second run of every case.

Nobody guesses such answers. Summaries were checked on published ones of two language models,
predictions and ``nemo_ruler`` on files made after the code that writes them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from lcstats.cells import Cells, cells_from_count_frame
from lcstats.errors import (
    FormatError,
    Notice,
    OptionError,
    TableError,
    UnscoredWarning,
    describe,
)
from lcstats.readers.csv_table import load_csv
from lcstats.readers.encodings import decode_head
from lcstats.readers.fields import check_fields, require_fields
from lcstats.readers.folders import folder_notices, folders_above
from lcstats.readers.formats import Format
from lcstats.readers.official import OFFICIAL, empty_notices, wants_official
from lcstats.readers.picked import load_picked
from lcstats.readers.places import ANSWER_POSITION, place_notices, with_places
from lcstats.readers.request import ReadRequest
from lcstats.readers.runs import number_runs, short_digest
from lcstats.readers.samples import Sample, split_line
from lcstats.trials import (
    Knowledge,
    Origin,
    Part,
    RawTable,
    Reading,
    TableOptions,
    Trials,
    build_trials,
)
from lcstats.trials.assemble import no_scored_trials
from lcstats.trials.columns import DESIGN_COLUMNS
from lcstats.trials.design import read_design
from lcstats.trials.faults import Faults
from lcstats.trials.naming import name_columns
from lcstats.trials.wording import counted

_PREDICTION = {"index", "pred", "outputs"}
_DATASET = {"index", "input", "outputs", "length"}
_SUBMISSION = ("Task", "ID", "Prediction")
_NEMO = {"index", "generation", "expected_answer", "length"}
_KEPT = ("index", "pred", "outputs", "truncation", "length")
_LENGTH_FOLDER, _MODEL_FOLDER = "name of folder", "name of its folder"
_CONTROL = re.compile(r"[\x00-\x1f]")
_CHUNK = re.compile(r"-\d+$")
_TASKS = re.compile(r"^Tasks,(.*)$", re.MULTILINE)
_NULLS = re.compile(r"(\d+)/(\d+)")
_SETUP = re.compile(r"ruler\.(?P<model>.+)[-_](?P<length>\d+[kKmM]?)\.(?P<task>[^.]+)")
_SEED = re.compile(r"-rs(\d+)$")
_DIGEST, _SEED_COLUMN = "digest of outputs", "seed"
_SUITE = "synthetic"
_AVERAGE = re.compile(r"(?<![a-z])w?(avg|average|mean)(?![a-z])", re.IGNORECASE)
"""A word in the names of columns that are no tasks."""

_N_ANSWERS = {"niah_multivalue": 4, "niah_multiquery": 4, "vt": 5, "cwe": 10, "fwe": 3}
"""Answers that a prompt of a task asks for, where it is not one."""

_FINEST = 10_000
"""Two decimals of a percentage tell so many sums apart."""

_COLUMNS = {
    "model": _MODEL_FOLDER,
    "task": "task",
    "case": "case",
    "repeat": "run",
    "length": _LENGTH_FOLDER,
    "score": "outputs found",
    "n_needles": "outputs asked for",
    "n_found": "number found",
    "status": "what became of it",
    "output": "pred",
}


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    if sample.shape == "csv":
        return _is_summary(sample) or _is_submission(sample)
    return sample.record.keys() >= _PREDICTION or _is_dataset(sample)


def _is_summary(sample: Sample) -> bool:
    counts_up = sample.columns == tuple(map(str, range(len(sample.columns))))
    return counts_up and re.search(rb"^Tasks,", sample.source.data, re.MULTILINE) is not None


def _is_submission(sample: Sample) -> bool:
    return sample.columns == _SUBMISSION


def _is_dataset(sample: Sample) -> bool:
    return sample.record.keys() >= _DATASET and "pred" not in sample.record


def _sniff_nemo(sample: Sample, columns: Mapping[str, str]) -> bool:
    has_fields = sample.record.keys() >= _NEMO
    return has_fields and isinstance(sample.record["expected_answer"], list)


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    summaries = [sample for sample in samples if _is_summary(sample)]
    predictions = [
        sample for sample in samples if sample.shape != "csv" and not _is_dataset(sample)
    ]
    if predictions:
        tables = _with_cases([_load_predictions(sample, request) for sample in predictions])
    elif summaries:
        tables = [_load_summaries(summaries, request)]
    else:
        raise _without_scores(samples[0])
    used = predictions or summaries
    aside = [sample for sample in samples if sample not in used]
    first, *others = tables
    notices = (
        *_aside_notices(aside, predictions),
        *folder_notices(filter(None, map(_doubtful_model, used))),
        *_empty_notices(tables, request),
        *place_notices(tables, request),
    )
    return [replace(first, notices=(*notices, *first.notices)), *others]


def _load_predictions(sample: Sample, request: ReadRequest) -> RawTable:
    task = _task_of(sample)
    table = load_picked(sample, request, partial(_pick, is_needle=task.startswith("niah")))
    require_fields(table, {"index"}, "ruler")
    require_fields(table, {"outputs"}, "ruler", list)
    check_fields(table, {"pred": "text"}, "ruler")
    frame = table.frame if "pred" in table.frame else table.frame.assign(pred=None)
    frame = _scored(frame, task, frame["pred"], frame["outputs"])
    frame = _with_official(frame, request)
    added: dict[str, Any] = {_LENGTH_FOLDER: _length_of(sample, request)}
    if (model := _model_of(sample)) is not None:
        added[_MODEL_FOLDER] = model
    return replace(table, frame=with_places(frame).assign(**added))


def _pick(record: Mapping[Any, Any], *, is_needle: bool) -> dict[str, Any]:
    row = {name: record[name] for name in _KEPT if name in record}
    outputs, prompt = record.get("outputs"), record.get("input")
    if is_needle and isinstance(prompt, str) and isinstance(outputs, list) and outputs:
        place = _place_in(prompt, str(outputs[0]), record.get("index"))
        row[ANSWER_POSITION] = place / len(prompt) if place >= 0 else None
    return row


def _place_in(prompt: str, answer: str, index: object) -> int:
    """Return where an answer starts, -1 if nowhere; the index may be that already."""
    if isinstance(index, int) and index > 0 and prompt.startswith(answer, index):
        return index
    return prompt.find(answer)


def _scored(frame: pd.DataFrame, task: str, preds: pd.Series, answers: pd.Series) -> pd.DataFrame:
    """Add score, digest of the answers and what became of the request."""
    is_any = task.startswith("qa")
    found = [_n_found(pred, listed) for pred, listed in zip(preds, answers, strict=True)]
    asked = answers.map(len).to_numpy()
    shares = [
        None if n is None or not total else float(n > 0) if is_any else n / total
        for n, total in zip(found, asked, strict=True)
    ]
    needles: dict[str, Any] = {}
    if not is_any:
        needles = {"outputs asked for": asked, "number found": pd.Series(found, dtype="Int64")}
    return frame.assign(
        task=task,
        **{
            _DIGEST: answers.map(short_digest),
            "outputs found": shares,
            "what became of it": preds.map(_status_of),
            **needles,
        },
    )


def _with_official(frame: pd.DataFrame, request: ReadRequest) -> pd.DataFrame:
    """Add the suite's own score, to which empty predictions are wrong."""
    status = frame["what became of it"]
    official = frame["outputs found"].mask(status == "empty", 0.0)
    if wants_official(request):
        status = status.replace("empty", "ok")
    return frame.assign(**{OFFICIAL: official, "what became of it": status})


def _n_found(pred: object, answers: Sequence[object]) -> int | None:
    r"""Return how many answers are in a prediction by the suite's rule; None if there is none.

    Examples
    --------
    >>> _n_found("It is 7 and\x00ABC.", ["abc", "8"]), _n_found("", ["abc"])
    (1, None)
    """
    if not isinstance(pred, str) or not pred.strip():
        return None
    text = _CONTROL.sub("\n", pred.strip()).strip().lower()
    return sum(str(answer).lower() in text for answer in answers)


def _status_of(pred: object) -> str:
    if not isinstance(pred, str):
        return "error"
    return "ok" if pred.strip() else "empty"


def _with_cases(tables: Sequence[RawTable]) -> list[RawTable]:
    """Add case and run: the index, told apart by its answers where several prompts share one.

    Chunks of a task are files of their own, so an index is looked for in all files of a task at a
    length.
    """
    frames = [table.frame for table in tables]
    names = ["task", _LENGTH_FOLDER, "index", _DIGEST]
    keys = pd.concat([frame.reindex(columns=names) for frame in frames], keys=range(len(frames)))
    keys = keys.astype("str")
    is_shared = keys.groupby(names[:-1])[_DIGEST].transform("nunique") > 1
    cases = keys["index"].where(~is_shared, keys["index"] + " (" + keys[_DIGEST] + ")")
    return [
        _known(replace(table, frame=_with_runs(table.frame.assign(case=cases.loc[number]))))
        for number, table in enumerate(tables)
    ]


def _with_runs(frame: pd.DataFrame) -> pd.DataFrame:
    """Number the runs of each case, after those of the files before where they have a seed."""
    before = frame.get(_SEED_COLUMN, 0)
    runs = number_runs(frame[["case"]], frame["pred"]) + before
    return frame.assign(run=runs).drop(columns=[_DIGEST, _SEED_COLUMN], errors="ignore")


def _length_of(sample: Sample, request: ReadRequest) -> str | None:
    place = _place_of(sample)
    if place is not None:
        return folders_above(sample)[place]
    if "length" in request.table.columns:
        return None
    raise FormatError(
        describe(
            f"{sample.name} does not say its length: none of its nearest folders is named after it",
            "expected a path such as MODEL/synthetic/4096/pred/niah_single_1.jsonl",
            "give the folders back the names that RULER gave them",
        )
    )


def _place_of(sample: Sample) -> int | None:
    """Return which of the nearest folders is named after a length."""
    nearest = folders_above(sample)[:2]
    return next((place for place, name in enumerate(nearest) if name.isdecimal()), None)


def _model_of(sample: Sample) -> str | None:
    folders, place = folders_above(sample), _place_of(sample)
    return None if place is None or place + 2 >= len(folders) else folders[place + 2]


def _doubtful_model(sample: Sample) -> str | None:
    """Return the language model's name, if the folders are not those that RULER makes."""
    place = _place_of(sample)
    is_made_by_ruler = place == 1 and folders_above(sample)[2:3] == (_SUITE,)
    return None if is_made_by_ruler else _model_of(sample)


def _known(table: RawTable) -> RawTable:
    known = {name: theirs for name, theirs in _COLUMNS.items() if theirs in table.frame}
    knowledge = Knowledge(known, aliases=False, depth_unit="fraction", score_scale="0-1")
    return replace(table, knowledge=knowledge)


def _empty_notices(tables: Sequence[RawTable], request: ReadRequest) -> tuple[Notice, ...]:
    """Say how many predictions are empty, and what the suite makes of them."""
    columns = [table.frame.get("pred") for table in tables]
    texts = [
        column[column.map(lambda pred: isinstance(pred, str))]
        for column in columns
        if column is not None
    ]
    n_empty = sum(int((text.str.strip() == "").sum()) for text in texts)
    n_null = sum(int(table.frame["nulls"].sum()) for table in tables if "nulls" in table.frame)
    if not n_null:
        return empty_notices(n_empty, "RULER", request)
    message = f"{counted(n_null, 'output')} empty, which RULER's means count as wrong: "
    return (Notice("empty-outputs", message + "read pred/TASK.jsonl to have them unscored"),)


def _load_summaries(samples: Sequence[Sample], request: ReadRequest) -> RawTable:
    """Load the mean of every task; a task's own summary gives way to the one of all tasks."""
    in_all: dict[tuple[str, ...], set[str]] = {}
    frames, notices = [], []
    ordered = sorted(samples, key=lambda sample: sample.source.stem != "summary")
    for sample in ordered:
        frame = _load_summary(sample, request)
        known = in_all.setdefault(folders_above(sample), set())
        again = frame["task"].isin(known)
        if again.any():
            names = ", ".join(frame["task"][again])
            message = f"{sample.name}: {names} left out, which summary.csv beside it holds too"
            notices.append(Notice("summary-twice", message))
        frames.append(frame[~again])
        known.update(frame["task"])
    parts = [
        Part(sample.name, len(frame), "task", frame["number"].tolist().__getitem__)
        for sample, frame in zip(ordered, frames, strict=True)
    ]
    frame = pd.concat(frames, ignore_index=True).drop(columns="number")
    known_columns = {"task": "task", "length": _LENGTH_FOLDER}
    if _MODEL_FOLDER in frame:
        known_columns["model"] = _MODEL_FOLDER
    knowledge = Knowledge(known_columns, aliases=False)
    return RawTable(frame, Origin(tuple(parts)), knowledge, tuple(notices))


def _load_summary(sample: Sample, request: ReadRequest) -> pd.DataFrame:
    rows = load_csv(sample, request).frame.astype("str").to_numpy().tolist()
    lines = {row[0]: row[1:] for row in rows}
    missing = {"Tasks", "Score", "Nulls"} - lines.keys()
    if missing:
        raise FormatError(
            describe(
                f"{sample.name} has no row {' and '.join(sorted(missing))}",
                "expected the rows Tasks, Score and Nulls: means need the number of predictions",
                "run RULER's evaluate.py again, or read pred/TASK.jsonl",
            )
        )
    found = [
        _summed(sample, number, *cells)
        for number, cells in enumerate(
            zip(lines["Tasks"], lines["Score"], lines["Nulls"], strict=True), 1
        )
        if not _AVERAGE.search(cells[0])
    ]
    _refuse_twice(sample, [str(row["task"]) for row in found])
    frame = pd.DataFrame(found)
    frame[_LENGTH_FOLDER] = _length_of(sample, request)
    if (model := _model_of(sample)) is not None:
        frame[_MODEL_FOLDER] = model
    return frame


def _refuse_twice(sample: Sample, tasks: Sequence[str]) -> None:
    twice = sorted({task for task in tasks if tasks.count(task) > 1})
    if twice:
        raise FormatError(
            describe(
                f"{sample.name} lists {', '.join(twice)} more than once",
                "expected one mean for each task",
                "remove the other columns, or read pred/TASK.jsonl",
            )
        )


def _summed(sample: Sample, number: int, task: str, score: str, nulls: str) -> dict[str, object]:
    """Return how many predictions a task has, and the sum of their scores."""
    match = _NULLS.fullmatch(nulls)
    try:
        mean = float(score)
    except ValueError:
        mean = float("nan")
    if match is None or not 0 <= mean <= 100:
        raise FormatError(
            describe(
                f"{sample.name}: {task} has the score {score} and the nulls {nulls}",
                "expected a percentage, and empty predictions of all, such as 0/500",
                "run RULER's evaluate.py again, or read pred/TASK.jsonl",
            )
        )
    n_cases = int(match[2])
    total = sum_of_mean(mean / 100, n_cases, _N_ANSWERS.get(task, 1))
    row = {"task": task, "number": number, "n_cases": n_cases, "successes": total}
    return {**row, "nulls": int(match[1])}


def sum_of_mean(mean: float, n_cases: int, n_answers: int) -> float:
    """Return the sum of scores behind a mean that was rounded to two decimals of a percentage.

    Parameters
    ----------
    mean : float
        In [0, 1].
    n_cases : int
    n_answers : int
        Each score is a share of so many answers.

    Examples
    --------
    >>> sum_of_mean(0.7667, 10, 3) * 3, sum_of_mean(0.3684, 19, 1)
    (23.0, 7.0)
    """
    n_parts = n_cases * n_answers
    nearest = round(mean * n_parts)
    is_exact = abs(mean * n_parts - nearest) <= 0.5e-4 * n_parts + 1e-6 and n_parts < _FINEST
    return nearest / n_answers if is_exact else mean * n_cases


def _without_scores(sample: Sample) -> FormatError:
    if _is_submission(sample):
        found = f"{sample.name} holds predictions without their references and lengths"
    else:
        found = f"{sample.name} holds prompts, and no predictions"
    return FormatError(
        describe(
            found,
            "expected RULER's pred/TASK.jsonl, or the summary.csv that evaluate.py writes",
            "name one of these files, or their folder",
        )
    )


def _aside_notices(aside: Sequence[Sample], predictions: Sequence[Sample]) -> Iterator[Notice]:
    """Say what was left out: summaries of trials that are there, or that are not, and the rest."""
    there = {(folders_above(s), _task_of(s)) for s in predictions}
    summaries = [sample for sample in aside if _is_summary(sample)]
    alone = [s for s in summaries if not {(folders_above(s), t) for t in _tasks_in(s)} <= there]
    others = [sample for sample in aside if sample not in alone]
    if others:
        message = f"{counted(len(others), 'file')} without trials of their own left out: "
        yield Notice("other-files", message + _listed(others))
    if alone:
        message = (
            f"{counted(len(alone), 'file')} with means of tasks without predictions here left "
            f"out, for means and trials are not read together: {_listed(alone)}; read them by "
            "themselves"
        )
        yield Notice("means-left-out", message, UnscoredWarning)


def _listed(samples: Sequence[Sample]) -> str:
    return ", ".join(sample.name for sample in samples[:3]) + ", ..." * (len(samples) > 3)


def _tasks_in(summary: Sample) -> set[str]:
    """Return the tasks that a summary has means of."""
    match = _TASKS.search(decode_head(summary.source.data, summary.codec))
    names = split_line(match[1].strip(), ",") if match else ()
    return {name for name in names if not _AVERAGE.search(name)}


def _task_of(sample: Sample) -> str:
    return _CHUNK.sub("", sample.source.stem)


def _build(tables: Sequence[RawTable], options: TableOptions, reading: Reading) -> Trials | Cells:
    if "nulls" in tables[0].frame:
        return _build_cells(tables, options, reading)
    return build_trials(tables, options, reading)


def _build_cells(tables: Sequence[RawTable], options: TableOptions, reading: Reading) -> Cells:
    """Turn means and numbers of predictions into cells, which hold sums of shares."""
    named = name_columns(tables, options, wanted=DESIGN_COLUMNS, required=("length",))
    if options.score_threshold is not None:
        raise OptionError(
            describe(
                f"{named.origin.name} holds mean scores, and a score threshold was given",
                "expected scores of single trials for it",
                "leave out --score-threshold, or read pred/TASK.jsonl",
            )
        )
    faults = Faults(named.origin)
    design = read_design(named, options, faults)
    faults.raise_any()
    if not named.frame["n_cases"].any():
        raise TableError(no_scored_trials(named.origin.name, "no task has predictions"))
    frame = design.frame.assign(
        n_cases=named.frame["n_cases"].astype(np.int64),
        successes=named.frame["successes"].astype(np.float64),
    )
    return cells_from_count_frame(
        frame,
        length_unit=design.length_unit,
        reading=replace(reading, mapping=dict(named.mapping), depth_unit=design.depth_unit),
        notices=(*named.notices, *design.notices),
    )


def _load_nemo(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    first, *others = _with_cases([_load_nemo_file(sample, request) for sample in samples])
    notices = (*_empty_notices([first, *others], request), *first.notices)
    return [replace(first, notices=notices), *others]


def _load_nemo_file(sample: Sample, request: ReadRequest) -> RawTable:
    folders = folders_above(sample)
    matches = [match for name in folders[:2] if (match := _SETUP.fullmatch(name))]
    if not matches:
        raise FormatError(
            describe(
                f"{sample.name} does not say its length and task in the name of its folder",
                "expected a folder such as ruler.llama_128k.niah_single_1",
                "give it back the name that NeMo-Skills gave it",
            )
        )
    match, seed = matches[0], _SEED.search(sample.source.stem)
    table = load_picked(sample, request, _pick_nemo)
    require_fields(table, {"index"}, "nemo_ruler")
    require_fields(table, {"expected_answer"}, "nemo_ruler", list)
    check_fields(table, {"is_correct": "share", "generation": "text"}, "nemo_ruler")
    frame = table.frame.rename(columns={"generation": "pred"})
    frame = frame if "pred" in frame else frame.assign(pred=None)
    frame = _scored(frame, match["task"], frame["pred"], frame["expected_answer"])
    stored = pd.to_numeric(frame.get("is_correct", pd.Series(np.nan, frame.index)))
    is_ok = frame["what became of it"] == "ok"
    frame = frame.assign(
        **{
            "outputs found": stored.fillna(frame["outputs found"]).where(is_ok),
            _LENGTH_FOLDER: match["length"],
            _MODEL_FOLDER: match["model"],
        }
    )
    frame = _with_official(frame, request)
    if seed is not None:
        frame[_SEED_COLUMN] = int(seed[1])
    return replace(table, frame=frame)


def _pick_nemo(record: Mapping[Any, Any]) -> dict[str, Any]:
    names = ("index", "generation", "expected_answer", "is_correct", "length")
    return {name: record[name] for name in names if name in record}


RULER = Format(
    name="ruler",
    title="RULER: pred/TASK.jsonl, or summary.csv (means, numbers of predictions)",
    carries="language model, length asked for and task (the path), share of the answers found, "
    "answers asked for and found, index as case, empty predictions as unscored, place of the "
    "answer in the prompt, output; of a summary, predictions and sum of scores of each task",
    lacks="depth (answer_position or answer_tenth can be taken for it), tokens received, failed "
    "requests; a submission.csv cannot be scored",
    checked="published summaries of two language models; predictions made after the code",
    shapes=("jsonl", "json", "csv"),
    sniff=_sniff,
    load=_load,
    build=_build,
)

NEMO_RULER = Format(
    name="nemo_ruler",
    title="RULER run by NeMo-Skills, ruler.SETUP.TASK/output.jsonl",
    carries="language model, length asked for and task (the folder's name), share of the answers "
    "found, index as case, seeds as repeats, output",
    lacks="depth, tokens received, failed requests",
    checked="files made after the code that writes them",
    shapes=("jsonl", "json"),
    sniff=_sniff_nemo,
    load=_load_nemo,
)
