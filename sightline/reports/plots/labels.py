"""Labels of plots: text width, line wrapping, file names, and label placement around a circle."""

from __future__ import annotations

import math
import re
import unicodedata
from typing import NamedTuple

MAX_FILE_NAME = 80
_MAX_BYTES = 235
"""File systems take 255 bytes a name; the rest is for the ending."""
_ELLIPSIS = "…"
_BREAK_AFTER = frozenset(" _-/.,;:|·，、；：")


def one_line(text: str) -> str:
    """The text on one line: line breaks, control and invisible characters folded to single spaces."""
    shown = (" " if unicodedata.category(letter)[0] in "CZ" else letter for letter in text)
    return " ".join("".join(shown).split())


def format_number(value: float) -> str:
    """A figure at two decimals; very large ones in powers of ten."""
    text = f"{value:.2f}" if abs(value) < 1e6 else f"{value:.2e}"
    return "0.00" if text == "-0.00" else text.replace("-", "−")


def file_name(text: str, taken: set[str]) -> str:
    """A name that every file system takes, unlike all those `taken` so far; it is added to them."""
    base = "".join(c if c.isalnum() or c in "-.@+=" else "_" for c in unicodedata.normalize("NFC", text))
    base = re.sub(r"\.{2,}", "_", base)
    base = _truncate(re.sub(r"_{2,}", "_", base).strip("._ "), MAX_FILE_NAME) or "plot"
    name, number = base, 1
    while name.casefold() in taken:
        number += 1
        ending = f"_{number}"
        name = _truncate(base, MAX_FILE_NAME - len(ending)) + ending
    taken.add(name.casefold())
    return name


def _truncate(text: str, letters: int) -> str:
    text = text[:letters]
    while len(text.encode("utf-8", "replace")) > _MAX_BYTES:
        text = text[:-1]
    return text.strip("._ ")


def ems(text: str) -> float:
    """Approximate width of a text in ems."""
    return sum(_letter_width(letter) for letter in text)


def _letter_width(letter: str) -> float:
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    if unicodedata.category(letter) == "Mn":
        return 0.0
    if letter in "mwMW@%":
        return 0.95
    return 0.36 if letter in " .,:;'|!iljtf()[]" else 0.72 if letter.isupper() else 0.62


def wrap(text: str, width: float, lines: int = 2) -> str:
    """The text on at most `lines` lines of `width` ems; what is beyond is cut with an ellipsis."""
    text = one_line(text)
    rows, rest = _split_lines(text, width, lines)
    if rest:
        rows, last = _split_lines(text, width, lines - 1)
        while last and ems(last + _ELLIPSIS) > width:
            last = last[:-1]
        return "\n".join([*rows, last.rstrip() + _ELLIPSIS])
    # lines of about one length look better than a last one of a single word
    longest = max(map(ems, text.split()), default=0.0)
    for narrow in (0.5, 0.6, 0.7, 0.8, 0.9) if len(rows) > 1 else ():
        even, rest = _split_lines(text, width * narrow, len(rows))
        if not rest and longest <= width * narrow:
            return "\n".join(even)
    return "\n".join(rows)


def _split_lines(text: str, width: float, lines: int) -> tuple[list[str], str]:
    rows: list[str] = []
    while text and len(rows) < lines:
        row, text = _split_line(text, width)
        rows.append(row)
    return rows, text


def fit_label(label: str, width: float, lines: int = 2) -> str:
    """A label of several parts: on a single line where it fits, else one part per line, each wrapped by itself."""
    joined = " · ".join(label.split("\n"))
    if ems(joined) <= width:
        return joined
    return "\n".join(wrap(part, width, lines) for part in label.split("\n"))


def _split_line(text: str, width: float) -> tuple[str, str]:
    """The first line and the rest; broken after a space or a sign, or beside a Chinese character, where it can be."""
    run, end, best = 0.0, 0, 0
    for end, letter in enumerate(text):
        if end and letter != " " and _may_break(text[end - 1], letter):
            best = end
        run += _letter_width(letter)
        if run > width and end:
            break
    else:
        return text, ""
    word = re.split(r"[\s_/-]", text[best:], maxsplit=1)[0]
    # a break far to the left leaves a ragged line: a word that fits no line is rather broken itself
    cut = best if best and (ems(word) <= width or ems(text[:best]) > width * 0.4) else end
    return text[:cut].rstrip(), text[cut:].lstrip()


def _may_break(left: str, right: str) -> bool:
    if right == "↓":  # the mark of a metric stays with its last word
        return False
    wide = unicodedata.east_asian_width(right) in "WF" and right not in "，。、；：）》”"
    return left in _BREAK_AFTER or (wide and left not in "（《“") or unicodedata.east_asian_width(left) in "WF"


_LABEL_PADDING = 0.16
_LABEL_STEP = 0.04


class LabelBox(NamedTuple):
    """Anchor and bounding box of a label."""

    x: float
    side: str
    left: float
    bottom: float
    right: float
    top: float

    def touches(self, other: LabelBox) -> bool:
        """Whether two boxes overlap or nearly so."""
        apart = self.right + 0.08 < other.left or other.right + 0.08 < self.left
        return not (apart or self.top + 0.03 < other.bottom or other.top + 0.03 < self.bottom)


def label_radius(tall: list[float]) -> float:
    """A circle whose two sides hold names of these heights."""
    return max(2.9, 0.56 * (sum(tall) + _LABEL_STEP * len(tall)) / 2)


def place_labels(radius: float, wide: list[float], tall: list[float]) -> list[LabelBox]:
    """A free place for every name, from the top and from the bottom towards the middle of each side."""
    count = len(wide)
    done: dict[int, LabelBox] = {}
    for i in sorted(range(count), key=lambda i: -abs(math.cos(2 * math.pi * i / count))):
        angle = 2 * math.pi * i / count
        up = math.cos(angle)
        y = (radius + _LABEL_PADDING) * up
        place = _label_box(radius, angle, y, wide[i], tall[i])
        for _ in range(2000):
            if not any(place.touches(other) for other in done.values()):
                break
            y -= math.copysign(_LABEL_STEP, up)
            place = _label_box(radius, angle, y, wide[i], tall[i])
        done[i] = place
    return [done[i] for i in range(count)]


def _label_box(radius: float, angle: float, y: float, wide: float, tall: float) -> LabelBox:
    """The box of a name whose anchor is at the height `y`, outside the circle."""
    across, up = math.sin(angle), math.cos(angle)
    bottom = y - tall / 2 + up * tall / 2
    if abs(across) < 0.05:
        return LabelBox(0.0, "center", -wide / 2, bottom, wide / 2, bottom + tall)
    # the corner nearest to the centre decides how far out the box must be
    nearest = min(abs(bottom), abs(bottom + tall)) if bottom * (bottom + tall) > 0 else 0.0
    out = max(
        math.sqrt(max(0.0, (radius + _LABEL_PADDING) ** 2 - nearest**2)), (radius + _LABEL_PADDING) * abs(across) * 0.98
    )
    if across > 0:
        return LabelBox(out, "left", out, bottom, out + wide, bottom + tall)
    return LabelBox(-out, "right", -out - wide, bottom, -out, bottom + tall)
