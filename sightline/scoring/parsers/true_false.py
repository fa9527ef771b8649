"""True/False parser, by the published rules of the simulation question set, in their order."""

from __future__ import annotations

import re

from sightline.core.records import Parsed, Unparsed
from sightline.scoring.parsers.thinking import without_thinking

_OPENING_WORD = re.compile(r"[\s\W_]*(true|false)\b", re.IGNORECASE)


def read_true_false(text: str) -> Parsed | Unparsed:
    """True or False with the rule that decided: `word`, `initial` or `letters`."""
    reply = without_thinking(text).lower().strip()
    has_true, has_false = "true" in reply, "false" in reply
    if has_true != has_false:
        return Parsed(has_true, "word")
    if reply.startswith("t"):
        return Parsed(True, "initial")
    if reply.startswith("f"):
        return Parsed(False, "initial")
    t, f = reply.count("t"), reply.count("f")
    if t == f:
        return Unparsed("neither True nor False" if not has_true else "both True and False")
    return Parsed(t > f, "letters")


def opens_with_answer(text: str) -> bool:
    """Whether the first word is the answer, so that even a truncated reply can be accepted."""
    return _OPENING_WORD.match(without_thinking(text)) is not None
