"""Lengths: whole numbers of at least 1, also written ``128K``, ``131,072`` or ``2_048``."""

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lcstats.errors import DesignWarning, Notice
from lcstats.options import LengthUnit
from lcstats.trials.faults import Faults
from lcstats.trials.values import Kind, Parsed, parse_column, parse_number, plain_number
from lcstats.trials.wording import POINTS_GROUP, flag, shown

_SUFFIXED = re.compile(r"(?P<number>[\d.,_]+)\s*(?P<suffix>[kKmM])")
_POWERS = {"k": 1, "m": 2}
_LONGEST = 2.0**53
_SHORTEST_CONTEXT, _LONGEST_IN_K = 64, 1024
"""Sweeps in tokens hardly start below the first; sweeps in thousands end at the second."""

_FAR_SHORTER, _FAR_SHORTER_TIMES = 1000, 16
"""A length below the first, and so many times below all with a K, may lack its K."""

_BASES = {"k1000": 1000, "k1024": 1024}


@dataclass(frozen=True, slots=True, eq=False)
class Lengths:
    """Lengths as whole numbers.

    Attributes
    ----------
    values : int64 array, shape (n_rows,)
        The lengths, in `unit`; 0 only where it was written ``0k``, for a prompt without filler.
    unit : str
        ``"tokens"``, or the unit they were declared in.
    notices : tuple of Notice
        The base of K, where K was written; lengths that may not be tokens.
    """

    values: NDArray[np.int64]
    unit: str
    notices: tuple[Notice, ...]


def read_lengths(
    column: pd.Series,
    *,
    unit: LengthUnit,
    name: str = "length",
    may_be_zero: bool = False,
    faults: Faults,
) -> Lengths:
    """Read a column of lengths.

    Parameters
    ----------
    column : Series, shape (n_rows,)
        The lengths as the table has them.
    unit : {"tokens", "k1000", "k1024", "characters", "words", "documents"}
        Their unit. K in a text means 1024, and 1000 only for ``k1000``.
    name : str
        The column's own name, for messages.
    may_be_zero : bool
        Whether 0 is a prompt without filler without being written ``0k``.
    faults : Faults
        Gets every length that is missing, not a whole number, or below 1.

    Returns
    -------
    Lengths

    Examples
    --------
    >>> from lcstats.trials.origin import Origin
    >>> column = pd.Series(["4k", "131,072", "2_048"])
    >>> read_lengths(column, unit="tokens", faults=Faults(Origin.of_frame(3))).values.tolist()
    [4096, 131072, 2048]
    """
    base = _BASES.get(unit, 1024)
    if (
        unit not in _BASES
        and column.dtype == np.int64
        and 1 <= column.min() <= column.max() < _LONGEST
    ):
        values = column.to_numpy()
        return Lengths(values, unit, _short_notices(values, unit, name))
    parsed = parse_column(column, lambda text: parse_suffixed(text, base))
    numbers = parsed.values
    if unit in _BASES:
        numbers = np.where(parsed.is_kind(Kind.NUMBER), numbers * base, numbers)
    with np.errstate(invalid="ignore"):
        usable = (numbers >= 1) & (numbers < _LONGEST) & (numbers == np.floor(numbers))
    usable |= (parsed.is_kind(Kind.WORD) | may_be_zero) & (numbers == 0)
    _add_faults(parsed, usable, column, name, faults)
    values = np.where(usable, numbers, 1).astype(np.int64)
    in_tokens = "tokens" if unit in _BASES else unit
    if unit not in _BASES:
        _refuse_mixture(parsed, usable, column, name, faults)
    notices = _base_notices(column, parsed, base, in_tokens)
    return Lengths(values, in_tokens, notices or _short_notices(values, unit, name))


def parse_suffixed(text: str, base: int) -> float | None:
    """Read a number with the suffix K or M.

    Examples
    --------
    >>> parse_suffixed("128K", 1024), parse_suffixed("1M", 1000), parse_suffixed("long", 1024)
    (131072.0, 1000000.0, None)
    """
    match = _SUFFIXED.fullmatch(text.strip())
    number = parse_number(match["number"]) if match else None
    if match is None or number is None:
        return None
    return number * float(base ** _POWERS[match["suffix"].lower()])


