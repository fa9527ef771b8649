"""Shapes in the forms of model families: found in a text and rewritten into our tags, in the order x, y.

The rules, in this order:

1. Forms with signs of their own come before JSON, JSON before plain lists (`FORMS` has the order).
2. Where a reply marks its answer (`<answer>`, `\\boxed{}`, "Answer:"), only that part is read, if it holds shapes.
3. A list repeated as a whole counts once. Where one box is asked, several different ones are no answer.
4. Of a list that is cut off, the complete items count.
5. A quad or polygon where a box is asked is its bounding box; a box where a quad or polygon is asked is its rectangle.
6. Four points in brackets are a quad, two are a box.

Regular expressions are linear: classes do not overlap with what follows, or are possessive.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

from msgspec import Struct

from sightline.scoring.parsers.lenient.answer_text import (
    after_marker,
    find_tagged_answers,
    says_nothing_is_there,
    strip_fences,
    strip_markdown,
)
from sightline.scoring.parsers.lenient.deviations import FORMS
from sightline.scoring.scorers.reply_text import extract_answer

NUMBER = r"[-+]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d{1,3}+)?"
_number = re.compile(NUMBER)
MOST_SHAPES = 100_000
GRID = 32
"""Cells of a side of Kosmos-2's grid."""
Shape = list[str]
"""Coordinates as they are written."""


class AskedShapes(Struct, frozen=True):
    """What a task asks for: the tag, the coordinates of a shape (0: polygons), and whether exactly one."""

    tag: str
    size: int
    single: bool = False


class FoundShapes(Struct, frozen=True):
    """Shapes of a reply in one form."""

    form: str
    shapes: list[Shape]
    is_cut: bool = False
    count: str = ""
    """The number at the beginning of the text."""


class ShapeReading(Struct, frozen=True):
    """A reply in our tags, what was deviant, and the space of its coordinates (empty: the declared one)."""

    text: str
    form: str
    deviation: str
    space: str = ""
    is_native: bool = True
    """Whether the reply is complete and has shapes of the asked kind."""


# ---- forms with signs of their own


_BOX_TOKENS = re.compile(r"<\|(?:box|quad)_start\|>([^<]*+)<\|(?:box|quad)_end\|>")
_TAG = re.compile(
    r"<\s*+(box|quad|poly|dot)\s*+>((?:[^</A-Za-df-z]|<(?!\s*+/))*+)<\s*+/\s*+(?:box|quad|poly|dot)\s*+>", re.IGNORECASE
)
_OPEN_TAG = re.compile(r"<\s{0,9}(?:box|quad|poly|dot)\s{0,9}>", re.IGNORECASE)
_DET = re.compile(r"<\|det\|>([^<]*+)(<\|/det\|>|$)")
_LOC_Y = re.compile(r"(?:<loc\d{4}>\s*+)++")
_LOC_X = re.compile(r"(?:<loc_\d{1,4}>\s*+)++")
_ANGLE = rf"(?:\|\s*+<?({NUMBER})>?)?+"  # VRSBench writes upright boxes without one
_ROTATED = re.compile(r"\{" + r"\s*+".join(["", *[rf"<({NUMBER})>"] * 4, _ANGLE, r"\}"]))
_PATCHES = re.compile(r"<patch_index_(\d{4})>\s*+<patch_index_(\d{4})>")
_POINTS = re.compile(r"<points?\s([^<>]*+)>")
_ATTRIBUTE = re.compile(rf"\b([xy])(\d{{0,5}})\s*+=\s*+[\"']?\s*+({NUMBER})")


def _find_box_tokens(text: str) -> FoundShapes | None:
    if "<|box_start|>" not in text and "<|quad_start|>" not in text:
        return None
    shapes = [_number.findall(match.group(1)) for match in _BOX_TOKENS.finditer(text)]
    opened = text.count("_start|>") - text.count("<|object_ref_start|>")
    return FoundShapes("box_tokens", shapes, is_cut=opened > len(shapes))


