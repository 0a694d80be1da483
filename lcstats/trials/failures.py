"""Requests that failed, though the file scores them: an error beside or in place of the answer."""

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lcstats.errors import Notice, UnscoredWarning
from lcstats.trials.columns import normalise_name
from lcstats.trials.naming import NamedTable
from lcstats.trials.status_column import normalise_status
from lcstats.trials.values import factorize, parse_number
from lcstats.trials.wording import counted

_ERROR_COLUMNS = ("error", "error_message", "exception")
_FLAG_COLUMNS = {
    "skipped": "skipped",
    "is_skipped": "skipped",
    "failed": "error",
    "timed_out": "timeout",
}
_FINISH_COLUMNS = ("finish_reason", "stop_reason", "finish_reasons")
_FAILED_FINISHES = ("refused", "error")
"""Statuses among the reasons why an answer ended; others say nothing about it."""

_CUT_FINISHES = ("length", "max_tokens", "max_output_tokens", "model_length")
_SAYS_NOTHING = frozenset(
    (
        *("", "none", "null", "nan", "na", "n/a", "-", "false", "no", "n", "{}", "[]", "0", "0.0"),
        *("no error", "no_error", "noerror", "no errors"),
    )
)
_N_SHOWN = 5
_CODE_COLUMNS = ("http", "http_status", "status_code", "http_code")

_KINDS: tuple[tuple[str, str], ...] = (
    (
        "context_exceeded",
        r"context_length_exceeded|maximum context length|context (window|length) (is )?exceeded|"
        r"prompt is too long|exceeds? the (model'?s )?(maximum )?context|input is too long|"
        r"string_above_max_length|too many tokens",
    ),
    ("rate_limited", r"rate.?limit|too many requests|\b429\b"),
    ("timeout", r"time.?d?.?out|deadline exceeded|\b(408|504)\b"),
)
_COMPILED = tuple((status, re.compile(form, re.IGNORECASE)) for status, form in _KINDS)

_SERVER_SAYS = (
    r"(?:this model's )?maximum context length is \d+ tokens|"
    r"^\s*(?:openai\.|anthropic\.)?(?:\w*error\b:?\s*)?error code: [45]\d\d|"
    r"prompt is too long: \d+ tokens|context_length_exceeded|"
    r"^\s*\{?\s*[\"']error[\"']\s*:|rate limit reached for|"
    r"^\s*(?:error: ?)?request timed out\.?\s*$|^\s*<html>.*\b50[0234]\b"
)
"""What servers write and language models hardly ever answer."""


@dataclass(frozen=True, slots=True, eq=False)
class Failures:
    """What failed by the evidence of other columns than the status.

    Attributes
    ----------
    statuses : Series of object, shape (n_rows,)
        A status word, None where nothing failed.
    notices : tuple of Notice
    """

    statuses: pd.Series
    notices: tuple[Notice, ...]


def find_failures(named: NamedTable, is_right: NDArray[np.bool_]) -> Failures | None:
    """Find rows whose request failed: by an error, a code of HTTP, or an answer that is an error.

    A skipped or failed trial is no wrong answer, whatever score the file gives it.

    Parameters
    ----------
    named : NamedTable
    is_right : bool array, shape (n_rows,)
        Rows with a score above 0, whose output is taken for an answer whatever it says.

    Returns
    -------
    Failures or None
        None where nothing failed.
    """
    output = named.column("output")
    spelled = {name: normalise_name(name) for name in named.extras}
    evidence = [n for n in named.extras if spelled[n] in (*_ERROR_COLUMNS, *_CODE_COLUMNS)]
    flags = [name for name in named.extras if spelled[name] in _FLAG_COLUMNS]
    finishes = [name for name in named.extras if spelled[name] in _FINISH_COLUMNS]
    if output is None and not (evidence or flags or finishes):
        return None
    words = np.full(len(named.frame), None, dtype=object)
    for name in flags:
        words[_is_set(named.frame[name])] = _FLAG_COLUMNS[spelled[name]]
    for name in finishes:
        _mark_finishes(words, named.frame[name])
    notices: list[Notice] = []
    for name in evidence:
        is_code = spelled[name] in _CODE_COLUMNS
        if not is_code and _is_measure(named.frame[name]):
            notices.append(_measure_notice(name))
        else:
            _mark_errors(words, named.frame[name], is_code=is_code)
    n_outputs = 0 if output is None else _mark_outputs(words, output, is_right)
    if not pd.notna(words).any() and not notices:
        return None
    return Failures(pd.Series(words, dtype=object), (*notices, *_notices(n_outputs)))


