"""Questions on clocks, gauges, thermometers and batteries."""

from __future__ import annotations

from sightline.suites.matrix.generator.dials import (
    Scale,
    a_scale,
    battery,
    clock,
    gauge,
    number,
    on_tick,
    thermometer,
)
from sightline.suites.matrix.generator.dice import Dice
from sightline.suites.matrix.generator.frame import Item
from sightline.suites.matrix.generator.palette import PAPERS
from sightline.suites.matrix.generator.sheet import Sheet
from sightline.suites.matrix.generator.understanding import visual_words as words
from sightline.suites.matrix.generator.understanding.answers import clock_time, short, ten
from sightline.suites.matrix.generator.wording import say

_HALF_DAY = 720


def _clock(dice: Dice, minutes: int) -> bytes:
    """A clock at so many minutes after twelve."""
    sheet = Sheet(300, 300, dice.pick(PAPERS))
    clock(sheet, (150, 150), dice.between(105, 135), divmod(minutes, 60), dice)
    return sheet.png()


def time(dice: Dice, language: str) -> Item:
    """What time it is."""
    minutes = dice.whole(0, _HALF_DAY - 1)
    return short(say(dice, words.TIME, language), clock_time(*divmod(minutes, 60)), _clock(dice, minutes))


def slow_clock(dice: Dice, language: str) -> Item:
    """The time shown and some minutes of the text."""
    minutes, late = dice.whole(0, _HALF_DAY - 1), dice.whole(7, 55)
    asked = say(dice, words.SLOW, language, minutes=late)
    return short(asked, clock_time(*divmod((minutes + late) % _HALF_DAY, 60)), _clock(dice, minutes))


def minutes_between(dice: Dice, language: str) -> Item:
    """From one clock to the other."""
    start, passed = dice.whole(0, _HALF_DAY - 1), dice.whole(25, 280)
    pictures = (_clock(dice, start), _clock(dice, (start + passed) % _HALF_DAY))
    return short(say(dice, words.BETWEEN, language), ten(str(passed)), *pictures)


def shift(dice: Dice, language: str) -> Item:
    """From one clock to the other, less a break, in parts."""
    parts, each, rest = dice.whole(2, 4), dice.whole(30, 130), dice.pick((20, 30, 40, 45))
    start, passed = dice.whole(0, _HALF_DAY - 1), parts * each + rest
    pictures = (_clock(dice, start), _clock(dice, (start + passed) % _HALF_DAY))
    return short(say(dice, words.SHIFT, language, rest=rest, parts=parts), ten(str(each)), *pictures)


def _gauges(dice: Dice, scale: Scale, values: list[float]) -> bytes:
    radius, columns = (150, 1) if len(values) == 1 else (130, 2) if len(values) == 2 else (112, 2)
    rows, step = -(-len(values) // columns), 2 * radius + 24
    sheet = Sheet(columns * step + 8, rows * step + 8, dice.pick(PAPERS))
    for k, value in enumerate(values):
        row, column = divmod(k, columns)
        gauge(sheet, (4 + (column + 0.5) * step, 4 + (row + 0.5) * step), radius, scale, value, dice)
    return sheet.png()


def reading(dice: Dice, language: str) -> Item:
    """A gauge."""
    scale = a_scale(dice, words.UNITS[language])
    value = on_tick(dice, scale)
    asked = say(dice, words.READING, language, unit=scale.unit)
    return short(asked, ten(number(value), f"{number(value)} {scale.unit}"), _gauges(dice, scale, [value]))


def difference(dice: Dice, language: str) -> Item:
    """Two gauges."""
    scale = a_scale(dice, words.UNITS[language])
    low, high = on_tick(dice, scale, 0.1, 0.5), on_tick(dice, scale, 0.58, 0.97)
    return short(say(dice, words.DIFFERENCE, language), ten(number(high - low)), _gauges(dice, scale, [high, low]))


def margin(dice: Dice, language: str) -> Item:
    """A gauge and a limit in the text."""
    scale = a_scale(dice, words.UNITS[language])
    value, limit = on_tick(dice, scale, 0.1, 0.6), on_tick(dice, scale, 0.7, 1.0)
    asked = say(dice, words.MARGIN, language, limit=number(limit), unit=scale.unit)
    left = number(limit - value)
    return short(asked, ten(left, f"{left} {scale.unit}"), _gauges(dice, scale, [value]))


def panel(dice: Dice, language: str) -> Item:
    """Four gauges."""
    scale = a_scale(dice, words.UNITS[language])
    while True:
        values = [on_tick(dice, scale, 0.1, 0.97) for _ in range(4)]
        low, _, second, high = sorted(values)
        if len(set(values)) == 4:
            break
    return short(say(dice, words.PANEL, language), ten(number(high + second - low)), _gauges(dice, scale, values))


def temperature(dice: Dice, language: str) -> Item:
    """A thermometer."""
    low, major, parts, unit = dice.pick(((-20, 10, 5, "°C"), (0, 10, 10, "°C"), (30, 10, 5, "°F"), (-40, 20, 10, "°C")))
    scale = Scale(low=low, high=low + 7 * major, major=major, parts=parts, unit=unit)
    value = on_tick(dice, scale, 0.1, 0.95)
    sheet = Sheet(220, 440, dice.pick(PAPERS))
    thermometer(sheet, (50, 40, 190, 430), scale, value, dice)
    answers = ten(number(value), f"{number(value)}{unit}")
    return short(say(dice, words.TEMPERATURE, language), answers, sheet.png())


def charge(dice: Dice, language: str) -> Item:
    """A battery whose cells are to be counted."""
    count = dice.pick((5, 6, 8, 10))
    full, each = dice.whole(1, count - 1), dice.whole(6, 48)
    sheet = Sheet(400, 220, dice.pick(PAPERS))
    battery(sheet, (50, 55, 330, 165), (full, count), dice)
    left = str(full * each)
    return short(say(dice, words.CHARGE, language, whole=count * each), ten(left, f"{left} Wh"), sheet.png())
