"""What a sweep costs: tokens, requests, money, time, and the length that takes most of it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from math import isfinite
from numbers import Real
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lcstats.errors import OptionError, describe
from lcstats.options import check_share, check_whole
from lcstats.plan.price_file import read_price_file
from lcstats.records import SCHEMA_VERSION, restoring

MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """What a token costs in money and in time.

    Parameters
    ----------
    input_usd, output_usd : float, optional
        Dollars per million tokens sent and received. Without them the cost has no money in it.
    output_tokens : int
        Tokens that a trial's answer takes.
    cached_fraction : float
        Share of the tokens sent that the server finds in its prefix cache, in [0, 1].
        :func:`shared_prefix_fraction` says how much of a sweep can be.
    cached_discount : float, optional
        What is taken off the price of a cached token, in [0, 1]: 0.9 where it costs a tenth.
    input_tokens_per_second, output_tokens_per_second : float, optional
        Of one request. Without them the cost has no time in it.
    concurrency : int
        Requests that run at the same time.

    Raises
    ------
    OptionError
        If a value is out of range, or prices are given for one part of a trial only.

    Notes
    -----
    A cached token takes no time and costs ``1 - cached_discount`` of another. Requests are taken to
    overlap fully; retries, waiting in queues and limits of rate are not counted.

    Examples
    --------
    >>> prices = Prices(input_usd=2.0, output_usd=10.0, output_tokens=100)
    >>> trial_usd([4000, 128000], prices).round(3).tolist()
    [0.009, 0.257]
    """

    input_usd: float | None = None
    output_usd: float | None = None
    output_tokens: int = 0
    cached_fraction: float = 0.0
    cached_discount: float | None = None
    input_tokens_per_second: float | None = None
    output_tokens_per_second: float | None = None
    concurrency: int = 1

    def __post_init__(self) -> None:
        check_whole(self.output_tokens, "output_tokens")
        check_whole(self.concurrency, "concurrency", least=1)
        check_share(self.cached_fraction, "cached_fraction")
        if self.cached_discount is not None:
            check_share(self.cached_discount, "cached_discount")
        for name in ("input_usd", "output_usd"):
            _check_amount(getattr(self, name), name, may_be_zero=True)
        for name in ("input_tokens_per_second", "output_tokens_per_second"):
            _check_amount(getattr(self, name), name, may_be_zero=False)
        self._check_whole_trials("input_usd", "output_usd")
        self._check_whole_trials("input_tokens_per_second", "output_tokens_per_second")
        self._check_cache()

    def _check_whole_trials(self, sent: str, received: str) -> None:
        """Refuse a price or a speed that covers one part of a trial only."""
        has_sent, has_received = (getattr(self, name) is not None for name in (sent, received))
        missing = received if has_sent and self.output_tokens and not has_received else None
        missing = sent if has_received and not has_sent else missing
        if missing:
            raise OptionError(
                describe(
                    f"{missing} is missing",
                    f"expected {sent} and {received} where trials have {self.output_tokens} output "
                    "tokens",
                    f"pass {missing}, or neither",
                )
            )

    def _check_cache(self) -> None:
        if self.cached_fraction and self.input_usd is not None and self.cached_discount is None:
            raise OptionError(
                describe(
                    f"cached_fraction is {self.cached_fraction:.10g} without a price",
                    "expected what is taken off the price of a cached token",
                    "pass cached_discount=0.9 if it costs a tenth, 0 if it costs the same",
                )
            )

    @classmethod
    def from_file(cls, path: str | PathLike[str], model: str, **others: Any) -> "Prices":
        """Return the prices of a language model from a TOML file that you keep.

        Parameters
        ----------
        path : path
            Of tables ``[models."NAME"]``, with the keys of
            :data:`lcstats.plan.price_file.FIELDS`: ``input_usd_per_million`` and so on.
        model : str
            NAME of the language model.
        **others
            Fields that the file leaves open, or that differ from it: ``output_tokens=200``.

        Raises
        ------
        FormatError
            If the file cannot be read, or holds keys that mean nothing.
        OptionError
            If it has no table for the language model, or a value is out of range.
        """
        given = {**read_price_file(path, model), **others}
        try:
            return cls(**given)
        except OptionError as error:
            raise OptionError(f"{path}, {model!r}: {error}") from error


class DominantRow(NamedTuple):
    """The length that takes the largest share of a cost."""

    length: int
    share: float


@dataclass(frozen=True, slots=True)
class Cost:
    """What a sweep costs.

    Attributes
    ----------
    requests : int
        Prompts sent, one for each trial.
    input_tokens, output_tokens : int
        Sent and received.
    cached_tokens : int
        Of those sent, found in the prefix cache; rounded.
    usd, seconds : float or None
        None without prices, or without speeds.
    dominant : DominantRow or None
        Length and share of the row that takes most of the money, of the tokens where there is no
        price; None without trials.
    """

    requests: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    usd: float | None
    seconds: float | None
    dominant: DominantRow | None

    @property
    def tokens(self) -> int:
        """Tokens sent and received."""
        return self.input_tokens + self.output_tokens

    def times(self, number: int) -> "Cost":
        """Return the cost of the same sweep for several tasks or language models.

        Examples
        --------
        >>> cost_of([[20] * 5], [4000], Prices()).times(5).tokens
        2000000
        """
        check_whole(number, "number", least=1)
        return replace(
            self,
            requests=self.requests * number,
            input_tokens=self.input_tokens * number,
            output_tokens=self.output_tokens * number,
            cached_tokens=self.cached_tokens * number,
            usd=None if self.usd is None else self.usd * number,
            seconds=None if self.seconds is None else self.seconds * number,
        )

    def sentence(self) -> str:
        """Return the cost in words.

        Examples
        --------
        >>> prices = Prices(input_usd=2.0, output_usd=10.0, output_tokens=100)
        >>> cost_of([[20] * 5] * 2, [4000, 128000], prices).sentence()
        '200 requests, 13.2 million tokens in and 20,000 out: $26.60; length 128000 takes 97% of \
the money.'
        """
        plural = "s" * (self.requests != 1)
        words = f"{self.requests:,} request{plural}, {self._tokens_in_words()}"
        amounts = [] if self.usd is None else [_dollars(self.usd)]
        amounts += [] if self.seconds is None else [_time(self.seconds)]
        words += f": {', '.join(amounts)}" * bool(amounts)
        if self.dominant is not None:
            whole = "tokens" if self.usd is None else "money"
            words += (
                f"; length {self.dominant.length} takes {self.dominant.share:.0%} of the {whole}"
            )
        return f"{words}."

    def _tokens_in_words(self) -> str:
        cached = f" ({_count(self.cached_tokens)} of them cached)" * bool(self.cached_tokens)
        received = f" and {_count(self.output_tokens)} out"
        if self.requests and not self.output_tokens:
            received = ", output not counted"
        return f"{_count(self.input_tokens)} tokens in{cached}{received}"

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values; what is not known is None."""
        dominant = None if self.dominant is None else self.dominant._asdict()
        return {
            "schema_version": SCHEMA_VERSION,
            "tokens": self.tokens,
            **asdict(self),
            "dominant": dominant,
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "Cost":
        """Restore what :meth:`to_dict` returned.

        Raises
        ------
        FormatError
            If it is of an unknown schema version or not whole.
        """
        with restoring("Cost", document):
            values = {field.name: document[field.name] for field in fields(cls)}
            dominant = values.pop("dominant")
            return cls(**values, dominant=None if dominant is None else DominantRow(**dominant))


def trial_tokens(lengths: ArrayLike, prices: Prices) -> NDArray[np.int64]:
    """Return the tokens that one trial takes at each length, sent and received.

    Parameters
    ----------
    lengths : array-like of int, shape (n_lengths,)
        In tokens.
    prices : Prices

    Returns
    -------
    ndarray of int64, shape (n_lengths,)

    Raises
    ------
    OptionError
        If a length is no whole number above 0.

    Examples
    --------
    >>> trial_tokens([4096, 8192], Prices(output_tokens=100)).tolist()
    [4196, 8292]
    """
    return _checked_lengths(lengths) + prices.output_tokens


def trial_usd(lengths: ArrayLike, prices: Prices) -> NDArray[np.float64]:
    """Return the dollars that one trial costs at each length, shape (n_lengths,).

    Raises
    ------
    OptionError
        If there is no price, or a length is no whole number above 0.
    """
    if prices.input_usd is None:
        raise _without("price", "input_usd=2.5 (--price-in 2.5)")
    sent = prices.input_usd * (1.0 - prices.cached_fraction * (prices.cached_discount or 0.0))
    received = prices.output_tokens * (prices.output_usd or 0.0)
    return (_checked_lengths(lengths) * sent + received) / MILLION


def trial_seconds(lengths: ArrayLike, prices: Prices) -> NDArray[np.float64]:
    """Return the seconds that one trial adds at each length, shape (n_lengths,).

    Raises
    ------
    OptionError
        If there is no speed, or a length is no whole number above 0.

    Examples
    --------
    >>> speeds = Prices(input_tokens_per_second=8000, concurrency=4, cached_fraction=0.5)
    >>> trial_seconds([128000], speeds).tolist()
    [2.0]
    """
    if prices.input_tokens_per_second is None:
        raise _without("speed", "input_tokens_per_second=5000")
    read = _checked_lengths(lengths) * (1.0 - prices.cached_fraction)
    written = prices.output_tokens / (prices.output_tokens_per_second or 1.0)
    return (read / prices.input_tokens_per_second + written) / prices.concurrency


def cost_of(trials: ArrayLike, lengths: ArrayLike, prices: Prices) -> Cost:
    """Return what a sweep costs.

    Parameters
    ----------
    trials : array-like of int, shape (n_lengths, n_depths)
        Trials per cell.
    lengths : array-like of int, shape (n_lengths,)
        In tokens.
    prices : Prices

    Raises
    ------
    OptionError
        If the table does not fit the lengths, or holds anything but whole numbers of at least 0.

    Notes
    -----
    The sum over cells of ``trials * (length + output_tokens)``. Lengths of 4K to 128K in doublings
    add up to 252K tokens for each depth and trial: 252,000 tokens with K = 1000, 258,048 with
    K = 1024.

    Examples
    --------
    >>> lengths = 1000 * 2 ** np.arange(2, 8)
    >>> cost = cost_of(np.full((6, 5), 20), lengths, Prices())
    >>> cost.tokens, cost.times(5).tokens, cost.requests
    (25200000, 126000000, 600)
    """
    rows = _row_totals(trials, _checked_lengths(lengths))
    tokens = trial_tokens(lengths, prices)
    requests, output = int(rows.sum()), int(rows.sum()) * prices.output_tokens
    sent = int(rows @ tokens) - output
    spent = None if prices.input_usd is None else rows * trial_usd(lengths, prices)
    has_speed = prices.input_tokens_per_second is not None
    return Cost(
        requests=requests,
        input_tokens=sent,
        output_tokens=output,
        cached_tokens=round(sent * prices.cached_fraction),
        usd=None if spent is None else float(spent.sum()),
        seconds=float(rows @ trial_seconds(lengths, prices)) if has_speed else None,
        dominant=_dominant(rows * tokens if spent is None else spent, _checked_lengths(lengths)),
    )


def shared_prefix_fraction(depths: ArrayLike) -> float:
    """Return the share of the tokens sent that a prefix cache can hold, at the most.

    Parameters
    ----------
    depths : array-like of float, shape (n_depths,)
        In [0, 1]; for each of them one prompt is sent, all with the same haystack.

    Raises
    ------
    OptionError
        If a depth is no number from 0 to 1.

    Notes
    -----
    Prompts that share a haystack are alike up to the earlier of their two needles, so each finds
    the shorter of its own depth and the deepest depth before it. Whatever the order, that adds up
    to ``(sum(depths) - max(depths)) / n_depths``. Every trial number has a haystack of its own.
    Needle and question count for nothing; the cache forgets nothing between two prompts and holds a
    prefix to the last token, which real ones do not.

    Examples
    --------
    >>> shared_prefix_fraction([0, 0.25, 0.5, 0.75, 1])
    0.3
    """
    placed = np.asarray(depths, dtype=np.float64)
    if placed.ndim != 1 or not placed.size or not np.all((placed >= 0) & (placed <= 1)):
        raise OptionError(
            describe(
                f"depths are {np.array2string(placed, separator=', ')}",
                "expected a list of fractions in [0, 1]",
                "write [0, 0.5, 1], say",
            )
        )
    return float((placed.sum() - placed.max()) / placed.size)


def _check_amount(value: float | None, name: str, *, may_be_zero: bool) -> None:
    if value is None:
        return
    is_number = isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)
    if not is_number or value < 0 or (value == 0 and not may_be_zero):
        raise OptionError(
            describe(
                f"{name} is {value!r}",
                f"expected a number {'of at least' if may_be_zero else 'above'} 0",
                f"pass {name}=2.5, say, or leave it out",
            )
        )


