"""Reasoning that a model writes before its answer is not the answer."""

from __future__ import annotations

import re

_TAG = re.compile(r"<(/?)(?:think|thinking|reasoning|thought)>", re.IGNORECASE)


def without_thinking(text: str) -> str:
    """The reply without thinking blocks; one that never closes takes all that follows with it.

    Servers often swallow the opening tag, so a lone closing tag ends a block that began with the reply. The tags are
    passed once, so that a hostile reply made of nothing but tags takes no longer than its length.
    """
    kept: list[str] = []
    start, inside = 0, False
    for tag in _TAG.finditer(text):
        closes = bool(tag.group(1))
        if not inside and not closes:
            kept.append(text[start : tag.start()])
        if not inside and closes:
            kept.clear()
        inside = not closes
        start = tag.end()
    if not inside:
        kept.append(text[start:])
    return "".join(kept)
