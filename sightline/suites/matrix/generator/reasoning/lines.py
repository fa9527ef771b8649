"""Charts of lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sightline.suites.matrix.generator.palette import pick_shade
from sightline.suites.matrix.generator.reasoning.drawing import new_canvas, random_style
from sightline.suites.matrix.generator.sample_rng import SampleRng


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
