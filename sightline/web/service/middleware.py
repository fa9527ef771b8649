"""The door: the service's own host names, no request from another site's pages, the token.

It also chooses the language of the answer, gives every answer its headers, and writes the access log.
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

from sightline.i18n import language, say, set_language
from sightline.web.service.field_docs import preferred
from sightline.web.service.problems import MEDIA_TYPE, Refusal

OPEN = ("/healthz", "/openapi.json", "/docs")
"""Without a token: nothing is worked on there."""

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self' 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Vary": "Accept-Language",
}
_OWN_SITE = ("", "same-origin", "none")
"""What a browser says of a request from our own page or the address bar; other programs say nothing."""
_LONGEST_PATH = 200
Log = Callable[[str], None]


def to_stderr(line: str) -> None:
    """The usual log."""
    print(line, file=sys.stderr, flush=True)


def refused(refusal: Refusal) -> Response:
    """A refusal as an answer."""
    return Response(refusal.body(), refusal.status, refusal.headers, MEDIA_TYPE)


class Guard:
    """Wraps the application."""

    def __init__(self, app: ASGIApp, token: str, loopback: bool, log: Log | None) -> None:
        self._app, self._token, self._loopback, self._log = app, token, loopback, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            else:
                await send({"type": "websocket.close", "code": 1008})
            return
        headers = Headers(scope=scope)
        set_language(preferred(headers.get("accept-language", "")))
        started, status = perf_counter(), 0

        async def guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                made = MutableHeaders(scope=message)
                made.update({**_HEADERS, "Content-Language": language()})
            try:
                await send(message)
            except LocalProtocolError:  # the server has answered by itself: what followed the headers was no HTTP
                status = 400
                while (await receive())["type"] != "http.disconnect":
                    pass

        try:
            refusal = self._refusal(scope, headers)
            await (refused(refusal) if refusal else self._app)(scope, receive, guarded)
        finally:
            if self._log is not None:
                self._log(_line(scope, status, perf_counter() - started))

    def _refusal(self, scope: Scope, headers: Headers) -> Refusal | None:
        if self._loopback and _name(headers.get("host", "")) not in ("127.0.0.1", "localhost", "[::1]"):
            return Refusal("host", say("This service answers as 127.0.0.1 or localhost only."))
        if headers.get("sec-fetch-site", "") not in _OWN_SITE:
            return Refusal("other-site", say("A web page of another site sent this request."))
        if self._token and scope["path"] not in OPEN and not self._is_token(headers.get("authorization", "")):
            detail = say("The request has no valid token.")
            hint = say("Send the header Authorization: Bearer TOKEN with the token that the service was started with.")
            return Refusal("token", detail, hint).having(WWW_Authenticate='Bearer realm="sightline"')
        return None

    def _is_token(self, given: str) -> bool:
        scheme, _, token = given.partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(token.strip().encode(), self._token.encode())


def _name(host: str) -> str:
    """A Host header without its port."""
    return host[: host.index("]") + 1] if host.startswith("[") and "]" in host else host.partition(":")[0]


def _line(scope: Scope, status: int, seconds: float) -> str:
    """Neither body nor headers nor query: none of them is anybody's business later."""
    client = (scope.get("client") or ("-",))[0]
    path = quote(scope["path"])[:_LONGEST_PATH]
    when = strftime("%Y-%m-%dT%H:%M:%S%z")
    return f"{when} {client} {quote(scope['method'])} {path} {status or '-'} {1000 * seconds:.1f} ms"
