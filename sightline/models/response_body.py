"""Bodies of HTTP responses under a size limit, also where they are compressed: a server may send without end.

Decompression is done here, not by aiohttp, because its output has to be bounded step by step: a gzip bomb of one
network block unpacks to a thousand times its size.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator

import aiohttp

from sightline.core.errors import RejectedError, TryAgainError
from sightline.i18n.printable import printable

_CHUNK = 2**16
_GZIP = 31
"""The window of zlib that means: with the head and the end of a gzip file."""
LONGEST_ERROR = 2**16
"""Bytes of an error response that are read: only its first sentence is shown."""


async def read_body(response: aiohttp.ClientResponse, most: int, cut: bool = False) -> bytes:
    """The whole body; longer than `most` bytes it is cut there, or refused as too large."""
    content = bytearray()
    async for block in iterate_body(response):
        content += block
        if len(content) > most:
            if cut:
                del content[most:]
                break
            raise RejectedError(
                "The server's answer is longer than {count} bytes (--max-reply-bytes).",
                kind="too_large",
                count=f"{most:,}",
            )
    return bytes(content)


async def iterate_body(response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    """The body in blocks of bounded size, decompressed."""
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
    unpacker = zlib.decompressobj(_GZIP)
    try:
        async for block in response.content.iter_chunked(_CHUNK):
            packed = block
            while packed:
                if unpacker.eof:  # a body may be several gzip files, one behind the other
                    unpacker = zlib.decompressobj(_GZIP)
                yield unpacker.decompress(packed, 16 * _CHUNK)
                packed = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
        if not unpacker.eof:
            raise TryAgainError("The response is incomplete.", kind="malformed")
    except zlib.error as error:
        raise TryAgainError("The server's answer can't be read: {why}", kind="malformed", why=error) from None
