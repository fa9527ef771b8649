"""Instruments (clock, gauge, thermometer, battery) and questions on their readings."""

from __future__ import annotations

import math

from msgspec import Struct

from sightline.suites.matrix.generator.canvas import BACKGROUNDS, XY, Box, Canvas, TextStyle
from sightline.suites.matrix.generator.item import Item, annotator_answers, clock_answers, vqa_item
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import Wordings, fill_wording, load_texts

_TEXTS = load_texts(__name__)

_LINE_COLOUR = "#26292c"
_ROMAN = ("XII", "I", "II", "III", "IIII", "V", "VI", "VII", "VIII", "IX", "X", "XI")
_HALF_DAY = 720
_UNITS = ("bar", "kPa", "V", "A", "km/h", "rpm", "L/min", "kN")
READING: Wordings = _TEXTS["reading"]


class Scale(Struct, frozen=True, kw_only=True):
    """A row of ticks with numbers."""

    low: float
    high: float
    major: float
    """From one number to the next."""
    parts: int
    """Ticks from one number to the next."""
    unit: str = ""

    @property
    def minor(self) -> float:
        """From one tick to the next."""
        return self.major / self.parts

    def share(self, value: float) -> float:
        """Where a value lies between the ends."""
        return (value - self.low) / (self.high - self.low)

    def ticks(self) -> list[tuple[float, bool]]:
        """Each tick's value, and whether it has a number."""
        count = round((self.high - self.low) / self.minor)
        return [(self.low + k * self.minor, k % self.parts == 0) for k in range(count + 1)]


def format_number(value: float) -> str:
    """Format a number without trailing zeros."""
    return f"{round(value, 6):g}" if abs(value) < 1e6 else f"{value:.0f}"


def random_scale(rng: SampleRng) -> Scale:
    """Return a random scale from zero with countable ticks."""
    major, parts = rng.pick(((1, 5), (2, 4), (5, 5), (10, 5), (20, 4), (50, 5), (100, 5), (200, 4), (0.5, 5), (0.2, 4)))
    return Scale(low=0, high=major * rng.pick((5, 6, 8, 10)), major=major, parts=parts, unit=rng.pick(_UNITS))


def random_tick_value(rng: SampleRng, scale: Scale, low: float = 0.15, high: float = 0.95) -> float:
    """Return a random value on a tick, between two fractions of the scale."""
    count = round((scale.high - scale.low) / scale.minor)
    tick = rng.whole(math.ceil(low * count), math.floor(high * count))
    return round(scale.low + tick * scale.minor, 6)


def draw_clock(canvas: Canvas, centre: XY, radius: float, time: tuple[int, int], rng: SampleRng) -> None:
    """A clock with two hands; hour and minute."""
    hour, minute = time
    face, rim = rng.pick(
        (("#fdfcf7", "#3b3f44"), ("#f3f6f8", "#7a1f1f"), ("#fffdf2", "#1f4b6e"), ("#2c3136", "#c9ccd0"))
    )
    dark = face == "#2c3136"
    ink = "#f4f4f0" if dark else _LINE_COLOUR
    canvas.disc(centre, radius, face, rim, radius * 0.06)
    letters = rng.pick(("arabic", "arabic", "roman", "four"))
    for k in range(60):
        size = (radius * 0.045, 1.2) if k % 5 else (radius * 0.09, 3)
        _draw_tick(canvas, centre, radius * 0.9, k * 6 - 90, size, ink)
    for k in range(12):
        if letters == "four" and k % 3:
            continue
        words = _ROMAN[k] if letters == "roman" else str(k or 12)
        at = _point_at(centre, radius * 0.7, k * 30 - 90)
        canvas.text(at, words, TextStyle(size=max(11, round(radius * 0.16)), colour=ink))
    canvas.line([centre, _point_at(centre, radius * 0.45, (hour % 12 + minute / 60) * 30 - 90)], ink, radius * 0.055)
    canvas.line([centre, _point_at(centre, radius * 0.8, minute * 6 - 90)], ink, radius * 0.03)
    canvas.disc(centre, radius * 0.05, "#c0392b" if not dark else "#ff7043")


