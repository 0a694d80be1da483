"""Where in a prompt an answer is, where that is chance and no design's depth.

A needle that a suite puts anywhere has a place of its own in nearly every prompt. As depths, such
places would make cells of one case each, and nothing could be said by cell. They are kept beside
the trials instead, exact and as the tenth of the prompt that they lie in; either can be taken.
"""

import math
from collections.abc import Iterable

import pandas as pd

from lcstats.errors import Notice
from lcstats.readers.request import ReadRequest
from lcstats.trials import RawTable
from lcstats.trials.wording import counted

ANSWER_POSITION = "answer_position"
"""Column with the place of the answer, a fraction of the prompt."""

ANSWER_TENTH = "answer_tenth"
"""Column with the middle of the tenth of the prompt that the answer is in."""


def place_in(prompt: str, answer: str) -> float | None:
    """Return where an answer first is in a prompt, as a fraction of its characters.

    Examples
    --------
    >>> place_in("abcd", "c"), place_in("abcd", "x")
    (0.5, None)
    """
    place = prompt.find(answer)
    return None if place < 0 else place / len(prompt)


def middle_of_tenth(place: float | None) -> float | None:
    """Return the middle of the tenth that a place is in; None for no place.

    Examples
    --------
    >>> middle_of_tenth(0.3), middle_of_tenth(1.0), middle_of_tenth(None)
    (0.35, 0.95, None)
    """
    if place is None or not 0 <= place <= 1:
        return None
    return round(min(math.floor(10 * place), 9) / 10 + 0.05, 2)


def with_places(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table with the tenths beside its places; as it is where it has no places."""
    if ANSWER_POSITION not in frame:
        return frame
    places = pd.to_numeric(frame[ANSWER_POSITION], errors="coerce").astype("float64")
    return frame.assign(
        **{
            ANSWER_POSITION: places,
            ANSWER_TENTH: places.map(middle_of_tenth).astype("float64"),
        }
    )


def place_notices(tables: Iterable[RawTable], request: ReadRequest) -> tuple[Notice, ...]:
    """Say that places were not taken for depths, and how to take them.

    Nothing is said where there are no places, or where the call names a column of depths.
    """
    columns = [table.frame.get(ANSWER_POSITION) for table in tables]
    n_places = sum(int(column.notna().sum()) for column in columns if column is not None)
    if not n_places or "depth" in request.table.columns:
        return ()
    return (
        Notice(
            "no-depths",
            f"answers of {counted(n_places, 'trial')} are at random places, which are no depths of "
            f"a sweep: pass columns={{'depth': {ANSWER_TENTH!r}}} (--map depth={ANSWER_TENTH}) to "
            f"have the tenths of the prompt as depths, or {ANSWER_POSITION!r} for the places",
        ),
    )
