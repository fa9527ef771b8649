"""DuckDB for files of results: a small database that spills into a given folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def quiet_base(folder: Path, **more: Any) -> Any:
    """A DuckDB with little memory and one thread, spilling into the run folder, that draws no bar of its own."""
    import duckdb

    base = duckdb.connect(config={**_settings(folder), **more})
    base.execute("SET enable_progress_bar = false")
    return base


def _settings(folder: Path) -> dict[str, Any]:
    return {
        "memory_limit": "256MB",
        "threads": 1,
        "temp_directory": str(folder / ".duckdb"),
        "preserve_insertion_order": False,
    }


def quoted(path: Path) -> str:
    """The path inside single quotes of SQL."""
    return str(path).replace("'", "''")
