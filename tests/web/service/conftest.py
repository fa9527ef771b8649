"""A service that runs inside the tests, with worker processes of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("starlette", reason="the service needs starlette: pip install 'sightline[serve]'")
pytest.importorskip("httpx", reason="the service's tests need httpx")

from sightline.web.service.limits import ServiceLimits
from tests.web.service.callers import Caller, started


@pytest.fixture(scope="session")
def service() -> Iterator[Caller]:
    """Two workers, usual limits, no token."""
    with started(ServiceLimits(workers=2)) as caller:
        yield caller