def _without(what: str, example: str) -> OptionError:
    return OptionError(
        describe(f"there is no {what}", "expected one for the tokens sent", f"pass {example}, say")
    )


def _checked_lengths(lengths: ArrayLike) -> NDArray[np.int64]:
    given = np.asarray(lengths)
    if given.ndim != 1 or given.dtype.kind not in "iu" or np.any(given < 1):
        raise OptionError(
            describe(
                f"lengths are {np.array2string(given, separator=', ')}",
                "expected a list of whole numbers above 0, in tokens",
                "write [4096, 8192], say",
            )
        )
    return given.astype(np.int64)


def _row_totals(trials: ArrayLike, lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    given = np.asarray(trials)
    fits = given.ndim == 2 and given.shape[0] == lengths.size
    if not fits or given.dtype.kind not in "iu" or np.any(given < 0):
        raise OptionError(
            describe(
                f"trials are a table of shape {given.shape} and type {given.dtype}",
                f"expected whole numbers of at least 0, one row for each of {lengths.size} lengths "
                "and one column for each depth",
                "pass numpy.full((n_lengths, n_depths), 20), say",
            )
        )
    return np.asarray(given.sum(axis=1), dtype=np.int64)


def _dominant(weights: NDArray[Any], lengths: NDArray[np.int64]) -> DominantRow | None:
    total = float(weights.sum())
    if not total:
        return None
    largest = int(np.argmax(weights))
    return DominantRow(int(lengths[largest]), float(weights[largest]) / total)


def _count(number: int) -> str:
    for size, name in ((1000 * MILLION, "billion"), (MILLION, "million")):
        if number >= size:
            return f"{_three_digits(number / size)} {name}"
    return f"{number:,}"


def _dollars(usd: float) -> str:
    return f"${usd:,.2f}" if usd >= 0.01 or usd == 0 else "less than $0.01"


def _time(seconds: float) -> str:
    for size, name in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{_three_digits(seconds / size)} {name}"
    return f"{_three_digits(seconds)} seconds"


def _three_digits(number: float) -> str:
    """Write a number to three digits, all of those before the point kept."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"
