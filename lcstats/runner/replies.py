"""What is asked of a language model, what comes back, and what answers."""

from dataclasses import dataclass
from typing import Any, Protocol

from lcstats.runner.prompts import Prompt
from lcstats.runner.tokens import Tokenizer


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """A prompt that is to be answered.

    Attributes
    ----------
    prompt : Prompt
    length : int
    depth : float or None
        What the design asked for; real language models never see it.
    key : str
        What tells this trial from every other one.
    max_output_tokens : int
    """

    prompt: Prompt
    length: int
    depth: float | None
    key: str
    max_output_tokens: int


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back.

    Attributes
    ----------
    status : str
        ok, or what went wrong.
    output : str or None
    finish_reason : str or None
        Why the answer ended, in the server's word.
    error : str or None
        What the server or library said.
    tokens_received : int or None
        Tokens of the prompt as the server counted them; None where it did not say.
    tokens_cached : int or None
        Tokens of the prompt that the server had seen before; whether they are among those received
        differs from server to server.
    output_tokens : int or None
    latency_s, ttft_s : float or None
        Seconds to the end of the answer, and to its first token.
    n_attempts : int
    """

    status: str
    output: str | None = None
    finish_reason: str | None = None
    error: str | None = None
    tokens_received: int | None = None
    tokens_cached: int | None = None
    output_tokens: int | None = None
    latency_s: float | None = None
    ttft_s: float | None = None
    n_attempts: int = 1


class Backend(Protocol):
    """What answers requests."""

    @property
    def model(self) -> str:
        """Name of the language model in the table."""

    @property
    def tokenizer(self) -> Tokenizer:
        """The language model's own tokenizer, as far as it is to be had."""

    @property
    def counts_itself(self) -> bool:
        """Whether a server counts tokens, which may differ from what the tokenizer counts."""

    async def answer(self, request: Request) -> Reply:
        """Answer a request; what goes wrong with one request is a status.

        Raises
        ------
        RunError
            If no request can succeed.
        """

    async def close(self) -> None:
        """Give back what was taken."""

    def decoding(self, max_output_tokens: int) -> dict[str, Any]:
        """Return what decides on how answers are chosen, as it is sent."""

    def describe(self) -> dict[str, Any]:
        """Return what tells this language model and server from others, for the manifest."""
