"""Writing a table of trials so that reading it gives the same table back."""

import csv
import json
import os
import uuid
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Literal

import numpy as np
import pandas as pd

from lcstats.cells import Results
from lcstats.errors import OptionError, describe
from lcstats.extras import load_extra
from lcstats.readers.sources import PathLike
from lcstats.trials import Trials

_CHUNK = 100_000


def write_trials(trials: Results, path: PathLike) -> None:
    """Write a table of trials; :func:`lcstats.readers.read_trials` gives the same table back.

    The file appears whole or not at all: it is written beside its place and moved there.

    Parameters
    ----------
    trials : Trials, Cells or Means
        The table. Cells and means, which have no single trials, are refused.
    path : str or path
        Where to; ``.csv``, ``.jsonl`` or ``.parquet`` decides the format. CSV cannot tell an
        empty output from a missing one.

    Raises
    ------
    OptionError
        If the suffix is another one, or there are only counts.
    MissingExtraError
        If Parquet is asked for without pyarrow.
    """
    if not isinstance(trials, Trials):
        raise OptionError(
            describe(
                "the table holds counts or means, not trials",
                "expected one row per trial",
                "keep the file that was read; it is as short as can be",
            )
        )
    place = Path(path)
    write = _WRITERS.get(place.suffix.lower())
    if write is None:
        raise OptionError(
            describe(
                f"the file is to be named {place.name}",
                f"expected a name that ends with {', '.join(_WRITERS)}",
                "choose one of these suffixes",
            )
        )
    _write_whole(place, _as_written(trials), write)


def _as_written(trials: Trials) -> pd.DataFrame:
    """Return the table as files hold it: without ids that were only counted."""
    frame = trials.frame
    if not trials.has_case_ids:
        frame = frame.assign(repeat=frame["case"]).drop(columns="case")
    if trials.length_unit != "tokens":
        frame = frame.assign(length_unit=trials.length_unit)
    return frame


def _write_whole(place: Path, frame: pd.DataFrame, write: "Writer") -> None:
    partial = place.with_name(f".{place.name}.{uuid.uuid4().hex}.part")
    try:
        write(frame, partial)
        os.replace(partial, place)
    finally:
        partial.unlink(missing_ok=True)


def _write_csv(frame: pd.DataFrame, path: Path) -> None:
    lists = {str(name): frame[name].map(_to_json) for name in frame if frame[name].dtype == object}
    quoting: Literal[0, 2] = (
        csv.QUOTE_NONNUMERIC if _has_carriage_returns(frame) else csv.QUOTE_MINIMAL
    )
    frame.assign(**lists).to_csv(
        path, index=False, lineterminator="\n", encoding="utf-8", quoting=quoting
    )


def _has_carriage_returns(frame: pd.DataFrame) -> bool:
    """Tell whether a text holds what Python leaves unquoted and readers take as a line's end."""
    texts = frame.select_dtypes(exclude="number")
    return any(texts[name].astype("str").str.contains("\r").any() for name in texts)


def _to_json(value: object) -> object:
    """Return a list as JSON, which reads back, and anything else as it is."""
    return json.dumps(value, default=_plain) if isinstance(value, list | dict) else value


def _write_jsonl(frame: pd.DataFrame, path: Path) -> None:
    """Write object by object: pandas' own writer rounds floats."""
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        for start in range(0, len(frame), _CHUNK):
            part = frame.iloc[start : start + _CHUNK].astype(object)
            for record in part.where(part.notna(), None).to_dict("records"):
                file.write(json.dumps(record, ensure_ascii=False, default=_plain) + "\n")


def _plain(value: object) -> object:
    if isinstance(value, np.generic):
        return value.item()
    return value.tolist() if isinstance(value, np.ndarray) else str(value)


def _write_parquet(frame: pd.DataFrame, path: Path) -> None:
    arrow = load_extra("pyarrow", extra="parquet", purpose="writing Parquet")
    mixed = [str(name) for name in frame if not _has_one_type(frame[name], arrow)]
    texts = {name: frame[name].map(_to_text, na_action="ignore") for name in mixed}
    frame.assign(**texts).to_parquet(path, engine="pyarrow", index=False)


def _has_one_type(column: pd.Series, arrow: ModuleType) -> bool:
    """Tell whether Parquet can hold a column as it is: it lacks objects without fields."""
    if column.dtype != object or pd.api.types.infer_dtype(column, skipna=True) == "string":
        return True
    if any(isinstance(value, dict) for value in column):
        return False
    try:
        arrow.array(column, from_pandas=True)
    except (arrow.ArrowException, OverflowError):
        return False
    return True


def _to_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=_plain)


Writer = Callable[[pd.DataFrame, Path], None]

_WRITERS: dict[str, Writer] = {
    ".csv": _write_csv,
    ".jsonl": _write_jsonl,
    ".parquet": _write_parquet,
}
