"""Circuits of resistors: pairs in parallel, all in series."""

from __future__ import annotations

from collections.abc import Sequence

from sightline.suites.matrix.generator.canvas import XY, Canvas
from sightline.suites.matrix.generator.reasoning.drawing import Style, new_canvas, random_style
from sightline.suites.matrix.generator.reasoning.puzzle import StepsQuestion
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import fill_wording

PAIRS = (
    (3, 6), (6, 12), (4, 12), (10, 15), (20, 30), (12, 24), (20, 5), (30, 15), (9, 18), (14, 35), (8, 24), (18, 36),
    (40, 10), (60, 20), (21, 28), (30, 60), (15, 60), (24, 48), (7, 42), (12, 60),
)  # fmt: skip
"""Pairs whose resistance in parallel is whole."""
Group = tuple[int, ...]
_TOLD = {
    "en": (
        "The picture is a circuit with a battery and resistors (values in ohms, Ω).",
        "Look at the circuit: resistances are in ohms (Ω), the battery's voltage in volts (V).",
    ),
    "zh": (
        "图中是一个由电池和电阻组成的电路（电阻单位为欧姆 Ω）。",
        "请看电路图：电阻以欧姆（Ω）为单位，电池电压以伏特（V）为单位。",
    ),
}


def parallel_resistance(group: Group) -> float:
    """The resistance of resistors side by side."""
    return 1 / sum(1 / ohms for ohms in group)


def random_circuit(rng: SampleRng) -> tuple[tuple[Group, ...], int, int]:
    """Two pairs and one or two single resistors in any order: groups, volts, and the current, which is whole."""
    pairs: list[Group] = [tuple(rng.shuffled(pair)) for pair in rng.some(PAIRS, 2)]
    singles: list[Group] = [(rng.whole(2, 30),) for _ in range(rng.whole(1, 2))]
    groups = tuple(rng.shuffled([*pairs, *singles]))
    amperes = rng.whole(2, 12)
    return groups, amperes * round(sum(parallel_resistance(group) for group in groups)), amperes


def _draw_resistor(canvas: Canvas, style: Style, middle: XY, words: tuple[str, str], zigzag: bool) -> None:
    """A resistor that lies flat, with its name above and its value below or within."""
    x, y = middle
    if zigzag:
        canvas.rectangle((x - 34, y - 3, x + 34, y + 3), style.paper)
        points = [
            (x - 34, y),
            *((x - 34 + 68 * (k + 0.5) / 8, y + (9 if k % 2 else -9)) for k in range(8)),
            (x + 34, y),
        ]
        canvas.line(points, style.dark, 2.5)
    else:
        canvas.rectangle((x - 34, y - 12, x + 34, y + 12), "#ffffff", style.dark, 2.5)
    canvas.text((x, y - 25), words[0], style.text_style(17))
    canvas.text((x, y + (27 if zigzag else 0)), words[1], style.text_style(17 if zigzag else 15))


def draw_circuit(rng: SampleRng, groups: Sequence[Group], volts: int, switches: Sequence[int] = ()) -> bytes:
    """The circuit from left to right, the battery below; groups in `switches` have a closed one in the last branch."""
    style, zigzag = random_style(rng), rng.chance()
    width = 150.0
    right, y, bottom = 60 + width * len(groups), 120.0, 300.0
    canvas = new_canvas(style, right + 60, bottom + 60)
    left = 60.0
    for k, group in enumerate(groups):
        x = left + width * k
        levels = [y] if len(group) == 1 else [y - 50, y + 50]
        for level in levels:
            inner = (x + 20, x + width - 20)
            canvas.line([(x, y), (inner[0], y), (inner[0], level), (inner[1], level), (inner[1], y), (x + width, y)],
                       style.dark, 2.5)  # fmt: skip
        if len(group) == 2:
            for end in (x + 20, x + width - 20):
                canvas.disc((end, y), 4.5, style.dark)
    number = 0
    for k, group in enumerate(groups):
        x = left + width * (k + 0.5)
        for level, ohms in zip([y] if len(group) == 1 else [y - 50, y + 50], group, strict=True):
            number += 1
            moved = k in switches and level > y
            _draw_resistor(canvas, style, (x - 12 if moved else x, level), (f"R{number}", f"{ohms} Ω"), zigzag)
            if moved:
                _draw_switch(canvas, style, (x + 40, level), f"S{switches.index(k) + 1}")
    _draw_battery(canvas, style, (left, right, y, bottom), volts)
    return canvas.png()


def _draw_switch(canvas: Canvas, style: Style, middle: XY, name: str) -> None:
    x, y = middle
    for end in (x - 11, x + 11):
        canvas.disc((end, y), 4.0, style.paper, style.dark, 2.0)
    canvas.text((x, y - 18), name, style.text_style(15))


def _draw_battery(canvas: Canvas, style: Style, frame: tuple[float, float, float, float], volts: int) -> None:
    left, right, y, bottom = frame
    middle = (left + right) / 2
    canvas.line([(left, y), (left, bottom), (middle - 8, bottom)], style.dark, 2.5)
    canvas.line([(right, y), (right, bottom), (middle + 8, bottom)], style.dark, 2.5)
    canvas.line([(middle - 8, bottom - 26), (middle - 8, bottom + 26)], style.dark, 2.5)
    canvas.line([(middle + 8, bottom - 13), (middle + 8, bottom + 13)], style.dark, 6.0)
    canvas.text((middle, bottom + 42), f"{volts} V", style.text_style(19))


def resistor_names(groups: Sequence[Group]) -> list[list[str]]:
    """R1, R2… by group, as they are drawn."""
    found, number = [], 0
    for group in groups:
        found.append([f"R{number + k + 1}" for k in range(len(group))])
        number += len(group)
    return found


def chain(rng: SampleRng, language: str) -> StepsQuestion:
    """Both pairs, the whole, the current, and the voltage over one group."""
    groups, volts, amperes = random_circuit(rng)
    labels, zh = resistor_names(groups), language == "zh"
    doubles = [k for k, group in enumerate(groups) if len(group) == 2]
    last = rng.pick(doubles)
    step_names = [
        f"{labels[k][0]}与{labels[k][1]}并联的电阻"
        if zh
        else f"resistance of {labels[k][0]} and {labels[k][1]} together"
        for k in doubles
    ]
    step_names += (
        ["电路总电阻", "电池的电流（安）"] if zh else ["resistance of the whole circuit", "current of the battery in A"]
    )
    pair = labels[last]
    return StepsQuestion(
        instruction=fill_wording(rng, _TOLD, language),
        step_names=tuple(step_names),
        end=f"{pair[0]}两端的电压（伏）" if zh else f"the voltage over {pair[0]} in V",
        steps=(*(round(parallel_resistance(groups[k])) for k in doubles), volts // amperes, amperes),
        final=amperes * round(parallel_resistance(groups[last])),
        pictures=(draw_circuit(rng, groups, volts),),
        scene={"type": "circuit", "groups": [list(group) for group in groups], "volts": volts, "last": last},
    )
