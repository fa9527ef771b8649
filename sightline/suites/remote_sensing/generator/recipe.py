"""Settings of the generator."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from sightline.core.settings import setting


class Recipe(Struct, frozen=True, kw_only=True):
    """Settings of the generator."""

    tasks: Annotated[tuple[str, ...], setting("only these tasks, by their Chinese or English names")] = ()
    size: Annotated[int, setting("side of a picture in pixels", ge=128, le=2048)] = 512
    outputs: Annotated[bool, setting("also write the outputs of a model that errs in known ways")] = True
