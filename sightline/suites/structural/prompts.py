"""Prompts and feedback: the FrameCalc format in English and Chinese, with three closing instructions."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct

from sightline.core.records import Grade

KINDS = ("standard", "reasoning", "strict")


class _Texts(Struct, frozen=True):
    """The texts of prompts.toml in one language."""

    format: str
    again: str
    closings: dict[str, str]
    feedback: dict[str, str]


_TEXTS = msgspec.toml.decode(Path(__file__).with_suffix(".toml").read_bytes(), type=dict[str, _Texts])


LANGUAGES = tuple(_TEXTS)


def prompt_text(kind: str, language: str) -> str:
    """The prompt of a kind (`standard`, `reasoning`, `strict`) in a language (`en`, `zh`)."""
    texts = _TEXTS[language]
    return f"{texts.format}\n{texts.closings[kind]}"


def feedback(grade: Grade, language: str) -> str:
    """The feedback for the first wrong stage, with what is wrong with the reply by itself, whatever the drawing."""
    texts = _TEXTS[language]
    stage = str(grade.values.get("stage", "unreadable"))
    faults = grade.values.get("reply_faults", {}).get(language, [])
    lines = [texts.feedback.get(stage, texts.feedback["unreadable"]), *(f"- {fault}" for fault in faults)]
    return "\n".join(lines) + f"\n\n{texts.again}"
