"""A server on loopback with one named misbehaviour, in a thread of the test's own process.

    with MisbehavingServer("gzip_bomb", after=20) as server:
        evaluate("simulation", api_base=server.base, …)

It answers properly for the first `after` requests, then misbehaves until `times` requests or `seconds` seconds have
passed (for ever by default), then answers properly again. `requests` counts what arrived, `received` keeps the raw
requests where a test wants to see them.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
import time
import zlib
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any, Self

from tests.support.loopback import answer_to, question_in

ESCAPES = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202e"
"""Clears the screen, sets the title, colours and reverses text, on terminals that obey."""

Writer = asyncio.StreamWriter
Behaviour = Callable[["Exchange"], Awaitable[None]]
BEHAVIOURS: dict[str, Behaviour] = {}


class Exchange:
    """One request and the connection that its response goes to."""

    def __init__(self, server: MisbehavingServer, writer: Writer, head: bytes, body: bytes) -> None:
        self.server, self.writer, self.head, self.body = server, writer, head, body

    @property
    def answer(self) -> str:
        return answer_to(question_in(self.body))

    def send(self, body: bytes | str, status: str = "200 OK", *headers: str, length: int | None = None) -> None:
        content = body.encode() if isinstance(body, str) else body
        lines = [f"HTTP/1.1 {status}", "Content-Type: application/json"]
        lines += [f"Content-Length: {len(content) if length is None else length}", *headers, "", ""]
        self.writer.write("\r\n".join(lines).encode("latin-1") + content)

    def complete(self, text: Any = None, *, message: Any = None, choice: Any = None, **more: Any) -> str:
        """A completion with some of its parts replaced."""
        said = (
            message if message is not None else {"role": "assistant", "content": self.answer if text is None else text}
        )
        choices = [{"message": said, "finish_reason": "stop", **(choice or {})}]
        usage = {"prompt_tokens": 100, "completion_tokens": 2}
        return json.dumps({"choices": choices, "usage": usage, "model": "m", **more})

    def refuse(self, status: str, message: str = "no", *headers: str, **fields: Any) -> None:
        self.send(json.dumps({"error": {"message": message, **fields}}), status, *headers)


def behaviour(name: str) -> Callable[[Behaviour], Behaviour]:
    def register(function: Behaviour) -> Behaviour:
        BEHAVIOURS[name] = function
        return function

    return register


def constant(name: str, make: Callable[[Exchange], bytes | str]) -> None:
    """Register a behaviour that is a 200 response with an odd body."""

    async def respond(exchange: Exchange) -> None:
        exchange.send(make(exchange))

    BEHAVIOURS[name] = respond


def refusal(name: str, status: str, message: str = "no", *headers: str, **fields: Any) -> None:
    """Register a behaviour that is an error response."""

    async def respond(exchange: Exchange) -> None:
        exchange.refuse(status, message, *headers, **fields)

    BEHAVIOURS[name] = respond


# bodies that are no completion
constant("empty_body", lambda e: b"")
constant("html", lambda e: "<html><body>It works!</body></html>")
constant("truncated_json", lambda e: e.complete()[:-9])
constant("invalid_utf8", lambda e: e.complete("MARK").encode().replace(b"MARK", b"\xff\xfe"))
constant("deep_json", lambda e: '{"choices": ' + "[" * 1000 + "]" * 1000 + "}")
constant("deep_unknown_field", lambda e: '{"extra": ' + '{"a":' * 1000 + "1" + "}" * 1000 + ', "choices": []}')
constant("choices_null", lambda e: '{"choices": null}')
constant("choices_empty", lambda e: '{"choices": []}')
constant("choices_object", lambda e: '{"choices": {"0": 1}}')
constant("choice_without_message", lambda e: '{"choices": [{}]}')
constant("choice_null", lambda e: '{"choices": [null]}')
constant("json_null", lambda e: "null")
constant("json_list", lambda e: "[1, 2]")
constant("json_number", lambda e: "7")
constant("error_in_choice", lambda e: e.complete(choice={"error": {"message": "upstream failed", "code": 502}}))
constant("error_in_200_rejected", lambda e: json.dumps({"error": {"message": "the picture is odd", "code": 400}}))
constant("error_object", lambda e: json.dumps({"object": "error", "message": "the prompt is odd", "code": 400}))
constant("error_in_200", lambda e: json.dumps({"error": {"message": "CUDA out of memory", "code": 500}}))

# completions with odd parts
constant("content_null", lambda e: e.complete(message={"content": None}))
constant("content_number", lambda e: e.complete(message={"content": 7}))
constant("content_object", lambda e: e.complete(message={"content": {"text": "True"}}))
constant("content_deep_json", lambda e: e.complete("[" * 1000 + "]" * 1000))
constant("content_parts_odd", lambda e: e.complete(message={"content": [1, None, {"text": 5}, {"text": e.answer}]}))
constant("content_escapes", lambda e: e.complete(f"{ESCAPES} {e.answer}"))
constant("content_surrogate", lambda e: e.complete("MARK").replace("MARK", "\\ud800"))
constant("refusal_list", lambda e: e.complete(message={"content": e.answer, "refusal": ["x"]}))
constant("finish_reason_number", lambda e: e.complete(choice={"finish_reason": 3}))
constant("usage_negative", lambda e: e.complete(usage={"prompt_tokens": -5000, "completion_tokens": -1}))
constant("usage_huge", lambda e: e.complete(usage={"prompt_tokens": 10**30, "completion_tokens": 10**400}))
constant("usage_float", lambda e: e.complete(usage={"prompt_tokens": 100.0, "completion_tokens": 1.5}))
constant("usage_text", lambda e: e.complete(usage={"prompt_tokens": "many", "completion_tokens": True}))
constant("usage_list", lambda e: e.complete(usage=[100, 2]))
constant("byte_order_mark", lambda e: b"\xef\xbb\xbf" + e.complete().encode())
constant("model_escapes", lambda e: e.complete(model=ESCAPES + "x" * 5000))
constant("model_number", lambda e: e.complete(model=5))
constant("model_changes", lambda e: e.complete(model="m-2"))
constant("echo_key", lambda e: e.complete(f"{e.answer} {e.head.decode('latin-1')}"))

# statuses
for _code in (301, 302, 303, 307, 308):
    refusal(f"redirect_{_code}", f"{_code} Moved", "moved", "Location: {elsewhere}")
refusal("redirect_without_location", "302 Found")
refusal("http_400", "400 Bad Request", "the setting x is not known")
refusal("http_401", "401 Unauthorized", "bad key")
refusal("http_402", "402 Payment Required", "your balance is spent")
refusal("http_403", "403 Forbidden", "suspended")
refusal("http_404", "404 Not Found", "no such model")
refusal("http_413", "413 Payload Too Large", "too large")
refusal("http_429", "429 Too Many Requests", "slow down")
refusal("http_429_quota", "429 Too Many Requests", "You exceeded your current quota", code="insufficient_quota")
refusal("http_429_soon", "429 Too Many Requests", "slow down", "Retry-After: 0.3")
refusal("http_429_long", "429 Too Many Requests", "slow down", "Retry-After: 99999999")
refusal("http_429_odd", "429 Too Many Requests", "slow down", "Retry-After: nan")
refusal("http_429_infinite", "429 Too Many Requests", "slow down", "Retry-After: inf")
refusal("http_500", "500 Internal Server Error", "oops")
refusal("no_images_500", "500 Internal Server Error", "image input is not supported - hint: provide the mmproj")
refusal("no_images_400", "400 Bad Request", "At most 0 image(s) may be provided in one prompt, request 4711")
refusal("http_503", "503 Service Unavailable", "model is loading")
refusal("http_504", "504 Gateway Time-out", "gateway time-out")
refusal("http_599", "599 Odd", "odd")
refusal("error_escapes", "400 Bad Request", f"{ESCAPES}no{ESCAPES}")


@behaviour("http_204")
async def _(exchange: Exchange) -> None:
    exchange.writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")


@behaviour("echo_key_error")
async def _(exchange: Exchange) -> None:
    exchange.refuse("400 Bad Request", exchange.head.decode("latin-1"))


@behaviour("endless_body")
async def _(exchange: Exchange) -> None:
    exchange.writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + b'{"choices": "')
    await _pour(exchange.writer, b"x" * 2**20, 600)


@behaviour("endless_error")
async def _(exchange: Exchange) -> None:
    exchange.writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\n\r\n")
    await _pour(exchange.writer, b"x" * 2**20, 600)


@behaviour("endless_chunks")
async def _(exchange: Exchange) -> None:
    exchange.writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    await _pour(exchange.writer, b"100000\r\n" + b" " * 2**20 + b"\r\n", 600)


async def _pour(writer: Writer, block: bytes, count: int) -> None:
    for _ in range(count):
        writer.write(block)
        await writer.drain()
    writer.close()


@behaviour("gzip_bomb")
async def _(exchange: Exchange) -> None:
    exchange.send(_gzip_bomb(), "200 OK", "Content-Encoding: gzip")


@cache
def _gzip_bomb(megabytes: int = 500) -> bytes:
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    return b"".join([*(packer.compress(b" " * 2**20) for _ in range(megabytes)), packer.flush()])


@behaviour("gzip")
async def _(exchange: Exchange) -> None:
    exchange.send(gzip.compress(exchange.complete().encode()), "200 OK", "Content-Encoding: gzip")


@behaviour("gzip_broken")
async def _(exchange: Exchange) -> None:
    exchange.send(gzip.compress(exchange.complete().encode())[:-12] + b"rubbish", "200 OK", "Content-Encoding: gzip")


@behaviour("unknown_encoding")
async def _(exchange: Exchange) -> None:
    exchange.send(exchange.complete(), "200 OK", "Content-Encoding: pig-latin")


@behaviour("reset")
async def _(exchange: Exchange) -> None:
    exchange.writer.transport.abort()


@behaviour("half_body")
async def _(exchange: Exchange) -> None:
    body = exchange.complete()
    exchange.send(body[:-20], length=len(body))
    exchange.writer.close()


@behaviour("length_too_short")
async def _(exchange: Exchange) -> None:
    exchange.send(exchange.complete(), length=20)


@behaviour("bad_chunk")
async def _(exchange: Exchange) -> None:
    exchange.writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZZ\r\nnot a chunk")
    exchange.writer.close()


@behaviour("not_http")
async def _(exchange: Exchange) -> None:
    exchange.writer.write(b"SSH-2.0-OpenSSH_9.6\r\n")
    exchange.writer.close()


@behaviour("huge_header")
async def _(exchange: Exchange) -> None:
    exchange.send(exchange.complete(), "200 OK", "X-Long: " + "x" * 2**20)


@behaviour("many_headers")
async def _(exchange: Exchange) -> None:
    exchange.send(exchange.complete(), "200 OK", *(f"X-{n}: {'y' * 200}" for n in range(20_000)))


@behaviour("cookies")
async def _(exchange: Exchange) -> None:
    exchange.send(exchange.complete(), "200 OK", "Set-Cookie: session=" + "c" * 3000)


@behaviour("informational_first")
async def _(exchange: Exchange) -> None:
    exchange.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    exchange.send(exchange.complete())


@behaviour("hang")
async def _(exchange: Exchange) -> None:
    await asyncio.sleep(3600)


@behaviour("drip")
async def _(exchange: Exchange) -> None:
    exchange.writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    for _ in range(3600):
        exchange.writer.write(b" ")
        await asyncio.sleep(0.2)


@behaviour("proper")
async def _(exchange: Exchange) -> None:
    exchange.send(exchange.complete())


class MisbehavingServer:
    """One misbehaviour after `after` good answers, for `times` requests or `seconds` seconds, then good again."""

    def __init__(
        self,
        name: str,
        *,
        after: int = 0,
        times: int | None = None,
        seconds: float | None = None,
        latency: float = 0.0,
        elsewhere: str = "http://127.0.0.1:9/v1",
        model: str = "m",
    ) -> None:
        self.requests = 0
        self.misbehaved = 0
        self.received: list[tuple[float, bytes, bytes]] = []
        self.applies: Callable[[bytes], bool] = lambda body: True
        """Which requests are met by the misbehaviour."""
        if name == "gzip_bomb":
            _gzip_bomb()  # made before anybody waits for it
        self._behave = BEHAVIOURS[name]
        self._after, self._times, self._seconds = after, times, seconds
        self._latency, self._elsewhere, self._model = latency, elsewhere, model
        self._since: float | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._ready = threading.Event()

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(10)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()

    async def _serve(self) -> None:
        self._end = asyncio.Event()
        listening = await asyncio.start_server(self._attend, "127.0.0.1", 0, limit=2**26)
        self.base = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"
        self._ready.set()
        await self._end.wait()
        listening.close()

    async def _attend(self, reader: asyncio.StreamReader, writer: Writer) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(
                    (int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0
                )
                await self._respond(Exchange(self, writer, head, await reader.readexactly(length)))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            return  # the streams of asyncio complain about a cancelled handler
        finally:
            writer.close()

    async def _respond(self, exchange: Exchange) -> None:
        self.requests += 1
        self.received.append((time.monotonic(), exchange.head, exchange.body))
        is_due = self._is_due() and self.applies(exchange.body)
        self.misbehaved += is_due
        if self._latency:
            await asyncio.sleep(self._latency)
        if not is_due:
            exchange.send(exchange.complete(model=self._model))
            return
        before = exchange.send

        def send(body: bytes | str, status: str = "200 OK", *headers: str, length: int | None = None) -> None:
            before(body, status, *(line.replace("{elsewhere}", self._elsewhere) for line in headers), length=length)

        exchange.send = send  # type: ignore[method-assign]
        await self._behave(exchange)

    def _is_due(self) -> bool:
        if self.requests <= self._after:
            return False
        self._since = self._since or time.monotonic()
        is_over = self._times is not None and self.misbehaved >= self._times
        return not is_over and (self._seconds is None or time.monotonic() - self._since < self._seconds)
