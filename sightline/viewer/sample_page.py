"""One sample: picture with truth and reply over it, what was asked, every attempt, the grade and why."""

from __future__ import annotations

from typing import Any

import duckdb
import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from sightline.errors import SightlineError
from sightline.grading.one import grade_invalid, grade_sample
from sightline.language import say
from sightline.records import Grade, Invalid, Sample
from sightline.runs.history import Attempt
from sightline.viewer.desk import Desk, desk_of, entry_of
from sightline.viewer.differences import side_by_side
from sightline.viewer.filters import Filter, read_filter
from sightline.viewer.grades import Row
from sightline.viewer.plates import Subject, plates
from sightline.viewer.render import page, speak
from sightline.viewer.run_page import task_names
from sightline.viewer.samples import Reader, all_media, shown_prompt
from sightline.viewer.shelf import Entry
from sightline.viewer.texts import clip, pretty

LARGEST = 2**62
"""A position beyond is no position, and would not fit into a column."""
Around = tuple[int, int | None, int | None, int]
_NOWHERE: Around = (-1, None, None, 0)


def sample_page(request: Request) -> Response:
    """The page of a sample."""
    speak(request)
    desk, entry = desk_of(request), entry_of(request, request.path_params["run"])
    position, wanted = request.path_params["position"], read_filter(request.query_params)
    row, around = graded(desk, entry, position, wanted)
    told = _told(desk, entry, position, row)
    row = row or told["grade"]
    if row is None and told["sample"] is None:
        raise HTTPException(404)
    told |= _saved_texts(row, told)
    drawn = any(plate.truth is not None for plate in told["plates"])
    told["difference"] = None if drawn else side_by_side(told["truth"], told["reply"])
    where = {"entry": entry, "position": position, "wanted": wanted, "around": around}
    where["beside"] = _beside(request, position, row)
    values = clip(pretty(row["values"] or "")) if row else None
    return page(request, "sample.html", **where, **told, row=row, values=values, task_names=task_names(entry.summary))


def graded(desk: Desk, entry: Entry, position: int, wanted: Filter | None) -> tuple[Row | None, Around]:
    """The grade of a sample, and its place among those that a filter finds."""
    if not entry.graded or position > LARGEST:
        return None, _NOWHERE
    try:
        row = desk.grades.row(entry.folder.grades, position)
        if wanted is None:
            return row, _NOWHERE
        found = desk.grades.found(entry.folder.grades, wanted)
    except duckdb.Error:
        return None, _NOWHERE
    return row, (*found.around(position), len(found))


def read_sample(reader: Reader, position: int, name: str = "") -> tuple[Sample | Invalid | None, str]:
    """The sample, or why there is none."""
    if position > LARGEST:
        return None, ""
    try:
        return reader.sample(position, name), ""
    except SightlineError as error:
        return None, str(error)
    except (OSError, ValueError, KeyError) as error:
        return None, say("The data set can't be read: {why}", why=error)


def _beside(request: Request, position: int, row: Row | None) -> dict[str, Any] | None:
    """What another run made of the same sample, where the address names one."""
    desk = desk_of(request)
    other = desk.shelf.find(request.query_params.get("beside", ""))
    if other is None or row is None:
        return None
    theirs = graded(desk, other, position, None)[0]
    reader = desk.readers.of(other)
    if theirs is None or theirs["sample"] != row["sample"] or isinstance(reader, SightlineError):
        return None
    return {"entry": other, "row": theirs, "reply": _replied(reader.attempts(position, row["sample"]))["reply"]}


def _told(desk: Desk, entry: Entry, position: int, row: Row | None) -> dict[str, Any]:
    """All that data set and journal tell of a sample."""
    reader = desk.readers.of(entry)
    told = {"sample": None, "grade": None, "faults": [], "plates": [], "prompts": [], "truth": None, **_replied([])}
    if isinstance(reader, SightlineError):
        return told | {"faults": [str(reader)]}
    name = row["sample"] if row else ""
    sample, fault = read_sample(reader, position, name)
    if sample is None:
        missing = fault or (say("The data set has no such sample.") if name else "")
        attempts = reader.attempts(position, name) if name else []
        return told | {"faults": [missing] if missing else []} | _replied(attempts)
    if isinstance(sample, Invalid):
        return told | {"sample": sample, "grade": _as_row(grade_invalid(position, sample))}
    return told | _asked(reader, position, sample, row)


def _asked(reader: Reader, position: int, sample: Sample, row: Row | None) -> dict[str, Any]:
    attempts = reader.attempts(position, sample.id)
    grade = grade_sample(reader.suite, position, sample, attempts) if attempts and row is None else None
    prompts = reader.prompts(sample, attempts)
    media = all_media(sample, prompts)
    said = _said(attempts) or (row or {}).get("reply") or ""
    truth = reader.suite.ideal(sample)
    return {
        **_replied(attempts),
        "sample": sample,
        "grade": _as_row(grade) if grade else None,
        "truth": clip(pretty(truth)),
        "plates": plates(Subject(reader.suite, reader.data, sample, truth, said), media),
        "prompts": [[shown_prompt(prompt, media) for prompt in turns] for turns in prompts],
    }


def _said(attempts: list[Attempt]) -> str | None:
    """The reply that the headline rests on: the last turn of the first attempt."""
    return attempts[0].answers[-1].text if attempts and attempts[0].answers else None


def _replied(attempts: list[Attempt]) -> dict[str, Any]:
    said = _said(attempts)
    shown = [([(answer, clip(answer.text)) for answer in attempt.answers], attempt.failure) for attempt in attempts]
    return {"attempts": shown, "reply": None if said is None else clip(pretty(said))}


def _saved_texts(row: Row | None, told: dict[str, Any]) -> dict[str, Any]:
    """Truth and reply that the grades keep themselves, where there is nothing better."""
    return {name: clip(pretty(row[name])) for name in ("truth", "reply") if row and row.get(name) and not told[name]}


def _as_row(grade: Grade) -> Row:
    return {**msgspec.to_builtins(grade), "values": msgspec.json.encode(grade.values).decode()}
