"""A question and the rule that answers it from a case's facts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from msgspec import Struct

Facts = TypeVar("Facts")


class Question(Struct, Generic[Facts], frozen=True):
    """Asked of every case of a domain."""

    qid: str
    text: str
    rule: Callable[[Facts], bool]


def answer_all(questions: tuple[Question[Facts], ...], facts: Facts) -> dict[str, bool]:
    """The answers by question id."""
    return {question.qid: bool(question.rule(facts)) for question in questions}
