"""Client for OpenAI-compatible chat completion servers, based on aiohttp."""

from __future__ import annotations

import asyncio
import math
import zlib
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any

import aiohttp
from msgspec.structs import replace

from sightline.core.config import RunConfig, thinking_budget
from sightline.core.errors import (
    ADJUSTED,
    AccessError,
    RejectedError,
    RunStoppedError,
    SightlineError,
    TryAgainError,
    local_shortage,
)
from sightline.core.interfaces import Request
from sightline.core.records import Message, Prompt, Reply, Text, format_tool_calls
from sightline.core.remarks import Remark
from sightline.core.secret_masking import digest_masked, mask_secrets, without_password
from sightline.data.pictures import NeedsDecoding, PictureSettings
from sightline.i18n.printable import printable
from sightline.models.chat_format import (
    EncodedRequest,
    encode_request,
    error_of_status,
    error_text,
    is_quota_exhausted,
    parse_response,
    sent_settings,
)
from sightline.models.endpoints import Endpoint, resolve_endpoints
from sightline.models.request_settings import (
    THINKING_FORMS,
    Adjustment,
    apply_adjustment,
    find_adjustment,
    find_refused,
    other_form,
    refuses_tools,
    request_settings,
)
from sightline.models.streaming import read_stream

_CHUNK = 2**16
_GZIP = 31
"""The `wbits` of zlib for the gzip format."""
_MAX_IDLE_SECONDS = 3.0
"""Idle time after which a connection is not used again: llama.cpp and uvicorn (vLLM) close theirs after 5 s, and a
request that meets the closing one is lost."""
MAX_ERROR_BYTES = 2**16
"""Maximum number of bytes read from an error response, of which only the beginning is shown."""


