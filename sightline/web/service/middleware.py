"""Security middleware: Host check, rejection of cross-site requests, bearer token.

It also negotiates the response language, sets security headers and writes the access log.
"""

from __future__ import annotations

import hmac
import sys
from collections.abc import Callable
from time import perf_counter, strftime
from urllib.parse import quote

from h11 import LocalProtocolError
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sightline.i18n import language, set_language, tr
from sightline.web.service.problems import MEDIA_TYPE, ProblemError

PUBLIC_PATHS = ("/healthz", "/openapi.json", "/docs")
"""Paths that need no token."""

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self' 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Vary": "Accept-Language",
}
_ALLOWED_FETCH_SITES = ("", "same-origin", "none")
"""Allowed values of Sec-Fetch-Site; only browsers send the header."""
_MAX_PATH_CHARACTERS = 200
LogFunction = Callable[[str], None]


def log_to_stderr(line: str) -> None:
    """Write a log line to standard error."""
    print(line, file=sys.stderr, flush=True)


def problem_response(problem: ProblemError) -> Response:
    """Convert a problem to an HTTP response."""
    return Response(problem.body(), problem.status, problem.headers, MEDIA_TYPE)


class SecurityMiddleware:
    """ASGI middleware around the application."""

    def __init__(self, app: ASGIApp, token: str, loopback: bool, log: LogFunction | None) -> None:
        self._app, self._token, self._loopback, self._log = app, token, loopback, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the request and forward it, or respond with a problem."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            else:
                await send({"type": "websocket.close", "code": 1008})
            return
        headers = Headers(scope=scope)
        set_language(negotiate_language(headers.get("accept-language", "")))
        started, status = perf_counter(), 0

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                response_headers = MutableHeaders(scope=message)
                response_headers.update({**_HEADERS, "Content-Language": language()})
            try:
                await send(message)
            except LocalProtocolError:  # the server has already responded to malformed HTTP
                status = 400
                while (await receive())["type"] != "http.disconnect":
                    pass

        try:
            problem = self._check_request(scope, headers)
            await (problem_response(problem) if problem else self._app)(scope, receive, send_with_headers)
        finally:
            if self._log is not None:
                self._log(_access_log_line(scope, status, perf_counter() - started))

    def _check_request(self, scope: Scope, headers: Headers) -> ProblemError | None:
        if self._loopback and _host_name(headers.get("host", "")) not in ("127.0.0.1", "localhost", "[::1]"):
            return ProblemError("host", tr("This service answers as 127.0.0.1 or localhost only."))
        if headers.get("sec-fetch-site", "") not in _ALLOWED_FETCH_SITES:
            return ProblemError("other-site", tr("A web page of another site sent this request."))
        if self._token and scope["path"] not in PUBLIC_PATHS and not self._is_token(headers.get("authorization", "")):
            detail = tr("The request has no valid token.")
            hint = tr("Send the header Authorization: Bearer TOKEN with the token that the service was started with.")
            return ProblemError("token", detail, hint).with_headers(WWW_Authenticate='Bearer realm="sightline"')
        return None

    def _is_token(self, authorization: str) -> bool:
        scheme, _, token = authorization.partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(token.strip().encode(), self._token.encode())


def negotiate_language(accepted: str) -> str:
    """Choose `en` or `zh` by an Accept-Language header; the server's language if it names neither."""
    qualities: dict[str, float] = {}
    for entry in accepted[:500].split(","):
        tag, _, weight = entry.strip().partition(";")
        name = tag.strip().lower().partition("-")[0]
        try:
            quality = float(weight.strip().removeprefix("q=")) if weight else 1.0
        except ValueError:
            quality = 0.0
        if name in ("en", "zh") and quality > qualities.get(name, 0.0):
            qualities[name] = quality
    return max(qualities, key=lambda name: qualities[name]) if qualities else language()


def _host_name(host: str) -> str:
    """Return a Host header without its port."""
    return host[: host.index("]") + 1] if host.startswith("[") and "]" in host else host.partition(":")[0]


def _access_log_line(scope: Scope, status: int, seconds: float) -> str:
    """Format an access log line; for privacy without body, headers and query."""
    client = (scope.get("client") or ("-",))[0]
    path = quote(scope["path"])[:_MAX_PATH_CHARACTERS]
    when = strftime("%Y-%m-%dT%H:%M:%S%z")
    return f"{when} {client} {quote(scope['method'])} {path} {status or '-'} {1000 * seconds:.1f} ms"
