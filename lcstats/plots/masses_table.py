"""What the masses figure shows: the share of every outcome, and whether the set holds it."""

import numpy as np
import pandas as pd

from lcstats.errors import OptionError, describe
from lcstats.lengths import EffectiveLength, outcome_label


def masses_data(effective_length: EffectiveLength) -> pd.DataFrame:
    """Return the masses of every outcome, beside the default set.

    Masses say how often each outcome would come up again, or its posterior probability; the
    set holds the truth at its level. They are different things (METHOD section 4).

    Parameters
    ----------
    effective_length : EffectiveLength

    Returns
    -------
    DataFrame
        One row per kind of mass and outcome: ``kind``, ``outcome`` (0..n_lengths), ``label``
        (``<4096``, ``8192``, ``>=131072``), ``length`` (missing for outcome 0), ``mass`` and
        ``in_set``, whether the default set holds the outcome.

    Raises
    ------
    OptionError
        If the effective length was made without masses.

    Examples
    --------
    >>> from lcstats.cells import Cells
    >>> from lcstats.lengths import Criterion, effective_length
    >>> cells = Cells.from_counts(
    ...     [4096, 8192], [0.0, 0.5], n_cases=40, successes=[[38, 36], [20, 20]]
    ... )
    >>> answer = effective_length(cells, Criterion(0.85), masses=["bootstrap"])
    >>> masses_data(answer)[["kind", "label", "mass", "in_set"]].round(4)
            kind   label    mass  in_set
    0  bootstrap   <4096  0.0062   False
    1  bootstrap    4096  0.9938    True
    2  bootstrap  >=8192  0.0000   False
    """
    estimate = effective_length.quoted
    if not estimate.masses:
        raise OptionError(
            describe(
                "the effective length holds no masses",
                "expected at least one kind of masses",
                "ask for them with effective_length(cells, criterion, masses=['bootstrap'])",
            )
        )
    outcomes = np.arange(estimate.lengths.size + 1)
    labels = [outcome_label(outcome, estimate.lengths) for outcome in outcomes.tolist()]
    lengths = pd.array([pd.NA, *estimate.lengths.tolist()], dtype="Int64")
    interval = estimate.default_set
    in_set = (interval.lower <= outcomes) & (outcomes <= interval.upper)
    tables = [
        pd.DataFrame(
            {
                "kind": kind,
                "outcome": outcomes,
                "label": labels,
                "length": lengths,
                "mass": mass,
                "in_set": in_set,
            }
        )
        for kind, mass in estimate.masses.items()
    ]
    return pd.concat(tables, ignore_index=True)
