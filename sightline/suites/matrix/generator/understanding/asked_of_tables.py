"""Questions on tables and calendars."""

from __future__ import annotations

from msgspec import Struct

from sightline.suites.matrix.generator.dice import Dice
from sightline.suites.matrix.generator.frame import Item
from sightline.suites.matrix.generator.lettering import word
from sightline.suites.matrix.generator.tables import WEEKDAYS, Month, a_month, calendar_page, table
from sightline.suites.matrix.generator.understanding import visual_words as words
from sightline.suites.matrix.generator.understanding.answers import short, ten
from sightline.suites.matrix.generator.wording import ordinal, say

_WORKDAYS = 5


class _Table(Struct, frozen=True, kw_only=True):
    """Names, columns and whole numbers."""

    columns: tuple[str, ...]
    rows: dict[str, tuple[int, ...]]

    def drawn(self, language: str, dice: Dice) -> bytes:
        cells = [(name, *map(str, values)) for name, values in self.rows.items()]
        return table([words.NAME[language], *self.columns], cells, dice).png()


def _a_table(dice: Dice, language: str, most: int = 980) -> _Table:
    columns = tuple(dice.some(words.COLUMNS[language], dice.whole(3, 4)))
    names = {word(dice, language) for _ in range(dice.whole(4, 7))}
    return _Table(columns=columns, rows={name: tuple(dice.whole(11, most) for _ in columns) for name in sorted(names)})


def cell(dice: Dice, language: str) -> Item:
    """One number."""
    found = _a_table(dice, language)
    row, column = dice.pick(list(found.rows)), dice.pick(found.columns)
    value = found.rows[row][found.columns.index(column)]
    return short(say(dice, words.CELL, language, row=row, column=column), ten(str(value)), found.drawn(language, dice))


def sum_of_two(dice: Dice, language: str) -> Item:
    """Two numbers of a column."""
    found = _a_table(dice, language, 200)
    first, second = dice.some(list(found.rows), 2)
    column = dice.pick(found.columns)
    at = found.columns.index(column)
    asked = say(dice, words.SUM, language, column=column, first=first, second=second)
    return short(asked, ten(str(found.rows[first][at] + found.rows[second][at])), found.drawn(language, dice))


def bill(dice: Dice, language: str) -> Item:
    """Two numbers of a column, each so many times as the text says."""
    found = _a_table(dice, language, 90)
    first, second = dice.some(list(found.rows), 2)
    a, b = dice.some(range(2, 7), 2)
    column = words.COLUMNS[language][0]
    columns = (column, *(name for name in found.columns if name != column))
    found = _Table(columns=columns[: len(found.columns)], rows=found.rows)
    total = a * found.rows[first][0] + b * found.rows[second][0]
    asked = say(dice, words.BILL, language, a=a, b=b, first=first, second=second, column=column)
    return short(asked, ten(str(total)), found.drawn(language, dice))


def best_row(dice: Dice, language: str) -> Item:
    """The row with the largest sum, and another number of it."""
    found = _a_table(dice, language, 120)
    first, second, third = dice.some(range(len(found.columns)), 3)
    sums = {name: values[first] + values[second] for name, values in found.rows.items()}
    best = max(sums, key=lambda name: sums[name])
    if sorted(sums.values())[-1] == sorted(sums.values())[-2]:
        return best_row(dice, language)
    times = dice.whole(2, 6)
    names = [found.columns[at] for at in (first, second, third)]
    asked = say(dice, words.BEST, language, first=names[0], second=names[1], third=names[2], times=times)
    return short(asked, ten(str(found.rows[best][third] * times)), found.drawn(language, dice))


def _day(day: int, language: str) -> list[str]:
    return ten(str(day), f"{day}日" if language == "zh" else ordinal(day, "en"))


def marked_day(dice: Dice, language: str) -> Item:
    """A ringed day."""
    month = a_month(dice)
    day = dice.whole(1, month.days)
    return short(
        say(dice, words.MARKED, language), _day(day, language), calendar_page(month, [day], language, dice).png()
    )


def days_between(dice: Dice, language: str) -> Item:
    """Two ringed days; the later one is put off."""
    month, weeks = a_month(dice), dice.whole(1, 3)
    first, second = sorted(dice.some(range(1, month.days + 1), 2))
    asked = say(dice, words.DAYS, language, weeks=words.WEEKS[language][weeks])
    answers = ten(str(second - first + 7 * weeks))
    return short(asked, answers, calendar_page(month, [first, second], language, dice).png())


def nth_weekday(dice: Dice, language: str) -> Item:
    """A rule of the text on a month."""
    month, weekday, nth = a_month(dice), dice.whole(0, 6), dice.whole(1, 4)
    day = 1 + (weekday - month.weekday(1)) % 7 + 7 * (nth - 1)
    asked = say(dice, words.NTH, language, weekday=WEEKDAYS[language][weekday], nth=ordinal(nth, language))
    return short(asked, _day(day, language), _page(month, language, dice))


def _page(month: Month, language: str, dice: Dice) -> bytes:
    return calendar_page(month, [], language, dice).png()


def working_days(dice: Dice, language: str) -> Item:
    """A job from a ringed day on."""
    while True:
        month, days = a_month(dice), dice.whole(5, 14)
        day = start = dice.whole(1, 12)
        left = days - 1
        while left:
            day += 1
            left -= month.days >= day and month.weekday(day) < _WORKDAYS
            if day > month.days:
                break
        if month.weekday(start) < _WORKDAYS and day <= month.days:
            break
    asked = say(dice, words.WORKING, language, days=days)
    return short(asked, _day(day, language), calendar_page(month, [start], language, dice).png())
