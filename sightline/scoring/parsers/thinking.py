"""Removal of reasoning blocks such as `<think>…</think>` from replies."""

from __future__ import annotations

from sightline.core.thinking import split_thinking


def without_thinking(text: str) -> str:
    """The reply without thinking blocks; an unclosed block extends to the end."""
    return split_thinking(text)[0]
