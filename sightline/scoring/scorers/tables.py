"""Tables of a chart's values in a reply: JSON, Markdown or values parted by commas."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import Any

from sightline.scoring.scorers.json_values import json_values, mended_values
from sightline.scoring.scorers.texts import fold, trimmed

Table = dict[tuple[str, str], Any]
"""Folded names of series and label → value."""

_RULE = re.compile(r"[\s|:+=-]*-[\s|:+=-]*")
_MOST_ROWS = 10_000


def table_of(value: Any) -> Table | None:
    """{"series": {"label": value}} as a table; {"label": value} is one series without a name."""
    if not isinstance(value, dict) or not value:
        return None
    series = value if all(isinstance(inner, dict) for inner in value.values()) else {"": value}
    table = {(name(one), name(label)): cell for one, inner in series.items() for label, cell in inner.items()}
    return None if not table or any(isinstance(cell, dict | list) for cell in table.values()) else table


def name(text: Any) -> str:
    """A name folded."""
    return fold(trimmed(str(text)))


def read_tables(text: str) -> list[Table]:
    """What the reply may mean: its last JSON object that is a table, else its rows and columns read both ways."""
    for values in (json_values, mended_values):
        for value in reversed(values(text)):
            if (table := table_of(value) or _inside(value)) is not None:
                return [table]
    rows = list(_rows(text))
    if len(rows) < 2:
        return []
    return [table for table in (_by_columns(rows), _by_columns(_turned(rows))) if table]


def _inside(value: Any) -> Table | None:
    """A table that is the only thing in an object, such as {"data": {…}} or {"series": {…}} around series."""
    if isinstance(value, dict) and len(value) == 1:
        return table_of(next(iter(value.values())))
    return None


def _rows(text: str) -> Iterator[list[str]]:
    """The cells of every line that has several."""
    lines = [line for line in text.splitlines()[:_MOST_ROWS] if line.strip() and not line.strip().startswith("```")]
    mark = next((mark for mark in "|\t;," if sum(mark in line for line in lines) > 1), "")
    for line in lines:
        if not mark or mark not in line or _RULE.fullmatch(line):
            continue
        cells = line.strip().strip("|").split("|") if mark == "|" else _parted(line, mark)
        yield [cell.strip() for cell in cells]


def _parted(line: str, mark: str) -> list[str]:
    try:
        return next(csv.reader([line.replace("\0", "")], delimiter=mark, skipinitialspace=True), [])
    except csv.Error:
        return line.split(mark)


def _by_columns(rows: list[list[str]]) -> Table:
    """Series in the columns, labels in the first cells of the rows."""
    head = rows[0]
    return {
        (name(one), name(row[0])): cell
        for row in rows[1:]
        for one, cell in zip(head[1:], row[1:], strict=False)
        if cell and row[0]
    }


def _turned(rows: list[list[str]]) -> list[list[str]]:
    return [list(column) for column in zip(*rows, strict=False)]
