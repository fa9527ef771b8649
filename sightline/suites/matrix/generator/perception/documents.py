"""Pictures of texts: signs, plates, screens and labels; forms, type plates and tables."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from PIL import Image

from sightline.suites.matrix.generator.canvas import (
    BACKGROUNDS,
    FACES,
    Box,
    Canvas,
    Colour,
    TextStyle,
    add_noise,
    blur,
    encode_png,
    text_width,
)
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import load_texts, random_code, random_name, random_word

_TEXTS = load_texts(__name__)

_AMOUNT = {"en": "Amount", "zh": "金额"}


SIGN_KINDS = ("sign", "plate", "screen", "sticker", "tape", "dial")
_WALLS = ("#d9d4c8", "#c8d0d6", "#e6e2da", "#b9c4b4", "#ddd6e0")


def draw_sign(rng: SampleRng, kind: str, text: str) -> Canvas:
    """A thing with one line on it."""
    canvas = Canvas(rng.pick((520, 600)), rng.pick((260, 340)), rng.pick(_WALLS))
    face = "mono" if kind == "screen" else rng.pick(FACES)
    wide = canvas.width * rng.between(0.62, 0.84)
    size = rng.whole(24, 40)
    while text_width(text, face, size) > wide * 0.88:
        size -= 1
    high = size * rng.between(2.0, 3.0)
    left = rng.between(16, canvas.width - wide - 16)
    top = rng.between(24, canvas.height - high - 30)
    box = (left, top, left + wide, top + high)
    colour = _PAINTERS[kind](rng, canvas, box)
    middle = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
    canvas.text(middle, text, TextStyle(size=size, colour=colour, face=face))
    return canvas


def _paint_sign(rng: SampleRng, canvas: Canvas, box: Box) -> str:
    ground, ink = rng.pick(
        (("#1d5aa6", "#ffffff"), ("#1f7a3d", "#ffffff"), ("#f3c515", "#1a1a1a"), ("#ffffff", "#222222"))
    )
    for x in (box[0] + 30, box[2] - 30):
        canvas.rectangle((x - 5, box[3], x + 5, canvas.height), "#7c7c7c")
    canvas.rounded(box, 10, ground, ink, 3)
    return ink


def _paint_plate(rng: SampleRng, canvas: Canvas, box: Box) -> str:
    canvas.rounded(box, 6, rng.pick(("#b8bcc0", "#c9b98a", "#a9b3b8")), "#6d7174", 2)
    for x in (box[0] + 12, box[2] - 12):
        for y in (box[1] + 12, box[3] - 12):
            canvas.disc((x, y), 5, "#e3e5e6", "#6d7174", 1.2)
            canvas.line([(x - 3, y + 3), (x + 3, y - 3)], "#6d7174", 1.2)
    return "#33383b"


def _paint_screen(rng: SampleRng, canvas: Canvas, box: Box) -> str:
    left, top, right, bottom = box
    canvas.rounded((left - 10, top - 10, right + 10, bottom + 10), 10, "#3a3d40", "#202224", 2)
    ground, ink = rng.pick(
        (("#0c1a10", "#46e06d"), ("#101522", "#6bc7ff"), ("#9fb08a", "#1d2616"), ("#1e0f08", "#ff9a3c"))
    )
    canvas.rectangle(box, ground)
    return ink


def _paint_sticker(rng: SampleRng, canvas: Canvas, box: Box) -> str:
    canvas.rounded(box, 18, rng.pick(BACKGROUNDS), "#999999", 1.5)
    ink = rng.pick(("#a01f2a", "#1d3f8a", "#1e6b35", "#222222"))
    canvas.rectangle((box[0] + 14, box[1] + 6, box[2] - 14, box[1] + 10), ink)
    canvas.rectangle((box[0] + 14, box[3] - 10, box[2] - 14, box[3] - 6), ink)
    return ink


def _paint_tape(rng: SampleRng, canvas: Canvas, box: Box) -> str:
    colour = rng.pick(("#111111", "#8c1c1c", "#173a7a"))
    canvas.rectangle((0, box[1], canvas.width, box[3]), colour)
    return "#f2f2f2"


def _paint_dial(rng: SampleRng, canvas: Canvas, box: Box) -> str:
    """The rim of an instrument behind its name plate."""
    middle = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
    radius = (box[2] - box[0]) / 2
    canvas.disc(middle, radius + 12, "#50555a")
    canvas.disc(middle, radius + 2, "#f5f3ec")
    for k in range(0, 360, 12):
        canvas.sector(middle, radius - 2, k - 0.5, k + 0.5, "#333333")
    canvas.disc(middle, radius - rng.pick((10, 14)), "#f5f3ec")
    canvas.rectangle((box[0] + 8, box[1], box[2] - 8, box[3]), "#f5f3ec")
    return "#2b2b2b"


_PAINTERS = {
    "sign": _paint_sign,
    "plate": _paint_plate,
    "screen": _paint_screen,
    "sticker": _paint_sticker,
    "tape": _paint_tape,
    "dial": _paint_dial,
}


def draw_labels(rng: SampleRng, texts: Sequence[str], colours: Sequence[Colour]) -> Canvas:
    """Four labels with coloured rims: upper left, upper right, lower left, lower right."""
    canvas = Canvas(720, 400, rng.pick(_WALLS))
    for k, (text, colour) in enumerate(zip(texts, colours, strict=True)):
        left = 14 + (k % 2) * 356 + rng.between(0, 14)
        top = 30 + (k // 2) * 190 + rng.between(0, 50)
        box = (left, top, left + 322, top + rng.between(74, 96))
        face, size = rng.pick(FACES), rng.whole(20, 26)
        while text_width(text, face, size) > 296:
            size -= 1
        canvas.rounded(box, rng.pick((4, 16)), "#fdfdfb", rng.pick(colour.shades), 6)
        canvas.text(((box[0] + box[2]) / 2, (box[1] + box[3]) / 2), text, TextStyle(size=size, face=face))
    return canvas


def photograph(rng: SampleRng, canvas: Canvas, rough: float) -> bytes:
    """Simulate a photograph: perspective, blur and noise."""
    picture = canvas.image()
    ground = picture.getpixel((1, 1))
    tilt = rng.pick((0.0, 1.0, 1.0)) * rng.between(-6, 6) * rough
    if tilt:
        picture = picture.rotate(tilt, Image.Resampling.BICUBIC, expand=True, fillcolor=ground)
    if rng.chance(0.5):
        picture = blur(picture, rng.between(0.3, 0.7) * rough)
    grain = rng.pick((0.0, 3.0, 6.0, 10.0)) * rough
    return encode_png(add_noise(picture, rng, grain) if grain else picture)


class Form(Struct, frozen=True, kw_only=True):
    """A page with named entries."""

    title: str
    fields: dict[str, str]


class TableDocument(Struct, frozen=True, kw_only=True):
    """A page with rows of entries."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    amount_head: str
    amounts: tuple[float, ...]


