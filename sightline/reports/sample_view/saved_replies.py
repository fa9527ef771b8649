"""Replies of a scored run, found again by their byte offsets in the output files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from sightline.core.errors import DataError
from sightline.data.pairing import SUFFIXES
from sightline.data.position_index import Entry, IndexedFile, PositionIndex

_IS_TEXT, _IS_FILLED = 2, 8
"""Flags of a value, as a scan of lines gives them; the module that names them takes a second to import."""
_LONGEST = 64 << 20
_LOOK_BACK = 64


class SavedReplies:
    """Output files that were scored, by position; one thread at a time."""

    def __init__(self, index: PositionIndex, folder: Path, rename: Mapping[str, str]) -> None:
        self._index, self._folder, self._rename = index, folder, rename

    def find(self, position: int) -> str | None:
        """The reply that was scored; None where there was none. Raises where its file has moved or changed."""
        entry = self._index.find(position)
        if entry is None:
            return None
        path = self._locate(entry.file)
        if not entry.length or not entry.extra & (_IS_TEXT | _IS_FILLED):
            return ""
        return self._read(entry, path) if entry.file.is_plain else self._read_packed(entry, path)

    def _locate(self, file: IndexedFile) -> Path:
        """The file where it was, or at the same place beside the run where both were moved together."""
        if file.size < 0:
            raise DataError("The reply is in {path}, which is not read from here.", path=file.path)
        places = [Path(file.path), *([self._folder / file.relative] if file.relative else [])]
        # an index from elsewhere must not show any file of this machine: only such as are scored
        found = [path for path in places if path.name.lower().endswith(SUFFIXES) and path.is_file()]
        if not found:
            raise DataError("The output file is no longer at {path}; its replies can't be shown.", path=file.path)
        for path in found:
            told = path.stat()
            if (told.st_size, told.st_mtime_ns) == (file.size, file.mtime_ns):
                return path
        raise _changed(found[0])

    def _read(self, entry: Entry, path: Path) -> str:
        if entry.length > _LONGEST:
            raise DataError("The reply is too long to be shown.")
        before = max(0, entry.offset - _LOOK_BACK)
        with path.open("rb") as file:
            file.seek(before)
            data = file.read(entry.offset - before + entry.length)
        head, raw = data[: entry.offset - before], data[entry.offset - before :].decode("utf-8", "replace")
        try:
            value = json.loads(raw, strict=False)
        except (ValueError, RecursionError):
            raise _changed(path) from None
        if not head.rstrip().endswith(b":") or isinstance(value, str) != bool(entry.extra & _IS_TEXT):
            raise _changed(path)
        return value if isinstance(value, str) else raw

    def _read_packed(self, entry: Entry, path: Path) -> str:
        from sightline.data.lines import index_file

        with index_file(path, ("model_output",), self._rename) as index:
            if entry.offset >= len(index):
                raise _changed(path)
            return index.texts("model_output", np.array([entry.offset]))[0]


def _changed(path: Path) -> DataError:
    return DataError("The output file {path} has changed since it was scored; its replies can't be shown.", path=path)
