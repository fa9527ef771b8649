"""Markers: what one reply to one question earns, from 0 to 1. Each is registered by name and usable by any suite."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

from msgspec import Struct

from sightline.core.records import State


class Asked(Struct, frozen=True, kw_only=True):
    """What a marker may know of a question."""

    target: Any
    """The truth, in the form that the marker documents."""
    options: tuple[str, ...] = ()
    facts: dict[str, Any] = {}
    """More that belongs to the question, such as `tolerance`."""


class Mark(Struct, frozen=True, kw_only=True):
    """What a reply earns, and why."""

    score: float
    state: State = "ok"
    """`unparsed` where the reply holds nothing that could be marked, `invalid` where the truth can't be used, and
    `failed` where the marker itself could not do its work."""
    note: str = ""
    values: dict[str, Any] = {}
    """More figures of the same reply, such as an error rate beside a likeness."""


class Marker(Protocol):
    """Marks replies; whatever the text, it never raises."""

    title: ClassVar[str]
    accepts: ClassVar[tuple[tuple[Any, str], ...]]
    """Examples (target, reply) with full marks; in place of the target stands an `Asked` where options or facts matter
    (`sightline.scoring.scorers.examples.asked_of` takes both)."""
    refuses: ClassVar[tuple[tuple[Any, str], ...]]
    """Examples (target, reply) that earn nothing or less than full marks."""

    def mark(self, reply: str, asked: Asked) -> Mark:
        """What the reply earns."""
