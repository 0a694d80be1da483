"""Scores on a common lattice: whole multiples of one over a unit."""

from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

LARGEST_DENOMINATOR = 1000
"""A score within 1e-9 of a fraction with a denominator up to this is that fraction."""

FINEST_UNIT = 10**9
"""Scores on no common lattice coarser than this are held to nine decimals."""


def on_lattice(values: NDArray[Any]) -> tuple[NDArray[np.int64], int]:
    """Write `values` as whole multiples of one over a unit; the unit is 1 for whole numbers."""
    numbers = np.asarray(values, dtype=np.float64)
    whole = np.asarray(numbers.astype(np.int64))
    if np.array_equal(whole, numbers):
        return whole, 1
    unit = _common_unit(np.sort(pd.unique(numbers)))
    return np.rint(numbers * unit).astype(np.int64), unit


def _common_unit(distinct: NDArray[np.float64]) -> int:
    unit = 1
    for value in distinct[: LARGEST_DENOMINATOR * 10]:
        nearest = Fraction(float(value)).limit_denominator(LARGEST_DENOMINATOR)
        unit = lcm(unit, nearest.denominator)
        if abs(float(nearest) - value) > 1e-9 or unit > FINEST_UNIT:
            return FINEST_UNIT
    return unit if distinct.size <= LARGEST_DENOMINATOR * 10 else FINEST_UNIT
