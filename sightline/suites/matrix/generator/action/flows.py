"""Flow charts."""

from __future__ import annotations

from sightline.suites.matrix.generator.canvas import XY
from sightline.suites.matrix.generator.diagrams import Style, contrasting_colour, new_canvas, random_style
from sightline.suites.matrix.generator.item import Item, draw_tests, program_item
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import fill_wording, load_texts

_TEXTS = load_texts(__name__)

FUNCTION_NAMES = ("compute", "value", "evaluate", "result", "calc")


class _FlowChart:
    """Draws the parts of a chart."""

    def __init__(self, style: Style, width: float, height: float, language: str) -> None:
        self.style, self.canvas, self.zh = style, new_canvas(style, width, height), language == "zh"

    def box(self, at: XY, words: str, colour: int = 1) -> None:
        """A step."""
        (x, y), canvas = at, self.canvas
        canvas.rounded((x - 92, y - 24, x + 92, y + 24), 7, "#ffffff", self.style.hues[colour], 2.5)
        canvas.text(at, words, self.style.text_style(18))

    def end(self, at: XY, words: str) -> None:
        """Where the chart begins or ends."""
        (x, y), canvas = at, self.canvas
        canvas.rounded((x - 104, y - 24, x + 104, y + 24), 24, self.style.hues[0])
        canvas.text(at, words, self.style.text_style(18, contrasting_colour(self.style.hues[0])))

    def fork(self, at: XY, words: str) -> None:
        """A question."""
        (x, y), canvas = at, self.canvas
        canvas.polygon([(x, y - 42), (x + 108, y), (x, y + 42), (x - 108, y)], "#ffffff", self.style.hues[2], 2.5)
        canvas.text(at, words, self.style.text_style(17))

    def way(self, points: list[XY], word: str = "", at: XY = (0.0, 0.0)) -> None:
        """An arrow, with yes or no beside it."""
        if len(points) > 2:
            self.canvas.line(points[:-1], self.style.dark, 2.2)
        self.canvas.arrow(points[-2], points[-1], self.style.dark, 2.2, 12)
        if word:
            label = {"yes": "是", "no": "否"}[word] if self.zh else word
            self.canvas.text(at, label, self.style.text_style(16))


def branch(rng: SampleRng, language: str) -> Item:
    """Make a sample: a step, a question with two answers, a last step."""
    name = rng.pick(FUNCTION_NAMES)
    first, factor, limit, plus, minus, last = (
        rng.whole(2, 15), rng.whole(2, 9), rng.whole(10, 90), rng.whole(2, 40), rng.whole(2, 40), rng.whole(2, 6)
    )  # fmt: skip
    added = rng.chance()
    step, code = (f"x ← x + {first}", f"x = x + {first}") if added else (f"x ← {factor}·x", f"x = {factor} * x")
    chart = _FlowChart(random_style(rng), 560, 560, language)
    middle, left, right = 280.0, 130.0, 430.0
    start, stop = ("输入 x", "输出") if language == "zh" else ("read x", "result:")
    chart.way([(middle, 50), (middle, 96)])
    chart.way([(middle, 140), (middle, 188)])
    chart.way([(middle - 108, 232), (left, 232), (left, 316)], "yes", (left + 22, 218))
    chart.way([(middle + 108, 232), (right, 232), (right, 316)], "no", (right - 22, 218))
    chart.way([(left, 340), (left, 410), (middle - 8, 410)])
    chart.way([(right, 340), (right, 410), (middle + 8, 410)])
    chart.way([(middle, 410), (middle, 486)])
    chart.end((middle, 36), start)
    chart.box((middle, 120), step)
    chart.fork((middle, 232), f"x > {limit} ?")
    chart.box((left, 340), f"x ← x − {minus}", 3)
    chart.box((right, 340), f"x ← x + {plus}", 3)
    chart.canvas.disc((middle, 410), 7, chart.style.dark)
    chart.end((middle, 510), f"{stop} {last}·x")
    solution = (
        f"def {name}(x):\n    {code}\n    if x > {limit}:\n        x = x - {minus}\n    else:\n        x = x + {plus}\n"
        f"    return {last} * x\n"
    )

    def reference(x: int) -> int:
        x = x + first if added else x * factor
        return last * (x - minus if x > limit else x + plus)

    around = limit - first if added else limit // factor
    tests = draw_tests(rng, reference, lambda: [around + rng.whole(-25, 25)])
    return program_item(
        rng,
        language,
        tests=tests,
        instruction=fill_wording(rng, _TEXTS["branch"], language),
        signature=f"{name}(x)",
        solution=solution,
        pictures=(chart.canvas.png(),),
    )


