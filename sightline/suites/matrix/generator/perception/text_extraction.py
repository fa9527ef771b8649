"""What is written: one line, two lines, a named field, several fields in an asked order."""

from __future__ import annotations

from collections.abc import Sequence

from sightline.suites.matrix.generator.dice import Dice
from sightline.suites.matrix.generator.frame import Item
from sightline.suites.matrix.generator.lettering import line
from sightline.suites.matrix.generator.palette import CLEAR
from sightline.suites.matrix.generator.perception.boards import BOARDS, board, label_sheet, photographed
from sightline.suites.matrix.generator.perception.papers import (
    Form,
    Ledger,
    a_form,
    a_ledger,
    form_picture,
    ledger_picture,
)
from sightline.suites.matrix.generator.perception.text_words import (
    COLOURED,
    FIELD,
    FIELDS,
    LABEL,
    LEDGER,
    LEDGER_FIELDS,
    ONE,
    PLACED,
    PLACES,
    ROW_STEPS,
    TWO_PICTURES,
)
from sightline.suites.matrix.generator.wording import listed, say

_JOINS = (" / ", "; ")


def make(dice: Dice, level: str, language: str) -> Item:
    """A sample."""
    return {"l1": _one, "l2": _two, "l3": _field, "l4": _fields}[level](dice, language)


def _item(question: str, text: str, *pictures: bytes) -> Item:
    return Item(question=question, ground_truth=text, metric="anls", pictures=pictures, metadata={"auxiliary": ["cer"]})


def _one(dice: Dice, language: str) -> Item:
    kind = dice.turn("board", BOARDS)
    text = line(dice, language)
    return _item(say(dice, ONE, language), text, photographed(dice, board(dice, kind, text), 1.0))


def _two(dice: Dice, language: str) -> Item:
    way = dice.turn("way", ("pictures", "colours", "places"))
    if way == "pictures":
        texts = [line(dice, language) for _ in range(2)]
        pictures = [photographed(dice, board(dice, dice.pick(BOARDS), text), 1.3) for text in texts]
        return _item(say(dice, TWO_PICTURES, language), " ".join(texts), *pictures)
    colours = dice.some(CLEAR, 4)
    texts = [line(dice, language) for _ in colours]
    picture = photographed(dice, label_sheet(dice, texts, colours), 0.8)
    first, second = dice.some(range(4), 2)
    if way == "colours":
        names = [
            LABEL[language].format(colour=colours[k].zh if language == "zh" else colours[k].name)
            for k in (first, second)
        ]
        asked = say(dice, COLOURED, language, first=names[0], second=names[1])
    else:
        asked = say(dice, PLACED, language, first=PLACES[language][first], second=PLACES[language][second])
    return _item(asked, f"{texts[first]} {texts[second]}", picture)


def _field(dice: Dice, language: str) -> Item:
    if dice.turn("paper", ("form", "form", "ledger")) == "ledger":
        ledger = a_ledger(dice, language)
        row = dice.whole(0, len(ledger.rows) - 1)
        known, wanted = dice.some(range(len(ledger.heads)), 2)
        asked = say(
            dice,
            LEDGER,
            language,
            known=ledger.heads[known],
            value=ledger.rows[row][known],
            wanted=ledger.heads[wanted],
        )
        return _item(asked, ledger.rows[row][wanted], photographed(dice, ledger_picture(dice, ledger), 0.8))
    form = a_form(dice, language)
    wanted_field, value = dice.pick(list(form.fields.items()))
    asked = say(dice, FIELD, language, field=wanted_field)
    return _item(asked, value, photographed(dice, form_picture(dice, form), 0.8))


def _fields(dice: Dice, language: str) -> Item:
    join = dice.pick(_JOINS)
    if dice.turn("paper", ("form", "ledger")) == "form":
        return _form_fields(dice, language, a_form(dice, language), join)
    return _ledger_fields(dice, language, a_ledger(dice, language), join)


def _form_fields(dice: Dice, language: str, form: Form, join: str) -> Item:
    names = dice.some(list(form.fields), dice.whole(3, 4))
    order = _quoted(names, language)
    asked = say(dice, FIELDS, language, fields=order, join=join)
    text = join.join(form.fields[field] for field in names)
    return _item(asked, text, photographed(dice, form_picture(dice, form), 1.0))


def _ledger_fields(dice: Dice, language: str, ledger: Ledger, join: str) -> Item:
    """The row with the largest or smallest amount, then another one beside it."""
    largest = dice.chance()
    amounts = ledger.amounts
    row = amounts.index(max(amounts) if largest else min(amounts))
    step = 1 if row == 0 else -1 if row == len(amounts) - 1 else dice.pick((1, -1))
    heads = dice.some(ledger.heads, 2)
    words = ROW_STEPS[language]
    asked = say(
        dice,
        LEDGER_FIELDS,
        language,
        which=words["largest" if largest else "smallest"],
        amount=ledger.amount_head,
        first=heads[0],
        second=heads[1],
        beside=words["below" if step > 0 else "above"],
        join=join,
    )
    cells = (row, heads[0]), (row, heads[1]), (row + step, heads[0])
    text = join.join(ledger.rows[at][ledger.heads.index(head)] for at, head in cells)
    return _item(asked, text, photographed(dice, ledger_picture(dice, ledger), 0.8))


def _quoted(names: Sequence[str], language: str) -> str:
    marks = "“{}”" if language == "zh" else '"{}"'
    then = "，然后" if language == "zh" else " and then "
    return listed([marks.format(field) for field in names], language, then)
