"""Saved replies in a JSON-lines or JSON file, looked up by sample id without holding them in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO

import msgspec
import numpy as np

from sightline.core.errors import DataError
from sightline.data.json_decoding import JsonDecoder, decode_json
from sightline.stats.exact import stable_hash

ID_FIELDS = ("sample", "sample_id", "id", "qid")
TEXT_FIELDS = ("text", "reply", "model_output", "response", "answer", "prediction", "output")
_array_decoder = JsonDecoder[list[msgspec.Raw]](list[msgspec.Raw])


class SavedReplies:
    """Lookup of replies by sample id, with an index of 16 bytes per line. The last line of an id counts."""

    unreadable: list[int]
    """Numbers of the lines without a reply."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file: BinaryIO = path.open("rb")
        except OSError as error:
            raise DataError("Cannot read the replies {path}: {why}", path=path, why=error.strerror) from None
        keys, offsets = [], []
        self.unreadable = []
        for number, offset, line in self._lines():
            row = _row(line)
            id_and_text = _id_and_text(row)
            if id_and_text is not None:
                keys.append(stable_hash(id_and_text[0]))
                offsets.append(offset)
            elif not _is_failure(row):
                self.unreadable.append(number)
        if not keys:
            self._file.close()
            raise DataError(
                "{path} holds no reply: each line must be an object with one of {ids} and one of {texts}.",
                path=path,
                ids=", ".join(ID_FIELDS),
                texts=", ".join(TEXT_FIELDS),
            )
        order = np.argsort(np.array(keys, dtype=np.uint64), kind="stable")
        self._keys = np.array(keys, dtype=np.uint64)[order]
        self._offsets = np.array(offsets, dtype=np.int64)[order]
        self._is_used = np.zeros(len(keys), bool)

    @property
    def duplicates(self) -> int:
        """Number of lines replaced by another one with the same id."""
        return len(self._keys) - len(np.unique(self._keys))

    @property
    def unused(self) -> int:
        """Number of ids that have not been looked up so far."""
        return len(np.unique(self._keys)) - len(np.unique(self._keys[self._is_used]))

    def find(self, sample: str) -> str | None:
        """The saved reply to a sample, or None."""
        key = np.uint64(stable_hash(sample))
        first, last = np.searchsorted(self._keys, key), np.searchsorted(self._keys, key, side="right")
        for offset in self._offsets[first:last][::-1]:
            self._file.seek(int(offset))
            id_and_text = _id_and_text(_row(self._file.readline()))
            if id_and_text and id_and_text[0] == sample:
                self._is_used[first] = True
                return id_and_text[1]
        return None

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _lines(self) -> Iterator[tuple[int, int, bytes]]:
        if self._file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
            self._unroll_array()
        self._file.seek(0)
        offset = 0
        for number, line in enumerate(self._file, 1):
            if line.strip():
                yield number, offset, line
            offset += len(line)

    def _unroll_array(self) -> None:
        """Convert a JSON array into lines in a temporary file."""
        self._file.seek(0)
        try:
            rows = _array_decoder.decode(self._file.read().removeprefix(b"\xef\xbb\xbf"))
        except msgspec.DecodeError as error:
            self._file.close()
            raise DataError("Cannot read {path}: {why}", path=self._path, why=error) from None
        self._file.close()
        self._file = TemporaryFile()  # noqa: SIM115  # lives as long as the object
        for row in rows:
            self._file.write(b" ".join(bytes(row).splitlines()) + b"\n")


def _row(line: bytes) -> Any:
    try:
        return decode_json(line.strip().removeprefix(b"\xef\xbb\xbf"))
    except msgspec.DecodeError:
        return None


def _is_failure(row: Any) -> bool:
    """Whether a row is the journal record of a failed request: a valid line without a reply."""
    return isinstance(row, dict) and row.get("type") == "failure"


def _id_and_text(row: Any) -> tuple[str, str] | None:
    """Id and text of a reply; a reply that is null, or omitted as in the journal, counts as empty, not as missing."""
    if not isinstance(row, dict) or _is_failure(row):
        return None
    sample = next((row[f] for f in ID_FIELDS if row.get(f) is not None), None)
    if sample is None or not (any(f in row for f in TEXT_FIELDS) or row.get("type") == "answer"):
        return None
    text = next((row[f] for f in TEXT_FIELDS if row.get(f) is not None), "")
    return str(sample), text if isinstance(text, str) else msgspec.json.encode(text).decode()
