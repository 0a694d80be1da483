"""RULER run by NVIDIA-NeMo/Skills."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from lcstats.errors import FormatError, describe
from lcstats.readers.fields import check_fields, require_fields
from lcstats.readers.folders import folders_above, name_places
from lcstats.readers.formats import Format
from lcstats.readers.official import empty_notices
from lcstats.readers.picked import load_picked
from lcstats.readers.request import ReadRequest
from lcstats.readers.ruler.paths import LENGTH_FOLDER, MODEL_FOLDER, run_notices
from lcstats.readers.ruler.scoring import (
    SHARE,
    STATUS,
    count_empty,
    with_cases,
    with_official,
    with_scores,
)
from lcstats.readers.samples import Sample
from lcstats.trials import RawTable

_FIELDS = {"index", "generation", "expected_answer", "length"}
_PICKED = ("index", "generation", "expected_answer", "is_correct", "length")
_SETUP = re.compile(r"ruler\.(?P<model>.+)[-_](?P<length>\d+[kKmM]?)\.(?P<task>[^.]+)")


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    has_fields = sample.record.keys() >= _FIELDS
    return has_fields and isinstance(sample.record["expected_answer"], list)


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    setups = {sample: _setup_of(sample) for sample in samples}
    models = _name_models(setups, request)
    loaded = [_load_one(sample, setups[sample], models[sample], request) for sample in samples]
    runs = [f"{'/'.join(reversed(folders_above(s)[1:]))} {s.source.stem}" for s in samples]
    first, *others = with_cases(loaded, runs, request)
    notices = (
        *run_notices(models.values()),
        *empty_notices(count_empty([first, *others]), "RULER", request),
    )
    return [replace(first, notices=(*notices, *first.notices)), *others]


def _setup_of(sample: Sample) -> re.Match[str]:
    """Return language model, length and task, which the name of a folder holds."""
    names = folders_above(sample)[:2]
    match = next((match for name in names if (match := _SETUP.fullmatch(name))), None)
    if match is None:
        raise FormatError(
            describe(
                f"{sample.name} does not say its length and task in the name of its folder",
                "expected a folder such as ruler.llama_128k.niah_single_1",
                "give it back the name that NeMo-Skills gave it",
            )
        )
    return match


def _name_models(
    setups: Mapping[Sample, re.Match[str]], request: ReadRequest
) -> Mapping[Sample, str]:
    """Name the language model of each file, with folders where one name means several."""
    if request.table.model_name is not None:
        return {sample: setup["model"] for sample, setup in setups.items()}
    places = {}
    for sample, setup in setups.items():
        folders = folders_above(sample)
        above = folders[folders.index(setup[0]) + 1 :]
        places[sample] = (setup["model"], *above)
    return name_places(places, lambda sample: (setups[sample][0], sample.source.stem))


def _load_one(sample: Sample, setup: re.Match[str], model: str, request: ReadRequest) -> RawTable:
    table = load_picked(sample, request, _pick)
    require_fields(table, {"index"}, "nemo_ruler")
    require_fields(table, {"expected_answer"}, "nemo_ruler", list)
    check_fields(table, {"is_correct": "share", "generation": "text"}, "nemo_ruler")
    frame = table.frame.rename(columns={"generation": "pred"})
    frame = with_scores(frame, setup["task"], frame["expected_answer"])
    stored = pd.to_numeric(frame.get("is_correct", pd.Series(np.nan, frame.index)))
    shares = stored.fillna(frame[SHARE]).where(frame[STATUS] == "ok")
    added = {SHARE: shares, LENGTH_FOLDER: setup["length"], MODEL_FOLDER: model}
    return replace(table, frame=with_official(frame.assign(**added), request))


def _pick(record: Mapping[Any, Any]) -> dict[str, Any]:
    return {name: record[name] for name in _PICKED if name in record}


NEMO_RULER = Format(
    name="nemo_ruler",
    title="RULER run by NeMo-Skills, ruler.SETUP.TASK/output.jsonl",
    carries="language model, length asked for and task (the folder's name), share of the answers "
    "found, index as case, seeds as repeats, output",
    lacks="depth, tokens received, failed requests",
    checked="files made after the code that writes them",
    shapes=("jsonl", "json"),
    sniff=_sniff,
    load=_load,
)
