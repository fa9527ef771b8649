"""Security middleware: loopback Host check, rejection of cross-site requests, session token, GET only.

Every response carries a Content-Security-Policy that restricts loading to this server.
"""

from __future__ import annotations

import hmac
from urllib.parse import parse_qsl, quote, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sightline.i18n import tr

_POLICY = (
    "default-src 'none'; img-src 'self' data:; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
_ALLOWED_FETCH_SITES = ("", "same-origin", "none")
"""What a browser says of a request that comes from our own pages or from the address bar; other programs say nothing.
`same-site` is refused: every other port of this machine is the same site."""


class SecurityMiddleware:
    """ASGI middleware: Host and origin checks, token, security headers."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app = app
        self._token = token
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}
        self._cookie = f"sightline_{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the request and forward it, or reject it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        answer = self._refusal(scope) or self._admission(scope)
        await (answer or self._app)(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if headers.getlist("host") not in [[host] for host in self._hosts]:
            return PlainTextResponse(tr("This server answers on 127.0.0.1 only."), 421)
        origin = headers.get("origin")
        if headers.get("sec-fetch-site", "") not in _ALLOWED_FETCH_SITES or (
            origin is not None and origin not in {f"http://{host}" for host in self._hosts}
        ):
            return PlainTextResponse(tr("Requests from other sites are refused."), 403)
        if scope["method"] not in ("GET", "HEAD"):
            return PlainTextResponse(tr("This server is read-only."), 405, {"Allow": "GET, HEAD"})
        return None

    def _admission(self, scope: Scope) -> Response | None:
        """None if the session cookie is valid; a redirect that sets it if the token is; else 403."""
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [value for name, value in query if name == "token"]
        if given and self._is_token(given[-1]):
            rest = urlencode([(name, value) for name, value in query if name != "token"])
            path = "/" + quote(scope["path"].lstrip("/"))
            response = RedirectResponse(path + (f"?{rest}" if rest else ""), 303)
            response.set_cookie(self._cookie, self._token, httponly=True, samesite="strict", path="/")
            return response
        # other programs of this machine may set cookies of any shape, which must not hide ours
        if not given and self._is_token(cookie_parser(Headers(scope=scope).get("cookie", "")).get(self._cookie, "")):
            return None
        return PlainTextResponse(tr("Open the address shown in the terminal: it contains the token."), 403)

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "replace"), self._token.encode())
