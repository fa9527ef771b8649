"""Tables and calendar pages, and questions on them."""

from __future__ import annotations

import calendar as months
from collections.abc import Sequence

from msgspec import Struct

from sightline.suites.matrix.generator.canvas import Canvas, TextStyle
from sightline.suites.matrix.generator.item import Item, annotator_answers, vqa_item
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import fill_wording, load_texts, ordinal, random_word

_TEXTS = load_texts(__name__)

_SHORT = {"en": ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"), "zh": ("一", "二", "三", "四", "五", "六", "日")}
_HEADS = ("#2f4858", "#6b3e26", "#2d5d46", "#4a3f6b", "#7a2e3a")
_WORKDAYS = 5
_WEEKS = {"en": {1: "one week", 2: "two weeks", 3: "three weeks"}, "zh": {1: "一周", 2: "两周", 3: "三周"}}
_NAME = {"en": "name", "zh": "名称"}


class Month(Struct, frozen=True, kw_only=True):
    """A page of a calendar."""

    year: int
    month: int

    @property
    def days(self) -> int:
        """How many it has."""
        return months.monthrange(self.year, self.month)[1]

    def weekday(self, day: int) -> int:
        """0 is Monday."""
        return months.weekday(self.year, self.month, day)


def random_month(rng: SampleRng) -> Month:
    """Return a random month of three decades."""
    return Month(year=rng.whole(2005, 2034), month=rng.whole(1, 12))


def draw_calendar(month: Month, marked: Sequence[int], language: str, rng: SampleRng) -> Canvas:
    """A month as a page; marked days have a ring."""
    canvas = Canvas(460, 400, rng.pick(("#ffffff", "#fbf8f1", "#f2f6fa")))
    head, ring = rng.pick(_HEADS), rng.pick(("#d0312d", "#1f6fd0", "#e07b00"))
    first = rng.pick((0, 6))
    canvas.rectangle((14, 14, 446, 58), head)
    title = (
        f"{month.year}年{month.month}月" if language == "zh" else f"{_TEXTS['months'][month.month - 1]} {month.year}"
    )
    canvas.text((230, 36), title, TextStyle(size=22, colour="#ffffff", face="bold"))
    for k in range(7):
        day = (first + k) % 7
        colour = "#b03030" if day > 4 else "#444444"
        canvas.text((45 + k * 61, 80), _SHORT[language][day], TextStyle(size=15, colour=colour))
    offset = (month.weekday(1) - first) % 7
    for day in range(1, month.days + 1):
        row, column = divmod(day - 1 + offset, 7)
        at = (45.0 + column * 61, 116.0 + row * 48)
        if day in marked:
            canvas.disc(at, 20, None, ring, 3)
        late = (first + column) % 7 > 4
        canvas.text(at, str(day), TextStyle(size=18, colour="#b03030" if late else "#222222"))
    return canvas


def draw_table(heads: Sequence[str], rows: Sequence[Sequence[str]], rng: SampleRng) -> Canvas:
    """A table; its first column holds names."""
    wide, high = [150] + [112] * (len(heads) - 1), 36
    canvas = Canvas(sum(wide) + 32, high * (len(rows) + 1) + 32, rng.pick(("#ffffff", "#fbf8f1", "#f2f6fa")))
    right, style = 16 + sum(wide), rng.pick(("grid", "striped", "lines"))
    canvas.rectangle((16, 16, right, 16 + high), rng.pick(_HEADS))
    for k in range(len(rows)):
        top = 16 + high * (k + 1)
        if style == "striped" and k % 2:
            canvas.rectangle((16, top, right, top + high), "#e4e9ee")
        if style != "striped":
            canvas.line([(16, top + high), (right, top + high)], "#aab2b9", 1)
    face, x = rng.pick(("plain", "sans", "serif")), 16.0
    for column, head in enumerate(heads):
        anchor, at = ("lm", x + 10) if column == 0 else ("rm", x + wide[column] - 14)
        canvas.text((at, 16 + high / 2), head, TextStyle(size=15, colour="#ffffff", face="bold", anchor=anchor))
        for k, row in enumerate(rows):
            canvas.text((at, 16 + high * (k + 1.5)), row[column], TextStyle(size=16, face=face, anchor=anchor))
        x += wide[column]
        if style == "grid":
            canvas.line([(x, 16), (x, 16 + high * (len(rows) + 1))], "#aab2b9", 1)
    return canvas


class _Table(Struct, frozen=True, kw_only=True):
    """Names, columns and whole numbers."""

    columns: tuple[str, ...]
    rows: dict[str, tuple[int, ...]]

    def draw(self, language: str, rng: SampleRng) -> bytes:
        cells = [(name, *map(str, values)) for name, values in self.rows.items()]
        return draw_table([_NAME[language], *self.columns], cells, rng).png()


def _random_table(rng: SampleRng, language: str, most: int = 980) -> _Table:
    columns = tuple(rng.some(_TEXTS["columns"][language], rng.whole(3, 4)))
    names = {random_word(rng, language) for _ in range(rng.whole(4, 7))}
    return _Table(columns=columns, rows={name: tuple(rng.whole(11, most) for _ in columns) for name in sorted(names)})


def cell(rng: SampleRng, language: str) -> Item:
    """Make a sample: one number."""
    table = _random_table(rng, language)
    row, column = rng.pick(list(table.rows)), rng.pick(table.columns)
    value = table.rows[row][table.columns.index(column)]
    question = fill_wording(rng, _TEXTS["cell"], language, row=row, column=column)
    return vqa_item(question, annotator_answers(str(value)), table.draw(language, rng))


def sum_of_two(rng: SampleRng, language: str) -> Item:
    """Make a sample: two numbers of a column."""
    table = _random_table(rng, language, 200)
    first, second = rng.some(list(table.rows), 2)
    column = rng.pick(table.columns)
    at = table.columns.index(column)
    total = table.rows[first][at] + table.rows[second][at]
    question = fill_wording(rng, _TEXTS["sum"], language, column=column, first=first, second=second)
    return vqa_item(question, annotator_answers(str(total)), table.draw(language, rng))


def bill(rng: SampleRng, language: str) -> Item:
    """Make a sample: two numbers of a column, each multiplied as the text says."""
    table = _random_table(rng, language, 90)
    first, second = rng.some(list(table.rows), 2)
    a, b = rng.some(range(2, 7), 2)
    column = _TEXTS["columns"][language][0]
    columns = (column, *(name for name in table.columns if name != column))
    table = _Table(columns=columns[: len(table.columns)], rows=table.rows)
    total = a * table.rows[first][0] + b * table.rows[second][0]
    question = fill_wording(rng, _TEXTS["bill"], language, a=a, b=b, first=first, second=second, column=column)
    return vqa_item(question, annotator_answers(str(total)), table.draw(language, rng))


def best_row(rng: SampleRng, language: str) -> Item:
    """Make a sample: the row with the largest sum, and another number of it."""
    table = _random_table(rng, language, 120)
    first, second, third = rng.some(range(len(table.columns)), 3)
    sums = {name: values[first] + values[second] for name, values in table.rows.items()}
    best = max(sums, key=lambda name: sums[name])
    if sorted(sums.values())[-1] == sorted(sums.values())[-2]:
        return best_row(rng, language)
    times = rng.whole(2, 6)
    names = [table.columns[at] for at in (first, second, third)]
    question = fill_wording(rng, _TEXTS["best"], language, first=names[0], second=names[1], third=names[2], times=times)
    return vqa_item(question, annotator_answers(str(table.rows[best][third] * times)), table.draw(language, rng))


def _day(day: int, language: str) -> list[str]:
    return annotator_answers(str(day), f"{day}日" if language == "zh" else ordinal(day, "en"))


def marked_day(rng: SampleRng, language: str) -> Item:
    """Make a sample: a ringed day."""
    month = random_month(rng)
    day = rng.whole(1, month.days)
    question = fill_wording(rng, _TEXTS["marked"], language)
    return vqa_item(question, _day(day, language), draw_calendar(month, [day], language, rng).png())


def days_between(rng: SampleRng, language: str) -> Item:
    """Make a sample: two ringed days; the later one is put off."""
    month, weeks = random_month(rng), rng.whole(1, 3)
    first, second = sorted(rng.some(range(1, month.days + 1), 2))
    question = fill_wording(rng, _TEXTS["days"], language, weeks=_WEEKS[language][weeks])
    answers = annotator_answers(str(second - first + 7 * weeks))
    return vqa_item(question, answers, draw_calendar(month, [first, second], language, rng).png())


def nth_weekday(rng: SampleRng, language: str) -> Item:
    """Make a sample: a rule of the text on a month."""
    month, weekday, nth = random_month(rng), rng.whole(0, 6), rng.whole(1, 4)
    day = 1 + (weekday - month.weekday(1)) % 7 + 7 * (nth - 1)
    name = _TEXTS["weekdays"][language][weekday]
    question = fill_wording(rng, _TEXTS["nth"], language, weekday=name, nth=ordinal(nth, language))
    return vqa_item(question, _day(day, language), draw_calendar(month, [], language, rng).png())


def working_days(rng: SampleRng, language: str) -> Item:
    """Make a sample: a job from a ringed day on."""
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
    question = fill_wording(rng, _TEXTS["working"], language, days=days)
    return vqa_item(question, _day(day, language), draw_calendar(month, [start], language, rng).png())