def _random_entry(rng: SampleRng, sort: str, language: str) -> str:
    match sort:
        case "name":
            return random_name(rng, language)
        case "code":
            return random_code(rng)
        case "word":
            return random_word(rng, language) + ("" if language == "zh" else f" {rng.whole(11, 98)}")
    return random_word(rng, language) + ("" if language == "zh" else " ") + random_word(rng, language)


def random_form(rng: SampleRng, language: str) -> Form:
    """Seven to ten entries."""
    sorts = _TEXTS["form_fields"][language]
    fields = rng.some(list(sorts), rng.whole(7, 10))
    return Form(
        title=rng.pick(_TEXTS["titles"][language]),
        fields={field: _random_entry(rng, sorts[field], language) for field in fields},
    )


def random_table(rng: SampleRng, language: str) -> TableDocument:
    """Five to seven rows, no two amounts alike."""
    heads = rng.some(_TEXTS["ledger_heads"][language], 3)
    count = rng.whole(5, 7)
    amounts = rng.some(range(1150, 98000, 7), count)
    return TableDocument(
        heads=tuple(head for head, _ in heads),
        rows=tuple(tuple(_random_entry(rng, sort, language) for _, sort in heads) for _ in range(count)),
        amount_head=_AMOUNT[language],
        amounts=tuple(amount / 100 for amount in amounts),
    )


def draw_form(rng: SampleRng, form: Form) -> Canvas:
    """The form in one of three layouts."""
    return rng.balanced_choice("layout", (_draw_boxed_form, _draw_ruled_form, _draw_type_plate))(rng, form)