def _add_faults(
    parsed: Parsed,
    usable: NDArray[np.bool_],
    column: pd.Series,
    name: str,
    faults: Faults,
) -> None:
    missing = parsed.is_kind(Kind.MISSING)
    faults.add(
        missing,
        name,
        column,
        ("expected a length on every row", "fill it in, or leave the row out"),
    )
    too_long = (parsed.values >= _LONGEST) | _is_endless(parsed, column)
    faults.add(
        too_long,
        name,
        column,
        (
            f"expected a length below {_LONGEST:.0f}",
            "mend the value, or name another column with --map length=THEIRS",
        ),
    )
    usable = usable | too_long
    fractional = ~usable & parsed.is_kind(Kind.NUMBER) & (parsed.values > 0)
    faults.add(
        fractional,
        name,
        column,
        (
            "expected a whole number of at least 1",
            f"{POINTS_GROUP}; "
            "if lengths are in thousands pass length_unit='k1024' (--length-unit k1024)",
        ),
    )
    faults.add(
        ~usable & ~missing & ~fractional,
        name,
        column,
        (
            "expected a whole number of at least 1, such as 4096, 4k or 131,072",
            "mend the value, name another column with --map length=THEIRS, or write 0k where a "
            "prompt has no filler",
        ),
    )


def _is_endless(parsed: Parsed, column: pd.Series) -> NDArray[np.bool_]:
    """Return where a number is too large for any float, such as ``1e400``."""
    endless = parsed.is_kind(Kind.BAD)
    for row in np.flatnonzero(endless):
        endless[row] = plain_number(str(column.iloc[row])) is not None
    return endless


def _refuse_mixture(
    parsed: Parsed, usable: NDArray[np.bool_], column: pd.Series, name: str, faults: Faults
) -> None:
    """Ask about ``16`` beside ``4k``: it may be 16 tokens, and a K may be lacking."""
    plain = usable & parsed.is_kind(Kind.NUMBER)
    suffixed = usable & parsed.is_kind(Kind.WORD) & (parsed.values > 0)
    if not (plain.any() and suffixed.any()):
        return
    longest, first = parsed.values[plain].max(), int(np.argmax(suffixed))
    if longest < _FAR_SHORTER and longest * _FAR_SHORTER_TIMES < parsed.values[suffixed].min():
        faults.add(
            plain,
            name,
            column,
            (
                f"expected one spelling in a column that also holds {shown(column.iloc[first])}",
                "write the K of every length, or all lengths in full",
            ),
        )


def _short_notices(values: NDArray[np.int64], unit: str, name: str) -> tuple[Notice, ...]:
    """Doubt that lengths from below 64 to at most 1024 are tokens."""
    if unit != "tokens" or not values.size:
        return ()
    shortest, longest = int(values.min()), int(values.max())
    if shortest >= _SHORTEST_CONTEXT or longest > _LONGEST_IN_K or longest == 1:
        return ()
    return (
        Notice(
            "lengths-short",
            f"{name} runs from {shortest} to {longest} and was read as tokens: if it is in "
            f"thousands pass {flag('length_unit', 'k1024')} or {flag('length_unit', 'k1000')}, if "
            f"it counts documents {flag('length_unit', 'documents')}",
            DesignWarning,
        ),
    )


def _base_notices(column: pd.Series, parsed: Parsed, base: int, unit: str) -> tuple[Notice, ...]:
    suffixed = parsed.is_kind(Kind.WORD) & (parsed.values > 0)
    if not suffixed.any():
        return ()
    row = int(np.argmax(suffixed))
    other = "k1000" if base == 1024 else "k1024"
    return (
        Notice(
            "length-base",
            f"K in lengths was read as {base}: {str(column.iloc[row]).strip()} is "
            f"{parsed.values[row]:.0f} {unit}; pass length_unit={other!r} "
            f"(--length-unit {other}) for the other base",
        ),
    )
