"""What a truth is: accuracies by length and depth, and how its trials hang together."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from lcstats.curve import Curve, FloatArray, accuracy_from_logit, check_depths, check_lengths
from lcstats.errors import OptionError, describe

Surface = Callable[[ArrayLike, ArrayLike], FloatArray]
"""Lengths (n_lengths,) and depths (n_depths,) in, accuracies (n_lengths, n_depths) out."""

CellDraw = Callable[[ArrayLike, ArrayLike, Generator], FloatArray]
"""As a surface, with a generator: the accuracies that hold in one simulation."""

N_NORMAL_NODES = 64
"""Gauss-Hermite nodes; 64 give the marginal accuracies to 1e-12 for a logit sd up to 1."""


@dataclass(frozen=True, slots=True)
class SharedHaystack:
    """Trials that are easy or hard together because they share a haystack.

    Trial number t at one length has one haystack, used at all its depths; another length has
    other haystacks.

    Attributes
    ----------
    curve : Curve
        Accuracies in a haystack of average difficulty.
    logit_sd : float
        Standard deviation of a haystack's effect, common to its depths, on the logit; at least 0.

    Raises
    ------
    OptionError
        If the standard deviation is negative or not finite.
    """

    curve: Curve
    logit_sd: float

    def __post_init__(self) -> None:
        """Refuse a standard deviation that is none."""
        check_logit_sd(self.logit_sd)

    def accuracy(self, lengths: ArrayLike, depths: ArrayLike) -> FloatArray:
        """Return the accuracies over all haystacks, shape (n_lengths, n_depths).

        Notes
        -----
        ``E[p(eta + logit_sd z)]``, z standard normal, by Gauss-Hermite quadrature.

        Examples
        --------
        >>> from lcstats.truths import WORKED_CURVE
        >>> SharedHaystack(WORKED_CURVE, 0.8).accuracy(131072, [0.0, 0.5]).round(4).tolist()
        [[0.8677, 0.5446]]
        """
        nodes, weights = _normal_nodes(N_NORMAL_NODES)
        return np.asarray((self._shifted(lengths, depths, nodes[:, None]) * weights).sum(axis=-1))

    def draw(
        self, lengths: ArrayLike, depths: ArrayLike, n_haystacks: int, rng: Generator
    ) -> FloatArray:
        """Return the accuracies in drawn haystacks, shape (n_haystacks, n_lengths, n_depths)."""
        shifts = rng.standard_normal((n_haystacks, np.size(lengths)))
        return np.moveaxis(self._shifted(lengths, depths, shifts), -1, 0)

    def _shifted(self, lengths: ArrayLike, depths: ArrayLike, shifts: FloatArray) -> FloatArray:
        """Accuracies for each row of `shifts` (n, n_lengths or 1): (n_lengths, n_depths, n)."""
        logits = self.curve.logit_accuracy(lengths, depths)[:, :, None]
        return accuracy_from_logit(
            logits + self.logit_sd * shifts.T[:, None, :],
            guess_rate=self.curve.guess_rate,
            lapse_rate=self.curve.lapse_rate,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """A world in which the accuracy of every cell is known.

    Attributes
    ----------
    name : str
        Lower case with hyphens.
    title : str
        One line for people.
    accuracy : callable
        Lengths (n_lengths,) and depths (n_depths,) to accuracies (n_lengths, n_depths). For a
        shared haystack the marginal accuracies; where cells are drawn, those they scatter around.
    default_threshold : float
        The threshold at which the truth tests what it was made to test.
    draw_cells : callable or None
        For a truth redrawn in every simulation: lengths, depths and a generator to accuracies.
    haystack : SharedHaystack or None
        For a truth whose trials depend on each other; not together with `draw_cells`.

    Raises
    ------
    OptionError
        If both `draw_cells` and `haystack` are given.

    Examples
    --------
    >>> from lcstats.truths import SINGLE_NEEDLE
    >>> SINGLE_NEEDLE.accuracy([1024, 131072], [0.0, 0.5]).round(2).tolist()
    [[0.99, 0.99], [0.89, 0.55]]
    """

    name: str
    title: str
    accuracy: Surface
    default_threshold: float = 0.85
    draw_cells: CellDraw | None = None
    haystack: SharedHaystack | None = None

    def __post_init__(self) -> None:
        """Refuse a truth that simulation could follow only in part."""
        if self.draw_cells is not None and self.haystack is not None:
            raise OptionError(
                describe(
                    f"truth {self.name} has cells redrawn in every simulation and haystacks",
                    "expected one or the other",
                    "leave out draw_cells or haystack",
                )
            )

    def drawn(self, lengths: ArrayLike, depths: ArrayLike, rng: Generator) -> "Truth":
        """Return the truth of one simulation: itself, unless its cells are redrawn every time.

        Parameters
        ----------
        lengths : array_like, shape (n_lengths,)
        depths : array_like, shape (n_depths,)
        rng : numpy.random.Generator

        Returns
        -------
        Truth
            Where cells are drawn: a table of the drawn accuracies, known at these lengths and
            depths only. Simulate from it and compare with its ``accuracy``.

        Examples
        --------
        >>> from lcstats.truths import get_truth
        >>> truth = get_truth("cells-deviate")
        >>> fixed = truth.drawn([4096], [0.5], np.random.default_rng(3))
        >>> truth.accuracy([4096], [0.5]).round(2), fixed.accuracy([4096], [0.5]).round(2)
        (array([[0.96]]), array([[0.98]]))
        """
        if self.draw_cells is None:
            return self
        table = AccuracyTable(
            check_lengths(lengths), check_depths(depths), self.draw_cells(lengths, depths, rng)
        )
        return replace(self, accuracy=table, draw_cells=None)


@dataclass(frozen=True, slots=True, eq=False)
class AccuracyTable:
    """A surface known only at its own lengths and depths.

    Attributes
    ----------
    lengths : ndarray of float64, shape (n_lengths,)
        Ascending.
    depths : ndarray of float64, shape (n_depths,)
        Ascending; NaN (no depth) last.
    accuracies : ndarray of float64, shape (..., n_lengths, n_depths)
    """

    lengths: FloatArray
    depths: FloatArray
    accuracies: FloatArray

    def __call__(self, lengths: ArrayLike, depths: ArrayLike) -> FloatArray:
        """Return the accuracies at some of the table's lengths and depths.

        Raises
        ------
        OptionError
            If the table lacks one of them.

        Examples
        --------
        >>> table = AccuracyTable(np.array([4096.0]), np.array([0.0, 1.0]), np.array([[0.9, 0.8]]))
        >>> table(4096, 1.0).tolist()
        [[0.8]]
        """
        rows = _positions(check_lengths(lengths), self.lengths, "length")
        columns = _positions(check_depths(depths), self.depths, "depth")
        return self.accuracies[..., rows[:, None], columns]


def check_logit_sd(logit_sd: float) -> None:
    """Refuse a standard deviation that is negative or not finite with an OptionError."""
    if not (math.isfinite(logit_sd) and logit_sd >= 0):
        raise OptionError(
            describe(
                f"logit_sd is {logit_sd:g}",
                "expected a standard deviation of 0 or more",
                "pass logit_sd=0.8, say",
            )
        )


@cache
def _normal_nodes(n_nodes: int) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights of the mean over a standard normal."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(n_nodes)
    return nodes, weights / weights.sum()


def _positions(asked: FloatArray, known: FloatArray, word: str) -> NDArray[np.intp]:
    found = np.minimum(np.searchsorted(known, asked), known.size - 1)
    same = (known[found] == asked) | (np.isnan(known[found]) & np.isnan(asked))
    if not same.all():
        raise OptionError(
            describe(
                f"{word} {asked[~same][0]:g} is not in the table of accuracies",
                f"expected one of {', '.join(f'{value:g}' for value in known)}",
                f"ask for one of the table's {word}s",
            )
        )
    return found
