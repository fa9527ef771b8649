"""Values of charts: one, two together, under a condition of the text, a whole table or several steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sightline.suites.matrix.generator.dials import a_scale, gauge, number, on_tick
from sightline.suites.matrix.generator.dice import Dice
from sightline.suites.matrix.generator.frame import Item
from sightline.suites.matrix.generator.palette import PAPERS
from sightline.suites.matrix.generator.sheet import Sheet
from sightline.suites.matrix.generator.understanding import chart_words as words
from sightline.suites.matrix.generator.understanding.chart_drawing import draw
from sightline.suites.matrix.generator.understanding.charts import KINDS, Chart, a_chart
from sightline.suites.matrix.generator.understanding.visual_words import READING, UNITS
from sightline.suites.matrix.generator.wording import say

TOLERANCE = 0.05
_APART = 0.25
"""Least difference that is asked for, as a share of the axis."""


def make(dice: Dice, level: str, language: str) -> Item:
    """A sample."""
    return {"l1": _read, "l2": _two, "l3": _ruled, "l4": _whole}[level](dice, language)


def _item(chart: Chart, dice: Dice, asked: str, value: float, finest: float) -> Item:
    """`finest` is the value off the axis on which the answer hangs most."""
    drawn = draw(chart, dice)
    facts: dict[str, Any] = {"tolerance": TOLERANCE, "chart": chart.kind}
    if drawn.unit:
        facts["pixels_of_tolerance"] = round(TOLERANCE * finest * drawn.unit, 2)
    truth = round(value, 6)
    truth = int(truth) if truth == int(truth) else truth
    return Item(question=asked, ground_truth=truth, metric="numeric", pictures=(drawn.png,), metadata=facts)


def _what(chart: Chart, series: str, label: str, language: str) -> str:
    """How a value is named."""
    pattern = words.ONE if chart.single else words.OF_SERIES
    pattern = {"box": words.MEDIAN, "histogram": words.RANGE}.get(chart.kind, pattern)
    return pattern[language].format(series=series, label=label)


def _read(dice: Dice, language: str) -> Item:
    kind = dice.turn("kind", (*KINDS, "dial"))
    if kind == "dial":
        return _dial(dice, language)
    chart = a_chart(dice, kind, language)
    series, label, value = dice.pick(chart.cells())
    asked = say(dice, words.READ, language, what=_what(chart, series, label, language), topic=chart.topic.lower())
    return _item(chart, dice, asked + words.NUMBER[language], value, value)


def _dial(dice: Dice, language: str) -> Item:
    scale = a_scale(dice, UNITS[language])
    value = on_tick(dice, scale, 0.2)
    sheet = Sheet(360, 360, dice.pick(PAPERS))
    gauge(sheet, (180, 180), 160, scale, value, dice)
    asked = say(dice, READING, language, unit=scale.unit)
    facts = {"tolerance": TOLERANCE, "chart": "dial"}
    return Item(question=asked, ground_truth=value, metric="numeric", pictures=(sheet.png(),), metadata=facts)


def _two(dice: Dice, language: str) -> Item:
    kind, less = dice.turn("kind", KINDS), dice.turn("sum or difference", (True, False))
    while True:
        chart = a_chart(dice, kind, language)
        (series, label, high), (other, place, low) = sorted(dice.some(chart.cells(), 2), key=lambda cell: -cell[2])
        if not less or high - low >= _APART * chart.axis.top / (1 if kind != "stacked" else 2):
            break
    first, second = _what(chart, series, label, language), _what(chart, other, place, language)
    if not less and dice.chance():
        first, second = second, first
    asked = say(dice, words.DIFFERENCE if less else words.SUM, language, first=first, second=second)
    value = high - low if less else high + low
    return _item(chart, dice, asked + words.NUMBER[language], value, value if less else low)


def _ruled(dice: Dice, language: str) -> Item:
    kind = dice.turn("kind", KINDS)
    return dice.turn("rule", (_goal, _price, _above))(dice, language, kind)


def _goal(dice: Dice, language: str, kind: str) -> Item:
    """Short of a goal."""
    chart = a_chart(dice, kind, language)
    series, label, value = dice.pick(chart.cells())
    goal = value + dice.whole(8, 30) * chart.axis.minor
    what = _what(chart, series, label, language)
    asked = say(dice, words.GOAL, language, what=what, goal=number(goal), unit=chart.unit)
    return _item(chart, dice, asked + words.NUMBER[language], goal - value, goal - value)


def _price(dice: Dice, language: str, kind: str) -> Item:
    """So much a unit."""
    chart = a_chart(dice, kind, language)
    series, label, value = dice.pick(chart.cells())
    price = dice.whole(3, 19)
    what = _what(chart, series, label, language)
    asked = say(dice, words.PRICE, language, what=what, price=price, unit=chart.unit)
    return _item(chart, dice, asked + words.NUMBER[language], value * price, value)


def _above(dice: Dice, language: str, kind: str) -> Item:
    """The sum of what exceeds a limit; no value lies close to it."""
    while True:
        chart = a_chart(dice, kind, language)
        series = dice.pick(list(chart.table))
        values = list(chart.table[series].values())
        limit = dice.whole(1, 2 * chart.axis.count - 1) * chart.axis.major / 2
        counted = [value for value in values if value > limit]
        if 2 <= len(counted) < len(values) and all(abs(value - limit) > 1.5 * chart.axis.minor for value in values):
            break
    asked = say(dice, words.ABOVE, language, limit=number(limit), of=_of(chart, series, language))
    return _item(chart, dice, asked + words.NUMBER[language], sum(counted), min(counted))


def _of(chart: Chart, series: str, language: str) -> str:
    if chart.kind == "box":
        return " (medians)" if language == "en" else "各中位数"
    return "" if chart.single else words.OF[language].format(series=series)


def _whole(dice: Dice, language: str) -> Item:
    """By turns the whole table or several steps."""
    kind = dice.turn("kind", KINDS)
    if dice.turn("table or steps", ("table", "steps")) == "table":
        return _table(dice, language, kind)
    steps: list[Callable[[Dice, str, Chart], Item]] = [_top_mean, _span]
    chart = a_chart(dice, kind, language)
    if not chart.single:
        steps = [_totals, _top_mean]
    return dice.pick(steps)(dice, language, chart)


def _table(dice: Dice, language: str, kind: str) -> Item:
    chart = a_chart(dice, kind, language)
    name = words.SERIES_NAME[language].format(topic=chart.topic) if chart.single else ""
    name += words.MEDIANS[language] if kind == "box" else ""
    drawn = draw(chart, dice)
    smallest = min(value for _, _, value in chart.cells())
    facts: dict[str, Any] = {"tolerance": TOLERANCE, "chart": kind}
    if drawn.unit:
        facts["pixels_of_tolerance"] = round(TOLERANCE * smallest * drawn.unit, 2)
    return Item(
        question=say(dice, words.TABLE, language, name=name),
        ground_truth=chart.table,
        metric="chart_f1",
        pictures=(drawn.png,),
        metadata=facts,
    )


def _top_mean(dice: Dice, language: str, chart: Chart) -> Item:
    series, times = dice.pick(list(chart.table)), dice.pick((3, 6, 9, 12))
    best = sorted(chart.table[series].values())[-3:]
    asked = say(dice, words.TOP_MEAN, language, times=times, of=_of(chart, series, language))
    return _item(chart, dice, asked + words.NUMBER[language], sum(best) / 3 * times, best[0])


def _span(dice: Dice, language: str, chart: Chart) -> Item:
    values = list(next(iter(chart.table.values())).values())
    if max(values) - min(values) < _APART * chart.axis.top:
        return _top_mean(dice, language, chart)
    times = dice.whole(2, 9)
    asked = say(dice, words.SPAN, language, times=times, of=_of(chart, chart.topic, language))
    span = max(values) - min(values)
    return _item(chart, dice, asked + words.NUMBER[language], span * times, span)


def _totals(dice: Dice, language: str, chart: Chart) -> Item:
    times = dice.whole(2, 7)
    totals = [sum(row[label] for row in chart.table.values()) for label in chart.labels]
    asked = say(dice, words.LABEL_TOTALS, language, times=times)
    return _item(chart, dice, asked + words.NUMBER[language], max(totals) * times, max(totals))
