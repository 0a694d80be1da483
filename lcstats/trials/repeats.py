"""Repeats of a case that agree more often than chance: they are no new evidence."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lcstats.errors import DuplicateWarning, Notice
from lcstats.trials.identity import CELL, key_codes
from lcstats.trials.wording import counted

SURPRISING = 3.0
"""Standard errors above what independent repeats would agree, from which it is said."""


def identical_repeats_notices(frame: pd.DataFrame) -> tuple[Notice, ...]:
    """Say that repeats agree suspiciously often, with their design effect and effective number.

    Parameters
    ----------
    frame : DataFrame
        A canonical table with case ids.

    Notes
    -----
    If the m repeats of a case were independent draws at its length's accuracy p, all would agree
    with probability p^m + (1 - p)^m. The design effect is 1 + (m - 1) r (Kish, 1965), r the
    intra-class correlation of the repeats around their length's accuracy and m their mean number,
    weighted by itself; the effective number of trials is their number over it.
    """
    if (frame["repeat"] == 1).all():
        return ()
    scored = frame[frame["score"].notna()]
    if (scored["repeat"] == 1).all() or not scored["score"].isin((0.0, 1.0)).all():
        return ()
    cases = pd.Series(key_codes(scored, (*CELL, "case")), index=scored.index)
    repeated = scored[cases.duplicated(keep=False)]
    if repeated.empty:
        return ()
    by_case = repeated.groupby(cases[repeated.index])["score"]
    n = np.asarray(by_case.size(), dtype=np.int64)
    right = np.asarray(by_case.sum(), dtype=np.float64)
    place = ["model", "task", "length"]
    accuracy = scored.groupby(place)["score"].transform("mean")[repeated.index]
    expected = accuracy.groupby(cases[repeated.index]).first().to_numpy()
    agree: NDArray[np.bool_] = (right == 0) | (right == n)
    chance = expected**n + (1.0 - expected) ** n
    spread = np.sqrt((chance * (1.0 - chance)).sum())
    if agree.sum() - chance.sum() <= SURPRISING * spread:
        return ()
    return (_notice(n, right, expected, agree),)


def design_effect(
    n: NDArray[np.int64], right: NDArray[np.float64], expected: NDArray[np.float64]
) -> float:
    """Return the factor by which repeats overstate the number of trials, at least 1.

    Parameters
    ----------
    n, right, expected : ndarray, shape (n_cases,)
        Repeats and right answers of every case, at least 2 repeats each, and its length's accuracy.

    Examples
    --------
    >>> design_effect(np.array([2, 2]), np.array([2.0, 0.0]), np.array([0.5, 0.5]))
    2.0
    """
    wrong = n - right
    squares = right * (1.0 - expected) ** 2 + wrong * expected**2
    total = right - n * expected
    within_pairs = (total**2 - squares) / (n - 1)
    correlation = within_pairs.sum() / squares.sum() if squares.sum() > 0 else 0.0
    return float(max(1.0, 1.0 + ((n * n).sum() / n.sum() - 1.0) * correlation))


def _notice(
    n: NDArray[np.int64],
    right: NDArray[np.float64],
    expected: NDArray[np.float64],
    agree: NDArray[np.bool_],
) -> Notice:
    effect = design_effect(n, right, expected)
    return Notice(
        "identical-repeats",
        f"repeats agree in {agree.sum()} of {counted(n.size, 'case')} that were sent again, more "
        f"than independent ones would: design effect {effect:.2g}, so {n.sum()} trials tell as "
        f"much as {n.sum() / effect:.0f}; they are folded unless repeats='independent' "
        "(--repeats independent)",
        DuplicateWarning,
    )
