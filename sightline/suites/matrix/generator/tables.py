"""Drawing of tables and calendar pages."""

from __future__ import annotations

import calendar as months
from collections.abc import Sequence

from msgspec import Struct

from sightline.suites.matrix.generator.canvas import Canvas, TextStyle
from sightline.suites.matrix.generator.sample_rng import SampleRng

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


def random_month(rng: SampleRng) -> Month:
    """Return a random month of three decades."""
    return Month(year=rng.whole(2005, 2034), month=rng.whole(1, 12))


def draw_calendar(month: Month, marked: Sequence[int], language: str, rng: SampleRng) -> Canvas:
    """A month as a page; marked days have a ring."""
    canvas = Canvas(460, 400, rng.pick(("#ffffff", "#fbf8f1", "#f2f6fa")))
    head, ring = rng.pick(_HEADS), rng.pick(("#d0312d", "#1f6fd0", "#e07b00"))
    first = rng.pick((0, 6))
    canvas.rectangle((14, 14, 446, 58), head)
    title = f"{month.year}年{month.month}月" if language == "zh" else f"{MONTHS[month.month - 1]} {month.year}"
    canvas.text((230, 36), title, TextStyle(size=22, colour="#ffffff", face="bold"))
    for k in range(7):
        day = (first + k) % 7
        canvas.text(
            (45 + k * 61, 80), _SHORT[language][day], TextStyle(size=15, colour="#b03030" if day > 4 else "#444444")
        )
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
