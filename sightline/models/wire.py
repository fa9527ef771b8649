"""The OpenAI chat format: a prompt to the bytes of a request, the bytes of a response to a reply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Raw, Struct

from sightline.errors import AskError, RejectedError, TryAgainError
from sightline.records import Media, Message, Prompt, Reply, Text
from sightline.sources.media import data_uri, load_text

BATCH_ENDPOINT = "/v1/chat/completions"
"""What a batch names as the place of its requests, wherever the server itself is."""
_encoder = msgspec.json.Encoder()


def request_body(prompt: Prompt, settings: Mapping[str, Any]) -> bytes:
    """The JSON of a request. Pictures are spliced in as they are: base64 needs no escaping, so none is looked for."""
    return _encoder.encode({**settings, "messages": [_message(message) for message in prompt.messages]})


def _message(message: Message) -> dict[str, Any]:
    if all(isinstance(part, Text) or part.kind == "text" for part in message.parts):
        # one string: servers of models without eyes take nothing else
        return {"role": message.role, "content": "\n\n".join(map(_words, message.parts))}
    return {"role": message.role, "content": [_part(part) for part in message.parts]}


def _part(part: Text | Media) -> dict[str, Any]:
    if isinstance(part, Text) or part.kind == "text":
        return {"type": "text", "text": _words(part)}
    name = "video_url" if part.kind == "video" else "image_url"
    return {"type": name, name: {"url": _json_string(data_uri(part))}}


def _words(part: Text | Media) -> str:
    return part.text if isinstance(part, Text) else load_text(part)


def _json_string(ascii_text: bytes) -> Raw | str:
    """Verbatim where nothing needs escaping, as in all honest base64; a data set may hold anything."""
    if b'"' in ascii_text or b"\\" in ascii_text or not ascii_text.isascii() or b"\n" in ascii_text:
        return ascii_text.decode(errors="replace")
    return Raw(b'"' + ascii_text + b'"')


class _Message(Struct):
    content: Any = None
    refusal: str | None = None


class _Choice(Struct):
    message: _Message
    finish_reason: str | None = None


class _Usage(Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Error(Struct):
    message: Any = ""


class _Response(Struct):
    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    error: _Error | str | None = None


_decoder = msgspec.json.Decoder(_Response)
_error_decoder = msgspec.json.Decoder(dict[str, Any])
_STOPS: dict[str, str] = {"length": "truncated", "max_tokens": "truncated", "content_filter": "refused"}


def read_response(body: bytes) -> Reply:
    """The reply in a 200 response; a body that holds none is a fault of the server and worth another try."""
    try:
        response = _decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise TryAgainError("The server's answer can't be read: {why}", kind="malformed", why=error) from None
    if response.error:
        raise TryAgainError("The server answered with an error: {why}", kind="server_error", why=error_text(body))
    if not response.choices:
        raise TryAgainError("The server's answer holds no choice.", kind="malformed")
    choice, usage = response.choices[0], response.usage or _Usage()
    stop = "refused" if choice.message.refusal else _STOPS.get(choice.finish_reason or "", "complete")
    return msgspec.convert(
        {
            "text": _flat(choice.message.content) or choice.message.refusal or "",
            "stop": stop,
            "tokens_in": usage.prompt_tokens or 0,
            "tokens_out": usage.completion_tokens or 0,
        },
        Reply,
    )


def _flat(content: Any) -> str:
    """Some servers give the content as a list of parts."""
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


_KINDS = {408: "timeout", 429: "rate_limited", 503: "overloaded", 529: "overloaded"}


def explain(status: int, content: bytes, after: float | None = None) -> AskError:
    """What a status other than 200 means for one request: worth another try, or refused."""
    why = error_text(content) or "–"
    if status in (408, 409, 425, 429) or status >= 500:
        kind = _KINDS.get(status, "server_error")
        return TryAgainError("HTTP {status}: {why}", kind=kind, after=after, status=status, why=why)
    return RejectedError("HTTP {status}: {why}", kind="rejected", status=status, why=why)


def error_text(body: bytes, longest: int = 300) -> str:
    """What an error response says, in one line."""
    try:
        fields = _error_decoder.decode(body)
        error = fields.get("error", fields)
        text = error.get("message", error) if isinstance(error, dict) else fields.get("message", error)
    except (msgspec.DecodeError, UnicodeDecodeError):
        text = body[: 4 * longest].decode(errors="replace")
    line = " ".join(str(text).split())
    return line if len(line) <= longest else line[: longest - 1] + "…"
