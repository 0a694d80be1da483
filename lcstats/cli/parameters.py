"""How values on the command line are written: lists of lengths, of depths, of words, pairs."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from lcstats.errors import describe

if TYPE_CHECKING:
    ParamType = click.ParamType[Any]
else:  # Before click 8.2 the class takes no type arguments.
    ParamType = click.ParamType

KILO = 1024
_UNITS = {"": 1, "K": KILO, "M": KILO**2}
_LENGTH = re.compile(r"(\d+(?:\.\d+)?)([KM]?)", re.IGNORECASE)


def parse_length(text: str) -> int:
    """Return a length written as ``4096`` or ``4K``, with K = 1024.

    Raises
    ------
    ValueError
        If it is not a whole number above 0; the message has three parts.

    Examples
    --------
    >>> parse_length("4096"), parse_length("4K"), parse_length("0.5k")
    (4096, 4096, 512)
    """
    match = _LENGTH.fullmatch(text.strip())
    length = float(match[1]) * _UNITS[match[2].upper()] if match else 0.0
    if length < 1 or length != int(length):
        raise ValueError(
            describe(
                f"{text.strip()!r} is not a length",
                "expected a whole number above 0",
                "write 4096 or 4K (K = 1024)",
            )
        )
    return int(length)


def parse_lengths(text: str) -> tuple[int, ...]:
    """Return lengths written as ``1024,2048`` or ``4K..128K``, which doubles.

    Raises
    ------
    ValueError
        If a part cannot be read, or a range does not double to its end.

    Examples
    --------
    >>> parse_lengths("1K..8K")
    (1024, 2048, 4096, 8192)
    >>> parse_lengths("1000,4K")
    (1000, 4096)
    """
    lengths: list[int] = []
    for part in text.split(","):
        first, dots, last = part.partition("..")
        lengths += (
            _double(parse_length(first), parse_length(last)) if dots else [parse_length(part)]
        )
    return tuple(lengths)


def _double(first: int, last: int) -> list[int]:
    lengths = [first]
    while lengths[-1] < last:
        lengths.append(2 * lengths[-1])
    if lengths[-1] != last:
        raise ValueError(
            describe(
                f"{first}..{last} does not end on {last}",
                "expected a range that doubles from its first to its last length",
                f"write {first}..{lengths[-1]}, or every length with commas",
            )
        )
    return lengths


def parse_counts(text: str) -> tuple[int, ...]:
    """Return whole numbers above 0 written as ``5,20,80``, ascending, each once.

    Raises
    ------
    ValueError
        If one of them is none.

    Examples
    --------
    >>> parse_counts("20,5")
    (5, 20)
    """
    words = [part.strip() for part in text.split(",")]
    wrong = [word for word in words if not (word.isascii() and word.isdecimal() and int(word))]
    if wrong:
        raise ValueError(
            describe(
                f"{wrong[0]!r} is no number of trials",
                "expected whole numbers above 0",
                "write 20, or 5,20,80",
            )
        )
    return tuple(sorted({int(word) for word in words}))


_AMOUNT = re.compile(r"\$?(\d+(?:\.\d+)?|\.\d+)([KMB]?)", re.IGNORECASE)
_POWERS = {"": 1, "K": 10**3, "M": 10**6, "B": 10**9}


def parse_amount(text: str) -> float:
    """Return an amount to spend written as ``5M``, ``200K`` or ``12.50``; K is 1000 here.

    Raises
    ------
    ValueError
        If it is no number above 0.

    Examples
    --------
    >>> parse_amount("5M"), parse_amount("200k"), parse_amount("$12.50"), parse_amount("1_000")
    (5000000.0, 200000.0, 12.5, 1000.0)
    """
    match = _AMOUNT.fullmatch(text.strip().replace("_", "").replace(",", ""))
    amount = float(match[1]) * _POWERS[match[2].upper()] if match else 0.0
    if not amount > 0:
        raise ValueError(
            describe(
                f"{text.strip()!r} is no amount",
                "expected a number above 0, with K, M or B for thousands, millions or billions",
                "write 5M, 200K or 12.50",
            )
        )
    return amount


def parse_depths(text: str) -> tuple[float, ...]:
    """Return depths written as a count, ``11``, or as fractions, ``0,0.5,1``.

    A whole number of 2 or more is a count: evenly spaced depths, both ends included.

    Raises
    ------
    ValueError
        If a fraction lies outside [0, 1] or the count is below 2.

    Examples
    --------
    >>> parse_depths("3"), parse_depths("0,0.25"), parse_depths("0.5")
    ((0.0, 0.5, 1.0), (0.0, 0.25), (0.5,))
    """
    if text.strip().isdecimal():
        return _evenly_spaced(int(text))
    depths = []
    for part in text.split(","):
        try:
            depth = float(part)
        except ValueError:
            depth = -1.0
        if not 0 <= depth <= 1:
            raise ValueError(
                describe(
                    f"{part.strip()!r} is not a depth",
                    "expected fractions in [0, 1], 0 being the start of the context",
                    "write 0,0.5,1, or a count such as 11",
                )
            )
        depths.append(depth)
    return tuple(depths)


def _evenly_spaced(count: int) -> tuple[float, ...]:
    if count < 2:
        raise ValueError(
            describe(
                f"{count} evenly spaced depths cannot include both ends",
                "expected a count of 2 or more, or fractions",
                f"write the single depth {count} as {count}.0",
            )
        )
    return tuple(index / (count - 1) for index in range(count))


class _Parsed(ParamType):
    """A parameter whose text a function parses; what it refuses is a usage error."""

    def __init__(self, name: str, parse: Any) -> None:
        self.name = name
        self.parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return self.parse(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


def parse_pair(text: str) -> tuple[str, str]:
    """Return the two sides of ``COLUMN=value``.

    Raises
    ------
    ValueError
        If a side is missing.

    Examples
    --------
    >>> parse_pair("length=ctx_len")
    ('length', 'ctx_len')
    """
    left, equals, right = text.partition("=")
    if not (equals and left.strip() and right):
        raise ValueError(
            describe(f"{text!r} is no pair", "expected COLUMN=VALUE", "write length=ctx_len, say")
        )
    return left.strip(), right


class Words(ParamType):
    """Words of a fixed list, with commas between them."""

    name = "words"

    def __init__(self, allowed: Iterable[str]) -> None:
        self.allowed = tuple(allowed)

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """Show the words in the help."""
        return "|".join(self.allowed)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Split at commas and check every word."""
        words = tuple(word.strip() for word in value.split(","))
        for word in words:
            if word not in self.allowed:
                self.fail(
                    describe(
                        repr(word),
                        f"expected one or more of {', '.join(self.allowed)}",
                        f"write {self.allowed[0]}, say",
                    ),
                    param,
                    ctx,
                )
        return words


LENGTH = _Parsed("length", parse_length)
LENGTHS = _Parsed("lengths", parse_lengths)
COUNTS = _Parsed("counts", parse_counts)
AMOUNT = _Parsed("amount", parse_amount)
DEPTHS = _Parsed("depths", parse_depths)
PAIR = _Parsed("column=value", parse_pair)
