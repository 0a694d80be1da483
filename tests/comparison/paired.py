"""Pairs made by hand or drawn from two curves, for the tests of this room."""

from dataclasses import replace

import numpy as np

from lcstats.comparison.pairs import Pairs
from lcstats.curve import Curve

LENGTHS = 1024 * 2 ** np.arange(8)
DEPTHS = np.arange(5) / 4


def pairs_of(length, old, new, *, depth=None, cluster=None, unit=1, unit_of_length="tokens"):
    """Put columns into pairs; every case its own cluster and without a depth unless said."""
    n = len(length)
    columns = {
        "length": np.array(length, dtype=np.int64),
        "depth": np.full(n, np.nan) if depth is None else np.array(depth, dtype=np.float64),
        "case": np.arange(n).astype(object),
        "old": np.array(old, dtype=np.int64),
        "new": np.array(new, dtype=np.int64),
        "cluster": np.arange(n) if cluster is None else np.array(cluster, dtype=np.int64),
    }
    return Pairs(
        "old-model",
        "new-model",
        "task",
        unit_of_length,
        unit=unit,
        n_unmatched_old=0,
        n_unmatched_new=0,
        **columns,
    )


def pairs_of_counts(lengths, old_right, new_right, n_cases):
    """Cases without a depth; the first ones of a length are right, so that the two agree."""
    first = np.tile(np.arange(n_cases), len(lengths))
    old, new = (first < np.repeat(right, n_cases) for right in (old_right, new_right))
    return pairs_of(np.repeat(lengths, n_cases), old, new)


def drawn_pairs(old: Curve, new: Curve, *, n_cases=20, shared=0.5, seed=1, lengths=LENGTHS):
    """Cases of two curves; a share of them is decided by the same draw for both."""
    rng = np.random.default_rng(seed)
    shape = (len(lengths), DEPTHS.size, n_cases)
    draws = rng.random((2, *shape))
    draws[1] = np.where(rng.random(shape) < shared, draws[0], draws[1])
    right = [
        draw < curve.accuracy(np.asarray(lengths), DEPTHS)[..., None]
        for draw, curve in zip(draws, (old, new), strict=True)
    ]
    length, depth = np.asarray(lengths)[:, None, None], DEPTHS[:, None]
    return pairs_of(
        np.broadcast_to(length, shape).ravel(),
        right[0].ravel(),
        right[1].ravel(),
        depth=np.broadcast_to(depth, shape).ravel(),
    )


def swapped(pairs: Pairs) -> Pairs:
    """The same pairs, old for new."""
    return replace(
        pairs, old_model=pairs.new_model, new_model=pairs.old_model, old=pairs.new, new=pairs.old
    )
