"""DuckDB connections for result files, and CSV cells that a spreadsheet does not take for formulas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sightline.i18n.printable import printable


def connect_duckdb(folder: Path, **more: Any) -> Any:
    """A DuckDB with little memory and one thread, spilling into the run folder, that draws no bar of its own."""
    import duckdb

    limits: dict[str, Any] = {"memory_limit": "256MB", "threads": 1, "preserve_insertion_order": False}
    base = duckdb.connect(config={**limits, "temp_directory": str(folder / ".duckdb"), **more})
    base.execute("SET enable_progress_bar = false")
    return base


def sql_literal(text: str | Path) -> str:
    """A text or path as a string literal of SQL; without null characters, which DuckDB does not take."""
    return "'" + str(text).replace("'", "''").replace("\0", "") + "'"


_SIGNS = ("=", "+", "-", "@", "\t", "\r")
"""What a formula begins with."""


def escape_formula(text: str) -> str:
    """A text that a spreadsheet would take for a formula is quoted."""
    text = printable(text, keep_lines=True)
    return f"'{text}" if text.startswith(_SIGNS) else text


def escape_formula_sql(name: str) -> str:
    """The same for a column of texts, in SQL."""
    signs = ", ".join(f"chr({ord(sign)})" for sign in _SIGNS)
    return f'CASE WHEN substr("{name}", 1, 1) IN ({signs}) THEN \'\'\'\' || "{name}" ELSE "{name}" END AS "{name}"'
