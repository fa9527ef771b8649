"""Figures to draw again with Matplotlib: bars, lines, circles."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle
from msgspec import Struct

from sightline.suites.matrix.generator.item import Item
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import fill_wording, load_texts

_TEXTS = load_texts(__name__)

_COLOURS = ("red", "blue", "green", "orange", "purple", "black", "gray", "brown", "gold", "teal")
_SHAPES = {"Circle": Circle, "Rectangle": Rectangle}


class DrawingCommand(Struct, frozen=True, kw_only=True):
    """A call of a method of the axes, or a shape that is added to them."""

    method: str
    arguments: tuple[Any, ...] = ()
    options: dict[str, Any] = {}

    def text(self) -> str:
        """As a line of code."""
        words = [repr(value) for value in self.arguments] + [f"{key}={value!r}" for key, value in self.options.items()]
        call = f"{self.method}({', '.join(words)})"
        return f"ax.add_patch(plt.{call})" if self.method in _SHAPES else f"ax.{call}"


def render(strokes: list[DrawingCommand], size: tuple[int, int]) -> bytes:
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


def make(rng: SampleRng, language: str) -> Item:
    """Make a sample: a figure to draw."""
    wide, high = rng.pick(((5, 4), (4, 4), (6, 4), (6, 5)))
    strokes = rng.balanced_choice("figure", (_bars, _lines, _circles, _steps))(rng)
    lines = ["import matplotlib.pyplot as plt", "", f"fig, ax = plt.subplots(figsize=({wide}, {high}))"]
    block = "```python\n" + "\n".join([*lines, *(stroke.text() for stroke in strokes)]) + "\n```"
    picture = render(strokes, (wide, high))
    return Item(
        question=fill_wording(rng, _TEXTS["ask"], language, wide=wide, high=high),
        ground_truth=None,
        metric="execution",
        pictures=(picture,),
        metadata={"solution": block, "ideal": block},
        target=picture,
    )


def _bars(rng: SampleRng) -> list[DrawingCommand]:
    count = rng.whole(3, 6)
    names = rng.some("ABCDEFGHKLMNP", count)
    values = [rng.whole(2, 20) for _ in names]
    colours = rng.some(_COLOURS, count) if rng.chance() else rng.pick(_COLOURS)
    method = rng.pick(("bar", "barh"))
    strokes = [DrawingCommand(method=method, arguments=(names, values), options={"color": colours})]
    strokes.append(DrawingCommand(method="set_title", arguments=(f"Counts {rng.whole(1, 99)}",)))
    if rng.chance():
        strokes.append(DrawingCommand(method="grid", options={"axis": "y" if method == "bar" else "x"}))
    return strokes


def _lines(rng: SampleRng) -> list[DrawingCommand]:
    places = list(range(1, rng.whole(5, 8)))
    strokes = [
        DrawingCommand(
            method="plot",
            arguments=(places, [rng.whole(0, 20) for _ in places]),
            options={"color": colour, "marker": rng.pick("os^"), "linewidth": rng.pick((1, 2, 3))},
        )
        for colour in rng.some(_COLOURS, rng.whole(1, 3))
    ]
    words = rng.pick((("time", "height"), ("day", "price"), ("x", "y")))
    strokes += [
        DrawingCommand(method=f"set_{axis}label", arguments=(word,)) for axis, word in zip("xy", words, strict=True)
    ]
    return strokes + ([DrawingCommand(method="grid", arguments=(True,))] if rng.chance() else [])


def _circles(rng: SampleRng) -> list[DrawingCommand]:
    strokes = []
    # on corners of a coarse grid none hides another
    spots = rng.some([(x, y) for x in (2, 6, 10) for y in (2, 6, 10)], rng.whole(3, 5))
    for colour, (x, y) in zip(rng.some(_COLOURS, len(spots)), spots, strict=True):
        at = (x + rng.pick((-0.5, 0, 0.5)), y + rng.pick((-0.5, 0, 0.5)))
        if rng.chance(0.65):
            strokes.append(
                DrawingCommand(
                    method="Circle", arguments=(at, rng.pick((0.5, 0.8, 1.2, 1.4))), options={"color": colour}
                )
            )
        else:
            sides = (rng.pick((0.5, 1.0, 1.5)), rng.pick((0.5, 1.0, 1.5)))
            strokes.append(DrawingCommand(method="Rectangle", arguments=(at, *sides), options={"color": colour}))
    return [
        *strokes,
        DrawingCommand(method="set_xlim", arguments=(0, 12)),
        DrawingCommand(method="set_ylim", arguments=(0, 12)),
        DrawingCommand(method="set_aspect", arguments=("equal",)),
    ]


def _steps(rng: SampleRng) -> list[DrawingCommand]:
    places = list(range(rng.whole(5, 9)))
    low = [rng.whole(1, 9) for _ in places]
    first, second = rng.some(_COLOURS, 2)
    return [
        DrawingCommand(method="fill_between", arguments=(places, low), options={"color": first, "alpha": 0.4}),
        DrawingCommand(
            method="scatter", arguments=(places, [rng.whole(1, 12) for _ in places]), options={"color": second}
        ),
        DrawingCommand(method="axhline", arguments=(rng.whole(2, 11),), options={"color": "black", "linestyle": "--"}),
        DrawingCommand(method="set_ylim", arguments=(0, 13)),
    ]
