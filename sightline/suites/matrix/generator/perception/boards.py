"""Single lines of text on signs, plates, screens and labels."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image

from sightline.suites.matrix.generator.dice import Dice
from sightline.suites.matrix.generator.palette import PAPERS, Colour
from sightline.suites.matrix.generator.sheet import Box, Ink, Sheet, blurred, noisy, png
from sightline.suites.matrix.generator.typefaces import FACES, width_of

BOARDS = ("sign", "plate", "screen", "sticker", "tape", "dial")
_WALLS = ("#d9d4c8", "#c8d0d6", "#e6e2da", "#b9c4b4", "#ddd6e0")


def board(dice: Dice, kind: str, text: str) -> Sheet:
    """A thing with one line on it."""
    sheet = Sheet(dice.pick((520, 600)), dice.pick((260, 340)), dice.pick(_WALLS))
    face = "mono" if kind == "screen" else dice.pick(FACES)
    wide = sheet.width * dice.between(0.62, 0.84)
    size = dice.whole(24, 40)
    while width_of(text, face, size) > wide * 0.88:
        size -= 1
    high = size * dice.between(2.0, 3.0)
    left = dice.between(16, sheet.width - wide - 16)
    top = dice.between(24, sheet.height - high - 30)
    box = (left, top, left + wide, top + high)
    colour = _DRAWN[kind](dice, sheet, box)
    middle = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
    sheet.text(middle, text, Ink(size=size, colour=colour, face=face))
    return sheet


def _sign(dice: Dice, sheet: Sheet, box: Box) -> str:
    ground, ink = dice.pick(
        (("#1d5aa6", "#ffffff"), ("#1f7a3d", "#ffffff"), ("#f3c515", "#1a1a1a"), ("#ffffff", "#222222"))
    )
    for x in (box[0] + 30, box[2] - 30):
        sheet.rectangle((x - 5, box[3], x + 5, sheet.height), "#7c7c7c")
    sheet.rounded(box, 10, ground, ink, 3)
    return ink


def _plate(dice: Dice, sheet: Sheet, box: Box) -> str:
    sheet.rounded(box, 6, dice.pick(("#b8bcc0", "#c9b98a", "#a9b3b8")), "#6d7174", 2)
    for x in (box[0] + 12, box[2] - 12):
        for y in (box[1] + 12, box[3] - 12):
            sheet.disc((x, y), 5, "#e3e5e6", "#6d7174", 1.2)
            sheet.line([(x - 3, y + 3), (x + 3, y - 3)], "#6d7174", 1.2)
    return "#33383b"


def _screen(dice: Dice, sheet: Sheet, box: Box) -> str:
    left, top, right, bottom = box
    sheet.rounded((left - 10, top - 10, right + 10, bottom + 10), 10, "#3a3d40", "#202224", 2)
    ground, ink = dice.pick(
        (("#0c1a10", "#46e06d"), ("#101522", "#6bc7ff"), ("#9fb08a", "#1d2616"), ("#1e0f08", "#ff9a3c"))
    )
    sheet.rectangle(box, ground)
    return ink


def _sticker(dice: Dice, sheet: Sheet, box: Box) -> str:
    sheet.rounded(box, 18, dice.pick(PAPERS), "#999999", 1.5)
    ink = dice.pick(("#a01f2a", "#1d3f8a", "#1e6b35", "#222222"))
    sheet.rectangle((box[0] + 14, box[1] + 6, box[2] - 14, box[1] + 10), ink)
    sheet.rectangle((box[0] + 14, box[3] - 10, box[2] - 14, box[3] - 6), ink)
    return ink


def _tape(dice: Dice, sheet: Sheet, box: Box) -> str:
    colour = dice.pick(("#111111", "#8c1c1c", "#173a7a"))
    sheet.rectangle((0, box[1], sheet.width, box[3]), colour)
    return "#f2f2f2"


def _dial(dice: Dice, sheet: Sheet, box: Box) -> str:
    """The rim of an instrument behind its name plate."""
    middle = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
    radius = (box[2] - box[0]) / 2
    sheet.disc(middle, radius + 12, "#50555a")
    sheet.disc(middle, radius + 2, "#f5f3ec")
    for k in range(0, 360, 12):
        sheet.sector(middle, radius - 2, k - 0.5, k + 0.5, "#333333")
    sheet.disc(middle, radius - dice.pick((10, 14)), "#f5f3ec")
    sheet.rectangle((box[0] + 8, box[1], box[2] - 8, box[3]), "#f5f3ec")
    return "#2b2b2b"


_DRAWN = {"sign": _sign, "plate": _plate, "screen": _screen, "sticker": _sticker, "tape": _tape, "dial": _dial}


def label_sheet(dice: Dice, texts: Sequence[str], colours: Sequence[Colour]) -> Sheet:
    """Four labels with coloured rims: upper left, upper right, lower left, lower right."""
    sheet = Sheet(720, 400, dice.pick(_WALLS))
    for k, (text, colour) in enumerate(zip(texts, colours, strict=True)):
        left = 14 + (k % 2) * 356 + dice.between(0, 14)
        top = 30 + (k // 2) * 190 + dice.between(0, 50)
        box = (left, top, left + 322, top + dice.between(74, 96))
        face, size = dice.pick(FACES), dice.whole(20, 26)
        while width_of(text, face, size) > 296:
            size -= 1
        sheet.rounded(box, dice.pick((4, 16)), "#fdfdfb", dice.pick(colour.shades), 6)
        sheet.text(((box[0] + box[2]) / 2, (box[1] + box[3]) / 2), text, Ink(size=size, face=face))
    return sheet


def photographed(dice: Dice, sheet: Sheet, rough: float) -> bytes:
    """The sheet as somebody's camera saw it: aslant, out of focus, grainy."""
    picture = sheet.image()
    ground = picture.getpixel((1, 1))
    tilt = dice.pick((0.0, 1.0, 1.0)) * dice.between(-6, 6) * rough
    if tilt:
        picture = picture.rotate(tilt, Image.Resampling.BICUBIC, expand=True, fillcolor=ground)
    if dice.chance(0.5):
        picture = blurred(picture, dice.between(0.3, 0.7) * rough)
    grain = dice.pick((0.0, 3.0, 6.0, 10.0)) * rough
    return png(noisy(picture, dice, grain) if grain else picture)
