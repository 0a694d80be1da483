"""What a failed request to a server means: which status, whether to try again, when."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from math import isnan
from time import time
from typing import Any

TIMEOUTS = (408, 504)
TOO_LARGE = 413
TOO_MANY = 429

_CONTEXT = re.compile(
    r"context_length_exceeded|string_above_max_length|maximum (?:context|model) length|"
    r"exceeds? (?:the )?(?:model'?s? )?(?:maximum )?context|"
    r"context (?:length|window|size)[^.]{0,40}(?:exceeded|too)|"
    r"(?:prompt|input) is too long|too many (?:input )?tokens",
    re.IGNORECASE,
)
_NO_CREDIT = re.compile(
    r"insufficient_quota|billing_hard_limit|billing_not_active|billing details", re.IGNORECASE
)
"""Not the page about billing alone, which messages about the rate name as well."""

_FILTERED = re.compile(r"content_filter|content management policy", re.IGNORECASE)


class CutStreamError(Exception):
    """An answer that was streamed ended before its end."""


class StreamedError(Exception):
    """A server said in the middle of a stream what is wrong."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What an error of one request means.

    Attributes
    ----------
    status : str
        Of the trial, if nothing better comes of it.
    passes : bool
        Whether the same request can succeed later.
    is_fatal : bool
        Whether no other request can succeed either.
    wait_s : float or None
        Seconds that the server asked for.
    """

    status: str
    passes: bool = False
    is_fatal: bool = False
    wait_s: float | None = None


def find_fault(error: BaseException) -> Fault | None:
    """Return what an error means; None for one that is no fault of a request.

    Parameters
    ----------
    error : BaseException
        Of the ``openai`` package, its HTTP library, or a timeout.

    Examples
    --------
    >>> find_fault(TimeoutError())
    Fault(status='timeout', passes=True, is_fatal=False, wait_s=None)
    """
    kinds = _kinds(error)
    if _is_broken_connection(error):
        return Fault("error", passes=True)
    if {"TimeoutError", "APITimeoutError", "TimeoutException"} & kinds:
        return Fault("timeout", passes=True)
    code = getattr(error, "status_code", None)
    if isinstance(code, int):
        return _fault_of_code(code, error)
    if {"CutStreamError", "APIConnectionError", "TransportError"} & kinds:
        return Fault("error", passes=True)
    if isinstance(error, StreamedError):
        is_context = _CONTEXT.search(_words(error))
        return Fault("context_exceeded") if is_context else Fault("error", passes=True)
    return None


def _kinds(error: BaseException) -> frozenset[str]:
    return frozenset(kind.__name__ for kind in type(error).__mro__)


def _is_broken_connection(error: BaseException) -> bool:
    """Tell whether aiohttp lost a connection, which the client passes on as a timeout."""
    cause: BaseException | None = error
    while cause is not None and "ClientConnectionError" not in _kinds(cause):
        cause = cause.__cause__
    return cause is not None and "TimeoutError" not in _kinds(cause)


def _fault_of_code(code: int, error: BaseException) -> Fault:
    words = _words(error)
    wait_s = asked_wait(getattr(getattr(error, "response", None), "headers", {}))
    if code == TOO_LARGE:
        return Fault("error")
    if _CONTEXT.search(words):
        return Fault("context_exceeded")
    if code < TOO_MANY and _FILTERED.search(words):
        return Fault("refused")
    if code in TIMEOUTS:
        return Fault("timeout", passes=True, wait_s=wait_s)
    if code == TOO_MANY:
        no_credit = _NO_CREDIT.search(words) is not None
        return Fault("rate_limited", not no_credit, no_credit, wait_s)
    if code >= 500:
        return Fault("error", passes=True, wait_s=wait_s)
    return Fault("error", is_fatal=True)


def asked_wait(headers: Mapping[str, Any]) -> float | None:
    """Return the seconds that ``Retry-After`` asks for, as a number or a date.

    Examples
    --------
    >>> asked_wait({"retry-after": "2.5"}), asked_wait({"retry-after-ms": "250"}), asked_wait({})
    (2.5, 0.25, None)
    """
    milliseconds, written = headers.get("retry-after-ms"), headers.get("retry-after")
    try:
        if milliseconds is not None:
            return max(float(milliseconds) / 1000.0, 0.0)
        seconds = None if written is None else float(written)
        return None if seconds is None or isnan(seconds) else max(seconds, 0.0)
    except ValueError:
        return _until(str(written))


def _until(date: str) -> float | None:
    try:
        return max(parsedate_to_datetime(date).timestamp() - time(), 0.0)
    except ValueError:
        return None


def _words(error: BaseException) -> str:
    return f"{error} {getattr(error, 'body', '')}"
