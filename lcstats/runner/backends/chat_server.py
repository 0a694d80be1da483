"""Servers that speak OpenAI's protocol, through the ``openai`` package.

Answers are streamed, for the time to the first token. A busy server is asked again, as late as it
says and for a bounded time; a prompt that is too long is not. The key comes from the environment
and is written nowhere.
"""

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from lcstats.errors import OptionError, RunError, describe
from lcstats.extras import load_extra
from lcstats.runner.backends.server_faults import (
    CutStreamError,
    Fault,
    StreamedError,
    find_fault,
)
from lcstats.runner.replies import Reply, Request
from lcstats.runner.tokens import Tokenizer, ends_in_answer, open_tokenizer

if TYPE_CHECKING:
    from lcstats.runner.backends import Connection

MOST_ATTEMPTS = 10
FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 60.0
"""Of waits that the server did not ask for: limits are often by the minute."""

PUBLIC_SERVER = "https://api.openai.com/v1"
"""Where the client goes if no other address is given."""

PUBLIC_HOST = "openai.com"
"""Ends the names of hosts that know the newer name of the most tokens of an answer."""

LONGEST_ERROR = 300
NO_KEY = "none"
"""Stands for the key where a server of one's own needs none."""

SHORTEST_SECRET = 12
"""Characters of a key that is looked for in answers: a shorter one is no secret, but occurs."""

MOST_TOKENS = 10**9
"""That a server can have counted."""

_DATA, _DONE = b"data:", b"[DONE]"

Sleep = Callable[[float], Awaitable[None]]


@dataclass(slots=True)
class _Heard:
    """What came of a stream so far; what does not look as it should is passed over."""

    texts: list[str] = field(default_factory=list)
    finish_reason: str | None = None
    tokens_received: int | None = None
    tokens_cached: int | None = None
    output_tokens: int | None = None
    first_at: float | None = None
    declined: bool = False

    def add(self, event: Mapping[str, Any]) -> None:
        """Take a piece; the last one may hold usage and no choice."""
        usage, choices = event.get("usage"), event.get("choices")
        if isinstance(usage, dict):
            # A server that does not count says 0.
            self.tokens_received = _whole(usage.get("prompt_tokens")) or None
            details = usage.get("prompt_tokens_details")
            self.tokens_cached = _whole(_field(details, "cached_tokens"))
            self.output_tokens = _whole(usage.get("completion_tokens"))
        for choice in choices[:1] if isinstance(choices, list) else ():
            if isinstance(choice, dict):
                self._add_choice(choice)

    def _add_choice(self, choice: Mapping[str, Any]) -> None:
        delta = choice.get("delta")
        text = _text(_field(delta, "content"))
        thought = _field(delta, "reasoning_content") or _field(delta, "reasoning")
        if (text or thought) and self.first_at is None:
            self.first_at = time.monotonic()
        self.texts.append(text)
        self.declined = self.declined or bool(_field(delta, "refusal"))
        reason = choice.get("finish_reason")
        self.finish_reason = reason if isinstance(reason, str) and reason else self.finish_reason

    @property
    def is_refused(self) -> bool:
        """Whether the server says that the answer was filtered or declined."""
        return self.finish_reason == "content_filter" or (self.declined and not any(self.texts))


def _whole(count: object) -> int | None:
    """Return a count of tokens; None for what is none."""
    is_count = isinstance(count, int) and not isinstance(count, bool) and 0 <= count <= MOST_TOKENS
    return count if is_count else None  # type: ignore[return-value]


def _field(part: object, name: str) -> Any:
    """Return a field of a part of an event; None where there is no such part or field."""
    return part.get(name) if isinstance(part, dict) else None


def _text(content: object) -> str:
    """Return the text of a piece, which some servers write in parts."""
    if isinstance(content, list):
        return "".join(_text(_field(part, "text")) for part in content)
    return content if isinstance(content, str) else ""


async def _read_events(pieces: AsyncIterator[bytes]) -> AsyncIterator[Mapping[str, Any]]:
    """Yield the events of a stream.

    They are taken as they come, and not through the classes of the client, which take as long as
    sending and cannot read what is not as it should be.
    """
    rest = b""
    async for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            if line.startswith(_DATA) and (data := line[len(_DATA) :].strip()) != _DONE:
                yield _read_event(data)


