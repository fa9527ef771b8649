"""Client for the Batch API of OpenAI-compatible servers: uploads files, creates and retrieves batches, gets results."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, TypeVar

import aiohttp
import msgspec
from msgspec import Struct

from sightline.core.atomic_io import atomic_path
from sightline.core.errors import AccessError, SightlineError, TryAgainError
from sightline.i18n.printable import printable
from sightline.models.chat_format import BATCH_ENDPOINT, error_text
from sightline.models.openai import MAX_ERROR_BYTES, OpenAIModel, iterate_body, read_body

_MAX_RESPONSE_BYTES = 16 * 2**20
_MAX_PAGES = 5
S = TypeVar("S", bound=Struct)
_ID = re.compile(r"[\w.:-]{1,200}", re.ASCII)


class _BatchError(Struct):
    code: Any = ""
    message: Any = ""


class _BatchErrors(Struct):
    data: list[_BatchError] | None = None


class BatchStatus(Struct):
    """A batch object, as the server reports it."""

    id: str
    status: str = ""
    input_file_id: str | None = None
    output_file_id: str | None = None
    error_file_id: str | None = None
    errors: _BatchErrors | None = None

    @property
    def why(self) -> str:
        """The errors of the whole batch, in one line."""
        errors = (self.errors.data if self.errors else None) or []
        return printable("; ".join(f"{error.code}: {error.message}" for error in errors[:3]), 300)


class _FileObject(Struct):
    id: str


class _Page(Struct):
    data: list[BatchStatus] = []
    has_more: bool = False


class BatchClient:
    """Batch API client of one server and one model."""

    def __init__(self, model: OpenAIModel, timeout: float) -> None:
        self._model = model
        # a file of 200 MB takes long to transfer: only inactivity times out
        self._timeout = aiohttp.ClientTimeout(total=None, sock_read=timeout, sock_connect=min(20.0, timeout))

    @property
    def server(self) -> str:
        """The address without secrets, for messages."""
        return self._model.endpoint.display_address

    async def upload(self, path: Path) -> str:
        """Upload a file of requests; returns its id at the server."""
        with path.open("rb") as file:
            form = aiohttp.FormData()
            form.add_field("purpose", "batch")
            form.add_field("file", file, filename=path.name, content_type="application/jsonl")
            uploaded = _decode(await self._call("POST", "/files", form), _FileObject)
        return validate_id(uploaded.id)

    async def create(self, file: str, window: str, description: str) -> BatchStatus:
        """Create a batch from an uploaded file."""
        payload = {
            "input_file_id": file,
            "endpoint": BATCH_ENDPOINT,
            "completion_window": window,
            "metadata": {"sightline": description},
        }
        return _decode_status(await self._call("POST", "/batches", msgspec.json.encode(payload)))

    async def retrieve(self, batch: str) -> BatchStatus:
        """Retrieve the current state of a batch."""
        return _decode_status(await self._call("GET", f"/batches/{validate_id(batch)}"))

    async def find_by_file(self, file: str) -> BatchStatus | None:
        """The batch that was created from an uploaded file, if it is among the latest ones."""
        after = ""
        for _ in range(_MAX_PAGES):
            try:
                page = _decode(await self._call("GET", f"/batches?limit=100{after}"), _Page)
            except AccessError:  # not every server lists its batches
                return None
            for batch in page.data:
                if batch.input_file_id == file and batch.status != "failed":
                    return batch
            if not page.has_more or not page.data:
                return None
            after = f"&after={validate_id(page.data[-1].id)}"
        return None

    async def download(self, file: str, target: Path, max_bytes: int) -> bool:
        """Download a file of results; False if it is larger than `max_bytes` and was truncated."""
        path = f"/files/{validate_id(file)}/content"
        size = 0
        async with self._model.call("GET", path, client_timeout=self._timeout) as response:
            if response.status != 200:
                raise await self._error_of(path, response)
            with atomic_path(target) as temporary, temporary.open("wb") as out:
                async for block in iterate_body(response):
                    size += out.write(block)
                    if size > max_bytes:
                        break
        return size <= max_bytes

    async def _call(self, method: str, path: str, data: object = None) -> bytes:
        headers = {"Content-Type": "application/json"} if isinstance(data, bytes) else None
        async with self._model.call(method, path, data, headers, self._timeout) as response:
            if response.status != 200:
                raise await self._error_of(path, response)
            return await read_body(response, _MAX_RESPONSE_BYTES)

    async def _error_of(self, path: str, response: aiohttp.ClientResponse) -> SightlineError:
        if response.status != 404:
            return await self._model.error_of_response(response)
        content = await read_body(response, MAX_ERROR_BYTES, truncate=True)
        # this is not about the model: the server has no Batch API, or has deleted the object
        has_no_batches = path in ("/files", "/batches")
        endpoint = self._model.endpoint
        return AccessError(
            "{server} does not support the Batch API (HTTP {status}): {why}"
            if has_no_batches
            else "{path} no longer exists on {server} (HTTP {status}): {why}",
            hint="Run without --batch, or check {flag}, which usually ends in /v1."
            if has_no_batches
            else "Start a new run with --fresh.",
            server=endpoint.display_address,
            path=path,
            status=response.status,
            why=endpoint.key.scrub(error_text(content)) or "–",
            flag=endpoint.flag,
        )


def _decode_status(content: bytes) -> BatchStatus:
    status = _decode(content, BatchStatus)
    validate_id(status.id)
    return status


def _decode(content: bytes, kind: type[S]) -> S:
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise TryAgainError("Cannot parse the response: {why}", kind="malformed", why=error) from None


def validate_id(name: str) -> str:
    """Return an id that is safe to use in a URL; raises for any other."""
    if not _ID.fullmatch(name) or set(name) == {"."}:
        raise TryAgainError("Cannot parse the response: {why}", kind="malformed", why=repr(name[:40]))
    return name
