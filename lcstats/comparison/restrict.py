"""A slice of results: the lengths and depths of a design, and nothing else."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lcstats.cells import Results
from lcstats.errors import OptionError, TableError, describe
from lcstats.trials import Trials
from lcstats.trials.wording import listed

DECIMALS = 9
"""To which depths of trials are rounded."""


def restrict(
    results: Results, lengths: Sequence[int] = (), depths: Sequence[float] = ()
) -> Results:
    """Return the trials at some lengths and depths; at all of them where none are named.

    Raises
    ------
    OptionError
        If the results are no single trials.
    TableError
        If no trial is left.

    Examples
    --------
    >>> import pandas as pd
    >>> trials = Trials.from_frame(pd.DataFrame({"length": [4096, 8192], "score": [1, 0]}))
    >>> restrict(trials, [8192])
    Trials(1 trial, 1 scored, 1 language model, 1 task, length 8192 tokens)
    """
    if not (lengths or depths):
        return results
    if not isinstance(results, Trials):
        raise OptionError(
            describe(
                "lengths or depths are chosen, and the table has counts or means",
                "expected single trials to choose from",
                "leave out --design, --lengths and --depths",
            )
        )
    frame = results.frame
    kept = np.ones(len(frame), dtype=bool)
    if lengths:
        kept &= frame["length"].isin(lengths).to_numpy()
    if depths:
        kept &= frame["depth"].isin(np.round(depths, DECIMALS)).to_numpy()
    if not kept.any():
        raise TableError(_nothing_left(results, lengths, depths))
    return replace(results, frame=frame[kept].reset_index(drop=True))


def _nothing_left(trials: Trials, lengths: Sequence[int], depths: Sequence[float]) -> str:
    wanted = [f"length {listed(lengths)}"] * bool(lengths) + [f"depth {listed(depths)}"] * bool(
        depths
    )
    there = [sorted(trials.frame[name].dropna().unique().tolist()) for name in ("length", "depth")]
    return describe(
        f"no trial of {listed(trials.models)} is at {' and '.join(wanted)}",
        f"expected some of the lengths {listed(there[0])} and depths {listed(there[1])}",
        "choose lengths and depths that were run, or leave out --design, --lengths and --depths",
    )
