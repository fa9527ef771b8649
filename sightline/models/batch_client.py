"""The Batch API of OpenAI-compatible servers: files go up, batches are made and looked at, results come down."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, TypeVar

import aiohttp
import msgspec
from msgspec import Struct

from sightline.core.errors import AccessError, SightlineError, TryAgainError
from sightline.i18n.printable import printable
from sightline.models.openai import OpenAIModel
from sightline.models.response_body import LONGEST_ERROR, iterate_body, read_body
from sightline.models.wire import BATCH_ENDPOINT, error_text

_LONGEST_STATUS = 16 * 2**20
_PAGES = 5
S = TypeVar("S", bound=Struct)
_ID = re.compile(r"[\w.:-]{1,200}", re.ASCII)


class _Fault(Struct):
    code: Any = ""
    message: Any = ""


class _Faults(Struct):
    data: list[_Fault] | None = None


class _Counts(Struct):
    total: int = 0
    completed: int = 0
    failed: int = 0


class BatchStatus(Struct):
    """A batch as the server tells of it."""

    id: str
    status: str = ""
    input_file_id: str | None = None
    output_file_id: str | None = None
    error_file_id: str | None = None
    errors: _Faults | None = None
    request_counts: _Counts | None = None

    @property
    def why(self) -> str:
        """What is wrong with all of it, in one line."""
        faults = (self.errors.data if self.errors else None) or []
        return printable("; ".join(f"{fault.code}: {fault.message}" for fault in faults[:3]), 300)


class _Named(Struct):
    id: str


class _Page(Struct):
    data: list[BatchStatus] = []
    has_more: bool = False


class BatchClient:
    """Speaks with one server for one model."""

    def __init__(self, model: OpenAIModel, timeout: float) -> None:
        self._model = model
        # a file of 200 MB takes its time: only silence is too long
        self._patient = aiohttp.ClientTimeout(total=None, sock_read=timeout, sock_connect=min(20.0, timeout))

    @property
    def server(self) -> str:
        """The address as it may be shown."""
        return self._model.endpoint.shown

    async def upload(self, path: Path) -> str:
        """Bring a file of requests to the server; its id there."""
        with path.open("rb") as file:
            form = aiohttp.FormData()
            form.add_field("purpose", "batch")
            form.add_field("file", file, filename=path.name, content_type="application/jsonl")
            named = _read(await self._call("POST", "/files", form), _Named)
        return checked_id(named.id)

    async def create(self, file: str, window: str, note: str) -> BatchStatus:
        """Make a batch of a file that is there."""
        wanted = {
            "input_file_id": file,
            "endpoint": BATCH_ENDPOINT,
            "completion_window": window,
            "metadata": {"sightline": note},
        }
        return _status(await self._call("POST", "/batches", msgspec.json.encode(wanted)))

    async def look(self, batch: str) -> BatchStatus:
        """How far a batch is."""
        return _status(await self._call("GET", f"/batches/{checked_id(batch)}"))

    async def find(self, file: str) -> BatchStatus | None:
        """The batch that was made of a file, among the latest ones."""
        after = ""
        for _ in range(_PAGES):
            try:
                page = _read(await self._call("GET", f"/batches?limit=100{after}"), _Page)
            except AccessError:  # not every server lists its batches
                return None
            for batch in page.data:
                if batch.input_file_id == file and batch.status != "failed":
                    return batch
            if not page.has_more or not page.data:
                return None
            after = f"&after={checked_id(page.data[-1].id)}"
        return None

    async def download(self, file: str, to: Path, most: int) -> bool:
        """Fetch a file of results; False where it is larger than `most` bytes and was cut there."""
        part = to.with_suffix(".part")
        path = f"/files/{checked_id(file)}/content"
        size = 0
        async with self._model.call("GET", path, patience=self._patient) as response:
            if response.status != 200:
                raise await self._explain(path, response)
            with part.open("wb") as out:
                async for block in iterate_body(response):
                    size += out.write(block)
                    if size > most:
                        break
        part.replace(to)
        return size <= most

    async def _call(self, method: str, path: str, data: object = None) -> bytes:
        more = {"Content-Type": "application/json"} if isinstance(data, bytes) else None
        async with self._model.call(method, path, data, more, self._patient) as response:
            if response.status != 200:
                raise await self._explain(path, response)
            return await read_body(response, _LONGEST_STATUS)

    async def _explain(self, path: str, response: aiohttp.ClientResponse) -> SightlineError:
        if response.status != 404:
            return await self._model.explain_response(response)
        content = await read_body(response, LONGEST_ERROR, cut=True)
        # nothing was said about the model: the server has no such place, or has forgotten what was there
        has_no_batches = path in ("/files", "/batches")
        endpoint = self._model.endpoint
        return AccessError(
            "{server} takes no batches (HTTP {status}): {why}"
            if has_no_batches
            else "{server} has {path} no more (HTTP {status}): {why}",
            hint="Leave --batch out, or check {flag}; it usually ends in /v1."
            if has_no_batches
            else "Start a new run with --fresh.",
            server=endpoint.shown,
            path=path,
            status=response.status,
            why=endpoint.key.scrub(error_text(content)) or "–",
            flag=endpoint.flag,
        )


def _status(content: bytes) -> BatchStatus:
    status = _read(content, BatchStatus)
    checked_id(status.id)
    return status


def _read(content: bytes, kind: type[S]) -> S:
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise TryAgainError("The server's answer can't be read: {why}", kind="malformed", why=error) from None


def checked_id(name: str) -> str:
    """An id that may stand in an address."""
    if not _ID.fullmatch(name) or set(name) == {"."}:
        raise TryAgainError("The server's answer can't be read: {why}", kind="malformed", why=repr(name[:40]))
    return name
