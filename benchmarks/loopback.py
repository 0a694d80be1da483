"""A server on loopback that answers every chat after a fixed time.

``python -m benchmarks.loopback 0.05`` prints its address, and ends with its standard input.

It does next to nothing, so that what a sweep takes beyond the answers' own time is the client's.
"""

import asyncio
import json
import re
import sys

from lcstats.runner.tokens import BuiltinTokenizer

_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
_END_OF_HEAD = b"\r\n\r\n"
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


class _Chat(asyncio.Protocol):
    """A connection, on which one request follows the other."""

    def __init__(self, latency_s: float) -> None:
        self._latency_s = latency_s
        self._seen = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._seen += data
        head, separator, body = self._seen.partition(_END_OF_HEAD)
        length = _LENGTH.search(head)
        if not separator or length is None or len(body) < int(length[1]):
            return
        self._seen = b""
        answer = _answer(BuiltinTokenizer().count_messages(json.loads(body)["messages"]))
        asyncio.get_running_loop().call_later(self._latency_s, self._transport.write, answer)


def _answer(n_tokens: int) -> bytes:
    choice = {"index": 0, "delta": {"content": "4829173"}, "finish_reason": "stop"}
    usage = {"prompt_tokens": n_tokens, "completion_tokens": 3, "total_tokens": n_tokens + 3}
    events = [{"choices": [choice]}, {"choices": [], "usage": usage}]
    data = b"".join(f"data: {json.dumps(event)}\n\n".encode() for event in events)
    data += b"data: [DONE]\n\n"
    return _HEAD + b"%x\r\n%b\r\n0\r\n\r\n" % (len(data), data)


async def _serve(latency_s: float) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Chat(latency_s), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    print(f"http://127.0.0.1:{port}/v1", flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(_serve(float(sys.argv[1])))
