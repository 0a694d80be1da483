"""What the server really received, against what was sent.

Two probes before the sweep tell what a server adds to each prompt (a template, a BOS token) and
whether it counts by the same tokenizer. After that, a count that stays behind is a prompt that was
cut.
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

PROBE_LENGTHS = (256, 1024)
"""Tokens of the two prompts that are sent before a sweep."""


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
    """

    offset: int = 0
    ratio: float = 1.0
    is_measured: bool = False

    @classmethod
    def measure(cls, ours: Sequence[int], theirs: Sequence[int | None]) -> "Calibration":
        """Return the calibration of two prompts that both sides counted.

        Examples
        --------
        >>> Calibration.measure([250, 1000], [261, 1011])
        Calibration(offset=11, ratio=1.0, is_measured=True)
        >>> Calibration.measure([250, 1000], [None, 1011])
        Calibration(offset=0, ratio=1.0, is_measured=False)
        """
        counted = [count for count in theirs if count is not None]
        if len(counted) < len(ours) or ours[0] == ours[-1]:
            return cls()
        ratio = (counted[-1] - counted[0]) / (ours[-1] - ours[0])
        if abs(ratio - 1.0) <= SAME_RATIO:
            return cls(round(counted[-1] - ours[-1]), 1.0, True)
        if not 1 / MOST_RATIO <= ratio <= MOST_RATIO:
            return cls()
        return cls(round(counted[0] - ratio * ours[0]), ratio, True)

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

    def is_cut(self, n_tokens: int, received: int | None) -> bool:
        """Tell whether a prompt was cut on its way; False where the server did not count.

        Examples
        --------
        >>> same = Calibration(offset=11, is_measured=True)
        >>> same.is_cut(8192, 8203), same.is_cut(8192, 4096), same.is_cut(8192, None)
        (False, True, False)
        """
        if received is None:
            return False
        expected = self.expected(n_tokens)
        return received < CUT_SHARE * expected and expected - received > CUT_TOKENS

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
        return tuple(said)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values."""
        return asdict(self)


def largest_prompt(window: int, max_output_tokens: int) -> int:
    """Return the longest prompt, by the server's count, that leaves room for the answer.

    Examples
    --------
    >>> largest_prompt(32768, 128)
    32639
    """
    return window - max_output_tokens - 1
