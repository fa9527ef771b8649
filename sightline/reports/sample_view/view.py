"""`SampleView`: all that a page shows of one sample, with its attempts, its grade and the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sightline.core.errors import SightlineError
from sightline.core.interfaces import Drawing, oracle_reply
from sightline.core.records import Answer, Attempt, Failure, Grade, Invalid, Media, Prompt, Sample
from sightline.core.remarks import english_text
from sightline.i18n import tr
from sightline.reports.sample_view.media import MediaView, Subject, media_views, sample_drawings
from sightline.reports.sample_view.reader import SampleReader
from sightline.reports.sample_view.texts import Clip, clip, pretty_json
from sightline.scoring.grades.messages import encode_remark
from sightline.scoring.sample_scorer import blank_unusable, grade_attempt, grade_invalid, grade_sample


class PromptPart(Struct, frozen=True):
    """A prompt's part on a page: words, or a medium by its number."""

    role: str
    text: str = ""
    media: int = -1


def all_media(sample: Sample, prompts: Sequence[Sequence[Prompt]]) -> list[Media]:
    """The media of a sample and of its prompts, each once; media views and URLs count in this list."""
    sent = [
        part
        for turns in prompts
        for prompt in turns
        for message in prompt.messages
        for part in message.parts
        if isinstance(part, Media)
    ]
    return list(dict.fromkeys((*sample.media, *sent)))


def prompt_parts(prompt: Prompt, media: Sequence[Media]) -> tuple[PromptPart, ...]:
    """The parts of a prompt in their order."""
    numbers = {medium: number for number, medium in enumerate(media)}
    return tuple(
        PromptPart(message.role, media=numbers[part])
        if isinstance(part, Media)
        else PromptPart(message.role, text=part.text)
        for message in prompt.messages
        for part in message.parts
    )


MAX_POSITION = 2**62
"""A position beyond is no position, and would not fit into a column."""

GradeRow = Mapping[str, Any]
"""A line of grades.parquet, `values` as JSON text; truth and reply where they were kept."""


class ReplyView(Struct, frozen=True):
    """An answer, and as much of its text as a page can bear."""

    answer: Answer
    text: Clip
    reasoning: Clip | None = None
    """What the model thought before its answer."""


class AttemptView(Struct, frozen=True):
    """One attempt: its answers in the order of turns, and the failure that ended it, if one did."""

    replies: tuple[ReplyView, ...]
    failure: Failure | None


class SampleView(Struct, frozen=True, kw_only=True):
    """A sample on a page. What is missing is empty, and `faults` say why."""

    sample: Sample | Invalid | None = None
    grade: GradeRow | None = None
    """The grade that was given; else, where the run is not graded yet, the one that the journal earns."""
    faults: tuple[str, ...] = ()
    truth: Clip | None = None
    reply: Clip | None = None
    """The last turn of the attempt that was asked for."""
    reasoning: Clip | None = None
    """What the model thought before that reply."""
    media_views: tuple[MediaView, ...] = ()
    media: tuple[Media, ...] = ()
    """Media views and prompts name media by their number in this list."""
    prompts: tuple[tuple[tuple[PromptPart, ...], ...], ...] = ()
    """What was asked: by attempt, turn and part."""
    attempts: tuple[AttemptView, ...] = ()
    drawings: tuple[Drawing, ...] = ()

    @property
    def has_overlays(self) -> bool:
        """Whether truth and reply are shapes over a picture."""
        return any(media.truth is not None for media in self.media_views)


def load_sample(
    reader: SampleReader, position: int, row: GradeRow | None = None, attempt: int = 1, repeat: int = 1
) -> SampleView:
    """The sample at a position of the data set, which the row (its line of the grades) may know by name.

    Nothing is raised for anything that data, journal or replies hold.
    """
    name = str(row["sample"]) if row else ""
    sample, fault = read_sample(reader, position, name)
    row, lost = _add_saved_reply(reader, position, row)
    if isinstance(sample, Sample):
        attempts = reader.attempts(position, sample.id, repeat)
        return replace(_view_sample(reader, position, sample, row, attempts, attempt), faults=lost)
    if isinstance(sample, Invalid):
        return SampleView(
            sample=sample,
            reply=_stored_text(row, "reply"),
            faults=lost,
            grade=row or _as_row(grade_invalid(position, sample)),
        )
    missing = fault or (tr("The data set has no such sample.") if name else "")
    attempts = reader.attempts(position, name, repeat) if name else []
    return SampleView(
        grade=row,
        faults=((missing,) if missing else ()) + lost,
        truth=_stored_text(row, "truth"),
        reply=_reply_text(attempts, row, attempt),
        attempts=_view_attempts(attempts),
    )


