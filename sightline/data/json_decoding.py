"""JSON decoding of untrusted files: any invalid content raises an exception type that callers expect."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from sightline.i18n import tr

T = TypeVar("T")


class JsonDecoder(Generic[T]):
    """A typed decoder that raises only `msgspec.DecodeError`, also for invalid UTF-8 and deep nesting."""

    def __init__(self, kind: Any) -> None:
        self._decoder: msgspec.json.Decoder[T] = msgspec.json.Decoder(kind)

    def decode(self, data: bytes | str) -> T:
        """Decode a JSON text."""
        try:
            return self._decoder.decode(data)
        except RecursionError:
            raise msgspec.DecodeError(_too_deep()) from None
        except UnicodeError as error:
            raise msgspec.DecodeError(str(error)) from None


_any = JsonDecoder[Any](Any)


def decode_json(data: bytes | str) -> Any:
    """Decode JSON of any type; raises `msgspec.DecodeError`."""
    return _any.decode(data)


def read_json_file(path: Path) -> Any:
    """Decode a file by the rules of Python's `json`, with or without a BOM; raises `OSError` or `ValueError`."""
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except RecursionError:
        raise ValueError(_too_deep()) from None


def _too_deep() -> str:
    return tr("its values are nested too deeply")
