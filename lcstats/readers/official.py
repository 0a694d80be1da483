"""The score that a suite itself gives: no output is unscored to it, and an empty one is wrong."""

from lcstats.errors import Notice
from lcstats.readers.request import ReadRequest
from lcstats.trials.wording import counted

OFFICIAL = "official_score"
"""Column with the suite's own score; a call can take it for the score."""


def wants_official(request: ReadRequest) -> bool:
    """Tell whether a call takes the suite's own score: empty outputs then have one.

    Examples
    --------
    >>> wants_official(ReadRequest())
    False
    """
    return request.table.columns.get("score") == OFFICIAL


def empty_notices(n_empty: int, suite: str, request: ReadRequest) -> tuple[Notice, ...]:
    """Say how many outputs are empty, and how to have them as the suite has them.

    Examples
    --------
    >>> empty_notices(0, "RULER", ReadRequest())
    ()
    """
    if not n_empty or wants_official(request):
        return ()
    return (
        Notice(
            "empty-outputs",
            f"{counted(n_empty, 'output')} empty: without a score here, wrong to {suite}; pass "
            f"columns={{'score': {OFFICIAL!r}}} (--map score={OFFICIAL}) for its own score",
        ),
    )
