"""Which numbers of trials to buy: a knapsack where the truth is known, exchanges where it is open.

An estimate counts as right when its outcome lies in a run of outcomes: the true one, or those
within one doubling of it. With independent lengths the probability of that is

    P(the lengths before the run pass) * (1 - P(the lengths of the run pass too, and the next)),

so the best spending splits in two: as many log-probabilities as money buys in the first part, as
few in the second. Each part is a multiple-choice knapsack; no number of trials is passed over, for
more trials can make a hit rarer (ties at the bar).
"""

from dataclasses import dataclass
from itertools import combinations
from math import gcd

import numpy as np
from numpy.typing import NDArray

from lcstats.curve import FloatArray

IntArray = NDArray[np.int64]

MOST_UNITS = 60_000
"""Parts of a budget that are told apart. Where prices need more, they are rounded up to a part."""

SMALLEST = 1e-300
"""Probabilities below are worth no further money; their logarithm stays finite."""

GAIN = 1e-12
"""A smaller rise in probability is rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Menu:
    """What can be bought.

    Attributes
    ----------
    passing : ndarray of float64, shape (n_draws, n_items, n_numbers)
        P(an item passes) with every number of trials. An item is a length, or a cell of one.
    numbers : ndarray of int64, shape (n_numbers,)
        Trials per cell that may be bought, ascending.
    prices : ndarray of float64, shape (n_items,)
        Of one more trial per cell of the item.
    rows : ndarray of int64, shape (n_items,)
        The length an item belongs to, ascending.
    first, last : ndarray of int64, shape (n_draws,)
        The run of outcomes that count as right.
    """

    passing: FloatArray
    numbers: IntArray
    prices: FloatArray
    rows: IntArray
    first: IntArray
    last: IntArray

    @property
    def n_lengths(self) -> int:
        """Number of lengths."""
        return int(self.rows[-1]) + 1

    def cost(self, chosen: IntArray) -> float:
        """Return the cost of a choice, shape (n_items,), of places in `numbers`."""
        return float(self.prices @ self.numbers[chosen])

    def probability(self, chosen: IntArray) -> float:
        """P(the outcome counts as right) with a choice, the mean over the draws."""
        picked = self.passing[:, np.arange(chosen.size), chosen]
        by_length = np.ones((len(picked), self.n_lengths))
        for item, row in enumerate(self.rows):
            by_length[:, row] *= picked[:, item]
        return float(probability_of_run(by_length, self.first, self.last).mean())


@dataclass(frozen=True, slots=True, eq=False)
class Bought:
    """A choice of one number of trials for each item.

    Attributes
    ----------
    chosen : ndarray of int64, shape (n_items,)
        Places in the menu's numbers.
    is_exact : bool
        No other choice does better: neither prices nor the search were approximate.
    """

    chosen: IntArray
    is_exact: bool


def probability_of_run(passing: FloatArray, first: IntArray, last: IntArray) -> FloatArray:
    """P(first <= outcome <= last) of independent lengths.

    Parameters
    ----------
    passing : ndarray of float64, shape (n_draws, n_lengths)
    first, last : ndarray of int64, shape (n_draws,)

    Returns
    -------
    ndarray of float64, shape (n_draws,)

    Examples
    --------
    >>> one = np.array([1])
    >>> probability_of_run(np.array([[0.9, 0.5, 0.1]]), one, one).tolist()
    [0.45]
    """
    draws = np.arange(len(passing))
    edges = np.ones((draws.size, 1))
    reach = np.concatenate([edges, np.cumprod(passing, axis=1), 0.0 * edges], axis=1)
    return np.asarray(reach[draws, first] - reach[draws, last + 1])


def best_uniform(menu: Menu, budget: float) -> IntArray:
    """Return the best choice of one number for all items, of those that the budget pays."""
    prices = menu.numbers * menu.prices.sum()
    every = np.arange(int((prices <= budget).sum()))
    values = [menu.probability(np.full(menu.prices.size, place)) for place in every]
    return np.full(menu.prices.size, int(np.argmax(values)))


def fill_knapsack(menu: Menu, budget: float) -> Bought:
    """Return the best choice for a known truth.

    Parameters
    ----------
    menu : Menu
        Of one draw.
    budget : float
        At least the price of the smallest number everywhere.

    Returns
    -------
    Bought
        Exact if prices and budget are whole and have few enough units.
    """
    first, last = int(menu.first[0]), int(menu.last[0])
    logs = np.log(np.maximum(menu.passing[0], SMALLEST))
    before = np.flatnonzero(menu.rows < first)
    inside = np.flatnonzero((menu.rows >= first) & (menu.rows <= last))
    if last == menu.n_lengths:
        inside = inside[:0]
    others = np.setdiff1d(np.arange(menu.rows.size), np.concatenate([before, inside]))
    spare = budget - float(menu.prices[others].sum() * menu.numbers[0])
    unit, is_exact = _unit(menu.prices, spare)
    n_units = int(spare / unit * (1 + 1e-12))
    sizes = np.ceil(menu.prices[:, None] * menu.numbers / unit * (1 - 1e-12)).astype(np.int64)
    passing = _Sack.fill(logs[before], sizes[before], n_units)
    failing = _Sack.fill(-logs[inside], sizes[inside], n_units)
    lost = -np.expm1(-failing.best[::-1]) if inside.size else np.ones(n_units + 1)
    used = int(np.argmax(np.exp(passing.best) * lost))
    chosen = np.zeros(menu.rows.size, dtype=np.int64)
    chosen[before] = passing.choice(used)
    chosen[inside] = failing.choice(n_units - used)
    return Bought(chosen, is_exact)


@dataclass(frozen=True, slots=True, eq=False)
class _Sack:
    """The best that every number of units buys: `best` (n_units + 1,), and each item's part."""

    best: FloatArray
    taken: NDArray[np.int32]
    sizes: IntArray

    @classmethod
    def fill(cls, gains: FloatArray, sizes: IntArray, n_units: int) -> "_Sack":
        """Fill it item by item; gains and sizes (n_items, n_numbers)."""
        best = np.zeros(n_units + 1)
        taken = np.zeros((len(gains), n_units + 1), dtype=np.int32)
        for item, (gain, size) in enumerate(zip(gains, sizes, strict=True)):
            following = np.full(n_units + 1, -np.inf)
            for place in _undominated(gain, size, n_units):
                start = int(size[place])
                offered = best[: n_units + 1 - start] + gain[place]
                better = offered > following[start:]
                following[start:][better] = offered[better]
                taken[item, start:][better] = place
            best = following
        return cls(best, taken, sizes)

    def choice(self, n_units: int) -> IntArray:
        """Return what is taken of every item with so many units, shape (n_items,)."""
        chosen = np.zeros(len(self.taken), dtype=np.int64)
        for item in range(len(self.taken) - 1, -1, -1):
            chosen[item] = self.taken[item, n_units]
            n_units -= int(self.sizes[item, chosen[item]])
        return chosen