def _find_tags(text: str) -> FoundShapes | None:
    """Our own tags, and those of Qwen-VL and InternVL, which come with `<ref>`."""
    if not _OPEN_TAG.search(text):
        return None
    bodies = [match.group(2) for match in _TAG.finditer(text)]
    is_cut = len(_OPEN_TAG.findall(text)) > len(bodies)
    lead = re.match(r"\s*+(\d{1,9})\b(?![.,]\d)", text)
    count = lead.group(1) if lead else ""
    form = "tags"
    if "<ref>" in text and any("(" in body or "[" in body for body in bodies):
        form, count = ("box_lists" if any("[" in body for body in bodies) else "box_pairs"), ""
    shapes: list[Shape] = []
    for body in bodies:
        if "[" in body:
            shapes += _split_groups(body)[0]
        else:
            shapes.append(_number.findall(body))
    return FoundShapes(form, shapes, is_cut, count)


def _find_det_tokens(text: str) -> FoundShapes | None:
    if "<|det|>" not in text:
        return None
    shapes: list[Shape] = []
    is_cut = False
    for match in _DET.finditer(text):
        found, cut = _split_groups(match.group(1))
        shapes += found
        is_cut |= cut or not match.group(2)
    return FoundShapes("det_tokens", shapes, is_cut)


def _find_locations(pattern: re.Pattern[str], form: str, y_first: bool) -> Callable[[str], FoundShapes | None]:
    def find(text: str) -> FoundShapes | None:
        shapes: list[Shape] = []
        for run in pattern.finditer(text):
            numbers = re.findall(r"\d++", run.group())
            if len(numbers) % 4 or (not y_first and len(numbers) in (8, 12)):
                shapes.append(numbers)  # a quad or polygon
            else:
                shapes += [numbers[at : at + 4] for at in range(0, len(numbers), 4)]
        if not shapes:
            return None
        return FoundShapes(form, [_swap(shape) for shape in shapes] if y_first else shapes)

    return find


def _find_patches(text: str) -> FoundShapes | None:
    pairs = [(int(a), int(b)) for a, b in _PATCHES.findall(text)]
    if not pairs or any(index >= GRID * GRID for pair in pairs for index in pair):
        return None
    return FoundShapes("patch_index", [_cell_corners(*pair) for pair in pairs])


def _cell_corners(first: int, last: int) -> Shape:
    """Corners of a box by its first and last cell: centres of cells, but whole cells where it has one row or column."""
    (top, left), (bottom, right) = divmod(first, GRID), divmod(last, GRID)
    inset = 0.0 if top == bottom or left == right else 0.5
    return [repr(value / GRID) for value in (left + inset, top + inset, right + 1 - inset, bottom + 1 - inset)]


def _find_points(text: str) -> FoundShapes | None:
    points: list[str] = []
    for match in _POINTS.finditer(text):
        for axis, _, value in _ATTRIBUTE.findall(match.group(1)):
            if (axis == "x") != (len(points) % 2 == 0):
                return None
            points.append(value)
    return FoundShapes("points", [points]) if points and len(points) % 2 == 0 else None


# ---- JSON


