"""Trials of several needles, needle by needle, simulated from a curve of single ones."""

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.random import Generator, Philox
from numpy.typing import ArrayLike, NDArray

from lcstats.curve import Curve, FloatArray, accuracy_from_logit, check_depths, check_lengths
from lcstats.errors import OptionError, describe
from lcstats.options import check_type, check_whole
from lcstats.trials import Trials
from lcstats.truths.simulation import SIMULATED
from lcstats.truths.tasks import WORKED_CURVE, close_places

Places = Callable[[FloatArray], FloatArray]
"""Depths of a trial, shape (n_depths,), to those of its needles, shape (n_needles, n_depths)."""


def simulate_needles(
    lengths: ArrayLike,
    depths: ArrayLike,
    *,
    n_trials: int,
    seed: int,
    curve: Curve = WORKED_CURVE,
    places: Places = close_places,
    shared_sd: float = 0.0,
) -> Trials:
    """Simulate trials that say which of their needles were found.

    Parameters
    ----------
    lengths : array_like of int, shape (n_lengths,)
        Tokens.
    depths : array_like of float, shape (n_depths,)
        Of trials, fractions in [0, 1].
    n_trials : int
        Trials per cell, at least 1, each a case of its own.
    seed : int
        Equal seeds give byte-identical tables.
    curve : Curve
        Of a single needle in a trial of ordinary luck.
    places : callable
        Depths of the needles of a trial; four close together unless given.
    shared_sd : float
        Standard deviation of what the needles of a trial share, on the logit; 0 for needles that
        are found independently.

    Returns
    -------
    Trials
        The score is the share of needles found.

    Raises
    ------
    OptionError
        If a number is out of range.

    Examples
    --------
    >>> trials = simulate_needles([4096, 8192], [0.0, 0.5], n_trials=5, seed=1)
    >>> trials.frame["n_found"].between(0, 4).all(), trials.n_trials
    (np.True_, 20)
    """
    check_type(curve, Curve, "curve")
    check_whole(n_trials, "n_trials", least=1)
    check_whole(seed, "seed")
    if not shared_sd >= 0:
        raise OptionError(
            describe(
                f"shared_sd is {shared_sd!r}",
                "expected a standard deviation of at least 0",
                "leave it out for independent needles",
            )
        )
    length, depth = check_lengths(lengths), check_depths(depths)
    needle_depths = places(depth).T
    logits = curve.logit_accuracy(length, needle_depths.ravel())
    logits = logits.reshape(length.size, *needle_depths.shape)
    found = draw_found(curve, logits, n_trials, shared_sd, Generator(Philox(seed)))
    return Trials.from_frame(_frame(found, length, depth, needle_depths), SIMULATED)


def draw_found(
    curve: Curve, logits: FloatArray, n_trials: int, shared_sd: float, rng: Generator
) -> NDArray[np.bool_]:
    """Draw which needles are found.

    Parameters
    ----------
    curve : Curve
        For its guess and lapse rates.
    logits : ndarray of float64, shape (n_lengths, n_depths, n_needles)
        Of every needle in a trial of ordinary luck.
    n_trials : int
    shared_sd : float
    rng : numpy.random.Generator
        Advanced; trial by trial, so that more trials continue the fewer.

    Returns
    -------
    ndarray of bool, shape (n_lengths, n_depths, n_trials, n_needles)
    """
    luck_rng, needle_rng = rng.spawn(2)
    n_lengths, n_depths, n_needles = logits.shape
    luck = shared_sd * luck_rng.standard_normal((n_trials, n_lengths, n_depths, 1))
    rates = accuracy_from_logit(
        logits + luck, guess_rate=curve.guess_rate, lapse_rate=curve.lapse_rate
    )
    found = needle_rng.random((n_trials, n_lengths, n_depths, n_needles)) < rates
    return np.asarray(found.transpose(1, 2, 0, 3))


def _frame(
    found: NDArray[np.bool_], length: FloatArray, depth: FloatArray, needle_depths: FloatArray
) -> pd.DataFrame:
    """Return one row per trial; `found` has shape (n_lengths, n_depths, n_trials, n_needles)."""
    n_lengths, n_depths, n_trials, n_needles = found.shape
    cell = np.repeat(np.arange(n_lengths * n_depths), n_trials)
    number = np.tile(np.arange(1, n_trials + 1), n_lengths * n_depths)
    marks = found.reshape(-1, n_needles).astype(int)
    places = needle_depths.round(9).tolist()
    return pd.DataFrame(
        {
            "case": list(map(str, number)),
            "length": length.astype(np.int64)[cell // n_depths],
            "depth": depth[cell % n_depths],
            "score": marks.mean(axis=1),
            "n_needles": n_needles,
            "n_found": marks.sum(axis=1),
            "needle_depths": [places[own] for own in cell % n_depths],
            "needle_found": marks.tolist(),
            "model": "simulated",
            "task": f"{n_needles} needles",
            "status": "ok",
        }
    )


def shared_rates(
    curve: Curve, length: float, depths: ArrayLike, shared_sd: float
) -> tuple[FloatArray, FloatArray, float]:
    """Return what simulated trials of one length and placement are like on average.

    Parameters
    ----------
    curve : Curve
    length : float
    depths : array_like, shape (n_needles,)
        Of the needles.
    shared_sd : float

    Returns
    -------
    rates : ndarray of float64, shape (n_needles,)
        Chance that each is found.
    pairs : ndarray of float64, shape (n_needles, n_needles)
        Chance that two are found together.
    joint : float
        Chance that all are.

    Examples
    --------
    >>> rates, pairs, joint = shared_rates(WORKED_CURVE, 65536, [0.5, 0.5], 1.0)
    >>> bool(joint > rates.prod()), float(pairs[0, 1]) == joint
    (True, True)
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(64)
    weights = weights / weights.sum()
    logits = curve.logit_accuracy(length, depths)[0]
    each = accuracy_from_logit(
        logits[:, None] + shared_sd * nodes,
        guess_rate=curve.guess_rate,
        lapse_rate=curve.lapse_rate,
    )
    pairs = (each[:, None] * each[None] * weights).sum(axis=-1)
    joint = float((each.prod(axis=0) * weights).sum())
    return np.asarray((each * weights).sum(axis=1)), pairs, joint
