"""Which column of a foreign record is which field of ours."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sightline.core.errors import ConfigError
from sightline.core.registry import unknown
from sightline.core.settings import read_file

OURS = ("sample_id", "task", "prompt", "gt", "model_output", "source", "image")


class Fields:
    """Values by our names. A foreign name may lead into nested objects: `doc.answer`."""

    def __init__(self, known: Mapping[str, tuple[str, ...]], own: Mapping[str, str]) -> None:
        self._names = {
            ours: tuple(theirs for theirs, meant in own.items() if meant == ours) or known.get(ours, ())
            for ours in OURS
        }

    def value(self, record: Mapping[str, Any], ours: str) -> Any:
        """The first value that is there under any of the field's names, else None."""
        for name in self._names[ours]:
            found = record[name] if name in record else _within(record, name)
            if found is not None:
                return found
        return None

    def text(self, record: Mapping[str, Any], ours: str) -> str | None:
        """The value as text."""
        return as_text(self.value(record, ours))


def _within(record: Any, name: str) -> Any:
    for step in name.split(".") if "." in name else ():
        if not isinstance(record, dict):
            return None
        record = record.get(step)
    return record if "." in name else None


def as_text(value: Any) -> str | None:
    """A cell as the text that a grader reads: whole numbers without a point, lists and objects as JSON."""
    if value is None or isinstance(value, str):
        return value if value is None else whole(value)
    if isinstance(value, float):
        if value != value:
            return None
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, bool | int):
        return str(value)
    return whole(json.dumps(value, ensure_ascii=False, default=str))


def whole(text: str) -> str:
    """The text without halves of characters, which can't be written."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def read_mapping(texts: Iterable[str]) -> dict[str, str]:
    """Columns by `theirs=ours`, or from JSON files that say `{"theirs": "ours"}`; an unknown field is refused."""
    found: dict[str, str] = {}
    for text in texts:
        theirs, equals, ours = text.rpartition("=")
        if equals and not Path(text).is_file():
            found[theirs.strip()] = ours.strip()
        else:
            found |= read_file(Path(text), keep_keys=True)
    for theirs, ours in found.items():
        if not isinstance(ours, str) or not theirs:
            raise ConfigError("{flag} takes key=value, not '{text}'.", flag="--field-mapping", text=f"{theirs}={ours}")
        if ours not in OURS:
            raise unknown("field", ours, list(OURS))
    return found
