"""Figures and values as plain JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import structs

from sightline.i18n import say
from sightline.scoring.summary import Row
from sightline.web.service.responses import Figure


def figure_of(row: Row) -> Figure:
    """A row of a report as one flat object."""
    control = row.control
    estimate = structs.asdict(row.estimate)
    return Figure(
        scope=row.scope,
        name=row.name,
        metric=row.metric,
        title=say(row.title),
        core=row.core,
        unit=row.unit,
        higher_is_better=row.higher_is_better,
        control=control.name if control else "",
        control_value=control.value if control else None,
        skill=control.skill if control else None,
        **{**estimate, "why": say(estimate["why"])},
    )


def plain_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values of NumPy's own types as JSON has them; what is no number is null."""
    return {name: _plain(value) for name, value in values.items()}


def _plain(value: Any) -> Any:
    plain = value.tolist() if hasattr(value, "tolist") else value
    return None if isinstance(plain, float) and plain != plain else plain
