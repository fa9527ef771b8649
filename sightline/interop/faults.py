"""What went wrong on the way: counted, and written down with file and line as it happens."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from sightline.core.records import Remark

_SHOWN = 5


class Faults:
    """The log of an import: any number of lines on disk, a handful in memory."""

    def __init__(self, log: Path) -> None:
        self._path = log
        self._file: Any = None
        self.count = 0
        self.first: list[tuple[str, Remark]] = []
        """The first few, as `file:line` and why."""
        self._notes: Counter[str] = Counter()

    def add(self, path: Path | str, line: int | str, why: Remark) -> None:
        """Something at a place could not be taken over."""
        where = f"{path}:{line}"
        self.count += 1
        if len(self.first) < _SHOWN:
            self.first.append((where, why))
        if self._file is None:
            self._file = self._path.open("w", encoding="utf-8", errors="replace", newline="\n")
        told = (str(path), str(line), str(why))
        self._file.write("\t".join(" ".join(text.split()) for text in told) + "\n")

    def note(self, what: Remark) -> None:
        """Something happened once more that is no fault, but changes what figures mean; its text tells {count}."""
        self._notes[what.text] += 1

    def notes(self) -> list[Remark]:
        """All that was noted, each with its count."""
        return [Remark(text, {"count": count}) for text, count in self._notes.items()]

    def close(self) -> None:
        """Let the log go."""
        if self._file is not None:
            self._file.close()
