"""The OpenAI chat completions format: serialization of requests, parsing of responses and errors."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from sightline.core.errors import AskError, RejectedError, TryAgainError
from sightline.core.records import Media, Message, Picture, Prompt, Reply, Stop, Text, ToolCall, token_count
from sightline.core.thinking import split_thinking
from sightline.data.media import data_uri, load_text
from sightline.data.pictures import DEFAULT, PictureSettings, prepare_picture
from sightline.i18n.printable import printable

BATCH_ENDPOINT = "/v1/chat/completions"
"""The endpoint that the Batch API requires in each request, whatever the base URL."""
_encoder = msgspec.json.Encoder()


class EncodedRequest(Struct, frozen=True):
    """The JSON body of a request, and the images in it."""

    body: bytes
    pictures: tuple[Picture, ...]


def encode_request(
    prompt: Prompt, settings: Mapping[str, Any], images: PictureSettings = DEFAULT, inline: bool = False
) -> EncodedRequest:
    """The JSON body of a request. Images are inserted verbatim, since base64 needs no escaping.

    With `inline`, an image that has to be decoded raises `NeedsDecoding`.
    """
    encoder = _PartEncoder(images, inline)
    body = {**settings, "messages": [_encode_message(message, encoder) for message in prompt.messages]}
    if prompt.tools:  # behind the messages, see `sent_settings`
        body["tools"] = [{"type": "function", "function": tool} for tool in prompt.tools]
    return EncodedRequest(_encoder.encode(body), tuple(encoder.pictures))


_NAME = re.compile(rb'"(\w+)":')


def sent_settings(body: bytes) -> set[str]:
    """The names of the settings in the body of a request, which stand before its messages."""
    names = {name.decode() for name in _NAME.findall(body.partition(b'"messages":[')[0])}
    # no text can contain this, since quotes in texts are escaped
    return names | {"tools"} if b'"tools":[{"type":"function","function":{' in body else names


class _PartEncoder:
    """Encodes parts of messages and collects the images that it has encoded."""

    def __init__(self, images: PictureSettings, inline: bool) -> None:
        self._images, self._inline = images, inline
        self.pictures: list[Picture] = []

    def encode(self, part: Text | Media) -> dict[str, Any]:
        if isinstance(part, Text) or part.kind == "text":
            return {"type": "text", "text": _text(part)}
        if part.kind == "video":
            return {"type": "video_url", "video_url": {"url": _json_string(data_uri(part))}}
        prepared = prepare_picture(part, self._images, self._inline)
        self.pictures.append(prepared.picture)
        detail = {"detail": self._images.detail} if self._images.detail else {}
        url = Raw(b"".join((b'"', *prepared.uri_parts, b'"')))
        return {"type": "image_url", "image_url": {"url": url, **detail}}


def _encode_message(message: Message, encoder: _PartEncoder) -> dict[str, Any]:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.call_id, "content": "\n\n".join(map(_text, message.parts))}
    if message.tool_calls:
        calls = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
        text = "\n\n".join(map(_text, message.parts))
        return {"role": message.role, "content": text or None, "tool_calls": calls}
    if all(isinstance(part, Text) or part.kind == "text" for part in message.parts):
        # a single string: servers of text-only models accept nothing else
        return {"role": message.role, "content": "\n\n".join(map(_text, message.parts))}
    return {"role": message.role, "content": list(map(encoder.encode, message.parts))}


def _text(part: Text | Media) -> str:
    return part.text if isinstance(part, Text) else load_text(part)


_ESCAPED = bytes(range(32)) + b'"\\\x7f'
"""What does not stand in a JSON string as it is, or need not."""


def _json_string(ascii_text: bytes) -> Raw | str:
    """A JSON string, inserted verbatim if nothing needs escaping, as in valid base64; a dataset may hold anything."""
    # deleting bytes is several times as fast as a regular expression
    if not ascii_text.isascii() or len(ascii_text.translate(None, _ESCAPED)) < len(ascii_text):
        return ascii_text.decode(errors="replace")
    return Raw(b'"' + ascii_text + b'"')


class _Response(Struct):
    """The relevant fields of a completion. Types are checked one by one, so that an odd one does not lose the reply."""

    choices: Any = None
    usage: Raw = Raw(b"null")
    error: Any = None
    model: Any = None
    object: Any = None
    code: Any = None


_decoder = msgspec.json.Decoder(_Response)
_STOPS: dict[str, Stop] = {
    **dict.fromkeys(("length", "max_tokens", "max_output_tokens", "model_length"), "truncated"),
    **dict.fromkeys(("content_filter", "safety", "sensitive"), "refused"),
}
"""By the finish reason: OpenAI, Mistral (`model_length`), Gemini, Zhipu (`sensitive`)."""
_BROKEN_OFF = frozenset(
    {"error", "abort", "aborted", "cancelled", "canceled", "insufficient_system_resource", "network_error"}
)
"""Finish reasons of replies that are no whole ones, and no fault of the model: gateways, vLLM, DeepSeek, Zhipu."""


def parse_response(body: bytes) -> Reply:
    """The reply in the body of a 200 response; a body without one is a server error, which is retried."""
    response = _decode(body)
    if response.error:
        raise _error_in_body(response.error, error_text(body))
    choice = response.choices[0] if isinstance(response.choices, list) and response.choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if isinstance(choice, dict) and choice.get("error"):
        raise _error_in_body(choice["error"], error_text(_encoder.encode(choice)))
    if choice is None and response.object == "error":  # the form of early versions of vLLM
        raise _error_in_body({"code": response.code}, error_text(body))
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise TryAgainError("The response contains no choices.", kind="malformed")
    message_refusal, reason = message.get("refusal"), choice.get("finish_reason")
    refusal = message_refusal if isinstance(message_refusal, str) else ""
    reason = reason.lower() if isinstance(reason, str) else ""
    if reason in _BROKEN_OFF:
        raise TryAgainError("The server broke the reply off: {why}", kind="reset", why=reason)
    stop = _STOPS.get(reason, "complete")
    usage = _parse_usage(response.usage)
    text, thinking, is_unfinished = split_thinking(_join_content(message.get("content")))
    if is_unfinished and stop == "complete":
        stop = "truncated"  # it ended in the middle of its thoughts, whatever the server says
    tokens_in, tokens_out, tokens_reasoning = _count_tokens(usage)
    return Reply(
        text=text or refusal,
        stop="refused" if refusal else stop,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        model=printable(response.model, 200) if isinstance(response.model, str) else "",
        reasoning=_join_reasoning(message) + thinking,
        tokens_reasoning=tokens_reasoning,
        tool_calls=_parse_tool_calls(message),
    )


_MAX_CALLS = 1000


def _parse_tool_calls(message: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    """The native tool calls of a message, also in the old form `function_call`; what is no call is left out."""
    listed = message.get("tool_calls")
    entries = listed if isinstance(listed, list) else [{"function": message.get("function_call")}]
    calls = []
    for number, entry in enumerate(entries[:_MAX_CALLS]):
        function = entry.get("function") if isinstance(entry, dict) else None
        name = function.get("name") if isinstance(function, dict) else None
        if not isinstance(function, dict) or not isinstance(name, str) or not name:
            continue
        arguments = function.get("arguments", "")
        if not isinstance(arguments, str):
            arguments = json.dumps(arguments, ensure_ascii=False)
        call_id = entry.get("id")
        calls.append(
            ToolCall(
                name=name, arguments=arguments, id=call_id if isinstance(call_id, str) and call_id else f"call_{number}"
            )
        )
    return tuple(calls)


_ERROR_NAMES = ((re.compile("rate.?limit", re.IGNORECASE), 429), (re.compile("overloaded", re.IGNORECASE), 503))
"""HTTP statuses of errors that have a name for a code."""


def _error_in_body(error: Any, why: str) -> AskError:
    """The error that a 200 response contains; a code in it is an HTTP status as gateways pass it on."""
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, str) and re.fullmatch("[45][0-9][0-9]", code):
        code = int(code)
    if not isinstance(code, int):
        names = f"{code} {error.get('type')}" if isinstance(error, dict) else ""
        code = next((status for pattern, status in _ERROR_NAMES if pattern.search(names[:200])), 500)
    status = code if 400 <= code < 600 else 500
    kind = error_of_status(status, why)
    if isinstance(kind, RejectedError):
        return RejectedError("The server returned an error: {why}", kind=kind.kind, why=why)
    return TryAgainError("The server returned an error: {why}", kind=kind.kind, why=why)


def _decode(body: bytes) -> _Response:
    try:
        try:
            return _decoder.decode(body.removeprefix(codecs.BOM_UTF8))
        except msgspec.DecodeError:
            # Python's `json` accepts what msgspec rejects: NaN among the token counts, or a lone surrogate, where the
            # text of a model was cut inside a character
            values = join_surrogates(json.loads(body.removeprefix(codecs.BOM_UTF8)))
            usage = json.dumps(values.pop("usage", None)).encode() if isinstance(values, dict) else b"null"
            return replace(msgspec.convert(values, _Response), usage=Raw(usage))
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError, RecursionError) as error:
        if body.lstrip()[:1] == b"<":  # a page of a proxy or of another service
            start = printable(body[:300].decode("utf-8", "replace"), 80)
            raise TryAgainError("The response is a web page, not JSON: {start}", "malformed", start=start) from None
        raise TryAgainError("Cannot parse the response: {why}", kind="malformed", why=error) from None


def join_surrogates(value: Any) -> Any:
    """A value of JSON with pairs of surrogates joined to characters, and lone ones replaced."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [join_surrogates(part) for part in value]
    if isinstance(value, dict):
        return {join_surrogates(key): join_surrogates(part) for key, part in value.items()}
    return value