_BOX_KEYS = (
    "bbox|box|boxes|bboxes|bounding_box|bounding_boxes|boundingBox|boundingbox|coordinates|coords|rect"
    "|position|location"
    "|quad|quad_2d|obb|rbox|rotated_box|rotated_bbox|polygon|polygons|poly|poly_2d|polygon_2d|points"
    "|segmentation|contour"
)
_JSON_LIST = re.compile(rf"[\"'](bbox_2d|box_2d|{_BOX_KEYS})[\"']\s*+:\s*+(\[[\s\d.,eE+\-\[\]]*+)")
_ROTATED_KEYS = ("obb", "rbox", "rotated_box", "rotated_bbox")
_CORNER_NAMES = {
    **dict.fromkeys(("x1", "x_1", "x_min", "xmin", "left", "x_left"), 0),
    **dict.fromkeys(("y1", "y_1", "y_min", "ymin", "top", "y_top"), 1),
    **dict.fromkeys(("x2", "x_2", "x_max", "xmax", "right", "x_right"), 2),
    **dict.fromkeys(("y2", "y_2", "y_max", "ymax", "bottom", "y_bottom"), 3),
    **dict.fromkeys(("x",), 4),
    **dict.fromkeys(("y",), 5),
    **dict.fromkeys(("w", "width"), 6),
    **dict.fromkeys(("h", "height"), 7),
    **dict.fromkeys(("cx", "x_center", "center_x"), 8),
    **dict.fromkeys(("cy", "y_center", "center_y"), 9),
    **dict.fromkeys(("angle", "theta", "rotation"), 10),
}
_JSON_CORNER = re.compile(
    rf"[\"']({'|'.join(sorted(_CORNER_NAMES, key=len, reverse=True))})[\"']\s*+:\s*+[\"']?({NUMBER})(?=[\s,}}\"'\]])"
)
_NAMED_CORNER = re.compile(
    rf"\b(x_?1|y_?1|x_?2|y_?2|x_?min|y_?min|x_?max|y_?max)\b\s*+[:=]\s*+({NUMBER})", re.IGNORECASE
)


def _find_json(text: str, aspect: float = 1.0) -> FoundShapes | None:
    """Values of keys such as `bbox_2d`, wherever they stand; of several kinds the first in the order of forms."""
    lists = [(match.group(1), match.group(2)) for match in _JSON_LIST.finditer(text)]
    keys = {key for key, _ in lists}
    for key, form in (("bbox_2d", "json_bbox_2d"), ("box_2d", "json_box_2d")):
        if key in keys:
            return _read_json_lists([value for other, value in lists if other == key], form, text)
    if (named := _find_named_corners(text, aspect)) is not None:
        return named
    if not lists:
        return None
    key = lists[0][0]
    found = _read_json_lists([value for other, value in lists if other == key], "json_box", text)
    if found is not None and key in _ROTATED_KEYS and all(len(shape) == 5 for shape in found.shapes):
        turned = [_rotate_about_centre([float(value) for value in shape], aspect) for shape in found.shapes]
        return FoundShapes("json_box", turned, found.is_cut)
    return found


def _read_json_lists(values: Sequence[str], form: str, text: str) -> FoundShapes | None:
    shapes: list[Shape] = []
    is_cut = _is_cut(text)
    for value in values:
        found, cut = _split_groups(value)
        shapes += found
        is_cut |= cut
    if form == "json_box_2d":
        shapes = [_swap(shape) for shape in shapes]
    return FoundShapes(form, shapes, is_cut) if shapes else None


def _find_named_corners(text: str, aspect: float) -> FoundShapes | None:
    """Objects with `x_min`, `y_min`, `x_max`, `y_max`; with `x`, `y`, `width`, `height`; or with `cx`, `cy`."""
    shapes: list[Shape] = []
    values: dict[int, str] = {}
    objects: list[dict[int, str]] = []
    for match in _JSON_CORNER.finditer(text):
        place = _CORNER_NAMES[match.group(1)]
        if place in values:
            objects.append(values)
            values = {}
        values[place] = match.group(2)
    objects.append(values)
    for found in objects:
        if found.keys() >= {0, 1, 2, 3}:
            shapes.append([found[place] for place in range(4)])
        elif found.keys() >= {8, 9, 6, 7}:
            shapes.append(_rotate_about_centre([float(found.get(place, 0)) for place in (8, 9, 6, 7, 10)], aspect))
        elif found.keys() >= {4, 5, 6, 7}:
            x, y, width, height = (float(found[place]) for place in (4, 5, 6, 7))
            shapes.append([found[4], found[5], repr(x + width), repr(y + height)])
    return FoundShapes("json_corners", shapes, _is_cut(text)) if shapes else None


