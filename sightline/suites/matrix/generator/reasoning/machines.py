"""Gear trains and forking pipes."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

from msgspec import Struct

from sightline.suites.matrix.generator import diagrams
from sightline.suites.matrix.generator.canvas import XY, Canvas
from sightline.suites.matrix.generator.diagrams import Style
from sightline.suites.matrix.generator.item import Item, round_value, steps_item
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import fill_wording, join_sentences, load_texts

_TEXTS = load_texts(__name__)

_TEETH = (10, 12, 14, 15, 16, 18, 20, 21, 24, 25, 27, 28, 30, 32, 36)
_SIZE = 2.9
"""Pixels of radius a tooth."""
_SHARES = tuple(Fraction(a, b) for a, b in ((1, 2), (1, 3), (2, 3), (1, 4), (3, 4), (2, 5), (3, 5), (1, 5)))


class Gear(Struct, frozen=True, kw_only=True):
    """A gear; `axle` tells that it sits on the axle of the one before instead of meshing with it."""

    name: str
    teeth: int
    axle: bool = False


def gear_turns(gears: list[Gear], turns: int) -> list[Fraction]:
    """Number of turns of each gear for a number of turns of the first."""
    rotations = [Fraction(turns)]
    for before, gear in pairwise(gears):
        rotations.append(rotations[-1] if gear.axle else rotations[-1] * before.teeth / gear.teeth)
    return rotations


def _random_train(rng: SampleRng, axles: tuple[bool, ...], halves: bool) -> tuple[list[Gear], int, list[Fraction]]:
    """Gears whose turns are whole, or halves where allowed, and not all alike."""
    names = rng.some("ABCDEFGHKMPRT", len(axles))
    while True:
        teeth = [rng.pick(_TEETH) for _ in axles]
        gears = [Gear(name=n, teeth=t, axle=a) for n, t, a in zip(names, teeth, axles, strict=True)]
        turns = rng.whole(3, 40)
        rotations = gear_turns(gears, turns)
        whole = all((f * (2 if halves else 1)).denominator == 1 for f in rotations)
        clear = all(a.teeth != b.teeth for a, b in pairwise(gears))
        if whole and clear and rotations[-1] not in rotations[:-1]:
            return gears, turns, rotations


def draw_gear(canvas: Canvas, centre: XY, gear: Gear, radius: float, colour: str) -> None:
    """A wheel with as many teeth as it has."""
    deep = 2.2 * radius / gear.teeth
    points = []
    for k in range(gear.teeth):
        for shift, reach in ((0.0, -deep), (0.3, -deep), (0.4, deep), (0.75, deep), (0.85, -deep)):
            angle = 2 * math.pi * (k + shift) / gear.teeth
            points.append(
                (centre[0] + (radius + reach) * math.cos(angle), centre[1] + (radius + reach) * math.sin(angle))
            )
    canvas.polygon(points, colour, "#333333", 1.2)


def _layout(rng: SampleRng, gears: list[Gear]) -> list[tuple[XY, float]]:
    """Centres and radii from left to right; a gear on the axle of another stands below or above it."""
    places: list[tuple[XY, float]] = [((0.0, 0.0), gears[0].teeth * _SIZE)]
    lean = rng.pick((-1, 1))
    upright = rng.pick((-1, 1))
    for gear in gears[1:]:
        radius, ((x, y), before) = gear.teeth * _SIZE, places[-1]
        away = radius + before + (42 if gear.axle else 3)
        angle = math.radians(upright * 90 if gear.axle else lean * rng.between(3, 14))
        lean = -lean
        places.append(((x + away * math.cos(angle), y + away * math.sin(angle)), radius))
    return places


def _draw_train(rng: SampleRng, gears: list[Gear], written: bool = True) -> bytes:
    style: Style = diagrams.random_style(rng)
    while True:
        places = _layout(rng, gears)
        apart = (math.dist(a[0], b[0]) > a[1] + b[1] + 14 for k, a in enumerate(places) for b in places[k + 2 :])
        if all(apart):
            break
    left, top = (min(at[axis] - r for at, r in places) - 30 for axis in (0, 1))
    right, bottom = (max(at[axis] + r for at, r in places) + 30 for axis in (0, 1))
    canvas = diagrams.new_canvas(style, right - left, bottom - top)
    centres = [(x - left, y - top) for (x, y), _ in places]
    for gear, (_, radius), centre, colour in zip(gears, places, centres, style.hues, strict=False):
        draw_gear(canvas, centre, gear, radius, _lighten(colour))
    for number, gear in enumerate(gears):
        if gear.axle:
            canvas.line(centres[number - 1 : number + 1], "#444444", 13.0)
            canvas.line(centres[number - 1 : number + 1], "#9aa3ad", 9.0)
    for gear, (_, radius), (x, y), colour in zip(gears, places, centres, style.hues, strict=False):
        canvas.disc((x, y), min(26.0, 0.8 * radius), _lighten(colour))
        if written:
            canvas.text((x, y - 9), gear.name, style.text_style(18, "#111111"))
            canvas.text((x, y + 10), str(gear.teeth), style.text_style(16, "#111111"))
        else:
            canvas.text((x, y), gear.name, style.text_style(20, "#111111"))
    return canvas.png()


def _lighten(colour: str) -> str:
    """A colour on which black letters can be read."""
    parts = [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
    return "#" + "".join(f"{(part + 2 * 255) // 3:02x}" for part in parts)


def _gear_item(
    rng: SampleRng, language: str, instruction: str, gears: list[Gear], rotations: list[Fraction], *pictures: bytes
) -> Item:
    step_names = [f"齿轮{gear.name}的圈数" if language == "zh" else f"turns of gear {gear.name}" for gear in gears[1:]]
    values = [round_value(float(value)) for value in rotations]
    return steps_item(
        rng,
        language,
        instruction=instruction,
        step_names=tuple(step_names[:-1]),
        end=step_names[-1],
        steps=tuple(values[1:-1]),
        final=values[-1],
        pictures=pictures,
        scene={"type": "gears", "turns": values[0], "gears": [[gear.name, gear.teeth, gear.axle] for gear in gears]},
    )


def three_gears(rng: SampleRng, language: str) -> Item:
    """Make a sample: three gears in a row."""
    gears, turns, rotations = _random_train(rng, (False, False, False), halves=False)
    instruction = fill_wording(rng, _TEXTS["gears"], language, first=gears[0].name, turns=turns)
    return _gear_item(rng, language, instruction, gears, rotations, _draw_train(rng, gears))


def gears_and_table(rng: SampleRng, language: str) -> Item:
    """Make a sample: the numbers of teeth are in a second picture, with gears that don't take part."""
    gears, turns, rotations = _random_train(rng, (False, False, False), halves=False)
    others = [(name, rng.pick(_TEETH)) for name in rng.some("JLNQSUVWXYZ", 3)]
    rows = rng.shuffled([*((gear.name, gear.teeth) for gear in gears), *others])
    head = ("齿轮", "齿数") if language == "zh" else ("gear", "teeth")
    listed = diagrams.draw_table_picture(rng, [head, *((name, str(teeth)) for name, teeth in rows)])
    instruction = fill_wording(rng, _TEXTS["gears_and_table"], language, first=gears[0].name, turns=turns)
    return _gear_item(rng, language, instruction, gears, rotations, _draw_train(rng, gears, written=False), listed)


