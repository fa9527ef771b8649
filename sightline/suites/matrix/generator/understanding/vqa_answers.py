"""Simulated answers of ten annotators, for VQA accuracy."""

from __future__ import annotations

from sightline.suites.matrix.generator.item import Item

_ANNOTATORS = 10


def annotator_answers(answer: str, *variants: str) -> list[str]:
    """Return ten annotator answers: the answer at least eight times, and variants."""
    fresh = [variant for variant in variants if variant != answer][:2]
    return [answer] * (_ANNOTATORS - len(fresh)) + fresh


def make_item(question: str, answers: list[str], *pictures: bytes) -> Item:
    """Make a sample with a short answer."""
    return Item(question=question, ground_truth=answers, metric="vqa_accuracy", pictures=pictures)


def clock_answers(hour: int, minute: int) -> list[str]:
    """Return annotator answers for a time on a 12-hour clock."""
    shown = (hour - 1) % 12 + 1
    return annotator_answers(f"{shown}:{minute:02d}", f"{shown:02d}:{minute:02d}")
