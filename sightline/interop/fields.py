"""Field mapping: foreign column names to Sightline's field names."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sightline.core.errors import ConfigError
from sightline.core.registry import unknown
from sightline.core.settings import read_file

FIELD_NAMES = ("sample_id", "task", "prompt", "gt", "model_output", "source", "image")


class FieldMapping:
    """Looks up values by Sightline field name. A foreign name may be a nested path: `doc.answer`."""

    def __init__(self, known: Mapping[str, tuple[str, ...]], custom: Mapping[str, str]) -> None:
        self._names = {
            field: tuple(foreign for foreign, target in custom.items() if target == field) or known.get(field, ())
            for field in FIELD_NAMES
        }

    def value(self, record: Mapping[str, Any], field: str) -> Any:
        """Return the first value found under any of the field's foreign names, else None."""
        for name in self._names[field]:
            value = record[name] if name in record else _nested_value(record, name)
            if value is not None:
                return value
        return None

    def text(self, record: Mapping[str, Any], field: str) -> str | None:
        """Return the value as text."""
        return as_text(self.value(record, field))


def _nested_value(record: Any, name: str) -> Any:
    for step in name.split(".") if "." in name else ():
        if not isinstance(record, dict):
            return None
        record = record.get(step)
    return record if "." in name else None


def as_text(value: Any) -> str | None:
    """Convert a cell to text: integral numbers without a decimal point, lists and objects as JSON."""
    if value is None or isinstance(value, str):
        return value if value is None else replace_surrogates(value)
    if isinstance(value, float):
        if value != value:
            return None
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, bool | int):
        return str(value)
    return replace_surrogates(json.dumps(value, ensure_ascii=False, default=str))


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which cannot be encoded as UTF-8."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def read_field_mapping(texts: Iterable[str]) -> dict[str, str]:
    """Parse mappings given as `theirs=ours` or as JSON files `{"theirs": "ours"}`; raises on unknown fields."""
    mapping: dict[str, str] = {}
    for text in texts:
        foreign, equals, field = text.rpartition("=")
        if equals and not Path(text).is_file():
            mapping[foreign.strip()] = field.strip()
        else:
            mapping |= read_file(Path(text), keep_keys=True)
    for foreign, field in mapping.items():
        if not isinstance(field, str) or not foreign:
            raise ConfigError(
                "{flag} takes key=value, not '{text}'.", flag="--field-mapping", text=f"{foreign}={field}"
            )
        if field not in FIELD_NAMES:
            raise unknown("field", field, list(FIELD_NAMES))
    return mapping