def draw_gauge(canvas: Canvas, centre: XY, radius: float, scale: Scale, value: float, rng: SampleRng) -> None:
    """A round instrument with a needle."""
    start, sweep = rng.pick(((150, 240), (135, 270), (180, 180)))
    dark = rng.chance(0.3)
    face, ink = ("#24282c", "#f2f2ee") if dark else (rng.pick(("#fbfaf6", "#f2f5f7", "#fffbe9")), _LINE_COLOUR)
    canvas.disc(centre, radius, face, rng.pick(("#5a6067", "#1f3f5b", "#6e2b2b")), radius * 0.05)
    for at, labelled in scale.ticks():
        angle = start + sweep * scale.share(at)
        tick = (radius * 0.12, 2.5) if labelled else (radius * 0.07, 1.2)
        _draw_tick(canvas, centre, radius * 0.9, angle, tick, ink)
        if labelled:
            size = max(11, round(radius * 0.105))
            canvas.text(_point_at(centre, radius * 0.66, angle), format_number(at), TextStyle(size=size, colour=ink))
    angle = start + sweep * scale.share(value)
    style = TextStyle(size=max(12, round(radius * 0.13)), colour=ink)
    canvas.text((centre[0], centre[1] + radius * 0.34), scale.unit, style)
    needle = rng.pick(("#d0312d", "#e06c00")) if dark else rng.pick(("#c0261f", "#1a4fa0", "#111111"))
    tip, back = _point_at(centre, radius * 0.84, angle), _point_at(centre, -radius * 0.15, angle)
    side = [_point_at(centre, radius * 0.03, angle + turn) for turn in (90, -90)]
    canvas.polygon([tip, side[0], back, side[1]], needle)
    canvas.disc(centre, radius * 0.07, "#777d83" if dark else "#444a50")


def draw_thermometer(canvas: Canvas, box: Box, scale: Scale, value: float, rng: SampleRng) -> None:
    """A tube with a coloured column; the scale stands at its right."""
    left, top, right, bottom = box
    x = left + (right - left) * 0.35
    foot = bottom - 34
    tube, liquid = 9.0, rng.pick(("#cf2a27", "#1f5fd0", "#7b2fb0"))

    def height(at: float) -> float:
        return foot - 12 - scale.share(at) * (foot - 24 - top)

    canvas.rounded((x - tube, top, x + tube, bottom - 16), tube, "#ffffff", "#555b61", 2)
    canvas.disc((x, bottom - 20), 19, liquid, "#555b61", 2)
    canvas.rectangle((x - tube + 4, height(value), x + tube - 4, bottom - 24), liquid)
    for at, labelled in scale.ticks():
        y = height(at)
        canvas.line([(x + tube + 4, y), (x + tube + (20 if labelled else 11), y)], _LINE_COLOUR, 1.8 if labelled else 1)
        if labelled:
            canvas.text((x + tube + 26, y), format_number(at), TextStyle(size=14, anchor="lm"))
    canvas.text((x + tube + 8, top - 16), scale.unit, TextStyle(size=15))


def draw_battery(canvas: Canvas, box: Box, cells: tuple[int, int], rng: SampleRng) -> None:
    """A battery with a number of cells, of which some are full."""
    left, top, right, bottom = box
    full, count = cells
    colour = rng.pick(("#2e9e46", "#2f7fd1", "#e08a00"))
    canvas.rounded(box, 10, "#ffffff", "#33383d", 4)
    canvas.rectangle((right, top + (bottom - top) * 0.3, right + 12, bottom - (bottom - top) * 0.3), "#33383d")
    wide = (right - left - 16) / count
    for k in range(count):
        cell = (left + 8 + k * wide + 2, top + 9, left + 8 + (k + 1) * wide - 2, bottom - 9)
        canvas.rectangle(cell, colour if k < full else "#e6e8ea")


def _point_at(centre: XY, radius: float, angle: float) -> XY:
    return centre[0] + radius * math.cos(math.radians(angle)), centre[1] + radius * math.sin(math.radians(angle))


def _draw_tick(canvas: Canvas, centre: XY, radius: float, angle: float, size: XY, colour: str) -> None:
    """A tick inwards from a radius: its length and width."""
    length, width = size
    canvas.line([_point_at(centre, radius, angle), _point_at(centre, radius - length, angle)], colour, width)


def _clock(rng: SampleRng, minutes: int) -> bytes:
    """A clock at a number of minutes after twelve."""
    canvas = Canvas(300, 300, rng.pick(BACKGROUNDS))
    draw_clock(canvas, (150, 150), rng.between(105, 135), divmod(minutes, 60), rng)
    return canvas.png()


def time(rng: SampleRng, language: str) -> Item:
    """Make a sample: what time it is."""
    minutes = rng.whole(0, _HALF_DAY - 1)
    question = fill_wording(rng, _TEXTS["time"], language)
    return vqa_item(question, clock_answers(*divmod(minutes, 60)), _clock(rng, minutes))


