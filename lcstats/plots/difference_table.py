"""What the difference figure shows: new minus old, by length, by depth and over all."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from lcstats.comparison import Comparison, Contrast, TaskComparison
from lcstats.errors import OptionError, describe


def difference_data(comparison: Comparison, *, task: str | None = None) -> pd.DataFrame:
    """Return the differences in accuracy of one task, with their intervals.

    Parameters
    ----------
    comparison : Comparison
    task : str, optional
        Needed where there are several.

    Returns
    -------
    DataFrame
        One row per place: ``by`` (``all``, ``length``, ``depth``), ``place`` (missing for all),
        ``difference`` (new - old), ``lower``, ``upper``, ``n_paired`` (0 without pairs) and
        ``kind`` of the interval.

    Raises
    ------
    OptionError
        If `task` is not among the tasks, or needed and not given.

    Examples
    --------
    >>> from lcstats.comparison import compare
    >>> from lcstats.trials import Trials
    >>> table = pd.DataFrame({"case": range(100), "length": 8192, "score": [1] * 70 + [0] * 30})
    >>> old, new = table.assign(model="a"), table.assign(model="b", score=[1] * 62 + [0] * 38)
    >>> found = compare(Trials.from_frame(old), Trials.from_frame(new))
    >>> difference_data(found)[["by", "place", "difference", "n_paired"]]
           by   place  difference  n_paired
    0     all     NaN       -0.08       100
    1  length  8192.0       -0.08       100
    """
    return pd.DataFrame(list(_rows(choose_task(comparison, task))))


def choose_task(comparison: Comparison, task: str | None) -> TaskComparison:
    """Return the comparison of one task.

    Raises
    ------
    OptionError
        If `task` is not among the tasks, or needed and not given.
    """
    groups = {group.task: group for group in comparison.groups}
    if task is None and len(groups) == 1:
        return comparison.groups[0]
    if task not in groups:
        raise OptionError(
            describe(
                "no task is named" if task is None else f"task is {task!r}",
                f"expected one of {', '.join(groups)}",
                f"pass task={next(iter(groups))!r}, say",
            )
        )
    return groups[task]


def _rows(group: TaskComparison) -> Iterator[dict[str, Any]]:
    yield _row("all", None, group.overall)
    for name, slices in (("length", group.by_length), ("depth", group.by_depth)):
        for each in slices:
            yield _row(name, each.place, each.contrast)


def _row(by: str, place: float | None, contrast: Contrast) -> dict[str, Any]:
    return {
        "by": by,
        "place": float("nan") if place is None else place,
        "difference": contrast.difference,
        "lower": contrast.interval.lower,
        "upper": contrast.interval.upper,
        "n_paired": contrast.n_paired,
        "kind": contrast.interval.kind,
    }
