"""A file of finished simulations, so that an interrupted plan goes on where it stopped."""

import json
import os
import time
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lcstats.errors import FormatError, OptionError, describe
from lcstats.plan.simulation.estimates import LEVEL, Design

FORMAT_VERSION = 1
SECONDS_BETWEEN_WRITES = 1.0

UNKNOWN = -1
"""Value of a simulation that is not finished."""

Results = NDArray[np.int32]
"""Values, and whether the fit failed, shape (2, n_simulations)."""


def settings_of(design: Design) -> dict[str, Any]:
    """Return, by names for people, what finished simulations depend on beside numbers of cases."""
    planned = design.planned
    parts = (planned.lengths, planned.depths, planned.accuracies)
    content = b"".join(np.ascontiguousarray(part).tobytes() for part in parts)
    return {
        "version": FORMAT_VERSION,
        "truth": planned.name,
        "accuracies": sha256(content + repr(planned.haystack).encode()).hexdigest(),
        "criterion": design.criterion.to_dict(),
        "method": design.method,
        "seed": design.seed,
        "level": LEVEL,
    }


def key_of(kind: str, n_cases: NDArray[np.int64]) -> str:
    """Name the results of some numbers of cases in the file."""
    return f"{kind}-{sha256(np.ascontiguousarray(n_cases).tobytes()).hexdigest()[:24]}"


@dataclass(slots=True)
class Checkpoint:
    """Finished simulations of one plan, by numbers of cases; kept in a file if there is a path.

    Attributes
    ----------
    path : Path or None
    settings : mapping
        Of :func:`settings_of`; empty without a path.
    results : dict of str to ndarray of int32, shape (2, n_simulations)
    """

    path: Path | None
    settings: Mapping[str, Any]
    results: dict[str, Results] = field(default_factory=dict)
    written: float = field(default_factory=time.monotonic)

    @classmethod
    def open(cls, path: str | os.PathLike[str] | None, design: Design) -> "Checkpoint":
        """Read a file that may not exist yet.

        Raises
        ------
        OptionError
            If it is of another plan.
        FormatError
            If it is no checkpoint.
        """
        if path is None:
            return cls(None, {})
        settings = settings_of(design)
        if not Path(path).exists():
            return cls(Path(path), settings)
        stored, results = _read(Path(path))
        _check_same(Path(path), stored, settings)
        return cls(Path(path), settings, results)

    def reserve(self, key: str, n_simulations: int) -> Results:
        """Return the results of a key, with room for so many simulations; they may be more."""
        known = self.results.get(key, np.empty((2, 0), dtype=np.int32))
        room = np.full((2, max(n_simulations, known.shape[1])), UNKNOWN, dtype=np.int32)
        room[:, : known.shape[1]] = known
        self.results[key] = room
        return room

    def write(self, *, now: bool = False) -> None:
        """Replace the file by all that is finished, at once or when the last write is a while ago.

        The file is written beside and moved into place: it is whole at any time.
        """
        if self.path is None or not (
            now or time.monotonic() - self.written > SECONDS_BETWEEN_WRITES
        ):
            return
        beside = self.path.with_name(f"{self.path.name}.part")
        with beside.open("wb") as file:
            np.savez(file, allow_pickle=False, settings=json.dumps(self.settings), **self.results)
        beside.replace(self.path)
        self.written = time.monotonic()


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Results]]:
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            results = {name: stored[name] for name in stored.files if name != "settings"}
            return _laid_out(json.loads(str(stored["settings"])), results)
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise FormatError(
            describe(
                f"{path} is no checkpoint of a plan",
                "expected a file that an interrupted plan left behind",
                "name another file, or a new one",
            )
        ) from error


def _laid_out(
    settings: Any, results: dict[str, Results]
) -> tuple[dict[str, Any], dict[str, Results]]:
    """Return what a file holds; ValueError where :meth:`Checkpoint.write` did not lay it out."""
    fits = (
        found.dtype == np.int32 and found.ndim == 2 and len(found) == 2
        for found in results.values()
    )
    if not (isinstance(settings, dict) and all(fits)):
        raise ValueError("settings or results are laid out otherwise")
    return settings, results


def _check_same(path: Path, stored: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    other = [name for name in settings if stored.get(name) != settings[name]]
    if other:
        raise OptionError(
            describe(
                f"checkpoint {path} is of a plan with another {' and '.join(other)}",
                "expected finished simulations of this very plan",
                "name a new file, or plan with the settings it was begun with",
            )
        )