def _read_event(data: bytes) -> Mapping[str, Any]:
    try:
        event = json.loads(data)
    except ValueError:
        event = None
    if not isinstance(event, dict):
        raise CutStreamError("a piece of the answer is no JSON object")
    if event.get("error"):
        raise StreamedError(json.dumps(event["error"]))
    return event


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
        self._place = ""
        self._was_reached = False
        self._openai = _load_client()
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
        openai = _load_client()
        url = connection.base_url or os.environ.get("OPENAI_BASE_URL") or None
        key = _read_key(connection.key_variable) or (NO_KEY if url else None)
        if url:
            _check_address(url)
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
            _make_client,
            openai,
            api_key=key,
            base_url=url,
            timeout=connection.timeout_s,
            max_retries=0,
        )
        tokenizer = open_tokenizer(connection.tokenizer)
        return cls(make_client, name, tokenizer, replace(connection, base_url=url), sleep=sleep)

    async def answer(self, request: Request) -> Reply:
        """Ask until there is an answer, or an error that stays.

        Raises
        ------
        RunError
            If the server refuses what every request has in common.
        """
        started = time.monotonic()
        try:
            return await self._ask(request)
        except Exception as error:
            return await self._ask_again(request, error, time.monotonic() - started)

    async def _ask_again(self, request: Request, first: Exception, seconds: float) -> Reply:
        """Go on after a first attempt that failed; most do not, and are spared what this takes."""
        n_attempts = 0

        async def ask() -> Reply:
            if n_attempts == 1:
                raise first
            return await self._ask(request)

        try:
            async for attempt in self._attempts(self._connection.max_wait_s - seconds):
                with attempt:
                    n_attempts += 1
                    reply = await ask()
        except Exception as error:
            reply = self._failed(error)
        return replace(reply, n_attempts=n_attempts)

    def _attempts(self, max_wait_s: float) -> Any:
        tenacity = self._tenacity
        return tenacity.AsyncRetrying(
            stop=tenacity.stop_after_attempt(MOST_ATTEMPTS)
            | tenacity.stop_before_delay(max_wait_s),
            wait=self._wait,
            retry=tenacity.retry_if_exception(lambda error: self._fault(error).passes),
            sleep=self._sleep,
            reraise=True,
        )

    def _wait(self, state: Any) -> float:
        """Return the seconds to wait: what the server asks for, or twice as long each time."""
        asked = self._fault(state.outcome.exception()).wait_s
        if asked is not None:
            return asked
        by_itself = self._tenacity.wait_exponential_jitter(
            initial=FIRST_WAIT_S, max=LONGEST_WAIT_S, jitter=FIRST_WAIT_S
        )
        seconds: float = by_itself(state)
        return seconds

    async def _ask(self, request: Request) -> Reply:
        if self._client is None:
            self._client = self._make_client()
            self._place = f"{self._client.base_url}chat/completions"
        heard = _Heard()
        started = time.monotonic()
        # The client's own timeout is between two pieces of an answer: one that drips never ends.
        async with asyncio.timeout(self._connection.timeout_s):
            stream = await self._send(self._body(request))
            self._was_reached = True
            async with stream:
                async for event in _read_events(stream.response.aiter_bytes()):
                    heard.add(event)
        if heard.finish_reason is None:
            kind = stream.response.headers.get("content-type", "nothing")
            raise CutStreamError(f"the answer ended without a finish_reason; it was {kind}")
        return Reply(
            status="refused" if heard.is_refused else "ok",
            output=self._without_key("".join(heard.texts)),
            finish_reason=heard.finish_reason,
            tokens_received=heard.tokens_received,
            tokens_cached=heard.tokens_cached,
            output_tokens=heard.output_tokens,
            latency_s=time.monotonic() - started,
            ttft_s=None if heard.first_at is None else heard.first_at - started,
        )

    async def _send(self, body: Mapping[str, Any]) -> Any:
        """Send a request and return its stream.

        The client's general door is taken, and with the whole address: the one for chats looks at
        each message first, which takes longer than all else that it does.
        """
        return await self._client.post(
            self._place,
            body=body,
            cast_to=object,
            stream=True,
            stream_cls=self._openai.AsyncStream[object],
        )

    def _body(self, request: Request) -> dict[str, Any]:
        messages = [dict(message) for message in request.prompt.messages]
        going_on = {"continue_final_message": True, "add_generation_prompt": False}
        return {
            "model": self.model,
            "messages": messages,
            "stream": True,
            **self._sent(request.max_output_tokens, stream_options={"include_usage": True}),
            **(going_on if ends_in_answer(messages) else {}),
        }

    def decoding(self, max_output_tokens: int) -> dict[str, Any]:
        """Return what is sent to decide on answers: greedy, unless parameters say otherwise."""
        return self._sent(max_output_tokens)

    def _sent(self, max_output_tokens: int, **others: Any) -> dict[str, Any]:
        """Return parameters of a request: ours, and over them those of the connection.

        Servers of one's own mostly know the older name of the most tokens of an answer.
        """
        host = urlsplit(self._address).hostname or ""
        is_public = f".{host}".endswith(f".{PUBLIC_HOST}")
        limit = "max_completion_tokens" if is_public else "max_tokens"
        ours = {"temperature": 0, limit: max_output_tokens, **others}
        sent = {**ours, **self._connection.parameters}
        return {name: value for name, value in sent.items() if value is not None}

    def _failed(self, error: Exception) -> Reply:
        if find_fault(error) is None:
            raise error
        fault = self._fault(error)
        words = self._scrubbed(" ".join(str(error).split()) or type(error).__name__)
        if fault.is_fatal and not self._was_reached:
            raise RunError(
                describe(
                    f"{self._address} cannot be reached: {words}",
                    "expected a server that answers",
                    "start it, or correct --base-url",
                )
            ) from None
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

    def _fault(self, error: BaseException) -> Fault:
        """Return what an error means; an address where nobody ever answered is a wrong one."""
        fault = find_fault(error) or Fault("error")
        self._was_reached = self._was_reached or hasattr(error, "status_code")
        if fault.status == "error" and not self._was_reached:
            return replace(fault, passes=False, is_fatal=True)
        return fault

    def _scrubbed(self, words: str) -> str:
        """Return an error's words without the key, and not too many of them."""
        key = _read_key(self._connection.key_variable)
        return (words.replace(key, "***") if key else words)[:LONGEST_ERROR]

    def _without_key(self, output: str) -> str:
        """Return an answer without the key, which a server may repeat."""
        key = _read_key(self._connection.key_variable)
        return output.replace(key, "***") if len(key) >= SHORTEST_SECRET else output

    async def close(self) -> None:
        """Close the connections; a further request opens others."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    def describe(self) -> dict[str, Any]:
        """Return name and server, without what may be secret in its address."""
        return {
            "backend": "openai",
            "model": self.model,
            "base_url": self._address,
            "parameters": dict(self._connection.parameters),
        }

    @property
    def _address(self) -> str:
        return public_address(self._connection.base_url or PUBLIC_SERVER)


def _load_client() -> Any:
    return load_extra("openai", extra="openai", purpose="asking a server")


def _make_client(openai: Any, **given: Any) -> Any:
    """Make a client, over aiohttp where that is installed: it takes half the time of the other."""
    try:
        transport = openai.DefaultAioHttpClient()
    except RuntimeError:
        transport = None
    return openai.AsyncOpenAI(http_client=transport, **given)


def _read_key(variable: str) -> str:
    """Return the key without white space around it, which no header can hold; empty for none."""
    key = os.environ.get(variable, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise OptionError(
            describe(
                f"the key in the environment variable {variable} has characters that no key has",
                "expected printable ASCII characters",
                f"set it anew with: export {variable}=...",
            )
        )
    return key


def _check_address(url: str) -> None:
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_address = False
    if not is_address:
        raise OptionError(
            describe(
                "the address of the server does not begin with http:// or https:// and a host",
                "expected such as http://127.0.0.1:8000/v1",
                "correct --base-url",
            )
        )


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
