"""A page of a calendar with events."""

from __future__ import annotations

from msgspec import Struct, to_builtins

from sightline.suites.matrix.generator.diagrams import contrasting_colour, new_canvas, random_style
from sightline.suites.matrix.generator.item import Call, Item, offer_tools, tool_call, tool_item
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import fill_wording, load_texts

_TEXTS = load_texts(__name__)

_EVENTS = (
    ("chess", "象棋"), ("choir", "合唱"), ("yoga", "瑜伽"), ("film", "电影"), ("dance", "舞蹈"), ("lecture", "讲座"),
    ("fair", "集市"), ("quiz", "竞猜"), ("opera", "歌剧"), ("judo", "柔道"),
)  # fmt: skip
_WEEK = (
    ("Mon", "一"), ("Tue", "二"), ("Wed", "三"), ("Thu", "四"), ("Fri", "五"), ("Sat", "六"), ("Sun", "日"),
)  # fmt: skip
_FULL = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class Event(Struct, frozen=True, kw_only=True):
    """An event on a day."""

    name: str
    day: int
    hours: int


class CalendarPage(Struct, frozen=True, kw_only=True):
    """A month: the weekday of its first day, its length, its events."""

    first: int
    days: int
    events: tuple[Event, ...]

    def weekday(self, day: int) -> int:
        """0 for Monday."""
        return (self.first + day - 1) % 7


def _random_page(rng: SampleRng, language: str) -> CalendarPage:
    names = [zh if language == "zh" else en for en, zh in rng.some(_EVENTS, rng.whole(7, 9))]
    length = rng.pick((28, 29, 30, 31))
    days = rng.some(range(5, length + 1), len(names))
    events = tuple(Event(name=n, day=d, hours=rng.whole(1, 6)) for n, d in zip(names, days, strict=True))
    return CalendarPage(first=rng.whole(0, 6), days=length, events=events)


def _draw_page(rng: SampleRng, page: CalendarPage, language: str, hours: bool) -> bytes:
    style = random_style(rng)
    width, height = 92.0, 70.0
    rows = -(-(page.first + page.days) // 7)
    canvas = new_canvas(style, 7 * width + 20, rows * height + 60)
    by_day = {event.day: event for event in page.events}
    for k, names in enumerate(_WEEK):
        name = names[1] if language == "zh" else names[0]
        canvas.text((10 + width * (k + 0.5), 26), name, style.text_style(17))
    for day in range(1, page.days + 1):
        row, column = divmod(page.first + day - 1, 7)
        x, y = 10 + width * column, 48 + height * row
        canvas.rectangle((x, y, x + width, y + height), "#ffffff", "#9aa3ad", 1.2)
        canvas.text((x + 8, y + 15), str(day), style.text_style(16, anchor="lm"))
        if event := by_day.get(day):
            canvas.rounded((x + 5, y + 30, x + width - 5, y + height - 8), 6, style.hues[day % 4])
            words = f"{event.name} {event.hours}h" if hours else event.name
            canvas.text((x + width / 2, y + 46), words, style.text_style(14, contrasting_colour(style.hues[day % 4])))
    return canvas.png()


def _make_item(rng: SampleRng, language: str, instruction: str, calls: list[Call], page: CalendarPage) -> Item:
    return tool_item(
        rng,
        language,
        instruction=instruction,
        tools=offer_tools(rng, _TEXTS["tools"], calls),
        calls=calls,
        pictures=(_draw_page(rng, page, language, hours=calls[-1]["name"] == "pay"),),
        scene={"type": "calendar", "page": to_builtins(page)},
    )


def single_fact(rng: SampleRng, language: str) -> Item:
    """Make a sample: the day of an event."""
    page = _random_page(rng, language)
    event = rng.pick(page.events)
    instruction = fill_wording(rng, _TEXTS["single_fact"], language, a=event.name)
    return _make_item(rng, language, instruction, [tool_call("cancel_event", day=event.day)], page)


def two_facts(rng: SampleRng, language: str) -> Item:
    """Make a sample: one event moves to a day counted from another."""
    while True:
        page, later = _random_page(rng, language), rng.whole(2, 4)
        a, b = rng.some(page.events, 2)
        if b.day + later <= page.days and all(event.day != b.day + later for event in page.events):
            break
    calls = [tool_call("move_event", from_day=a.day, to_day=b.day + later)]
    instruction = fill_wording(rng, _TEXTS["two_facts"], language, a=a.name, b=b.name, n=later)
    return _make_item(rng, language, instruction, calls, page)


def text_rule(rng: SampleRng, language: str) -> Item:
    """Make a sample: reminders before all events on two of the weekdays."""
    while True:
        page, before = _random_page(rng, language), rng.whole(1, 3)
        first, second = sorted(rng.some(range(7), 2))
        selected = [event for event in page.events if page.weekday(event.day) in (first, second)]
        if 2 <= len(selected) <= 4:
            break
    calls = [tool_call("add_reminder", day=event.day - before) for event in selected]
    words = [_WEEK[k][1] if language == "zh" else _FULL[k] for k in (first, second)]
    instruction = fill_wording(rng, _TEXTS["text_rule"], language, n=before, first=words[0], second=words[1])
    return _make_item(rng, language, instruction.replace(" 1 days", " 1 day"), calls, page)


def aggregate(rng: SampleRng, language: str) -> Item:
    """Make a sample: the hall for all events of a stretch of days, and the price of all hours."""
    while True:
        page, low = _random_page(rng, language), rng.whole(4, 16)
        high = low + rng.whole(5, 11)
        selected = [event for event in page.events if low <= event.day <= high]
        # 21st, 22nd, 23rd would need other endings
        if 2 <= len(selected) <= 4 and high not in (21, 22, 23):
            break
    rate = rng.whole(11, 60)
    calls = [tool_call("book_hall", day=event.day, hours=event.hours) for event in selected]
    calls.append(tool_call("pay", amount=rate * sum(event.hours for event in selected)))
    instruction = fill_wording(rng, _TEXTS["aggregate"], language, low=low, high=high, rate=rate)
    return _make_item(rng, language, instruction, calls, page)
