"""What holds a frame."""

from __future__ import annotations

from sightline.suites.structural.generator.dice import Dice
from sightline.suites.structural.generator.sketch import DOWN, Sketch
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


def hold_bases(sketch: Sketch, dice: Dice, feet: list[str]) -> None:
    """Supports under the feet of columns; the first two may be any sound pair, others follow the second."""
    first, second = dice.pick(_PAIRS)
    kinds = [first, *([second] * (len(feet) - 1))]
    if dice.chance(0.5):
        kinds.reverse()
    for foot, kind in zip(feet, kinds, strict=True):
        # a guide under a column holds it upright: along y, and against rotation
        sketch.support(foot, kind, 90.0 if kind == "slider" else 0.0)


def hold_end(sketch: Sketch, dice: Dice, foot: str, tip: str) -> None:
    """A foot and the far end of a beam: built in and free, or both held."""
    way = dice.pick(("free", "roller", "pin", "guide", "wall", "slant"))
    if way == "free":
        sketch.support(foot, "fixed")
        sketch.pushes[tip] = DOWN
        sketch.turns.append(tip)
        return
    sketch.support(foot, dice.pick(("pin", "fixed")) if way not in ("guide", "wall") else "fixed")
    match way:
        case "roller":
            sketch.support(tip, "roller")
        case "pin":
            sketch.support(tip, "pin")
        case "guide":
            sketch.support(tip, "slider", 180.0)
        case "wall":
            sketch.support(tip, "roller", 90.0)
        case _:
            sketch.support(tip, "roller", dice.pick((30.0, 45.0, 60.0)))
