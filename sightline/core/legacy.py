"""Run folders of earlier versions: their records under the names of this one.

Version 1 called statuses states (`ok` is `answered` now), blind baselines controls, and arguments of remarks facts.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

_KEYS = {"states": "statuses", "controls": "baselines", "control": "baseline", "why": "reason"}


def upgrade_record(value: Any, *, keys: bool = True) -> Any:
    """A decoded manifest.json or report.json with today's keys; without `keys`, those of remarks alone."""
    if isinstance(value, list):
        return [upgrade_record(item, keys=keys) for item in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"text", "facts"}:
        return {"text": value["text"], "args": upgrade_record(value["facts"], keys=False)}
    states = value.get("states") if keys and "statuses" not in value else None
    if isinstance(states, dict) and "answered" not in states:
        renamed = {"answered" if name == "ok" else name: count for name, count in states.items()}
        value = {**value, "states": renamed}
    return {
        _KEYS.get(name, name) if keys else name: upgrade_record(item, keys=keys and name not in ("digest", "args"))
        for name, item in value.items()
    }


def upgrade_grades(table: str, columns: Collection[str]) -> str:
    """SQL of a grades table with the given columns, under today's names."""
    if "status" in columns or not {"state", "note"} <= set(columns):
        return table
    return (
        "(SELECT * EXCLUDE (state, note), CASE state WHEN 'ok' THEN 'answered' ELSE state END AS status, "  # noqa: S608
        f"note AS message, '' AS remark FROM {table})"
    )
