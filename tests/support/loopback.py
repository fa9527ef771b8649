"""A real HTTP server on loopback that answers like an OpenAI-compatible one, and misbehaves at set rates.

Run as a program it prints its port and serves until it is ended. The answer to a question follows from the question
alone, so that a test can tell whether each reply reached the sample it belongs to. A request is one line of the log.
Switches make it a reasoning model (`--reasoning`), one that calls tools (`--calls`), one that refuses settings
(`--refuse`), and one whose streams break (`--broken-streams`).
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import random
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

FAULTS = ("rate_limit", "server_error", "reset", "hang", "half_body", "malformed", "empty_choices")
_QUESTION = re.compile(rb"Question: (.*?) \(True/False\)")


def answer_to(question: str) -> str:
    """True or False, by the question's hash."""
    return str(hashlib.sha256(question.encode()).digest()[0] % 2 == 0)


def seed_in(body: bytes) -> int | None:
    """The sampling seed that a request carries."""
    seed: int | None = json.loads(body).get("seed")
    return seed


def drawn_answer(question: str, draw: object) -> str:
    """A reply drawn by seed or number: True, False or, in an eighth of the draws, nothing that can be read."""
    byte = hashlib.sha256(f"{question}/{draw}".encode()).digest()[0]
    return "?" if byte % 8 == 0 else str(byte % 8 < 5)


def question_in(body: bytes) -> str:
    """The question that a request asks."""
    found = _QUESTION.search(body)
    return json.loads(b'"' + found.group(1) + b'"') if found else ""


