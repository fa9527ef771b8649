"""Storage abstraction: local paths, and remote paths (S3, HTTP, archives… by fsspec) with the same interface.

folder = parse_path("s3://bucket/anno")
for path in folder.iterdir(): ...
"""

from __future__ import annotations

from pathlib import Path
from typing import TypeGuard, cast
from urllib.parse import urlsplit
from urllib.request import url2pathname

from sightline.data.storage.addresses import is_address, parse_address, redact
from sightline.data.storage.remote_path import RemotePath

AnyPath = Path
"""A `Path`, or a `RemotePath`, which has all methods of a path that readers use; `is_remote` tells them apart."""

__all__ = ["AnyPath", "RemotePath", "is_address", "is_remote", "parse_path", "redact"]


def parse_path(text: str | Path) -> AnyPath:
    """The local or remote path that a text names. Nothing is opened, nor fsspec imported, before it is used."""
    if isinstance(text, Path) or Path(text).exists():
        return Path(text)
    if text.startswith("file://"):
        return Path(url2pathname(urlsplit(text).path))
    return cast(AnyPath, RemotePath(parse_address(text))) if is_address(text) else Path(text)


def is_remote(path: AnyPath) -> TypeGuard[RemotePath]:
    """Whether a path is not in the local file system."""
    return isinstance(path, RemotePath)
