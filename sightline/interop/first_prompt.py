"""Text of a sample's first prompt."""

from __future__ import annotations

from sightline.core.interfaces import Suite
from sightline.core.records import Sample, Text


def first_prompt_text(suite: Suite, sample: Sample) -> str:
    """Return the text of the first prompt without media; the sample's id if it has none."""
    prompt = suite.next_prompt(sample, [])
    parts = [part for message in prompt.messages for part in message.parts] if prompt is not None else []
    return "\n\n".join(part.text for part in parts if isinstance(part, Text)) or sample.question or sample.id
