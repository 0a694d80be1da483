"""Writing a table of trials so that reading it gives the same table back."""

import json
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd

from lcstats.errors import OptionError, describe
from lcstats.readers.extras import load_extra
from lcstats.readers.sources import PathLike
from lcstats.trials import Trials

_LISTS = ("needle_depths", "needle_found")
_CHUNK = 100_000


def write_trials(trials: Trials, path: PathLike) -> None:
    """Write a table of trials; :func:`lcstats.readers.read_trials` gives the same table back.

    The file appears whole or not at all: it is written beside its place and moved there.

    Parameters
    ----------
    trials : Trials
        The table.
    path : str or path
        Where to; ``.csv``, ``.jsonl`` or ``.parquet`` decides the format. CSV cannot tell an
        empty output from a missing one.

    Raises
    ------
    OptionError
        If the suffix is another one.
    MissingExtraError
        If Parquet is asked for without pyarrow.
    """
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
    handle, partial = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.", suffix=".part")
    os.close(handle)
    try:
        write(frame, partial)
        os.chmod(partial, 0o666 & ~_umask())
        os.replace(partial, place)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(partial)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _write_csv(frame: pd.DataFrame, path: str) -> None:
    lists = {name: frame[name].map(_to_json) for name in _LISTS if name in frame}
    frame.assign(**lists).to_csv(path, index=False, lineterminator="\n", encoding="utf-8")


def _to_json(value: object) -> str | None:
    return None if value is None else json.dumps(value)


def _write_jsonl(frame: pd.DataFrame, path: str) -> None:
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


def _write_parquet(frame: pd.DataFrame, path: str) -> None:
    load_extra("pyarrow", extra="parquet", purpose="writing Parquet")
    frame.to_parquet(path, engine="pyarrow", index=False)


Writer = Callable[[pd.DataFrame, str], None]

_WRITERS: dict[str, Writer] = {
    ".csv": _write_csv,
    ".jsonl": _write_jsonl,
    ".parquet": _write_parquet,
}
