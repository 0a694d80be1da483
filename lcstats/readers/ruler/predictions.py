"""Predictions of RULER, and what lies beside them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from lcstats.cells import Cells
from lcstats.errors import FormatError, Notice, UnscoredWarning, describe
from lcstats.readers.fields import check_fields, require_fields
from lcstats.readers.folders import folder_notices, folders_above
from lcstats.readers.formats import Format
from lcstats.readers.official import empty_notices
from lcstats.readers.picked import load_picked
from lcstats.readers.places import ANSWER_POSITION, place_notices, with_places
from lcstats.readers.request import ReadRequest
from lcstats.readers.ruler.paths import (
    LENGTH_FOLDER,
    MODEL_FOLDER,
    is_made_by_ruler,
    length_of,
    name_models,
    run_notices,
    run_of,
    task_of,
)
from lcstats.readers.ruler.scoring import count_empty, with_cases, with_official, with_scores
from lcstats.readers.ruler.summaries import (
    NULLS,
    build_cells,
    is_summary,
    load_summaries,
    tasks_in,
)
from lcstats.readers.samples import Sample
from lcstats.trials import RawTable, Reading, TableOptions, Trials, build_trials
from lcstats.trials.wording import counted

_PREDICTION = {"index", "pred", "outputs"}
_DATASET = {"index", "input", "outputs", "length"}
_SUBMISSION = ("Task", "ID", "Prediction")
_KEPT = ("index", "pred", "outputs", "truncation", "length")


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    if sample.shape == "csv":
        return is_summary(sample) or _is_submission(sample)
    return sample.record.keys() >= _PREDICTION or _is_dataset(sample)


def _is_submission(sample: Sample) -> bool:
    return sample.columns == _SUBMISSION


def _is_dataset(sample: Sample) -> bool:
    return sample.record.keys() >= _DATASET and "pred" not in sample.record


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    summaries = [sample for sample in samples if is_summary(sample)]
    predictions = [
        sample for sample in samples if sample.shape != "csv" and not _is_dataset(sample)
    ]
    used = predictions or summaries
    if not used:
        raise _without_scores(samples[0])
    models = name_models(used, request)
    if predictions:
        tables = _load_predictions(predictions, models, request)
    else:
        tables = [load_summaries(summaries, models, request)]
    first, *others = tables
    aside = [sample for sample in samples if sample not in used]
    notices = (
        *_aside_notices(aside, predictions),
        *folder_notices(models[sample] for sample in models if not is_made_by_ruler(sample)),
        *run_notices(models.values()),
    )
    return [replace(first, notices=(*notices, *first.notices)), *others]


def _load_predictions(
    samples: Sequence[Sample], models: Mapping[Sample, str], request: ReadRequest
) -> list[RawTable]:
    loaded = [_load_one(sample, models.get(sample), request) for sample in samples]
    first, *others = with_cases(loaded, list(map(run_of, samples)), request)
    tables = [first, *others]
    notices = (
        *empty_notices(count_empty(tables), "RULER", request),
        *place_notices(tables, request),
    )
    return [replace(first, notices=(*notices, *first.notices)), *others]


def _load_one(sample: Sample, model: str | None, request: ReadRequest) -> RawTable:
    task = task_of(sample)
    table = load_picked(sample, request, partial(_pick, is_needle=task.startswith("niah")))
    require_fields(table, {"index"}, "ruler")
    require_fields(table, {"outputs"}, "ruler", list)
    check_fields(table, {"pred": "text"}, "ruler")
    frame = with_official(with_scores(table.frame, task, table.frame["outputs"]), request)
    added: dict[str, Any] = {LENGTH_FOLDER: length_of(sample, request)}
    if model is not None:
        added[MODEL_FOLDER] = model
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
    there = {(folders_above(s), task_of(s)) for s in predictions}
    summaries = [sample for sample in aside if is_summary(sample)]
    alone = [s for s in summaries if not {(folders_above(s), t) for t in tasks_in(s)} <= there]
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


def _build(tables: Sequence[RawTable], options: TableOptions, reading: Reading) -> Trials | Cells:
    if NULLS in tables[0].frame:
        return build_cells(tables, options, reading)
    return build_trials(tables, options, reading)


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
