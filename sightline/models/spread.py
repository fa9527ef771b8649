"""A model that several servers have: the asker spreads requests over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from sightline.core.interfaces import Model
from sightline.core.records import Remark
from sightline.models.keys import Endpoint


@runtime_checkable
class SpreadModel(Model, Protocol):
    """A model at one server that knows its likes at the others."""

    endpoint: Endpoint

    def everywhere(self) -> Sequence[Model]:
        """The model at each server, itself first."""


def describe_servers(model: Model) -> list[Remark]:
    """Where requests will go, and where address and key come from: for the user's eyes before the first request."""
    if not isinstance(model, SpreadModel):
        return []
    endpoints = [one.endpoint for one in model.everywhere() if isinstance(one, SpreadModel)]
    return [
        Remark(
            "Server: {server} (from {address_source}), key from {key_source}"
            if one.key
            else "Server: {server} (from {address_source}), no key",
            {"server": one.shown, "address_source": one.address_source, "key_source": one.key_source},
        )
        for one in endpoints
    ]
