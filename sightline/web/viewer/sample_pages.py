"""Pages of one sample: the sample itself, its media and its replies as downloads."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any

import duckdb
from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from sightline.core.errors import MediaError, SightlineError
from sightline.core.records import Media, Sample
from sightline.reports.sample_view.media import drawing_uri, load_image, load_media_text
from sightline.reports.sample_view.reader import SampleReader
from sightline.reports.sample_view.texts import Clip, clip, pretty_json
from sightline.reports.sample_view.view import MAX_POSITION, SampleView, all_media, load_reply, load_sample, read_sample
from sightline.runs.manifest import recorded_repeats
from sightline.web.viewer.app_state import AppState, RunEntry, app_state, find_run
from sightline.web.viewer.grades import Row, SampleFilter, read_filter
from sightline.web.viewer.render import apply_language, render_page
from sightline.web.viewer.run_pages import task_names

_MAX_LINES = 400
"""Matching takes the square of it, and a reply may be made to be slow."""
_CONTEXT = 2


class DiffLine(Struct, frozen=True):
    """A line of either side, None where the other side has more; or how many equal lines are left out here."""

    truth: str | None
    reply: str | None
    same: bool
    skipped: int = 0


def diff_lines(truth: Clip | None, reply: Clip | None) -> list[DiffLine] | None:
    """The lines of both, matched; None where there is nothing to match, nothing that differs, or too much of it."""
    if truth is None or reply is None:
        return None
    left, right = truth.text.splitlines(), reply.text.splitlines()
    if left == right or not (1 < len(left) <= _MAX_LINES and 1 < len(right) <= _MAX_LINES):
        return None
    lines: list[DiffLine] = []
    for _, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        ours, theirs = left[a:b], right[c:d]
        lines += [DiffLine(one, other, ours == theirs) for one, other in zip_longest(ours, theirs)]
    return _fold_equal_lines(lines)


def _fold_equal_lines(lines: list[DiffLine]) -> list[DiffLine]:
    """Equal lines far from any difference become one."""
    near = {index + by for index, line in enumerate(lines) if not line.same for by in range(-_CONTEXT, _CONTEXT + 1)}
    shown: list[DiffLine] = []
    for index, line in enumerate(lines):
        if index in near:
            shown.append(line)
        elif shown and shown[-1].skipped:
            shown[-1] = DiffLine(None, None, True, shown[-1].skipped + 1)
        else:
            shown.append(DiffLine(None, None, True, 1))
    return shown


Neighbours = tuple[int, int | None, int | None, int]
_NO_NEIGHBOURS: Neighbours = (-1, None, None, 0)


def sample_page(request: Request) -> Response:
    """The page of a sample."""
    apply_language(request)
    state, entry = app_state(request), find_run(request, request.path_params["run"])
    position, wanted = request.path_params["position"], read_filter(request.query_params)
    attempt, repeat = _requested_number(request, "attempt"), _requested_number(request, "repeat")
    row, around = find_grade(state, entry, position, wanted, repeat)
    shown = _load_view(state, entry, position, row, attempt, repeat)
    if shown.grade is None and shown.sample is None:
        raise HTTPException(404)
    values = clip(pretty_json(shown.grade["values"] or "")) if shown.grade else None
    return render_page(
        request,
        "sample.html",
        entry=entry,
        position=position,
        wanted=wanted,
        around=around,
        shown=shown,
        attempt=min(attempt, max(1, len(shown.attempts))),
        repeat=repeat,
        repeats=_repeat_scores(state, entry, position),
        row=shown.grade,
        values=values,
        difference=None if shown.has_overlays else diff_lines(shown.truth, shown.reply),
        drawings=[(drawing, drawing_uri(drawing) if drawing.svg else "") for drawing in shown.drawings],
        beside=_other_run(request, position, row),
        task_names=task_names(entry.summary),
    )


def find_grade(
    state: AppState, entry: RunEntry, position: int, wanted: SampleFilter | None, repeat: int = 1
) -> tuple[Row | None, Neighbours]:
    """The grade of a sample, and its index among those that a filter finds."""
    if not entry.is_graded or position > MAX_POSITION:
        return None, _NO_NEIGHBOURS
    try:
        row = state.grades.row(entry.folder.grades, position, repeat)
        if wanted is None:
            return row, _NO_NEIGHBOURS
        found = state.grades.apply_filter(entry.folder.grades, wanted)
    except duckdb.Error:
        return None, _NO_NEIGHBOURS
    return row, (*found.neighbours(position), len(found.samples))


def _repeat_scores(state: AppState, entry: RunEntry, position: int) -> dict[int, float | None]:
    """The repeats of a question with their scores, where they are graded; empty where it was asked once."""
    count = recorded_repeats(entry.manifest)
    if count == 1:
        return {}
    try:
        is_graded = entry.is_graded and position <= MAX_POSITION
        scores = state.grades.repeat_scores(entry.folder.grades, position) if is_graded else {}
    except duckdb.Error:
        scores = {}
    return {repeat: scores.get(repeat) for repeat in range(1, count + 1)}


def _requested_number(request: Request, name: str) -> int:
    """The attempt or repeat that an address asks for; the first where it asks for none."""
    given = request.query_params.get(name, "")
    return max(1, int(given)) if given.isascii() and given.isdigit() and len(given) < 6 else 1


def _load_view(
    state: AppState, entry: RunEntry, position: int, row: Row | None, attempt: int = 1, repeat: int = 1
) -> SampleView:
    reader = state.reader_cache.of(entry)
    if isinstance(reader, SightlineError):
        return SampleView(grade=row, faults=(str(reader),))
    return load_sample(reader, position, row, attempt, repeat)


def _other_run(request: Request, position: int, row: Row | None) -> dict[str, Any] | None:
    """What another run made of the same sample, where the address names one."""
    state = app_state(request)
    other = state.runs.find(request.query_params.get("beside", ""))
    if other is None or row is None:
        return None
    theirs, reader = find_grade(state, other, position, None)[0], state.reader_cache.of(other)
    if theirs is None or theirs["sample"] != row["sample"] or isinstance(reader, SightlineError):
        return None
    return {"entry": other, "row": theirs, "reply": load_reply(reader, position, theirs)}


def media_bytes(request: Request) -> Response:
    """A picture, or a text as a file."""
    medium, reader = _find_media(request)
    try:
        if medium.kind == "text":
            return _download(load_media_text(medium, reader.data))
        shown = load_image(medium, reader.data)
    except MediaError:
        raise HTTPException(404) from None
    return Response(shown.data, media_type=shown.mime, headers={"Cache-Control": "private, max-age=600"})


def reply_text(request: Request) -> Response:
    """One reply in full, as a file."""
    reader, position = _reader(request), request.path_params["position"]
    name = _sample_name(request) or getattr(read_sample(reader, position)[0], "id", "")
    attempts = reader.attempts(position, name, _requested_number(request, "repeat")) if name else []
    attempt, turn = request.path_params["attempt"], request.path_params["turn"]
    if not (0 < attempt <= len(attempts) and 0 < turn <= len(attempts[attempt - 1].answers)):
        raise HTTPException(404)
    return _download(attempts[attempt - 1].answers[turn - 1].full_text)


def _download(text: str) -> Response:
    headers = {"Content-Disposition": 'attachment; filename="text.txt"'}
    return Response(text.encode("utf-8", "replace"), media_type="text/plain; charset=utf-8", headers=headers)


def _find_media(request: Request) -> tuple[Media, SampleReader]:
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


def _reader(request: Request) -> SampleReader:
    reader = app_state(request).reader_cache.of(find_run(request, request.path_params["run"]))
    if isinstance(reader, SightlineError):
        raise HTTPException(404)
    return reader
