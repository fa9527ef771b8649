"""Translation of user texts, English to Chinese: `tr` looks a text up in the catalog when it is shown."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import PurePath
from typing import Any

from sightline.i18n.printable import printable

LANGUAGES = ("en", "zh")
_chosen: ContextVar[str] = ContextVar("language", default="")


def set_language(language: str) -> None:
    """Set the language of all further messages, `en` or `zh`; an empty string restores that of the environment."""
    if language not in ("", *LANGUAGES):
        raise ValueError(f"language must be one of {', '.join(LANGUAGES)}, not {language!r}")
    _chosen.set(language)


@contextmanager
def use_language(language: str) -> Iterator[None]:
    """Texts are in this language within the block."""
    token = _chosen.set(language)
    try:
        yield
    finally:
        _chosen.reset(token)


def language() -> str:
    """The language in force: the chosen one, else SIGHTLINE_LANG, else the locale's."""
    if chosen := _chosen.get():
        return chosen
    for name in ("SIGHTLINE_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"


def tr(text: str, /, **args: Any) -> str:
    """`text` in the user's language, with its {named} arguments filled in."""
    if language() == "zh":
        from sightline.i18n.chinese import CHINESE

        text = CHINESE.get(text, text)
    text = printable(text, keep_lines=True)
    return text.format(**{name: _printable_arg(arg) for name, arg in args.items()}) if args else text


def _printable_arg(arg: Any) -> Any:
    """Arguments come from data sets, files and servers; numbers keep their type for the template's format."""
    return printable(str(arg), keep_lines=True) if isinstance(arg, str | PurePath | BaseException) else arg