class OpenAIModel:
    """One model at one server. The API key is held in a `Secret` and revealed only in the request header."""

    def __init__(self, name: str, config: RunConfig, endpoint: Endpoint | None = None) -> None:
        self.name = name
        self._config = config
        all_endpoints = resolve_endpoints(config)
        self.endpoint = endpoint or all_endpoints[0]
        self._base, self._key = self.endpoint.address, self.endpoint.key
        # the first server identifies the model: all servers get the same requests
        self._identity_server = "" if config.launch else all_endpoints[0].display_address  # its port changes
        self._timeout = config.timeout
        self._system = config.system
        self._settings = request_settings(name, config)
        self._sent_settings = self._settings
        """The settings without those that the server has refused."""
        self._all_settings = self._settings
        """The settings and those that were sent in place of others."""
        self._adjustments: list[Adjustment] = []
        self._refuses_tools = False
        self.notify: Callable[[Remark], None] = lambda remark: None
        """Receives what the user should know at once."""
        self._images = PictureSettings.of(config)
        self._session: aiohttp.ClientSession | None = None
        self._proxy: str | None = None

    def identity(self) -> Mapping[str, Any]:
        """Address, settings and system prompt; secrets among the settings are masked."""
        digest = digest_masked(self._settings)
        settings = mask_secrets(self._settings)
        return {
            "server": self._identity_server,
            "system": self._system,
            **settings,
            **({"masked": digest} if digest else {}),
        }

    def per_endpoint(self) -> list[OpenAIModel]:
        """The model at each of the configured endpoints, this one first."""
        others = [endpoint for endpoint in resolve_endpoints(self._config) if endpoint.address != self._base]
        models = [self, *(OpenAIModel(self.name, self._config, endpoint) for endpoint in others)]
        for model in models:
            model._adjustments = self._adjustments
        return models

    def deviations(self) -> list[Remark]:
        """Settings that a server refused, and what was sent in their place."""
        return [adjustment.remark for adjustment in self._adjustments]

    async def encode(self, prompt: Prompt) -> EncodedRequest:
        """The JSON body of a request, which is also the key of the reply cache, and the images in it."""
        prompt = self._choose_tools(prompt)
        if self._system:
            prompt = Prompt((Message("system", (Text(self._system),)), *prompt.messages), prompt.tools)
        try:
            return encode_request(prompt, self._sent_settings, self._images, inline=True)
        except NeedsDecoding:
            return await asyncio.to_thread(encode_request, prompt, self._sent_settings, self._images)

    def _choose_tools(self, prompt: Prompt) -> Prompt:
        """The prompt with tools offered natively, in words, or both."""
        if not prompt.tools:
            return prompt
        if self._config.tools == "native":
            return Prompt(prompt.native_messages or prompt.messages, prompt.tools)
        return Prompt(prompt.messages, prompt.tools if self._config.tools == "auto" and not self._refuses_tools else ())

    async def ask(self, request: Request) -> Reply:
        """Send a prompt and return the reply."""
        encoded = await self.encode(request.prompt)
        return replace(await self.send(encoded.body), pictures=encoded.pictures)

    async def send(self, body: bytes) -> Reply:
        """Send a request body and return the reply."""
        started = monotonic()
        first_token = 0.0
        async with self.call("POST", "/chat/completions", body, {"Content-Type": "application/json"}) as response:
            if response.status != 200:
                raise await self.error_of_response(response, body)
            if response.content_type == "text/event-stream":
                blocks = iterate_body(response)
                content, first_token = await read_stream(blocks, self._config.max_reply_bytes, started)
            else:
                content = await read_body(response, self._config.max_reply_bytes)
        reply = self.parse_reply(content)
        return replace(reply, first_token=round(first_token, 4)) if first_token else reply

    @property
    def current_settings(self) -> Collection[str]:
        """The names of all settings that have been sent."""
        return self._all_settings

    def adjust(self, status: int, content: bytes, sent: Collection[str]) -> TryAgainError | None:
        """Leave out or rename a setting that an error response names; None if there is none to change.

        `sent` are the settings of the refused request: another request may have led to the adjustment already.
        """
        message = error_text(content, 2000)
        server = self.endpoint.display_address
        if self._config.tools == "auto" and "tools" in sent and refuses_tools(status, message):
            self._refuses_tools = True
            return self._record_adjustment(Adjustment(server, "tools"), status, content)
        if status not in (400, 422):
            return None
        has_budget = thinking_budget(self._config.model_args) is not None
        before = {name: value for name, value in self._all_settings.items() if name in sent}
        adjustment = find_adjustment(server, before, message, has_budget)
        if adjustment is None or Adjustment(server, adjustment.replacement, adjustment.setting) in self._adjustments:
            return None  # nothing can be changed, or it was changed from there
        if adjustment.setting in self._sent_settings:
            self._sent_settings = apply_adjustment(self._sent_settings, adjustment)
            self._all_settings = {**self._all_settings, **self._sent_settings}
        return self._record_adjustment(adjustment, status, content)

    def _record_adjustment(self, adjustment: Adjustment, status: int, content: bytes) -> TryAgainError:
        if adjustment not in self._adjustments:
            self._adjustments.append(adjustment)
            self.notify(adjustment.remark)
        why = self._key.scrub(error_text(content)) or "–"
        return TryAgainError("HTTP {status}: {why}", kind=ADJUSTED, status=status, why=why)

    def parse_reply(self, content: bytes) -> Reply:
        """Parse a response body; a reply that contains the key is rejected, since graded text is never rewritten."""
        try:
            reply = parse_response(content)
        except (TryAgainError, RejectedError) as error:
            arguments: dict[str, Any] = {k: self._key.scrub(str(v)) for k, v in error.arguments.items()}
            raise type(error)(error.template, kind=error.kind, **arguments) from None
        texts = [reply.text, reply.reasoning, format_tool_calls(reply.tool_calls)]
        texts += [f"{call.id} {call.name} {call.arguments}" for call in reply.tool_calls]
        if any(map(self._key.is_in, texts)):
            raise RejectedError("The reply contains the API key and was discarded.", kind="key_repeated")
        return replace(reply, model=self._key.scrub(reply.model))

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()

    @asynccontextmanager
    async def call(
        self,
        method: str,
        path: str,
        data: object = None,
        more: Mapping[str, str] | None = None,
        client_timeout: aiohttp.ClientTimeout | None = None,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """Send an HTTP request; connection errors are translated into `SightlineError`."""
        session = self._open_session()
        headers = dict(more or {})
        if self._key:
            headers["Authorization"] = f"Bearer {self._key.reveal()}"
        translated: SightlineError
        try:
            async with session.request(
                method,
                self.endpoint.url(path),
                data=data,
                headers=headers,
                proxy=self._proxy,
                timeout=client_timeout or session.timeout,
                allow_redirects=False,  # prompts and key are meant for this server only
            ) as response:
                yield response
                return
        except TimeoutError:
            translated = TryAgainError("No response within {seconds} s.", kind="timeout", seconds=self._timeout)
        except aiohttp.ClientConnectorError as error:
            why = error.os_error.strerror or str(error.os_error)
            translated = local_shortage(error.os_error) or TryAgainError(
                "Cannot connect to {server}, the judge's server (--judge-api-base): {why}"
                if self.endpoint.is_for_judge
                else "Cannot connect to {server}: {why}",
                kind="unreachable",
                server=self.endpoint.display_address,
                why=why,
            )
        except (aiohttp.ClientError, ConnectionError) as error:
            # the exception itself may hold the request's headers, and so the key: only its type is kept
            translated = TryAgainError("The connection was lost: {why}", kind="reset", why=type(error).__name__)
        except OSError as error:
            translated = local_shortage(error) or TryAgainError(
                "The connection was lost: {why}", kind="reset", why=error.strerror or type(error).__name__
            )
        finally:
            headers.clear()
        raise translated from None

    def _open_session(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300, keepalive_timeout=_MAX_IDLE_SECONDS),
                timeout=aiohttp.ClientTimeout(total=self._timeout, sock_connect=min(20.0, self._timeout)),
                auto_decompress=False,  # see `iterate_body`
                headers={"Accept-Encoding": "gzip"},
                cookie_jar=aiohttp.DummyCookieJar(),
            )
            # looked up once: aiohttp would read proxy settings and .netrc before every request
            self._proxy = find_proxy(self._base)
        return self._session

    async def error_of_response(self, response: aiohttp.ClientResponse, body: bytes = b"") -> SightlineError:
        """The error for a response with a status other than 200 to a request with a body."""
        try:
            content = await read_body(response, MAX_ERROR_BYTES, truncate=True)
        except (TryAgainError, aiohttp.ClientError):  # the status says enough
            content = b""
        status, why = response.status, self._key.scrub(error_text(content)) or "–"
        if 300 <= status < 400:
            return self._redirect_error(status, response.headers.get("Location", ""))
        after = parse_retry_after(response.headers.get("Retry-After", ""))
        # a server that sends Retry-After means a rate limit, whatever its message says
        if status == 402 or (status == 429 and after is None and is_quota_exhausted(content)):
            return AccessError(
                "{server} rejected the request: quota or balance exhausted (HTTP {status}): {why}",
                hint="Check the account's balance and limits, then rerun the same command to resume.",
                server=self.endpoint.display_address,
                status=status,
                why=why,
            )
        if status in (401, 403) or (status == 404 and not (body and refuses_tools(status, why))):
            return self._access_error(status, why)
        if body and (adjusted := self.adjust(status, content, sent_settings(body))) is not None:
            return adjusted
        return self._refusal(status, why, sent_settings(body)) or error_of_status(status, why, after)

    def _refusal(self, status: int, why: str, sent: set[str]) -> RejectedError | None:
        """The error for a request whose settings the server refuses, and what to leave out; None for other errors."""
        refused_tools = self._config.tools == "native" and "tools" in sent and refuses_tools(status, why)
        setting = "tools" if refused_tools else find_refused(sent, why) if status in (400, 422) else ""
        if not setting:
            return None
        given = self._config.model_args
        is_of_budget = setting in THINKING_FORMS and thinking_budget(given) is not None
        other = other_form(setting)
        return RejectedError(
            "{server} does not support native tool calls; use --tools text or auto (HTTP {status}): {why}"
            if refused_tools
            else "{server} does not accept {setting} for the thinking budget; remove -M {other}=null, so that the "
            "other form is sent (HTTP {status}): {why}"
            if is_of_budget and given.get(other, "") is None
            else "{server} does not accept {setting}, which -M thinking_budget sets; leave -M thinking_budget out "
            "(HTTP {status}): {why}"
            if is_of_budget
            else "{server} does not accept {setting}; leave -M {setting} out (HTTP {status}): {why}"
            if setting in given
            else "{server} does not accept {setting}; remove it with -M {setting}=null (HTTP {status}): {why}",
            kind="rejected",
            server=self.endpoint.display_address,
            setting=setting,
            other=other,
            status=status,
            why=why,
        )

    def _redirect_error(self, status: int, location: str) -> AccessError:
        return AccessError(
            "{server} redirects to {location} (HTTP {status}). Redirects are not followed.",
            hint="If that is the intended server, set it with {flag}.",
            server=self.endpoint.display_address,
            location=self._key.scrub(printable(without_password(location), 200)) or "–",
            status=status,
            flag=self.endpoint.flag,
        )

    def _access_error(self, status: int, why: str) -> RunStoppedError:
        return AccessError(
            "{server} denied access to the model '{model}' (HTTP {status}): {why}"
            if status != 401  # with 403, a good key may lack the right to this very model
            else "{server} rejected the API key (HTTP {status}): {why}"
            if self._key
            else "{server} requires an API key (HTTP {status}): {why}",
            hint="Check --model: the launched server may serve the model under another name."
            if status == 404 and self.endpoint.is_launched
            else "Check the model name and {flag}, which usually ends in /v1."
            if status == 404
            else "Check the judge's API key: --judge-api-key or SIGHTLINE_JUDGE_API_KEY."
            if self.endpoint.is_for_judge
            else "Check the API key: --api-key, OPENAI_API_KEY, or .env.",
            server=self.endpoint.display_address,
            model=self.name,
            status=status,
            why=why,
            flag=self.endpoint.flag,
        )


