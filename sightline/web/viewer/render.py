"""Template rendering (Jinja): auto-escaped, hidden characters made visible, translated strings."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from sightline.i18n import LANGUAGES, language, set_language, tr
from sightline.i18n.again import say_again
from sightline.reports.formatting import format_count, format_interval, format_skill, format_value
from sightline.reports.sample_view.texts import format_remark, show_hidden


def page_strings() -> SimpleNamespace:
    """Return all strings by the names that templates use."""
    return SimpleNamespace(
        **_common_strings(), **_filter_strings(), **_sample_strings(), **_comparison_strings(), states=_state_names()
    )


def _state_names() -> dict[str, str]:
    """States of runs and ends of replies; those of samples are said by their own names."""
    return {
        "running": tr("running"),
        "partial": tr("partial"),
        "finished": tr("finished"),
        "complete": tr("complete"),
    }


def _common_strings() -> dict[str, str]:
    return {
        "runs": tr("Runs"),
        "skip": tr("Skip to the content"),
        "language": tr("Language"),
        "model": tr("Model"),
        "suite": tr("Suite"),
        "state": tr("State"),
        "score": tr("Score"),
        "interval": tr("95 % interval"),
        "control": tr("Best blind baseline"),
        "skill": tr("Skill"),
        "coverage": tr("Coverage"),
        "samples": tr("Samples"),
        "started": tr("Started"),
        "took": tr("Inference time"),
        "no_runs": tr("No runs yet. Create one: sightline demo"),
        "no_match": tr("No matches."),
        "not_graded": tr("not graded yet"),
        "bars": tr("Bars: value; line: 95 % interval; mark: best blind baseline."),
        "figures": tr("Metrics"),
        "deviations": tr("Deviations from the standard protocol"),
        "notes": tr("Notes"),
        "facts": tr("Data set notes"),
        "none": tr("none"),
        "keys": tr("Keyboard shortcuts"),
        "key_next": tr("next, previous"),
        "key_open": tr("open"),
        "key_filter": tr("focus the filter"),
        "key_up": tr("back to the list"),
        "key_help": tr("show or hide this help"),
        "close": tr("Close"),
        "latest": tr("Latest replies"),
        "live_note": tr("This run is in progress; the page updates itself."),
        "where": tr("Folder"),
    }


def _filter_strings() -> dict[str, str]:
    return {
        "filter": tr("Filter"),
        "filter_runs": tr("Model, suite or folder"),
        "text": tr("Text in id, note or source"),
        "task": tr("Task"),
        "tag": tr("Tag"),
        "low": tr("Score from"),
        "high": tr("to"),
        "sort": tr("Sort by"),
        "all": tr("all"),
        "apply": tr("Apply"),
        "clear": tr("Clear"),
        "previous": tr("Previous"),
        "next": tr("Next"),
        "page_of": tr("Pages"),
        "position": tr("No."),
        "sample": tr("Sample"),
        "note": tr("Note"),
        "attempts": tr("Attempts"),
    }


def _sample_strings() -> dict[str, str]:
    return {
        "image": tr("Image"),
        "images": tr("Images"),
        "zoom_in": tr("Zoom in"),
        "zoom_out": tr("Zoom out"),
        "zoom_fit": tr("Fit"),
        "drawings": tr("Drawings"),
        "truth": tr("Truth"),
        "reply": tr("Reply"),
        "question": tr("Prompt"),
        "attempt": tr("Attempt"),
        "turn": tr("Turn"),
        "failure": tr("Failure"),
        "grade": tr("Grade"),
        "why": tr("Reason"),
        "values": tr("Details"),
        "source": tr("Source"),
        "cluster": tr("Cluster"),
        "weight": tr("Weight"),
        "last_score": tr("After feedback"),
        "best_score": tr("Best attempt"),
        "empty_reply": tr("The reply is empty."),
        "no_reply": tr("No reply was stored for this sample."),
        "whole": tr("Download the full text"),
        "cut": tr("Truncated"),
        "not_shown": tr("Not shown"),
        "differs": tr("Differing lines are highlighted."),
        "lines_alike": tr("identical lines"),
        "seconds": tr("Seconds"),
        "tokens": tr("Tokens (input, output)"),
        "stop": tr("Stop reason"),
        "shapes": tr("shapes"),
        "text_media": tr("Text"),
    }


def _comparison_strings() -> dict[str, str]:
    return {
        "compare": tr("Compare"),
        "compare_chosen": tr("Compare selected"),
        "compare_with": tr("Compare with"),
        "choose": tr("Select"),
        "first": tr("First run"),
        "second": tr("Second run"),
        "other_run": tr("Other run"),
        "difference": tr("Difference"),
        "better": tr("second better"),
        "worse": tr("second worse"),
        "same": tr("equal"),
        "other_data": tr("The runs use different data: samples are matched by id."),
        "paired": tr("Samples answered in both runs, largest differences first."),
    }


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
    made.globals.update(translate_note=say_again, version=_version)
    return made


def apply_language(request: Request) -> None:
    """Choose the language: the address's, else the one chosen earlier, else the server's."""
    for wanted in (request.query_params.get("lang"), request.cookies.get(_COOKIE)):
        if wanted in LANGUAGES:
            set_language(str(wanted))
            return


def render_page(request: Request, template: str, status: int = 200, **context: Any) -> Response:
    """A page; `speak` was called before anything was said."""
    others = [(name, value) for name, value in request.query_params.multi_items() if name != "lang"]
    here = "/" + quote(request.scope["path"].lstrip("/"))  # an address like //elsewhere must not become a link there
    switch = {name: f"{here}?{urlencode([*others, ('lang', name)])}" for name in LANGUAGES}
    told = {"w": page_strings(), "lang": language(), "switch": switch, **context}
    response = HTMLResponse(_environment().get_template(template).render(told), status)
    if request.query_params.get("lang") in LANGUAGES:
        response.set_cookie(_COOKIE, language(), httponly=True, samesite="strict", path="/")
    return response


def not_found(request: Request, error: Exception) -> Response:
    """404."""
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
