"""The built-in truths by name."""

from lcstats.errors import OptionError, describe
from lcstats.truths.coverage import COVERAGE, HARD
from lcstats.truths.tasks import TASKS
from lcstats.truths.truth import Truth

_BY_NAME = {truth.name: truth for truth in TASKS + COVERAGE + HARD}


def names() -> tuple[str, ...]:
    """Return the names of all built-in truths, the five tasks first.

    Examples
    --------
    >>> names()[:5]
    ('single-needle', 'distractors', 'four-values', 'aggregate-ten', 'two-hop')
    """
    return tuple(_BY_NAME)


def get_truth(name: str) -> Truth:
    """Return the built-in truth of a name.

    Parameters
    ----------
    name : str
        One of :func:`names`.

    Raises
    ------
    OptionError
        If there is none of that name; the message lists the names.

    Examples
    --------
    >>> get_truth("ceiling").default_threshold
    0.8
    """
    if name not in _BY_NAME:
        raise OptionError(
            describe(
                f"truth is {name!r}",
                f"expected one of {', '.join(_BY_NAME)}",
                "name one of these, single-needle for a start",
            )
        )
    return _BY_NAME[name]
