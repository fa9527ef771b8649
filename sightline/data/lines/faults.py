"""Faults of a file with their line numbers: all are counted, and a limited number is kept."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

FAULT_KINDS = (
    "torn last line",
    "not a JSON object",
    "broken JSON",
    "invalid UTF-8",
    "line too long",
    "damaged file",
)
"""All kinds, in the order of the kernel's codes. A row with invalid UTF-8 stays valid; the others lose a row."""
MAX_KEPT = 100_000
_EXCERPT_BYTES = 24


class Fault(Struct, frozen=True):
    """One fault: its kind, the line of the file, and details (an excerpt, a field, a size)."""

    kind: str
    line: int
    detail: str


class FaultLog:
    """Collects the faults of one file."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.counts: Counter[str] = Counter()

    def add(self, kind: int, line: int, detail: str) -> None:
        """Count a fault, and keep it if the limit is not reached."""
        name = FAULT_KINDS[kind]
        self.counts[name] += 1
        if len(self.faults) < MAX_KEPT:
            self.faults.append(Fault(name, line, detail))

    def add_notes(self, notes: NDArray[np.int64], data: NDArray[np.uint8], fields: tuple[str, ...]) -> None:
        """Add the faults noted by the kernel, while the bytes they refer to are still in the buffer."""
        remaining = max(MAX_KEPT - len(self.faults), 0)
        for kind, line, start, position in notes[:remaining].tolist():
            is_encoding = FAULT_KINDS[kind] == "invalid UTF-8"
            self.add(kind, line, fields[position] if is_encoding else _excerpt(data, start, position))
        for kind, count in enumerate(np.bincount(notes[remaining:, 0], minlength=len(FAULT_KINDS)).tolist()):
            if count:
                self.counts[FAULT_KINDS[kind]] += count


def _excerpt(data: NDArray[Any], start: int, position: int) -> str:
    """An excerpt around a fault, with the byte offset in the row at which it stops being JSON."""
    before = data[max(start, position - _EXCERPT_BYTES) : position].tobytes().decode("utf-8", "replace")
    after = data[position : position + _EXCERPT_BYTES].tobytes().partition(b"\n")[0].decode("utf-8", "replace")
    seen = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in before + after)
    return f"{position - start}: {seen.strip()}"
