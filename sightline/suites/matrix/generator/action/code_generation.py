"""Code to write: one chart or formula, two pictures, a rule in the text, and a figure to draw again with Matplotlib."""

from __future__ import annotations

from itertools import pairwise

from sightline.suites.matrix.generator.action import figures, flows
from sightline.suites.matrix.generator.action.flows import FUNCTION_NAMES
from sightline.suites.matrix.generator.diagrams import draw_table_picture, new_canvas, random_style
from sightline.suites.matrix.generator.item import Item, Scenes, draw_tests, program_item
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import fill_wording, load_texts

_TEXTS = load_texts(__name__)


Terms = tuple[str, str]
"""What is written on the sheet and what Python reads, with {p}, {q}, {r}, {s} for constants."""
_BIG: tuple[Terms, ...] = (
    ("{p}a + {q}b", "{p} * a + {q} * b"),
    ("{p}a² − b", "{p} * a * a - b"),
    ("a·b + {p}", "a * b + {p}"),
    ("{p}(a − b) + {q}", "{p} * (a - b) + {q}"),
)
_SMALL: tuple[Terms, ...] = (
    ("{r}b − a", "{r} * b - a"),
    ("{s} − a·b", "{s} - a * b"),
    ("b² + {r}", "b * b + {r}"),
    ("{r}(a + b)", "{r} * (a + b)"),
)
_LETTERS = "abcdefgh"


def _draw_cases(rng: SampleRng, letter: str, rows: list[tuple[str, str]]) -> bytes:
    """A definition by cases, with a bar before them."""
    style = random_style(rng)
    size = rng.pick((24, 28))
    canvas = new_canvas(style, 740, 60 + 64 * len(rows))
    middle = 30 + 32 * len(rows)
    canvas.text((30, middle), f"{letter}(a, b) =", style.text_style(size, anchor="lm"))
    top, bottom = 36.0, 24.0 + 64 * len(rows)
    brace = [(8, top), (0, top + 8), (0, middle - 8), (-8, middle), (0, middle + 8), (0, bottom - 8), (8, bottom)]
    canvas.line([(212 + x, y) for x, y in brace], style.dark, 2.5)
    for k, (term, case) in enumerate(rows):
        y = 62 + 64 * k
        canvas.text((238, y), term, style.text_style(size, anchor="lm"))
        canvas.text((500, y), case, style.text_style(size - 2, anchor="lm"))
    return canvas.png()


def _random_program(rng: SampleRng, language: str, hidden: bool) -> Item:
    """Make a sample: two cases; the constants are written in the formula or, hidden, in a table of their own."""
    letter, name = rng.pick("fghFG"), rng.pick(FUNCTION_NAMES)
    constants = dict(zip("pqrs", rng.some(range(2, 20), 4), strict=True))
    limit = rng.whole(-6, 8)
    big, small = rng.pick(_BIG), rng.pick(_SMALL)
    as_factor = {key: (f"{key}·" if hidden else str(value)) for key, value in constants.items()}
    as_summand = {key: (key if hidden else str(value)) for key, value in constants.items()}
    otherwise = "否则" if language == "zh" else "otherwise"
    edge = "+ t" if hidden else f"+ {limit}" if limit >= 0 else f"− {-limit}"
    when = f"a > b {edge}"
    rows = [(_format_term(big[0], as_factor, as_summand), f"{'若' if language == 'zh' else 'if'} {when}"),
            (_format_term(small[0], as_factor, as_summand), otherwise)]  # fmt: skip
    code = [terms[1].format(**constants) for terms in (big, small)]
    solution = f"def {name}(a, b):\n    if a > b + ({limit}):\n        return {code[0]}\n    return {code[1]}\n"

    def reference(a: int, b: int) -> int:
        return _evaluate(big if a > b + limit else small, constants, a, b)

    tests = draw_tests(rng, reference, lambda: [rng.whole(-12, 15), rng.whole(-12, 15)])
    pictures: tuple[bytes, ...] = (_draw_cases(rng, letter, rows),)
    if hidden:
        head = ("常数", "值") if language == "zh" else ("constant", "value")
        values = [(key, str(value)) for key, value in {**constants, "t": limit}.items()]
        pictures = (*pictures, draw_table_picture(rng, [head, *rng.shuffled(values)]))
    return program_item(
        rng,
        language,
        tests=tests,
        instruction=fill_wording(rng, _TEXTS["constants"] if hidden else _TEXTS["formula"], language, letter=letter),
        signature=f"{name}(a, b)",
        solution=solution,
        pictures=pictures,
    )


