"""Shared diagrams: styles, tables, bar charts and line charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from sightline.suites.matrix.generator.canvas import (
    BACKGROUNDS,
    CHART_PALETTES,
    XY,
    Box,
    Canvas,
    TextStyle,
    pick_shade,
    text_width,
)
from sightline.suites.matrix.generator.sample_rng import SampleRng

ROW = 36.0
"""Height of a table's row."""


class Style(Struct, frozen=True, kw_only=True):
    """How a picture looks."""

    paper: str
    face: str
    hues: tuple[str, ...]
    table: str
    """`filled` head, `striped` rows or `ruled` lines."""
    dark: str

    def text_style(self, size: int = 18, colour: str = "", anchor: str = "mm") -> TextStyle:
        """Letters in this style."""
        return TextStyle(size=size, colour=colour or self.dark, face=self.face, anchor=anchor)


def random_style(rng: SampleRng) -> Style:
    """Return a random style."""
    return Style(
        paper=rng.pick(BACKGROUNDS),
        face=rng.pick(("plain", "sans", "serif", "bold")),
        hues=tuple(rng.shuffled(rng.pick(CHART_PALETTES))),
        table=rng.pick(("filled", "striped", "ruled")),
        dark=rng.pick(("#222222", "#1d2b3a", "#2d2320")),
    )


def contrasting_colour(colour: str) -> str:
    """Return a text colour that is readable on a background colour."""
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return "#ffffff" if 0.3 * red + 0.59 * green + 0.11 * blue < 150 else "#1a1a1a"


def new_canvas(style: Style, width: float, height: float) -> Canvas:
    """Return an empty canvas."""
    return Canvas(round(width), round(height), style.paper)


def draw_table(canvas: Canvas, style: Style, at: XY, rows: Sequence[Sequence[str]], widths: Sequence[float]) -> None:
    """A table by its top left corner; the first row is its head."""
    left, top = at
    wide = sum(widths)
    for number, row in enumerate(rows):
        y = top + ROW * number
        box = (left, y, left + wide, y + ROW)
        head = number == 0
        if head and style.table == "filled":
            canvas.rectangle(box, style.hues[0])
        elif style.table == "striped" and number % 2 == 0:
            canvas.rectangle(box, "#e3e8ef" if not head else "#c9d3e0")
        canvas.line([(left, y + ROW), (left + wide, y + ROW)], "#8a93a0", 2.0 if head else 1.0)
        x = left
        for word, width in zip(row, widths, strict=True):
            colour = contrasting_colour(style.hues[0]) if head and style.table == "filled" else style.dark
            canvas.text((x + width / 2, y + ROW / 2), word, style.text_style(18, colour))
            x += width
    if style.table != "striped":
        canvas.rectangle((left, top, left + wide, top + ROW * len(rows)), None, "#8a93a0", 1.5)


def draw_table_picture(rng: SampleRng, rows: Sequence[Sequence[str]]) -> bytes:
    """A table alone on its paper, as wide as its words ask."""
    style = random_style(rng)
    columns = list(zip(*rows, strict=True))
    widths = [max(80.0, max(text_width(word, style.face, 18) for word in column) + 36.0) for column in columns]
    margin, top = rng.whole(18, 44), rng.whole(18, 40)
    canvas = new_canvas(style, sum(widths) + 2 * margin, ROW * len(rows) + top + margin)
    draw_table(canvas, style, (margin, top), rows, widths)
    return canvas.png()


def draw_bar_chart(canvas: Canvas, style: Style, box: Box, bars: Sequence[tuple[str, int]], top: int) -> None:
    """Upright bars over a scale from 0 to `top`, with a line at each tenth of it."""
    left, upper, right, lower = box
    for tick in range(11):
        y = lower - (lower - upper) * tick / 10
        canvas.line([(left, y), (right, y)], "#c5ccd4" if tick else style.dark, 1.0 if tick else 2.0)
        canvas.text((left - 10, y), f"{top * tick // 10}", style.text_style(15, anchor="rm"))
    step = (right - left) / len(bars)
    for number, (name, value) in enumerate(bars):
        x = left + step * (number + 0.5)
        height = (lower - upper) * value / top
        canvas.rectangle((x - 0.32 * step, lower - height, x + 0.32 * step, lower), style.hues[number % 8])
        canvas.text((x, lower + 20), name, style.text_style(18))


def draw_bar_picture(rng: SampleRng, bars: Sequence[tuple[str, int]], top: int) -> bytes:
    """A bar chart on its paper."""
    style = random_style(rng)
    width, height = rng.pick(((560, 400), (620, 420), (520, 440)))
    canvas = new_canvas(style, width, height)
    draw_bar_chart(canvas, style, (70.0, 60.0, width - 24.0, height - 50.0), bars, top)
    return canvas.png()


def draw_line_chart(rng: SampleRng, series: Mapping[str, Sequence[int]], top: int) -> bytes:
    """Lines named by their colours, over places numbered from 1, on a scale from 0 to `top`."""
    style = random_style(rng)
    width, height = rng.pick(((600, 400), (560, 420)))
    canvas = new_canvas(style, width, height)
    left, upper, right, lower = 60.0, 30.0, width - 30.0, height - 50.0
    for tick in range(top + 1):
        y = lower - (lower - upper) * tick / top
        canvas.line([(left, y), (right, y)], "#c5ccd4" if tick else style.dark, 1.0 if tick else 2.0)
        canvas.text((left - 14, y), str(tick), style.text_style(15))
    count = len(next(iter(series.values())))
    step = (right - left) / count
    for number in range(count):
        x = left + step * (number + 0.5)
        canvas.line([(x, upper), (x, lower)], "#dfe4e9", 1.0)
        canvas.text((x, lower + 20), str(number + 1), style.text_style(16))
    for number, (name, values) in enumerate(series.items()):
        colour = pick_shade(rng, name)
        # where lines meet both stay visible: the later one is thinner
        points = [(left + step * (k + 0.5), lower - (lower - upper) * v / top) for k, v in enumerate(values)]
        canvas.line(points, colour, 6.0 - 3.0 * number)
        for point in points:
            canvas.disc(point, 8.0 - 3.0 * number, colour)
    return canvas.png()
