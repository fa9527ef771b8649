"""Removal of reasoning blocks such as `<think>…</think>` from replies."""

from __future__ import annotations

import re

_TAG = re.compile(r"<(/?)(?:think|thinking|reasoning|thought)>", re.IGNORECASE)


def without_thinking(text: str) -> str:
    """The reply without thinking blocks; an unclosed block extends to the end.

    Servers often drop the opening tag, so a lone closing tag ends a block that began with the reply. The running time
    is linear, even for a hostile reply that consists only of tags.
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
