"""Where files lie: a `Path` of this machine, or a place in S3, on the web, in an archive… that is read the same way.

folder = path_of("s3://bucket/anno")
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
"""A `Path`, or a `RemotePath`, which does all that readers ask of a path; who needs to know asks `is_remote`."""

__all__ = ["AnyPath", "RemotePath", "is_address", "is_remote", "parse_path", "redact"]


def parse_path(text: str | Path) -> AnyPath:
    """The place that a text names. Nothing is opened, nor fsspec imported, before it is asked for something."""
    if isinstance(text, Path) or Path(text).exists():
        return Path(text)
    if text.startswith("file://"):
        return Path(url2pathname(urlsplit(text).path))
    return cast(AnyPath, RemotePath(parse_address(text))) if is_address(text) else Path(text)


def is_remote(path: AnyPath) -> TypeGuard[RemotePath]:
    """Whether a place is not of this machine's file system."""
    return isinstance(path, RemotePath)
