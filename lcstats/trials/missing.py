"""Trials without a score: how many, and whether long contexts lose more of them."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr

from lcstats.errors import Notice, UnscoredWarning
from lcstats.trials.wording import counts_by_status

LEVEL = 0.05


def unscored_notices(frame: pd.DataFrame) -> tuple[Notice, ...]:
    """Say how many trials have no score, and whether that depends on length.

    Parameters
    ----------
    frame : DataFrame
        Columns ``model``, ``task``, ``length``, ``score``, ``status``.
    """
    missing = frame["score"].isna()
    n_missing = int(missing.sum())
    if not n_missing:
        return ()
    by_status = counts_by_status(frame.loc[missing, "status"])
    return (
        Notice(
            "unscored",
            f"{n_missing} of {len(frame)} trials have no score ({by_status}): they are counted, "
            f"never taken as wrong{_trends(frame)}",
            UnscoredWarning,
        ),
    )


def trend_p_value(lengths: NDArray[np.float64], missing: NDArray[np.bool_]) -> float:
    """Return how surprising the lengths of the missing trials are if chance picked them.

    Parameters
    ----------
    lengths : ndarray of float64, shape (n_trials,)
        At least 1.
    missing : ndarray of bool, shape (n_trials,)

    Returns
    -------
    float
        Two-sided; NaN where all or none are missing, or one length was tested.

    Notes
    -----
    The sum of log2(length) over the missing trials, against its mean and variance over all ways
    to pick as many trials: the Cochran-Armitage trend test with its permutation variance
    (Armitage, 1955), in the normal limit.

    Examples
    --------
    >>> lengths = np.repeat([4096.0, 131072.0], 20)
    >>> round(trend_p_value(lengths, np.arange(40) >= 32), 4)
    0.0018
    """
    n, n_missing = missing.size, int(missing.sum())
    doublings = np.log2(lengths)
    variance = doublings.var() * n_missing * (n - n_missing) / max(n - 1, 1)
    if variance <= 0:
        return float("nan")
    distance = doublings[missing].sum() - n_missing * doublings.mean()
    return float(2.0 * ndtr(-abs(distance) / np.sqrt(variance)))


def _trends(frame: pd.DataFrame) -> str:
    """Name the (model, task) groups whose missing trials depend on length, Holm over groups."""
    names_and_scores = frame[["model", "task", "length", "score"]]
    groups = list(names_and_scores.groupby(["model", "task"], sort=True))
    found = [(_trend(group), names) for names, group in groups]
    tested = sorted((p, names, word) for (p, word), names in found if p == p)
    said = []
    for place, (p, names, word) in enumerate(tested):
        if p * (len(tested) - place) >= LEVEL:
            break
        where = f" for {names[0]} on {names[1]}" if len(groups) > 1 else ""
        said.append(f"{word} contexts lost more of them{where} (p = {p:.2g})")
    return "; " + ", ".join(said) if said else ""


def _trend(group: pd.DataFrame) -> tuple[float, str]:
    lengths, missing = group["length"].to_numpy(np.float64), group["score"].isna().to_numpy()
    longer = lengths[missing].mean() > lengths.mean() if missing.any() else False
    return trend_p_value(np.maximum(lengths, 1.0), missing), "longer" if longer else "shorter"
