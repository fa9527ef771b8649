"""Template rendering (Jinja): auto-escaped, hidden characters made visible, translated strings."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from sightline.core.remarks import format_remark
from sightline.i18n import LANGUAGES, language, set_language, tr
from sightline.reports.formatting import format_count, format_interval, format_skill, format_value
from sightline.reports.sample_view.texts import show_hidden
from sightline.scoring.grades.messages import row_message

_COOKIE = "sightline_language"
_MEDIA_TYPES = {"viewer.css": "text/css; charset=utf-8", "viewer.js": "text/javascript; charset=utf-8"}


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("sightline.web.viewer"),
        autoescape=True,
        finalize=show_hidden,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    functions = (tr, format_remark, format_count, format_value, format_interval, format_skill)
    made.globals.update({function.__name__: function for function in functions})
    made.globals.update(row_message=row_message, version=_version)
    return made


def apply_language(request: Request) -> None:
    """Choose the language: the address's, else the one chosen earlier, else the server's."""
    for wanted in (request.query_params.get("lang"), request.cookies.get(_COOKIE)):
        if wanted in LANGUAGES:
            set_language(str(wanted))
            return


def render_page(request: Request, template: str, status: int = 200, **context: Any) -> Response:
    """Render a page; `apply_language` is called before any text is translated."""
    others = [(name, value) for name, value in request.query_params.multi_items() if name != "lang"]
    here = "/" + quote(request.scope["path"].lstrip("/"))  # an address like //elsewhere must not become a link there
    switch = {name: f"{here}?{urlencode([*others, ('lang', name)])}" for name in LANGUAGES}
    values = {"lang": language(), "switch": switch, **context}
    response = HTMLResponse(_environment().get_template(template).render(values), status)
    if request.query_params.get("lang") in LANGUAGES:
        response.set_cookie(_COOKIE, language(), httponly=True, samesite="strict", path="/")
    return response


def not_found(request: Request, error: Exception) -> Response:
    """Render the 404 page."""
    apply_language(request)
    return render_page(
        request, "message.html", 404, title=tr("Not found"), text=tr("There is no page at this address.")
    )


def server_error(request: Request, error: Exception) -> Response:
    """500: what went wrong is for the terminal, not for the page."""
    return PlainTextResponse(tr("Internal error. See the terminal for details."), 500)


def static_file(request: Request) -> Response:
    """One of the two files that pages load."""
    name = request.path_params["name"]
    if name not in _MEDIA_TYPES:
        return PlainTextResponse(tr("Not found"), 404)
    headers = {"Cache-Control": "private, max-age=31536000, immutable"} if request.url.query else None
    return Response(_content(name), headers=headers, media_type=_MEDIA_TYPES[name])


@cache
def _content(name: str) -> bytes:
    return files("sightline.web.viewer").joinpath("static", name).read_bytes()


def _version(name: str) -> str:
    """Part of a static file's address, so that a new version is never taken for the old one."""
    return hashlib.sha256(_content(name)).hexdigest()[:10]