def six_gears(rng: SampleRng, language: str) -> Item:
    """Make a sample: six gears, two of them on one axle."""
    axles = rng.pick(((False, False, True, False, False, False), (False, False, False, False, True, False)))
    gears, turns, rotations = _random_train(rng, axles, halves=True)
    start = fill_wording(rng, _TEXTS["gears"], language, first=gears[0].name, turns=turns)
    instruction = join_sentences(language, start, fill_wording(rng, _TEXTS["axle"], language))
    return _gear_item(rng, language, instruction, gears, rotations, _draw_train(rng, gears))


class Fork(Struct, frozen=True, kw_only=True):
    """A fork: the share that goes up, and what follows on both branches (an outlet's letter or a fork)."""

    share: Fraction
    round: bool
    up: Fork | str
    down: Fork | str


def outlet_flows(fork: Fork | str, inflow: Fraction) -> dict[str, Fraction]:
    """What arrives at each outlet."""
    if isinstance(fork, str):
        return {fork: inflow}
    up = inflow * fork.share
    return {**outlet_flows(fork.up, up), **outlet_flows(fork.down, inflow - up)}


def _tree_facts(fork: Fork | str) -> object:
    if isinstance(fork, str):
        return fork
    return [fork.share.numerator, fork.share.denominator, _tree_facts(fork.up), _tree_facts(fork.down)]


def _random_tree(rng: SampleRng, letters: list[str], shares: tuple[Fraction, Fraction] | None) -> Fork | str:
    """A tree of forks over these outlets; `shares` are those of round and of square forks."""
    if len(letters) == 1:
        return letters[0]
    cut = rng.whole(max(1, len(letters) - 3), min(3, len(letters) - 1))
    shape = rng.chance()
    share = rng.pick(_SHARES) if shares is None else shares[0 if shape else 1]
    return Fork(
        share=share,
        round=shape,
        up=_random_tree(rng, letters[:cut], shares),
        down=_random_tree(rng, letters[cut:], shares),
    )


def _depth(fork: Fork | str) -> int:
    return 0 if isinstance(fork, str) else 1 + max(_depth(fork.up), _depth(fork.down))


def _has_whole_flows(fork: Fork | str, inflow: Fraction) -> bool:
    """Whether all flows are whole numbers."""
    if inflow.denominator != 1:
        return False
    if isinstance(fork, str):
        return True
    up = inflow * fork.share
    return _has_whole_flows(fork.up, up) and _has_whole_flows(fork.down, inflow - up)


def _shapes(fork: Fork | str) -> set[bool]:
    return set() if isinstance(fork, str) else {fork.round} | _shapes(fork.up) | _shapes(fork.down)


