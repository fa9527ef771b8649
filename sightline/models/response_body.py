"""Reading of HTTP response bodies with a size limit, also for compressed ones.

Decompression is done here, not by aiohttp, because its output has to be bounded step by step: a gzip bomb expands to a
thousand times its size.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator

import aiohttp

from sightline.core.errors import RejectedError, TryAgainError
from sightline.i18n.printable import printable

_CHUNK = 2**16
_GZIP = 31
"""The `wbits` of zlib for the gzip format."""
MAX_ERROR_BYTES = 2**16
"""Maximum number of bytes read from an error response, of which only the beginning is shown."""


async def read_body(response: aiohttp.ClientResponse, max_bytes: int, truncate: bool = False) -> bytes:
    """The whole body; if it is longer than `max_bytes`, it is truncated or rejected."""
    content = bytearray()
    async for block in iterate_body(response):
        content += block
        if len(content) > max_bytes:
            if truncate:
                del content[max_bytes:]
                break
            raise RejectedError(
                "The server's answer is longer than {count} bytes (--max-reply-bytes).",
                kind="too_large",
                count=f"{max_bytes:,}",
            )
    return bytes(content)


async def iterate_body(response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    """The decompressed body in blocks of bounded size."""
    encoding = response.headers.get("Content-Encoding", "").strip().lower()
    if encoding in ("", "identity"):
        async for block in response.content.iter_chunked(_CHUNK):
            yield block
        return
    if encoding not in ("gzip", "x-gzip"):
        raise TryAgainError(
            "Unsupported Content-Encoding of the response: {encoding}",
            kind="malformed",
            encoding=printable(encoding, 40),
        )
    decompressor = zlib.decompressobj(_GZIP)
    try:
        async for block in response.content.iter_chunked(_CHUNK):
            data = block
            while data:
                if decompressor.eof:  # a body may consist of several concatenated gzip members
                    decompressor = zlib.decompressobj(_GZIP)
                yield decompressor.decompress(data, 16 * _CHUNK)
                data = decompressor.unused_data if decompressor.eof else decompressor.unconsumed_tail
        if not decompressor.eof:
            raise TryAgainError("The response is incomplete.", kind="malformed")
    except zlib.error as error:
        raise TryAgainError("The server's answer can't be read: {why}", kind="malformed", why=error) from None
