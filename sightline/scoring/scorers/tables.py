"""Extraction of data tables from a reply: JSON, Markdown or delimiter-separated values."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import Any

from sightline.scoring.scorers.json_values import find_json_values, repair_json_values
from sightline.scoring.scorers.reply_text import fold, strip_punctuation

Table = dict[tuple[str, str], Any]
"""Folded names of series and label → value."""

_SEPARATOR_LINE = re.compile(r"[\s|:+=-]*-[\s|:+=-]*")
_MAX_ROWS = 10_000


def table_from_json(value: Any) -> Table | None:
    """Convert {"series": {"label": value}} to a table; {"label": value} is a single unnamed series."""
    if not isinstance(value, dict) or not value:
        return None
    series = value if all(isinstance(inner, dict) for inner in value.values()) else {"": value}
    table = {
        (normalize_name(series_name), normalize_name(label)): cell
        for series_name, inner in series.items()
        for label, cell in inner.items()
    }
    return None if not table or any(isinstance(cell, dict | list) for cell in table.values()) else table


def normalize_name(text: Any) -> str:
    """Normalize the name of a series or label."""
    return fold(strip_punctuation(str(text)))


def read_tables(text: str) -> list[Table]:
    """Return the possible tables: the last JSON object that is a table, else the rows read in both orientations."""
    for find_values in (find_json_values, repair_json_values):
        for value in reversed(find_values(text)):
            if (table := table_from_json(value) or _nested_table(value)) is not None:
                return [table]
    rows = list(_rows(text))
    if len(rows) < 2:
        return []
    return [table for table in (_table_by_columns(rows), _table_by_columns(_transpose(rows))) if table]


def _nested_table(value: Any) -> Table | None:
    """Return a table that is the only member of an object, such as {"data": {…}}."""
    if isinstance(value, dict) and len(value) == 1:
        return table_from_json(next(iter(value.values())))
    return None


def _rows(text: str) -> Iterator[list[str]]:
    """Yield the cells of every line with several cells."""
    lines = [line for line in text.splitlines()[:_MAX_ROWS] if line.strip() and not line.strip().startswith("```")]
    delimiter = next((delimiter for delimiter in "|\t;," if sum(delimiter in line for line in lines) > 1), "")
    for line in lines:
        if not delimiter or delimiter not in line or _SEPARATOR_LINE.fullmatch(line):
            continue
        cells = line.strip().strip("|").split("|") if delimiter == "|" else _split_cells(line, delimiter)
        yield [cell.strip() for cell in cells]


def _split_cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line.replace("\0", "")], delimiter=delimiter, skipinitialspace=True), [])
    except csv.Error:
        return line.split(delimiter)


def _table_by_columns(rows: list[list[str]]) -> Table:
    """Read series from the columns and labels from the first cells of the rows."""
    header = rows[0]
    return {
        (normalize_name(series_name), normalize_name(row[0])): cell
        for row in rows[1:]
        for series_name, cell in zip(header[1:], row[1:], strict=False)
        if cell and row[0]
    }


def _transpose(rows: list[list[str]]) -> list[list[str]]:
    return [list(column) for column in zip(*rows, strict=False)]
