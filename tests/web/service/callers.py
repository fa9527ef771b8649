"""Somebody who calls the service."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sightline.web.service.app import make_app
from sightline.web.service.limits import ServiceLimits

with warnings.catch_warnings():  # newer versions would rather have another client than httpx
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

HOME = "http://127.0.0.1:8640"


class Caller:
    """Sends JSON and reads JSON."""

    def __init__(self, client: TestClient) -> None:
        self.client = client

    def post(self, path: str, body: Any, status: int = 200, **headers: str) -> Any:
        """The answer to a body, which is sent as it stands where it is bytes already."""
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        answer = self.client.post(path, content=sent, headers={"Content-Type": "application/json", **named})
        assert answer.status_code == status, (path, answer.status_code, answer.text[:500])
        expected = "application/json" if status == 200 else "application/problem+json"
        assert answer.headers["content-type"] == expected
        return answer.json()

    def get(self, path: str, status: int = 200, **headers: str) -> Any:
        """The answer to a question without a body."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        answer = self.client.get(path, headers=named)
        assert answer.status_code == status, (path, answer.status_code, answer.text[:500])
        return answer.json()


def closed(token: str = "", limits: ServiceLimits | None = None, loopback: bool = True) -> Caller:
    """A service without workers, to try its door."""
    return Caller(TestClient(make_app(limits or ServiceLimits(), token, loopback), base_url=HOME))


@contextmanager
def started(limits: ServiceLimits, token: str = "") -> Iterator[Caller]:
    """A service with its workers, until it is left."""
    with TestClient(make_app(limits, token), base_url=HOME) as client:
        yield Caller(client)
