"""What a sample's page loads or offers: its pictures, and texts too long for it. Named by numbers alone."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from sightline.core.errors import MediaError, SightlineError
from sightline.core.records import Media, Sample
from sightline.reports.sample_view.pictures import picture
from sightline.reports.sample_view.plates import text_of
from sightline.reports.sample_view.prompts import all_media
from sightline.reports.sample_view.reader import Reader
from sightline.reports.sample_view.shown import read_sample
from sightline.web.viewer.app_state import app_state, find_run
from sightline.web.viewer.sample_page import find_grade


def media_bytes(request: Request) -> Response:
    """A picture, or a text as a file."""
    medium, reader = _find_media(request)
    try:
        if medium.kind == "text":
            return _download(text_of(medium, reader.data))
        shown = picture(medium, reader.data)
    except MediaError:
        raise HTTPException(404) from None
    return Response(shown.data, media_type=shown.mime, headers={"Cache-Control": "private, max-age=600"})


def reply_text(request: Request) -> Response:
    """One reply in full, as a file."""
    reader, position = _reader(request), request.path_params["position"]
    name = _sample_name(request) or getattr(read_sample(reader, position)[0], "id", "")
    attempts = reader.attempts(position, name) if name else []
    attempt, turn = request.path_params["attempt"], request.path_params["turn"]
    if not (0 < attempt <= len(attempts) and 0 < turn <= len(attempts[attempt - 1].answers)):
        raise HTTPException(404)
    return _download(attempts[attempt - 1].answers[turn - 1].text)


def _download(text: str) -> Response:
    headers = {"Content-Disposition": 'attachment; filename="text.txt"'}
    return Response(text.encode("utf-8", "replace"), media_type="text/plain; charset=utf-8", headers=headers)


def _find_media(request: Request) -> tuple[Media, Reader]:
    reader, position = _reader(request), request.path_params["position"]
    sample = read_sample(reader, position, _sample_name(request))[0]
    if not isinstance(sample, Sample):
        raise HTTPException(404)
    media = all_media(sample, reader.prompts(sample, reader.attempts(position, sample.id)))
    if request.path_params["number"] >= len(media):
        raise HTTPException(404)
    return media[request.path_params["number"]], reader


def _sample_name(request: Request) -> str:
    """What the grades call the sample that an address names."""
    entry = find_run(request, request.path_params["run"])
    row = find_grade(app_state(request), entry, request.path_params["position"], None)[0]
    return str(row["sample"]) if row else ""


def _reader(request: Request) -> Reader:
    reader = app_state(request).reader_cache.of(find_run(request, request.path_params["run"]))
    if isinstance(reader, SightlineError):
        raise HTTPException(404)
    return reader
