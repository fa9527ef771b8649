"""Named colours and chart palettes."""

from __future__ import annotations

from msgspec import Struct

from sightline.suites.matrix.generator.sample_rng import SampleRng


class Colour(Struct, frozen=True):
    """A named colour with shades that are all recognised as it."""

    name: str
    zh: str
    shades: tuple[str, ...]


COLOURS = (
    Colour("red", "红色", ("#d62728", "#c81e2c", "#e53935")),
    Colour("blue", "蓝色", ("#1f5fd0", "#2456c8", "#1e6fe0")),
    Colour("green", "绿色", ("#2a9d3a", "#1f8f45", "#35a835")),
    Colour("yellow", "黄色", ("#f2c400", "#f5cd1c", "#ebc000")),
    Colour("orange", "橙色", ("#f57c00", "#ee7a10", "#fb8510")),
    Colour("purple", "紫色", ("#7b2fb0", "#8a35bd", "#6f2da8")),
    Colour("black", "黑色", ("#141414", "#1c1c1c", "#202020")),
    Colour("brown", "棕色", ("#7a4a22", "#80501f", "#6f4320")),
    Colour("pink", "粉色", ("#f48fb8", "#f58bb0", "#ef86b5")),
    Colour("gray", "灰色", ("#8a8a8a", "#909090", "#848484")),
)
"""Well apart from each other on any of the papers."""
COLOUR_BY_NAME = {colour.name: colour for colour in COLOURS}
DISTINCT_COLOURS = tuple(
    colour for colour in COLOURS if colour.name in ("red", "blue", "green", "yellow", "purple", "black")
)
"""Colours that are not confused with each other."""
BACKGROUNDS = ("#ffffff", "#fbfaf5", "#f4f7fb", "#fff8ec", "#f3f8f1", "#eef1f4")
"""Light grounds on which every colour stands out."""
CHART_PALETTES = (
    ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#17becf"),
    ("#0b3c5d", "#d9822b", "#328cc1", "#a23b3b", "#5b8c5a", "#8e6c8a", "#c9a227", "#4f5d75"),
    ("#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#b07aa1", "#9c755f", "#edc948", "#76b7b2"),
    ("#264653", "#e76f51", "#2a9d8f", "#e9c46a", "#8d5a97", "#bc4749", "#577590", "#f4a261"),
    ("#332288", "#cc6677", "#117733", "#ddaa33", "#88ccee", "#882255", "#44aa99", "#999933"),
)
"""Sets of colours for charts."""


def pick_shade(rng: SampleRng, name: str) -> str:
    """Return a random shade of a named colour."""
    return rng.pick(COLOUR_BY_NAME[name].shades)
