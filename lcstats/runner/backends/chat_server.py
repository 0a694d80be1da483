"""Servers that speak OpenAI's protocol, through the ``openai`` package.

Answers are streamed, for the time to the first token. A busy server is asked again, as late as it
says and for a bounded time; a prompt that is too long is not. The key comes from the environment
and is written nowhere.
"""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from lcstats.errors import OptionError, RunError, describe
from lcstats.extras import load_extra
from lcstats.runner.backends.server_faults import CutStreamError, Fault, find_fault
from lcstats.runner.replies import Reply, Request
from lcstats.runner.tokens import Tokenizer, open_tokenizer

if TYPE_CHECKING:
    from lcstats.runner.backends import Connection

MOST_ATTEMPTS = 10
FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 60.0
"""Of waits that the server did not ask for: limits are often by the minute."""

PUBLIC_SERVER = "https://api.openai.com/v1"
"""Where the client goes if no other address is given."""

LONGEST_ERROR = 300
NO_KEY = "none"
"""Stands for the key where a server of one's own needs none."""

Sleep = Callable[[float], Awaitable[None]]


@dataclass(slots=True)
class _Heard:
    """What came of a stream so far."""

    texts: list[str] = field(default_factory=list)
    finish_reason: str | None = None
    tokens_received: int | None = None
    output_tokens: int | None = None
    first_at: float | None = None

    def add(self, chunk: Any) -> None:
        """Take a chunk; the last one may hold usage and no choice."""
        if chunk.usage is not None:
            # A server that does not count says 0.
            self.tokens_received = chunk.usage.prompt_tokens or None
            self.output_tokens = chunk.usage.completion_tokens
        for choice in chunk.choices[:1]:
            delta = choice.delta
            text = (delta.content or "") if delta is not None else ""
            thought = getattr(delta, "reasoning_content", None) or getattr(delta, "reasoning", None)
            if (text or thought) and self.first_at is None:
                self.first_at = time.monotonic()
            self.texts.append(text)
            self.finish_reason = choice.finish_reason or self.finish_reason


