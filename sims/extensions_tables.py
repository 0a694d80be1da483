"""Tables whose cases are not equally many independent 0/1 outcomes, with accuracies at the bar.

What a kind of data draws has the accuracies it is given as its expectations, exactly.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import ndtri

import lcstats as lc
from sims.coverage_simulation import DEPTHS, LENGTHS

BAR = 0.85
JUST_BELOW = 0.849
WITHIN, ACROSS = 0.3, 0.5
"""Correlation of the normal variables behind cases that share a haystack, or a question."""
CONCENTRATION = 2.0
N_REPEATS = 3

Accuracy = NDArray[np.float64]
Sizes = NDArray[np.int64]
Draw = Callable[[Accuracy, Sizes, Generator], lc.Cells]


@dataclass(frozen=True, slots=True)
class Data:
    """A kind of data.

    Attributes
    ----------
    title : str
    designs : mapping of str to ndarray of int64, shape (n_lengths, n_depths)
        Cases per cell, by what the table calls it.
    draw : callable
        Cells of one table, from accuracies, cases per cell and a generator.
    is_clustered : bool
    """

    title: str
    designs: Mapping[str, Sizes]
    draw: Draw
    is_clustered: bool = False


def equal_designs(*numbers: int) -> dict[str, Sizes]:
    return {str(n): np.full((LENGTHS.size, DEPTHS.size), n) for n in numbers}


def uneven_design() -> Sizes:
    """Between 3 and 40 cases in every cell, drawn once."""
    return np.random.default_rng(1).integers(3, 41, size=(LENGTHS.size, DEPTHS.size))


def lopsided_design() -> Sizes:
    """Eighty cases at the first depth, five at all others."""
    sizes = np.full((LENGTHS.size, DEPTHS.size), 5)
    sizes[:, 0] = 80
    return sizes


def draw_outcomes(accuracy: Accuracy, sizes: Sizes, rng: Generator) -> lc.Cells:
    return counted(sizes, rng.binomial(sizes, accuracy))


def draw_halves(accuracy: Accuracy, sizes: Sizes, rng: Generator) -> lc.Cells:
    """Scores of 0, .5 and 1: the mean of two outcomes."""
    return counted(sizes, rng.binomial(2 * sizes, accuracy) / 2)


def draw_beta(accuracy: Accuracy, sizes: Sizes, rng: Generator) -> lc.Cells:
    """Scores in hundredths, from a beta distribution; rounding is drawn and keeps the mean."""
    right, wrong = CONCENTRATION * accuracy, CONCENTRATION * (1 - accuracy)
    exact = rng.beta(
        np.maximum(right, 1e-9), np.maximum(wrong, 1e-9), size=(int(sizes.max()), *sizes.shape)
    )
    hundredths = np.floor(100 * exact + rng.random(exact.shape))
    asked = np.arange(len(exact))[:, None, None] < sizes
    return counted(sizes, (hundredths * asked).sum(axis=0) / 100)


def draw_one_of_ten(accuracy: Accuracy, sizes: Sizes, rng: Generator) -> lc.Cells:
    """Scores of .1 and 1: one of ten facts is found, or all."""
    all_found = rng.binomial(sizes, np.clip((accuracy - 0.1) / 0.9, 0, 1))
    return counted(sizes, 0.1 * sizes + 0.9 * all_found)


def draw_folded(accuracy: Accuracy, sizes: Sizes, rng: Generator) -> lc.Cells:
    """Means of three repeats of a case; cases differ in difficulty."""
    shape = (int(sizes.max()), *sizes.shape)
    right, wrong = CONCENTRATION * accuracy, CONCENTRATION * (1 - accuracy)
    rates = rng.beta(np.maximum(right, 1e-9), np.maximum(wrong, 1e-9), size=shape)
    asked = np.arange(shape[0])[:, None, None] < sizes
    thirds = (rng.binomial(N_REPEATS, rates) * asked).sum(axis=0)
    return counted(sizes, thirds / N_REPEATS)


def draw_haystacks(accuracy: Accuracy, sizes: Sizes, rng: Generator) -> lc.Cells:
    """Cases of one number at one length share a haystack."""
    luck = rng.standard_normal((int(sizes.max()), LENGTHS.size, 1))
    return clustered(accuracy, luck, WITHIN, rng)


def draw_questions(accuracy: Accuracy, sizes: Sizes, rng: Generator) -> lc.Cells:
    """Cases of one number at one depth share a question, asked at every length."""
    luck = rng.standard_normal((int(sizes.max()), 1, DEPTHS.size))
    return clustered(accuracy, luck, ACROSS, rng)


def draw_fates(accuracy: Accuracy, sizes: Sizes, rng: Generator) -> lc.Cells:
    """Cases of one number share everything, at every length and depth: the hardest clusters."""
    luck = rng.standard_normal((int(sizes.max()), 1, 1))
    return clustered(accuracy, luck, 1.0, rng)


def counted(sizes: Sizes, successes: NDArray[np.float64] | NDArray[np.int64]) -> lc.Cells:
    return lc.Cells.from_counts(LENGTHS, DEPTHS, n_cases=sizes, successes=successes)


def clustered(
    accuracy: Accuracy, luck: NDArray[np.float64], correlation: float, rng: Generator
) -> lc.Cells:
    """Draw outcomes that share luck, and name what shares it.

    Parameters
    ----------
    luck : ndarray of float64
        Standard normal, shape (n_cases, n_lengths or 1, n_depths or 1).
    correlation : float
        Of the normal variable behind an outcome with others of the same luck.
    """
    shape = (len(luck), *accuracy.shape)
    own = rng.standard_normal(shape)
    latent = np.sqrt(correlation) * luck + np.sqrt(1 - correlation) * own
    case, length, depth = np.indices(shape).reshape(3, -1)
    number = np.broadcast_to(np.arange(luck.size).reshape(luck.shape), shape)
    frame = pd.DataFrame(
        {
            "length": LENGTHS[length],
            "depth": DEPTHS[depth],
            "case": case.astype(str),
            "score": (latent < ndtri(accuracy)).ravel().astype(np.float64),
            "cluster": number.ravel().astype(str),
        }
    )
    return lc.count_cells(lc.Trials.from_frame(frame))


DATA = {
    "outcomes": Data("0/1, equally many: for comparison", equal_designs(5, 20), draw_outcomes),
    "halves": Data("scores of 0, .5 and 1", equal_designs(5, 20), draw_halves),
    "beta": Data("scores spread over [0, 1]", equal_designs(20), draw_beta),
    "one-of-ten": Data("scores of .1 and 1", equal_designs(20), draw_one_of_ten),
    "folded": Data("three repeats folded, cases differ", equal_designs(20), draw_folded),
    "uneven": Data("0/1, 3 to 40 cases in a cell", {"3-40": uneven_design()}, draw_outcomes),
    "lopsided": Data("0/1, 80 cases at one depth, else 5", {"80/5": lopsided_design()},
                     draw_outcomes),
    "haystacks": Data("0/1, a haystack for all depths of a length", equal_designs(20),
                      draw_haystacks, is_clustered=True),
    "questions": Data("0/1, a question for all lengths of a depth", equal_designs(20),
                      draw_questions, is_clustered=True),
    "fates": Data("0/1, cases of a number all right or wrong together", equal_designs(20),
                  draw_fates, is_clustered=True),
}  # fmt: skip


def accuracies() -> dict[str, Accuracy]:
    """Return accuracies by the name of the truth, each of shape (n_lengths, n_depths)."""
    at_bar = np.full((LENGTHS.size, DEPTHS.size), BAR)
    just_below = at_bar.copy()
    just_below[4:] = JUST_BELOW
    carried = np.full_like(at_bar, (BAR * DEPTHS.size - 1) / (DEPTHS.size - 1))
    carried[4:] -= BAR - JUST_BELOW
    carried[:, 0] = 1.0
    one_cell = np.full_like(at_bar, 0.9999)
    one_cell[3, 5] = JUST_BELOW
    mixture = np.linspace(1, 0, LENGTHS.size)[:, None] * 0.1 + BAR - 0.04 + 0 * at_bar
    return {
        "at-bar": at_bar,
        "just-below": just_below,
        "carried": carried,
        "one-cell": one_cell,
        "mixture": mixture,
        "single-needle": lc.truths.get_truth("single-needle").accuracy(LENGTHS, DEPTHS),
    }
