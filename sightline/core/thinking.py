"""Thinking blocks such as `<think>…</think>` in replies: separation of the reasoning from the answer."""

from __future__ import annotations

import re

_TAG = re.compile(
    r"</?(?:think|thinking|reasoning|thought|seed:think)>|◁/?think▷|\[/?THINK\]",  # Seed-OSS, Kimi-VL, Magistral
    re.IGNORECASE,
)


def split_thinking(text: str) -> tuple[str, str, bool]:
    """The answer and the thinking of a reply, and whether a block is unclosed, which then extends to the end.

    Servers often drop the opening tag, so a lone closing tag ends a block that began with the reply. The running time
    is linear, even for a hostile reply that consists only of tags.
    """
    answer: list[str] = []
    thinking: list[str] = []
    start, inside = 0, False
    for tag in _TAG.finditer(text):
        closes = tag.group().startswith("/", 1)
        block = text[start : tag.start()]
        if inside:
            thinking.append(block)
        elif closes:
            thinking += [*answer, block]
            answer.clear()
        else:
            answer.append(block)
        inside = not closes
        start = tag.end()
    (thinking if inside else answer).append(text[start:])
    return "".join(answer), "".join(thinking), inside