def slow_clock(rng: SampleRng, language: str) -> Item:
    """Make a sample: the time shown and some minutes of the text."""
    minutes, late = rng.whole(0, _HALF_DAY - 1), rng.whole(7, 55)
    question = fill_wording(rng, _TEXTS["slow"], language, minutes=late)
    return vqa_item(question, clock_answers(*divmod((minutes + late) % _HALF_DAY, 60)), _clock(rng, minutes))


def minutes_between(rng: SampleRng, language: str) -> Item:
    """Make a sample: from one clock to the other."""
    start, passed = rng.whole(0, _HALF_DAY - 1), rng.whole(25, 280)
    pictures = (_clock(rng, start), _clock(rng, (start + passed) % _HALF_DAY))
    return vqa_item(fill_wording(rng, _TEXTS["between"], language), annotator_answers(str(passed)), *pictures)


def shift(rng: SampleRng, language: str) -> Item:
    """Make a sample: from one clock to the other, less a break, in parts."""
    parts, each, rest = rng.whole(2, 4), rng.whole(30, 130), rng.pick((20, 30, 40, 45))
    start, passed = rng.whole(0, _HALF_DAY - 1), parts * each + rest
    pictures = (_clock(rng, start), _clock(rng, (start + passed) % _HALF_DAY))
    return vqa_item(
        fill_wording(rng, _TEXTS["shift"], language, rest=rest, parts=parts), annotator_answers(str(each)), *pictures
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
    """Make a sample: a gauge."""
    scale = random_scale(rng)
    value = random_tick_value(rng, scale)
    question = fill_wording(rng, READING, language, unit=scale.unit)
    shown = format_number(value)
    return vqa_item(question, annotator_answers(shown, f"{shown} {scale.unit}"), _gauges(rng, scale, [value]))


def difference(rng: SampleRng, language: str) -> Item:
    """Make a sample: two gauges."""
    scale = random_scale(rng)
    low, high = random_tick_value(rng, scale, 0.1, 0.5), random_tick_value(rng, scale, 0.58, 0.97)
    question = fill_wording(rng, _TEXTS["difference"], language)
    return vqa_item(question, annotator_answers(format_number(high - low)), _gauges(rng, scale, [high, low]))


def margin(rng: SampleRng, language: str) -> Item:
    """Make a sample: a gauge and a limit in the text."""
    scale = random_scale(rng)
    value, limit = random_tick_value(rng, scale, 0.1, 0.6), random_tick_value(rng, scale, 0.7, 1.0)
    question = fill_wording(rng, _TEXTS["margin"], language, limit=format_number(limit), unit=scale.unit)
    left = format_number(limit - value)
    return vqa_item(question, annotator_answers(left, f"{left} {scale.unit}"), _gauges(rng, scale, [value]))


def panel(rng: SampleRng, language: str) -> Item:
    """Make a sample: four gauges."""
    scale = random_scale(rng)
    while True:
        values = [random_tick_value(rng, scale, 0.1, 0.97) for _ in range(4)]
        low, _, second, high = sorted(values)
        if len(set(values)) == 4:
            break
    question = fill_wording(rng, _TEXTS["panel"], language)
    return vqa_item(question, annotator_answers(format_number(high + second - low)), _gauges(rng, scale, values))


def temperature(rng: SampleRng, language: str) -> Item:
    """Make a sample: a thermometer."""
    low, major, parts, unit = rng.pick(((-20, 10, 5, "°C"), (0, 10, 10, "°C"), (30, 10, 5, "°F"), (-40, 20, 10, "°C")))
    scale = Scale(low=low, high=low + 7 * major, major=major, parts=parts, unit=unit)
    value = random_tick_value(rng, scale, 0.1, 0.95)
    canvas = Canvas(220, 440, rng.pick(BACKGROUNDS))
    draw_thermometer(canvas, (50, 40, 190, 430), scale, value, rng)
    answers = annotator_answers(format_number(value), f"{format_number(value)}{unit}")
    return vqa_item(fill_wording(rng, _TEXTS["temperature"], language), answers, canvas.png())


def charge(rng: SampleRng, language: str) -> Item:
    """Make a sample: a battery whose cells are to be counted."""
    count = rng.pick((5, 6, 8, 10))
    full, each = rng.whole(1, count - 1), rng.whole(6, 48)
    canvas = Canvas(400, 220, rng.pick(BACKGROUNDS))
    draw_battery(canvas, (50, 55, 330, 165), (full, count), rng)
    left = str(full * each)
    question = fill_wording(rng, _TEXTS["charge"], language, whole=count * each)
    return vqa_item(question, annotator_answers(left, f"{left} Wh"), canvas.png())
