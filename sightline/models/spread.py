"""A model that several servers have: the asker spreads requests over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from sightline.contracts import Model
from sightline.models.keys import Endpoint


@runtime_checkable
class SpreadModel(Model, Protocol):
    """A model at one server that knows its likes at the others."""

    endpoint: Endpoint

    def everywhere(self) -> Sequence[Model]:
        """The model at each server, itself first."""
