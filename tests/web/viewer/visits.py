"""A visitor of the pages, who reads what a browser would show."""

from __future__ import annotations

import json
import re
import warnings
from html import unescape
from pathlib import Path
from typing import Any

import msgspec

from sightline.core.records import Answer, Failure

with warnings.catch_warnings():  # newer versions would rather have another client than httpx
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

__all__ = ["PORT", "TOKEN", "TestClient", "Visit", "append", "attribute", "edit_journal", "said"]

TOKEN = "a token of the tests"
PORT = 8337


class Visit:
    """A client with the token's cookie."""

    def __init__(self, client: TestClient) -> None:
        self.client = client

    def page(self, path: str, code: int = 200, **query: Any) -> str:
        """The text of a page."""
        answer = self.client.get(path, params=query or None)
        assert answer.status_code == code, (path, answer.status_code, answer.text[:300])
        return answer.text

    def runs(self) -> list[str]:
        """The ids of all runs, newest first."""
        return re.findall(r'data-run="(\w+)"', self.page("/"))

    def listed(self, run: str, **query: Any) -> list[int]:
        """The positions on one page of samples."""
        return [int(found) for found in re.findall(r'href="/run/\w+/sample/(\d+)', self.page(f"/run/{run}", **query))]


def attribute(page: str, name: str) -> list[str]:
    """All values of an attribute."""
    return [unescape(found) for found in re.findall(rf'\b{name}="([^"]*)"', page)]


def edit_journal(run: Path, position: int, **fields: Any) -> None:
    """Put other words into the journal's line about a sample."""
    path = run / "journal.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        if line["position"] == position:
            line.update(fields)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def said(run: Path, position: int) -> str:
    """The reply that the journal holds for a sample."""
    lines = map(json.loads, (run / "journal.jsonl").read_text(encoding="utf-8").splitlines())
    return str(next(line.get("text", "") for line in lines if line["position"] == position))


def append(journal: Path, *records: Answer | Failure) -> None:
    """Write lines as a run does."""
    with journal.open("ab") as file:
        for record in records:
            file.write(msgspec.json.encode(record) + b"\n")
