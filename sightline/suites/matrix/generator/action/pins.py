"""A map in squares, with pins that carry numbers of parcels."""

from __future__ import annotations

from msgspec import Struct, to_builtins

from sightline.suites.matrix.generator.canvas import COLOUR_BY_NAME, pick_shade
from sightline.suites.matrix.generator.diagrams import new_canvas, random_style
from sightline.suites.matrix.generator.item import Call, Item, offer_tools, tool_call, tool_item
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import fill_wording, load_texts

_TEXTS = load_texts(__name__)

_COLOURS = ("red", "blue", "green", "yellow", "purple", "black", "orange", "brown", "pink")


class Pin(Struct, frozen=True, kw_only=True):
    """A pin on the map."""

    column: int
    row: int
    colour: str
    parcels: int

    @property
    def square(self) -> str:
        """Such as C4."""
        return f"{'ABCDEFGH'[self.column]}{self.row + 1}"


def _random_pins(rng: SampleRng) -> list[Pin]:
    cells = rng.some([(column, row) for column in range(8) for row in range(6)], rng.whole(7, 9))
    numbers = rng.some(range(3, 60), len(cells))
    return [
        Pin(column=column, row=row, colour=colour, parcels=n)
        for (column, row), colour, n in zip(cells, rng.shuffled(_COLOURS), numbers, strict=False)
    ]


def _draw_map(rng: SampleRng, pins: list[Pin]) -> bytes:
    style, side, edge = random_style(rng), 72.0, 36.0
    canvas = new_canvas(style, 8 * side + 2 * edge, 6 * side + 2 * edge)
    canvas.rectangle((edge, edge, edge + 8 * side, edge + 6 * side), rng.pick(("#e8efdf", "#eef0ea", "#e6edf3")))
    for _ in range(3):
        x0, y0, x1, y1 = (rng.between(0, 1) for _ in range(4))
        ends = [(edge + 8 * side * x0, edge), (edge + 8 * side * y0, edge + 6 * side)]
        if rng.chance():
            ends = [(edge, edge + 6 * side * x1), (edge + 8 * side, edge + 6 * side * y1)]
        canvas.line(ends, "#ffffff", 9.0)
    for k in range(9):
        canvas.line([(edge + side * k, edge), (edge + side * k, edge + 6 * side)], "#a9b3bd", 1.2)
        if k < 8:
            canvas.text((edge + side * (k + 0.5), edge / 2), "ABCDEFGH"[k], style.text_style(17))
    for k in range(7):
        canvas.line([(edge, edge + side * k), (edge + 8 * side, edge + side * k)], "#a9b3bd", 1.2)
        if k < 6:
            canvas.text((edge / 2, edge + side * (k + 0.5)), str(k + 1), style.text_style(17))
    for pin in pins:
        x, y, colour = edge + side * (pin.column + 0.36), edge + side * (pin.row + 0.38), pick_shade(rng, pin.colour)
        canvas.polygon([(x - 12, y + 5), (x + 12, y + 5), (x, y + 28)], colour)
        canvas.disc((x, y), 14, colour)
        canvas.disc((x, y), 5, "#ffffff")
        canvas.text((x + 30, y + 8), str(pin.parcels), style.text_style(18, "#111111"))
    return canvas.png()


def _make_item(rng: SampleRng, language: str, instruction: str, calls: list[Call], pins: list[Pin]) -> Item:
    pins = rng.shuffled(pins)
    return tool_item(
        rng,
        language,
        instruction=instruction,
        tools=offer_tools(rng, _TEXTS["tools"], calls),
        calls=calls,
        pictures=(_draw_map(rng, pins),),
        scene={"type": "pins", "pins": to_builtins(pins)},
    )


def _name(pin: Pin, language: str) -> str:
    return COLOUR_BY_NAME[pin.colour].name_in(language)


def single_fact(rng: SampleRng, language: str) -> Item:
    """Make a sample: the square of a pin."""
    pins = _random_pins(rng)
    instruction = fill_wording(rng, _TEXTS["single_fact"], language, a=_name(pins[0], language))
    return _make_item(rng, language, instruction, [tool_call("send_car", square=pins[0].square)], pins)


def two_facts(rng: SampleRng, language: str) -> Item:
    """Make a sample: from one pin to another."""
    pins = _random_pins(rng)
    a, b = pins[:2]
    calls = [tool_call("book_trip", start=a.square, end=b.square)]
    instruction = fill_wording(rng, _TEXTS["two_facts"], language, a=_name(a, language), b=_name(b, language))
    return _make_item(rng, language, instruction, calls, pins)


def text_rule(rng: SampleRng, language: str) -> Item:
    """Make a sample: wherever more than a number waits, except at one pin."""
    while True:
        pins, limit = _random_pins(rng), rng.whole(20, 45)
        selected = [pin for pin in pins[1:] if pin.parcels > limit]
        if 2 <= len(selected) <= 4 and pins[0].parcels > limit:
            break
    calls = [tool_call("send_car", square=pin.square) for pin in selected]
    instruction = fill_wording(rng, _TEXTS["text_rule"], language, n=limit, a=_name(pins[0], language))
    return _make_item(rng, language, instruction, calls, pins)


def aggregate(rng: SampleRng, language: str) -> Item:
    """Make a sample: all parcels of some columns, and the vans for them."""
    while True:
        pins, low = _random_pins(rng), rng.whole(0, 4)
        high = low + rng.whole(2, 4)
        selected = [pin for pin in pins if low <= pin.column <= high]
        if high < 8 and 2 <= len(selected) <= 4:
            break
    van = rng.whole(6, 15)
    total = sum(pin.parcels for pin in selected)
    calls = [tool_call("fetch_parcels", square=pin.square, parcels=pin.parcels) for pin in selected]
    calls.append(tool_call("hire_vans", vans=-(-total // van)))
    instruction = fill_wording(rng, _TEXTS["aggregate"], language, low="ABCDEFGH"[low], high="ABCDEFGH"[high], van=van)
    return _make_item(rng, language, instruction, calls, pins)
