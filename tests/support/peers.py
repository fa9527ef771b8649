"""Other implementations that tests compare with: the extra `peers`."""

from __future__ import annotations

from typing import Any

import pytest


class Peer:
    """A module of another package, imported when a test first uses it; the test is skipped where it is missing."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # pytest looks for its own marks in every object of a module
            raise AttributeError(name)
        package = self._module.partition(".")[0]
        module = pytest.importorskip(self._module, reason=f"{package} is missing: pip install 'sightline[peers]'")
        return getattr(module, name)
