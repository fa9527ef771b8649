"""Texts made comparable: what was said, folded, in tokens; and truths as texts."""

from __future__ import annotations

import re
import unicodedata
from collections import deque
from typing import Any

import msgspec

from sightline.scoring.parsers.thinking import without_thinking
from sightline.scoring.scorers import Mark

EMPTY_REPLY = "the reply is empty"
NO_TRUTH = "the truth is no text"

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Scripts written without spaces, as part of a character class."""

_TOKEN = re.compile(rf"[{CJK}]|[^\W_{CJK}]++")
_TAGS = (("<answer>", "</answer>"), ("<|begin_of_box|>", "<|end_of_box|>"))
_LEAD_IN = re.compile(
    r"(?:\b(?:final\s+)?(?:answer|ans)\b(?:\s+is(?![a-z]))?[\s*_]*+(?:[:：][\s*_]*+|(?<=is)\s++|(?<=is\s)|$)"
    r"|(?:最终)?答案\s*+(?:应该|应当|应)?(?:是|为|：|:)[\s*_：:]*+)",
    re.IGNORECASE,
)
_BEFORE = " \t\r\n\"'`“”‘’«»「」『』*_$。!！?？，;；:："
_AFTER = _BEFORE + ".,"
_DEEPEST_BOX = _LONGEST_ANSWER = 2000
_LEAD_INS = 50


def unparsed(note: str) -> Mark:
    """The reply holds nothing that could be marked."""
    return Mark(score=0.0, state="unparsed", note=note)


def invalid(note: str) -> Mark:
    """The truth can't be used."""
    return Mark(score=0.0, state="invalid", note=note)


def fold(text: str) -> str:
    """Unicode's compatible forms made one (NFKC), no difference of case, single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def trimmed(text: str) -> str:
    """Without quotes, Markdown's stars and marks around it; as it is where nothing else is left."""
    return text.lstrip(_BEFORE).rstrip(_AFTER) or text.strip()


def said(reply: str) -> str:
    """The reply without thinking, and of what is left the part in answer tags, in a box or in `\\boxed{}`.

    {"answer": …} and nothing else is that answer.
    """
    text = without_thinking(reply)
    for opening, closing in _TAGS:
        end = text.rfind(closing)
        start = text.rfind(opening, 0, end if end >= 0 else len(text))
        if start >= 0:
            inner = text[start + len(opening) : end if end > start else len(text)].strip()
            if inner:
                return inner
    return (_boxed(text) or _named_answer(text.strip()) or text).strip()


def _named_answer(text: str) -> str:
    """The answer of a reply that is a JSON object with nothing else in it."""
    inner = unfenced(text) if len(text) < _LONGEST_ANSWER else ""
    if not (inner.startswith("{") and inner.endswith("}")):
        return ""
    try:
        value = msgspec.json.decode(inner.encode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError):
        return ""
    return as_text(value["answer"]) or "" if isinstance(value, dict) and set(value) == {"answer"} else ""


def _boxed(text: str) -> str:
    """What stands in the last `\\boxed{…}`, braces balanced."""
    start = text.rfind("\\boxed{")
    if start < 0:
        return ""
    depth, start = 1, start + len("\\boxed{")
    for place in range(start, min(len(text), start + _DEEPEST_BOX)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if not depth:
            return text[start:place]
    return ""


def led_in(text: str) -> list[str]:
    """What follows "Answer:", "the answer is", "答案是", up to the end of its line; the last places of many."""
    found = []
    for lead in deque(_LEAD_IN.finditer(text), maxlen=_LEAD_INS):
        end = text.find("\n", lead.end(), lead.end() + _LONGEST_ANSWER)
        if rest := text[lead.end() : end if end >= 0 else lead.end() + _LONGEST_ANSWER].strip():
            found.append(rest)
    return found


def tokens(text: str) -> list[str]:
    """Folded words, numbers, and single characters of scripts without spaces."""
    return _TOKEN.findall(fold(text))


def unfenced(text: str) -> str:
    """What stands inside, where the whole text is one code fence."""
    if len(text) > 6 and text.startswith("```") and text.endswith("```") and "\n" in text:
        inner = text[text.index("\n") + 1 : -3]
        return text if "```" in inner else inner.strip()
    return text


def as_text(value: Any) -> str | None:
    """A plain value as a text; None for what is no plain value."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, int):
        return str(value) if abs(value) < 10**400 else None
    return None


def as_texts(value: Any) -> list[str]:
    """A text or a list of texts as a list; empty where anything in it is no plain value."""
    values = list(value) if isinstance(value, list | tuple) else [value]
    texts = [as_text(one) for one in values]
    return [text for text in texts if text is not None] if None not in texts else []