def _random_pipes(
    rng: SampleRng, outlets: int, shares: tuple[Fraction, Fraction] | None
) -> tuple[Fork, int, dict[str, int]]:
    """A tree with an inflow such that all flows are whole and no two outlets get the same."""
    while True:
        tree = _random_tree(rng, rng.some("ABCDEFGHKLMNPRST", outlets), shares)
        assert isinstance(tree, Fork)
        inflow = rng.whole(4, 60) * 12
        if _depth(tree) > 3 or not _has_whole_flows(tree, Fraction(inflow)) or (shares and len(_shapes(tree)) < 2):
            continue
        flows = {letter: int(flow) for letter, flow in outlet_flows(tree, Fraction(inflow)).items()}
        if len(set(flows.values())) == outlets:
            return tree, inflow, flows


class _TreePainter(Struct):
    """Draws a tree; counts the outlets from the top."""

    canvas: Canvas
    style: Style
    written: bool
    height: float
    right: float
    outlets: int = 0
    nodes: list[tuple[Fork, XY]] = []
    """They are drawn upon all pipes."""

    def branch(self, fork: Fork | str, x: float) -> XY:
        """Draw what follows to the right of x and tell where it begins."""
        if isinstance(fork, str):
            y = 60.0 + self.height * self.outlets
            self.outlets += 1
            self.pipe([(x, y), (self.right, y)])
            self.canvas.disc((self.right + 18, y), 18, self.style.hues[0])
            self.canvas.text(
                (self.right + 18, y), fork, self.style.text_style(20, diagrams.contrasting_colour(self.style.hues[0]))
            )
            return x, y
        ends = [self.branch(part, x + 135) for part in (fork.up, fork.down)]
        y = (ends[0][1] + ends[1][1]) / 2
        for end in ends:
            self.pipe([(x, y), (x, end[1]), end])
        self.nodes.append((fork, (x, y)))
        return x, y

    def pipe(self, points: list[XY]) -> None:
        """A stretch of pipe."""
        self.canvas.line(points, "#5b97cc", 8.0)

    def node(self, fork: Fork, at: XY) -> None:
        """The fork itself, with its share where that is written."""
        (x, y), size = at, 23
        if fork.round:
            self.canvas.disc(at, size, "#ffffff", "#333333", 2.0)
        else:
            self.canvas.rectangle((x - size, y - size, x + size, y + size), "#ffffff", "#333333", 2.0)
        if self.written:
            self.canvas.text(at, f"{fork.share.numerator}/{fork.share.denominator}", self.style.text_style(18))


def _draw_tree(rng: SampleRng, tree: Fork, inflow: int, written: bool) -> bytes:
    style = diagrams.random_style(rng)
    outlets, depth = len(outlet_flows(tree, Fraction(1))), _depth(tree)
    height = rng.pick((66.0, 74.0, 82.0))
    right = 150 + 135.0 * depth
    canvas = diagrams.new_canvas(style, right + 60, 120 + height * (outlets - 1))
    pen = _TreePainter(canvas=canvas, style=style, written=written, height=height, right=right)
    _, y = pen.branch(tree, 150.0)
    pen.pipe([(64, y), (150, y)])
    for fork, at in pen.nodes:
        pen.node(fork, at)
    canvas.rounded((10, y - 20, 74, y + 20), 8, style.hues[1])
    canvas.text((42, y), str(inflow), style.text_style(20, diagrams.contrasting_colour(style.hues[1])))
    return canvas.png()


def _pipe_item(
    rng: SampleRng, language: str, instruction: str, scene: tuple[Fork, int, dict[str, int]], written: bool
) -> Item:
    tree, inflow, flows = scene
    order = rng.shuffled(list(flows))
    last = order[-2:]
    steps = order[: max(2, len(order) - 1)]
    zh = language == "zh"
    return steps_item(
        rng,
        language,
        instruction=instruction,
        step_names=tuple(f"出口{letter}的流量" if zh else f"flow at outlet {letter}" for letter in steps),
        end=f"出口{last[0]}与{last[1]}的流量之和" if zh else f"the flow of outlets {last[0]} and {last[1]} together",
        steps=tuple(flows[letter] for letter in steps),
        final=flows[last[0]] + flows[last[1]],
        pictures=(_draw_tree(rng, tree, inflow, written),),
        scene={"type": "pipes", "inflow": inflow, "tree": _tree_facts(tree), "steps": steps, "last": last},
    )


def shares_in_text(rng: SampleRng, language: str) -> Item:
    """Make a sample: three or four outlets; the text tells what the shapes of the forks mean."""
    shares = rng.some(_SHARES, 2)
    scene = _random_pipes(rng, rng.pick((3, 4)), (shares[0], shares[1]))
    instruction = fill_wording(rng, _TEXTS["shares_in_text"], language, round=str(shares[0]), square=str(shares[1]))
    return _pipe_item(rng, language, instruction, scene, written=False)


def shares_in_picture(rng: SampleRng, language: str) -> Item:
    """Make a sample: five or six outlets; the shares are in the picture."""
    scene = _random_pipes(rng, rng.pick((5, 6)), None)
    return _pipe_item(rng, language, fill_wording(rng, _TEXTS["shares_in_picture"], language), scene, written=True)