def load_reply(reader: SampleReader, position: int, row: GradeRow) -> Clip | None:
    """The first attempt's reply alone, where the rest of the sample is on the page already."""
    return _reply_text(reader.attempts(position, str(row["sample"])), _add_saved_reply(reader, position, row)[0], 1)


def _add_saved_reply(
    reader: SampleReader, position: int, row: GradeRow | None
) -> tuple[GradeRow | None, tuple[str, ...]]:
    """The row with the reply from the output file where the grades have none, and why it can't be read."""
    if row is None or row.get("reply") is not None:
        return row, ()
    try:
        text = reader.saved_reply(position)
        return (row if text is None else {**row, "reply": text}), ()
    except SightlineError as error:
        return row, (str(error),)
    except OSError as error:
        return row, (tr("Cannot read the reply: {why}", why=error.strerror),)


def read_sample(reader: SampleReader, position: int, name: str = "") -> tuple[Sample | Invalid | None, str]:
    """The sample, or why there is none."""
    if not 0 <= position <= MAX_POSITION:
        return None, ""
    try:
        return reader.sample(position, name), ""
    except SightlineError as error:
        return None, str(error)
    except (OSError, ValueError, KeyError) as error:
        return None, tr("Cannot read the data set: {why}", why=error)


def _view_sample(
    reader: SampleReader, position: int, sample: Sample, row: GradeRow | None, attempts: list[Attempt], attempt: int
) -> SampleView:
    suite = reader.suite
    prompts = reader.prompts(sample, attempts)
    media = all_media(sample, prompts)
    answer = _last_answer(attempts, attempt)
    stored = (row or {}).get("reply")
    reply = answer.full_text if answer else stored
    truth = oracle_reply(suite, sample)
    scale = answer.pictures[0].scale if answer and answer.pictures else (1.0, 1.0)
    grade = row
    if row is None and attempts:
        grade = _as_row(grade_sample(suite, position, sample, attempts))
    if grade is not None and len(attempts) > 1 and attempt > 1:  # the row holds the grade of the first attempt
        chosen = _as_row(grade_attempt(suite, sample, attempts[min(attempt, len(attempts)) - 1]))
        grade = {**grade, **{name: chosen[name] for name in ("status", "score", "message", "remark", "values")}}
    return SampleView(
        sample=sample,
        grade=grade,
        truth=clip(pretty_json(truth)) if truth else _stored_text(row, "truth"),
        reply=_reply_text(attempts, row, attempt),
        reasoning=_reasoning_text(answer),
        media_views=tuple(media_views(Subject(suite, reader.data, sample, truth, reply, scale), media)),
        media=tuple(media),
        prompts=tuple(tuple(prompt_parts(prompt, media) for prompt in turns) for turns in prompts),
        attempts=_view_attempts(attempts),
        drawings=sample_drawings(suite, sample, blank_unusable(suite, answer).text if answer else stored or ""),
    )


def _last_answer(attempts: Sequence[Attempt], number: int) -> Answer | None:
    """The reply that an attempt is graded by: its last turn; of the last attempt if there are fewer."""
    answers = attempts[min(number, len(attempts)) - 1].answers if attempts else []
    return answers[-1] if answers else None


def _reply_text(attempts: Sequence[Attempt], row: GradeRow | None, number: int) -> Clip | None:
    answer = _last_answer(attempts, number)
    return _stored_text(row, "reply") if answer is None else clip(pretty_json(answer.full_text))


def _view_attempts(attempts: Sequence[Attempt]) -> tuple[AttemptView, ...]:
    return tuple(
        AttemptView(
            tuple(ReplyView(answer, clip(answer.full_text), _reasoning_text(answer)) for answer in attempt.answers),
            attempt.failure,
        )
        for attempt in attempts
    )


def _reasoning_text(answer: Answer | None) -> Clip | None:
    return clip(answer.reasoning) if answer is not None and answer.reasoning else None


def _stored_text(row: GradeRow | None, name: str) -> Clip | None:
    """A text that the grades keep themselves."""
    text = (row or {}).get(name)
    return clip(pretty_json(str(text))) if text or (name == "reply" and text is not None) else None


def _as_row(grade: Grade) -> GradeRow:
    texts = {"message": english_text(grade.message), "remark": encode_remark(grade.message)}
    return {**msgspec.to_builtins(grade), **texts, "values": msgspec.json.encode(grade.values).decode()}
