"""Several language models or tasks in one figure: what tells them apart, and what they share."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from lcstats.errors import OptionError, describe
from lcstats.plots.labels import clean

Group = tuple[str, str]
"""Language model and task."""
Value = TypeVar("Value")

MOST_SERIES = 6
"""Curves that can be told apart in one figure, by colour and by marker."""
MARKERS = "osD^vP"


def names_apart(groups: Sequence[Group]) -> list[str]:
    """Name each group by what not all of them share.

    Examples
    --------
    >>> names_apart([("a", "kv"), ("b", "kv")]), names_apart([("a", "kv"), ("b", "hop")])
    (['a', 'b'], ['a on kv', 'b on hop'])
    """
    models, tasks = ({group[part] for group in groups} for part in (0, 1))
    if len(tasks) == 1:
        return [clean(model) for model, _ in groups]
    if len(models) == 1:
        return [clean(task) for _, task in groups]
    return [clean(f"{model} on {task}") for model, task in groups]


def name_together(groups: Sequence[Group]) -> tuple[str, str]:
    """Name all groups: the one language model, or how many; the one task, or how many.

    Examples
    --------
    >>> name_together([("a", "kv"), ("b", "kv")]), name_together([("a", "kv"), ("a", "hop")])
    (('2 language models', 'kv'), ('a', '2 tasks'))
    """
    model, task = (_one_or_count(groups, part) for part in (0, 1))
    return model, clean(task)


def _one_or_count(groups: Sequence[Group], part: int) -> str:
    values = {group[part] for group in groups}
    noun = ("language models", "tasks")[part]
    return values.pop() if len(values) == 1 else f"{len(values)} {noun}"


def check_series(n_series: int) -> None:
    """Refuse more curves in one figure than can be told apart.

    Raises
    ------
    OptionError
    """
    if n_series > MOST_SERIES:
        raise OptionError(
            describe(
                f"there are {n_series} language models and tasks",
                f"expected at most {MOST_SERIES} in one figure of curves",
                "take some (--select task=NAME, or cells.select), or draw heat maps together",
            )
        )


def check_one_unit(units: Iterable[str]) -> str:
    """Return the unit of length that all groups share.

    Raises
    ------
    OptionError
        If there are several: they cannot stand on one axis.
    """
    found = sorted(set(units))
    if len(found) > 1:
        raise OptionError(
            describe(
                f"lengths are in {' and '.join(found)}",
                "expected one unit of length on one axis",
                "draw each on its own",
            )
        )
    return found[0]


def by_group(values: Iterable[tuple[Group, Value]], groups: Sequence[Group]) -> list[Value | None]:
    """Put what was made of groups in the order of the groups; None where there is none.

    Raises
    ------
    OptionError
        If something was made of a group that is not drawn.
    """
    made = dict(values)
    foreign = sorted(made.keys() - set(groups))
    if foreign:
        model, task = foreign[0]
        raise OptionError(
            describe(
                f"a result of {model!r} on {task!r} is given",
                "expected results of the language models and tasks that are drawn",
                "pass those of the same cells",
            )
        )
    return [made.get(group) for group in groups]
