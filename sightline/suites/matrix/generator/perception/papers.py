"""Pages with many entries: forms, plates and ledgers."""

from __future__ import annotations

from msgspec import Struct

from sightline.suites.matrix.generator.dice import Dice
from sightline.suites.matrix.generator.lettering import code, name, word
from sightline.suites.matrix.generator.palette import PAPERS
from sightline.suites.matrix.generator.perception.text_words import AMOUNT, FORM_FIELDS, LEDGER_HEADS, TITLES
from sightline.suites.matrix.generator.sheet import Ink, Sheet
from sightline.suites.matrix.generator.typefaces import FACES, width_of


class Form(Struct, frozen=True, kw_only=True):
    """A page with named entries."""

    title: str
    fields: dict[str, str]


class Ledger(Struct, frozen=True, kw_only=True):
    """A page with rows of entries."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    amount_head: str
    amounts: tuple[float, ...]


def _entry(dice: Dice, sort: str, language: str) -> str:
    match sort:
        case "name":
            return name(dice, language)
        case "code":
            return code(dice)
        case "word":
            return word(dice, language) + ("" if language == "zh" else f" {dice.whole(11, 98)}")
    return word(dice, language) + ("" if language == "zh" else " ") + word(dice, language)


def a_form(dice: Dice, language: str) -> Form:
    """Seven to ten entries."""
    sorts = FORM_FIELDS[language]
    fields = dice.some(list(sorts), dice.whole(7, 10))
    return Form(
        title=dice.pick(TITLES[language]), fields={field: _entry(dice, sorts[field], language) for field in fields}
    )


def a_ledger(dice: Dice, language: str) -> Ledger:
    """Five to seven rows, no two amounts alike."""
    heads = dice.some(LEDGER_HEADS[language], 3)
    count = dice.whole(5, 7)
    amounts = dice.some(range(1150, 98000, 7), count)
    return Ledger(
        heads=tuple(head for head, _ in heads),
        rows=tuple(tuple(_entry(dice, sort, language) for _, sort in heads) for _ in range(count)),
        amount_head=AMOUNT[language],
        amounts=tuple(amount / 100 for amount in amounts),
    )


def form_picture(dice: Dice, form: Form) -> Sheet:
    """The form in one of three layouts."""
    return dice.turn("layout", (_boxed, _ruled, _plate))(dice, form)


def _boxed(dice: Dice, form: Form) -> Sheet:
    """Two columns of boxes with small captions."""
    face, size = dice.pick(FACES), dice.whole(15, 18)
    rows = -(-len(form.fields) // 2)
    sheet = Sheet(640, 76 + rows * 62, dice.pick(PAPERS))
    sheet.text((20, 32), form.title, Ink(size=22, face="bold", anchor="lm"))
    for k, (field, value) in enumerate(form.fields.items()):
        left, top = 18 + (k % 2) * 306, 60 + (k // 2) * 62
        sheet.rectangle((left, top, left + 298, top + 56), None, "#777777", 1.2)
        sheet.text((left + 8, top + 13), field, Ink(size=12, colour="#555555", anchor="lm"))
        sheet.text((left + 10, top + 38), value, Ink(size=size, face=face, anchor="lm"))
    return sheet


def _ruled(dice: Dice, form: Form) -> Sheet:
    """One column, entries on lines, as on a slip."""
    face, size = dice.pick(FACES), dice.whole(14, 17)
    sheet = Sheet(430, 90 + len(form.fields) * 36, dice.pick(PAPERS))
    sheet.text((215, 32), form.title, Ink(size=20, face=face))
    sheet.line([(16, 54), (414, 54)], "#444444", 1.5, (6.0, 4.0))
    for k, (field, value) in enumerate(form.fields.items()):
        y = 80 + k * 36
        sheet.text((18, y), field + ":", Ink(size=14, colour="#444444", anchor="lm"))
        sheet.text((408, y), value, Ink(size=size, face=face, anchor="rm"))
        sheet.line([(16, y + 15), (414, y + 15)], "#bbbbbb", 1)
    return sheet


def _plate(dice: Dice, form: Form) -> Sheet:
    """A type plate of metal."""
    ground = dice.pick(("#b9bec2", "#c4b78c", "#2f3439"))
    ink = "#f0f0ea" if ground == "#2f3439" else "#25292c"
    rows = -(-len(form.fields) // 2)
    sheet = Sheet(680, 110 + rows * 40, "#8d9499")
    right, bottom = sheet.width - 14, sheet.height - 14
    sheet.rounded((14, 14, right, bottom), 10, ground, ink, 2)
    for x in (28, right - 14):
        for y in (28, bottom - 14):
            sheet.disc((x, y), 6, "#dfe2e4", "#5c6266", 1.5)
    sheet.text((340, 40), form.title, Ink(size=20, colour=ink, face="bold"))
    for k, (field, value) in enumerate(form.fields.items()):
        x, y = 34 + (k % 2) * 312, 84 + (k // 2) * 40
        sheet.text((x, y), field, Ink(size=13, colour=ink, anchor="lm"))
        sheet.text((x + 104, y), value, Ink(size=_fit(value, "mono", 196), colour=ink, face="mono", anchor="lm"))
        sheet.rectangle((x + 98, y - 15, x + 304, y + 15), None, ink, 1)
    return sheet


def ledger_picture(dice: Dice, ledger: Ledger) -> Sheet:
    """A table with an amount at the right."""
    face = dice.pick(FACES)
    widths = [180] * len(ledger.heads) + [100]
    sheet = Sheet(sum(widths) + 40, 70 + 38 * len(ledger.rows), dice.pick(PAPERS))
    striped = dice.chance()
    right, x = 20 + sum(widths), 20
    sheet.rectangle((20, 16, right, 50), dice.pick(("#34495e", "#5a4a3a", "#2f5d50")))
    for k in range(len(ledger.rows)):
        top = 50 + 38 * k
        if striped and k % 2:
            sheet.rectangle((20, top, right, top + 38), "#e3e8ec")
        sheet.line([(20, top + 38), (right, top + 38)], "#b5bcc2", 1)
    columns = [*zip(*ledger.rows, strict=True), tuple(f"{amount:.2f}" for amount in ledger.amounts)]
    for head, cells, width in zip((*ledger.heads, ledger.amount_head), columns, widths, strict=True):
        sheet.text((x + 8, 33), head, Ink(size=15, colour="#ffffff", face="bold", anchor="lm"))
        for k, cell in enumerate(cells):
            sheet.text((x + 8, 69 + 38 * k), cell, Ink(size=_fit(cell, face, width - 16), face=face, anchor="lm"))
        x += width
    return sheet


def _fit(text: str, face: str, width: float) -> int:
    """The largest size up to 16 at which a text fits."""
    return next((size for size in range(16, 9, -1) if width_of(text, face, size) <= width), 9)
