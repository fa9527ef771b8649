"""How the fields of fresh simulations come about."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from sightline.core.settings import setting

COMPUTED, EXACT = "computed", "exact"


class Recipe(Struct, frozen=True, kw_only=True):
    """The generator's own settings."""

    fields: Annotated[
        str,
        setting(
            "computed: by finite elements and lattice Boltzmann, some seconds a case; exact: by formulas, at once",
            choices=(COMPUTED, EXACT),
        ),
    ] = COMPUTED
