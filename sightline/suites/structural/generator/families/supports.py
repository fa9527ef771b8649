"""Random supports of frames."""

from __future__ import annotations

from sightline.suites.structural.generator.model_builder import DOWN, ModelBuilder
from sightline.suites.structural.generator.seeded_random import SeededRandom
from sightline.suites.structural.model import SupportKind

_PAIRS: tuple[tuple[SupportKind, SupportKind], ...] = (
    ("pin", "pin"),
    ("fixed", "fixed"),
    ("pin", "roller"),
    ("fixed", "pin"),
    ("fixed", "roller"),
    ("fixed", "slider"),
    ("pin", "fixed"),
)


def add_base_supports(builder: ModelBuilder, rng: SeededRandom, feet: list[str]) -> None:
    """Add supports under columns: a stable pair for the first two, the others like the second."""
    first, second = rng.pick(_PAIRS)
    kinds = [first, *([second] * (len(feet) - 1))]
    if rng.chance(0.5):
        kinds.reverse()
    for foot, kind in zip(feet, kinds, strict=True):
        # a slider under a column restrains it vertically and against rotation
        builder.support(foot, kind, 90.0 if kind == "slider" else 0.0)


def add_end_supports(builder: ModelBuilder, rng: SeededRandom, foot: str, tip: str) -> None:
    """Support a column foot and the far end of a beam: fixed and free, or both supported."""
    kind = rng.pick(("free", "roller", "pin", "guide", "wall", "slant"))
    if kind == "free":
        builder.support(foot, "fixed")
        builder.force_points[tip] = DOWN
        builder.moment_points.append(tip)
        return
    builder.support(foot, rng.pick(("pin", "fixed")) if kind not in ("guide", "wall") else "fixed")
    match kind:
        case "roller":
            builder.support(tip, "roller")
        case "pin":
            builder.support(tip, "pin")
        case "guide":
            builder.support(tip, "slider", 180.0)
        case "wall":
            builder.support(tip, "roller", 90.0)
        case _:
            builder.support(tip, "roller", rng.pick((30.0, 45.0, 60.0)))
