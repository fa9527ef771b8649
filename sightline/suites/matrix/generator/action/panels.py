"""A control panel: machines with temperature, pressure and a light."""

from __future__ import annotations

from msgspec import Struct, to_builtins

from sightline.suites.matrix.generator.diagrams import draw_table_picture, new_canvas, random_style
from sightline.suites.matrix.generator.item import Call, Item, offer_tools, tool_call, tool_item
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import fill_wording, load_texts

_TEXTS = load_texts(__name__)


class Machine(Struct, frozen=True, kw_only=True):
    """A machine on the panel."""

    code: str
    degrees: int
    pressure: int
    light: str


def _random_machines(rng: SampleRng, reds: int) -> list[Machine]:
    count = rng.pick((6, 8, 9))
    codes = [rng.pick("ABCDEFGHKMNPRSTUVW") + str(number) for number in rng.some(range(10, 99), count)]
    lights = rng.shuffled(["red"] * reds + ["green"] * (count - reds))
    heats, pressures = rng.some(range(31, 96), count), rng.some(range(12, 98), count)
    return [
        Machine(code=code, degrees=heat, pressure=pressure, light=light)
        for code, heat, pressure, light in zip(codes, heats, pressures, lights, strict=True)
    ]


def _draw_panel(rng: SampleRng, machines: list[Machine]) -> bytes:
    style = random_style(rng)
    columns = 4 if len(machines) == 8 else 3
    width, height = 172.0, 132.0
    canvas = new_canvas(style, width * columns + 20, height * (len(machines) // columns) + 20)
    dark = rng.chance()
    ground, letters = ("#26303b", "#f2f4f7") if dark else ("#ffffff", "#222222")
    for k, machine in enumerate(machines):
        x, y = 10 + width * (k % columns), 10 + height * (k // columns)
        canvas.rounded((x + 6, y + 6, x + width - 6, y + height - 6), 10, ground, "#7a8592", 1.5)
        canvas.text((x + 18, y + 30), machine.code, style.text_style(22, letters, "lm"))
        canvas.disc((x + width - 32, y + 30), 11, "#e03131" if machine.light == "red" else "#2fb344", "#444444", 1.5)
        canvas.text((x + 18, y + 66), f"{machine.degrees} °C", style.text_style(21, letters, "lm"))
        canvas.text((x + 18, y + 96), f"{machine.pressure} bar", style.text_style(19, letters, "lm"))
        share = machine.pressure / 100
        canvas.rectangle((x + 100, y + 91, x + width - 20, y + 101), "#c9d0d8")
        canvas.rectangle((x + 100, y + 91, x + 100 + (width - 120) * share, y + 101), style.hues[0])
    return canvas.png()


def _make_item(
    rng: SampleRng,
    language: str,
    instruction: str,
    calls: list[Call],
    machines: list[Machine],
    *cards: bytes,
    **facts: object,
) -> Item:
    return tool_item(
        rng,
        language,
        instruction=instruction,
        tools=offer_tools(rng, _TEXTS["tools"], calls),
        calls=calls,
        pictures=(_draw_panel(rng, machines), *cards),
        scene={"type": "panel", "machines": to_builtins(machines), **facts},
    )


def single_fact(rng: SampleRng, language: str) -> Item:
    """Make a sample: the hottest, the coldest or the one with the highest pressure."""
    machines, which = _random_machines(rng, rng.whole(0, 3)), rng.pick(tuple(_TEXTS["single_fact"]))
    selected = {
        "hottest": max(machines, key=lambda machine: machine.degrees),
        "coldest": min(machines, key=lambda machine: machine.degrees),
        "highest": max(machines, key=lambda machine: machine.pressure),
    }[which]
    instruction = fill_wording(rng, _TEXTS["single_fact"][which], language)
    return _make_item(rng, language, instruction, [tool_call("stop_machine", machine=selected.code)], machines)


def two_facts(rng: SampleRng, language: str) -> Item:
    """Make a sample: the machine with the red light, and its temperature in a second picture."""
    machines = _random_machines(rng, 1)
    wanted = dict(zip([m.code for m in machines], rng.some(range(20, 99), len(machines)), strict=True))
    selected = next(machine for machine in machines if machine.light == "red")
    head = ("机器", "设定温度 °C") if language == "zh" else ("machine", "set to °C")
    card = draw_table_picture(rng, [head, *((code, str(wanted[code])) for code in rng.shuffled(list(wanted)))])
    calls = [tool_call("set_temperature", machine=selected.code, degrees=wanted[selected.code])]
    instruction = fill_wording(rng, _TEXTS["two_facts"], language)
    return _make_item(rng, language, instruction, calls, machines, card, wanted=wanted)


def _machines_above_limit(rng: SampleRng) -> tuple[list[Machine], int, list[Machine]]:
    """Machines, a limit, and two to four that run above it while others above it don't run."""
    while True:
        machines, limit = _random_machines(rng, rng.whole(2, 3)), rng.whole(50, 80)
        hot = [machine for machine in machines if machine.degrees > limit]
        selected = [machine for machine in hot if machine.light == "green"]
        if 2 <= len(selected) <= 4 and len(selected) < len(hot):
            return machines, limit, selected


def text_rule(rng: SampleRng, language: str) -> Item:
    """Make a sample: each machine that runs above a limit."""
    machines, limit, selected = _machines_above_limit(rng)
    calls = [tool_call("stop_machine", machine=machine.code) for machine in selected]
    instruction = fill_wording(rng, _TEXTS["text_rule"], language, limit=limit)
    return _make_item(rng, language, instruction, calls, machines)


def aggregate(rng: SampleRng, language: str) -> Item:
    """Make a sample: each by its own degrees, and coolant for all of them."""
    machines, limit, selected = _machines_above_limit(rng)
    litres = rng.whole(2, 7)
    calls = [tool_call("cool_machine", machine=m.code, by=m.degrees - limit) for m in selected]
    calls.append(tool_call("order_coolant", litres=litres * sum(m.degrees - limit for m in selected)))
    instruction = fill_wording(rng, _TEXTS["aggregate"], language, limit=limit, litres=litres)
    return _make_item(rng, language, instruction, calls, machines)
