"""The plots that go into a paper: bars, radar, heat maps, breakdowns, as PNG and PDF. Loaded when first used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sightline.reports.plots.data import Panel, PlotData, Point
    from sightline.reports.plots.vis import VisConfig, read_vis
    from sightline.reports.plots.write import draw_all

__all__ = ["Panel", "PlotData", "Point", "VisConfig", "draw_all", "read_vis"]

_HOMES = {
    "Panel": "data",
    "PlotData": "data",
    "Point": "data",
    "VisConfig": "vis",
    "draw_all": "write",
    "read_vis": "vis",
}


def __getattr__(name: str) -> Any:
    if home := _HOMES.get(name):
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
