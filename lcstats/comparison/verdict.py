"""Verdicts: better, worse, tied or undecided, with p-values corrected for their number."""

from collections.abc import Sequence

import numpy as np

from lcstats.comparison.contrast import Contrast
from lcstats.options import Verdict


def correct_for_number(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected by Holm's method, in the order given.

    Notes
    -----
    The i-th smallest of m is multiplied by m + 1 - i, made no smaller than those before it, and at
    most 1 (Holm 1979, Scandinavian Journal of Statistics 6:65). Any dependence is allowed.

    Examples
    --------
    >>> correct_for_number([0.02, 0.01, 0.5])
    [0.04, 0.03, 0.5]
    """
    given = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(given, kind="stable")
    stepped = np.maximum.accumulate(given[order] * np.arange(given.size, 0, -1))
    corrected = np.empty(given.size)
    corrected[order] = np.minimum(stepped, 1.0)
    return [float(value) for value in corrected]


def judge(contrast: Contrast, corrected_p: float, margin: float) -> Verdict:
    """Return what a difference comes to.

    ``tied`` where the whole interval is within the margin, whatever the test says of differences
    too small to matter; else ``better`` or ``worse`` where the corrected test shows a difference at
    the interval's level; else ``undecided``.

    Parameters
    ----------
    contrast : Contrast
    corrected_p : float
        Of its test, corrected for the number of tests.
    margin : float
        Differences up to here do not matter.
    """
    interval = contrast.interval
    if -margin <= interval.lower and interval.upper <= margin:
        return "tied"
    if corrected_p <= 1.0 - interval.level and contrast.difference != 0.0:
        return "better" if contrast.difference > 0.0 else "worse"
    return "undecided"
