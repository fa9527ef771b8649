"""Conversion of metrics and values to JSON types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import structs

from sightline.core.records import format_remark
from sightline.i18n import tr
from sightline.scoring.summary import Row
from sightline.web.service.responses import Figure


def figure_from_row(row: Row) -> Figure:
    """Convert a summary row to a flat response object."""
    baseline = row.baseline
    estimate = structs.asdict(row.estimate)
    return Figure(
        scope=row.scope,
        name=row.name,
        metric=row.metric,
        title=tr(row.title),
        core=row.core,
        unit=row.unit,
        higher_is_better=row.higher_is_better,
        baseline=baseline.name if baseline else "",
        baseline_value=baseline.value if baseline else None,
        skill=baseline.skill if baseline else None,
        **{**estimate, "reason": format_remark(row.estimate.reason)},
    )


def to_json_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Convert NumPy values to JSON types; NaN becomes null."""
    return {name: _to_json_value(value) for name, value in values.items()}


def _to_json_value(value: Any) -> Any:
    converted = value.tolist() if hasattr(value, "tolist") else value
    return None if isinstance(converted, float) and converted != converted else converted
