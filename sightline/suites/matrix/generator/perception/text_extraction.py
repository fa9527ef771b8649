"""What is written: one line, two lines, a named field, several fields in an asked order."""

from __future__ import annotations

from collections.abc import Sequence

from sightline.suites.matrix.generator.canvas import DISTINCT_COLOURS
from sightline.suites.matrix.generator.item import Item
from sightline.suites.matrix.generator.perception.documents import (
    SIGN_KINDS,
    Form,
    TableDocument,
    draw_form,
    draw_labels,
    draw_sign,
    draw_table,
    photograph,
    random_form,
    random_table,
)
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import fill_wording, join_words, load_texts, random_line

_TEXTS = load_texts(__name__)

_LABEL = {"en": "the {colour} label", "zh": "{colour}标签"}


_JOINS = (" / ", "; ")


def make(rng: SampleRng, level: str, language: str) -> Item:
    """Make a sample of this kind at a level."""
    return {"l1": _single_line, "l2": _two_lines, "l3": _named_field, "l4": _several_fields}[level](rng, language)


def _make_item(question: str, text: str, *pictures: bytes) -> Item:
    return Item(question=question, ground_truth=text, metric="anls", pictures=pictures, metadata={"auxiliary": ["cer"]})


def _single_line(rng: SampleRng, language: str) -> Item:
    kind = rng.balanced_choice("board", SIGN_KINDS)
    text = random_line(rng, language)
    question = fill_wording(rng, _TEXTS["one"], language)
    return _make_item(question, text, photograph(rng, draw_sign(rng, kind, text), 1.0))


def _two_lines(rng: SampleRng, language: str) -> Item:
    way = rng.balanced_choice("way", ("pictures", "colours", "places"))
    if way == "pictures":
        texts = [random_line(rng, language) for _ in range(2)]
        pictures = [photograph(rng, draw_sign(rng, rng.pick(SIGN_KINDS), text), 1.3) for text in texts]
        return _make_item(fill_wording(rng, _TEXTS["two_pictures"], language), " ".join(texts), *pictures)
    colours = rng.some(DISTINCT_COLOURS, 4)
    texts = [random_line(rng, language) for _ in colours]
    picture = photograph(rng, draw_labels(rng, texts, colours), 0.8)
    first, second = rng.some(range(4), 2)
    if way == "colours":
        names = [_LABEL[language].format(colour=colour.name_in(language)) for colour in colours]
    else:
        names = _TEXTS["places"][language]
    wordings = _TEXTS["coloured" if way == "colours" else "placed"]
    question = fill_wording(rng, wordings, language, first=names[first], second=names[second])
    return _make_item(question, f"{texts[first]} {texts[second]}", picture)


def _named_field(rng: SampleRng, language: str) -> Item:
    if rng.balanced_choice("paper", ("form", "form", "ledger")) == "ledger":
        table = random_table(rng, language)
        row = rng.whole(0, len(table.rows) - 1)
        known, wanted = rng.some(range(len(table.heads)), 2)
        names = {"known": table.heads[known], "value": table.rows[row][known], "wanted": table.heads[wanted]}
        question = fill_wording(rng, _TEXTS["ledger"], language, **names)
        return _make_item(question, table.rows[row][wanted], photograph(rng, draw_table(rng, table), 0.8))
    form = random_form(rng, language)
    wanted_field, value = rng.pick(list(form.fields.items()))
    question = fill_wording(rng, _TEXTS["field"], language, field=wanted_field)
    return _make_item(question, value, photograph(rng, draw_form(rng, form), 0.8))


def _several_fields(rng: SampleRng, language: str) -> Item:
    join = rng.pick(_JOINS)
    if rng.balanced_choice("paper", ("form", "ledger")) == "form":
        return _form_fields(rng, language, random_form(rng, language), join)
    return _table_fields(rng, language, random_table(rng, language), join)


def _form_fields(rng: SampleRng, language: str, form: Form, join: str) -> Item:
    names = rng.some(list(form.fields), rng.whole(3, 4))
    order = _quoted(names, language)
    question = fill_wording(rng, _TEXTS["fields"], language, fields=order, join=join)
    text = join.join(form.fields[field] for field in names)
    return _make_item(question, text, photograph(rng, draw_form(rng, form), 1.0))


def _table_fields(rng: SampleRng, language: str, table: TableDocument, join: str) -> Item:
    """Make a sample: the row with the largest or smallest amount, then another one beside it."""
    largest = rng.chance()
    amounts = table.amounts
    row = amounts.index(max(amounts) if largest else min(amounts))
    step = 1 if row == 0 else -1 if row == len(amounts) - 1 else rng.pick((1, -1))
    heads = rng.some(table.heads, 2)
    words = _TEXTS["row_steps"][language]
    facts = {"which": words["largest" if largest else "smallest"], "beside": words["below" if step > 0 else "above"]}
    facts |= {"amount": table.amount_head, "first": heads[0], "second": heads[1], "join": join}
    question = fill_wording(rng, _TEXTS["ledger_fields"], language, **facts)
    cells = (row, heads[0]), (row, heads[1]), (row + step, heads[0])
    text = join.join(table.rows[at][table.heads.index(head)] for at, head in cells)
    return _make_item(question, text, photograph(rng, draw_table(rng, table), 0.8))


def _quoted(names: Sequence[str], language: str) -> str:
    marks = "“{}”" if language == "zh" else '"{}"'
    then = "，然后" if language == "zh" else " and then "
    return join_words([marks.format(field) for field in names], language, then)
