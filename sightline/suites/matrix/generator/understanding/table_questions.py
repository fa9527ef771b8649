"""Questions on tables and calendars."""

from __future__ import annotations

from msgspec import Struct

from sightline.suites.matrix.generator.item import Item
from sightline.suites.matrix.generator.random_text import random_word
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.tables import WEEKDAYS, Month, draw_calendar, draw_table, random_month
from sightline.suites.matrix.generator.understanding import visual_words as words
from sightline.suites.matrix.generator.understanding.vqa_answers import annotator_answers, make_item
from sightline.suites.matrix.generator.wording import fill_wording, ordinal

_WORKDAYS = 5


class _Table(Struct, frozen=True, kw_only=True):
    """Names, columns and whole numbers."""

    columns: tuple[str, ...]
    rows: dict[str, tuple[int, ...]]

    def drawn(self, language: str, rng: SampleRng) -> bytes:
        cells = [(name, *map(str, values)) for name, values in self.rows.items()]
        return draw_table([words.NAME[language], *self.columns], cells, rng).png()


def _random_table(rng: SampleRng, language: str, most: int = 980) -> _Table:
    columns = tuple(rng.some(words.COLUMNS[language], rng.whole(3, 4)))
    names = {random_word(rng, language) for _ in range(rng.whole(4, 7))}
    return _Table(columns=columns, rows={name: tuple(rng.whole(11, most) for _ in columns) for name in sorted(names)})


def cell(rng: SampleRng, language: str) -> Item:
    """One number."""
    found = _random_table(rng, language)
    row, column = rng.pick(list(found.rows)), rng.pick(found.columns)
    value = found.rows[row][found.columns.index(column)]
    return make_item(
        fill_wording(rng, words.CELL, language, row=row, column=column),
        annotator_answers(str(value)),
        found.drawn(language, rng),
    )


def sum_of_two(rng: SampleRng, language: str) -> Item:
    """Two numbers of a column."""
    found = _random_table(rng, language, 200)
    first, second = rng.some(list(found.rows), 2)
    column = rng.pick(found.columns)
    at = found.columns.index(column)
    question = fill_wording(rng, words.SUM, language, column=column, first=first, second=second)
    return make_item(
        question, annotator_answers(str(found.rows[first][at] + found.rows[second][at])), found.drawn(language, rng)
    )


def bill(rng: SampleRng, language: str) -> Item:
    """Two numbers of a column, each so many times as the text says."""
    found = _random_table(rng, language, 90)
    first, second = rng.some(list(found.rows), 2)
    a, b = rng.some(range(2, 7), 2)
    column = words.COLUMNS[language][0]
    columns = (column, *(name for name in found.columns if name != column))
    found = _Table(columns=columns[: len(found.columns)], rows=found.rows)
    total = a * found.rows[first][0] + b * found.rows[second][0]
    question = fill_wording(rng, words.BILL, language, a=a, b=b, first=first, second=second, column=column)
    return make_item(question, annotator_answers(str(total)), found.drawn(language, rng))


def best_row(rng: SampleRng, language: str) -> Item:
    """The row with the largest sum, and another number of it."""
    found = _random_table(rng, language, 120)
    first, second, third = rng.some(range(len(found.columns)), 3)
    sums = {name: values[first] + values[second] for name, values in found.rows.items()}
    best = max(sums, key=lambda name: sums[name])
    if sorted(sums.values())[-1] == sorted(sums.values())[-2]:
        return best_row(rng, language)
    times = rng.whole(2, 6)
    names = [found.columns[at] for at in (first, second, third)]
    question = fill_wording(rng, words.BEST, language, first=names[0], second=names[1], third=names[2], times=times)
    return make_item(question, annotator_answers(str(found.rows[best][third] * times)), found.drawn(language, rng))


def _day(day: int, language: str) -> list[str]:
    return annotator_answers(str(day), f"{day}日" if language == "zh" else ordinal(day, "en"))


def marked_day(rng: SampleRng, language: str) -> Item:
    """A ringed day."""
    month = random_month(rng)
    day = rng.whole(1, month.days)
    return make_item(
        fill_wording(rng, words.MARKED, language), _day(day, language), draw_calendar(month, [day], language, rng).png()
    )


def days_between(rng: SampleRng, language: str) -> Item:
    """Two ringed days; the later one is put off."""
    month, weeks = random_month(rng), rng.whole(1, 3)
    first, second = sorted(rng.some(range(1, month.days + 1), 2))
    question = fill_wording(rng, words.DAYS, language, weeks=words.WEEKS[language][weeks])
    answers = annotator_answers(str(second - first + 7 * weeks))
    return make_item(question, answers, draw_calendar(month, [first, second], language, rng).png())


def nth_weekday(rng: SampleRng, language: str) -> Item:
    """A rule of the text on a month."""
    month, weekday, nth = random_month(rng), rng.whole(0, 6), rng.whole(1, 4)
    day = 1 + (weekday - month.weekday(1)) % 7 + 7 * (nth - 1)
    question = fill_wording(rng, words.NTH, language, weekday=WEEKDAYS[language][weekday], nth=ordinal(nth, language))
    return make_item(question, _day(day, language), _page(month, language, rng))


def _page(month: Month, language: str, rng: SampleRng) -> bytes:
    return draw_calendar(month, [], language, rng).png()


def working_days(rng: SampleRng, language: str) -> Item:
    """A job from a ringed day on."""
    while True:
        month, days = random_month(rng), rng.whole(5, 14)
        day = start = rng.whole(1, 12)
        left = days - 1
        while left:
            day += 1
            left -= month.days >= day and month.weekday(day) < _WORKDAYS
            if day > month.days:
                break
        if month.weekday(start) < _WORKDAYS and day <= month.days:
            break
    question = fill_wording(rng, words.WORKING, language, days=days)
    return make_item(question, _day(day, language), draw_calendar(month, [start], language, rng).png())
