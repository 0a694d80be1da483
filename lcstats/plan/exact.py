"""What a plan leads to, exactly: the distribution of the observed effective length, judged."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lcstats.curve import FloatArray
from lcstats.errors import OptionError, describe
from lcstats.lengths import Criterion, outcome_probabilities
from lcstats.plan.truths import PlannedTruth

ONE_DOUBLING = 1.0 + 1e-9
"""In log2 of the length; the margin is for lengths that are a doubling apart."""


@dataclass(frozen=True, slots=True)
class Probabilities:
    """How often a plan's effective length is right.

    Attributes
    ----------
    hit : float
        Probability that it is the true tested length.
    within : float
        Probability that it is within one doubling of it.
    error : float
        Standard error of `hit`: 0 where the truth is known, the spread of a sample of truths
        where it is open.
    """

    hit: float
    within: float
    error: float = 0.0


def exact_probabilities(
    planned: PlannedTruth, n_cases: int | NDArray[np.int64], criterion: Criterion
) -> Probabilities:
    """Return how often the observed effective length is right, without simulation.

    Parameters
    ----------
    planned : PlannedTruth
        With independent trials. The mean is taken over the draws of an open one.
    n_cases : int or ndarray of int64, shape (n_lengths, n_depths)
        Cases per cell, at least one at every length.
    criterion : Criterion

    Returns
    -------
    Probabilities

    Raises
    ------
    OptionError
        If the trials of the truth depend on each other: that takes a simulation.

    Notes
    -----
    METHOD section 4: cells are independent binomials, so every length passes with a probability
    that a convolution gives, and the outcomes' probabilities are their products.

    Examples
    --------
    >>> from lcstats.plan.truths import planned_truth
    >>> planned = planned_truth("single-needle", 1024 * 2 ** np.arange(8), np.arange(11) / 10)
    >>> result = exact_probabilities(planned, 20, Criterion(0.85))
    >>> round(result.hit, 4), round(result.within, 4)
    (0.7531, 0.9992)
    """
    check_independent(planned)
    masses = np.stack(
        [
            outcome_probabilities(accuracy, n_cases, criterion, lengths=planned.lengths)
            for accuracy in planned.accuracies
        ]
    )
    true = planned.true_outcomes(criterion)
    hits = masses[np.arange(true.size), true]
    within = (masses * near_outcomes(planned.lengths)[true]).sum(axis=1)
    spread = float(hits.std(ddof=1) / np.sqrt(true.size)) if planned.is_open else 0.0
    return Probabilities(float(hits.mean()), float(min(within.mean(), 1.0)), spread)


def near_outcomes(lengths: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which outcomes are within one doubling of each other, (n_lengths + 1, n_lengths + 1).

    That no tested length passes counts as an effective length of half the shortest one.

    Examples
    --------
    >>> near_outcomes(np.array([4096, 8192, 32768]))[2].tolist()
    [False, True, True, False]
    """
    doublings = np.log2(lengths.astype(np.float64))
    places: FloatArray = np.concatenate(([doublings[0] - 1.0], doublings))
    return np.abs(places[:, None] - places) <= ONE_DOUBLING


def check_independent(planned: PlannedTruth) -> None:
    """Refuse a truth whose trials depend on each other.

    Raises
    ------
    OptionError
        If they do.
    """
    if planned.haystack is not None:
        raise OptionError(
            describe(
                f"the trials of {planned.name} share haystacks",
                "expected independent trials for exact probabilities",
                "use the Monte Carlo engine",
            )
        )
