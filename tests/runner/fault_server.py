"""A server on loopback that speaks OpenAI's protocol, and fails as it is told."""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from lcstats.runner.tokens import BuiltinTokenizer


@dataclass(frozen=True)
class Answer:
    """A streamed answer."""

    text: str = "4829173"
    finish_reason: str | None = "stop"
    has_usage: bool = True
    offset: int = 0
    ratio: float = 1.0
    most_tokens: int | None = None
    cached: float = 0.0
    """Share of the prompt that was seen before, and is not among the prompt's tokens."""

    tells_cached: bool = False
    delay_s: float = 0.0
    is_cut: bool = False


@dataclass(frozen=True)
class Refusal:
    """An answer with an error code."""

    code: int
    body: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Raw:
    """An answer as it is, whatever it is."""

    data: bytes
    content_type: str = "text/event-stream"


@dataclass(frozen=True)
class HangUp:
    """No answer: the connection is closed."""


Step = Answer | Refusal | Raw | HangUp
Script = Callable[[int, Mapping[str, Any]], Step]


class FaultServer(ThreadingHTTPServer):
    """Answers the n-th request (from 0) as a script says."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self.headers_seen: list[dict[str, str]] = []
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are part of the game."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: FaultServer
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            number = len(self.server.requests)
            self.server.requests.append(body)
            self.server.headers_seen.append(dict(self.headers))
        step = self.server.script(number, body)
        if isinstance(step, Raw):
            self._write_whole(200, step.data, {"Content-Type": step.content_type})
        elif isinstance(step, Refusal):
            self._refuse(step)
        elif isinstance(step, HangUp):
            self.close_connection = True
        else:
            self._answer(step, body)

    def _refuse(self, step: Refusal) -> None:
        headers = {**step.headers, "Content-Type": "application/json"}
        self._write_whole(step.code, json.dumps(step.body).encode(), headers)

    def _write_whole(self, code: int, data: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _answer(self, step: Answer, body: Mapping[str, Any]) -> None:
        time.sleep(step.delay_s)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        events = list(_events(step, body))
        if step.is_cut:
            self._send("".join(events[:1]))
            self.close_connection = True
            return
        self._send("".join([*events, "data: [DONE]\n\n"]))
        self.wfile.write(b"0\r\n\r\n")

    def _send(self, text: str) -> None:
        data = text.encode()
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def _events(step: Answer, body: Mapping[str, Any]) -> Iterator[str]:
    base = {"id": "a", "object": "chat.completion.chunk", "created": 0, "model": body["model"]}
    half = len(step.text) // 2
    for text, reason in ((step.text[:half], None), (step.text[half:], step.finish_reason)):
        choice = {"index": 0, "delta": {"content": text}, "finish_reason": reason}
        yield f"data: {json.dumps({**base, 'choices': [choice]})}\n\n"
    if step.has_usage:
        counted = BuiltinTokenizer().count_messages(body["messages"])
        received = round(step.ratio * counted) + step.offset
        received = min(received, step.most_tokens or received)
        cached = round(step.cached * received)
        usage = {
            "prompt_tokens": received - cached,
            "completion_tokens": 3,
            "total_tokens": received + 3,
        }
        if step.tells_cached:
            usage["prompt_tokens_details"] = {"cached_tokens": cached}
        yield f"data: {json.dumps({**base, 'choices': [], 'usage': usage})}\n\n"


@contextmanager
def serving(script: Script) -> Iterator[FaultServer]:
    """Serve in a thread of its own."""
    server = FaultServer(script)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def find_code(messages: list[Mapping[str, str]]) -> str:
    """Read the prompt as a perfect language model would: the code of the key that is asked for."""
    content = messages[-1]["content"]
    key = content.rpartition("access code for ")[2].partition("?")[0]
    return content.partition(f"The access code for {key} is ")[2].partition(".")[0]
