"""Results in a notebook: small tables that are shown by themselves, and data frames of pandas or Polars."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

import msgspec

from sightline.core.errors import UsageError
from sightline.i18n import tr
from sightline.scoring.summary import Row, Summary

MOST_ROWS = 30
"""Rows of one table that a notebook shows; all of them are in the data frame."""
_LONGEST = 120
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
_CELL = "padding:.15em .7em;border-bottom:1px solid rgba(128,128,128,.35);font-variant-numeric:tabular-nums;"

Rows = Iterable[Mapping[str, Any]]


def html_block(title: str, tables: Sequence[str]) -> str:
    """HTML of a title and tables; without scripts, style sheets or external resources."""
    return f"<div><p><strong>{safe_html(title)}</strong></p>{''.join(tables)}</div>"


def html_rows(head: Sequence[str], rows: Sequence[Sequence[Any]], texts: int = 1) -> str:
    """A table; the first `texts` columns are words. Names come from data sets and servers, so all of it is escaped."""
    sides = [f"{_CELL}text-align:{'left' if column < texts else 'right'}" for column in range(max(len(head), 2))]
    top = "".join(
        f'<th scope="col" style="{side}">{safe_html(cell)}</th>' for side, cell in zip(sides, head, strict=False)
    )
    lines = [
        "".join(f'<td style="{side}">{safe_html(cell)}</td>' for side, cell in zip(sides, row, strict=False))
        for row in rows[:MOST_ROWS]
    ]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    more = len(rows) - len(lines)
    note = f"<p>{safe_html(tr('{count} more rows', count=f'{more:,}'))}</p>" if more else ""
    start = f"<thead><tr>{top}</tr></thead>" if head else ""
    return f'<table style="border-collapse:collapse;margin:.4em 0">{start}<tbody>{body}</tbody></table>{note}'


def safe_html(value: object) -> str:
    """Any text as harmless HTML: no markup, nothing that hides or turns the direction of writing, no endless cell."""
    text = value if isinstance(value, str) else format_cell(value)
    text = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    return escape(_HIDDEN.sub("�", text))


def format_cell(value: object) -> str:
    """A figure as it is read: four significant digits, a dash for nothing."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value)


class TableResult:
    """Mixin of results that are a table: data frames of pandas and Polars."""

    __slots__ = ()

    def _rows(self) -> Rows:
        """The rows of the table; all have the same keys."""
        raise NotImplementedError

    def to_dataframe(self) -> Any:
        """The table as a pandas DataFrame."""
        try:
            import pandas as pd  # type: ignore[import-untyped,import-not-found,unused-ignore]
        except ImportError:
            raise UsageError("to_dataframe needs pandas.", hint="pip install pandas") from None
        return pd.DataFrame(list(self._rows()))

    def to_polars(self) -> Any:
        """The table as a Polars DataFrame."""
        try:
            import polars as pl  # type: ignore[import-not-found,unused-ignore]
        except ImportError:
            raise UsageError("to_polars needs polars.", hint="pip install polars") from None
        return pl.DataFrame(list(self._rows()), infer_schema_length=None)


def records(summaries: Mapping[str, Summary]) -> Iterator[dict[str, Any]]:
    """One record per figure; all have the same keys."""
    for model, summary in summaries.items():
        for row in summary.rows:
            about = {"scope": row.scope, "name": row.name, "metric": row.metric, "core": row.core}
            baseline = row.baseline
            beside = (baseline.name, baseline.value, baseline.skill) if baseline else (None, None, None)
            yield {
                "model": model,
                **about,
                **estimate_of(row),
                **dict(zip(("baseline", "baseline_value", "skill"), beside, strict=True)),
            }


def estimate_of(row: Row) -> dict[str, Any]:
    """The estimate of a figure as plain values."""
    plain: dict[str, Any] = msgspec.to_builtins(row.estimate)
    return plain
