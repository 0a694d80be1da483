"""What the plan figure shows: probabilities by trials per cell, with their band and their cost."""

import numpy as np
import pandas as pd
from scipy.special import ndtri

from lcstats.errors import OptionError, describe
from lcstats.plan import Plan

BAND_LEVEL = 0.95


def plan_data(plan: Plan) -> pd.DataFrame:
    """Return the probabilities of a plan by trials per cell.

    Parameters
    ----------
    plan : Plan
        With rows: of a hit, a doubling or the size of a set, or without a target.

    Returns
    -------
    DataFrame
        One row per series and number of trials: ``series`` (``hit``, ``within``),
        ``trials_per_cell``, ``probability``, ``lower`` and ``upper`` (band of the simulation at
        95%; the probability itself where it is exact), ``tokens``, ``usd`` (missing without
        prices), ``is_recommended``.

    Raises
    ------
    OptionError
        If the target is a closed form, which has no curve to show.

    Examples
    --------
    >>> from lcstats.lengths import Criterion
    >>> from lcstats.plan import plan_trials
    >>> plan = plan_trials("two-hop", [1024, 2048], [0, 1], Criterion(0.85), trials=[5, 19])
    >>> plan_data(plan)[["series", "trials_per_cell", "probability", "tokens"]].round(3)
       series  trials_per_cell  probability  tokens
    0     hit                5        0.360   30720
    1     hit               19        0.478  116736
    2  within                5        1.000   30720
    3  within               19        1.000  116736
    """
    if not plan.rows:
        raise OptionError(
            describe(
                f"the plan is for {plan.target.words() if plan.target else 'nothing'}",
                "expected probabilities by trials per cell",
                "plan for hit=0.9, say, or for numbers of trials",
            )
        )
    shares = {
        "hit": [row.hit_probability for row in plan.rows],
        "within": [row.within_one_doubling for row in plan.rows],
    }
    reach = float(ndtri((1.0 + BAND_LEVEL) / 2.0))
    margin = reach * np.array([row.monte_carlo_error for row in plan.rows])
    tables = [_series(plan, name, np.array(values), margin) for name, values in shares.items()]
    return pd.concat(tables, ignore_index=True)


def _series(plan: Plan, name: str, probability: np.ndarray, margin: np.ndarray) -> pd.DataFrame:
    numbers = [row.trials_per_cell for row in plan.rows]
    costs = [plan.cost_of(number) for number in numbers]
    return pd.DataFrame(
        {
            "series": name,
            "trials_per_cell": numbers,
            "probability": probability,
            "lower": np.clip(probability - margin, 0.0, 1.0),
            "upper": np.clip(probability + margin, 0.0, 1.0),
            "tokens": [cost.tokens for cost in costs],
            "usd": np.array([cost.usd for cost in costs], dtype=np.float64),
            "is_recommended": [number == plan.recommended for number in numbers],
        }
    )
