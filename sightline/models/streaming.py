"""Streamed replies: server-sent events (SSE) of a chat completion, assembled into an ordinary response.

A stream that ends without a finish reason or `[DONE]` is broken: its reply is requested again and never graded.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from time import monotonic
from typing import Any

import msgspec

from sightline.core.errors import RejectedError, TryAgainError
from sightline.models.chat_format import join_surrogates

_DONE = b"[DONE]"
_MAX_CALLS = 1000
_decoder = msgspec.json.Decoder(dict[str, Any])
_encoder = msgspec.json.Encoder()


async def read_stream(blocks: AsyncIterator[bytes], max_bytes: int, started: float) -> tuple[bytes, float]:
    """The body of the equivalent response, and the seconds from `started` to the first token (0 if there was none)."""
    assembler = _Assembler(started)
    size = 0
    rest: list[bytes] = []  # the beginning of a line, in pieces
    data: list[bytes] = []
    async for block in blocks:
        size += len(block)
        if size > max_bytes:
            raise RejectedError(
                "The response is longer than {count} bytes (--max-reply-bytes).",
                kind="too_large",
                count=f"{max_bytes:,}",
            )
        if b"\n" not in block:
            rest.append(block)
            continue
        *lines, end = b"".join([*rest, block]).split(b"\n")
        rest = [end]
        for line in lines:
            line = line.rstrip(b"\r")
            if line.startswith(b"data:"):
                data.append(line[5:].strip())
            elif not line and data:
                assembler.add(b"\n".join(data))
                data.clear()
    if (line := b"".join(rest)).startswith(b"data:"):
        data.append(line[5:].strip())
    if data:
        assembler.add(b"\n".join(data))
    return assembler.body(), assembler.first_token


class _Assembler:
    """Puts the events of a stream together."""

    def __init__(self, started: float) -> None:
        self.first_token = 0.0
        self._started = started
        self._is_done = False
        self._texts: dict[str, list[str]] = {}
        self._parts: list[Any] = []
        self._calls: dict[int, list[dict[str, Any]]] = {}
        """Calls by index; some servers give all calls the same one."""
        self._call_count = 0
        self._finish: str | None = None
        self._fields: dict[str, Any] = {}
        self._error: bytes = b""
        self._has_halves = False
        """Whether a text may contain surrogates, the halves of a character."""

    def add(self, data: bytes) -> None:
        """Take one event into account; the first error ends the reply."""
        if data == _DONE:
            self._is_done = True
            return
        event = self._decode(data)
        if event.get("error") or event.get("object") == "error":
            self._error = self._error or data
        for name in ("model", "usage"):
            if event.get(name) is not None:
                self._fields[name] = event[name]
        choices = event.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if isinstance(choice, dict):
            self._add_choice(choice, data)

    def _decode(self, data: bytes) -> dict[str, Any]:
        try:
            try:
                return _decoder.decode(data)
            except msgspec.DecodeError:
                # servers that stream token by token may split the two escapes of a character (\ud83d, \ude00) over
                # two events; msgspec rejects the halves, Python's `json` accepts them
                event = json.loads(data)
                if not isinstance(event, dict):
                    raise
                self._has_halves = True
                return event
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            raise TryAgainError("Cannot parse the response: {why}", kind="malformed", why=error) from None

    def _add_choice(self, choice: dict[str, Any], data: bytes) -> None:
        if choice.get("error"):
            self._error = self._error or self._encode({"error": choice["error"]})
        if isinstance(reason := choice.get("finish_reason"), str):
            self._finish = reason
        delta = choice.get("delta")
        if not isinstance(delta, dict):
            return
        has_token = False
        for name in ("content", "reasoning_content", "reasoning", "refusal"):
            piece = delta.get(name)
            if isinstance(piece, str) and piece:
                self._texts.setdefault(name, []).append(piece)
                has_token = True
            elif isinstance(piece, list) and name == "content":
                self._parts += piece
                has_token = True
        calls = delta.get("tool_calls")
        for position, call in enumerate(calls if isinstance(calls, list) else ()):
            if isinstance(call, dict):
                self._add_call(position, call)
                has_token = True
        if isinstance(function := delta.get("function_call"), dict):  # the old form of a call
            self._add_call(0, {"function": function})
            has_token = True
        if has_token and not self.first_token:
            self.first_token = monotonic() - self._started

    def _add_call(self, position: int, piece: dict[str, Any]) -> None:
        index = piece.get("index")
        index = index if isinstance(index, int) else position
        function = piece.get("function")
        fields = function if isinstance(function, dict) else {}
        call_id = piece.get("id") if isinstance(piece.get("id"), str) else ""
        calls = self._calls.get(index, [])
        # an id alone begins no call: some servers give every piece another one
        if not calls or (call_id and calls[-1]["id"] not in ("", call_id) and fields.get("name")):
            if self._call_count >= _MAX_CALLS:
                return
            self._call_count += 1
            calls = self._calls.setdefault(index, calls)
            calls.append({"id": "", "type": "function", "function": {"name": [], "arguments": []}})
        calls[-1]["id"] = call_id or calls[-1]["id"]
        for name in ("name", "arguments"):
            if isinstance(text := fields.get(name), str):
                calls[-1]["function"][name].append(text)

    def body(self) -> bytes:
        """The body of the response that would not stream; raises where the stream broke off."""
        if self._error:
            return self._error
        if self._finish is None and not self._is_done:
            raise TryAgainError("The stream broke off before the end of the reply.", kind="reset")
        message: dict[str, Any] = {name: "".join(pieces) for name, pieces in self._texts.items()}
        if self._parts:
            text = message.get("content")
            message["content"] = [*self._parts, *([{"type": "text", "text": text}] if text else [])]
        if self._calls:
            calls = [call for _, same_index in sorted(self._calls.items()) for call in same_index]
            for call in calls:
                call["function"] = {name: "".join(pieces) for name, pieces in call["function"].items()}
            message["tool_calls"] = calls
        choice = {"message": message, "finish_reason": self._finish}
        body = {"choices": [choice], **self._fields}
        return self._encode(body)

    def _encode(self, value: Any) -> bytes:
        try:
            return _encoder.encode(join_surrogates(value) if self._has_halves else value)
        except RecursionError as error:  # joining takes more of the stack than decoding
            raise TryAgainError("Cannot parse the response: {why}", kind="malformed", why=error) from None
