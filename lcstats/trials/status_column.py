"""Statuses: what became of a trial, in the library's own words."""

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lcstats.errors import Notice
from lcstats.options import STATUSES
from lcstats.trials.faults import Faults
from lcstats.trials.values import factorize, spread
from lcstats.trials.wording import counted

_SPELLINGS: tuple[tuple[str, str], ...] = (
    (
        "ok",
        r"ok|okay|success|succeeded|successful|done|complete|completed|finished|scored|stop|200",
    ),
    ("timeout", r"time_?(d_)?out|deadline_exceeded|408|504|gateway_timeout|.*_timeout"),
    ("rate_limited", r"rate_?limit(ed|_error|_exceeded)?|too_many_requests|throttled|429"),
    (
        "context_exceeded",
        r"context_?(length|window)?_?(is_)?(exceeded|overflow|too_long)|"
        r"(prompt|input|context)_too_(long|large)|too_long|did_not_fit|max_context_exceeded",
    ),
    ("truncated", r"truncated|prompt_truncated|cut"),
    ("skipped", r"skip|skipped|not_run|pending|cancell?ed"),
    ("refused", r"refus(ed|al)|content_filter(ed)?|blocked|safety"),
    ("empty", r"empty|empty_output|no_output|no_answer"),
    ("budget_exhausted", r"budget_(exhausted|exceeded)|out_of_budget"),
    ("unparsed", r"unparsed|unparsable|parse_error|judge_error|unscored|no_score"),
    (
        "error",
        r"err|error|errored|failed|failure|exception|crash(ed)?|oom|out_of_memory|"
        r"[45]\d\d|bad_request|.*_error",
    ),
)
_COMPILED = tuple((status, re.compile(spelling)) for status, spelling in _SPELLINGS)
_OK, _ERROR, _UNPARSED = (STATUSES.index(name) for name in ("ok", "error", "unparsed"))


@dataclass(frozen=True, slots=True, eq=False)
class Statuses:
    """Statuses in the library's own words.

    Attributes
    ----------
    codes : int64 array, shape (n_rows,)
        Positions in :data:`lcstats.options.STATUSES`.
    counts : bool array, shape (n_rows,)
        Where the row's score counts: its status is ok and it has a score.
    notices : tuple of Notice
        Scores that were ignored, words that were not known.
    """

    codes: NDArray[np.int64]
    counts: NDArray[np.bool_]
    notices: tuple[Notice, ...]

    @property
    def values(self) -> pd.Series:
        """The statuses as text, shape (n_rows,)."""
        return spread(list(STATUSES), self.codes)

    def marked(self, rows: NDArray[np.bool_], status: str) -> "Statuses":
        """Return the statuses with rows that count no more because of another status."""
        rows = rows & self.counts
        if not rows.any():
            return self
        codes = np.where(rows, STATUSES.index(status), self.codes)
        return Statuses(codes, self.counts & ~rows, self.notices)


def normalise_status(word: object) -> str | None:
    """Return the library's word for a status, or None if it is not known.

    Examples
    --------
    >>> normalise_status("HTTP 429"), normalise_status("http_500"), normalise_status("odd")
    ('rate_limited', 'error', None)
    """
    spelled = re.sub(r"[\s_-]+", "_", str(word).strip().casefold()).strip("_")
    spelled = re.sub(r"^(http|status|code)_?(?=\d)|\.0$", "", spelled)
    return next((status for status, form in _COMPILED if form.fullmatch(spelled)), None)


def read_statuses(
    column: pd.Series | None,
    has_score: NDArray[np.bool_],
    *,
    has_output: NDArray[np.bool_] | None = None,
    name: str = "status",
    faults: Faults,
) -> Statuses:
    """Read what became of each trial.

    A row without a status is ``ok`` if it has a score; without a score it is ``unparsed``
    if it has an output and ``error`` if not. A row that is ``ok`` without a score is
    ``unparsed``. A score beside any other status is ignored, and counted.

    Parameters
    ----------
    column : Series, shape (n_rows,), or None
        The statuses as the table has them.
    has_score : bool array, shape (n_rows,)
        Where the table has a score.
    has_output : bool array, shape (n_rows,), optional
        Where the table has an output.
    name : str
        The column's own name, for messages.
    faults : Faults
        Gets every scored row whose status is not known.

    Returns
    -------
    Statuses
    """
    if column is None:
        codes, unknown = np.full(has_score.size, -1, dtype=np.int64), None
    else:
        codes, unknown = _known_codes(column)
    notices = () if column is None else _unknown_notices(column, unknown, has_score, name, faults)
    blank = codes < 0
    codes[(blank & has_score)] = _OK
    codes[blank & ~has_score] = _ERROR
    without = ~has_score & (codes == _OK)
    if has_output is not None:
        without |= blank & ~has_score & has_output
    codes[without] = _UNPARSED
    counts = has_score & (codes == _OK)
    return Statuses(codes, counts, notices + _ignored_notices(has_score & ~counts))


def _known_codes(column: pd.Series) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the status of each row (-1: none) and where its word is not known."""
    word_of_row, words = factorize(column)
    known = [normalise_status(word) for word in words]
    blank = [str(word).strip().casefold() in ("", "nan", "none", "null") for word in words]
    code_of_word = [
        -1 if is_blank else _ERROR if status is None else STATUSES.index(status)
        for status, is_blank in zip(known, blank, strict=True)
    ]
    is_unknown = [
        status is None and not is_blank for status, is_blank in zip(known, blank, strict=True)
    ]
    return (
        np.array([*code_of_word, -1], dtype=np.int64)[word_of_row],
        np.array([*is_unknown, False])[word_of_row],
    )


def _unknown_notices(
    column: pd.Series,
    unknown: NDArray[np.bool_] | None,
    has_score: NDArray[np.bool_],
    name: str,
    faults: Faults,
) -> tuple[Notice, ...]:
    if unknown is None or not unknown.any():
        return ()
    faults.add(
        unknown & has_score,
        name,
        column,
        (
            f"expected ok or one of {', '.join(STATUSES[1:])} beside a score",
            "mend the word, or map another column with --map status=THEIRS",
        ),
    )
    words = sorted(column[unknown].map(str).unique())
    return (
        Notice(
            "status-unknown",
            f"statuses not known were taken as error: {', '.join(words[:5])}",
        ),
    )


def _ignored_notices(ignored: NDArray[np.bool_]) -> tuple[Notice, ...]:
    n_ignored = int(ignored.sum())
    if not n_ignored:
        return ()
    return (
        Notice(
            "scores-ignored",
            f"{counted(n_ignored, 'score')} beside a status that is not ok: not counted",
        ),
    )
