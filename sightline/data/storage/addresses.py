"""Storage addresses (URLs, archive members): detection, parsing, redaction of secrets, and names of result paths."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from msgspec import Struct
from msgspec.structs import replace

from sightline.core.errors import UsageError

WEB = ("http", "https")
ARCHIVES = {".zip": "zip", ".tar": "tar", ".tar.gz": "tar", ".tgz": "tar", ".tar.bz2": "tar", ".tar.xz": "tar"}
"""Suffixes of supported archives, and the fsspec protocol of each."""
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")  # two letters at least: C:// is a drive
_USER = re.compile(r"://(?:[^\s'\"/@:]*@|[^\s'\"/@:]*:(?!\d+(?:/|$))[^\s'\"]*@)")
_QUERY = re.compile(r"(://[^\s'\"?]*)\?(?:(?!::)[^\s'\"])*")


class Address(Struct, frozen=True):
    """A parsed address: `SCHEME://PATH?QUERY`, and its container (`::ADDRESS`, for a member of an archive)."""

    scheme: str
    path: str
    query: str = ""
    container: str = ""

    @property
    def url(self) -> str:
        """The whole address, including secrets."""
        return f"{self.scheme}://{self.path}{self.query}{self.container}"

    @property
    def name(self) -> str:
        """The file name: the last component of the path."""
        last = self.path.rstrip("/").rpartition("/")[2]
        return unquote(last).rpartition("/")[2] if self.scheme in WEB else last

    def child(self, name: str) -> Address:
        """The address of a file or folder in this folder."""
        base = self.path.rstrip("/")
        return replace(self, path=f"{base}/{name}" if base else name)


def is_address(text: str) -> bool:
    """Whether a text is a remote address; `file://…` is a local path."""
    scheme = _SCHEME.match(text)
    return bool(scheme and scheme[1].lower() != "file") or _split_archive_member(text) is not None


def parse_address(text: str) -> Address:
    """Parse an address. An archive member is written `data.zip::anno`, or in fsspec's order `zip://anno::data.zip`."""
    archive_member = _split_archive_member(text)
    if archive_member:
        archive, member = archive_member
        return Address(ARCHIVES[archive_suffix(archive)], member.strip("/"), container=f"::{archive}")
    head, colons, rest = text.partition("::")
    scheme, _, path = head.partition("://")
    query = ""
    if scheme.lower() in WEB:
        path, mark, parameters = path.partition("?")
        query = mark + parameters
    return Address(scheme.lower(), path, query, colons + rest)


def redact(text: str) -> str:
    """Mask user names, passwords and query strings of all addresses in a text."""
    return _QUERY.sub(r"\1?***", _USER.sub("://***@", text))


def archive_suffix(text: str) -> str:
    """The archive suffix of a name; empty if it is not that of an archive."""
    path = text.partition("?")[0].lower()
    return max((suffix for suffix in ARCHIVES if path.endswith(suffix)), key=len, default="")


def _split_archive_member(text: str) -> tuple[str, str] | None:
    """The archive and the member of `data.zip::anno`; None if the text has another form."""
    archive, colons, member = text.rpartition("::")
    is_chain = text.lower().startswith(("zip://", "tar://")) or "://" in member
    return (archive, member) if colons and not is_chain and archive_suffix(archive) else None


def named_paths(texts: Iterable[str]) -> dict[str, str]:
    """The result path of each model by its name: the given one, or that of the folder or file."""
    paths: dict[str, str] = {}
    for text in texts:
        label, path = _split_name(text)
        if label in paths:
            raise UsageError(
                "Two result folders have the name '{name}'.", hint="Name them: --model-result-path A=DIR", name=label
            )
        paths[label] = path
    return paths


def _split_name(text: str) -> tuple[str, str]:
    """Split NAME=PATH; folders and addresses may contain an equals sign, and a name never includes secrets."""
    name, equals, path = text.partition("=")
    if equals and "://" not in name and "::" not in name and not Path(text).exists():
        return name.strip(), path
    if "://" not in text and "::" not in text:
        return Path(text).resolve().stem, text
    parts = text.split("::")
    if not text.startswith(("zip://", "tar://")):
        parts.reverse()  # the member of data.zip::member is the last
    stripped = [part.partition("?")[0].rpartition("://")[2].rpartition("@")[2] for part in parts]
    return next(filter(None, (PurePosixPath(part).stem for part in stripped)), "model"), text
