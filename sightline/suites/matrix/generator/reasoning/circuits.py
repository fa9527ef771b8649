"""Electric circuits: resistors in series and parallel, and lamps on switched branches."""

from __future__ import annotations

from collections.abc import Sequence

from sightline.suites.matrix.generator.canvas import XY, Canvas
from sightline.suites.matrix.generator.diagrams import Style, new_canvas, random_style
from sightline.suites.matrix.generator.item import Item, counterfactual_item, shuffle_options, steps_item
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import fill_wording, load_texts

_TEXTS = load_texts(__name__)

PAIRS = (
    (3, 6), (6, 12), (4, 12), (10, 15), (20, 30), (12, 24), (20, 5), (30, 15), (9, 18), (14, 35), (8, 24), (18, 36),
    (40, 10), (60, 20), (21, 28), (30, 60), (15, 60), (24, 48), (7, 42), (12, 60),
)  # fmt: skip
"""Pairs whose resistance in parallel is whole."""
Group = tuple[int, ...]


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
                _draw_closed_switch(canvas, style, (x + 40, level), f"S{switches.index(k) + 1}")
    _draw_battery(canvas, style, (left, right, y, bottom), volts)
    return canvas.png()


def _draw_closed_switch(canvas: Canvas, style: Style, middle: XY, name: str) -> None:
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
    names, number = [], 0
    for group in groups:
        names.append([f"R{number + k + 1}" for k in range(len(group))])
        number += len(group)
    return names


def resistor_chain(rng: SampleRng, language: str) -> Item:
    """Make a sample: both pairs, the whole, the current, and the voltage over one group."""
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
    return steps_item(
        rng,
        language,
        instruction=fill_wording(rng, _TEXTS["circuit"], language),
        step_names=tuple(step_names),
        end=f"{pair[0]}两端的电压（伏）" if zh else f"the voltage over {pair[0]} in V",
        steps=(*(round(parallel_resistance(groups[k])) for k in doubles), volts // amperes, amperes),
        final=amperes * round(parallel_resistance(groups[last])),
        pictures=(draw_circuit(rng, groups, volts),),
        scene={"type": "circuit", "groups": [list(group) for group in groups], "volts": volts, "last": last},
    )


def _lamp_names(lamps: set[str], language: str) -> str:
    return ("、" if language == "zh" else ", ").join(sorted(lamps))


def _draw_lamp(canvas: Canvas, style: Style, at: XY, name: str) -> None:
    x, y = at
    canvas.disc(at, 19, "#ffffff", style.dark, 2.5)
    canvas.line([(x - 13, y - 13), (x + 13, y + 13)], "#b5bac1", 1.5)
    canvas.line([(x - 13, y + 13), (x + 13, y - 13)], "#b5bac1", 1.5)
    canvas.text((x, y - 31), name, style.text_style(18))


def _draw_switch(canvas: Canvas, style: Style, at: XY, name: str, closed: bool) -> None:
    x, y = at
    canvas.rectangle((x - 22, y - 4, x + 22, y + 4), style.paper)
    canvas.line([(x - 22, y), (x + 22, y) if closed else (x + 16, y - 24)], style.dark, 3.0)
    for end in (x - 22, x + 22):
        canvas.disc((end, y), 4.5, style.dark)
    canvas.text((x, y + 18), name, style.text_style(16))


def _draw_lamps(rng: SampleRng, branches: list[tuple[str, bool, list[str]]]) -> bytes:
    style = random_style(rng)
    height, right = 92.0, 520.0
    canvas = new_canvas(style, right + 40, 70 + height * len(branches))
    left = 110.0
    ys = [70 + height * k for k in range(len(branches))]
    for x in (left, right):
        canvas.line([(x, ys[0]), (x, ys[-1])], style.dark, 2.5)
    for y, (switch, closed, lamps) in zip(ys, branches, strict=True):
        canvas.line([(left, y), (right, y)], style.dark, 2.5)
        spots = rng.some([180.0, 270.0, 360.0, 450.0], len(lamps) + 1)
        _draw_switch(canvas, style, (spots[0], y), switch, closed)
        for x, lamp in zip(spots[1:], lamps, strict=True):
            _draw_lamp(canvas, style, (x, y), lamp)
    low = ys[-1] + 45
    canvas.line([(left, ys[-1]), (left, low), (right, low), (right, ys[-1])], style.dark, 2.5)
    canvas.rectangle((305, low - 6, 325, low + 6), style.paper)
    canvas.line([(305, low - 16), (305, low + 16)], style.dark, 2.5)
    canvas.line([(325, low - 9), (325, low + 9)], style.dark, 6.0)
    return canvas.png()


def flip_switches(rng: SampleRng, language: str) -> Item:
    """Make a sample: two switches are flipped; the options differ in these two, none is the middle of the others."""
    count = rng.pick((4, 5))
    letters = rng.some("ABCDEFGHKLMN", 12)
    branches: list[tuple[str, bool, list[str]]] = []
    for k in range(count):
        some, letters = letters[: (size := rng.whole(1, 2))], letters[size:]
        branches.append((f"S{k + 1}", rng.chance(), some))
    a, b, always = rng.some(range(count), 3)
    branches[always] = (branches[always][0], True, branches[always][2])
    rest = {lamp for k, (_, closed, lamps) in enumerate(branches) if closed and k not in (a, b) for lamp in lamps}
    sets = {
        (x, y): rest | set(branches[a][2] if x else ()) | set(branches[b][2] if y else ())
        for x in (True, False)
        for y in (True, False)
    }
    right = _lamp_names(sets[not branches[a][1], not branches[b][1]], language)
    others = [text for text in (_lamp_names(lamps, language) for lamps in sets.values()) if text != right]
    first, second = sorted((a, b))
    return counterfactual_item(
        instruction=fill_wording(rng, _TEXTS["lamps"], language, a=branches[first][0], b=branches[second][0]),
        answer=right,
        options=shuffle_options(rng, right, others),
        pictures=(_draw_lamps(rng, branches),),
        scene={"type": "lamps", "branches": branches, "flipped": [first, second]},
    )


def open_switch(rng: SampleRng, language: str) -> Item:
    """Make a sample: a pair in parallel loses one of its two resistors."""
    pairs: list[Group] = [tuple(rng.shuffled(pair)) for pair in rng.some(PAIRS, 2)]
    groups = rng.shuffled([*pairs, (rng.whole(2, 30),)])
    doubles = [k for k, group in enumerate(groups) if len(group) == 2]
    switch = rng.whole(0, 1)
    cut = doubles[switch]
    left = [group[:1] if k == cut else group for k, group in enumerate(groups)]
    amperes = rng.whole(1, 9)
    volts = amperes * round(sum(parallel_resistance(group) for group in left))
    over = rng.whole(0, len(groups) - 1)
    label = resistor_names(groups)[over][0]
    return counterfactual_item(
        instruction=fill_wording(rng, _TEXTS["opened_switch"], language, s=f"S{switch + 1}", r=label),
        answer=amperes * round(parallel_resistance(left[over])),
        pictures=(draw_circuit(rng, groups, volts, doubles),),
        scene={"type": "circuit", "groups": groups, "volts": volts, "opened": cut, "over": over},
    )
