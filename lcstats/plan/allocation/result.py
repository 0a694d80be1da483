"""An allocation: unequal trials, what they lead to, and what the same money buys evenly."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lcstats.curve import FloatArray
from lcstats.errors import Notice
from lcstats.lengths import Criterion
from lcstats.plan.allocation.robust import Robustness
from lcstats.plan.cost import Cost
from lcstats.plan.exact import Probabilities
from lcstats.plan.target import FOUND_WORDS
from lcstats.plan.wording import share_words
from lcstats.records import SCHEMA_VERSION, freeze_arrays, list_notices, list_numbers

Objective = Literal["hit", "within"]
Solver = Literal["knapsack", "exchange", "c_optimal"]


@dataclass(frozen=True, slots=True, eq=False)
class Allocation:
    """Unequal trials per cell, what they lead to, and what the same money buys evenly.

    Attributes
    ----------
    truth : str
        What it is made for.
    criterion : Criterion
    objective : {"hit", "within"}
    solver : {"knapsack", "exchange", "c_optimal"}
    is_best : bool
        No other allocation that spreads as much and has at most 300 trials in a cell does better,
        for an estimate from raw cells.
    lengths : ndarray of int64, shape (n_lengths,)
    depths : ndarray of float64, shape (n_depths,)
    trials : ndarray of int64, shape (n_lengths, n_depths)
    floor : int
        Trials that every cell has before the rest is allocated.
    probabilities : Probabilities
        That the effective length is right: of raw cells exactly, of a curve simulated.
    uniform_trials : int
        Trials per cell of the uniform plan it is compared with: for raw cells the best number, for
        a curve the largest, that the budget pays.
    uniform : Probabilities
    robustness : tuple of Robustness
        Both plans on truths that they were not made for.
    cost : Cost
    notices : tuple of Notice
    crossing_error, uniform_crossing_error : float or None
        For a curve: standard errors of log2 of the crossing.
    """

    truth: str
    criterion: Criterion
    objective: Objective
    solver: Solver
    is_best: bool
    lengths: NDArray[np.int64]
    depths: FloatArray
    trials: NDArray[np.int64]
    floor: int
    probabilities: Probabilities
    uniform_trials: int
    uniform: Probabilities
    robustness: tuple[Robustness, ...]
    cost: Cost
    notices: tuple[Notice, ...] = ()
    crossing_error: float | None = None
    uniform_crossing_error: float | None = None

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze_arrays(self)

    def __repr__(self) -> str:
        return (
            f"Allocation({self.truth}, {self.objective}: {self.probability:.3f}, "
            f"{self.uniform_probability:.3f} with {self.uniform_trials} in every cell)"
        )

    @property
    def probability(self) -> float:
        """What the allocation was made to raise."""
        return float(getattr(self.probabilities, self.objective))

    @property
    def uniform_probability(self) -> float:
        """The same of the uniform plan."""
        return float(getattr(self.uniform, self.objective))

    def gain_words(self) -> str:
        """Say what unequal trials gain over a uniform sweep of the same price."""
        found = FOUND_WORDS[self.objective]
        shares = [share_words(s) for s in (self.probability, self.uniform_probability)]
        uniform = f"{shares[1]} with {self.uniform_trials} in every cell"
        return f"{shares[0]} {found}, against {uniform}"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per cell: length, depth, trials."""
        shape = self.trials.shape
        return pd.DataFrame(
            {
                "length": np.repeat(self.lengths, shape[1]),
                "depth": np.tile(self.depths, shape[0]),
                "trials": self.trials.ravel(),
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values; ``allocation`` is that of the ``plan`` object."""
        cells = self.to_frame()
        return {
            "schema_version": SCHEMA_VERSION,
            "truth": self.truth,
            "criterion": self.criterion.to_dict(),
            "objective": self.objective,
            "solver": self.solver,
            "is_best": self.is_best,
            "floor": self.floor,
            "hit_probability": self.probabilities.hit,
            "within_one_doubling": self.probabilities.within,
            "uniform_trials_per_cell": self.uniform_trials,
            "uniform_hit_probability": self.uniform.hit,
            "uniform_within_one_doubling": self.uniform.within,
            "crossing_error": self.crossing_error,
            "uniform_crossing_error": self.uniform_crossing_error,
            "robustness": [asdict(row) for row in self.robustness],
            "cost": self.cost.to_dict(),
            "allocation": [
                {"length": int(length), "depth": depth, "trials": int(trials)}
                for length, depth, trials in zip(
                    cells["length"],
                    list_numbers(cells["depth"].to_numpy()),
                    cells["trials"],
                    strict=True,
                )
            ],
            "warnings": list_notices(self.notices),
        }
