"""fsspec file systems of addresses; fsspec is imported only when an address is used."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from sightline.core.errors import DataError
from sightline.data.storage.addresses import WEB, Address, archive_suffix, redact

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
            "{path} sends us to another server, {server}.",
            hint="Give the address of the file itself.",
            path=redact(str(params.url)),
            server=f"{target.scheme}://{target.hostname}",
        )
