"""Rows on disk: annotation and output files that `sightline score` takes, or a file of replies."""

from __future__ import annotations

import base64
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import msgspec

from sightline.interop.fields import whole
from sightline.interop.pictures import picture_name
from sightline.interop.rows import Row
from sightline.runs.folder import slugify

_PART = ".part"
_encoder = msgspec.json.Encoder()


def _encode(told: dict[str, Any]) -> bytes:
    """One line; halves of characters, which JSON can spell and no file can hold, become question marks."""
    try:
        return _encoder.encode(told)
    except UnicodeEncodeError:
        return _encoder.encode({key: whole(value) if isinstance(value, str) else value for key, value in told.items()})


class Sheets:
    """`anno/NAME.txt` and `output/NAME_output.txt`, under other names until all rows are in them."""

    def __init__(self, out: Path, name: str, keeps_pictures: bool) -> None:
        self._out = out
        self._name = name
        self._pictures = out / "images" if keeps_pictures else None
        self._made: list[Path] = []
        self._open: dict[str, IO[bytes]] = {}
        self._sheet: str | None = None
        self.samples = self.replies = 0

    def write(self, row: Row) -> None:
        """Put a row where it belongs."""
        if row.sheet != self._sheet:
            self._let_go()
            self._sheet = row.sheet
        if row.truth is not None:
            self.samples += 1
            self._file("anno", "").write(_encode(self._annotation(row)) + b"\n")
        if row.reply is not None:
            self.replies += 1
            told = {"sample_id": row.id, "task": row.task, "model_output": row.reply, "source": row.source}
            self._file("output", "_output").write(_encode(told) + b"\n")

    def finish(self) -> None:
        """Give all files their names."""
        self._let_go()
        for path in self._made:
            path.with_name(path.name + _PART).replace(path)

    def abandon(self) -> None:
        """Throw unfinished files away."""
        self._let_go()
        for path in self._made:
            path.with_name(path.name + _PART).unlink(missing_ok=True)
            with suppress(OSError):
                path.parent.rmdir()  # unless there is something in it

    def _annotation(self, row: Row) -> dict[str, Any]:
        names = [picture_name(data) for data in row.pictures]
        if self._pictures is not None:
            for name, data in zip(names, row.pictures, strict=True):
                self._pictures.mkdir(exist_ok=True)
                (self._pictures / name).write_bytes(data)
            names = [f"images/{name}" for name in names]
        told: dict[str, Any] = {"sample_id": row.id, "task": row.task, "gt": row.truth}
        told |= {"source": row.source or ",".join(names), "prompt": row.question}
        if row.pictures:
            told["frames"] = [base64.b64encode(data).decode() for data in row.pictures]
        return told

    def _file(self, folder: str, ending: str) -> IO[bytes]:
        if folder not in self._open:
            path = self._out / folder / f"{slugify(self._sheet or self._name)}{ending}.txt"
            again = path in self._made
            if not again:
                path.parent.mkdir(exist_ok=True)
                self._made.append(path)
            self._open[folder] = path.with_name(path.name + _PART).open("ab" if again else "wb")
        return self._open[folder]

    def _let_go(self) -> None:
        for file in self._open.values():
            file.close()
        self._open.clear()


class ReplyFile:
    """`replies.jsonl`: a reply a line, by the ids of a suite's own samples."""

    def __init__(self, out: Path) -> None:
        self._path = out / "replies.jsonl"
        self._part = self._path.with_suffix(_PART)
        self._file = self._part.open("wb")
        self.samples = self.replies = 0

    def write(self, row: Row) -> None:
        """Take a row's reply, if it has one."""
        if row.reply is not None:
            self.replies += 1
            self._file.write(_encode({"sample_id": row.id, "model_output": row.reply}) + b"\n")

    def finish(self) -> None:
        """Give the file its name."""
        self._file.close()
        self._part.replace(self._path)

    def abandon(self) -> None:
        """Throw the unfinished file away."""
        self._file.close()
        self._part.unlink(missing_ok=True)
