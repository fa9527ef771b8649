"""Error log of an import: faults are counted and logged with file and line."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from sightline.core.records import Remark

_MAX_LISTED = 5


class ImportFaults:
    """Faults of an import: all of them on disk, the first few in memory."""

    def __init__(self, log: Path) -> None:
        self._path = log
        self._file: Any = None
        self.count = 0
        self.first: list[tuple[str, Remark]] = []
        """The first few faults, as (`file:line`, reason)."""
        self._notes: Counter[str] = Counter()

    def add(self, path: Path | str, line: int | str, why: Remark) -> None:
        """Log an entry that could not be imported."""
        where = f"{path}:{line}"
        self.count += 1
        if len(self.first) < _MAX_LISTED:
            self.first.append((where, why))
        if self._file is None:
            self._file = self._path.open("w", encoding="utf-8", errors="replace", newline="\n")
        columns = (str(path), str(line), str(why))
        self._file.write("\t".join(" ".join(text.split()) for text in columns) + "\n")

    def note(self, what: Remark) -> None:
        """Count an event that is not a fault but affects the metrics; the text contains {count}."""
        self._notes[what.text] += 1

    def notes(self) -> list[Remark]:
        """All notes with their counts."""
        return [Remark(text, {"count": count}) for text, count in self._notes.items()]

    def close(self) -> None:
        """Close the log file."""
        if self._file is not None:
            self._file.close()
