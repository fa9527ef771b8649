"""Text normalization for scoring: answer extraction, case folding, tokenization; and targets as texts."""

from __future__ import annotations

import re
import unicodedata
from collections import deque
from typing import Any

import msgspec

from sightline.core.records import Score
from sightline.scoring.parsers.thinking import without_thinking

EMPTY_REPLY = "the reply is empty"
INVALID_TARGET_TEXT = "the truth is not a text"

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Scripts written without spaces, as part of a character class."""

_TOKEN = re.compile(rf"[{CJK}]|[^\W_{CJK}]++")
_TAGS = (("<answer>", "</answer>"), ("<|begin_of_box|>", "<|end_of_box|>"))
_ANSWER_PREFIX = re.compile(
    r"(?:\b(?:final\s+)?(?:answer|ans)\b(?:\s+is(?![a-z]))?[\s*_]*+(?:[:：][\s*_]*+|(?<=is)\s++|(?<=is\s)|$)"
    r"|(?:最终)?答案\s*+(?:应该|应当|应)?(?:是|为|：|:)[\s*_：:]*+)",
    re.IGNORECASE,
)
_LEADING_MARKS = " \t\r\n\"'`“”‘’«»「」『』*_$。!！?？，;；:："
_TRAILING_MARKS = _LEADING_MARKS + ".,"
_MAX_BOX_LENGTH = _MAX_ANSWER_LENGTH = 2000
_MAX_PREFIXES = 50


def unparsed_score(note: str) -> Score:
    """Return the score of a reply that contains nothing to compare."""
    return Score(value=0.0, status="unparsed", message=note)


def invalid_score(note: str) -> Score:
    """Return the score of a sample whose target cannot be used."""
    return Score(value=0.0, status="invalid", message=note)


def fold(text: str) -> str:
    """Normalize to NFKC, case-folded, with single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def strip_punctuation(text: str) -> str:
    """Strip quotes, Markdown emphasis and punctuation at both ends; unchanged if nothing else is left."""
    return text.lstrip(_LEADING_MARKS).rstrip(_TRAILING_MARKS) or text.strip()


def extract_answer(reply: str) -> str:
    """Extract the answer of a reply: without reasoning; inside answer tags, box tokens or `\\boxed{}` if there are any.

    A reply that is only {"answer": …} is that answer.
    """
    text = without_thinking(reply)
    for opening, closing in _TAGS:
        end = text.rfind(closing)
        start = text.rfind(opening, 0, end if end >= 0 else len(text))
        if start >= 0:
            inner = text[start + len(opening) : end if end > start else len(text)].strip()
            if inner:
                return inner
    return (_boxed_answer(text) or _json_answer(text.strip()) or text).strip()


def _json_answer(text: str) -> str:
    """Return the answer of a reply that is the JSON object {"answer": …}."""
    inner = strip_code_fence(text) if len(text) < _MAX_ANSWER_LENGTH else ""
    if not (inner.startswith("{") and inner.endswith("}")):
        return ""
    try:
        value = msgspec.json.decode(inner.encode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError):
        return ""
    return as_text(value["answer"]) or "" if isinstance(value, dict) and set(value) == {"answer"} else ""


def _boxed_answer(text: str) -> str:
    """Return the content of the last `\\boxed{…}` with balanced braces."""
    start = text.rfind("\\boxed{")
    if start < 0:
        return ""
    depth, start = 1, start + len("\\boxed{")
    for index in range(start, min(len(text), start + _MAX_BOX_LENGTH)):
        depth += {"{": 1, "}": -1}.get(text[index], 0)
        if not depth:
            return text[start:index]
    return ""


def find_prefixed_answers(text: str) -> list[str]:
    """Return the rest of the line after each "Answer:", "the answer is" or "答案是"; only the last ones of many."""
    answers = []
    for prefix in deque(_ANSWER_PREFIX.finditer(text), maxlen=_MAX_PREFIXES):
        end = text.find("\n", prefix.end(), prefix.end() + _MAX_ANSWER_LENGTH)
        if answer := text[prefix.end() : end if end >= 0 else prefix.end() + _MAX_ANSWER_LENGTH].strip():
            answers.append(answer)
    return answers


def tokenize(text: str) -> list[str]:
    """Split into folded words, numbers, and single characters of scripts without spaces."""
    return _TOKEN.findall(fold(text))


def strip_code_fence(text: str) -> str:
    """Return the content if the whole text is one fenced code block, else the text."""
    if len(text) > 6 and text.startswith("```") and text.endswith("```") and "\n" in text:
        inner = text[text.index("\n") + 1 : -3]
        return text if "```" in inner else inner.strip()
    return text


def as_text(value: Any) -> str | None:
    """Convert a scalar to text; None for any other value."""
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
    """Convert a scalar or a list of scalars to a list of texts; empty if any item is not a scalar."""
    values = list(value) if isinstance(value, list | tuple) else [value]
    texts = [as_text(item) for item in values]
    return [text for text in texts if text is not None] if None not in texts else []