def _undominated(gain: FloatArray, size: IntArray, n_units: int) -> list[int]:
    """Places that gain more than every smaller number, and fit."""
    before = np.concatenate([[-np.inf], np.maximum.accumulate(gain)[:-1]])
    return list(map(int, np.flatnonzero((gain > before) & (size <= n_units))))


def _unit(prices: FloatArray, budget: float) -> tuple[float, bool]:
    """Return the unit that money is counted in, and whether it divides all prices."""
    if np.all(prices == np.rint(prices)):
        common = gcd(*map(int, prices))
        if budget / common <= MOST_UNITS:
            return float(common), True
    return budget / MOST_UNITS, False


def exchange(menu: Menu, chosen: IntArray, budget: float) -> IntArray:
    """Return a choice that no change of two lengths at once makes better.

    Every pair of lengths in turn takes the best of all pairs of numbers that the rest of the
    budget pays, so that a number that is better than its neighbours is not passed over.

    Parameters
    ----------
    menu : Menu
        Items are lengths.
    chosen : ndarray of int64, shape (n_lengths,)
        Where to start: within the budget.
    budget : float

    Returns
    -------
    ndarray of int64, shape (n_lengths,)
    """
    chosen, value, rises = chosen.copy(), menu.probability(chosen), True
    while rises:
        rises = False
        for pair in combinations(range(chosen.size), 2):
            values = _pair_values(menu, chosen, pair)
            spent = [menu.prices[item] * menu.numbers for item in pair]
            rest = menu.cost(chosen) - sum(spent[k][chosen[pair[k]]] for k in (0, 1))
            values[rest + spent[0][:, None] + spent[1] > budget * (1 + 1e-12)] = -np.inf
            place = np.unravel_index(int(values.argmax()), values.shape)
            if values[place] > value + GAIN:
                chosen[list(pair)], value, rises = place, float(values[place]), True
    return chosen


def _pair_values(menu: Menu, chosen: IntArray, pair: tuple[int, int]) -> FloatArray:
    """P(right) with every number for two lengths, (n_numbers, n_numbers).

    In the passing probabilities of two lengths it is bilinear, so four corners tell all.
    """
    picked = menu.passing[:, np.arange(chosen.size), chosen]

    def corner(one: float, other: float) -> FloatArray:
        moved = picked.copy()
        moved[:, pair[0]], moved[:, pair[1]] = one, other
        return probability_of_run(moved, menu.first, menu.last)

    none, left, right, both = corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1)
    x, y = (menu.passing[:, item] for item in pair)
    n_draws = len(picked)
    joint = (x * (both - left - right + none)[:, None]).T @ y
    alone = (x.T @ (left - none))[:, None] + y.T @ (right - none)
    return np.asarray((joint + alone + none.sum()) / n_draws)
