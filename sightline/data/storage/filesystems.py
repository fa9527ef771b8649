"""fsspec file systems of addresses, and retries of their operations with exponential backoff.

fsspec is imported only when an address is used. Error messages contain no secrets.
"""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

from sightline.core.backoff import exponential_backoff
from sightline.core.errors import DataError, SightlineError
from sightline.data.storage.addresses import WEB, Address, archive_suffix, redact

MAX_TRIES = 5
FIRST_PAUSE = 0.5
"""Seconds before the second try; doubled before each further one."""
_PERMANENT = (FileNotFoundError, PermissionError, IsADirectoryError, NotImplementedError, ValueError, SightlineError)
_PERMANENT_NAMES = {"NoCredentialsError", "PartialCredentialsError", "ParamValidationError", "ProfileNotFound"}
T = TypeVar("T")


def call_with_retries(work: Callable[[], T]) -> T:
    """Call `work`, with retries and exponential backoff for transient errors; permanent errors are raised at once."""
    for tries in range(1, MAX_TRIES):
        try:
            return work()
        except Exception as error:  # every storage has exceptions of its own
            if is_permanent(error):
                raise
            time.sleep(exponential_backoff(tries, FIRST_PAUSE))
    return work()


def is_permanent(error: BaseException) -> bool:
    """Whether an error is permanent, so that a retry is useless."""
    error = _cause(error)
    status = getattr(error, "status", None)
    if isinstance(status, int) and 400 <= status < 500:
        return status not in (408, 425, 429)
    return isinstance(error, _PERMANENT) or type(error).__name__ in _PERMANENT_NAMES


def is_missing(error: BaseException) -> bool:
    """Whether the storage reports that the file does not exist."""
    error = _cause(error)
    return isinstance(error, FileNotFoundError) or getattr(error, "status", None) in (404, 410)


def error_reason(error: BaseException) -> str:
    """The message of a storage error, without secrets."""
    error = _cause(error)
    status = getattr(error, "status", None)
    if isinstance(status, int):
        return f"HTTP {status}"
    message = redact(getattr(error, "strerror", None) or str(error))
    if isinstance(error, FileNotFoundError) and " " not in message:  # only the name, which is shown anyway
        return os.strerror(errno.ENOENT)
    return message or type(error).__name__


def _cause(error: BaseException) -> BaseException:
    """The underlying error: fsspec's HTTP client raises `FileNotFoundError` for any failure, chained to the cause."""
    cause = error.__cause__ if isinstance(error, FileNotFoundError) else None
    is_underlying = isinstance(cause, SightlineError | TimeoutError | ConnectionError)
    return cause if cause is not None and (is_underlying or type(cause).__module__.startswith("aiohttp")) else error


EXTRAS = {"s3": "s3", "s3a": "s3", "gs": "gs", "gcs": "gs", "hdfs": "hdfs"}
READ_ONLY = (*WEB, "zip", "tar")
OBJECT_STORES = ("s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "oss", "obs", "memory")
"""Schemes without real folders, which must not be created: some clients would create a mistyped bucket."""
_TAR_COMPRESSION = {".tar.gz": "gzip", ".tgz": "gzip", ".tar.bz2": "bz2", ".tar.xz": "xz"}


class FileSystem(NamedTuple):
    """An fsspec file system, and a lock for readers if only one can read at a time."""

    files: Any
    lock: threading.Lock | None = None


def open_filesystem(address: Address) -> FileSystem:
    """The file system of an address, with an empty listing cache."""
    extra = EXTRAS.get(address.scheme, "storage")
    try:
        import fsspec.core  # type: ignore[import-untyped,import-not-found,unused-ignore]

        files, _ = fsspec.core.url_to_fs(address.url, **_options(address))
    except ImportError as error:
        raise DataError(
            "{path} needs a package that is not installed: {why}",
            hint='pip install "sightline[{extra}]"',
            path=redact(address.url),
            why=error,
            extra=extra,
        ) from None
    files.invalidate_cache()
    # members of a tar share one file handle, and a compressed one would be decompressed again at each seek
    return FileSystem(files, threading.Lock() if address.scheme == "tar" else None)


def _options(address: Address) -> dict[str, Any]:
    """The fsspec options of an address, by protocol if several are chained."""
    if not address.container:
        return _web_options() if address.scheme in WEB else {}
    options: dict[str, Any] = {address.scheme: {"skip_instance_cache": True}}  # an archive may have changed
    if compression := _TAR_COMPRESSION.get(archive_suffix(address.container)):
        options[address.scheme]["compression"] = compression
    for scheme in WEB:
        if f"::{scheme}://" in address.container:
            options[scheme] = _web_options()
    return options


def _web_options() -> dict[str, Any]:
    import aiohttp

    trace = aiohttp.TraceConfig()
    trace.on_request_redirect.append(_stay_on_host)
    return {"skip_instance_cache": True, "client_kwargs": {"trace_configs": [trace]}}


async def _stay_on_host(_session: Any, _context: Any, params: Any) -> None:
    """Refuse redirects to another host: requests go only to the server that the user named."""
    target = urlsplit(params.response.headers.get("Location", ""))
    if target.hostname and (target.hostname, target.scheme) != (params.url.host, params.url.scheme):
        raise DataError(
            "{path} redirects to another server, {server}.",
            hint="Give the address of the file itself.",
            path=redact(str(params.url)),
            server=f"{target.scheme}://{target.hostname}",
        )
