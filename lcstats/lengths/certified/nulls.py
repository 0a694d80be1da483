"""Laws of scan statistics where every cell lies at the bar: simulated once, and kept on disk."""

import os
from bisect import bisect_right
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from platformdirs import user_cache_path
from scipy.special import betaincinv

from lcstats.records import freeze_arrays

CONFIDENCE = 0.999
"""With which a share of simulated tables bounds the probability that it stands for."""

LAW_VERSION = 1
"""Changes with the statistics or with how they are simulated, so that no old law is read."""

Block = TypeVar("Block", bound=tuple[Any, ...])

TIE = 1e-9
"""Relative difference within which two sums of likelihood ratios are the same number."""


@dataclass(frozen=True, slots=True, eq=False)
class TailLaw:
    """A simulated law, for upper bounds of its tail probabilities.

    Attributes
    ----------
    values : ndarray of float64, shape (n_tables,)
        Ascending.
    """

    values: NDArray[np.float64]

    def __post_init__(self) -> None:
        """Make the array read-only."""
        freeze_arrays(self)

    def p_values(self, statistics: NDArray[np.float64]) -> NDArray[np.float64]:
        """Bound P(law >= statistic) from above, each with confidence .999 (Clopper-Pearson)."""
        reached = self.values.size - np.searchsorted(self.values, statistics * (1 - TIE))
        return share_bound(reached, self.values.size)

    def n_rejected(self, statistics: NDArray[np.float64], limit: float) -> int:
        """Count statistics with a p-value of at most `limit`."""
        most = bisect_right(range(self.values.size), limit, key=self._bound_of)
        if most == 0:
            return 0
        critical = self.values[self.values.size - most]
        return int(np.count_nonzero(statistics * (1 - TIE) > critical))

    def share_rejected(self, statistics: NDArray[np.float64], limit: float) -> float:
        """Bound the probability of a p-value of at most `limit`, from simulated statistics."""
        n_rejected = self.n_rejected(statistics, limit)
        return float(share_bound(np.array(n_rejected), statistics.size))

    def _bound_of(self, n_reached: int) -> float:
        return float(share_bound(np.array(n_reached), self.values.size))


def share_bound(n_hits: NDArray[np.int64], n_tables: int) -> NDArray[np.float64]:
    """Upper Clopper-Pearson bound of a probability that `n_hits` of `n_tables` estimate.

    Examples
    --------
    >>> share_bound(np.array([0, 50, 1000]), 1000).round(4).tolist()
    [0.0069, 0.075, 1.0]
    """
    others = np.maximum(n_tables - n_hits, 1)
    bound = betaincinv(n_hits + 1.0, others, CONFIDENCE)
    return np.where(n_hits >= n_tables, 1.0, bound)


def p_values_by_block(
    k: NDArray[np.int64],
    block_of: Callable[[int], Block],
    law: Callable[[Block], TailLaw],
    statistics: Callable[[NDArray[np.int64], Block], NDArray[np.float64]],
) -> NDArray[np.float64]:
    """Return a p-value for every row of a table, those of equal designs at once.

    Parameters
    ----------
    k : ndarray of int64, shape (n_rows, n_cells)
    block_of : callable
        Design of the rows that a row's statistic looks at, it being the last of them.
    law : callable
        Law of the statistic of a design.
    statistics : callable
        Of tables, shape (n_tables, n_rows_of_block, n_cells), of a design.

    Returns
    -------
    ndarray of float64, shape (n_rows,)
    """
    rows: dict[Block, list[int]] = {}
    for row in range(len(k)):
        rows.setdefault(block_of(row), []).append(row)
    p_values = np.empty(len(k))
    for block, alike in rows.items():
        tables = np.stack([k[row + 1 - len(block) : row + 1] for row in alike])
        p_values[alike] = law(block).p_values(statistics(tables, block))
    return p_values


def kept_law(design: str, simulate: Callable[[], NDArray[np.float64]]) -> TailLaw:
    """Return the law of a design from the cache folder, or simulate it and keep it there.

    Parameters
    ----------
    design : str
        Everything that the law depends on.
    simulate : callable
        Returns the statistic of every simulated table; equal from call to call.
    """
    path = law_path(design)
    values = _read(path)
    if values is None:
        values = np.sort(simulate())
        _keep(path, values)
    return TailLaw(values)


def law_path(design: str) -> Path:
    """Return the file a law is kept in: ``LCSTATS_CACHE_DIR``, or the user's cache folder."""
    folder = os.environ.get("LCSTATS_CACHE_DIR") or user_cache_path("lcstats")
    name = sha256(f"{LAW_VERSION} {design}".encode()).hexdigest()[:24]
    return Path(folder) / "laws" / f"{name}.npy"


def _read(path: Path) -> NDArray[np.float64] | None:
    """Return a kept law; None where there is none, or where the file is damaged."""
    try:
        values = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    sound = values.dtype == np.float64 and values.ndim == 1 and bool(np.all(np.diff(values) >= 0))
    return values if sound else None


def _keep(path: Path, values: NDArray[np.float64]) -> None:
    """Write a law whole; where no folder can be written to it is simulated again next time."""
    part = path.with_name(f".{path.stem}.{os.getpid()}.npy")
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(part, values)
        part.replace(path)
    with suppress(OSError):
        part.unlink(missing_ok=True)
