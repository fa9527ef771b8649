"""Values of charts: one, two together, under a condition of the text, a whole table or several steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sightline.suites.matrix.generator.canvas import BACKGROUNDS, Canvas
from sightline.suites.matrix.generator.item import Item
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.understanding import dials
from sightline.suites.matrix.generator.understanding.chart_drawing import draw_chart
from sightline.suites.matrix.generator.understanding.charts import KINDS, Chart, random_chart
from sightline.suites.matrix.generator.wording import fill_wording, load_texts

_TEXTS = load_texts(__name__)

TOLERANCE = 0.05
_APART = 0.25
"""Least difference that is asked for, as a share of the axis."""


def make(rng: SampleRng, level: str, language: str) -> Item:
    """Make a sample of this kind at a level."""
    return {"l1": _single_value, "l2": _two_values, "l3": _text_rule, "l4": _whole_chart}[level](rng, language)


def _draw_item(chart: Chart, rng: SampleRng, finest: float) -> dict[str, Any]:
    """Return pictures and metadata of a sample; `finest` is the value off the axis on which the answer hangs most."""
    picture = draw_chart(chart, rng)
    facts: dict[str, Any] = {"tolerance": TOLERANCE, "chart": chart.kind}
    if picture.unit:
        facts["pixels_of_tolerance"] = round(TOLERANCE * finest * picture.unit, 2)
    return {"pictures": (picture.png,), "metadata": facts}


def _make_item(rng: SampleRng, language: str, chart: Chart, question: str, value: float, finest: float) -> Item:
    drawn = _draw_item(chart, rng, finest)
    truth = round(value, 6)
    truth = int(truth) if truth == int(truth) else truth
    return Item(question=question + _TEXTS["number"][language], ground_truth=truth, metric="numeric", **drawn)


def _value_name(chart: Chart, series: str, label: str, language: str) -> str:
    """How a value is named."""
    names = _TEXTS["value_names"]
    form = names.get(chart.kind) or names["single" if chart.single else "several"]
    name: str = form[language].format(series=series, label=label)
    return name


def _single_value(rng: SampleRng, language: str) -> Item:
    kind = rng.balanced_choice("kind", (*KINDS, "dial"))
    if kind == "dial":
        return _dial_value(rng, language)
    chart = random_chart(rng, kind, language)
    series, label, value = rng.pick(chart.cells())
    what = _value_name(chart, series, label, language)
    question = fill_wording(rng, _TEXTS["read"], language, what=what, topic=chart.topic.lower())
    return _make_item(rng, language, chart, question, value, value)


def _dial_value(rng: SampleRng, language: str) -> Item:
    scale = dials.random_scale(rng)
    value = dials.random_tick_value(rng, scale, 0.2)
    canvas = Canvas(360, 360, rng.pick(BACKGROUNDS))
    dials.draw_gauge(canvas, (180, 180), 160, scale, value, rng)
    question = fill_wording(rng, dials.READING, language, unit=scale.unit)
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
    question = fill_wording(rng, _TEXTS["difference"] if less else _TEXTS["sum"], language, first=first, second=second)
    value = high - low if less else high + low
    return _make_item(rng, language, chart, question, value, value if less else low)


def _text_rule(rng: SampleRng, language: str) -> Item:
    kind = rng.balanced_choice("kind", KINDS)
    return rng.balanced_choice("rule", (_goal, _price, _above))(rng, language, kind)


def _goal(rng: SampleRng, language: str, kind: str) -> Item:
    """Make a sample: short of a goal."""
    chart = random_chart(rng, kind, language)
    series, label, value = rng.pick(chart.cells())
    goal = value + rng.whole(8, 30) * chart.axis.minor
    what = _value_name(chart, series, label, language)
    question = fill_wording(rng, _TEXTS["goal"], language, what=what, goal=dials.format_number(goal), unit=chart.unit)
    return _make_item(rng, language, chart, question, goal - value, goal - value)


def _price(rng: SampleRng, language: str, kind: str) -> Item:
    """Make a sample: so much a unit."""
    chart = random_chart(rng, kind, language)
    series, label, value = rng.pick(chart.cells())
    price = rng.whole(3, 19)
    what = _value_name(chart, series, label, language)
    question = fill_wording(rng, _TEXTS["price"], language, what=what, price=price, unit=chart.unit)
    return _make_item(rng, language, chart, question, value * price, value)


def _above(rng: SampleRng, language: str, kind: str) -> Item:
    """Make a sample: the sum of what exceeds a limit; no value lies close to it."""
    while True:
        chart = random_chart(rng, kind, language)
        series = rng.pick(list(chart.table))
        values = list(chart.table[series].values())
        limit = rng.whole(1, 2 * chart.axis.count - 1) * chart.axis.major / 2
        counted = [value for value in values if value > limit]
        if 2 <= len(counted) < len(values) and all(abs(value - limit) > 1.5 * chart.axis.minor for value in values):
            break
    question = fill_wording(
        rng, _TEXTS["above"], language, limit=dials.format_number(limit), of=_of(chart, series, language)
    )
    return _make_item(rng, language, chart, question, sum(counted), min(counted))


def _of(chart: Chart, series: str, language: str) -> str:
    form = "box" if chart.kind == "box" else "several"
    of: str = _TEXTS["of"][form][language].format(series=series)
    return "" if chart.single and form != "box" else of


def _whole_chart(rng: SampleRng, language: str) -> Item:
    """Make a sample: by turns the whole table or several steps."""
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
    notes = _TEXTS["table_notes"]
    name = notes["single"][language].format(topic=chart.topic) if chart.single else ""
    name += notes["box"][language] if kind == "box" else ""
    drawn = _draw_item(chart, rng, min(value for _, _, value in chart.cells()))
    question = fill_wording(rng, _TEXTS["table"], language, name=name)
    return Item(question=question, ground_truth=chart.table, metric="chart_f1", **drawn)


def _top_mean(rng: SampleRng, language: str, chart: Chart) -> Item:
    series, times = rng.pick(list(chart.table)), rng.pick((3, 6, 9, 12))
    best = sorted(chart.table[series].values())[-3:]
    question = fill_wording(rng, _TEXTS["top_mean"], language, times=times, of=_of(chart, series, language))
    return _make_item(rng, language, chart, question, sum(best) / 3 * times, best[0])


def _span(rng: SampleRng, language: str, chart: Chart) -> Item:
    values = list(next(iter(chart.table.values())).values())
    if max(values) - min(values) < _APART * chart.axis.top:
        return _top_mean(rng, language, chart)
    times = rng.whole(2, 9)
    question = fill_wording(rng, _TEXTS["span"], language, times=times, of=_of(chart, chart.topic, language))
    span = max(values) - min(values)
    return _make_item(rng, language, chart, question, span * times, span)


def _totals(rng: SampleRng, language: str, chart: Chart) -> Item:
    times = rng.whole(2, 7)
    totals = [sum(row[label] for row in chart.table.values()) for label in chart.labels]
    question = fill_wording(rng, _TEXTS["label_totals"], language, times=times)
    return _make_item(rng, language, chart, question, max(totals) * times, max(totals))