def _format_term(term: str, as_factor: dict[str, str], as_summand: dict[str, str]) -> str:
    """A constant before a letter or bracket is a factor: with a dot where it is a letter itself."""
    for key in as_factor:
        place = term.find(f"{{{key}}}")
        if place >= 0:
            after = term[place + 3 : place + 4]
            term = term.replace(f"{{{key}}}", as_factor[key] if after in ("a", "b", "(") else as_summand[key])
    return term


def _evaluate(terms: Terms, constants: dict[str, int], a: int, b: int) -> int:
    """The value of one of the terms, by its place in the tables."""
    p, q, r, s = (constants[key] for key in "pqrs")
    values = (p * a + q * b, p * a**2 - b, a * b + p, p * (a - b) + q, r * b - a, s - a * b, b**2 + r, r * (a + b))
    return values[(*_BIG, *_SMALL).index(terms)]


def formula(rng: SampleRng, language: str) -> Item:
    """Make a sample: all in one picture."""
    return _random_program(rng, language, hidden=False)


def constants(rng: SampleRng, language: str) -> Item:
    """Make a sample: the constants in a second picture."""
    return _random_program(rng, language, hidden=True)


def alphabet(rng: SampleRng, language: str) -> Item:
    """Make a sample: a letter for each letter."""
    while True:
        mixed = "".join(rng.shuffled(_LETTERS))
        if all(a != b for a, b in zip(_LETTERS, mixed, strict=True)):
            break
    style, side = random_style(rng), 56.0
    canvas = new_canvas(style, side * len(_LETTERS) + 60, 190)
    order = rng.shuffled(_LETTERS)
    for k, letter in enumerate(order):
        x = 30 + side * k
        for row, word in enumerate((letter, mixed[_LETTERS.index(letter)])):
            y = 36 + 60 * row
            canvas.rectangle((x, y, x + side, y + 60), "#ffffff" if row else "#dde6f0", "#7a8592", 1.5)
            canvas.text((x + side / 2, y + 30), word, style.text_style(26))
    name = rng.pick(("encode", "encrypt", "to_code"))
    solution = f'def {name}(text):\n    return text.translate(str.maketrans("{_LETTERS}", "{mixed}"))\n'
    letters = [*_LETTERS, *_LETTERS, " ", "z", "1"]

    def reference(text: str) -> str:
        return "".join(mixed[_LETTERS.index(c)] if c in _LETTERS else c for c in text)

    tests = draw_tests(rng, reference, lambda: ["".join(rng.pick(letters) for _ in range(rng.whole(4, 12)))])
    return program_item(
        rng,
        language,
        tests=tests,
        instruction=fill_wording(rng, _TEXTS["alphabet"], language),
        signature=f"{name}(text)",
        solution=solution,
        pictures=(canvas.png(),),
    )


