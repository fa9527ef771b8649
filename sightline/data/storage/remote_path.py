"""Remote path: a file or folder in a storage, with the part of the `pathlib.Path` interface that readers use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from sightline.core.errors import DataError, StorageError
from sightline.data.storage.addresses import WEB, Address, redact
from sightline.data.storage.filesystems import (
    OBJECT_STORES,
    FileSystem,
    call_with_retries,
    error_reason,
    is_missing,
    open_filesystem,
)
from sightline.data.storage.remote_file import RemoteFile, digest_of_last_read, version_of


class Stat(NamedTuple):
    """The subset of `os.stat_result` that a remote file has."""

    st_size: int


class RemotePath:
    """A file or folder at an address. `str` redacts secrets; `url` includes them."""

    def __init__(self, address: Address, system: FileSystem | None = None, info: dict[str, Any] | None = None) -> None:
        self._address, self._opened, self._info = address, system, info
        self.url = address.url
        self.scheme = address.scheme
        self.name = address.name
        self.suffix = PurePosixPath(self.name).suffix
        self.stem = PurePosixPath(self.name).stem

    def __str__(self) -> str:
        return redact(self.url)

    def __repr__(self) -> str:
        return f"RemotePath('{self}')"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RemotePath) and self.url.rstrip("/") == other.url.rstrip("/")

    def __hash__(self) -> int:
        return hash(self.url.rstrip("/"))

    def __lt__(self, other: RemotePath) -> bool:
        return self.url < other.url

    def __truediv__(self, name: str) -> RemotePath:
        parts = name.split("/")
        if any(part in ("", ".", "..") or "\\" in part or "::" in part for part in parts):
            raise DataError("'{name}' is not a valid file name in {path}.", name=name, path=self)
        return RemotePath(self._address.child(name), self._opened)

    def resolve(self) -> RemotePath:
        """The path itself: an address is absolute."""
        return self

    def is_symlink(self) -> bool:
        """False: storages follow links themselves."""
        return False

    def relative_to(self, folder: RemotePath) -> PurePosixPath:
        """The path relative to a folder."""
        path, base = self._address.path.strip("/"), folder._address.path.strip("/")
        return PurePosixPath(path).relative_to(base)

    def is_file(self) -> bool:
        """Whether a file exists; raises if that can't be determined."""
        return self._get_info_once().get("type") == "file"

    def is_dir(self) -> bool:
        """Whether a folder exists. HTTP has none: links of index pages are not followed."""
        return self.scheme not in WEB and self._get_info_once().get("type") == "directory"

    def exists(self) -> bool:
        """Whether a file or folder exists."""
        return bool(self._get_info_once())

    def stat(self) -> Stat:
        """The size; 0 if the server does not report it."""
        return Stat(int(self._get_info_once().get("size") or 0))

    @property
    def version(self) -> str:
        """A text that changes with the content of the file, such as its ETag."""
        return repr(version_of(self._get_info_once()))

    def digest_of_last_read(self) -> bytes | None:
        """The digest of the content, if this process has read the whole file and it has not changed since."""
        return digest_of_last_read(str(self), self._key, version_of(self._get_info_once()))

    def iterdir(self) -> Iterator[RemotePath]:
        """The files and folders in this folder, by one listing."""
        if self.scheme in WEB and self.exists():
            raise DataError("Web servers list no folders: {path}", hint="Give the address of one file.", path=self)
        yield from self._children(self._with_retries(lambda system, key: system.ls(key, detail=True)))

    def files(self) -> list[RemotePath]:
        """All files in the folder, recursively."""
        listing = self._with_retries(lambda system, key: system.find(key, detail=True))
        return sorted(self._children(listing.values()))

    def open(self, mode: str = "rb") -> RemoteFile:
        """Open the file for sequential reading."""
        if mode != "rb":
            raise ValueError("a remote file is opened to read bytes")
        return RemoteFile(self._system, self._key, str(self))

    def read_bytes(self) -> bytes:
        """The content of a small file."""
        with self.open() as file:
            return file.read()

    def put(self, file: Path) -> None:
        """Upload a local file to this path, with a check of its size; a retry starts from the beginning."""
        files, key = self._system.files, self._key

        def upload() -> None:
            scheme = files.protocol if isinstance(files.protocol, str) else files.protocol[0]
            if scheme not in OBJECT_STORES:
                files.makedirs(key.rpartition("/")[0], exist_ok=True)
            files.put_file(str(file), key)
            files.invalidate_cache()
            size = files.info(key)["size"]
            if size != file.stat().st_size:
                raise EOFError(f"{size} of {file.stat().st_size} bytes arrived")

        try:
            call_with_retries(upload)
        except Exception as error:  # every storage has exceptions of its own
            raise StorageError("Cannot write {path}: {why}", path=self, why=error_reason(error)) from None
        self._info = None

    def write_bytes(self, data: bytes) -> None:
        """Upload bytes to this path."""
        with TemporaryDirectory(prefix="sightline-") as folder:
            file = Path(folder, "bytes")
            file.write_bytes(data)
            self.put(file)

    @property
    def _system(self) -> FileSystem:
        if self._opened is None:
            try:
                self._opened = call_with_retries(lambda: open_filesystem(self._address))
            except DataError:
                raise
            except Exception as error:  # an archive is read at once, and every storage has exceptions of its own
                raise DataError("Cannot read {path}: {why}", path=self, why=error_reason(error)) from None
        return self._opened

    @property
    def _key(self) -> str:
        url = f"{self._address.scheme}://{self._address.path}{self._address.query}"
        return str(self._system.files._strip_protocol(url))

    def _with_retries(self, work: Any) -> Any:
        system, key = self._system.files, self._key
        try:
            return call_with_retries(lambda: work(system, key))
        except DataError:
            raise
        except Exception as error:  # every storage has exceptions of its own
            raise DataError("Cannot read {path}: {why}", path=self, why=error_reason(error)) from None

    def _get_info_once(self) -> dict[str, Any]:
        """The metadata of the path, requested once; empty if it does not exist."""
        if self._info is None:
            self._info = self._with_retries(_get_info)
        return self._info

    def _children(self, listing: Any) -> Iterator[RemotePath]:
        """Paths from a listing; names that would lead out of the folder are skipped."""
        system, key = self._system, self._key
        base = f"{key.strip('/')}/" if key.strip("/") else ""
        for info in listing:
            name = str(info["name"]).strip("/")
            inner = name.removeprefix(base)
            is_ours = name.startswith(base) and not {"", ".", ".."} & set(inner.split("/")) and "::" not in inner
            if is_ours and "\\" not in inner:
                yield RemotePath(self._address.child(inner), system, info)


def _get_info(system: Any, key: str) -> dict[str, Any]:
    try:
        info: dict[str, Any] = system.info(key)
    except Exception as error:
        if is_missing(error):
            return {}
        raise
    return info
