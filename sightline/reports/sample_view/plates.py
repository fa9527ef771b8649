"""The media of a sample as a page shows them: pictures with shapes over them, texts, or a word why not."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from sightline.core.errors import MediaError
from sightline.core.interfaces import Suite
from sightline.core.records import Media, Sample
from sightline.data.media import load_text
from sightline.reports.sample_view.overlays import Layer, has_overlay, layer, overlay_svg, spaces
from sightline.reports.sample_view.pictures import content, picture
from sightline.reports.sample_view.texts import Clip, clip

MOST_PLATES = 24


class Plate(Struct, frozen=True, kw_only=True):
    """A medium on the page."""

    number: int
    width: int = 0
    height: int = 0
    truth: Layer | None = None
    reply: Layer | None = None
    """None where no reply is kept, which is not a reply without shapes."""
    text: Clip | None = None
    fault: str = ""

    @property
    def overlay(self) -> str:
        """The shapes of truth and reply as one SVG; empty where the task has none."""
        if self.truth is None:
            return ""
        return overlay_svg((self.width, self.height), self.truth, self.reply)


class Subject(Struct, frozen=True):
    """What is drawn: a sample, its truth and its reply as texts."""

    suite: Suite
    data: Path
    sample: Sample
    truth: str
    reply: str | None
    """None: it is not kept."""


def plates(subject: Subject, media: list[Media]) -> list[Plate]:
    """All media that a page has room for."""
    return [_plate(subject, number, medium) for number, medium in enumerate(media[:MOST_PLATES])]


def text_of(medium: Media, data: Path) -> str:
    """The words of a medium that is a text."""
    if not medium.path:
        return load_text(medium)
    return content(medium, data).decode("utf-8-sig", "replace")


def _plate(subject: Subject, number: int, medium: Media) -> Plate:
    try:
        if medium.kind == "text":
            return Plate(number=number, text=clip(text_of(medium, subject.data)))
        shown = picture(medium, subject.data)
    except MediaError as error:
        return Plate(number=number, fault=str(error))
    task = subject.suite.tasks().get(subject.sample.task)
    size = shown.width, shown.height
    if task is None or not has_overlay(task):
        return Plate(number=number, width=size[0], height=size[1])
    of_truth, of_reply = spaces(subject.suite)
    return Plate(
        number=number,
        width=size[0],
        height=size[1],
        truth=layer(task, subject.truth, of_truth, size),
        reply=None if subject.reply is None else layer(task, subject.reply, of_reply, size),
    )