_BRACKET = re.compile(rf"[\[\]]|{NUMBER}|,")


def _split_groups(text: str) -> tuple[list[Shape], bool]:
    """Shapes of nested lists of numbers, and whether the lists are cut off; inner pairs are points of one shape."""
    shapes: list[Shape] = []
    stack: list[list[str]] = []
    pairs: list[list[Shape]] = []
    for token in _BRACKET.finditer(text):
        sign = token.group()
        if sign == "[":
            stack.append([])
            pairs.append([])
            if len(stack) > 8:
                return [], True
        elif sign == "]":
            if not stack:
                return shapes, False
            numbers, points = stack.pop(), pairs.pop()
            if points and not numbers:
                shapes.append([value for point in points for value in point])
            elif len(numbers) == 2 and pairs:
                pairs[-1].append(numbers)
            elif numbers:
                shapes.append(numbers)
            if not stack:
                return shapes, False
        elif sign != "," and stack:
            stack[-1].append(sign)
    return shapes, True


_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*+\"")


def _is_cut(text: str) -> bool:
    """Whether brackets of a JSON text are still open at its end."""
    bare = _STRING.sub("", text)
    return bare.count("[") + bare.count("{") > bare.count("]") + bare.count("}")


# ---- plain lists


_GROUP = re.compile(rf"[\[(]\s*+({NUMBER}(?:(?:\s*+[,;]\s*+|\s++){NUMBER}){{3,}}+)\s*+[\])]")
_PAIR = re.compile(rf"[\[(]\s*+({NUMBER})\s*+[,;]\s*+({NUMBER})\s*+[\])]")
_GLUE = re.compile(
    r"[\s,;\-–—→]{0,6}(?:(?:to|and|到|至|和)\s{0,3})?(?:(?:the )?(?:bottom|lower)[ -]right(?: corner)?(?: is"
    r"| at)?\s?:?\s{0,3}|右下角?(?:的?坐标)?[是为]?\s?[:：]?\s?)?",
    re.IGNORECASE,
)
_BARE = re.compile(rf"(?<![\w.,]){NUMBER}(?:\s*+,\s*+{NUMBER}){{3}}+(?!\s*+,\s*+[-+.\d])(?![\w])")
_CUT_GROUP = re.compile(rf"[\[(]\s*+(?:{NUMBER}[\s,;]*+)*+$")


_OTHER_MEANING = re.compile(
    r"\by_?(?:min|1)\W{1,4}x_?(?:min|1)\b|\bx\W{1,4}y\W{1,4}w(?:idth)?\W{1,4}h(?:eight)?\b"
    r"|\bx(?:_?(?:min|1))\W{1,4}y(?:_?(?:min|1))\W{1,4}w(?:idth)?\b|\bc_?x\W{1,4}c_?y\b|\bx_?c\W{1,4}y_?c\b"
    r"|\bnot (?:at|in|within|located|inside)\b|不在|不位于"
    r"|\bxywh\b|\bcxcywh\b|\byxyx\b|\bx_cent(?:er|re)\b|\bcent(?:er|re)_x\b|[\])]\s?,?\s?(?:or\b|或)"
    r"|(?:\bnot|n't) (?:find|see|detect|locate)\b",
    re.IGNORECASE,
)
"""Words that say that a plain list is no `x1, y1, x2, y2` of the object."""


