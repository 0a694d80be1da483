"""A plan: what numbers of trials per cell lead to, what is recommended, and what it costs."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lcstats.curve import FloatArray
from lcstats.errors import Notice
from lcstats.lengths import Criterion
from lcstats.options import Engine, Method
from lcstats.plan.closed import Required
from lcstats.plan.cost import Cost, Prices, cost_of
from lcstats.plan.row import PlanRow
from lcstats.plan.target import Target
from lcstats.plan.wording import found_words, row_words
from lcstats.records import (
    SCHEMA_VERSION,
    array_of,
    freeze_arrays,
    list_notices,
    list_numbers,
    notices_of,
    restoring,
)

FAMILIAR_TRIALS = 20
"""Trials per cell that a sentence compares with, where no others were asked about."""


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """How many trials per cell a sweep needs.

    Attributes
    ----------
    truth : str
        What the plan is made for.
    criterion : Criterion
    method : {"observed", "curve", "flexible"}
        The estimate that is planned.
    engine : {"exact", "monte_carlo", "closed_form"}
    lengths : ndarray of int64, shape (n_lengths,)
    depths : ndarray of float64, shape (n_depths,)
    true_lengths : mapping of str to float
        True effective length, as a set prints it, to its probability: 1 where the truth is known.
    rows : tuple of PlanRow
        By trials per cell, ascending; empty where the target is a closed form.
    asked : tuple of int
        Trials per cell that were asked about; the other rows come from the search.
    target : Target or None
    recommended : int or None
        Smallest number of trials per cell found to reach the target.
    holds_from : int or None
        Smallest from which on every number that was looked at reaches it.
    searched_to : int or None
        Largest number that the search looked at.
    required : Required or None
        For closed forms: the cases that are needed, and of what.
    floor : int or None
        Perfect cases without which nothing can be certified (per cell, or per length for means).
    prices : Prices
        What a cost is made of.
    notices : tuple of Notice
    """

    truth: str
    criterion: Criterion
    method: Method
    engine: Engine
    lengths: NDArray[np.int64]
    depths: FloatArray
    true_lengths: Mapping[str, float]
    rows: tuple[PlanRow, ...]
    asked: tuple[int, ...] = ()
    target: Target | None = None
    recommended: int | None = None
    holds_from: int | None = None
    searched_to: int | None = None
    required: Required | None = None
    floor: int | None = None
    prices: Prices = field(default_factory=Prices)
    notices: tuple[Notice, ...] = ()

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze_arrays(self)

    @property
    def n_cells(self) -> int:
        """Number of lengths times number of depths."""
        return int(self.lengths.size * self.depths.size)

    @property
    def total_trials(self) -> int | None:
        """Trials in all of the recommended plan."""
        return None if self.recommended is None else self.recommended * self.n_cells

    @property
    def cost(self) -> Cost | None:
        """Cost of the recommended plan; without a target, of the largest that was asked about."""
        number = self.recommended
        if number is None and self.target is None:
            number = self.rows[-1].trials_per_cell
        return None if number is None else self.cost_of(number)

    def cost_of(self, trials_per_cell: int) -> Cost:
        """Return the cost of a number of trials in every cell."""
        trials = np.full((self.lengths.size, self.depths.size), trials_per_cell)
        return cost_of(trials, self.lengths, self.prices)

    def row(self, trials_per_cell: int) -> PlanRow | None:
        """Return the row of a number of trials per cell, if it was looked at."""
        return next((row for row in self.rows if row.trials_per_cell == trials_per_cell), None)

    def sentence(self) -> str:
        """Say what the plan comes to in plain words.

        Examples
        --------
        >>> from lcstats.plan import plan_trials
        >>> lengths = 4096 * 2 ** np.arange(4)
        >>> plan = plan_trials(
        ...     "single-needle", lengths, [0, 0.5, 1], Criterion(0.85), "hit=0.6", trials=20
        ... )
        >>> print(plan.sentence())
        20 trials per cell: 92.2% on the true length, 99.4% within one doubling; 60% on the true \
length first at 3, for good from 5 (looked at to 21).
        """
        if self.required is not None and self.target is not None:
            return f"{self.required.words()}: {self.target.words()}."
        shown = self.asked or (FAMILIAR_TRIALS,)
        words = [row_words(row) for row in self.rows if row.trials_per_cell in shown]
        if self.target is not None:
            found = self.recommended, self.holds_from, self.searched_to
            words.append(found_words(self.target.words(), *found))
        return f"{'; '.join(words)}."

    def __repr__(self) -> str:
        wanted = "no target" if self.target is None else self.target.words()
        number = "none found" if self.recommended is None else f"{self.recommended} per cell"
        return f"Plan({self.truth}, {self.method}, {wanted}: {number})"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per number of trials per cell that was looked at."""
        return pd.DataFrame([asdict(row) for row in self.rows])

    def to_dict(self) -> dict[str, Any]:
        """Return the ``plan`` object of the JSON."""
        cost = self.cost
        return {
            "schema_version": SCHEMA_VERSION,
            "target": None if self.target is None else self.target.to_dict(),
            "recommended_trials_per_cell": self.recommended,
            "holds_from": self.holds_from,
            "searched_to": self.searched_to,
            "total_trials": self.total_trials,
            "total_tokens": None if cost is None else cost.tokens,
            "cost_usd": None if cost is None else cost.usd,
            "cost": None if cost is None else cost.to_dict(),
            "prices": asdict(self.prices),
            "asked": list(self.asked),
            "table": [asdict(row) for row in self.rows],
            "engine": self.engine,
            "method": self.method,
            "truth": self.truth,
            "true_lengths": dict(self.true_lengths),
            "criterion": self.criterion.to_dict(),
            "lengths": self.lengths.tolist(),
            "depths": list_numbers(self.depths),
            "required": None if self.required is None else asdict(self.required),
            "certification_floor": self.floor,
            "warnings": list_notices(self.notices),
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "Plan":
        """Restore what :meth:`to_dict` returned.

        Raises
        ------
        FormatError
            If it is of an unknown schema version or not whole.
        """
        with restoring("Plan", document):
            target, required = document["target"], document["required"]
            return cls(
                truth=document["truth"],
                criterion=Criterion.from_dict(document["criterion"]),
                method=document["method"],
                engine=document["engine"],
                lengths=np.array(document["lengths"], dtype=np.int64),
                depths=array_of(document["depths"]),
                true_lengths=dict(document["true_lengths"]),
                rows=tuple(PlanRow(**row) for row in document["table"]),
                asked=tuple(document["asked"]),
                target=None if target is None else Target.from_dict(target),
                recommended=document["recommended_trials_per_cell"],
                holds_from=document["holds_from"],
                searched_to=document["searched_to"],
                required=None if required is None else Required(**required),
                floor=document["certification_floor"],
                prices=Prices(**document["prices"]),
                notices=notices_of(document["warnings"]),
            )
