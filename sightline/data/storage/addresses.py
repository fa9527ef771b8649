"""Where things are, as text: what is an address, what its parts are, and how it is shown without secrets."""

from __future__ import annotations

import re
from urllib.parse import unquote

from msgspec import Struct
from msgspec.structs import replace

WEB = ("http", "https")
ARCHIVES = {".zip": "zip", ".tar": "tar", ".tar.gz": "tar", ".tgz": "tar", ".tar.bz2": "tar", ".tar.xz": "tar"}
"""Suffixes of archives whose members can be read, and the scheme of each."""
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")  # two letters at least: C:// is a drive
_USER = re.compile(r"://(?:[^\s'\"/@:]*@|[^\s'\"/@:]*:(?!\d+(?:/|$))[^\s'\"]*@)")
_QUERY = re.compile(r"(://[^\s'\"?]*)\?(?:(?!::)[^\s'\"])*")


class Address(Struct, frozen=True):
    """An address in its parts: `SCHEME://PATH?QUERY`, and what it lies in (`::ADDRESS`, for a member of an archive)."""

    scheme: str
    path: str
    query: str = ""
    container: str = ""

    @property
    def url(self) -> str:
        """The whole text, with its secrets."""
        return f"{self.scheme}://{self.path}{self.query}{self.container}"

    @property
    def name(self) -> str:
        """The last part of the path, as a file would be called."""
        last = self.path.rstrip("/").rpartition("/")[2]
        return unquote(last).rpartition("/")[2] if self.scheme in WEB else last

    def child(self, name: str) -> Address:
        """The address of something in this folder."""
        base = self.path.rstrip("/")
        return replace(self, path=f"{base}/{name}" if base else name)


def is_address(text: str) -> bool:
    """Whether a text names a place that is no path of this machine; `file://…` is one."""
    scheme = _SCHEME.match(text)
    return bool(scheme and scheme[1].lower() != "file") or _split_archive_member(text) is not None


def parse_address(text: str) -> Address:
    """The parts of an address. A member may stand behind its archive (`data.zip::anno`) or before (`zip://anno::…`)."""
    archive_member = _split_archive_member(text)
    if archive_member:
        archive, member = archive_member
        return Address(_archive_scheme(archive), member.strip("/"), container=f"::{archive}")
    head, colons, rest = text.partition("::")
    scheme, _, path = head.partition("://")
    query = ""
    if scheme.lower() in WEB:
        path, mark, parameters = path.partition("?")
        query = mark + parameters
    return Address(scheme.lower(), path, query, colons + rest)


def redact(text: str) -> str:
    """The text with names, passwords and query strings of all addresses in it made unreadable."""
    return _QUERY.sub(r"\1?***", _USER.sub("://***@", text))


def archive_suffix(text: str) -> str:
    """The suffix by which a name is an archive's; empty: it is none."""
    bare = text.partition("?")[0].lower()
    return max((suffix for suffix in ARCHIVES if bare.endswith(suffix)), key=len, default="")


def _archive_scheme(archive: str) -> str:
    return ARCHIVES[archive_suffix(archive)]


def _split_archive_member(text: str) -> tuple[str, str] | None:
    """The archive and the member of `data.zip::anno`; None where the text is no such."""
    archive, colons, member = text.rpartition("::")
    is_chain = text.lower().startswith(("zip://", "tar://")) or "://" in member
    return (archive, member) if colons and not is_chain and archive_suffix(archive) else None
