"""Commands that run inside a test choose a language for the whole process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sightline.i18n import set_language


@pytest.fixture(autouse=True)
def language_of_the_environment() -> Iterator[None]:
    """What a test has chosen is forgotten behind it."""
    yield
    set_language("")
