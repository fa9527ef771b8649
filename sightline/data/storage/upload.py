"""Upload of files to a storage, with retries and a check of the uploaded size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sightline.core.errors import JournalError
from sightline.data.storage.filesystems import OBJECT_STORES
from sightline.data.storage.retry import call_with_retries, error_reason

if TYPE_CHECKING:
    from sightline.data.storage.remote_path import RemotePath


def upload_file(file: Path, files: Any, key: str, display_path: str) -> None:
    """Upload a file to a key of a file system."""

    def put() -> None:
        scheme = files.protocol if isinstance(files.protocol, str) else files.protocol[0]
        if scheme not in OBJECT_STORES:
            files.makedirs(key.rpartition("/")[0], exist_ok=True)
        files.put_file(str(file), key)
        files.invalidate_cache()
        size = files.info(key)["size"]
        if size != file.stat().st_size:
            raise EOFError(f"{size} of {file.stat().st_size} bytes arrived")

    try:
        call_with_retries(put)
    except Exception as error:  # every storage has exceptions of its own
        raise JournalError("Can't write {path}: {why}", path=display_path, why=error_reason(error)) from None


def upload_files(folder: Path, target: RemotePath, last: Sequence[str] = (), sent: Iterable[str] = ()) -> list[str]:
    """Upload the files of a folder that are not yet sent, sorted by name, with the `last` ones at the end, in order.

    Hidden files are temporary files and are not uploaded.
    """
    names = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    unsent = {name for name in names if not any(part.startswith(".") for part in name.split("/"))} - set(sent)
    ranks = {name: rank for rank, name in enumerate(last, 1)}
    ordered = sorted(unsent, key=lambda name: (ranks.get(name.rpartition("/")[2], 0), name))
    for name in ordered:
        (target / name).put(folder / name)
    return ordered
