"""Two tanks of water."""

from __future__ import annotations

from sightline.suites.matrix.generator.reasoning.change import CounterfactualQuestion
from sightline.suites.matrix.generator.reasoning.drawing import new_canvas, random_style
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import fill_wording

_JOINED = {
    "en": (
        "The valve between the two tanks is closed. The scales give the height of the water in cm, the numbers below "
        "the base areas. If the valve were opened, at which height in cm would the water come to rest in both tanks? "
        "(The pipe holds no water.) Answer with a number.",
        "Two tanks are joined by a pipe with a closed valve; base areas are written below, heights of the water can be "
        "read in cm. What would the height be in both tanks if the valve were opened? Neglect the pipe and give "
        "a number.",
    ),
    "zh": (
        "两个水箱之间的阀门是关着的。刻度表示水面高度（厘米），下方数字是底面积。如果打开阀门，两个水箱的水面最终会在多少厘米处？（忽略管道。）请回答一个数。",
        "两个水箱由一根带有关闭阀门的管道相连；下方写有底面积，水面高度可由刻度读出（厘米）。若打开阀门，两边水面的高度将是多少厘米？忽略管道，回答一个数。",
    ),
}
_TOP = 50


def open_valve(rng: SampleRng, language: str) -> CounterfactualQuestion:
    """The common height after the valve has been opened."""
    while True:
        areas = [rng.whole(1, 9) * 10 for _ in range(2)]
        heights = rng.some(range(2, _TOP - 1, 2), 2)
        level, rest = divmod(sum(a * h for a, h in zip(areas, heights, strict=True)), sum(areas))
        if not rest and areas[0] != areas[1] and abs(heights[0] - heights[1]) > 5:
            break
    style = random_style(rng)
    canvas = new_canvas(style, 600, 420)
    water = rng.pick(("#7db8e8", "#8cc9d9", "#92b4e3"))
    top, floor = 40.0, 340.0
    for k, (area, height) in enumerate(zip(areas, heights, strict=True)):
        width = 90 + area
        left = 80.0 if k == 0 else 540.0 - width
        y = floor - (floor - top) * height / _TOP
        canvas.rectangle((left, y, left + width, floor), water)
        canvas.line([(left, top), (left, floor), (left + width, floor), (left + width, top)], style.dark, 4.0)
        for mark in range(0, _TOP + 1, 2):
            at = floor - (floor - top) * mark / _TOP
            long = mark % 10 == 0
            edge = left if k == 0 else left + width
            sign = -1 if k == 0 else 1
            canvas.line([(edge, at), (edge + sign * (14 if long else 8), at)], style.dark, 1.5)
            if long:
                canvas.text((edge + sign * 28, at), str(mark), style.text_style(15))
        canvas.text((left + width / 2, floor + 40), f"{area} cm²", style.text_style(19))
    inner = (80.0 + 90 + areas[0], 540.0 - 90 - areas[1])
    canvas.line([(inner[0], floor - 12), (inner[1], floor - 12)], style.dark, 9.0)
    middle = sum(inner) / 2
    canvas.polygon(
        [(middle - 16, floor - 28), (middle + 16, floor + 4), (middle + 16, floor - 28), (middle - 16, floor + 4)],
        "#d65f5f",
        style.dark,
    )
    return CounterfactualQuestion(
        instruction=fill_wording(rng, _JOINED, language),
        answer=level,
        pictures=(canvas.png(),),
        scene={"type": "tanks", "areas": areas, "heights": heights},
    )
