"""Models served by several endpoints, over which requests are load-balanced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from sightline.core.interfaces import Model
from sightline.core.records import Remark
from sightline.models.endpoints import Endpoint


@runtime_checkable
class MultiServerModel(Model, Protocol):
    """A model at one endpoint that can provide the same model at the other endpoints."""

    endpoint: Endpoint

    def per_endpoint(self) -> Sequence[Model]:
        """The model at each endpoint, this one first."""


def describe_servers(model: Model) -> list[Remark]:
    """One sentence per server, shown before the first request: its address, and the sources of address and key."""
    if not isinstance(model, MultiServerModel):
        return []
    endpoints = [
        server_model.endpoint for server_model in model.per_endpoint() if isinstance(server_model, MultiServerModel)
    ]
    return [
        Remark(
            "Server: {server} (from {address_source}), key from {key_source}"
            if endpoint.key
            else "Server: {server} (from {address_source}), no key",
            {
                "server": endpoint.display_address,
                "address_source": endpoint.address_source,
                "key_source": endpoint.key_source,
            },
        )
        for endpoint in endpoints
    ]