def _find_plain(text: str) -> FoundShapes | None:
    if _OTHER_MEANING.search(text):
        return None
    groups = [_number.findall(match.group(1)) for match in _GROUP.finditer(text)]
    if groups:
        cut = text.rstrip()
        return FoundShapes("plain", groups, is_cut=bool(_CUT_GROUP.search(cut[-400:])) or _opens_list(cut))
    runs = _point_runs(text)
    if runs and all(len(run) >= 4 for run in runs):
        return FoundShapes("plain", runs)
    named = [(match.group(1).lower().replace("_", ""), match.group(2)) for match in _NAMED_CORNER.finditer(text)]
    if named and [name for name, _ in named] in (["x1", "y1", "x2", "y2"], ["xmin", "ymin", "xmax", "ymax"]):
        return FoundShapes("plain", [[value for _, value in named]])
    bare = [match.group() for match in _BARE.finditer(text)]
    if bare and len(_number.findall(text)) == 4 * len(bare):
        return FoundShapes("plain", [_number.findall(one) for one in bare])
    words = strip_markdown(text).split()
    if len(words) == 4 and all(_number.fullmatch(word) for word in words):
        return FoundShapes("plain", [words])
    return None


def _opens_list(text: str) -> bool:
    """Whether a text that is a list of lists has no end."""
    return text.startswith("[[") and not text.endswith("]]") and text.count("[") > text.count("]")


def _point_runs(text: str) -> list[Shape]:
    """Points in brackets that follow one another, as shapes."""
    runs: list[Shape] = []
    end = -1
    for match in _PAIR.finditer(text):
        if runs and end >= 0 and _GLUE.fullmatch(text, end, match.start()):
            runs[-1] += match.groups()
        else:
            runs.append(list(match.groups()))
        end = match.end()
    return runs


# ---- shapes of the asked kind


def _swap(shape: Shape) -> Shape:
    """Coordinates with y first in the order x first."""
    if len(shape) % 2:
        return shape
    return [value for at in range(0, len(shape), 2) for value in (shape[at + 1], shape[at])]


def _rotate_about_centre(box: Sequence[float], aspect: float) -> Shape:
    """Corners of (centre x and y, width, height, angle in degrees); `aspect`: width over height of a unit of space."""
    x, y, width, height, angle = box
    if not math.isfinite(angle):
        return []  # no shape: the reply can't be read
    cosine, sine = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    corners = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    points: Shape = []
    for across, down in corners:
        dx, dy = across * width / 2 * aspect, down * height / 2
        points += [repr(x + (dx * cosine - dy * sine) / aspect), repr(y + dx * sine + dy * cosine)]
    return points


