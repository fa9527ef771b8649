"""Formulas on a sheet."""

from __future__ import annotations

from sightline.suites.matrix.generator.action.programs import Program, draw_tests
from sightline.suites.matrix.generator.reasoning.drawing import draw_table_picture, new_canvas, random_style
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import fill_wording

NAMES = ("compute", "value", "evaluate", "result", "calc")
_FORMULA = {
    "en": (
        "The picture is a formula sheet that defines {letter}(a, b) for whole numbers.",
        "Look at the definition of {letter}(a, b) in the picture; a and b are whole numbers.",
    ),
    "zh": ("图中的公式定义了整数 a、b 的函数 {letter}(a, b)。", "请看图中 {letter}(a, b) 的定义，其中 a 和 b 是整数。"),
}
_CONSTANTS = {
    "en": (
        "The first picture defines {letter}(a, b) for whole numbers a and b, the second gives the constants.",
        "A formula for {letter}(a, b) is in the first picture; the values of its constants are in the second one.",
    ),
    "zh": (
        "第一幅图定义了整数 a、b 的函数 {letter}(a, b)，第二幅图给出其中的常数。",
        "第一幅图是 {letter}(a, b) 的公式，常数的值在第二幅图中。",
    ),
}

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


def _random_program(rng: SampleRng, language: str, hidden: bool) -> Program:
    """Two cases; the constants are written in the formula or, hidden, in a table of their own."""
    letter, name = rng.pick("fghFG"), rng.pick(NAMES)
    constants = dict(zip("pqrs", rng.some(range(2, 20), 4), strict=True))
    limit = rng.whole(-6, 8)
    big, small = rng.pick(_BIG), rng.pick(_SMALL)
    shown = {key: (f"{key}·" if hidden else str(value)) for key, value in constants.items()}
    alone = {key: (key if hidden else str(value)) for key, value in constants.items()}
    otherwise = "否则" if language == "zh" else "otherwise"
    edge = "+ t" if hidden else f"+ {limit}" if limit >= 0 else f"− {-limit}"
    when = f"a > b {edge}"
    rows = [(_format_term(big[0], shown, alone), f"{'若' if language == 'zh' else 'if'} {when}"),
            (_format_term(small[0], shown, alone), otherwise)]  # fmt: skip
    code = [terms[1].format(**constants) for terms in (big, small)]
    solution = f"def {name}(a, b):\n    if a > b + ({limit}):\n        return {code[0]}\n    return {code[1]}\n"

    def reference(a: int, b: int) -> int:
        return _evaluate(big if a > b + limit else small, constants, a, b)

    arguments, results = draw_tests(rng, reference, lambda: [rng.whole(-12, 15), rng.whole(-12, 15)])
    pictures: tuple[bytes, ...] = (_draw_cases(rng, letter, rows),)
    if hidden:
        head = ("常数", "值") if language == "zh" else ("constant", "value")
        values = [(key, str(value)) for key, value in {**constants, "t": limit}.items()]
        pictures = (*pictures, draw_table_picture(rng, [head, *rng.shuffled(values)]))
    return Program(
        instruction=fill_wording(rng, _CONSTANTS if hidden else _FORMULA, language, letter=letter),
        function=name,
        signature=f"{name}(a, b)",
        arguments=arguments,
        results=results,
        solution=solution,
        pictures=pictures,
    )


def _format_term(term: str, shown: dict[str, str], alone: dict[str, str]) -> str:
    """A constant before a letter or bracket is a factor: with a dot where it is a letter itself."""
    for key in shown:
        place = term.find(f"{{{key}}}")
        if place >= 0:
            after = term[place + 3 : place + 4]
            term = term.replace(f"{{{key}}}", shown[key] if after in ("a", "b", "(") else alone[key])
    return term


def _evaluate(terms: Terms, constants: dict[str, int], a: int, b: int) -> int:
    """The value of one of the terms, by its place in the tables."""
    p, q, r, s = (constants[key] for key in "pqrs")
    values = (p * a + q * b, p * a**2 - b, a * b + p, p * (a - b) + q, r * b - a, s - a * b, b**2 + r, r * (a + b))
    return values[(*_BIG, *_SMALL).index(terms)]


def formula(rng: SampleRng, language: str) -> Program:
    """All in one picture."""
    return _random_program(rng, language, hidden=False)


def constants(rng: SampleRng, language: str) -> Program:
    """The constants in a second picture."""
    return _random_program(rng, language, hidden=True)
