"""Writers of imported rows: annotation and output files for `sightline score`, or a reply file."""

from __future__ import annotations

import base64
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import msgspec

from sightline.interop.fields import replace_surrogates
from sightline.interop.pictures import content_name
from sightline.interop.rows import Row
from sightline.runs.folder import slugify

_PARTIAL_SUFFIX = ".part"
_encoder = msgspec.json.Encoder()


def _encode(record: dict[str, Any]) -> bytes:
    """Encode one JSON line; lone surrogates, which UTF-8 cannot encode, become question marks."""
    try:
        return _encoder.encode(record)
    except UnicodeEncodeError:
        return _encoder.encode(
            {key: replace_surrogates(value) if isinstance(value, str) else value for key, value in record.items()}
        )


class AnnotationWriter:
    """Writes `anno/NAME.txt` and `output/NAME_output.txt`, under temporary names until complete."""

    def __init__(self, out: Path, name: str, keeps_pictures: bool) -> None:
        self._out = out
        self._name = name
        self._pictures = out / "images" if keeps_pictures else None
        self._created: list[Path] = []
        self._open: dict[str, IO[bytes]] = {}
        self._sheet: str | None = None
        self.samples = self.replies = 0

    def write(self, row: Row) -> None:
        """Write the target and the reply of a row."""
        if row.sheet != self._sheet:
            self._close_files()
            self._sheet = row.sheet
        if row.truth is not None:
            self.samples += 1
            self._file("anno", "").write(_encode(self._annotation(row)) + b"\n")
        if row.reply is not None:
            self.replies += 1
            output = {"sample_id": row.id, "task": row.task, "model_output": row.reply, "source": row.source}
            self._file("output", "_output").write(_encode(output) + b"\n")

    def finish(self) -> None:
        """Close all files and give them their final names."""
        self._close_files()
        for path in self._created:
            path.with_name(path.name + _PARTIAL_SUFFIX).replace(path)

    def discard(self) -> None:
        """Delete unfinished files."""
        self._close_files()
        for path in self._created:
            path.with_name(path.name + _PARTIAL_SUFFIX).unlink(missing_ok=True)
            with suppress(OSError):
                path.parent.rmdir()  # fails if it is not empty

    def _annotation(self, row: Row) -> dict[str, Any]:
        names = [content_name(data) for data in row.pictures]
        if self._pictures is not None:
            for name, data in zip(names, row.pictures, strict=True):
                self._pictures.mkdir(exist_ok=True)
                (self._pictures / name).write_bytes(data)
            names = [f"images/{name}" for name in names]
        record: dict[str, Any] = {"sample_id": row.id, "task": row.task, "gt": row.truth}
        record |= {"source": row.source or ",".join(names), "prompt": row.question}
        if row.pictures:
            record["frames"] = [base64.b64encode(data).decode() for data in row.pictures]
        return record

    def _file(self, folder: str, suffix: str) -> IO[bytes]:
        if folder not in self._open:
            path = self._out / folder / f"{slugify(self._sheet or self._name)}{suffix}.txt"
            is_reopened = path in self._created
            if not is_reopened:
                path.parent.mkdir(exist_ok=True)
                self._created.append(path)
            self._open[folder] = path.with_name(path.name + _PARTIAL_SUFFIX).open("ab" if is_reopened else "wb")
        return self._open[folder]

    def _close_files(self) -> None:
        for file in self._open.values():
            file.close()
        self._open.clear()


class ReplyWriter:
    """Writes `replies.jsonl`: one reply per line, by sample id of a suite."""

    def __init__(self, out: Path) -> None:
        self._path = out / "replies.jsonl"
        self._part = self._path.with_suffix(_PARTIAL_SUFFIX)
        self._file = self._part.open("wb")
        self.samples = self.replies = 0

    def write(self, row: Row) -> None:
        """Write the reply of a row, if it has one."""
        if row.reply is not None:
            self.replies += 1
            self._file.write(_encode({"sample_id": row.id, "model_output": row.reply}) + b"\n")

    def finish(self) -> None:
        """Close the file and give it its final name."""
        self._file.close()
        self._part.replace(self._path)

    def discard(self) -> None:
        """Delete the unfinished file."""
        self._file.close()
        self._part.unlink(missing_ok=True)