def _find_rotated(text: str, aspect: float, as_boxes: bool) -> FoundShapes | None:
    shapes: list[Shape] = []
    for match in _ROTATED.finditer(text):
        x1, y1, x2, y2, angle = (float(value or 0) for value in match.groups())
        if as_boxes and angle % 180 == 0:
            shapes.append(list(match.groups()[:4]))
        else:
            box = ((x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1, angle)
            shapes.append(_rotate_about_centre(box, aspect))
    return FoundShapes("rotated", shapes) if shapes else None


def _adapt(shape: Shape, asked: AskedShapes) -> tuple[Shape | None, str]:
    """The shape with as many coordinates as are asked, and what was deviant; None where that makes no sense."""
    count, size = len(shape), asked.size
    if count == size or (size == 0 and count >= 6 and count % 2 == 0):
        return shape, ""
    if size == 4 and count >= 6 and count % 2 == 0:
        across, down = shape[::2], shape[1::2]
        box = [min(across, key=float), min(down, key=float), max(across, key=float), max(down, key=float)]
        return box, "quad or polygon instead of box"
    if size != 4 and count == 4:
        x1, y1, x2, y2 = shape
        return [x1, y1, x2, y1, x2, y2, x1, y2], "box instead of quad or polygon"
    return None, ""


def read_shapes(
    text: str, asked: AskedShapes, aspect: float = 1.0, forms: Sequence[str] = (), declared: bool = False
) -> ShapeReading | None:
    """The shapes of a reply in our tags; None where it can't be read.

    `forms`: the only forms looked for (a profile's); empty: all. `aspect` is width over height of the picture;
    `declared`: whether the space of coordinates was declared.
    """
    parts = _answer_parts(text)
    for part in parts:
        found = _find(part, asked, aspect, forms)
        if found is not None:
            return _write(found, asked, "" if forms else _space(found, declared, _GLM_BOX in text), bool(forms))
    if forms:
        return None
    for part in parts:
        if says_nothing_is_there(strip_markdown(strip_fences(part))):
            return ShapeReading("none", "none", FORMS["none"].deviation)
    return None


def _answer_parts(text: str) -> list[str]:
    """Parts of a reply that may hold its answer, the surest first; none where different answers are marked."""
    inner = extract_answer(text)
    marked = after_marker(inner)
    if marked is None or len(find_tagged_answers(text)) > 1:
        return []
    return list(dict.fromkeys(part for part in (marked, inner, text) if part))


def _find(text: str, asked: AskedShapes, aspect: float, forms: Sequence[str]) -> FoundShapes | None:
    finders: dict[str, Callable[[str], FoundShapes | None]] = {
        "box_tokens": _find_box_tokens,
        "det_tokens": _find_det_tokens,
        "loc_tokens_y_first": _find_locations(_LOC_Y, "loc_tokens_y_first", y_first=True),
        "loc_tokens": _find_locations(_LOC_X, "loc_tokens", y_first=False),
        "patch_index": _find_patches,
        "rotated": lambda text: _find_rotated(text, aspect, asked.size == 4),
        "points": _find_points,
        "tags": _find_tags,
        "json": lambda text: _find_json(text, aspect),
        "plain": _find_plain,
    }
    for find in finders.values():
        found = find(text)
        if found is None or (forms and found.form not in forms):
            continue
        if found.form == "points" and asked.size == 4 and forms and len(found.shapes[0]) == 4:
            return found  # declared points: two are corners
        if found.form == "points" and asked.size != 0:
            return None  # a point has no extent
        return found if found.shapes else None
    return None


def _write(found: FoundShapes, asked: AskedShapes, space: str, is_profile: bool) -> ShapeReading | None:
    shapes, changed = [], ""
    for shape in found.shapes[: MOST_SHAPES + 1]:
        made, change = _adapt(shape, asked)
        if made is None:
            if found.is_cut and shape is found.shapes[-1]:
                break
            return None
        shapes.append(made)
        changed = changed or change
    half = len(shapes) // 2
    if half and shapes[:half] == shapes[half:] and not found.is_cut and not is_profile:
        shapes = shapes[:half]
    if not shapes or (asked.single and len(shapes) > 1):
        return None
    count = f"{found.count} " if found.count else ""
    text = count + "".join(f"<{asked.tag}>{','.join(shape)}</{asked.tag}>" for shape in shapes)
    deviation = "list cut off" if found.is_cut else changed or FORMS[found.form].deviation
    return ShapeReading(text, found.form, deviation, space, is_native=not found.is_cut and not changed)


_GLM_BOX = "<|begin_of_box|>"


def _space(found: FoundShapes, declared: bool, is_glm: bool) -> str:
    """The space of a reply's coordinates by its form; empty: the declared one.

    `bbox_2d` is written by models with 0–1000 and by such with pixels of the resized image. Without a declared space it
    is 0–1000, unless a coordinate beyond 1000 rules that out. So are lists in GLM's answer tokens. Plain lists and
    named corners in which no coordinate is beyond 1 and one is no whole number are 0–1.
    """
    known = FORMS[found.form].space
    if known or declared:
        return known
    largest = max((float(value) for shape in found.shapes for value in shape), default=0.0)
    if found.form == "json_bbox_2d" or (is_glm and largest > 1):
        return "0-1000" if largest <= 1000 else "resized"
    if found.form in ("plain", "json_box", "json_corners") and largest <= 1:
        has_fraction = any(not float(value).is_integer() for shape in found.shapes for value in shape)
        return "0-1" if has_fraction else ""
    return ""
