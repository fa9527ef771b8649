"""Tables and calendars."""

from __future__ import annotations

import calendar as months
from collections.abc import Sequence

from msgspec import Struct

from sightline.suites.matrix.generator.dice import Dice
from sightline.suites.matrix.generator.sheet import Ink, Sheet

WEEKDAYS = {
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "zh": ("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"),
}
MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_SHORT = {"en": ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"), "zh": ("一", "二", "三", "四", "五", "六", "日")}
_HEADS = ("#2f4858", "#6b3e26", "#2d5d46", "#4a3f6b", "#7a2e3a")


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


def a_month(dice: Dice) -> Month:
    """Some month of three decades."""
    return Month(year=dice.whole(2005, 2034), month=dice.whole(1, 12))


def calendar_page(month: Month, marked: Sequence[int], language: str, dice: Dice) -> Sheet:
    """A month as a page; marked days have a ring."""
    sheet = Sheet(460, 400, dice.pick(("#ffffff", "#fbf8f1", "#f2f6fa")))
    head, ring = dice.pick(_HEADS), dice.pick(("#d0312d", "#1f6fd0", "#e07b00"))
    first = dice.pick((0, 6))
    sheet.rectangle((14, 14, 446, 58), head)
    title = f"{month.year}年{month.month}月" if language == "zh" else f"{MONTHS[month.month - 1]} {month.year}"
    sheet.text((230, 36), title, Ink(size=22, colour="#ffffff", face="bold"))
    for k in range(7):
        day = (first + k) % 7
        sheet.text((45 + k * 61, 80), _SHORT[language][day], Ink(size=15, colour="#b03030" if day > 4 else "#444444"))
    offset = (month.weekday(1) - first) % 7
    for day in range(1, month.days + 1):
        row, column = divmod(day - 1 + offset, 7)
        at = (45.0 + column * 61, 116.0 + row * 48)
        if day in marked:
            sheet.disc(at, 20, None, ring, 3)
        late = (first + column) % 7 > 4
        sheet.text(at, str(day), Ink(size=18, colour="#b03030" if late else "#222222"))
    return sheet


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], dice: Dice) -> Sheet:
    """A table; its first column holds names."""
    wide, high = [150] + [112] * (len(heads) - 1), 36
    sheet = Sheet(sum(wide) + 32, high * (len(rows) + 1) + 32, dice.pick(("#ffffff", "#fbf8f1", "#f2f6fa")))
    right, style = 16 + sum(wide), dice.pick(("grid", "striped", "lines"))
    sheet.rectangle((16, 16, right, 16 + high), dice.pick(_HEADS))
    for k in range(len(rows)):
        top = 16 + high * (k + 1)
        if style == "striped" and k % 2:
            sheet.rectangle((16, top, right, top + high), "#e4e9ee")
        if style != "striped":
            sheet.line([(16, top + high), (right, top + high)], "#aab2b9", 1)
    face, x = dice.pick(("plain", "sans", "serif")), 16.0
    for column, head in enumerate(heads):
        anchor, at = ("lm", x + 10) if column == 0 else ("rm", x + wide[column] - 14)
        sheet.text((at, 16 + high / 2), head, Ink(size=15, colour="#ffffff", face="bold", anchor=anchor))
        for k, row in enumerate(rows):
            sheet.text((at, 16 + high * (k + 1.5)), row[column], Ink(size=16, face=face, anchor=anchor))
        x += wide[column]
        if style == "grid":
            sheet.line([(x, 16), (x, 16 + high * (len(rows) + 1))], "#aab2b9", 1)
    return sheet
