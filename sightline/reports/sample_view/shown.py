"""All that is told of one sample: read again from the data set, with its attempts, its grade and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sightline.core.errors import SightlineError
from sightline.core.interfaces import Drawing
from sightline.core.records import Answer, Attempt, Failure, Grade, Invalid, Media, Sample
from sightline.i18n import tr
from sightline.reports.sample_view.drawings import drawings
from sightline.reports.sample_view.plates import Plate, Subject, plates
from sightline.reports.sample_view.prompts import Part, all_media, prompt_parts
from sightline.reports.sample_view.reader import Reader
from sightline.reports.sample_view.texts import Clip, clip, pretty
from sightline.scoring.sample_scorer import grade_invalid, grade_sample, usable

LARGEST = 2**62
"""A position beyond is no position, and would not fit into a column."""

Row = Mapping[str, Any]
"""A line of grades.parquet, `values` as JSON text; truth and reply where they were kept."""


class Said(Struct, frozen=True):
    """An answer, and as much of its text as a page can bear."""

    answer: Answer
    text: Clip


class Tried(Struct, frozen=True):
    """One attempt: its answers in the order of turns, and the failure that ended it, if one did."""

    answers: tuple[Said, ...]
    failure: Failure | None


class Shown(Struct, frozen=True, kw_only=True):
    """A sample on a page. What is missing is empty, and `faults` say why."""

    sample: Sample | Invalid | None = None
    grade: Row | None = None
    """The grade that was given; else, where the run is not graded yet, the one that the journal earns."""
    faults: tuple[str, ...] = ()
    truth: Clip | None = None
    reply: Clip | None = None
    """The last turn of the attempt that was asked for."""
    plates: tuple[Plate, ...] = ()
    media: tuple[Media, ...] = ()
    """Plates and prompts name media by their number in this list."""
    prompts: tuple[tuple[tuple[Part, ...], ...], ...] = ()
    """What was asked: by attempt, turn and part."""
    attempts: tuple[Tried, ...] = ()
    drawings: tuple[Drawing, ...] = ()

    @property
    def drawn(self) -> bool:
        """Whether truth and reply are shapes over a picture."""
        return any(plate.truth is not None for plate in self.plates)


def load_sample(reader: Reader, position: int, row: Row | None = None, attempt: int = 1) -> Shown:
    """The sample at a position of the data set, which the row (its line of the grades) may know by name.

    Nothing is raised for anything that data, journal or replies hold.
    """
    name = str(row["sample"]) if row else ""
    sample, fault = read_sample(reader, position, name)
    row, lost = _with_reply(reader, position, row)
    if isinstance(sample, Sample):
        return replace(_asked(reader, position, sample, row, attempt), faults=lost)
    if isinstance(sample, Invalid):
        return Shown(
            sample=sample, reply=_kept(row, "reply"), faults=lost, grade=row or _as_row(grade_invalid(position, sample))
        )
    missing = fault or (tr("The data set has no such sample.") if name else "")
    attempts = reader.attempts(position, name) if name else []
    return Shown(
        grade=row,
        faults=((missing,) if missing else ()) + lost,
        truth=_kept(row, "truth"),
        reply=_reply(attempts, row, attempt),
        attempts=_tried(attempts),
    )


def load_reply(reader: Reader, position: int, row: Row) -> Clip | None:
    """The first attempt's reply alone, where the rest of the sample is on the page already."""
    return _reply(reader.attempts(position, str(row["sample"])), _with_reply(reader, position, row)[0], 1)


def _with_reply(reader: Reader, position: int, row: Row | None) -> tuple[Row | None, tuple[str, ...]]:
    """The row with the reply from the output file where the grades hold none; why not, where it can't be had."""
    if row is None or row.get("reply") is not None:
        return row, ()
    try:
        text = reader.saved_reply(position)
        return (row if text is None else {**row, "reply": text}), ()
    except SightlineError as error:
        return row, (str(error),)
    except OSError as error:
        return row, (tr("The reply can't be read: {why}", why=error.strerror),)


def read_sample(reader: Reader, position: int, name: str = "") -> tuple[Sample | Invalid | None, str]:
    """The sample, or why there is none."""
    if not 0 <= position <= LARGEST:
        return None, ""
    try:
        return reader.sample(position, name), ""
    except SightlineError as error:
        return None, str(error)
    except (OSError, ValueError, KeyError) as error:
        return None, tr("The data set can't be read: {why}", why=error)


def _asked(reader: Reader, position: int, sample: Sample, row: Row | None, attempt: int) -> Shown:
    suite = reader.suite
    attempts = reader.attempts(position, sample.id)
    prompts = reader.prompts(sample, attempts)
    media = all_media(sample, prompts)
    said = _said(attempts, attempt)
    kept = (row or {}).get("reply")
    told = said.text if said else kept
    truth = suite.oracle_reply(sample)
    grade = row
    if row is None and attempts:
        grade = _as_row(grade_sample(suite, position, sample, attempts))
    return Shown(
        sample=sample,
        grade=grade,
        truth=clip(pretty(truth)) if truth else _kept(row, "truth"),
        reply=_reply(attempts, row, attempt),
        plates=tuple(plates(Subject(suite, reader.data, sample, truth, told), media)),
        media=tuple(media),
        prompts=tuple(tuple(prompt_parts(prompt, media) for prompt in turns) for turns in prompts),
        attempts=_tried(attempts),
        drawings=drawings(suite, sample, usable(suite, said).text if said else kept or ""),
    )


def _said(attempts: Sequence[Attempt], number: int) -> Answer | None:
    """The reply that an attempt's grade rests on: its last turn. The last attempt where there are not so many."""
    answers = attempts[min(number, len(attempts)) - 1].answers if attempts else []
    return answers[-1] if answers else None


def _reply(attempts: Sequence[Attempt], row: Row | None, number: int) -> Clip | None:
    said = _said(attempts, number)
    return _kept(row, "reply") if said is None else clip(pretty(said.text))


def _tried(attempts: Sequence[Attempt]) -> tuple[Tried, ...]:
    return tuple(
        Tried(tuple(Said(answer, clip(answer.text)) for answer in attempt.answers), attempt.failure)
        for attempt in attempts
    )


def _kept(row: Row | None, name: str) -> Clip | None:
    """A text that the grades keep themselves."""
    text = (row or {}).get(name)
    return clip(pretty(str(text))) if text or (name == "reply" and text is not None) else None


def _as_row(grade: Grade) -> Row:
    return {**msgspec.to_builtins(grade), "values": msgspec.json.encode(grade.values).decode()}