def _draw_loop(rng: SampleRng, language: str, words: tuple[str, str, str, str]) -> bytes:
    """Words: both questions, the box on the right, and the end."""
    chart = _FlowChart(random_style(rng), 620, 640, language)
    middle, left, right = 330.0, 190.0, 470.0
    start = "输入 x；n ← 0" if language == "zh" else "read x; n ← 0"
    chart.way([(middle, 50), (middle, 108)])
    chart.way([(middle, 192), (middle, 232)], "yes", (middle + 24, 208))
    chart.way([(middle - 108, 276), (left, 276), (left, 348)], "yes", (left + 20, 262))
    chart.way([(middle + 108, 276), (right, 276), (right, 348)], "no", (right - 14, 262))
    chart.way([(left, 372), (left, 470), (middle - 92, 470)])
    chart.way([(right, 372), (right, 470), (middle + 92, 470)])
    chart.way([(middle, 494), (middle, 530), (52, 530), (52, 150), (middle - 110, 150)])
    chart.way([(middle + 108, 150), (590, 150), (590, 600), (middle + 106, 600)], "no", (middle + 130, 136))
    chart.end((middle, 36), start)
    chart.fork((middle, 150), words[0])
    chart.fork((middle, 276), words[1])
    chart.box((left, 372), "★", 3)
    chart.box((right, 372), words[2], 3)
    chart.box((middle, 470), "n ← n + 1")
    chart.end((middle, 600), words[3])
    return chart.canvas.png()


def loop(rng: SampleRng, language: str) -> Item:
    """Make a sample: a loop that always ends: x gets smaller on both branches. The text tells what one box does."""
    name, limit, step = rng.pick(FUNCTION_NAMES), rng.whole(4, 30), rng.whole(3, 11)
    divisor, halving, factor = rng.whole(2, 5), rng.chance(), rng.whole(2, 9)
    less = rng.pick([value for value in range(2, 13) if value != step])
    what = f"x // {divisor}" if halving else f"x − {less}"
    code = f"x // {divisor}" if halving else f"x - {less}"
    stop = "输出" if language == "zh" else "result:"
    even = "x 能被 {d} 整除？" if language == "zh" else "x divisible by {d}?"
    words = (f"x > {limit} ?", even.format(d=divisor), f"x ← x − {step}", f"{stop} {factor}·n + x")
    solution = (
        f"def {name}(x):\n    n = 0\n    while x > {limit}:\n        if x % {divisor} == 0:\n            x = {code}\n"
        f"        else:\n            x = x - {step}\n        n = n + 1\n    return {factor} * n + x\n"
    )

    def reference(x: int) -> int:
        n = 0
        while x > limit:
            n += 1
            x = (x // divisor if halving else x - less) if not x % divisor else x - step
        return factor * n + x

    tests = draw_tests(rng, reference, lambda: [rng.whole(limit - 5, limit + 150)])
    return program_item(
        rng,
        language,
        tests=tests,
        instruction=fill_wording(rng, _TEXTS["loop"], language, what=f"`{code}`" if halving else what),
        signature=f"{name}(x)",
        solution=solution,
        pictures=(_draw_loop(rng, language, words),),
    )
