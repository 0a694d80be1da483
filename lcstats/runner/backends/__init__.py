"""What answers: simulated language models, transformers, servers that speak OpenAI's protocol."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

from lcstats.errors import OptionError, describe
from lcstats.runner.backends.simulated import SimulatedBackend
from lcstats.runner.replies import Backend

OURS = ("model", "messages", "stream", "n")
"""Parameters of a request that the sweep decides on."""

KINDS = ("simulated", "hf", "openai")


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """How a language model is reached.

    Attributes
    ----------
    base_url : str, optional
        Of a server that speaks OpenAI's protocol.
    tokenizer : str, optional
        What counts tokens, by :func:`lcstats.runner.tokens.open_tokenizer`.
    key_variable : str
        Environment variable that holds the key.
    timeout_s : float
        Seconds for one request.
    max_wait_s : float
        Seconds that one trial may wait for a server that asks to be left alone.
    dtype : str
        Of the weights, for transformers.
    parameters : mapping
        Of every request to a server, over ours; None leaves one out.
    """

    base_url: str | None = None
    tokenizer: str | None = None
    key_variable: str = "OPENAI_API_KEY"
    timeout_s: float = 600.0
    max_wait_s: float = 300.0
    dtype: str = "auto"
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse seconds that are none, and parameters that a sweep decides on itself."""
        for name, seconds in (("timeout", self.timeout_s), ("max-wait", self.max_wait_s)):
            if not 0 <= seconds < inf:
                raise OptionError(
                    describe(f"{name} is {seconds}", "expected seconds", f"pass --{name} 300, say")
                )
        try:
            json.dumps(dict(self.parameters), allow_nan=False)
            taken = [name for name in OURS if name in self.parameters]
        except (ValueError, TypeError) as error:
            taken = [str(error)]
        if taken:
            raise OptionError(
                describe(
                    f"parameters have {taken[0]}",
                    f"expected values of JSON, and none of {', '.join(OURS)}",
                    "leave it out; --model names the language model",
                )
            )


def open_backend(spec: str, *, seed: int = 0, connection: Connection | None = None) -> Backend:
    """Return what answers, by what ``--model`` says.

    Parameters
    ----------
    spec : str
        ``simulated:NAME``, ``hf:FOLDER_OR_ID`` or ``openai:NAME``.
    seed : int
        Of simulated language models.
    connection : Connection, optional

    Raises
    ------
    OptionError
        If it says something else.
    MissingExtraError
        If the library for it is not installed.

    Examples
    --------
    >>> open_backend("simulated:echo").model
    'simulated:echo'
    """
    kind, _, name = spec.partition(":")
    if kind not in KINDS or not name:
        raise OptionError(
            describe(
                f"the language model is {spec!r}",
                "expected simulated:NAME, hf:FOLDER_OR_ID or openai:NAME",
                "pass --model simulated:perfect to try without one",
            )
        )
    reached = connection or Connection()
    if kind == "hf":
        from lcstats.runner.backends.huggingface import HuggingFaceBackend

        return HuggingFaceBackend.load(name, dtype=reached.dtype)
    if kind == "openai":
        from lcstats.runner.backends.chat_server import ChatServerBackend

        return ChatServerBackend.connect(name, reached)
    return SimulatedBackend(name, seed=seed)
