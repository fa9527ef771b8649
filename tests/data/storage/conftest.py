"""Storages that several tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sightline.data.storage import filesystems
from tests.data.storage.worlds import s3_server


@pytest.fixture(scope="session")
def s3() -> Iterator[str]:
    """The address of an S3 server on loopback."""
    for name in ("s3fs", "boto3", "moto", "flask"):
        pytest.importorskip(name)
    with s3_server() as address:
        yield address


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filesystems, "FIRST_PAUSE", 0.001)
