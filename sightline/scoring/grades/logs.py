"""The two logs of a run: what the model got wrong in form, and what was wrong with the data."""

from __future__ import annotations

from pathlib import Path

from sightline.core.run_paths import RunPaths
from sightline.i18n.printable import printable


class Log:
    """A tab-separated log with a head line; what it is told can't break its lines."""

    def __init__(self, path: Path, columns: tuple[str, ...]) -> None:
        self._file = path.open("w", encoding="utf-8", newline="\n")
        self.write(*columns)

    def write(self, *cells: str) -> None:
        """One line."""
        self._file.write("\t".join(printable(cell) for cell in cells) + "\n")

    def copy(self, path: Path) -> None:
        """All lines of another log of the same kind."""
        with path.open(encoding="utf-8", newline="\n") as lines:
            next(lines, None)  # the head
            self._file.writelines(lines)

    def close(self) -> None:
        """Let the file go."""
        self._file.close()


def error_log(folder: RunPaths) -> Log:
    """The log of replies that could not be read."""
    return Log(folder.errors, ("source", "task", "error", "sample", "message"))


def invalid_log(folder: RunPaths) -> Log:
    """The log of samples that could not be asked or graded."""
    return Log(folder.invalid, ("source", "task", "reason", "sample"))
