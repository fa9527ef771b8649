"""Names come from data sets and users: how they are shown in a plot, and how they name a file."""

from __future__ import annotations

import re
import unicodedata

LONGEST = 80
_BYTES = 235
"""File systems take 255 bytes a name; the rest is for the ending."""
_ELLIPSIS = "…"
_BREAK_AFTER = frozenset(" _-/.,;:|·，、；：")


def plain(text: str) -> str:
    """The text on one line: line breaks, control and invisible characters folded to single spaces."""
    shown = (" " if unicodedata.category(letter)[0] in "CZ" else letter for letter in text)
    return " ".join("".join(shown).split())


def file_name(text: str, taken: set[str]) -> str:
    """A name that every file system takes, unlike all those `taken` so far; it is added to them."""
    kept = "".join(c if c.isalnum() or c in "-.@+=" else "_" for c in unicodedata.normalize("NFC", text))
    kept = re.sub(r"\.{2,}", "_", kept)
    kept = _cut(re.sub(r"_{2,}", "_", kept).strip("._ "), LONGEST) or "plot"
    name, number = kept, 1
    while name.casefold() in taken:
        number += 1
        ending = f"_{number}"
        name = _cut(kept, LONGEST - len(ending)) + ending
    taken.add(name.casefold())
    return name


def _cut(text: str, letters: int) -> str:
    text = text[:letters]
    while len(text.encode("utf-8", "replace")) > _BYTES:
        text = text[:-1]
    return text.strip("._ ")


def ems(text: str) -> float:
    """How far a text runs, about, in units of its size."""
    return sum(_em(letter) for letter in text)


def _em(letter: str) -> float:
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    if unicodedata.category(letter) == "Mn":
        return 0.0
    if letter in "mwMW@%":
        return 0.95
    return 0.36 if letter in " .,:;'|!iljtf()[]" else 0.72 if letter.isupper() else 0.62


def wrap(text: str, width: float, lines: int = 2) -> str:
    """The text on at most `lines` lines of `width` ems; what is beyond is cut with an ellipsis."""
    text = plain(text)
    rows, rest = _rows(text, width, lines)
    if rest:
        rows, last = _rows(text, width, lines - 1)
        while last and ems(last + _ELLIPSIS) > width:
            last = last[:-1]
        return "\n".join([*rows, last.rstrip() + _ELLIPSIS])
    # lines of about one length look better than a last one of a single word
    longest = max(map(ems, text.split()), default=0.0)
    for narrow in (0.5, 0.6, 0.7, 0.8, 0.9) if len(rows) > 1 else ():
        even, rest = _rows(text, width * narrow, len(rows))
        if not rest and longest <= width * narrow:
            return "\n".join(even)
    return "\n".join(rows)


def _rows(text: str, width: float, lines: int) -> tuple[list[str], str]:
    rows: list[str] = []
    while text and len(rows) < lines:
        row, text = _split(text, width)
        rows.append(row)
    return rows, text


def fit(label: str, width: float, lines: int = 2) -> str:
    """A label of several parts, one a line, on a single line where it fits; otherwise each part wraps by itself."""
    joined = " · ".join(label.split("\n"))
    if ems(joined) <= width:
        return joined
    return "\n".join(wrap(part, width, lines) for part in label.split("\n"))


def _split(text: str, width: float) -> tuple[str, str]:
    """The first line and the rest; broken after a space or a sign, or beside a Chinese character, where it can be."""
    run, end, best = 0.0, 0, 0
    for end, letter in enumerate(text):
        if end and letter != " " and _may_break(text[end - 1], letter):
            best = end
        run += _em(letter)
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
