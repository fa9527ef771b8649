"""Bar charts with one bar changed."""

from __future__ import annotations

from fractions import Fraction

from sightline.suites.matrix.generator.reasoning.change import CounterfactualQuestion
from sightline.suites.matrix.generator.reasoning.drawing import draw_bar_picture
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import fill_wording, ordinal

_CHANGES = {
    "doubled": ("were doubled", "变为原来的两倍"),
    "halved": ("were halved", "减为原来的一半"),
    "removed": ("were left out of the chart", "从图中去掉"),
    "tallest": ("were as tall as the tallest bar", "变得和最高的柱一样高"),
}
_FIGURES = {
    "sum": ("the sum of all bars", "所有柱的总和"),
    "mean": ("the mean of all bars", "所有柱的平均值"),
    "range": ("the difference between the tallest and the shortest bar", "最高柱与最低柱之差"),
}
_ONE = {
    "en": (
        "If {bar} {change}, what would {figure} be? Answer with a number.",
        "Suppose that {bar} {change}. How much would {figure} be then? Give a number.",
        "What would be {figure}, if {bar} {change}? A number is enough.",
    ),
    "zh": (
        "如果{bar}{change}，{figure}会是多少？请回答一个数。",
        "假设{bar}{change}，那么{figure}是多少？只需给出数字。",
    ),
}
_TWO = {
    "en": (
        "If the bar of {a} in the first picture were replaced by the bar of {b} from the second picture, what would "
        "{figure} be in the first picture? Answer with a number.",
        "Suppose that in the first picture {a} had the value that {b} has in the second one. How much would "
        "{figure} of "
        "the first picture be then? Give a number.",
    ),
    "zh": (
        "如果把第一幅图中{a}的柱换成第二幅图中{b}的柱，第一幅图中{figure}会是多少？请回答一个数。",
        "假设第一幅图中{a}的值等于第二幅图中{b}的值，那么第一幅图中{figure}是多少？只需给出数字。",
    ),
}


def apply_change(values: list[int], at: int, change: str) -> list[Fraction]:
    """The bars after the change."""
    bars = [Fraction(value) for value in values]
    if change == "removed":
        return [bar for k, bar in enumerate(bars) if k != at]
    bars[at] = {"doubled": 2 * bars[at], "halved": bars[at] / 2, "tallest": max(bars)}[change]
    return bars


def statistic_of(bars: list[Fraction], figure: str) -> Fraction:
    """The sum, mean or range of bars."""
    if figure == "range":
        return max(bars) - min(bars)
    return sum(bars, Fraction(0)) / (len(bars) if figure == "mean" else 1)


def _random_bars(rng: SampleRng, count: int, unit: int) -> dict[str, int]:
    letters = rng.some("ABCDEFGHKLMNPRST", count)
    return dict(zip(letters, [unit * value for value in rng.some(range(1, 11), count)], strict=True))


def one_bar(rng: SampleRng, language: str) -> CounterfactualQuestion:
    """One bar is doubled, halved, taken out or made tallest."""
    at = 1 if language == "zh" else 0
    while True:
        unit = rng.pick((2, 4, 10, 20, 40))
        bars = _random_bars(rng, rng.whole(4, 6), unit)
        letter, change, figure = rng.pick(list(bars)), rng.pick(tuple(_CHANGES)), rng.pick(tuple(_FIGURES))
        values = list(bars.values())
        place = list(bars).index(letter)
        found = statistic_of(apply_change(values, place, change), figure)
        same = statistic_of([Fraction(value) for value in values], figure)
        if found.denominator == 1 and found != same:
            break
    if rng.chance():
        bar = f"{letter} 的柱" if at else f"the bar of {letter}"
    else:
        bar = f"从左数{ordinal(place + 1, 'zh')}根柱" if at else f"the {ordinal(place + 1, 'en')} bar from the left"
    return CounterfactualQuestion(
        instruction=fill_wording(
            rng, _ONE, language, bar=bar, change=_CHANGES[change][at], figure=_FIGURES[figure][at]
        ),
        answer=int(found),
        pictures=(draw_bar_picture(rng, list(bars.items()), 10 * unit),),
        scene={"type": "bars", "values": values, "at": place, "change": change, "figure": figure},
    )


def two_charts(rng: SampleRng, language: str) -> CounterfactualQuestion:
    """A bar comes from another picture."""
    at = 1 if language == "zh" else 0
    while True:
        unit, other = rng.some((2, 4, 10, 20), 2)
        bars, others = _random_bars(rng, rng.whole(4, 5), unit), _random_bars(rng, rng.whole(4, 5), other)
        a, b, figure = rng.pick(list(bars)), rng.pick(list(others)), rng.pick(tuple(_FIGURES))
        new = [Fraction(others[b] if letter == a else value) for letter, value in bars.items()]
        found = statistic_of(new, figure)
        if found.denominator == 1 and others[b] != bars[a]:
            break
    pictures = (
        draw_bar_picture(rng, list(bars.items()), 10 * unit),
        draw_bar_picture(rng, list(others.items()), 10 * other),
    )
    return CounterfactualQuestion(
        instruction=fill_wording(rng, _TWO, language, a=a, b=b, figure=_FIGURES[figure][at]),
        answer=int(found),
        pictures=pictures,
        scene={"type": "two charts", "first": bars, "second": others, "a": a, "b": b, "figure": figure},
    )