def cut_answers_notices(
    named: NamedTable, lengths: pd.Series, counts: NDArray[np.bool_]
) -> tuple[Notice, ...]:
    """Say how many scored answers were cut at the most tokens an answer may have, by length.

    Parameters
    ----------
    named : NamedTable
    lengths : Series of int, shape (n_rows,)
    counts : bool array, shape (n_rows,)
        Rows whose score counts.
    """
    is_cut = np.zeros(len(named.frame), dtype=bool)
    for name in named.extras:
        if normalise_name(name) in _FINISH_COLUMNS:
            is_cut |= _is_cut(named.frame[name])
    is_cut &= counts
    if not is_cut.any():
        return ()
    by_length = lengths[is_cut].value_counts().sort_index()
    shown = [f"{n} at {length}" for length, n in by_length.head(_N_SHOWN).items()]
    listed = ", ".join(shown) + (", ..." if len(by_length) > _N_SHOWN else "")
    return (
        Notice(
            "answers-cut",
            f"{counted(int(is_cut.sum()), 'scored answer')} of {int(counts.sum())} ended at the "
            f"most tokens an answer may have (length: {listed}), and may be wrong for that alone; "
            "let answers be longer and run these again",
        ),
    )


def kind_of_error(text: str) -> str:
    """Return the status that an error's text stands for; ``error`` where it says no more.

    Examples
    --------
    >>> kind_of_error("Error code: 400 - context_length_exceeded"), kind_of_error("Bad gateway")
    ('context_exceeded', 'error')
    """
    return next((status for status, form in _COMPILED if form.search(text)), "error")


def _mark_errors(words: NDArray[np.object_], column: pd.Series, *, is_code: bool) -> None:
    for row in np.flatnonzero(column.notna().to_numpy(dtype=bool)):
        text = str(column.iloc[row]).strip()
        failed = re.fullmatch(r"[45]\d\d(\.0)?", text) if is_code else _says_something(text)
        if failed and words[row] in (None, "error"):
            words[row] = kind_of_error(text)


def _mark_finishes(words: NDArray[np.object_], column: pd.Series) -> None:
    """Mark requests that ended by a filter or an error."""
    codes, uniques = factorize(column)
    found = [
        next((s for s in map(normalise_status, _reasons(word)) if s in _FAILED_FINISHES), None)
        for word in uniques
    ]
    known = np.array([*found, None], dtype=object)
    rows = pd.notna(known[codes])
    words[rows] = known[codes][rows]


def _is_cut(column: pd.Series) -> NDArray[np.bool_]:
    codes, uniques = factorize(column)
    is_cut = [any(word in _CUT_FINISHES for word in _reasons(value)) for value in uniques]
    return np.array([*is_cut, False], dtype=bool)[codes]


def _reasons(value: object) -> list[str]:
    """Return the reasons of one answer; several candidates have a list of them, or its text."""
    return [word.strip(" '\"").casefold() for word in str(value).strip(" []()").split(",")]


def _is_set(column: pd.Series) -> NDArray[np.bool_]:
    return column.map(
        lambda value: str(value).strip().casefold() in ("true", "1", "1.0", "yes")
    ).to_numpy(dtype=bool)


def _says_something(text: str) -> bool:
    return text.casefold() not in _SAYS_NOTHING and normalise_status(text) != "ok"


def _is_measure(column: pd.Series) -> bool:
    """Tell whether a column of errors holds a measure such as 1 - accuracy: no words, fractions.

    Whole numbers may be codes.
    """
    texts = [str(value).strip() for value in factorize(column)[1]]
    numbers = [parse_number(text) for text in texts if _says_something(text)]
    return None not in numbers and any(n % 1 for n in numbers if n is not None)


def _measure_notice(name: str) -> Notice:
    return Notice(
        "error-is-measure",
        f"{name} holds fractions and was taken for a measure, so no trial failed by it; "
        "give failed trials a status (--map status=THEIRS)",
    )


def _mark_outputs(
    words: NDArray[np.object_], output: pd.Series, is_right: NDArray[np.bool_]
) -> int:
    """Mark outputs that are errors, and return how many nothing else had marked."""
    wrong = output[~is_right]
    texts = wrong[wrong.map(lambda value: isinstance(value, str))].astype("str")
    says = texts.str.contains(_SERVER_SAYS, case=False, regex=True)
    rows = [row for row in texts.index[says.to_numpy(dtype=bool)] if words[row] is None]
    for row in rows:
        words[row] = kind_of_error(texts[row])
    return len(rows)


def _notices(n_outputs: int) -> tuple[Notice, ...]:
    if not n_outputs:
        return ()
    return (
        Notice(
            "error-outputs",
            f"{counted(n_outputs, 'output')} of the server's own errors in place of an answer: "
            "unscored, whatever score the file gives",
            UnscoredWarning,
        ),
    )
