"""A client for OpenAI-compatible chat servers, on aiohttp."""

from __future__ import annotations

import asyncio
import math
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
from sightline.i18n.printable import printable
from sightline.models.keys import Endpoint, endpoints
from sightline.models.response_body import LONGEST_ERROR, read_body
from sightline.models.wire import error_text, explain, is_spent, read_response, request_body


class OpenAIModel:
    """One model at one server. The key lives in a `Secret` and leaves it only in the request's header."""

    def __init__(self, name: str, config: RunConfig, endpoint: Endpoint | None = None) -> None:
        self.name = name
        self._config = config
        known = endpoints(config)
        self.endpoint = endpoint or known[0]
        self._base, self._key = self.endpoint.address, self.endpoint.key
        # the first server stands for all: what they are asked and what they should answer is the same
        self._known_as = known[0].shown
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
        self._session: aiohttp.ClientSession | None = None
        self._proxy: str | None = None

    def identity(self) -> Mapping[str, Any]:
        """Address, settings and system prompt; secrets among the settings are masked."""
        hidden = digest_masked(self._settings)
        settings = mask_secrets(self._settings)
        return {"server": self._known_as, "system": self._system, **settings, **({"masked": hidden} if hidden else {})}

    def everywhere(self) -> list[OpenAIModel]:
        """The model at each of the servers that the settings name, itself first."""
        others = [one for one in endpoints(self._config) if one.address != self._base]
        return [self, *(OpenAIModel(self.name, self._config, one) for one in others)]

    async def body(self, prompt: Prompt) -> bytes:
        """The request's JSON: also what the cache goes by."""
        if self._system:
            prompt = Prompt((Message("system", (Text(self._system),)), *prompt.messages))
        if any(isinstance(part, Media) and part.at_second is not None for m in prompt.messages for part in m.parts):
            # decoding video would hold up all other requests
            return await asyncio.to_thread(request_body, prompt, self._settings)
        return request_body(prompt, self._settings)

    async def ask(self, request: Request) -> Reply:
        """Send one prompt and read the reply."""
        return await self.send(await self.body(request.prompt))

    async def send(self, body: bytes) -> Reply:
        """Post a body and read the reply."""
        async with self.call("POST", "/chat/completions", body, {"Content-Type": "application/json"}) as response:
            if response.status != 200:
                raise await self.explain_response(response)
            content = await read_body(response, self._config.max_reply_bytes)
        return self.read(content)

    def read(self, content: bytes) -> Reply:
        """The reply in a response; one that repeats the key is refused, for nothing that is graded is rewritten."""
        try:
            reply = read_response(content)
        except TryAgainError as error:
            raise TryAgainError(
                error.template, error.kind, None, **{k: self._key.scrub(str(v)) for k, v in error.facts.items()}
            ) from None
        if self._key.is_in(reply.text):
            raise RejectedError("The reply repeats the key and is not kept.", kind="key_repeated")
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
        patience: aiohttp.ClientTimeout | None = None,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """One exchange with the server; whatever breaks while it lasts is told as one of our errors."""
        session = self._open_session()
        headers = dict(more or {})
        if self._key:
            headers["Authorization"] = f"Bearer {self._key.reveal()}"
        problem: SightlineError
        try:
            async with session.request(
                method,
                self.endpoint.at(path),
                data=data,
                headers=headers,
                proxy=self._proxy,
                timeout=patience or session.timeout,
                allow_redirects=False,  # prompts and key are for this server alone
            ) as response:
                yield response
                return
        except TimeoutError:
            problem = TryAgainError("No answer within {seconds} s.", kind="timeout", seconds=self._timeout)
        except aiohttp.ClientConnectorError as error:
            why = error.os_error.strerror or str(error.os_error)
            problem = local_shortage(error.os_error) or TryAgainError(
                "Can't connect to {server}, the judge's server (--judge-api-base): {why}"
                if self.endpoint.is_judges
                else "Can't connect to {server}: {why}",
                kind="unreachable",
                server=self.endpoint.shown,
                why=why,
            )
        except (aiohttp.ClientError, ConnectionError) as error:
            # the exception itself may hold the request's headers, and so the key: only its type is kept
            problem = TryAgainError("The connection broke: {why}", kind="reset", why=type(error).__name__)
        except OSError as error:
            problem = local_shortage(error) or TryAgainError(
                "The connection broke: {why}", kind="reset", why=error.strerror or type(error).__name__
            )
        finally:
            headers.clear()
        raise problem from None

    def _open_session(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300),
                timeout=aiohttp.ClientTimeout(total=self._timeout, sock_connect=min(20.0, self._timeout)),
                auto_decompress=False,  # see `response_body`
                headers={"Accept-Encoding": "gzip"},
                cookie_jar=aiohttp.DummyCookieJar(),
            )
            # asked of the environment once: aiohttp would look for proxies and .netrc before every request
            self._proxy = proxy_for(self._base)
        return self._session

    async def explain_response(self, response: aiohttp.ClientResponse) -> SightlineError:
        """The error that a response other than 200 stands for."""
        try:
            content = await read_body(response, LONGEST_ERROR, cut=True)
        except (TryAgainError, aiohttp.ClientError):  # the status says enough
            content = b""
        status, why = response.status, self._key.scrub(error_text(content)) or "–"
        if 300 <= status < 400:
            return self._redirect(status, response.headers.get("Location", ""))
        after = retry_after(response.headers.get("Retry-After", ""))
        # a server that says when to come back means a limit per minute, whatever its words
        if status == 402 or (status == 429 and after is None and is_spent(content)):
            return AccessError(
                "{server} rejected the request: quota or balance exhausted (HTTP {status}): {why}",
                hint="Check the account's balance and limits. Run the same command again to resume.",
                server=self.endpoint.shown,
                status=status,
                why=why,
            )
        if status in (401, 403, 404):
            return self._no_access(status, why)
        return explain(status, why, after)

    def _redirect(self, status: int, location: str) -> AccessError:
        return AccessError(
            "{server} redirects to {location} (HTTP {status}). Redirects are not followed.",
            hint="If that is the right server, give it as {flag}.",
            server=self.endpoint.shown,
            location=self._key.scrub(printable(without_password(location), 200)) or "–",
            status=status,
            flag=self.endpoint.flag,
        )

    def _no_access(self, status: int, why: str) -> RunStoppedError:
        return AccessError(
            "{server} refuses the model '{model}' (HTTP {status}): {why}"
            if status != 401  # with 403, a good key may lack the right to this very model
            else "{server} refuses the key (HTTP {status}): {why}"
            if self._key
            else "{server} wants a key (HTTP {status}): {why}",
            hint="Check the model's name and {flag}; it usually ends in /v1."
            if status == 404
            else "Check the judge's key: --judge-api-key or SIGHTLINE_JUDGE_API_KEY."
            if self.endpoint.is_judges
            else "Check the key: --api-key, OPENAI_API_KEY, or .env.",
            server=self.endpoint.shown,
            model=self.name,
            status=status,
            why=why,
            flag=self.endpoint.flag,
        )


def proxy_for(address: str) -> str | None:
    """The proxy that HTTP_PROXY, HTTPS_PROXY and NO_PROXY, or the system's settings, ask for."""
    from urllib.parse import urlsplit
    from urllib.request import getproxies, proxy_bypass

    parts = urlsplit(address)
    return None if proxy_bypass(parts.netloc) else getproxies().get(parts.scheme)


LONGEST_RETRY_AFTER = 60.0
"""Seconds; after so many a server is asked again, by one request, whatever it said."""


def retry_after(value: str) -> float | None:
    """Seconds to wait by a Retry-After header, which is a number or a date; bounded, for servers say anything."""
    if not value.strip():
        return None
    try:
        seconds = float(value)
    except ValueError:
        seconds = _seconds_until(value)
    if math.isnan(seconds):
        return None
    return min(max(0.0, seconds), LONGEST_RETRY_AFTER)


def _seconds_until(date: str) -> float:
    """Seconds until a date of an HTTP header; nan for what is none."""
    from datetime import UTC, datetime
    from email.utils import parsedate_to_datetime

    try:
        then = parsedate_to_datetime(date)
        return (then.replace(tzinfo=then.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError, OverflowError):
        return math.nan