def fees(rng: SampleRng, language: str) -> Item:
    """Make a sample: a price by class of weight, and more by zone."""
    limits, prices = sorted(rng.some(range(2, 40), 4)), sorted(rng.some(range(3, 60), 5))
    zones = dict(zip(rng.some(("A", "B", "C", "D", "E", "F", "G"), 4), rng.some(range(1, 30), 4), strict=True))
    zh = language == "zh"
    bounds = [f"0–{limits[0]}", *(f"{a}–{b}" for a, b in pairwise(limits)), f"> {limits[-1]}"]
    head, more = (
        (("重量（公斤）", "价格"), ("区域", "附加费")) if zh else (("weight in kg", "price"), ("zone", "added"))
    )
    pictures = (
        draw_table_picture(rng, [head, *zip(bounds, map(str, prices), strict=True)]),
        draw_table_picture(rng, [more, *((zone, str(fee)) for zone, fee in rng.shuffled(list(zones.items())))]),
    )
    name = rng.pick(("fee", "postage", "price_of"))
    solution = (
        f"import bisect\n\n\ndef {name}(weight, zone):\n    base = {prices}[bisect.bisect_left({limits}, weight)]\n"
        f"    return base + {zones}[zone]\n"
    )

    def reference(weight: int, zone: str) -> int:
        return prices[sum(weight > limit for limit in limits)] + zones[zone]

    weights = [*limits, *range(1, 46)]
    tests = draw_tests(rng, reference, lambda: [rng.pick(weights), rng.pick(list(zones))])
    return program_item(
        rng,
        language,
        tests=tests,
        instruction=fill_wording(rng, _TEXTS["fees"], language),
        signature=f"{name}(weight, zone)",
        solution=solution,
        pictures=pictures,
    )


def _rule_picture(rng: SampleRng, table: dict[tuple[int, int, int], int]) -> bytes:
    style, side = random_style(rng), 30.0
    canvas = new_canvas(style, 4 * 145 + 20, 270)
    dark = rng.pick(("#222222", "#23406b", "#6b2340"))
    for k, (pattern, after) in enumerate(rng.shuffled(list(table.items()))):
        x, y = 30 + 145.0 * (k % 4), 28 + 122.0 * (k // 4)
        for place, cell in enumerate(pattern):
            box = (x + side * place, y, x + side * (place + 1), y + side)
            canvas.rectangle(box, dark if cell else "#ffffff", "#7a8592", 1.8)
        canvas.arrow((x + 1.5 * side, y + side + 3), (x + 1.5 * side, y + side + 21), style.dark, 2.0, 9)
        box = (x + side, y + side + 24, x + 2 * side, y + 2 * side + 24)
        canvas.rectangle(box, dark if after else "#ffffff", "#7a8592", 1.8)
    return canvas.png()


def automaton(rng: SampleRng, language: str) -> Item:
    """Make a sample: a row of cells; the text defines what lies beyond its ends."""
    patterns = [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    values = rng.shuffled([0, 0, 0, 1, 1, 1, rng.whole(0, 1), rng.whole(0, 1)])
    table = dict(zip(patterns, values, strict=True))
    edge, name = rng.whole(0, 1), rng.pick(("evolve", "advance", "next_rows"))
    solution = (
        f"RULE = {table}\n\n\ndef {name}(cells, steps):\n    for _ in range(steps):\n"
        f"        row = [{edge}, *cells, {edge}]\n"
        "        cells = [RULE[tuple(row[k : k + 3])] for k in range(len(cells))]\n    return list(cells)\n"
    )

    def reference(cells: list[int], steps: int) -> list[int]:
        for _ in range(steps):
            near = [(cells[k - 1] if k else edge, cell, cells[k + 1] if k + 1 < len(cells) else edge)
                    for k, cell in enumerate(cells)]  # fmt: skip
            cells = [table[pattern] for pattern in near]
        return cells

    tests = draw_tests(rng, reference, lambda: [[rng.whole(0, 1) for _ in range(rng.whole(5, 11))], rng.whole(1, 3)])
    return program_item(
        rng,
        language,
        tests=tests,
        instruction=fill_wording(rng, _TEXTS["automaton"], language, edge=edge),
        signature=f"{name}(cells, steps)",
        solution=solution,
        pictures=(_rule_picture(rng, table),),
    )


SCENES: Scenes = {
    "l1": (formula, flows.branch, alphabet),
    "l2": (constants, fees),
    "l3": (flows.loop, automaton),
}


def make(rng: SampleRng, level: str, language: str) -> Item:
    """Make a sample of this kind at a level."""
    if level == "l4":
        return figures.make(rng, language)
    return rng.balanced_choice("scene", SCENES[level])(rng, language)
