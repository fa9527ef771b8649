"""How plots look: `vis_config.json`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from msgspec import Struct, field

from sightline.core.errors import ConfigError
from sightline.core.settings import convert, read_file, setting

KINDS = (
    *("bars", "radar", "heatmap", "by_size", "by_count", "per_class", "confusion", "pr_curve", "boundary", "grid"),
    *("rungs", "pairs", "calibration"),
)
FORMATS = ("png", "pdf")
OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#E69F00", "#56B4E9", "#CC79A7", "#F0E442", "#555555")
"""The colours of Okabe and Ito, which colour-blind readers can tell apart; the strongest first, grey for black."""


class VisConfig(Struct, frozen=True, kw_only=True):
    """The settings of the plots."""

    width: Annotated[int, setting("least width of a PNG, in pixels", ge=1920, le=16000)] = 1920
    height: Annotated[int, setting("least height of a PNG, in pixels", ge=1080, le=16000)] = 1080
    dpi: Annotated[int, setting("pixels an inch, on a page 12.8 inches wide", ge=72, le=600)] = 150
    palette: Annotated[tuple[str, ...], setting("colours of the models, as #RRGGBB")] = OKABE_ITO
    formats: Annotated[tuple[str, ...], setting("files of every plot", choices=FORMATS)] = FORMATS
    plots: Annotated[tuple[str, ...], setting("which kinds are drawn", choices=KINDS)] = KINDS
    radar_maximum: Annotated[dict[str, float], setting("value at the rim, for metrics that are no shares")] = field(
        default_factory=lambda: {"cider": 1.0}
    )
    font_size: Annotated[float, setting("size of the labels, in points", ge=6, le=24)] = 13.0


def read_vis(path: Path | None = None) -> VisConfig:
    """The settings in a file; without one, the defaults."""
    if path is None:
        return VisConfig()
    vis = convert(VisConfig, read_file(path), str(path))
    _check_palette(vis, path)
    for metric, maximum in vis.radar_maximum.items():
        if not 0 < maximum < float("inf"):
            raise ConfigError(
                "radar_maximum in {path}: the maximum of '{metric}' must be above 0, not {value}.",
                path=path,
                metric=metric,
                value=maximum,
            )
    return vis


def _check_palette(vis: VisConfig, path: Path) -> None:
    if not vis.palette:
        raise ConfigError("palette in {path} must name at least one colour.", path=path)
    for colour in vis.palette:
        if not re.fullmatch(r"#[0-9A-Fa-f]{6}", colour):
            raise ConfigError(
                "palette in {path}: '{colour}' is no colour. Write it like #0072B2.", path=path, colour=colour
            )
