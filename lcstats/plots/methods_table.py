"""What the methods figure shows: every method's point, sets, crossing and masses."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from lcstats.lengths import EffectiveLength, outcome_label
from lcstats.lengths.answer import Estimate, Interval

COLUMNS = ["method", "series", "kind", "quoted", "label", "length", "lower", "upper", "share"]


def methods_data(effective_length: EffectiveLength) -> pd.DataFrame:
    """Return what every method says, the one to quote first.

    Parameters
    ----------
    effective_length : EffectiveLength

    Returns
    -------
    DataFrame
        Per ``method`` a row with ``series`` "point": its status as ``kind``, its ``length``
        (missing if no tested length passes) and ``label`` (``<4096``, ``8192``, ``>=131072``);
        a row "set" per kind of set, from ``lower`` to ``upper`` length (missing for "no tested
        length passes"); for a curve that crosses the threshold a row "crossing", with the
        continuous ``length`` and the ends of its interval (missing where the data do not bound
        it); and a row "mass" per kind of masses and outcome, with its ``share``. ``quoted`` is
        True for the point and the set to quote; where only a set is, no point has it.

    Examples
    --------
    >>> from lcstats.cells import Cells
    >>> from lcstats.lengths import Criterion, effective_length
    >>> cells = Cells.from_counts(
    ...     [4096, 8192], [0.0, 0.5], n_cases=40, successes=[[38, 36], [20, 20]]
    ... )
    >>> answer = effective_length(cells, Criterion(0.85), masses=["bootstrap"])
    >>> methods_data(answer)[["method", "series", "kind", "quoted", "label"]]
         method series       kind  quoted   label
    0  observed  point    crossed    True    4096
    1  observed    set  certified    True    4096
    2  observed   mass  bootstrap   False   <4096
    3  observed   mass  bootstrap   False    4096
    4  observed   mass  bootstrap   False  >=8192
    """
    answer = effective_length
    rows = [
        {"method": estimate.method, **row}
        for estimate in (answer.quoted, *answer.beside)
        for row in _rows(estimate, answer)
    ]
    table = pd.DataFrame(rows).reindex(columns=COLUMNS)
    numbers = ["length", "lower", "upper", "share"]
    return table.astype(dict.fromkeys(numbers, np.float64))


def _rows(estimate: Estimate, answer: EffectiveLength) -> Iterator[dict[str, Any]]:
    yield {
        "series": "point",
        "kind": estimate.status,
        "quoted": estimate.method == answer.headline,
        "label": estimate.display,
        "length": estimate.length,
    }
    is_first = estimate is answer.quoted
    for interval in estimate.sets:
        yield _set_row(interval, quoted=is_first and interval is estimate.default_set)
    yield from _crossing_rows(estimate)
    for kind, mass in estimate.masses.items():
        for outcome, share in enumerate(mass.tolist()):
            yield {
                "series": "mass",
                "kind": kind,
                "quoted": False,
                "label": outcome_label(outcome, estimate.lengths),
                "length": estimate.lengths[outcome - 1] if outcome else None,
                "share": share,
            }


def _set_row(interval: Interval, *, quoted: bool) -> dict[str, Any]:
    return {
        "series": "set",
        "kind": interval.kind,
        "quoted": quoted,
        "label": interval.display,
        "lower": interval.lower_length,
        "upper": interval.upper_length,
    }


def _crossing_rows(estimate: Estimate) -> Iterator[dict[str, Any]]:
    crossing = estimate.crossing
    if crossing is None:
        return
    yield {
        "series": "crossing",
        "kind": "extrapolated" if crossing.extrapolated else "crossed",
        "quoted": False,
        "label": f"{crossing.value:.0f}",
        "length": crossing.value,
        "lower": crossing.lower,
        "upper": crossing.upper,
    }