def _parse_usage(raw: Raw) -> dict[str, Any]:
    """The token counts; empty if they can't be parsed."""
    try:
        usage = json.loads(bytes(raw))
    except (ValueError, RecursionError):  # also more digits than Python converts
        return {}
    return usage if isinstance(usage, dict) else {}


def _count_tokens(usage: Mapping[str, Any]) -> tuple[int | None, int | None, int]:
    """Tokens of prompt, of the whole reply and of its thinking; None where the server does not count them.

    Some servers count the thinking in `completion_tokens`, others beside it; the total tells which.
    """
    tokens_in, tokens_out = (token_count(usage.get(name)) for name in ("prompt_tokens", "completion_tokens"))
    details = usage.get("completion_tokens_details")
    thinking = details.get("reasoning_tokens") if isinstance(details, dict) else usage.get("reasoning_tokens")
    reasoning = token_count(thinking) or 0
    if tokens_out is None:
        return tokens_in, None, 0
    if reasoning and token_count(usage.get("total_tokens")) == (tokens_in or 0) + tokens_out + reasoning:
        tokens_out += reasoning
    return tokens_in, tokens_out, min(reasoning, tokens_out)


_THINKING_TYPE = re.compile("think|reason|thought", re.IGNORECASE)


def _is_thinking(part: Mapping[str, Any]) -> bool:
    """Whether a part of a content is thinking: `thinking`, `redacted_thinking`, `reasoning_text` …, Gemini's mark."""
    kind = part.get("type")
    return part.get("thought") is True or (isinstance(kind, str) and _THINKING_TYPE.search(kind[:50]) is not None)


