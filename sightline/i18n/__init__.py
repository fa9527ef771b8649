"""What people read, in English or Chinese. Code speaks English; `tr` looks the Chinese up at the last moment."""

from __future__ import annotations

import os
from contextvars import ContextVar
from pathlib import PurePath
from typing import Any

from sightline.i18n.printable import printable

LANGUAGES = ("en", "zh")
_chosen: ContextVar[str] = ContextVar("language", default="")


def set_language(language: str) -> None:
    """Choose `en` or `zh` for all that is said from here on; an empty string goes back to the environment's."""
    if language not in ("", *LANGUAGES):
        raise ValueError(f"language must be one of {', '.join(LANGUAGES)}, not {language!r}")
    _chosen.set(language)


def language() -> str:
    """The language in force: the chosen one, else SIGHTLINE_LANG, else the locale's."""
    if chosen := _chosen.get():
        return chosen
    for name in ("SIGHTLINE_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"


def tr(text: str, /, **facts: Any) -> str:
    """`text` in the user's language, with its {named} facts filled in."""
    if language() == "zh":
        from sightline.i18n.chinese import CHINESE

        text = CHINESE.get(text, text)
    text = printable(text, keep_lines=True)
    return text.format(**{name: _printable_fact(fact) for name, fact in facts.items()}) if facts else text


def _printable_fact(fact: Any) -> Any:
    """Facts come from data sets, files and servers; numbers keep their type for the template's format."""
    return printable(str(fact), keep_lines=True) if isinstance(fact, str | PurePath | BaseException) else fact