def _draw_boxed_form(rng: SampleRng, form: Form) -> Canvas:
    """Two columns of boxes with small captions."""
    face, size = rng.pick(FACES), rng.whole(15, 18)
    rows = -(-len(form.fields) // 2)
    canvas = Canvas(640, 76 + rows * 62, rng.pick(BACKGROUNDS))
    canvas.text((20, 32), form.title, TextStyle(size=22, face="bold", anchor="lm"))
    for k, (field, value) in enumerate(form.fields.items()):
        left, top = 18 + (k % 2) * 306, 60 + (k // 2) * 62
        canvas.rectangle((left, top, left + 298, top + 56), None, "#777777", 1.2)
        canvas.text((left + 8, top + 13), field, TextStyle(size=12, colour="#555555", anchor="lm"))
        canvas.text((left + 10, top + 38), value, TextStyle(size=size, face=face, anchor="lm"))
    return canvas


def _draw_ruled_form(rng: SampleRng, form: Form) -> Canvas:
    """One column, entries on lines, as on a slip."""
    face, size = rng.pick(FACES), rng.whole(14, 17)
    canvas = Canvas(430, 90 + len(form.fields) * 36, rng.pick(BACKGROUNDS))
    canvas.text((215, 32), form.title, TextStyle(size=20, face=face))
    canvas.line([(16, 54), (414, 54)], "#444444", 1.5, (6.0, 4.0))
    for k, (field, value) in enumerate(form.fields.items()):
        y = 80 + k * 36
        canvas.text((18, y), field + ":", TextStyle(size=14, colour="#444444", anchor="lm"))
        canvas.text((408, y), value, TextStyle(size=size, face=face, anchor="rm"))
        canvas.line([(16, y + 15), (414, y + 15)], "#bbbbbb", 1)
    return canvas


def _draw_type_plate(rng: SampleRng, form: Form) -> Canvas:
    """A type plate of metal."""
    ground = rng.pick(("#b9bec2", "#c4b78c", "#2f3439"))
    ink = "#f0f0ea" if ground == "#2f3439" else "#25292c"
    rows = -(-len(form.fields) // 2)
    canvas = Canvas(680, 110 + rows * 40, "#8d9499")
    right, bottom = canvas.width - 14, canvas.height - 14
    canvas.rounded((14, 14, right, bottom), 10, ground, ink, 2)
    for x in (28, right - 14):
        for y in (28, bottom - 14):
            canvas.disc((x, y), 6, "#dfe2e4", "#5c6266", 1.5)
    canvas.text((340, 40), form.title, TextStyle(size=20, colour=ink, face="bold"))
    for k, (field, value) in enumerate(form.fields.items()):
        x, y = 34 + (k % 2) * 312, 84 + (k // 2) * 40
        canvas.text((x, y), field, TextStyle(size=13, colour=ink, anchor="lm"))
        canvas.text(
            (x + 104, y), value, TextStyle(size=_fitting_size(value, "mono", 196), colour=ink, face="mono", anchor="lm")
        )
        canvas.rectangle((x + 98, y - 15, x + 304, y + 15), None, ink, 1)
    return canvas


def draw_table(rng: SampleRng, table: TableDocument) -> Canvas:
    """A table with an amount at the right."""
    face = rng.pick(FACES)
    widths = [180] * len(table.heads) + [100]
    canvas = Canvas(sum(widths) + 40, 70 + 38 * len(table.rows), rng.pick(BACKGROUNDS))
    striped = rng.chance()
    right, x = 20 + sum(widths), 20
    canvas.rectangle((20, 16, right, 50), rng.pick(("#34495e", "#5a4a3a", "#2f5d50")))
    for k in range(len(table.rows)):
        top = 50 + 38 * k
        if striped and k % 2:
            canvas.rectangle((20, top, right, top + 38), "#e3e8ec")
        canvas.line([(20, top + 38), (right, top + 38)], "#b5bcc2", 1)
    columns = [*zip(*table.rows, strict=True), tuple(f"{amount:.2f}" for amount in table.amounts)]
    for head, cells, width in zip((*table.heads, table.amount_head), columns, widths, strict=True):
        canvas.text((x + 8, 33), head, TextStyle(size=15, colour="#ffffff", face="bold", anchor="lm"))
        for k, cell in enumerate(cells):
            canvas.text(
                (x + 8, 69 + 38 * k),
                cell,
                TextStyle(size=_fitting_size(cell, face, width - 16), face=face, anchor="lm"),
            )
        x += width
    return canvas


def _fitting_size(text: str, face: str, width: float) -> int:
    """The largest size up to 16 at which a text fits."""
    return next((size for size in range(16, 9, -1) if text_width(text, face, size) <= width), 9)
