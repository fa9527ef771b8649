"""Reply cache: replies to identical requests, stored across runs in SQLite.

Off by default: a server may serve a new model under an old name, and the cache would return replies of the old one.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import msgspec
from msgspec.structs import replace

from sightline.core.cache_folder import cache_folder
from sightline.core.errors import StorageError, UsageError
from sightline.core.interfaces import Model, Request
from sightline.core.records import Prompt, Reply
from sightline.inference.repeats import encode_repeat
from sightline.models.chat_format import EncodedRequest

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Reply)


@runtime_checkable
class CacheableModel(Model, Protocol):
    """A model whose request is available as bytes before it is sent, so that it can be a cache key."""

    async def encode(self, prompt: Prompt) -> EncodedRequest:
        """The serialized request, including images."""

    async def send(self, body: bytes) -> Reply:
        """Send a serialized request."""


def default_cache_path() -> Path:
    """The default path of the cache."""
    return cache_folder() / "replies.sqlite"


class CachingModel:
    """A model behind a reply cache; the key is a hash of the server and the serialized request, images included."""

    def __init__(self, model: CacheableModel, path: Path) -> None:
        self.name = model.name
        self._model = model
        self._path = path
        self._server = str(model.identity().get("server", "")).encode()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._rows = sqlite3.connect(path, timeout=5, isolation_level=None)
            self._rows.execute("PRAGMA journal_mode=WAL")
            self._rows.execute("PRAGMA synchronous=NORMAL")
            self._rows.execute("CREATE TABLE IF NOT EXISTS replies (key BLOB PRIMARY KEY, reply BLOB) WITHOUT ROWID")
        except (OSError, sqlite3.Error) as error:
            raise UsageError(
                "Cannot open the reply cache {path}: {why}",
                hint="Delete the file, or run without --cache.",
                path=path,
                why=error,
            ) from None

    async def ask(self, request: Request) -> Reply:
        """The cached reply, or a new one, which is then cached."""
        encoded = await encode_repeat(self._model, request)
        # a repeat is another draw, even where no seed tells its request from the others
        repeat = b"" if request.repeat == 1 else b"\0%d" % request.repeat
        key = hashlib.sha256(self._server + b"\0" + encoded.body + repeat).digest()
        if (cached := self._find(key)) is not None:
            return replace(cached, cached=True, first_token=0.0, pictures=encoded.pictures)
        reply = await self._model.send(encoded.body)
        with suppress(sqlite3.Error):  # a full disk or a lock of another process: the reply itself is not lost
            self._rows.execute("INSERT OR REPLACE INTO replies VALUES (?, ?)", (key, _encoder.encode(reply)))
        return replace(reply, pictures=encoded.pictures)

    def _find(self, key: bytes) -> Reply | None:
        """The reply of a key; None if there is none or it is damaged."""
        try:
            row = self._rows.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error as error:
            raise StorageError(
                "Cannot read the reply cache {path}: {why}",
                hint="Delete the file, or run without --cache.",
                path=self._path,
                why=error,
            ) from None
        with suppress(msgspec.DecodeError, TypeError):
            return _decoder.decode(row[0]) if row is not None else None
        return None

    def identity(self) -> Mapping[str, Any]:
        """The identity of the wrapped model."""
        return self._model.identity()

    async def close(self) -> None:
        """Close the cache and the model."""
        self._rows.close()
        await self._model.close()
