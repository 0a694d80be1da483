"""Two-stage plans: a coarse pilot everywhere, then the rest of the money near the bend it shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.random import Generator, Philox
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv

from lcstats.cells import Cells
from lcstats.curve import FloatArray
from lcstats.errors import OptionError, describe
from lcstats.kernels.second_stage import choose_numbers
from lcstats.lengths import Criterion
from lcstats.lengths.binomial import at_least
from lcstats.lengths.laws import steps_to
from lcstats.options import check_share, check_whole
from lcstats.plan.allocation.robust import wrong_truths
from lcstats.plan.allocation.search import IntArray
from lcstats.plan.allocation.tables import allocation_bar
from lcstats.plan.budget import Budget
from lcstats.plan.exact import (
    Probabilities,
    check_independent,
    exact_probabilities,
    near_outcomes,
)
from lcstats.plan.simulation.simulate import monte_carlo_error
from lcstats.plan.truths import PlannedTruth
from lcstats.records import freeze_arrays

PILOT_SHARE = 0.5
"""Share of the budget that the pilot takes."""

MOST_NUMBERS = 150
"""Numbers of further trials per cell that are offered; more are thinned out evenly."""

DOUBT = 0.3
"""Weight of truths that fall below the bar and rise again; a pilot is read as if most do not."""

N_SIMULATIONS = 4000
AT_ONCE = 500
"""Simulations that are carried on together."""

N_NODES = 24
"""Of the quadrature on each side of the bar."""


@dataclass(frozen=True, slots=True, eq=False)
class SecondStage:
    """What further trials of a length are worth after every pilot.

    Attributes
    ----------
    numbers : ndarray of int64, shape (n_numbers,)
        Further trials per cell, ascending from 0.
    needed : ndarray of int64, shape (n_numbers,)
        Successes, the pilot's included, with which a length passes after so many.
    below : ndarray of float64, shape (n_pilot + 1,)
        Probability that a length with k successes of `n_pilot` is truly below the bar.
    passing, failing : ndarray of float64, shape (n_pilot + 1, n_numbers)
        After a pilot with k successes of `n_pilot` at a length: the probability that it is
        truly above the bar and will be seen to pass, or truly below and seen to fail.
    """

    numbers: IntArray
    needed: IntArray
    below: FloatArray
    passing: FloatArray
    failing: FloatArray

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze_arrays(self)

    @classmethod
    def after(cls, n_pilot: int, n_depths: int, bar: Fraction, numbers: IntArray) -> "SecondStage":
        """Return the tables for a pilot of `n_pilot` trials at each length.

        Notes
        -----
        The accuracy of a length has the Jeffreys posterior Beta(k + 1/2, n_pilot - k + 1/2); what
        is seen later is binomial given it. Gauss-Legendre quadrature in the posterior's quantiles,
        on each side of the bar.
        """
        right = np.arange(n_pilot + 1)
        shape = right + 0.5, n_pilot - right + 0.5
        below = np.asarray(betainc(*shape, float(bar)), dtype=np.float64)
        needed = np.array([steps_to(bar, n_pilot + int(n) * n_depths) for n in numbers])
        nodes, weights = np.polynomial.legendre.leggauss(N_NODES)
        share, weights = (nodes + 1.0) / 2.0, weights / 2.0
        passing, failing = (np.zeros((right.size, numbers.size)) for _ in range(2))
        for place, weight in zip(share, weights, strict=True):
            low = betaincinv(*shape, below * place)
            high = betaincinv(*shape, below + (1.0 - below) * place)
            further = needed - right[:, None], numbers * n_depths
            failing += weight * below[:, None] * (1.0 - at_least(*further, low[:, None]))
            passing += weight * (1.0 - below)[:, None] * at_least(*further, high[:, None])
        return cls(numbers, needed, below, passing, failing)

    def choose(self, right: IntArray, prices: FloatArray, left: float) -> IntArray:
        """Choose further trials after many pilots.

        Parameters
        ----------
        right : ndarray of int64, shape (n_pilots, n_lengths)
            Successes of each length in the pilot.
        prices : ndarray of float64, shape (n_lengths,)
            Of one more trial per cell of a length.
        left : float
            What may be spent.

        Returns
        -------
        ndarray of int64, shape (n_pilots, n_lengths)
            Places in `numbers`.

        Notes
        -----
        With independent lengths the expected probability of a hit is the sum over outcomes t of
        ``u_1 ... u_t v_(t+1)``, u and v being `passing` and `failing`. Where accuracy falls below
        the bar once and stays there, every term is multiplied by the chances that all lengths
        beyond fall too, and the sum divided by the chance of such a truth. :data:`DOUBT` mixes the
        two. Step by step the rise that is largest for its money is bought, over all lengths and
        all larger numbers: the next number alone a tie at the bar may make worthless.
        """
        places = np.zeros(right.shape, dtype=np.int64)
        worth = np.stack([self.passing, self.failing])
        costs = prices[:, None] * self.numbers
        choose_numbers(right, worth, self.below.copy(), costs, left, DOUBT, places)
        return places


@dataclass(frozen=True, slots=True)
class TwoStageRate:
    """How often a two-stage plan and a uniform one of the same price are right on a truth.

    Attributes
    ----------
    truth : str
    hit, within : float
        Of the two-stage plan, simulated.
    error : float
        Monte Carlo error of `hit`.
    uniform : Probabilities
        Of the uniform plan, exactly.
    """

    truth: str
    hit: float
    within: float
    error: float
    uniform: Probabilities


@dataclass(frozen=True, slots=True, eq=False)
class TwoStagePlan:
    """A pilot everywhere, then the rest near the bend.

    Attributes
    ----------
    criterion : Criterion
    lengths : ndarray of int64, shape (n_lengths,)
    depths : ndarray of float64, shape (n_depths,)
    pilot_trials : int
        Per cell.
    mean_trials : ndarray of float64, shape (n_lengths,)
        Trials per cell in both stages, the mean over the simulations of the planned truth.
    spent : float
        Mean share of the budget that is spent.
    uniform_trials : int
        Per cell, of the best uniform plan within the budget.
    rate : TwoStageRate
        On the planned truth.
    robustness : tuple of TwoStageRate
        On truths it was not made for.
    """

    criterion: Criterion
    lengths: NDArray[np.int64]
    depths: FloatArray
    pilot_trials: int
    mean_trials: FloatArray
    spent: float
    uniform_trials: int
    rate: TwoStageRate
    robustness: tuple[TwoStageRate, ...]

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze_arrays(self)

    def __repr__(self) -> str:
        return (
            f"TwoStagePlan({self.rate.truth}, pilot {self.pilot_trials}: {self.rate.hit:.3f}, "
            f"{self.rate.uniform.hit:.3f} with {self.uniform_trials} in every cell)"
        )


def plan_two_stage(
    planned: PlannedTruth,
    criterion: Criterion,
    budget: Budget,
    *,
    pilot_share: float = PILOT_SHARE,
    against: Sequence[PlannedTruth] | None = None,
    n_simulations: int = N_SIMULATIONS,
    seed: int = 0,
) -> TwoStagePlan:
    """Simulate a pilot in all cells followed by trials near the bend that it shows.

    Parameters
    ----------
    planned : PlannedTruth
        With independent trials; an open one is averaged over its draws.
    criterion : Criterion
        Depth ``mean`` or ``pooled``, with an absolute or above-chance threshold.
    budget : Budget
        For both stages.
    pilot_share : float
        Share of the budget for the pilot, in [0, 1]: whole trials per cell, at least one.
    against : sequence of PlannedTruth, optional
        Other truths to try the plan on; a cliff and one bad depth without it.
    n_simulations, seed : int

    Returns
    -------
    TwoStagePlan

    Raises
    ------
    OptionError
        If trials depend on each other, the criterion is of another kind, or the budget does not
        pay a trial in every cell.

    Notes
    -----
    The second stage knows the pilot and nothing else: see :meth:`SecondStage.choose`. The numbers
    of cases then depend on outcomes. The estimate is that of all cases together; a *set* needs
    the pilot's cases alone, or an anytime-valid construction, and the cells marked `adaptive`.

    Examples
    --------
    >>> from lcstats.plan.truths import planned_truth
    >>> lengths, depths = 1024 * 2 ** np.arange(8), np.linspace(0, 1, 11)
    >>> planned = planned_truth("distractors", lengths, depths)
    >>> plan = plan_two_stage(planned, Criterion(0.85), Budget(20 * 11 * lengths.sum()), seed=1)
    >>> plan.rate.hit > 0.9 > plan.rate.uniform.hit
    True
    """
    check_independent(planned)
    _check_criterion(criterion)
    check_share(pilot_share, "pilot_share")
    check_whole(n_simulations, "n_simulations", least=1)
    most = budget.uniform_trials(planned.lengths, planned.depths.size)
    pilot_trials = max(1, int(pilot_share * most))
    simulate = _Simulation.of(planned, criterion, budget, pilot_trials)
    uniform = _best_uniform(planned, criterion, most)
    runs = simulate.run(planned, n_simulations, seed)
    return TwoStagePlan(
        criterion=criterion,
        lengths=planned.lengths,
        depths=planned.depths,
        pilot_trials=pilot_trials,
        mean_trials=runs.trials.mean(axis=0),
        spent=float((runs.trials @ simulate.prices).mean() / budget.amount),
        uniform_trials=uniform,
        rate=_rate(planned, runs, criterion, uniform),
        robustness=tuple(
            _rate(truth, simulate.run(truth, n_simulations, seed), criterion, uniform)
            for truth in (wrong_truths(planned) if against is None else against)
        ),
    )


def second_stage(cells: Cells, criterion: Criterion, budget: Budget) -> IntArray:
    """Return the trials per cell to run at every length after a pilot, within the money left.

    Parameters
    ----------
    cells : Cells
        The pilot of one language model on one task: 0/1 cases, as many in every cell.
    criterion : Criterion
        Depth ``mean`` or ``pooled``, with an absolute or above-chance threshold.
    budget : Budget
        What is left.

    Returns
    -------
    ndarray of int64, shape (n_lengths,)

    Raises
    ------
    OptionError
        If the pilot is unbalanced or graded, or the criterion is of another kind.

    Examples
    --------
    >>> pilot = Cells.from_counts(
    ...     [4096, 8192, 16384], [0.0, 0.5], n_cases=10, successes=[[10, 10], [9, 9], [4, 5]]
    ... )
    >>> second_stage(pilot, Criterion(0.85), Budget(1_000_000)).tolist()
    [0, 61, 0]
    """
    grid = cells.grid
    _check_criterion(criterion)
    if grid.has_fractions or np.any(grid.n_cases != grid.n_cases.flat[0]):
        raise OptionError(
            describe(
                f"the pilot has from {grid.n_cases.min()} to {grid.n_cases.max()} cases per cell"
                + " and graded scores" * grid.has_fractions,
                "expected 0/1 cases, as many in every cell",
                "leave out what goes beyond the smallest cell, or ask plan_next",
            )
        )
    n_pilot = int(grid.n_cases[0].sum())
    prices = budget.trial_prices(grid.lengths) * grid.depths.size
    numbers = _numbers(budget.amount / float(prices.min()))
    stage = SecondStage.after(n_pilot, grid.depths.size, allocation_bar(criterion), numbers)
    right = np.rint(grid.successes.sum(axis=1)).astype(np.int64)
    return np.asarray(numbers[stage.choose(right[None], prices, budget.amount)[0]])


@dataclass(frozen=True, slots=True, eq=False)
class _Runs:
    """Simulated runs: outcomes (n_simulations,), draws of the truth, trials per cell and length."""

    outcomes: IntArray
    draws: IntArray
    trials: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class _Simulation:
    """A two-stage plan with all that its simulations share."""

    stage: SecondStage
    pilot_trials: int
    prices: FloatArray
    left: float

    @classmethod
    def of(
        cls, planned: PlannedTruth, criterion: Criterion, budget: Budget, pilot_trials: int
    ) -> "_Simulation":
        n_depths = planned.depths.size
        prices = budget.trial_prices(planned.lengths) * n_depths
        left = budget.amount - pilot_trials * float(prices.sum())
        bar, numbers = allocation_bar(criterion), _numbers(left / float(prices.min()))
        stage = SecondStage.after(pilot_trials * n_depths, n_depths, bar, numbers)
        return cls(stage, pilot_trials, prices, left)

    def run(self, truth: PlannedTruth, n_simulations: int, seed: int) -> _Runs:
        """Run pilots and second stages; more simulations continue the fewer."""
        n_blocks = -(-n_simulations // AT_ONCE)
        seeds = np.random.SeedSequence(seed).spawn(n_blocks)
        draws = np.arange(n_blocks * AT_ONCE) % len(truth.accuracies)
        blocks = [
            self._block(truth.accuracies[part], Generator(Philox(own)))
            for part, own in zip(np.split(draws, n_blocks), seeds, strict=True)
        ]
        outcomes, trials = (
            np.concatenate(parts)[:n_simulations] for parts in zip(*blocks, strict=True)
        )
        return _Runs(outcomes, draws[:n_simulations], trials)

    def _block(self, rates: FloatArray, rng: Generator) -> tuple[IntArray, IntArray]:
        """Return outcomes (n,) and trials per cell (n, n_lengths)."""
        pilot = rng.binomial(self.pilot_trials, rates).sum(axis=2)
        places = self.stage.choose(pilot, self.prices, self.left)
        further = self.stage.numbers[places]
        right = pilot + rng.binomial(further[..., None], rates).sum(axis=2)
        passes = right >= self.stage.needed[places]
        return np.cumprod(passes, axis=1).sum(axis=1), self.pilot_trials + further


def _best_uniform(planned: PlannedTruth, criterion: Criterion, most: int) -> int:
    """Return the number of trials per cell, at most `most`, with which raw cells hit most often."""
    hits = [exact_probabilities(planned, n, criterion).hit for n in range(1, most + 1)]
    return 1 + int(np.argmax(hits))


def _rate(
    truth: PlannedTruth, runs: _Runs, criterion: Criterion, uniform_trials: int
) -> TwoStageRate:
    true = truth.true_outcomes(criterion)[runs.draws]
    hit = float((runs.outcomes == true).mean())
    return TwoStageRate(
        truth=truth.name,
        hit=hit,
        within=float(near_outcomes(truth.lengths)[true, runs.outcomes].mean()),
        error=monte_carlo_error(hit, true.size),
        uniform=exact_probabilities(truth, uniform_trials, criterion),
    )


def _numbers(most: float) -> IntArray:
    """Return the further trials that are offered, at most `most`."""
    largest = min(int(most), 2 * MOST_NUMBERS)
    return np.unique(np.rint(np.linspace(0, largest, MOST_NUMBERS)).astype(np.int64))


def _check_criterion(criterion: Criterion) -> None:
    allocation_bar(criterion)
    if criterion.treatment.is_order:
        raise OptionError(
            describe(
                f"depth treatment is {criterion.depth_treatment}",
                "expected mean or pooled: a pilot says too little about single cells",
                "allocate for what the pilot's draws leave open, or ask plan_next",
            )
        )