class ChatServerBackend:
    """A language model behind a server.

    Parameters
    ----------
    make_client : callable
        Returns an ``openai.AsyncOpenAI``; one is made for every run, since it belongs to its event
        loop.
    name : str
        Of the language model, as the server knows it.
    tokenizer : Tokenizer
    connection : Connection
    sleep : callable
        What waits.
    """

    counts_itself = True

    def __init__(
        self,
        make_client: Callable[[], Any],
        name: str,
        tokenizer: Tokenizer,
        connection: "Connection",
        *,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self.model = name
        self.tokenizer = tokenizer
        self._make_client, self._connection, self._sleep = make_client, connection, sleep
        self._client: Any = None
        self._tenacity = load_extra(
            "tenacity", extra="openai", purpose="asking a busy server again"
        )

    @classmethod
    def connect(
        cls, name: str, connection: "Connection", *, sleep: Sleep = asyncio.sleep
    ) -> "ChatServerBackend":
        """Make a client; nothing is sent yet.

        Raises
        ------
        OptionError
            If there is no key for a server that needs one, or no tokenizer.
        MissingExtraError
            If the ``openai`` package is not installed.
        """
        openai = load_extra("openai", extra="openai", purpose="asking a server")
        url = connection.base_url or os.environ.get("OPENAI_BASE_URL")
        key = os.environ.get(connection.key_variable) or (NO_KEY if url else None)
        if key is None:
            raise OptionError(
                describe(
                    f"the environment variable {connection.key_variable} is not set",
                    "expected the key of the server in it",
                    f"set it with: export {connection.key_variable}=..., or pass --base-url for a "
                    "server of your own",
                )
            )
        if connection.tokenizer is None:
            raise OptionError(
                describe(
                    f"no tokenizer is given for {name}",
                    "expected what counts its tokens",
                    "pass --tokenizer hf:FOLDER_OR_ID or tiktoken:o200k_base; builtin is adjusted "
                    "by what the server counts, which is less exact",
                )
            )
        # What fails is tried again here, where it is counted, and nowhere else.
        make_client = partial(
            openai.AsyncOpenAI,
            api_key=key,
            base_url=url,
            timeout=connection.timeout_s,
            max_retries=0,
        )
        return cls(make_client, name, open_tokenizer(connection.tokenizer), connection, sleep=sleep)

    async def answer(self, request: Request) -> Reply:
        """Ask until there is an answer, or an error that stays.

        Raises
        ------
        RunError
            If the server refuses what every request has in common.
        """
        n_attempts = 0
        try:
            async for attempt in self._attempts():
                with attempt:
                    n_attempts += 1
                    reply = await self._ask(request)
        except Exception as error:
            reply = self._failed(error)
        return replace(reply, n_attempts=n_attempts)

    def _attempts(self) -> Any:
        tenacity = self._tenacity
        return tenacity.AsyncRetrying(
            stop=tenacity.stop_after_attempt(MOST_ATTEMPTS)
            | tenacity.stop_before_delay(self._connection.max_wait_s),
            wait=self._wait,
            retry=tenacity.retry_if_exception(lambda error: _fault(error).passes),
            sleep=self._sleep,
            reraise=True,
        )

    def _wait(self, state: Any) -> float:
        """Return the seconds to wait: what the server asks for, or twice as long each time."""
        asked = _fault(state.outcome.exception()).wait_s
        if asked is not None:
            return asked
        by_itself = self._tenacity.wait_exponential_jitter(
            initial=FIRST_WAIT_S, max=LONGEST_WAIT_S, jitter=FIRST_WAIT_S
        )
        seconds: float = by_itself(state)
        return seconds

    async def _ask(self, request: Request) -> Reply:
        heard = _Heard()
        started = time.monotonic()
        # The client's own timeout is between two pieces of an answer: one that drips never ends.
        if self._client is None:
            self._client = self._make_client()
        async with asyncio.timeout(self._connection.timeout_s):
            stream = await self._client.chat.completions.create(**self._parameters(request))
            async for chunk in stream:
                heard.add(chunk)
        if heard.finish_reason is None:
            raise CutStreamError("the answer ended without a finish_reason")
        refused = heard.finish_reason == "content_filter"
        return Reply(
            status="refused" if refused else "ok",
            output="".join(heard.texts),
            finish_reason=heard.finish_reason,
            tokens_received=heard.tokens_received,
            output_tokens=heard.output_tokens,
            latency_s=time.monotonic() - started,
            ttft_s=None if heard.first_at is None else heard.first_at - started,
        )

    def _parameters(self, request: Request) -> dict[str, Any]:
        """Return what is sent; servers of one's own mostly know the older name of the limit."""
        limit = "max_completion_tokens" if self._connection.base_url is None else "max_tokens"
        messages = [dict(message) for message in request.prompt.messages]
        going_on = {"continue_final_message": True, "add_generation_prompt": False}
        begun = messages[-1]["role"] == "assistant"
        given = self._connection.parameters
        ours = {
            "temperature": 0,
            limit: request.max_output_tokens,
            "stream_options": {"include_usage": True},
        }
        return {
            "model": self.model,
            "messages": messages,
            "stream": True,
            **{name: value for name, value in ours.items() if name not in given},
            "extra_body": {
                **(going_on if begun else {}),
                **{name: value for name, value in given.items() if value is not None},
            },
        }

    def _failed(self, error: Exception) -> Reply:
        fault = find_fault(error)
        if fault is None:
            raise error
        words = self._scrubbed(" ".join(str(error).split()) or type(error).__name__)
        if fault.is_fatal:
            raise RunError(
                describe(
                    f"the server refused a request: {words}",
                    f"expected it to know {self.model!r}, the key and the parameters",
                    "correct --model, --base-url or the key; what was answered is kept, go on with "
                    "--resume",
                )
            ) from None
        return Reply(status=fault.status, error=words)

    def _scrubbed(self, words: str) -> str:
        """Return an error's words without the key, and not too many of them."""
        key = os.environ.get(self._connection.key_variable)
        return (words.replace(key, "***") if key else words)[:LONGEST_ERROR]

    async def close(self) -> None:
        """Close the connections; a further request opens others."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    def describe(self) -> dict[str, Any]:
        """Return name and server, without what may be secret in its address."""
        url = self._connection.base_url or os.environ.get("OPENAI_BASE_URL") or PUBLIC_SERVER
        return {
            "backend": "openai",
            "model": self.model,
            "base_url": public_address(url),
            "parameters": dict(self._connection.parameters),
        }


def _fault(error: BaseException) -> Fault:
    return find_fault(error) or Fault("error")


def public_address(url: str) -> str:
    """Return an address without user, password and query.

    Examples
    --------
    >>> public_address("https://me:secret@example.org:8000/v1?key=1")
    'https://example.org:8000/v1'
    """
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))
