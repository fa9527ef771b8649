"""Client for OpenAI-compatible chat completion servers, based on aiohttp."""

from __future__ import annotations

import asyncio
import math
import zlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
from msgspec.structs import replace

from sightline.core.config import RunConfig
from sightline.core.errors import (
    AccessError,
    RejectedError,
    RunStoppedError,
    SightlineError,
    TryAgainError,
    local_shortage,
)
from sightline.core.interfaces import Request
from sightline.core.records import Media, Message, Prompt, Reply, Text
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
)
from sightline.models.endpoints import Endpoint, resolve_endpoints

_CHUNK = 2**16
_GZIP = 31
"""The `wbits` of zlib for the gzip format."""
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
        self._identity_server = all_endpoints[0].display_address
        self._timeout = config.timeout
        self._system = config.system
        body: dict[str, Any] = {
            "model": name,
            "temperature": config.temperature,
            "max_tokens": config.max_tokens,
            "seed": config.seed,
            **config.model_args,
        }
        self._settings = {key: value for key, value in body.items() if value is not None}
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
        return [self, *(OpenAIModel(self.name, self._config, endpoint) for endpoint in others)]

    async def encode(self, prompt: Prompt) -> EncodedRequest:
        """The JSON body of a request, which is also the key of the reply cache, and the images in it."""
        if self._system:
            prompt = Prompt((Message("system", (Text(self._system),)), *prompt.messages))
        if any(isinstance(part, Media) and part.at_second is not None for m in prompt.messages for part in m.parts):
            # decoding video would block the event loop
            return await asyncio.to_thread(encode_request, prompt, self._settings, self._images)
        try:
            return encode_request(prompt, self._settings, self._images, inline=True)
        except NeedsDecoding:
            return await asyncio.to_thread(encode_request, prompt, self._settings, self._images)

    async def ask(self, request: Request) -> Reply:
        """Send a prompt and return the reply."""
        encoded = await self.encode(request.prompt)
        return replace(await self.send(encoded.body), pictures=encoded.pictures)

    async def send(self, body: bytes) -> Reply:
        """Send a request body and return the reply."""
        async with self.call("POST", "/chat/completions", body, {"Content-Type": "application/json"}) as response:
            if response.status != 200:
                raise await self.error_of_response(response)
            content = await read_body(response, self._config.max_reply_bytes)
        return self.parse_reply(content)

    def parse_reply(self, content: bytes) -> Reply:
        """Parse a response body; a reply that contains the key is rejected, since graded text is never rewritten."""
        try:
            reply = parse_response(content)
        except TryAgainError as error:
            raise TryAgainError(
                error.template, error.kind, None, **{k: self._key.scrub(str(v)) for k, v in error.arguments.items()}
            ) from None
        if self._key.is_in(reply.text):
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
                connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300),
                timeout=aiohttp.ClientTimeout(total=self._timeout, sock_connect=min(20.0, self._timeout)),
                auto_decompress=False,  # see `iterate_body`
                headers={"Accept-Encoding": "gzip"},
                cookie_jar=aiohttp.DummyCookieJar(),
            )
            # looked up once: aiohttp would read proxy settings and .netrc before every request
            self._proxy = find_proxy(self._base)
        return self._session

    async def error_of_response(self, response: aiohttp.ClientResponse) -> SightlineError:
        """The error for a response with a status other than 200."""
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
        if status in (401, 403, 404):
            return self._access_error(status, why)
        return error_of_status(status, why, after)

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
            hint="Check the model name and {flag}, which usually ends in /v1."
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
