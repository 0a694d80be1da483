"""What the figure of several decay curves shows: that of each, with its language model and task."""

from collections.abc import Sequence

import pandas as pd

from lcstats.cells import Cells
from lcstats.fit import CurveFit
from lcstats.lengths import EffectiveLength
from lcstats.plots.decay_table import decay_data
from lcstats.plots.groups import by_group


def decays_data(
    cells: Cells,
    effective_lengths: Sequence[EffectiveLength] = (),
    *,
    level: float = 0.95,
    fits: Sequence[CurveFit] = (),
) -> pd.DataFrame:
    """Return accuracy by length with intervals for every language model and task.

    Parameters
    ----------
    cells : Cells
    effective_lengths : sequence of EffectiveLength
        Of these groups, by one criterion, which brings the depth treatment.
    level : float
        Level of the intervals and, point by point, of the bands.
    fits : sequence of CurveFit
        Of these groups; a group with a fit has a curve.

    Returns
    -------
    DataFrame
        The rows of :func:`decay_data` with ``series`` "length" and "curve", after ``number``,
        ``model`` and ``task`` of their group.

    Raises
    ------
    OptionError
        If a result is of other cells.

    Examples
    --------
    >>> one, two = (
    ...     Cells.from_counts([4096, 8192], [0.5], n_cases=10, successes=[[10], [k]], model=name)
    ...     for name, k in (("a", 9), ("b", 2))
    ... )
    >>> both = Cells(one.grids + two.grids)
    >>> decays_data(both)[["number", "model", "length", "accuracy"]]
       number model  length  accuracy
    0       0     a    4096       1.0
    1       0     a    8192       0.9
    2       1     b    4096       1.0
    3       1     b    8192       0.2
    """
    groups = [(grid.model, grid.task) for grid in cells.grids]
    answers = by_group((((one.model, one.task), one) for one in effective_lengths), groups)
    curves = by_group((((one.grid.model, one.grid.task), one) for one in fits), groups)
    tables = [
        decay_data(group, answer, level=level, fit=fit).assign(
            number=number, model=group.grid.model, task=group.grid.task
        )
        for number, (group, answer, fit) in enumerate(zip(cells, answers, curves, strict=True))
    ]
    table = pd.concat(tables, ignore_index=True)
    table = table[table["series"] != "cell"].reset_index(drop=True)
    first = ["number", "model", "task"]
    return table[[*first, *(name for name in table if name not in first)]]
