"""Values of charts: one, two together, under a condition of the text, a whole table or several steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sightline.suites.matrix.generator.canvas import Canvas
from sightline.suites.matrix.generator.item import Item
from sightline.suites.matrix.generator.palette import BACKGROUNDS
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.understanding.charts import KINDS, Chart, draw_chart, random_chart
from sightline.suites.matrix.generator.understanding.dials import (
    READING,
    UNITS,
    draw_gauge,
    format_number,
    random_scale,
    random_tick_value,
)
from sightline.suites.matrix.generator.wording import Wordings, fill_wording

_ONE = {"en": "{label}", "zh": "{label}"}
_OF_SERIES = {"en": "{series} at {label}", "zh": "{series}在{label}"}
_MEDIAN = {"en": "the median of {label}", "zh": "{label}的中位数"}
_RANGE = {"en": "the range {label}", "zh": "区间{label}"}
_NUMBER = {"en": " Answer with a number only.", "zh": "只回答一个数。"}
_READ: Wordings = {
    "en": (
        "What value does the chart show for {what}?",
        "The chart is on {topic}. What does it give for {what}?",
        "Read the value: {what}.",
    ),
    "zh": ("图中{what}的值是多少？", "这是{topic}图，{what}是多少？", "请读数：{what}。"),
}
_DIFFERENCE: Wordings = {
    "en": ("How much larger is {first} than {second}?", "Subtract the value of {second} from that of {first}."),
    "zh": ("{first}比{second}大多少？", "用{first}的值减去{second}的值，得多少？"),
}
_SUM: Wordings = {
    "en": ("What are {first} and {second} together?", "Add the values of {first} and {second}."),
    "zh": ("{first}与{second}之和是多少？", "把{first}和{second}的值相加，得多少？"),
}
_GOAL: Wordings = {
    "en": (
        "The goal for {what} was {goal} {unit}. By how many {unit} does the chart's value miss it?",
        "A plan foresaw {goal} {unit} for {what}. How far below the plan is the value in the chart?",
    ),
    "zh": (
        "{what}的目标是 {goal} {unit}，图中的值比目标少多少？",
        "计划中{what}为 {goal} {unit}。图中的值低于计划多少？",
    ),
}
_PRICE: Wordings = {
    "en": (
        "The fee is {price} coins per unit of the chart ({unit}). To how many coins does {what} come?",
        "For each unit shown ({unit}) somebody pays {price} coins. How many coins are paid for {what}?",
    ),
    "zh": (
        "图中每单位（{unit}）收费 {price} 枚硬币，{what}共需多少枚？",
        "每单位（{unit}）付 {price} 枚硬币，为{what}要付多少枚？",
    ),
}
_ABOVE: Wordings = {
    "en": (
        "Only values above {limit} count. What is the sum of those that count{of}?",
        "Add up all values{of} that exceed {limit}.",
    ),
    "zh": ("只计入大于 {limit} 的值，{of}这些值之和是多少？", "把{of}超过 {limit} 的所有值相加，得多少？"),
}
_OF = {"en": " for {series}", "zh": "{series}中"}
_TOP_MEAN: Wordings = {
    "en": (
        "Take the three largest values{of}, find their mean, and multiply it by {times}.",
        "What is {times} times the mean of the three largest values{of}?",
    ),
    "zh": ("取{of}最大的三个值，求平均值，再乘以 {times}，得多少？", "{of}最大的三个值的平均数的 {times} 倍是多少？"),
}
_LABEL_TOTALS: Wordings = {
    "en": (
        "Add all series at each label. How much is the largest of these sums, multiplied by {times}?",
        "For every label sum the series; take the largest sum times {times}.",
    ),
    "zh": (
        "对每个标签把各系列相加，其中最大的和乘以 {times} 是多少？",
        "按标签求各系列之和，取最大者乘以 {times}，得多少？",
    ),
}
_SPAN: Wordings = {
    "en": (
        "Subtract the smallest value{of} from the largest one and multiply the result by {times}.",
        "How much is {times} times the difference between the largest and the smallest value{of}?",
    ),
    "zh": ("用{of}最大的值减去最小的值，再乘以 {times}，得多少？", "{of}最大值与最小值之差的 {times} 倍是多少？"),
}
_TABLE: Wordings = {
    "en": (
        'Give all values of the chart as JSON of the form {{"series": {{"label": number}}}}, with the names as they '
        "are printed{name}.",
        "Turn the chart into a JSON object: each series maps to an object of labels and numbers, with names as in the "
        "picture{name}.",
    ),
    "zh": (
        '用 JSON 给出图中所有数值，格式为 {{"系列": {{"标签": 数值}}}}，名称照图中所写{name}。',
        "把图转换为一个 JSON 对象：每个系列对应一个由标签和数值组成的对象，名称与图中一致{name}。",
    ),
}
_SERIES_NAME = {"en": '; call the only series "{topic}"', "zh": "；唯一的系列叫“{topic}”"}
_MEDIANS = {"en": ", its values are the medians", "zh": "，数值取中位数"}


TOLERANCE = 0.05
_APART = 0.25
"""Least difference that is asked for, as a share of the axis."""


def make(rng: SampleRng, level: str, language: str) -> Item:
    """Make a sample of this kind at a level."""
    return {"l1": _single_value, "l2": _two_values, "l3": _text_rule, "l4": _whole_chart}[level](rng, language)


def _make_item(chart: Chart, rng: SampleRng, question: str, value: float, finest: float) -> Item:
    """`finest` is the value off the axis on which the answer hangs most."""
    drawn = draw_chart(chart, rng)
    facts: dict[str, Any] = {"tolerance": TOLERANCE, "chart": chart.kind}
    if drawn.unit:
        facts["pixels_of_tolerance"] = round(TOLERANCE * finest * drawn.unit, 2)
    truth = round(value, 6)
    truth = int(truth) if truth == int(truth) else truth
    return Item(question=question, ground_truth=truth, metric="numeric", pictures=(drawn.png,), metadata=facts)


def _value_name(chart: Chart, series: str, label: str, language: str) -> str:
    """How a value is named."""
    pattern = _ONE if chart.single else _OF_SERIES
    pattern = {"box": _MEDIAN, "histogram": _RANGE}.get(chart.kind, pattern)
    return pattern[language].format(series=series, label=label)


def _single_value(rng: SampleRng, language: str) -> Item:
    kind = rng.balanced_choice("kind", (*KINDS, "dial"))
    if kind == "dial":
        return _dial_value(rng, language)
    chart = random_chart(rng, kind, language)
    series, label, value = rng.pick(chart.cells())
    question = fill_wording(
        rng, _READ, language, what=_value_name(chart, series, label, language), topic=chart.topic.lower()
    )
    return _make_item(chart, rng, question + _NUMBER[language], value, value)


def _dial_value(rng: SampleRng, language: str) -> Item:
    scale = random_scale(rng, UNITS[language])
    value = random_tick_value(rng, scale, 0.2)
    canvas = Canvas(360, 360, rng.pick(BACKGROUNDS))
    draw_gauge(canvas, (180, 180), 160, scale, value, rng)
    question = fill_wording(rng, READING, language, unit=scale.unit)
    facts = {"tolerance": TOLERANCE, "chart": "dial"}
    return Item(question=question, ground_truth=value, metric="numeric", pictures=(canvas.png(),), metadata=facts)


def _two_values(rng: SampleRng, language: str) -> Item:
    kind, less = rng.balanced_choice("kind", KINDS), rng.balanced_choice("sum or difference", (True, False))
    while True:
        chart = random_chart(rng, kind, language)
        (series, label, high), (other, place, low) = sorted(rng.some(chart.cells(), 2), key=lambda cell: -cell[2])
        if not less or high - low >= _APART * chart.axis.top / (1 if kind != "stacked" else 2):
            break
    first, second = _value_name(chart, series, label, language), _value_name(chart, other, place, language)
    if not less and rng.chance():
        first, second = second, first
    question = fill_wording(rng, _DIFFERENCE if less else _SUM, language, first=first, second=second)
    value = high - low if less else high + low
    return _make_item(chart, rng, question + _NUMBER[language], value, value if less else low)


def _text_rule(rng: SampleRng, language: str) -> Item:
    kind = rng.balanced_choice("kind", KINDS)
    return rng.balanced_choice("rule", (_goal, _price, _above))(rng, language, kind)


def _goal(rng: SampleRng, language: str, kind: str) -> Item:
    """Short of a goal."""
    chart = random_chart(rng, kind, language)
    series, label, value = rng.pick(chart.cells())
    goal = value + rng.whole(8, 30) * chart.axis.minor
    what = _value_name(chart, series, label, language)
    question = fill_wording(rng, _GOAL, language, what=what, goal=format_number(goal), unit=chart.unit)
    return _make_item(chart, rng, question + _NUMBER[language], goal - value, goal - value)


def _price(rng: SampleRng, language: str, kind: str) -> Item:
    """So much a unit."""
    chart = random_chart(rng, kind, language)
    series, label, value = rng.pick(chart.cells())
    price = rng.whole(3, 19)
    what = _value_name(chart, series, label, language)
    question = fill_wording(rng, _PRICE, language, what=what, price=price, unit=chart.unit)
    return _make_item(chart, rng, question + _NUMBER[language], value * price, value)


def _above(rng: SampleRng, language: str, kind: str) -> Item:
    """The sum of what exceeds a limit; no value lies close to it."""
    while True:
        chart = random_chart(rng, kind, language)
        series = rng.pick(list(chart.table))
        values = list(chart.table[series].values())
        limit = rng.whole(1, 2 * chart.axis.count - 1) * chart.axis.major / 2
        counted = [value for value in values if value > limit]
        if 2 <= len(counted) < len(values) and all(abs(value - limit) > 1.5 * chart.axis.minor for value in values):
            break
    question = fill_wording(rng, _ABOVE, language, limit=format_number(limit), of=_of(chart, series, language))
    return _make_item(chart, rng, question + _NUMBER[language], sum(counted), min(counted))


def _of(chart: Chart, series: str, language: str) -> str:
    if chart.kind == "box":
        return " (medians)" if language == "en" else "各中位数"
    return "" if chart.single else _OF[language].format(series=series)


def _whole_chart(rng: SampleRng, language: str) -> Item:
    """By turns the whole table or several steps."""
    kind = rng.balanced_choice("kind", KINDS)
    if rng.balanced_choice("table or steps", ("table", "steps")) == "table":
        return _table(rng, language, kind)
    steps: list[Callable[[SampleRng, str, Chart], Item]] = [_top_mean, _span]
    chart = random_chart(rng, kind, language)
    if not chart.single:
        steps = [_totals, _top_mean]
    return rng.pick(steps)(rng, language, chart)


def _table(rng: SampleRng, language: str, kind: str) -> Item:
    chart = random_chart(rng, kind, language)
    name = _SERIES_NAME[language].format(topic=chart.topic) if chart.single else ""
    name += _MEDIANS[language] if kind == "box" else ""
    drawn = draw_chart(chart, rng)
    smallest = min(value for _, _, value in chart.cells())
    facts: dict[str, Any] = {"tolerance": TOLERANCE, "chart": kind}
    if drawn.unit:
        facts["pixels_of_tolerance"] = round(TOLERANCE * smallest * drawn.unit, 2)
    return Item(
        question=fill_wording(rng, _TABLE, language, name=name),
        ground_truth=chart.table,
        metric="chart_f1",
        pictures=(drawn.png,),
        metadata=facts,
    )


def _top_mean(rng: SampleRng, language: str, chart: Chart) -> Item:
    series, times = rng.pick(list(chart.table)), rng.pick((3, 6, 9, 12))
    best = sorted(chart.table[series].values())[-3:]
    question = fill_wording(rng, _TOP_MEAN, language, times=times, of=_of(chart, series, language))
    return _make_item(chart, rng, question + _NUMBER[language], sum(best) / 3 * times, best[0])


def _span(rng: SampleRng, language: str, chart: Chart) -> Item:
    values = list(next(iter(chart.table.values())).values())
    if max(values) - min(values) < _APART * chart.axis.top:
        return _top_mean(rng, language, chart)
    times = rng.whole(2, 9)
    question = fill_wording(rng, _SPAN, language, times=times, of=_of(chart, chart.topic, language))
    span = max(values) - min(values)
    return _make_item(chart, rng, question + _NUMBER[language], span * times, span)


def _totals(rng: SampleRng, language: str, chart: Chart) -> Item:
    times = rng.whole(2, 7)
    totals = [sum(row[label] for row in chart.table.values()) for label in chart.labels]
    question = fill_wording(rng, _LABEL_TOTALS, language, times=times)
    return _make_item(chart, rng, question + _NUMBER[language], max(totals) * times, max(totals))
