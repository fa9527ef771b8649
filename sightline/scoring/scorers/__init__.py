"""Per-sample scorers: each maps one reply and its target to a score from 0 to 1.

Scorers are called markers in the plug-in interface; each is registered by name and can be used by any suite.
"""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

from msgspec import Struct

from sightline.core.records import State


class Asked(Struct, frozen=True, kw_only=True):
    """The question as a scorer sees it: target, options and further facts."""

    target: Any
    """The truth, in the form that the marker documents."""
    options: tuple[str, ...] = ()
    facts: dict[str, Any] = {}
    """More that belongs to the question, such as `tolerance`."""


class Mark(Struct, frozen=True, kw_only=True):
    """The score of one reply, with its status and details."""

    score: float
    state: State = "ok"
    """`unparsed` where the reply holds nothing that could be marked, `invalid` where the truth can't be used, and
    `failed` where the marker itself could not do its work."""
    note: str = ""
    values: dict[str, Any] = {}
    """Secondary values of the same reply, such as an error rate beside a similarity."""


class Marker(Protocol):
    """Interface of a per-sample scorer. `mark` must not raise, whatever the reply contains."""

    title: ClassVar[str]
    accepts: ClassVar[tuple[tuple[Any, str], ...]]
    """Examples (target, reply) that score 1; the target is replaced by an `Asked` where options or facts matter
    (`sightline.scoring.scorers.examples.asked_of` takes both)."""
    refuses: ClassVar[tuple[tuple[Any, str], ...]]
    """Examples (target, reply) that score less than 1."""

    def mark(self, reply: str, asked: Asked) -> Mark:
        """Score a reply against the target of the question."""
