"""Reply scorers: each compares the text of one reply with its target and gives a score from 0 to 1.

Each is registered by name (`sightline.scorers`) and looked up by the matrix suite; others may import the classes.
"""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

from msgspec import Struct

from sightline.core.records import Score


class Question(Struct, frozen=True, kw_only=True):
    """The question as a scorer sees it: target, answer options and metadata."""

    target: Any
    """The truth, in the form that the scorer documents."""
    options: tuple[str, ...] = ()
    metadata: dict[str, Any] = {}
    """More that belongs to the question, such as `tolerance`."""


class ReplyScorer(Protocol):
    """Interface of a reply scorer. `score` must not raise, whatever the reply contains."""

    title: ClassVar[str]
    accepts: ClassVar[tuple[tuple[Any, str], ...]]
    """Examples (target, reply) that score 1; the target is a `Question` where options or metadata matter
    (`make_question` takes both)."""
    refuses: ClassVar[tuple[tuple[Any, str], ...]]
    """Examples (target, reply) that score less than 1."""

    def score(self, reply: str, question: Question) -> Score:
        """Score a reply against the target of the question."""


Examples = tuple[tuple[Any, str], ...]
"""Examples of a scorer: pairs of a target (or a whole `Question`) and a reply."""


def make_question(target: Any) -> Question:
    """Wrap the target of an example as a question, unless it is one already."""
    return target if isinstance(target, Question) else Question(target=target)
