"""What the server really received, against what was sent.

Two probes before the sweep tell what a server adds to each prompt (a template, a BOS token) and
whether it counts by the same tokenizer. The second of them is sent twice: a server that counts less
the second time counts only what it had not seen before. After that, a count that stays behind is a
prompt that was cut, unless what was cached makes up for it or it cannot be told.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from lcstats.errors import DesignWarning, Notice

MOST_RATIO = 4.0
"""Of tokens of two tokenizers, in either direction; a count beyond that does not follow ours."""

SAME_RATIO = 0.004
"""Tokenizers that differ by less are the same: a few tokens at joins."""

CUT_SHARE = 0.97
"""A prompt of which less than this share arrived was cut."""

CUT_TOKENS = 16
"""Fewer missing tokens than this are no cut: the template of one more message."""

PROBE_LENGTHS = (256, 1024, 1024)
"""Tokens of the prompts that are sent before a sweep; the last is the one before it again."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """How a server's count follows from ours.

    Attributes
    ----------
    offset : int
        Tokens that it adds to every prompt.
    ratio : float
        Its tokens for each of ours; 1 exactly for the same tokenizer.
    is_measured : bool
        False where the server did not count, or there is none.
    omits_cached : bool
        Whether it counted less of a prompt that it had seen before.
    """

    offset: int = 0
    ratio: float = 1.0
    is_measured: bool = False
    omits_cached: bool = False

    @classmethod
    def measure(cls, ours: Sequence[int], theirs: Sequence[int | None]) -> "Calibration":
        """Return the calibration of two prompts that both sides counted.

        Parameters
        ----------
        ours : sequence of int
            Of two prompts.
        theirs : sequence of int or None
            Of the same, and perhaps of the second one again.

        Examples
        --------
        >>> Calibration.measure([250, 1000], [261, 1011, 1011])
        Calibration(offset=11, ratio=1.0, is_measured=True, omits_cached=False)
        >>> Calibration.measure([250, 1000], [261, 1011, 16]).omits_cached
        True
        >>> Calibration.measure([250, 1000], [None, 1011]).is_measured
        False
        """
        first, second, *again = theirs
        if first is None or second is None or ours[0] == ours[1]:
            return cls()
        omits_cached = bool(again) and _is_short(again[0] or 0, second)
        ratio = (second - first) / (ours[1] - ours[0])
        if abs(ratio - 1.0) <= SAME_RATIO:
            return cls(round(second - ours[1]), 1.0, True, omits_cached)
        if not 1 / MOST_RATIO <= ratio <= MOST_RATIO:
            return cls(omits_cached=omits_cached)
        return cls(round(first - ratio * ours[0]), ratio, True, omits_cached)

    def expected(self, n_tokens: int) -> int:
        """Return the server's count of a prompt that has `n_tokens` by ours."""
        return round(self.offset + self.ratio * n_tokens)

    def ours(self, length: int) -> int:
        """Return the most tokens by our count that are `length` by the server's.

        Examples
        --------
        >>> Calibration(offset=11).ours(32768 - 128 - 1)
        32628
        """
        return int((length - self.offset) / self.ratio)

    def received(self, n_tokens: int, counted: int | None, cached: int | None) -> int | None:
        """Return how much of a prompt a server received; None where it cannot be told.

        Some servers count cached tokens among those of the prompt, some beside them. Where the
        count falls short, they are added if there are more of them than were counted, or if the
        sum is what was to be received.

        Parameters
        ----------
        n_tokens : int
            By our count.
        counted, cached : int or None
            What the server said.

        Examples
        --------
        >>> same = Calibration(is_measured=True)
        >>> same.received(8192, 8192, 8000), same.received(8192, 192, 8000)
        (8192, 8192)
        >>> same.received(8192, 4096, None)
        4096
        >>> Calibration(is_measured=True, omits_cached=True).received(8192, 4096, None) is None
        True
        """
        expected = self.expected(n_tokens)
        if counted is None or not _is_short(counted, expected):
            return counted
        both = counted + (cached or 0)
        if cached and (cached > counted or _is_near(both, expected)):
            return both
        return None if self.omits_cached else counted

    def is_cut(self, n_tokens: int, received: int | None) -> bool:
        """Tell whether a prompt was cut on its way; False where that cannot be told.

        Examples
        --------
        >>> same = Calibration(offset=11, is_measured=True)
        >>> same.is_cut(8192, 8203), same.is_cut(8192, 4096), same.is_cut(8192, None)
        (False, True, False)
        """
        return received is not None and _is_short(received, self.expected(n_tokens))

    def notices(self) -> tuple[Notice, ...]:
        """Say what the server does to prompts, if anything."""
        said = []
        if self.ratio != 1.0:
            message = f"the server counts {self.ratio:.3f} tokens for each of ours: prompts are "
            message += (
                "built by its count, as far as two probes tell; pass --tokenizer with its own"
            )
            said.append(Notice("token-ratio", message, DesignWarning))
        if self.offset == 1 and self.ratio == 1.0:
            message = "the server adds one token to every prompt, perhaps a second BOS: "
            message += "look at its template"
            said.append(Notice("double-bos", message, DesignWarning))
        if self.omits_cached:
            message = "the server counts fewer tokens of a prompt that it has seen before: where "
            message += "it does not say how many were cached, whether a prompt was cut cannot be "
            message += "told; switch its prompt cache off to know"
            said.append(Notice("cached-tokens-left-out", message, DesignWarning))
        return tuple(said)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values."""
        return asdict(self)


def _is_short(received: int, expected: int) -> bool:
    return received < CUT_SHARE * expected and expected - received > CUT_TOKENS


def _is_near(received: int, expected: int) -> bool:
    return not (_is_short(received, expected) or _is_short(expected, received))


def largest_prompt(window: int, max_output_tokens: int) -> int:
    """Return the longest prompt, by the server's count, that leaves room for the answer.

    Examples
    --------
    >>> largest_prompt(32768, 128)
    32639
    """
    return window - max_output_tokens - 1