class Server:
    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.rates: dict[str, float] = json.loads(args.faults)
        self.chance = random.Random(args.seed)
        self.log = Path(args.log).open("a", buffering=1) if args.log else None  # noqa: SIM115  # until the end
        self.bodies = Path(args.bodies).open("a", buffering=1) if args.bodies else None  # noqa: SIM115  # until the end
        self.streams = 0
        self.asked: Counter[str] = Counter()
        self.fixed = self.encode(200, completion("True")) if args.bare else b""

    def encode(self, status: int, body: bytes, extra: str = "") -> bytes:
        head = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n{extra}\r\n"
        return head.encode() + body

    def pick(self) -> str:
        at, point = 0.0, self.chance.random()
        for fault, rate in self.rates.items():
            at += rate
            if point < at:
                return fault
        return "answer"

    async def respond(self, head: bytes, body: bytes, connection: Connection) -> None:
        question = question_in(body)
        outcome = self.pick()
        self.asked[question] += 1
        seed = seed_in(body) if self.args.draws else None
        draw = self.asked[question] if seed is None else seed
        status = self.args.status
        if self.args.key and f"authorization: bearer {self.args.key}".encode() not in head.lower():
            status = 401
        if self.log:
            line = [question, status or outcome, *([seed] if self.args.draws else [])]
            print(json.dumps(line), file=self.log)
        while self.args.hold and not Path(self.args.hold).exists():  # noqa: ASYNC110, ASYNC240  # a file of another process
            await asyncio.sleep(0.01)
        if self.args.latency:
            await asyncio.sleep(self.args.latency * (0.5 + self.chance.random()))
        if status:
            shown = head.decode(errors="replace") if self.args.echo else "no"
            connection.write(self.encode(status, json.dumps({"error": {"message": shown}}).encode()))
            return
        request = json.loads(body) if body.startswith(b"{") else {}
        if self.bodies:
            print(json.dumps(without_pictures(request)), file=self.bodies)
        for name in filter(None, self.args.refuse.split(",")):
            if name in request:
                connection.write(self.encode(400, refusal(name)))
                return
        match outcome:
            case "answer":
                text = drawn_answer(question, draw) if self.args.draws else self.args.reply or answer_to(question)
                reply = self.make_reply(request, text)
                if request.get("stream"):
                    await self.stream(reply, request, connection)
                else:
                    connection.write(self.encode(200, json.dumps(reply).encode()))
            case "rate_limit":
                connection.write(self.encode(429, b'{"error":{"message":"slow down"}}', "Retry-After: 0.05\r\n"))
            case "server_error":
                connection.write(self.encode(500, b"<html>oops</html>"))
            case "reset":
                connection.transport.abort()
            case "hang":
                await asyncio.sleep(self.args.hang)
            case "half_body":
                whole = self.encode(200, completion(answer_to(question)))
                connection.write(whole[: len(whole) - 40])
                connection.transport.close()
            case "malformed":
                connection.write(self.encode(200, b'{"choices": [{"message": {"content": "Tr'))
            case "empty_choices":
                connection.write(self.encode(200, b'{"choices": []}'))

    def make_reply(self, request: dict[str, Any], text: str) -> dict[str, Any]:
        """A completion as the switches want it."""
        message: dict[str, Any] = {"role": "assistant", "content": text}
        results = sum(message["role"] == "tool" for message in request.get("messages", ()))
        finish = self.args.finish
        wanted = json.loads(self.args.calls or "[]")
        if self.args.one_call:
            wanted = wanted[results : results + 1]
        elif results:
            wanted = []
        if wanted and request.get("tools"):
            calls = [
                {
                    "id": f"call_{k}",
                    "type": "function",
                    "function": {"name": name, "arguments": json.dumps(arguments)},
                }
                for k, (name, arguments) in enumerate(wanted, results)
            ]
            message, finish = {"role": "assistant", "content": None, "tool_calls": calls}, "tool_calls"
        usage: dict[str, Any] = {"prompt_tokens": 100, "completion_tokens": 2}
        if self.args.reasoning:
            message |= REASONING[self.args.reasoning](text)
            usage = {"prompt_tokens": 100, "completion_tokens": 52}
            usage["completion_tokens_details"] = {"reasoning_tokens": 50}
        return {"choices": [{"message": message, "finish_reason": finish}], "usage": usage}

    async def stream(self, reply: dict[str, Any], request: dict[str, Any], connection: Connection) -> None:
        """The completion as server-sent events; the first streams break off where that is wanted."""
        self.streams += 1
        connection.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        events = stream_events(reply, bool((request.get("stream_options") or {}).get("include_usage")))
        broken = self.args.broken_streams if self.streams <= self.args.broken_count else ""
        if broken:
            events = events[: len(events) // 2]
        if broken == "error":
            events.append({"error": {"message": "the engine died", "code": 500}})
        for event in events:
            await asyncio.sleep(self.args.event_delay)
            connection.write_chunk(b"data: " + json.dumps(event).encode() + b"\r\n\r\n")
        if broken == "reset":
            connection.transport.abort()
            return
        if not broken:
            connection.write_chunk(b": a comment\n\ndata: [DONE]\n\n")
        connection.write(b"0\r\n\r\n")


THOUGHT = "Is it False? No, wait: False would be too easy."
"""What a reasoning model thinks; whoever grades it gets another answer than the reply's."""
REASONING = {
    "reasoning_content": lambda text: {"reasoning_content": THOUGHT},
    "reasoning": lambda text: {"reasoning": THOUGHT},
    "details": lambda text: {"reasoning_details": [{"type": "reasoning.text", "text": THOUGHT}]},
    "blocks": lambda text: {"content": [{"type": "thinking", "thinking": THOUGHT}, {"type": "text", "text": text}]},
    "nested": lambda text: {
        "content": [
            {"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]},
            {"type": "text", "text": text},
        ]
    },
    "tags": lambda text: {"content": f"<think>{THOUGHT}</think>{text}"},
    "end_tag": lambda text: {"content": f"{THOUGHT}</think>{text}"},
    "unfinished": lambda text: {"content": f"<think>{THOUGHT} {text}"},
}


def refusal(name: str) -> bytes:
    message = f"Unsupported parameter: '{name}' is not supported with this model."
    if name == "tools":
        message = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
    if name == "max_tokens":
        message += " Use 'max_completion_tokens' instead."
    return json.dumps({"error": {"message": message, "param": name, "code": "unsupported_parameter"}}).encode()


def without_pictures(request: dict[str, Any]) -> dict[str, Any]:
    """A request whose parts that are no text are named by their type only."""

    def shorten(content: Any) -> Any:
        if not isinstance(content, list):
            return content
        return [part if part.get("type") == "text" else part.get("type") for part in content]

    messages = [{**message, "content": shorten(message.get("content"))} for message in request.get("messages", ())]
    return {**request, "messages": messages}


def stream_events(reply: dict[str, Any], with_usage: bool) -> list[dict[str, Any]]:
    """The events of a stream: thinking, text and tool calls in pieces, the reason of the end, the usage."""
    choice = reply["choices"][0]
    message = choice["message"]
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    for name in ("reasoning_content", "reasoning", "content"):
        text = message.get(name) or ""
        assert isinstance(text, str), "blocks are not streamed"
        deltas += [{name: text[at : at + 2]} for at in range(0, len(text), 2)]
    for index, call in enumerate(message.get("tool_calls", ())):
        function = call["function"]
        deltas.append({"tool_calls": [{"index": index, **call, "function": {**function, "arguments": ""}}]})
        pieces = [function["arguments"][at : at + 5] for at in range(0, len(function["arguments"]), 5)]
        deltas += [{"tool_calls": [{"index": index, "function": {"arguments": piece}}]} for piece in pieces]
    events = [{"model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]})
    return [*events, {"choices": [], "usage": reply["usage"]}] if with_usage else events


def completion(text: str) -> bytes:
    message = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return json.dumps({"choices": [message], "usage": {"prompt_tokens": 100, "completion_tokens": 2}}).encode()


class Connection(asyncio.Protocol):
    """HTTP/1.1 with keep-alive, one request after the other."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.parts: list[bytes] = []
        self.size = 0
        self.need = -1

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: asyncio.Transport = transport  # type: ignore[assignment]

    def write(self, data: bytes) -> None:
        if not self.transport.is_closing():
            self.transport.write(data)

    def write_chunk(self, data: bytes) -> None:
        self.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def data_received(self, data: bytes) -> None:
        self.parts.append(data)
        self.size += len(data)
        if self.need < 0:
            start = b"".join(self.parts)
            end = start.find(b"\r\n\r\n")
            if end < 0:
                return
            length = re.search(rb"content-length: (\d+)", start[:end], re.IGNORECASE)
            self.head_size = end + 4
            self.need = self.head_size + (int(length.group(1)) if length else 0)
        if self.size >= self.need:
            if self.server.fixed:
                self.transport.write(self.server.fixed)
            else:
                whole = b"".join(self.parts)
                request = self.server.respond(whole[: self.head_size], whole[self.head_size : self.need], self)
                self.task = asyncio.ensure_future(request)
            self.parts, self.size, self.need = [], 0, -1


async def serve(args: argparse.Namespace) -> None:
    server = Server(args)
    listening = await asyncio.get_running_loop().create_server(lambda: Connection(server), "127.0.0.1", args.port)
    print(listening.sockets[0].getsockname()[1], flush=True)
    await listening.serve_forever()


def make_parser() -> argparse.ArgumentParser:
    """The switches of the server."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--faults", default="{}", help=f"rates of {', '.join(FAULTS)} as JSON")
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--hold", default="", help="answer nothing until this file is there")
    parser.add_argument("--hang", type=float, default=3600.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--log", default="")
    parser.add_argument("--reply", default="", help="answer this to everything")
    parser.add_argument("--draws", action="store_true", help="answer by the seed of a request, or by its number")
    parser.add_argument("--status", type=int, default=0, help="answer every request with this status")
    parser.add_argument("--key", default="", help="refuse requests without this key")
    parser.add_argument("--echo", action="store_true", help="repeat the request's headers in error messages")
    parser.add_argument("--bodies", default="", help="write the bodies of requests to this file, without pictures")
    parser.add_argument("--refuse", default="", help="settings that are refused with 400, joined by commas")
    parser.add_argument("--reasoning", default="", choices=("", *REASONING), help="think before every answer")
    parser.add_argument("--finish", default="stop", help="the finish_reason of every answer")
    parser.add_argument("--calls", default="", help="calls of tools as JSON, made wherever tools are offered")
    parser.add_argument("--one-call", action="store_true", help="make one call a turn")
    parser.add_argument("--broken-streams", default="", choices=("", "reset", "end", "error"))
    parser.add_argument("--broken-count", type=int, default=10**9, help="how many streams break")
    parser.add_argument("--event-delay", type=float, default=0.0, help="seconds before each event of a stream")
    parser.add_argument("--bare", action="store_true", help="answer at once without looking, for benchmarks")
    return parser


def main() -> None:
    try:
        asyncio.run(serve(make_parser().parse_args()))
    except KeyboardInterrupt:
        sys.exit(0)


if __name__ == "__main__":
    main()
