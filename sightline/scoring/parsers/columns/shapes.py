"""Parsers of boxes, quads and polygons in tags, with a count before them if the text states one.

Accepted, with free white space between signs and letters of either case:

- `28 <box><x1><y1><x2><y2></box><box>…</box>`, the count being optional; `<quad>` with eight numbers likewise;
- `<poly><x><y>…</poly>` and, for changed areas, `<dot><x><y>…</dot>`: rings of three points or more;
- `<box>12,34,56,78</box>`, `<box>12 34 56 78</box>`, `<box>(12,34),(56,78)</box>`, `<box>[12,34,56,78]</box>`,
  `<box><12,34,56,78></box>`: numbers separated by commas, semicolons, white space or matching brackets;
- numbers as `12`, `-3`, `+3`, `0.5`, `.5`, `5e-05`, up to 10¹² either way;
- a score per shape, as `</box><score>0.87</score>` or, of boxes and quads, as one number from 0 to 1 more inside;
  scores count only if every shape of the text has one. Brackets of one shape hold equally many numbers, so that
  `<1,000><20>` is refused;
- a label per shape, as `</box><label>ship</label>`, before or after the score;
- between shapes white space, commas, semicolons and full stops; any other text beside them is refused;
- `0`, `none`, `[]`, `无`, `没有`: no shape, and the count 0; a number alone is a count without shapes.

The kernel makes one pass over the bytes and writes numbers straight into arrays. Importing this module imports Numba.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from msgspec import Struct

from sightline.data.columns import Floats, Offsets, ParsedColumn, Polygons, Shapes, TextColumn, count_without_shapes
from sightline.scoring.compiled_kernels import compiled
from sightline.scoring.parsers.base import ColumnParser
from sightline.scoring.parsers.columns.numbers import is_white, is_word, scan_number, trim
from sightline.scoring.parsers.columns.reasons import (
    EMPTY,
    FEW_POINTS,
    NO_POLYGON,
    NOT_NUMBER,
    ODD,
    OUT_OF_RANGE,
    OUTSIDE,
    REASONS,
    SEVERAL_BOXES,
    TOO_MANY_SHAPES,
    UNCLOSED,
)
from sightline.scoring.parsers.columns.texts import fold_text, normalize_texts

if TYPE_CHECKING:
    from sightline.scoring.parsers.columns.shape_labels import ShapeLabels

LONGEST = 6
"""Letters of the longest tag, and one more."""
MOST_SHAPES = 100_000
DEFERRED = 2.0**52
"""A number that only `float` rounds rightly is left as this plus where it begins: none that is read is so large."""
SHORT = 12
"""So many signs of a number are always within range and exact."""
_EXACT = np.array([10.0**k for k in range(SHORT)])
_NONE = np.frombuffer(b"none", np.uint8)
_LEAST_BYTES = 18
"""No shape is shorter than `<box>1 2 3 4</box>`."""
_NUMBER = re.compile(rb"[-+]?[0-9]*\.?[0-9]*(?:[eE][-+]?[0-9]+)?")
_NOTHING = {"无": "none", "无.": "none", "没有": "none", "没有.": "none"}


def pack_tag(name: str) -> int:
    """A short name in small letters as one number, which costs less to hand around than an array."""
    return int.from_bytes(name.encode(), "big")


@compiled
def end_of_tag(data: Any, at: int, stop: int, name: int) -> int:
    """Where the tag at `<` ends if it opens `name` (see `packed`); −1 where it does not."""
    at += 1
    while at < stop and is_white(data[at]):
        at += 1
    letters, end = 0, min(at + LONGEST, stop)
    while at < end and 97 <= data[at] | 32 <= 122:
        letters = letters * 256 + (data[at] | 32)
        at += 1
    if letters != name:
        return -1
    while at < stop and is_white(data[at]):
        at += 1
    return at + 1 if at < stop and data[at] == 62 else -1


@compiled
def end_of_closing_tag(data: Any, at: int, stop: int, name: int) -> int:
    """Where the tag at `<` ends if it closes `name`; 0 where it is no closing tag at all, −1 where it is another."""
    at += 1
    while at < stop and is_white(data[at]):
        at += 1
    if at >= stop or data[at] != 47:
        return 0
    return end_of_tag(data, at, stop, name)


_SCORE = pack_tag("score")


@compiled
def _is_group_of_zeros(data: Any, at: int, stop: int) -> bool:
    """Whether the digits at `at` are exactly three zeros."""
    if at + 2 >= stop or data[at + 1] != 48 or data[at + 2] != 48:
        return False
    return at + 3 == stop or not 48 <= data[at + 3] <= 57


@compiled
def _read_body(data: Any, at: int, stop: int, name: int, numbers: Any, n: int) -> tuple[int, int, int]:
    """Numbers up to the closing tag: (where it ends, error, n)."""
    angle, depth, comma, last, width = False, 0, True, n, 0
    while at < stop:
        byte = data[at]
        if byte == 48 and data[at - 1] == 44 and _is_group_of_zeros(data, at, stop):
            return at, NOT_NUMBER, n  # the end of 1,000, which is one number to whoever writes it so
        if 48 <= byte <= 57:  # a short number is read here: a call would cost more than the reading
            value, end, decimals = 0, at, -1
            while end < stop and end < at + SHORT and (48 <= data[end] <= 57 or (data[end] == 46 and decimals < 0)):
                if data[end] == 46:
                    decimals = 0
                else:
                    value, decimals = value * 10 + (data[end] - 48), decimals + (decimals >= 0)
                end += 1
            if end < stop and (data[end] == 62 or data[end] == 44 or data[end] == 32 or data[end] == 60):
                numbers[n] = float(value) / _EXACT[decimals] if decimals > 0 else float(value)
                n, at, comma = n + 1, end, False
                continue
        if 48 <= byte <= 57 or (43 <= byte <= 46 and byte != 44):
            end, status, known = scan_number(data, at, stop)
            if status in (NOT_NUMBER, OUT_OF_RANGE):
                return at, status, n
            numbers[n] = known if status == 0 else DEFERRED + at
            n, at, comma = n + 1, end, False
            if at < stop and not (data[at] == 60 or data[at] == 62 or _is_separator(data[at])):
                return at, NOT_NUMBER, n
        elif byte == 60 and not angle and at + 1 < stop and 43 <= data[at + 1] <= 57 and data[at + 1] != 47:
            angle, last, at = True, n, at + 1  # a number follows: the usual case, without a look at names
        elif byte == 60:
            end = end_of_closing_tag(data, at, stop, name)
            if end > 0:
                wrong = NOT_NUMBER if depth or (comma and n > last) else 0
                return end, UNCLOSED if angle else wrong, n
            if end < 0 or angle or end_of_tag(data, at, stop, name) > 0:
                return at, UNCLOSED, n
            angle, last, at = True, n, at + 1
        elif byte == 62:
            width = width or n - last
            if not angle or n == last or comma or n - last != width:  # <1,000><20> may mean one number in each
                return at, NOT_NUMBER, n
            angle, at = False, at + 1
        elif _is_separator(byte):
            if byte == 44 or byte == 59:
                if comma:
                    return at, NOT_NUMBER, n
                comma = True
            elif not is_white(byte):
                depth += 1 if byte == 40 or byte == 91 else -1
                if depth < 0 or depth > 2:
                    return at, NOT_NUMBER, n
            at += 1
        else:
            return at, max(NOT_NUMBER, scan_number(data, at, stop)[1]), n
    return at, UNCLOSED, n


@compiled
def _is_separator(byte: int) -> bool:
    """Whether the byte may stand between numbers: white space, comma, semicolon, round and square brackets."""
    return is_white(byte) or byte == 44 or byte == 59 or byte == 40 or byte == 41 or byte == 91 or byte == 93


@compiled
def _read_score(data: Any, at: int, stop: int) -> tuple[int, int, float]:
    """The `<score>` after a shape: (where it ends, error, score; NaN where there is none)."""
    back = at
    while at < stop and is_white(data[at]):
        at += 1
    inside = end_of_tag(data, at, stop, _SCORE) if at < stop and data[at] == 60 else -1
    if inside < 0:
        return back, 0, np.nan
    while inside < stop and is_white(data[inside]):
        inside += 1
    at, status, value = scan_number(data, inside, stop)
    if status in (NOT_NUMBER, OUT_OF_RANGE):
        return at, status, np.nan
    while at < stop and is_white(data[at]):
        at += 1
    end = end_of_closing_tag(data, at, stop, _SCORE) if at < stop and data[at] == 60 else -1
    if end <= 0:
        return at, UNCLOSED, np.nan
    return end, 0, value if status == 0 else DEFERRED + inside


@compiled
def _coordinate_error(found: int, size: int, lacks: int) -> int:
    """What is wrong with the number of coordinates of a shape. `size` 0: any even number from 6 up."""
    if size == 0:
        if found % 2:
            return ODD
        return FEW_POINTS if found < 6 else 0
    if found < size:
        return lacks
    return lacks + 1 if found > size + 1 else 0


@compiled
def _stray_text_error(data: Any, at: int, stop: int, name: int, lacks: int) -> int:
    """Why stray text is wrong: beside shapes, or there is no shape at all."""
    for k in range(at, stop):
        if data[k] == 60 and end_of_tag(data, k, stop, name) > 0:
            return OUTSIDE
    return lacks + 2


@compiled
def _read_count(data: Any, at: int, stop: int) -> tuple[int, float]:
    """Where the leading count ends, and the count: NaN where there is none, −1 where it is too large."""
    first, value = at, 0
    while at < stop and 48 <= data[at] <= 57:
        value = min(value * 10 + (data[at] - 48), 10**13)
        at += 1
    if at == first:
        return at, np.nan
    return at, float(value) if value <= 10**12 else -1.0


@compiled
def _read_shape_list(
    span: tuple[int, int], texts: Any, name: int, rule: tuple[int, int], out: Any, state: tuple[int, int]
) -> tuple[int, int, int]:
    """All shapes of a span after its count: (error, shapes, n)."""
    (at, stop), (size, lacks), (shapes, n) = span, rule, state
    data, numbers, scores, ends = texts[0], out[0], out[1], out[2]
    first, first_n, scored = shapes, n, 0
    while at < stop:
        byte = data[at]
        if is_white(byte) or byte == 44 or byte == 59 or byte == 46:
            at += 1
            continue
        end = end_of_tag(data, at, stop, name) if byte == 60 else -1
        if end < 0:
            return OUTSIDE if shapes > first else _stray_text_error(data, at, stop, name, lacks), first, first_n
        before = n
        at, error, n = _read_body(data, end, stop, name, numbers, n)
        if error == 0:
            error = _coordinate_error(n - before, size, lacks)
        if shapes - first == MOST_SHAPES:
            error = TOO_MANY_SHAPES
        if error:
            return error, first, first_n
        score = np.nan
        if at + 1 < stop and data[at + 1] | 32 != 98:  # most often the next box follows at once
            at, error, score = _read_score(data, at, stop)
        if size > 0 and n - before > size:
            n -= 1
            error = error if score != score and (0 <= numbers[n] <= 1 or numbers[n] >= DEFERRED) else lacks + 1
            score = numbers[n]
        if error:
            return error, first, first_n
        scored += score == score
        scores[shapes], ends[shapes] = score, n
        shapes += 1
    if 0 < scored < shapes - first:
        scores[first:shapes] = np.nan
    return 0, shapes, n


@compiled
def read_shapes(texts: Any, name: int, rule: tuple[int, int], single: bool, out: Any) -> tuple[int, int]:
    """Read the shapes of all texts into `out`; how many shapes and numbers there are.

    `rule` = (coordinates a shape, 0 for polygons; the code of the reason "lacks a coordinate", after which "too many
    coordinates" and "no box" follow). `out` = (numbers, scores, ends of the shapes among the numbers, offsets of the
    texts, counts, errors).
    """
    data, starts, stops = texts
    offsets, counts, errors = out[3], out[4], out[5]
    shapes, n, lacks = 0, 0, rule[1]
    for row in range(len(starts)):
        offsets[row], counts[row] = shapes, np.nan
        at, stop = trim(data, starts[row], stops[row])
        before, before_n = shapes, n
        bare = stop - 1 if stop > at and data[stop - 1] == 46 else stop
        if at == stop:
            error, count = EMPTY, 0.0
        elif is_word(data, at, bare, _NONE) or (bare - at == 2 and data[at] == 91 and data[at + 1] == 93):
            error, count = 0, 0.0
        else:
            at, count = _read_count(data, at, stop)
            error, shapes, n = _read_shape_list((at, stop), texts, name, rule, out, (shapes, n))
            if error == 0 and count < 0:
                error = OUT_OF_RANGE
        if error == 0 and shapes == before and (single or count != count):
            error = lacks + 2
        if error == 0 and single and shapes > before + 1:
            error = SEVERAL_BOXES
        errors[row] = error
        if error:
            shapes, n = before, before_n
        else:
            counts[row] = count
    offsets[len(starts)] = shapes
    return shapes, n


class ScannedShapes(Struct, frozen=True):
    """Result of the kernel: flat `numbers` of all shapes, and the end offset of each shape."""

    offsets: Offsets
    numbers: Floats
    ends: Offsets
    counts: Floats
    scores: Floats | None
    errors: np.ndarray[tuple[int], np.dtype[np.uint8]]


def fold_shapes(text: str) -> str:
    """Fold to ASCII, and translate the Chinese words for nothing to `none`."""
    folded = fold_text(text)
    return _NOTHING.get(folded.strip(), folded)


def scan_shapes(texts: TextColumn, tag: str, rule: tuple[int, int], single: bool = False) -> ScannedShapes:
    """Read the shapes in tags of a name. `rule`: see `read_shapes`."""
    texts = normalize_texts(texts, fold_shapes)
    size, rows = int(texts.lengths().sum()), len(texts)
    most = size // _LEAST_BYTES + 2
    columns = (texts.data, texts.starts, texts.stops)
    out: Any = (
        np.empty(size // 2 + 8),
        np.empty(most),
        np.empty(most, np.int64),
        np.empty(rows + 1, np.int64),
        np.empty(rows),
        np.empty(rows, np.uint8),
    )
    shapes, n = read_shapes(columns, pack_tag(tag), rule, single, out)
    numbers, scores = _parse_deferred(out[0][:n], texts), _parse_deferred(out[1][:shapes], texts)
    given_scores = None if np.isnan(scores).all() else scores
    return ScannedShapes(out[3], numbers, out[2][:shapes], out[4], given_scores, out[5])


def _parse_deferred(numbers: Floats, texts: TextColumn) -> Floats:
    """The numbers, with those deferred by the kernel parsed by `float`."""
    deferred = np.flatnonzero(numbers >= DEFERRED)
    if len(deferred):
        whole = texts.data.data
        for index in deferred.tolist():
            match = _NUMBER.match(whole, int(numbers[index] - DEFERRED))
            numbers[index] = float(match.group()) if match else np.nan
    return numbers


def _find_labels(texts: TextColumn, tag: str) -> ShapeLabels:
    from sightline.scoring.parsers.columns.shape_labels import ShapeLabels

    return ShapeLabels(texts, tag)


class ShapeParser(ColumnParser, frozen=True, kw_only=True):
    """Shapes of a fixed number of coordinates; see the module for all that is read."""

    kind: ClassVar[str] = "shapes"
    tag: str
    size: int
    single: bool = False
    """Exactly one shape must be there."""

    def read(self, texts: TextColumn) -> ParsedColumn:
        """See `ColumnParser`."""
        lacks = REASONS.index(f"{self.tag} lacks a coordinate")
        labels = _find_labels(texts, self.tag)
        scanned = scan_shapes(labels.texts, self.tag, (self.size, lacks), self.single)
        coords = scanned.numbers.reshape(-1, self.size)
        shapes = Shapes(scanned.offsets, coords, scanned.counts, scanned.scores, *labels.codes(scanned.offsets))
        return ParsedColumn(shapes, scanned.errors, REASONS)

    def value(self, values: Any) -> Any:
        """`count` (None where none is stated), `shapes` as lists of numbers, and `scores` where there are any."""
        return shapes_as_dict(values, values.coords.tolist())


def shapes_as_dict(values: Any, shapes: list[Any]) -> dict[str, Any]:
    """A column with one sample as a dictionary."""
    count = float(values.counts[0])
    result: dict[str, Any] = {"count": None if count != count else int(count), "shapes": shapes}
    if values.labels is not None:
        result["labels"] = [values.label_names.get(code) for code in values.labels.tolist()]
    return result if values.scores is None else {**result, "scores": values.scores.tolist()}


BOXES = ShapeParser(tag="box", size=4)
ONE_BOX = ShapeParser(tag="box", size=4, single=True)
QUADS = ShapeParser(tag="quad", size=8)


class PolygonParser(ColumnParser, frozen=True, kw_only=True):
    """Rings of any number of points."""

    kind: ClassVar[str] = "polygons"
    tag: str

    def read(self, texts: TextColumn) -> ParsedColumn:
        """See `ColumnParser`."""
        labels = _find_labels(texts, self.tag)
        scanned = scan_shapes(labels.texts, self.tag, (0, FEW_POINTS))
        rings = np.concatenate((np.zeros(1, np.int64), scanned.ends // 2))
        points = scanned.numbers.reshape(-1, 2)
        polygons = Polygons(
            scanned.offsets, rings, points, scanned.counts, scanned.scores, *labels.codes(scanned.offsets)
        )
        errors = np.where((scanned.errors == 0) & count_without_shapes(polygons), NO_POLYGON, scanned.errors)
        return ParsedColumn(polygons, errors.astype(scanned.errors.dtype), REASONS)

    def value(self, values: Any) -> Any:
        """`count` (None where none is stated), `shapes` as lists of points, and `scores` where there are any."""
        points, ends = values.points.tolist(), values.rings.tolist()
        return shapes_as_dict(values, [points[a:b] for a, b in pairwise(ends)])


POLYGONS = PolygonParser(tag="poly")
DOTS = PolygonParser(tag="dot")
