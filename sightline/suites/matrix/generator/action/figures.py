"""Figures to draw again with Matplotlib: bars, lines, circles."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle
from msgspec import Struct

from sightline.suites.matrix.generator.dice import Dice
from sightline.suites.matrix.generator.frame import Item
from sightline.suites.matrix.generator.wording import say

_COLOURS = ("red", "blue", "green", "orange", "purple", "black", "gray", "brown", "gold", "teal")
_SHAPES = {"Circle": Circle, "Rectangle": Rectangle}
_ASK = {
    "en": (
        "Write Matplotlib code that draws this picture: a figure of {wide} by {high} inches with one set of axes, as "
        "`fig, ax = plt.subplots(figsize=({wide}, {high}))`. Leave the figure open; no file has to be saved. "
        "Answer with "
        "one Python code block.",
        "Draw the picture again with Matplotlib. Begin with `fig, ax = plt.subplots(figsize=({wide}, {high}))`, "
        "use the "
        "default style, and leave the figure open at the end. Reply with a single Python code block.",
    ),
    "zh": (
        "请编写画出这幅图的 Matplotlib 代码：图的大小为 {wide} × {high} 英寸，只有一个坐标系，即 "
        "`fig, ax = plt.subplots(figsize=({wide}, {high}))`。图保持打开，不需要保存文件。用一个 Python 代码块回答。",
        "用 Matplotlib 重新画出这幅图。以 `fig, ax = plt.subplots(figsize=({wide}, {high}))` 开头，使用默认样式，"
        "最后保持图打开。只回复一个 Python 代码块。",
    ),
}


class Stroke(Struct, frozen=True, kw_only=True):
    """A call of a method of the axes, or a shape that is added to them."""

    method: str
    arguments: tuple[Any, ...] = ()
    options: dict[str, Any] = {}

    def text(self) -> str:
        """As a line of code."""
        words = [repr(value) for value in self.arguments] + [f"{key}={value!r}" for key, value in self.options.items()]
        call = f"{self.method}({', '.join(words)})"
        return f"ax.add_patch(plt.{call})" if self.method in _SHAPES else f"ax.{call}"


def render(strokes: list[Stroke], size: tuple[int, int]) -> bytes:
    """The figure as Matplotlib draws it by default, whatever style is set outside."""
    with mpl.rc_context(mpl.rcParamsDefault):
        figure = Figure(figsize=size)
        FigureCanvasAgg(figure)
        axes = figure.subplots()
        for stroke in strokes:
            if shape := _SHAPES.get(stroke.method):
                axes.add_patch(shape(*stroke.arguments, **stroke.options))
            else:
                getattr(axes, stroke.method)(*stroke.arguments, **stroke.options)
        stream = BytesIO()
        # no name and version of the program inside: the file depends on the figure alone
        figure.savefig(stream, format="png", metadata={"Software": None})
    return stream.getvalue()


def make(dice: Dice, language: str) -> Item:
    """A figure to draw."""
    wide, high = dice.pick(((5, 4), (4, 4), (6, 4), (6, 5)))
    strokes = dice.turn("figure", (_bars, _lines, _circles, _steps))(dice)
    lines = ["import matplotlib.pyplot as plt", "", f"fig, ax = plt.subplots(figsize=({wide}, {high}))"]
    block = "```python\n" + "\n".join([*lines, *(stroke.text() for stroke in strokes)]) + "\n```"
    picture = render(strokes, (wide, high))
    return Item(
        question=say(dice, _ASK, language, wide=wide, high=high),
        ground_truth=None,
        metric="execution",
        pictures=(picture,),
        metadata={"solution": block, "ideal": block},
        target=picture,
    )


def _bars(dice: Dice) -> list[Stroke]:
    count = dice.whole(3, 6)
    names = dice.some("ABCDEFGHKLMNP", count)
    values = [dice.whole(2, 20) for _ in names]
    colours = dice.some(_COLOURS, count) if dice.chance() else dice.pick(_COLOURS)
    method = dice.pick(("bar", "barh"))
    strokes = [Stroke(method=method, arguments=(names, values), options={"color": colours})]
    strokes.append(Stroke(method="set_title", arguments=(f"Counts {dice.whole(1, 99)}",)))
    if dice.chance():
        strokes.append(Stroke(method="grid", options={"axis": "y" if method == "bar" else "x"}))
    return strokes


def _lines(dice: Dice) -> list[Stroke]:
    places = list(range(1, dice.whole(5, 8)))
    strokes = [
        Stroke(
            method="plot",
            arguments=(places, [dice.whole(0, 20) for _ in places]),
            options={"color": colour, "marker": dice.pick("os^"), "linewidth": dice.pick((1, 2, 3))},
        )
        for colour in dice.some(_COLOURS, dice.whole(1, 3))
    ]
    words = dice.pick((("time", "height"), ("day", "price"), ("x", "y")))
    strokes += [Stroke(method=f"set_{axis}label", arguments=(word,)) for axis, word in zip("xy", words, strict=True)]
    return strokes + ([Stroke(method="grid", arguments=(True,))] if dice.chance() else [])


def _circles(dice: Dice) -> list[Stroke]:
    strokes = []
    # on corners of a coarse grid none hides another
    spots = dice.some([(x, y) for x in (2, 6, 10) for y in (2, 6, 10)], dice.whole(3, 5))
    for colour, (x, y) in zip(dice.some(_COLOURS, len(spots)), spots, strict=True):
        at = (x + dice.pick((-0.5, 0, 0.5)), y + dice.pick((-0.5, 0, 0.5)))
        if dice.chance(0.65):
            strokes.append(
                Stroke(method="Circle", arguments=(at, dice.pick((0.5, 0.8, 1.2, 1.4))), options={"color": colour})
            )
        else:
            sides = (dice.pick((0.5, 1.0, 1.5)), dice.pick((0.5, 1.0, 1.5)))
            strokes.append(Stroke(method="Rectangle", arguments=(at, *sides), options={"color": colour}))
    return [
        *strokes,
        Stroke(method="set_xlim", arguments=(0, 12)),
        Stroke(method="set_ylim", arguments=(0, 12)),
        Stroke(method="set_aspect", arguments=("equal",)),
    ]


def _steps(dice: Dice) -> list[Stroke]:
    places = list(range(dice.whole(5, 9)))
    low = [dice.whole(1, 9) for _ in places]
    first, second = dice.some(_COLOURS, 2)
    return [
        Stroke(method="fill_between", arguments=(places, low), options={"color": first, "alpha": 0.4}),
        Stroke(method="scatter", arguments=(places, [dice.whole(1, 12) for _ in places]), options={"color": second}),
        Stroke(method="axhline", arguments=(dice.whole(2, 11),), options={"color": "black", "linestyle": "--"}),
        Stroke(method="set_ylim", arguments=(0, 13)),
    ]
