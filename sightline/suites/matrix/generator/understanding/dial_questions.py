"""Questions on clocks, gauges, thermometers and batteries."""

from __future__ import annotations

from sightline.suites.matrix.generator.canvas import Canvas
from sightline.suites.matrix.generator.dials import (
    Scale,
    draw_battery,
    draw_clock,
    draw_gauge,
    draw_thermometer,
    format_number,
    random_scale,
    random_tick_value,
)
from sightline.suites.matrix.generator.item import Item
from sightline.suites.matrix.generator.palette import BACKGROUNDS
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.understanding import visual_words as words
from sightline.suites.matrix.generator.understanding.vqa_answers import annotator_answers, clock_answers, make_item
from sightline.suites.matrix.generator.wording import fill_wording

_HALF_DAY = 720


def _clock(rng: SampleRng, minutes: int) -> bytes:
    """A clock at so many minutes after twelve."""
    canvas = Canvas(300, 300, rng.pick(BACKGROUNDS))
    draw_clock(canvas, (150, 150), rng.between(105, 135), divmod(minutes, 60), rng)
    return canvas.png()


def time(rng: SampleRng, language: str) -> Item:
    """What time it is."""
    minutes = rng.whole(0, _HALF_DAY - 1)
    return make_item(fill_wording(rng, words.TIME, language), clock_answers(*divmod(minutes, 60)), _clock(rng, minutes))


def slow_clock(rng: SampleRng, language: str) -> Item:
    """The time shown and some minutes of the text."""
    minutes, late = rng.whole(0, _HALF_DAY - 1), rng.whole(7, 55)
    question = fill_wording(rng, words.SLOW, language, minutes=late)
    return make_item(question, clock_answers(*divmod((minutes + late) % _HALF_DAY, 60)), _clock(rng, minutes))


def minutes_between(rng: SampleRng, language: str) -> Item:
    """From one clock to the other."""
    start, passed = rng.whole(0, _HALF_DAY - 1), rng.whole(25, 280)
    pictures = (_clock(rng, start), _clock(rng, (start + passed) % _HALF_DAY))
    return make_item(fill_wording(rng, words.BETWEEN, language), annotator_answers(str(passed)), *pictures)


def shift(rng: SampleRng, language: str) -> Item:
    """From one clock to the other, less a break, in parts."""
    parts, each, rest = rng.whole(2, 4), rng.whole(30, 130), rng.pick((20, 30, 40, 45))
    start, passed = rng.whole(0, _HALF_DAY - 1), parts * each + rest
    pictures = (_clock(rng, start), _clock(rng, (start + passed) % _HALF_DAY))
    return make_item(
        fill_wording(rng, words.SHIFT, language, rest=rest, parts=parts), annotator_answers(str(each)), *pictures
    )


def _gauges(rng: SampleRng, scale: Scale, values: list[float]) -> bytes:
    radius, columns = (150, 1) if len(values) == 1 else (130, 2) if len(values) == 2 else (112, 2)
    rows, step = -(-len(values) // columns), 2 * radius + 24
    canvas = Canvas(columns * step + 8, rows * step + 8, rng.pick(BACKGROUNDS))
    for k, value in enumerate(values):
        row, column = divmod(k, columns)
        draw_gauge(canvas, (4 + (column + 0.5) * step, 4 + (row + 0.5) * step), radius, scale, value, rng)
    return canvas.png()


def reading(rng: SampleRng, language: str) -> Item:
    """A gauge."""
    scale = random_scale(rng, words.UNITS[language])
    value = random_tick_value(rng, scale)
    question = fill_wording(rng, words.READING, language, unit=scale.unit)
    return make_item(
        question,
        annotator_answers(format_number(value), f"{format_number(value)} {scale.unit}"),
        _gauges(rng, scale, [value]),
    )


def difference(rng: SampleRng, language: str) -> Item:
    """Two gauges."""
    scale = random_scale(rng, words.UNITS[language])
    low, high = random_tick_value(rng, scale, 0.1, 0.5), random_tick_value(rng, scale, 0.58, 0.97)
    return make_item(
        fill_wording(rng, words.DIFFERENCE, language),
        annotator_answers(format_number(high - low)),
        _gauges(rng, scale, [high, low]),
    )


def margin(rng: SampleRng, language: str) -> Item:
    """A gauge and a limit in the text."""
    scale = random_scale(rng, words.UNITS[language])
    value, limit = random_tick_value(rng, scale, 0.1, 0.6), random_tick_value(rng, scale, 0.7, 1.0)
    question = fill_wording(rng, words.MARGIN, language, limit=format_number(limit), unit=scale.unit)
    left = format_number(limit - value)
    return make_item(question, annotator_answers(left, f"{left} {scale.unit}"), _gauges(rng, scale, [value]))


def panel(rng: SampleRng, language: str) -> Item:
    """Four gauges."""
    scale = random_scale(rng, words.UNITS[language])
    while True:
        values = [random_tick_value(rng, scale, 0.1, 0.97) for _ in range(4)]
        low, _, second, high = sorted(values)
        if len(set(values)) == 4:
            break
    return make_item(
        fill_wording(rng, words.PANEL, language),
        annotator_answers(format_number(high + second - low)),
        _gauges(rng, scale, values),
    )


def temperature(rng: SampleRng, language: str) -> Item:
    """A thermometer."""
    low, major, parts, unit = rng.pick(((-20, 10, 5, "°C"), (0, 10, 10, "°C"), (30, 10, 5, "°F"), (-40, 20, 10, "°C")))
    scale = Scale(low=low, high=low + 7 * major, major=major, parts=parts, unit=unit)
    value = random_tick_value(rng, scale, 0.1, 0.95)
    canvas = Canvas(220, 440, rng.pick(BACKGROUNDS))
    draw_thermometer(canvas, (50, 40, 190, 430), scale, value, rng)
    answers = annotator_answers(format_number(value), f"{format_number(value)}{unit}")
    return make_item(fill_wording(rng, words.TEMPERATURE, language), answers, canvas.png())


def charge(rng: SampleRng, language: str) -> Item:
    """A battery whose cells are to be counted."""
    count = rng.pick((5, 6, 8, 10))
    full, each = rng.whole(1, count - 1), rng.whole(6, 48)
    canvas = Canvas(400, 220, rng.pick(BACKGROUNDS))
    draw_battery(canvas, (50, 55, 330, 165), (full, count), rng)
    left = str(full * each)
    return make_item(
        fill_wording(rng, words.CHARGE, language, whole=count * each),
        annotator_answers(left, f"{left} Wh"),
        canvas.png(),
    )
