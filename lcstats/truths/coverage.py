"""The truths on which an interval has to hold its level: METHOD section 5's list, and harder ones.

Truths described row by row ("64K", "from 16K on") hold their value at the nearest doubling of 1K
between 1K and 128K, so that grids such as 1000, 2000, 4000 meet them too. A truth with one bad
depth d is bad for depths from d - .05 up to, not including, d + .05, so that grids of 5, 11 or 21
depths meet it too. Without a depth (NaN) a truth has no dip, no hole and no recency bonus.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit

from lcstats.curve import (
    BASE_LENGTH,
    SPAN_DOUBLINGS,
    Curve,
    FloatArray,
    accuracy_from_logit,
    check_depths,
    check_lengths,
    middle_weight,
)
from lcstats.truths.tasks import SINGLE_NEEDLE, WORKED_CURVE
from lcstats.truths.truth import SharedHaystack, Truth, check_logit_sd


def cells_deviate(curve: Curve = WORKED_CURVE, *, logit_sd: float = 0.4) -> Truth:
    """Return a curve whose cells each stray by a normal deviate on the logit, redrawn every time.

    The accuracies a method has to find are the drawn ones: see :meth:`Truth.drawn`.
    """
    check_logit_sd(logit_sd)
    return Truth(
        "cells-deviate",
        "every cell strays from the curve, redrawn in every simulation",
        curve.accuracy,
        draw_cells=partial(_deviating_cells, curve, logit_sd),
    )


def shared_haystack(curve: Curve = WORKED_CURVE, *, logit_sd: float = 0.8) -> Truth:
    """Return a truth whose trials of one number and length share a haystack at all depths.

    Its ``accuracy`` is marginal, over all haystacks.
    """
    haystack = SharedHaystack(curve, logit_sd)
    return Truth(
        "shared-haystack",
        "trials of one number share a haystack at all depths of a length",
        haystack.accuracy,
        haystack=haystack,
    )


def _deviating_cells(
    curve: Curve, logit_sd: float, lengths: ArrayLike, depths: ArrayLike, rng: Generator
) -> FloatArray:
    centre = curve.logit_accuracy(lengths, depths)
    return accuracy_from_logit(
        centre + logit_sd * rng.standard_normal(centre.shape),
        guess_rate=curve.guess_rate,
        lapse_rate=curve.lapse_rate,
    )


@dataclass(frozen=True, slots=True)
class Hole:
    """A part of the grid with an accuracy of its own.

    Attributes
    ----------
    depths : tuple of float
        From the first up to, not including, the second.
    rows : tuple of int
        First and last row of the hole, in doublings of 1K.
    accuracy : float
    """

    depths: tuple[float, float]
    rows: tuple[int, int]
    accuracy: float


def _stepped(
    rows: Sequence[float], holes: Sequence[Hole], lengths: ArrayLike, depths: ArrayLike
) -> FloatArray:
    """Return rows of constant accuracy, 1K to 128K, with holes."""
    row, depth = _nearest_rows(lengths)[:, None], check_depths(depths)[None, :]
    level = np.take(np.asarray(rows, dtype=np.float64), row)
    accuracy = np.repeat(level, depth.size, axis=1)
    for hole in holes:
        low, high = hole.depths
        first, last = hole.rows
        inside = (row >= first) & (row <= last) & (depth >= low) & (depth < high)
        accuracy[inside] = hole.accuracy
    return accuracy


def _cliff(lengths: ArrayLike, depths: ArrayLike) -> FloatArray:
    """Dip a little up to 32K, then fall to flat rows of .72 and .35."""
    doublings, middle = _doublings(lengths)[:, None], middle_weight(check_depths(depths))
    dip = 0.96 - 0.03 * middle * np.maximum(doublings, 0.0) / 5
    row = _nearest_rows(lengths)[:, None]
    return np.select([row <= 5, row == 6], [dip, 0.72], 0.35)


def _early_loss(lengths: ArrayLike, depths: ArrayLike) -> FloatArray:
    """Lose what stands at the very start of the context, the more so the longer it is."""
    doublings, depth = _doublings(lengths)[:, None], check_depths(depths)[None, :]
    start = np.where(np.isnan(depth), 0.0, np.exp(-((depth / 0.15) ** 2)))
    growth = (np.maximum(doublings, 0.0) / SPAN_DOUBLINGS) ** 1.5
    return np.asarray(expit(3.6 - 0.12 * doublings - 2.8 * growth * start))


def _rises_again(lengths: ArrayLike, depths: ArrayLike) -> FloatArray:
    """Fall below the threshold at 16K and pass it again at 64K, with a dip of constant size."""
    rows = logit(np.array([0.97, 0.96, 0.95, 0.93, 0.80, 0.78, 0.92, 0.96]))
    depth = check_depths(depths)
    dip = np.where(np.isnan(depth), 0.0, 0.5 * (middle_weight(depth) - 0.6))
    return np.asarray(expit(rows[_nearest_rows(lengths)][:, None] - dip[None, :]))


def _all_below(lengths: ArrayLike, depths: ArrayLike) -> FloatArray:
    """Start from .70 at 1K, and decay."""
    doublings, middle = _doublings(lengths)[:, None], middle_weight(check_depths(depths))
    dip = 0.5 * np.maximum(doublings, 0.0) / SPAN_DOUBLINGS * middle
    return np.asarray(expit(np.log(7 / 3) - 0.15 * doublings - dip))


def _sawtooth(lengths: ArrayLike, depths: ArrayLike) -> FloatArray:
    """Swing by .06 around .90 from each tenth of the context to the next, from 8K on."""
    row, depth = _nearest_rows(lengths)[:, None], check_depths(depths)[None, :]
    swing = np.where(np.isnan(depth), 1.0, np.cos(10.0 * np.pi * depth))
    return np.select([row <= 2, row <= 6], [0.96, 0.90 + 0.06 * swing], 0.70)


def _hairline(lengths: ArrayLike, depths: ArrayLike) -> FloatArray:
    """Dip from .98 to a lowest accuracy that passes .85 between 16K (.86) and 32K (.84)."""
    lowest = np.array([0.95, 0.93, 0.91, 0.89, 0.86, 0.84, 0.81, 0.78])
    fall = 0.98 - lowest[_nearest_rows(lengths)]
    return np.asarray(0.98 - fall[:, None] * middle_weight(check_depths(depths)))


def _doublings(lengths: ArrayLike) -> FloatArray:
    return np.log2(check_lengths(lengths) / BASE_LENGTH)


def _nearest_rows(lengths: ArrayLike) -> NDArray[np.intp]:
    """Return the nearest doubling of 1K, held to 0 (1K) .. 7 (128K)."""
    return np.rint(np.clip(_doublings(lengths), 0, 7)).astype(np.intp)


_FALLS_AT_128K = (0.97,) * 7 + (0.70,)

COVERAGE = (
    SINGLE_NEEDLE,
    cells_deviate(),
    Truth("cliff", "good up to 32K, .72 at 64K, .35 at 128K", _cliff),
    Truth(
        "one-bad-depth",
        ".75 at depth .3 from 16K on, else .97; .70 at 128K",
        partial(_stepped, _FALLS_AT_128K, (Hole((0.25, 0.35), (4, 6), 0.75),)),
    ),
    Truth(
        "ceiling",
        "the single needle with a ceiling of .94",
        replace(WORKED_CURVE, lapse_rate=0.06).accuracy,
        default_threshold=0.80,
    ),
    shared_haystack(),
    Truth("plateau", ".86 up to 64K, .5 at 128K", partial(_stepped, (0.86,) * 7 + (0.5,), ())),
    Truth("early-loss", "the start of the context is lost as it grows", _early_loss),
    Truth(
        "recency-cliff",
        "only the later half of the context is read from 16K on",
        partial(_stepped, (0.97,) * 8, (Hole((0.0, 0.5), (4, 7), 0.08),)),
    ),
    Truth(
        "one-bad-cell",
        ".6 at 8K and depth .7, else .97; .70 at 128K",
        partial(_stepped, _FALLS_AT_128K, (Hole((0.65, 0.75), (3, 3), 0.6),)),
    ),
    Truth("rises-again", "fails at 16K and 32K, passes again at 64K", _rises_again),
    Truth("all-99", ".99 everywhere", partial(_stepped, (0.99,) * 8, ())),
    Truth("all-below", "below the threshold from the shortest length on", _all_below),
    Truth(
        "lone-cell",
        ".80 at 4K and depth .5, else .97; .70 at 128K",
        partial(_stepped, _FALLS_AT_128K, (Hole((0.45, 0.55), (2, 2), 0.80),)),
    ),
    Truth(
        "shallow-depth",
        ".82 at depth .3 from 16K on, else .97; .70 at 128K",
        partial(_stepped, _FALLS_AT_128K, (Hole((0.25, 0.35), (4, 6), 0.82),)),
    ),
)
"""METHOD section 5's truths in its order; the first, its base, is the single needle."""

