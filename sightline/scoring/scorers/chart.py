"""F1 of the data table extracted from a chart; the reply is JSON, Markdown or delimiter-separated values."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import Any, ClassVar

from sightline.core.records import Score
from sightline.scoring.parsers.json_object import find_json_values, repair_json_values
from sightline.scoring.parsers.thinking import without_thinking
from sightline.scoring.scorers import Examples, Question
from sightline.scoring.scorers.labels import f1
from sightline.scoring.scorers.numbers import BAD_TOLERANCE, Tolerance, read_tolerance
from sightline.scoring.scorers.reply_text import EMPTY_REPLY, fold, invalid_score, strip_punctuation, unparsed_score

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
    columns = [list(column) for column in zip(*rows, strict=False)]
    return [table for table in (_table_by_columns(rows), _table_by_columns(columns)) if table]


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


INVALID_TARGET_TABLE = "the truth is not a table of values"
NO_TABLE = "the reply contains no table"

_SALES = {"Sales": {"2020": 10, "2021": 20}, "Costs": {"2020": 5, "2021": 8}}


class ChartF1:
    """F1 of the values of a table, matched by the folded names of series and label.

    The target is {"series": {"label": value}}, or {"label": value} for one series, whose name then does not matter.
    Numbers are met within `tolerance` (0.05 of the target unless told) or `absolute`, other values as folded text. The
    reply is JSON of the same form, or a Markdown or CSV table whose series are its columns or its rows.
    """

    title: ClassVar[str] = "Chart F1"
    accepts: ClassVar[Examples] = (
        (_SALES, '{"Sales": {"2020": 10, "2021": 20.5}, "costs": {"2020": 5, "2021": 8}}'),
        (_SALES, "| Year | Sales | Costs |\n|---|---|---|\n| 2020 | 10 | 5 |\n| 2021 | 20 | 8 |"),
        ({"Sales": {"2020": 10, "2021": 20}}, "year,value\n2020,10\n2021,20"),
    )
    refuses: ClassVar[Examples] = (
        (_SALES, '{"Sales": {"2020": 10, "2021": 20}}'),
        (_SALES, "| Year | Sales | Costs |\n|---|---|---|\n| 2020 | 5 | 10 |\n| 2021 | 20 | 8 |"),
        ({"Sales": {"2020": 10}}, '{"2020": 12}'),
    )

    def score(self, reply: str, question: Question) -> Score:
        """Score a reply against the target of the question."""
        target, allowed = table_from_json(question.target), read_tolerance(question.metadata)
        if not target:
            return invalid_score(INVALID_TARGET_TABLE)
        if allowed is None:
            return invalid_score(BAD_TOLERANCE)
        text = without_thinking(reply).strip()
        if not text:
            return unparsed_score(EMPTY_REPLY)
        scores = [_score_table(table, target, allowed) for table in read_tables(text)]
        return max(scores, key=lambda score: score.value) if scores else unparsed_score(NO_TABLE)


def _score_table(table: Table, target: Table, allowed: Tolerance) -> Score:
    if len({series for series, _ in target}) == len({series for series, _ in table}) == 1:
        target, table = ({("", label): cell for (_, label), cell in table.items()} for table in (target, table))
    correct = sum(key in table and allowed.matches(table[key], cell) for key, cell in target.items())
    return Score(
        value=f1(correct, len(table), len(target)),
        details={"precision": correct / len(table), "recall": correct / len(target)},
    )
