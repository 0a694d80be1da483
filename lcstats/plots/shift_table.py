"""What the shift figure shows: masses over doublings, by method, and the intervals."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from lcstats.comparison.doublings import DECIMALS, shift_between, shift_label
from lcstats.comparison.shift_result import LengthShift
from lcstats.errors import OptionError, describe


def shift_data(shifts: Mapping[str, LengthShift]) -> pd.DataFrame:
    """Return the masses over shifts of the effective length, by method.

    Parameters
    ----------
    shifts : mapping of str to LengthShift
        By method, as :func:`lcstats.comparison.shift.length_shift` returns them.

    Returns
    -------
    DataFrame
        One row per method and shift with some mass: ``method``, ``label`` (``-1``, ``>=2``,
        ``both_beyond``), ``doublings`` (what the label is about; missing where nothing is known),
        ``known`` (``exact``, ``at most``, ``at least`` or ``nothing``), ``mass``, ``lower`` and
        ``upper`` (the interval to quote; infinite where it is not bounded).

    Raises
    ------
    OptionError
        If there are none.

    Examples
    --------
    >>> from lcstats.comparison.shift_interval import ShiftInterval
    >>> from lcstats.lengths import Criterion
    >>> shift = LengthShift(
    ...     "observed", "a", "b", "kv", Criterion(0.85), "tokens", np.array([4096, 8192]),
    ...     (2, 1), np.diag([0.0, 0.5, 0.5]), "bootstrap", is_paired=True,
    ...     intervals=(ShiftInterval("both_sets", 0.95, -np.inf, 0.0),),
    ... )  # fmt: skip
    >>> shift_data({"observed": shift})[["label", "known", "doublings", "mass"]]
             label    known  doublings  mass
    0            0    exact        0.0   0.5
    1  both_beyond  nothing        NaN   0.5
    """
    if not shifts:
        raise OptionError(
            describe(
                "there is no shift of the effective length",
                "expected one by at least one method",
                "compare with a criterion: compare(old, new, criterion=Criterion(0.85))",
            )
        )
    rows = [row for shift in shifts.values() for row in _rows(shift)]
    return pd.DataFrame(rows).astype({"doublings": "float64"})


def _rows(shift: LengthShift) -> Iterator[dict[str, Any]]:
    interval = shift.default_interval
    places = {
        shift_label(old, new, shift.lengths): (old, new)
        for old, new in np.ndindex(shift.joint.shape)
    }
    for label, mass in shift.doublings.items():
        known = _known(label)
        value = round(shift_between(*places[label], shift.lengths), DECIMALS)
        yield {
            "method": shift.method,
            "label": label,
            "doublings": float("nan") if known == "nothing" else value,
            "known": known,
            "mass": mass,
            "lower": interval.lower,
            "upper": interval.upper,
        }


def _known(label: str) -> str:
    if label.startswith("both"):
        return "nothing"
    return {"<": "at most", ">": "at least"}.get(label[0], "exact")
