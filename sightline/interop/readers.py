"""Streaming readers of foreign files: CSV, JSON lines, large JSON arrays, Excel workbooks, images below a folder."""

from __future__ import annotations

import base64
import binascii
import csv
import hashlib
import json
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PureWindowsPath
from typing import Any, TextIO

import msgspec

from sightline.core.errors import DataError, UsageError
from sightline.core.remarks import Remark
from sightline.data.media import leaves_folder
from sightline.interop.importer import ImportFaults

MAX_RECORD_BYTES = 256 * 2**20
"""Bytes of one line or cell."""
Record = dict[str, Any]


def list_files(source: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """Return the file itself, or the files of a folder with one of the suffixes, sorted by name."""
    if source.is_file():
        return [source]
    paths = sorted(path for path in source.glob("*") if path.name.lower().endswith(suffixes) and path.is_file())
    if not paths:
        raise DataError(
            "{path} is neither a file nor a folder with {wanted}.",
            path=source,
            wanted=" ".join(f"*{s}" for s in suffixes),
        )
    return paths


def read_json_lines(path: Path, faults: ImportFaults) -> Iterator[tuple[int, Record]]:
    """Yield the objects of a JSON lines file with their line numbers."""
    with path.open("rb") as file:
        number = 0
        while line := file.readline(MAX_RECORD_BYTES):
            number += 1
            if len(line) == MAX_RECORD_BYTES and not line.endswith(b"\n"):
                faults.add(path, number, Remark("the line is too long"))
                while (rest := file.readline(MAX_RECORD_BYTES)) and not rest.endswith(b"\n"):
                    pass
                continue
            if line.strip():
                try:
                    record = _decode_line(line)
                except (ValueError, RecursionError):
                    faults.add(path, number, Remark("the line is not JSON"))
                    continue
                if isinstance(record, dict):
                    yield number, record
                else:
                    faults.add(path, number, Remark("the line is not a JSON object"))


def read_json_records(path: Path, faults: ImportFaults) -> Iterator[tuple[int | str, Record]]:
    """Yield the objects of a JSON array or of JSON lines, each with its index or line number."""
    with path.open("rb") as file:
        is_array = file.read(4096).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")
    if not is_array:
        yield from read_json_lines(path, faults)
        return
    for index, (_, record) in enumerate(stream_json(path)):
        if isinstance(record, dict):
            yield f"[{index}]", record
        else:
            faults.add(path, f"[{index}]", Remark("the entry is not a JSON object"))


def _decode_line(line: bytes) -> Any:
    """Decode with msgspec; fall back to `json`, which also accepts NaN and a byte order mark."""
    try:
        return msgspec.json.decode(line)
    except msgspec.DecodeError:
        return json.loads(line.decode("utf-8-sig"))


def read_table(path: Path, faults: ImportFaults) -> Iterator[tuple[int, Record]]:
    """Yield the rows of a TSV or CSV file as records, with the number of their last line."""
    delimiter = "," if path.suffix.lower() == ".csv" else "\t"
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file, _large_csv_fields():
        reader = csv.reader(file, delimiter=delimiter)
        head = next(reader, [])
        while True:
            try:
                cells = next(reader, None)
            except csv.Error:
                faults.add(path, reader.line_num, Remark("the row cannot be read"))
                continue
            if cells is None:
                return
            if len(cells) != len(head):
                args = {"found": len(cells), "wanted": len(head)}
                if cells:
                    faults.add(path, reader.line_num, Remark("the row has {found} cells instead of {wanted}", args))
                continue
            yield reader.line_num, {name: cell or None for name, cell in zip(head, cells, strict=True)}


@contextmanager
def _large_csv_fields() -> Iterator[None]:
    """Raise the csv field size limit: base64 images exceed the default."""
    before = csv.field_size_limit(MAX_RECORD_BYTES)
    try:
        yield
    finally:
        csv.field_size_limit(before)


MAX_UNPACKED_BYTES = 2 * 2**30
"""Bytes of a workbook when unpacked."""


def read_workbook(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows of the first sheet as records, with their row numbers."""
    try:
        from openpyxl import load_workbook  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError:
        raise UsageError(
            "Reading .xlsx requires openpyxl.", hint='pip install "sightline[xlsx]", or save the table as TSV.'
        ) from None
    _check_size(path)
    try:
        workbook = load_workbook(path, read_only=True, data_only=True)
        sheet = workbook.worksheets[0]
        sheet.reset_dimensions()  # the dimensions in the file may be wrong
        rows = sheet.iter_rows(values_only=True)
        head = [str(cell) if cell is not None else "" for cell in next(rows, ())]
    except (OSError, SyntaxError, KeyError, ValueError, IndexError, zipfile.BadZipFile, zlib.error) as error:
        raise DataError("Cannot read {path}: {why}", path=path, why=error) from None
    try:
        for number, cells in enumerate(rows, 2):
            if any(cell is not None for cell in cells):
                yield number, {name: cell for name, cell in zip(head, cells, strict=False) if name}
    except (SyntaxError, KeyError, ValueError, zipfile.BadZipFile, zlib.error) as error:  # broken XML is a SyntaxError
        raise DataError("Cannot read {path}: {why}", path=path, why=error) from None
    finally:
        workbook.close()


def _check_size(path: Path) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
    except (OSError, zipfile.BadZipFile) as error:
        raise DataError("Cannot read {path}: {why}", path=path, why=error) from None
    if size > MAX_UNPACKED_BYTES:
        raise DataError(
            "{path} is too large for a workbook.", hint="Save the table as TSV, which is read as a stream.", path=path
        )


CHUNK = 2**20
MAX_ELEMENT_CHARACTERS = 256 * 2**20
"""Characters of one element."""
_decoder = json.JSONDecoder()
_WHITESPACE = " \t\r\n"
_MAX_NUMBER_CHARACTERS = 400


def stream_json(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the members of the document as (key, value); array elements are yielded one by one under their key.

    A document that is an array itself yields its elements under the empty key.
    """
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        text = _Window(file, path)
        if text.peek() == "[":
            for element in text.elements():
                yield "", element
            return
        text.expect("{")
        while text.peek() != "}":
            key = str(text.value())
            text.expect(":")
            if text.peek() == "[":
                for element in text.elements():
                    yield key, element
            else:
                yield key, text.value()
            text.next_or("}")
        text.expect("}")


class _Window:
    """Sliding window over the file being decoded."""

    def __init__(self, file: TextIO, path: Path) -> None:
        self._file = file
        self._path = path
        self._text = ""
        self._index = 0
        self._consumed = 0

    def peek(self) -> str:
        """Return the next non-whitespace character; raises at the end of the file."""
        while True:
            while self._index < len(self._text):
                if self._text[self._index] not in _WHITESPACE:
                    return self._text[self._index]
                self._index += 1
            if not self._read_more(CHUNK):
                raise self._error("the file ends too early")

    def expect(self, character: str) -> None:
        """Consume a required character."""
        if self.peek() != character:
            raise self._error(f"{character!r} expected")
        self._index += 1

    def next_or(self, end: str) -> None:
        """Consume the comma before another member, unless `end` follows."""
        if self.peek() != end:
            self.expect(",")

    def elements(self) -> Iterator[Any]:
        """Yield the elements of the next array."""
        self.expect("[")
        while self.peek() != "]":
            yield self.value()
            self.next_or("]")
        self.expect("]")

    def value(self) -> Any:
        """Decode the next complete value."""
        self.peek()
        size = CHUNK
        while True:
            try:
                value, end = _decoder.raw_decode(self._text, self._index)
            except RecursionError:
                raise self._error("too deeply nested") from None
            except ValueError as error:
                # a value truncated by the window looks malformed: read more, doubling the size each time
                if len(self._text) - self._index > MAX_ELEMENT_CHARACTERS or not self._read_more(size):
                    raise self._error(str(error)) from None
                size *= 2
                continue
            # a number at the end of the window may continue beyond it: "8.25e" decodes as 8.25
            if end < len(self._text) - _MAX_NUMBER_CHARACTERS or not self._read_more(CHUNK):
                self._index = end
                return value

    def _read_more(self, size: int) -> bool:
        read = self._file.read(size)
        if not read:
            return False
        self._consumed += self._index
        self._text, self._index = self._text[self._index :] + read, 0
        return True

    def _error(self, why: str) -> DataError:
        return DataError(
            "Cannot read {path}: {why}", path=self._path, why=f"{why} (character {self._consumed + self._index})"
        )


MAX_PICTURE_BYTES = 128 * 2**20
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpg"),
    (b"GIF8", "gif"),
    (b"BM", "bmp"),
    (b"II*\x00", "tif"),
    (b"MM\x00*", "tif"),
)


def detect_suffix(data: bytes) -> str:
    """Detect the file suffix of an image by its signature; empty if it is not an image."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp"
    return next((suffix for head, suffix in _SIGNATURES if data.startswith(head)), "")


def content_name(data: bytes) -> str:
    """Return a file name derived from the content hash."""
    return f"{hashlib.blake2b(data, digest_size=12).hexdigest()}.{detect_suffix(data) or 'bin'}"


def decode_picture(text: str) -> bytes | Remark:
    """Decode an image from base64 or a data URI; returns the reason if it is invalid."""
    body = text.partition("base64,")[2] if text.startswith("data:") else text
    if len(body) > MAX_PICTURE_BYTES * 4 // 3:
        return Remark("the image is too large")
    try:
        data = base64.b64decode("".join(body.split()), validate=True)
    except (binascii.Error, ValueError):
        return Remark("the image is not valid base64")
    return data if detect_suffix(data) else Remark("not a supported image")


def read_pictures(folder: Path, names: Sequence[str], faults: ImportFaults) -> tuple[bytes, ...]:
    """Read the images of one sample below a folder: all, or none if one of them is refused or missing."""
    pictures = []
    for name in names:
        picture = read_picture(folder, name)
        if isinstance(picture, Remark):
            faults.add(folder, name, picture)
            return ()
        pictures.append(picture)
    return tuple(pictures)


def read_picture(folder: Path, name: str) -> bytes | Remark:
    """Read an image below the folder; returns the reason if it is refused or missing."""
    if leaves_folder(name) or "\0" in name or not name.strip():
        return Remark("the path '{name}' is outside the image folder", {"name": name[:200]})
    path = folder.joinpath(*PureWindowsPath(name).parts)
    try:
        real = path.resolve(strict=True)
        if not real.is_relative_to(folder.resolve()):
            return Remark("the path '{name}' is outside the image folder", {"name": name[:200]})
        if not real.is_file() or real.stat().st_size > MAX_PICTURE_BYTES:
            return Remark("'{name}' is not an image", {"name": name[:200]})
        data = real.read_bytes()
    except (OSError, ValueError, RuntimeError):
        return Remark("image '{name}' not found", {"name": name[:200]})
    return data if detect_suffix(data) else Remark("'{name}' is not an image", {"name": name[:200]})
