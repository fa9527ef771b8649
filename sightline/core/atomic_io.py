"""Atomic file writes: a file gets its name when it is complete, so that no reader sees half of one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import get_ident
from typing import Any

import msgspec


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` to write to; it replaces `path` if the block ends without an error."""
    temporary = path.with_name(f".{path.name}-{os.getpid()}-{get_ident()}.part")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def write_json(path: Path, record: Any) -> None:
    """Write a record or plain values as indented JSON, atomically."""
    with atomic_path(path) as temporary:
        temporary.write_bytes(msgspec.json.format(msgspec.json.encode(record), indent=2))
