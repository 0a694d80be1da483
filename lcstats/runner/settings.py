"""How a sweep is run: what surrounds the evidence, how answers are asked for, what may be spent."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from lcstats.errors import OptionError, describe
from lcstats.options import check_option, check_whole
from lcstats.runner.filler import Filler, NeutralFiller
from lcstats.runner.prompts import Style
from lcstats.runner.received import largest_prompt
from lcstats.runner.scoring import Strictness, describe_scoring


@dataclass(frozen=True, slots=True)
class Ceiling:
    """What a sweep may spend.

    Attributes
    ----------
    amount : float
        Above 0.
    charge : callable
        What a request takes of it, from its tokens sent and received.
    currency : str
        For messages.
    """

    amount: float
    charge: Callable[[int, int], float] = lambda sent, received: float(sent + received)
    currency: str = "tokens"

    def __post_init__(self) -> None:
        """Refuse an amount that buys nothing."""
        if not isfinite(self.amount) or self.amount <= 0:
            raise OptionError(
                describe(
                    f"the budget is {self.amount!r} {self.currency}",
                    "expected a number above 0",
                    "pass --budget-tokens 5M, say",
                )
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a sweep is run.

    Attributes
    ----------
    filler : Filler
        Neutral sentences unless a text of one's own is given.
    style : {"question", "begun"}
        Whether the prompt ends with the question, or with the first words of its answer.
    strictness : {"strict", "contains"}
        Whether a wrong value beside the right one makes an answer wrong.
    max_output_tokens : int
    concurrency : int
        Requests at the same time.
    context_window : int, optional
        Tokens of prompt and answer together; longer prompts are built to fit into it.
    ceiling : Ceiling, optional
        Where to stop.
    """

    filler: Filler = field(default_factory=NeutralFiller)
    style: Style = "question"
    strictness: Strictness = "strict"
    max_output_tokens: int = 256
    concurrency: int = 8
    context_window: int | None = None
    ceiling: Ceiling | None = None

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        check_option(self.style, Style, "style")
        check_option(self.strictness, Strictness, "strictness")
        check_whole(self.max_output_tokens, "max_output_tokens", least=1)
        check_whole(self.concurrency, "concurrency", least=1)
        if self.context_window is not None:
            check_whole(self.context_window, "context_window", least=self.max_output_tokens + 2)

    def longest(self, length: int) -> int:
        """Return a length, or what of it leaves room for the answer in the context window."""
        if self.context_window is None:
            return length
        return min(length, largest_prompt(self.context_window, self.max_output_tokens))

    def to_dict(self) -> dict[str, Any]:
        """Return what decides on prompts and scores, for the manifest."""
        return {
            "filler": {"digest": self.filler.digest},
            "decoding": {
                "max_output_tokens": self.max_output_tokens,
                "style": self.style,
                "context_window": self.context_window,
            },
            "scoring": describe_scoring(self.strictness),
        }
