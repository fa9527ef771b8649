"""Files that are written whole or not at all: a reader never sees half of one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec


def write_json(path: Path, record: Any) -> None:
    """A record or plain values as indented JSON, put in its place at the last moment."""
    part = path.with_suffix(".part")
    part.write_bytes(msgspec.json.format(msgspec.json.encode(record), indent=2))
    part.replace(path)