HARD = (
    Truth(
        "two-shallow-depths",
        ".82 at depths .4 and .5 of 8K only, else .97; .70 at 128K",
        partial(_stepped, _FALLS_AT_128K, (Hole((0.35, 0.55), (3, 3), 0.82),)),
    ),
    Truth("sawtooth", ".96 and .84 at every other depth from 8K on; .70 at 128K", _sawtooth),
    replace(
        cells_deviate(logit_sd=1.0),
        name="cells-scatter",
        title="every cell strays from the curve by a factor e of its odds, redrawn every time",
    ),
    Truth(
        "bar-plateau",
        "every cell at the bar itself, .85, up to 32K; .6 from 64K on",
        partial(_stepped, (0.85,) * 6 + (0.6, 0.6), ()),
    ),
    Truth("hairline", "a slow decay whose lowest depth has .86 at 16K and .84 at 32K", _hairline),
    Truth(
        "cold-start",
        ".81 at 1K, .97 from 2K on; .70 at 128K",
        partial(_stepped, (0.81, *_FALLS_AT_128K[1:]), ()),
    ),
    Truth(
        "last-depth",
        ".75 at the very end of 128K only, else .97",
        partial(_stepped, (0.97,) * 8, (Hole((0.95, 1.05), (7, 7), 0.75),)),
    ),
    Truth(
        "weak-length",
        ".82 at 8K only, else .96",
        partial(_stepped, (0.96, 0.96, 0.96, 0.82, 0.96, 0.96, 0.96, 0.96), ()),
    ),
    Truth(
        "moving-hole",
        ".80 at depth .2 of 8K, .4 of 16K, .6 of 32K and .8 of 64K, else .97; .70 at 128K",
        partial(
            _stepped,
            _FALLS_AT_128K,
            tuple(
                Hole((0.2 * i - 0.05, 0.2 * i + 0.05), (i + 2, i + 2), 0.80) for i in range(1, 5)
            ),
        ),
    ),
)
"""Truths meant to mislead a smooth surface, or a scan for low cells.

Their effective length at .85, worst depth and mean: two-shallow-depths 4K, 64K; sawtooth 4K, 64K;
cells-scatter as drawn; bar-plateau 32K, 32K; hairline 16K, 128K or more; cold-start below 1K, both;
last-depth 64K, 128K or more; weak-length 4K, 4K; moving-hole 4K, 64K.
"""

FINAL_CHECK = ("last-depth", "weak-length", "moving-hole")
"""Of :data:`HARD`: kept for a final check. No set is tuned on them."""
