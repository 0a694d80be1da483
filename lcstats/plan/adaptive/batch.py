"""A batch of trials: which lengths are worth settling next, and how much of it can be paid."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lcstats.errors import OptionError, describe
from lcstats.options import check_share
from lcstats.plan.adaptive.sequential import Bid, Offers, Standing, offers
from lcstats.plan.budget import Budget

MOST_STEPS = 30
"""Chains of lengths that one batch pursues, at most."""


@dataclass(frozen=True, slots=True)
class Purse:
    """What may be spent.

    Attributes
    ----------
    left : float
        In all, in the budget's currency.
    batch : float
        Before the next look.
    budget : Budget
    """

    left: float
    batch: float
    budget: Budget

    @classmethod
    def of(cls, budget: Budget, share: float) -> "Purse":
        """Return the purse of a budget, a share of it for the batch.

        Raises
        ------
        OptionError
            If the share is no number above 0, up to 1.

        Examples
        --------
        >>> Purse.of(Budget(1_000_000), 0.25).batch
        250000.0
        """
        check_share(share, "batch")
        if not share:
            raise OptionError(
                describe("batch is 0", "expected a share of the budget above 0", "pass batch=0.25")
            )
        return cls(float(budget.amount), float(share * budget.amount), budget)

    def price(self, length: int) -> float:
        """Price of one trial."""
        return float(self.budget.trial_prices([int(length)])[0])

    def after(self, spent: float) -> "Purse":
        """Return what is left when some of it is spent."""
        return replace(self, left=self.left - spent, batch=self.batch - spent)


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """One task: where it stands, and its lengths."""

    standing: Standing
    lengths: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """Trials for one length of one task; `task` is its number."""

    task: int
    bid: Bid


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """Lengths that have to be settled together before outcomes go.

    Attributes
    ----------
    task : int
    bids : tuple of Bid
    worth : float
        Outcomes that would go, times the chance, over the price.
    """

    task: int
    bids: tuple[Bid, ...]
    worth: float


Known = dict[tuple[int, int, bool], Offers]
"""Offers that are still good, by task, length and direction: only counts that change cost time."""


def fill_batch(tasks: Sequence[Rows], purse: Purse, set_size: int) -> Iterator[Step]:
    """Yield the trials of a batch, each as if those before it had gone as expected.

    Parameters
    ----------
    tasks : sequence of Rows
    purse : Purse
    set_size : int
        Number of outcomes in a set that is narrow enough.
    """
    known: Known = {}
    tasks, is_first = list(tasks), True
    for _ in range(MOST_STEPS):
        chain = best_chain(tasks, purse, set_size, known)
        if chain is None:
            return
        rows = tasks[chain.task]
        for bid in chain.bids:
            price = purse.price(rows.lengths[bid.row])
            bought = affordable_part(bid, price, purse, at_least_one=is_first)
            if not bought.trials.any():
                return
            yield Step(chain.task, bought)
            is_first = False
            rows = replace(rows, standing=rows.standing.expecting(bid.row, bought.trials))
            for passes in (True, False):
                known.pop((chain.task, bid.row, passes), None)
            purse = purse.after(float(bought.trials.sum()) * price)
        tasks[chain.task] = rows


def best_chain(tasks: Sequence[Rows], purse: Purse, set_size: int, known: Known) -> Chain | None:
    """Return the lengths that are most worth settling, or None where nothing can be moved.

    Parameters
    ----------
    tasks : sequence of Rows
    purse : Purse
    set_size : int
    known : dict
        Gets the offers that are made.
    """
    chains = (
        chain
        for number, rows in enumerate(tasks)
        for passes in (True, False)
        for chain in _chains(rows, number, purse, set_size, known, passes=passes)
    )
    return max(chains, key=lambda chain: chain.worth, default=None)


def _chains(
    rows: Rows, task: int, purse: Purse, set_size: int, known: Known, *, passes: bool
) -> Iterator[Chain]:
    """Yield chains of every length, from the set's lower end up or from its upper end down."""
    lower, upper = rows.standing.ends
    if upper - lower < set_size:
        return
    settled = rows.standing.settled(passes=passes)
    bids: list[Bid] = []
    chance, spent = 1.0, 0.0
    in_order = range(lower, upper) if passes else range(upper - 1, lower - 1, -1)
    for n_gone, row in enumerate(in_order, start=1):
        if not settled[row]:
            place = (task, row, passes)
            if place not in known:
                known[place] = offers(rows.standing, row, passes=passes)
            price = purse.price(rows.lengths[row])
            bid = known[place].best(price, purse.left - spent)
            if bid is None:
                return
            bids.append(bid)
            chance, spent = chance * bid.chance, spent + float(bid.trials.sum()) * price
        if spent:
            yield Chain(task, tuple(bids), n_gone * chance / spent)


def affordable_part(bid: Bid, price: float, purse: Purse, *, at_least_one: bool) -> Bid:
    """Return as much of a bid as the batch pays for, or one trial of every cell where all pay it.

    Examples
    --------
    >>> bid = Bid(0, True, np.array([30, 30]), 0.5)
    >>> purse = Purse.of(Budget(10_000), 0.5)
    >>> affordable_part(bid, 100.0, purse, at_least_one=True).trials.tolist()
    [25, 25]
    """
    cost = float(bid.trials.sum()) * price
    share = max(min(purse.batch / cost, 1.0), 0.0) if cost else 1.0
    trials = np.floor(bid.trials * share + 1e-9).astype(np.int64)
    one_each = np.minimum(bid.trials, 1)
    if at_least_one and not trials.any() and one_each.sum() * price <= purse.left:
        trials = one_each
    return replace(bid, trials=trials)
