"""What a suite asks first, in words alone."""

from __future__ import annotations

from sightline.core.interfaces import Suite
from sightline.core.records import Sample, Text


def first_words(suite: Suite, sample: Sample) -> str:
    """The text of the first prompt without pictures and reports; the sample's id where there is none."""
    prompt = suite.turn(sample, [])
    parts = [part for message in prompt.messages for part in message.parts] if prompt is not None else []
    return "\n\n".join(part.text for part in parts if isinstance(part, Text)) or sample.question or sample.id
