"""Pipes that fork: how much arrives at each outlet."""

from __future__ import annotations

from fractions import Fraction

from msgspec import Struct

from sightline.suites.matrix.generator.canvas import XY, Canvas
from sightline.suites.matrix.generator.reasoning.drawing import Style, contrasting_colour, new_canvas, random_style
from sightline.suites.matrix.generator.reasoning.puzzle import StepsQuestion
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import fill_wording

_SHARES = tuple(Fraction(a, b) for a, b in ((1, 2), (1, 3), (2, 3), (1, 4), (3, 4), (2, 5), (3, 5), (1, 5)))
_TOLD = {
    "en": (
        "Water flows through the pipes from left to right; the number at the inlet is in litres a minute. At a round "
        "fork {round} of the water goes into the upper branch, at a square fork {square}; the rest goes into the lower "
        "one.",
    ),
    "zh": (
        "水在管道中从左向右流，入口处的数字是每分钟的升数。在圆形分叉处，{round}的水流入上面的支管；在方形分叉处，"
        "{square}的水流入上面的支管；其余流入下面的支管。",
    ),
}
_DRAWN = {
    "en": (
        "Water flows through the pipes from left to right; the number at the inlet is in litres a minute. The fraction "
        "at a fork tells how much of the water goes into the upper branch; the rest goes into the lower one.",
        "The inlet at the left is given in litres a minute. At each fork the fraction written there flows into the "
        "upper branch and what is left into the lower one.",
    ),
    "zh": (
        "水在管道中从左向右流，入口处的数字是每分钟的升数。分叉处的分数表示流入上面支管的水的比例，其余流入下面的支管。",
        "左侧入口的流量以升/分钟给出。在每个分叉处，标出的比例流入上面的支管，剩下的流入下面的支管。",
    ),
}


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


def _facts(fork: Fork | str) -> object:
    if isinstance(fork, str):
        return fork
    return [fork.share.numerator, fork.share.denominator, _facts(fork.up), _facts(fork.down)]


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


def _random_scene(
    rng: SampleRng, outlets: int, shares: tuple[Fraction, Fraction] | None
) -> tuple[Fork, int, dict[str, int]]:
    """A tree with an inflow such that all flows are whole and no two outlets get the same."""
    while True:
        tree = _random_tree(rng, rng.some("ABCDEFGHKLMNPRST", outlets), shares)
        assert isinstance(tree, Fork)
        inflow = rng.whole(4, 60) * 12
        if _depth(tree) > 3 or not _has_whole_flows(tree, Fraction(inflow)) or (shares and len(_shapes(tree)) < 2):
            continue
        found = {letter: int(flow) for letter, flow in outlet_flows(tree, Fraction(inflow)).items()}
        if len(set(found.values())) == outlets:
            return tree, inflow, found


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
                (self.right + 18, y), fork, self.style.text_style(20, contrasting_colour(self.style.hues[0]))
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
    style = random_style(rng)
    outlets, depth = len(outlet_flows(tree, Fraction(1))), _depth(tree)
    height = rng.pick((66.0, 74.0, 82.0))
    right = 150 + 135.0 * depth
    canvas = new_canvas(style, right + 60, 120 + height * (outlets - 1))
    pen = _TreePainter(canvas=canvas, style=style, written=written, height=height, right=right)
    _, y = pen.branch(tree, 150.0)
    pen.pipe([(64, y), (150, y)])
    for fork, at in pen.nodes:
        pen.node(fork, at)
    canvas.rounded((10, y - 20, 74, y + 20), 8, style.hues[1])
    canvas.text((42, y), str(inflow), style.text_style(20, contrasting_colour(style.hues[1])))
    return canvas.png()


def _make_question(
    rng: SampleRng, language: str, instruction: str, scene: tuple[Fork, int, dict[str, int]], written: bool
) -> StepsQuestion:
    tree, inflow, found = scene
    order = rng.shuffled(list(found))
    last = order[-2:]
    steps = order[: max(2, len(order) - 1)]
    zh = language == "zh"
    return StepsQuestion(
        instruction=instruction,
        step_names=tuple(f"出口{letter}的流量" if zh else f"flow at outlet {letter}" for letter in steps),
        end=f"出口{last[0]}与{last[1]}的流量之和" if zh else f"the flow of outlets {last[0]} and {last[1]} together",
        steps=tuple(found[letter] for letter in steps),
        final=found[last[0]] + found[last[1]],
        pictures=(_draw_tree(rng, tree, inflow, written),),
        scene={"type": "pipes", "inflow": inflow, "tree": _facts(tree), "steps": steps, "last": last},
    )


def told_shares(rng: SampleRng, language: str) -> StepsQuestion:
    """Three or four outlets; the text tells what the shapes of the forks mean."""
    shares = rng.some(_SHARES, 2)
    scene = _random_scene(rng, rng.pick((3, 4)), (shares[0], shares[1]))
    instruction = fill_wording(rng, _TOLD, language, round=str(shares[0]), square=str(shares[1]))
    return _make_question(rng, language, instruction, scene, written=False)


def drawn_shares(rng: SampleRng, language: str) -> StepsQuestion:
    """Five or six outlets; the shares are in the picture."""
    scene = _random_scene(rng, rng.pick((5, 6)), None)
    return _make_question(rng, language, fill_wording(rng, _DRAWN, language), scene, written=True)