async def read_body(response: aiohttp.ClientResponse, max_bytes: int, truncate: bool = False) -> bytes:
    """The whole body; if it is longer than `max_bytes`, it is truncated or rejected."""
    content = bytearray()
    async for block in iterate_body(response):
        content += block
        if len(content) > max_bytes:
            if truncate:
                del content[max_bytes:]
                break
            raise RejectedError(
                "The response is longer than {count} bytes (--max-reply-bytes).",
                kind="too_large",
                count=f"{max_bytes:,}",
            )
    return bytes(content)


async def iterate_body(response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    """The decompressed body in blocks of bounded size.

    aiohttp does not bound the output step by step, and a gzip bomb expands to a thousand times its size.
    """
    encoding = response.headers.get("Content-Encoding", "").strip().lower()
    if encoding in ("", "identity"):
        async for block in response.content.iter_chunked(_CHUNK):
            yield block
        return
    if encoding not in ("gzip", "x-gzip"):
        raise TryAgainError(
            "Unsupported Content-Encoding in the response: {encoding}",
            kind="malformed",
            encoding=printable(encoding, 40),
        )
    decompressor = zlib.decompressobj(_GZIP)
    try:
        async for block in response.content.iter_chunked(_CHUNK):
            data = block
            while data:
                if decompressor.eof:  # a body may consist of several concatenated gzip members
                    decompressor = zlib.decompressobj(_GZIP)
                yield decompressor.decompress(data, 16 * _CHUNK)
                data = decompressor.unused_data if decompressor.eof else decompressor.unconsumed_tail
        if not decompressor.eof:
            raise TryAgainError("The response is incomplete.", kind="malformed")
    except zlib.error as error:
        raise TryAgainError("Cannot parse the response: {why}", kind="malformed", why=error) from None


def find_proxy(address: str) -> str | None:
    """The proxy for an address by HTTP_PROXY, HTTPS_PROXY and NO_PROXY, or the system's settings."""
    from urllib.parse import urlsplit
    from urllib.request import getproxies, proxy_bypass

    parts = urlsplit(address)
    return None if proxy_bypass(parts.netloc) else getproxies().get(parts.scheme)


MAX_RETRY_AFTER = 60.0
"""Upper bound in seconds on the Retry-After of a server."""


def parse_retry_after(value: str) -> float | None:
    """Seconds to wait by a Retry-After header, which is a number or a date; bounded by `MAX_RETRY_AFTER`."""
    if not value.strip():
        return None
    try:
        seconds = float(value)
    except ValueError:
        seconds = _seconds_until(value)
    if math.isnan(seconds):
        return None
    return min(max(0.0, seconds), MAX_RETRY_AFTER)


def _seconds_until(date: str) -> float:
    """Seconds until an HTTP date; NaN if it can't be parsed."""
    from datetime import UTC, datetime
    from email.utils import parsedate_to_datetime

    try:
        then = parsedate_to_datetime(date)
        return (then.replace(tzinfo=then.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError, OverflowError):
        return math.nan