def _join_content(content: Any) -> str:
    """The text of a message without its thinking; some servers give the content as a list of parts."""
    if isinstance(content, list):
        parts = (part for part in content if isinstance(part, dict) and not _is_thinking(part))
        return "".join(text for part in parts if isinstance(text := part.get("text"), str))
    return content if isinstance(content, str) else ""


def _join_reasoning(message: Mapping[str, Any]) -> str:
    """The thinking of a message: `reasoning_content` or `reasoning`, else the thinking parts of its content."""
    for name in ("reasoning_content", "reasoning", "thinking", "reasoning_details"):
        if text := _join_thinking(message.get(name)):
            return text
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    return _join_thinking([part for part in parts if isinstance(part, dict) and _is_thinking(part)])


def _join_thinking(value: Any, depth: int = 0) -> str:
    """The texts in a thinking block, which servers nest in various ways."""
    if isinstance(value, str):
        return value
    if depth > 4:
        return ""
    if isinstance(value, list):
        return "".join(_join_thinking(part, depth + 1) for part in value)
    if isinstance(value, dict):
        names = ("thinking", "reasoning", "text", "summary", "content")
        return next((text for name in names if (text := _join_thinking(value.get(name), depth + 1))), "")
    return ""


_KINDS = {
    408: "timeout",
    429: "rate_limited",
    502: "overloaded",  # a gateway whose server is starting or gone
    503: "overloaded",
    504: "timeout",  # of a gateway: a long reply of one sample, or the server
    529: "overloaded",
}
_error_decoder = msgspec.json.Decoder(dict[str, Any])
_QUOTA_EXHAUSTED = re.compile(
    r"insufficient[_ ](quota|balance|credit|fund)|exceeded your current quota|credit balance"
    r"|quota.{0,20}exhausted|account.{0,20}(deactivated|suspended)|余额不足|欠费|额度(已)?用(完|尽)",
    re.IGNORECASE,
)
"""Messages of servers with status 429 for an exhausted quota, where waiting does not help."""
_RETRY_HINT = re.compile(
    r"retry (in|after)|try again in|per[ -]minute|per[ -]second|retryDelay|每分钟|稍后", re.IGNORECASE
)


def is_quota_exhausted(content: bytes) -> bool:
    """Whether an error response reports an exhausted quota or balance, without a time to retry."""
    code = ""
    try:
        error = _error_decoder.decode(content).get("error")
        code = f"{error.get('code')} {error.get('type')}" if isinstance(error, dict) else ""
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    text = f"{code} {error_text(content, 2000)}"
    return _QUOTA_EXHAUSTED.search(text) is not None and _RETRY_HINT.search(text) is None


def error_of_status(status: int, why: str, after: float | None = None) -> AskError:
    """The error for an HTTP status other than 200: retryable or rejected."""
    if status in (408, 409, 425, 429) or status >= 500:
        kind = _KINDS.get(status, "server_error")
        return TryAgainError("HTTP {status}: {why}", kind=kind, after=after, status=status, why=why)
    return RejectedError("HTTP {status}: {why}", kind="rejected", status=status, why=why)


def error_text(body: bytes, longest: int = 300) -> str:
    """The message of an error response in one line, without terminal control characters."""
    try:
        fields = _error_decoder.decode(body)
        error = fields.get("error", fields)
        text = str(error.get("message", error) if isinstance(error, dict) else fields.get("message", error))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        text = body[: 4 * longest].decode(errors="replace")
    return printable(text[: 16 * longest], longest)
