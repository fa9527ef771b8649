"""Replies of a simulated model that is mostly right, with known errors at known rates."""

from __future__ import annotations

import re

from sightline.suites.remote_sensing.generator.catalog import ZH
from sightline.suites.remote_sensing.generator.questions import Question
from sightline.suites.remote_sensing.generator.questions.images import SCENE_CLASSES_ZH
from sightline.suites.remote_sensing.generator.questions.pixels import LABELS
from sightline.suites.remote_sensing.generator.scene_layouts import SCENE_LAYOUTS
from sightline.suites.remote_sensing.generator.seeded_random import SeededRandom

SHAPE = re.compile(r"<(box|quad|poly|dot)>((?:<\d+>)+)</\1>")
_NUMBER = re.compile(r"<(\d+)>")


def corrupt_shapes(error: str, gt: str, form: tuple[str, bool], size: int, rng: SeededRandom) -> str:
    """A corrupted reply with shapes, derived from the true answer; `form` is the tag and whether a count precedes."""
    tag, counted = form
    shapes = [[float(value) for value in _NUMBER.findall(body)] for _, body in SHAPE.findall(gt)]
    corrupted = [_jitter(tag, shape, size, rng) for shape in shapes]
    if error == "shifted shapes":
        corrupted = [_shift(shape, size, rng) for shape in shapes]
    elif error == "extra shape":
        corrupted += [_random_shape(tag, size, rng) for _ in range(rng.whole(1, 2))]
    elif error == "missing shape":
        corrupted = rng.some(corrupted, max(len(corrupted) - rng.whole(1, 2), 1))
    elif error == "lacks a coordinate":
        corrupted[0] = corrupted[0][:-1]
    if error == "mis-scaled 0-1":
        body = "".join(_text(tag, [f"{value / size:.3f}" for value in shape_values]) for shape_values in corrupted)
    else:
        factor = 1000 / size if error == "mis-scaled 0-1000" else 1.0
        body = "".join(_text(tag, [str(round(value * factor)) for value in shape_values]) for shape_values in corrupted)
    if not counted:
        return body or "0"
    number = len(corrupted) + (rng.pick((-1, 1, 2)) if error == "count disagrees" else 0)
    return f"{number} {body}".strip()


def _text(tag: str, values: list[str]) -> str:
    return f"<{tag}>{''.join(f'<{value}>' for value in values)}</{tag}>"


def _jitter(tag: str, values: list[float], size: int, rng: SeededRandom) -> list[float]:
    """The coordinates jittered by 8 % of the shape's size, at most 4 pixels, clipped to the picture."""
    xs, ys = values[::2], values[1::2]
    reach = min(max(min(max(xs) - min(xs), max(ys) - min(ys)) * 0.08, 0.4), 4.0)
    if tag == "box":
        moved = [value + rng.between(-reach, reach) for value in values]
    else:
        # all corners alike, so that a ring stays a ring
        right, down = rng.between(-reach, reach), rng.between(-reach, reach)
        moved = [value + (down if k % 2 else right) for k, value in enumerate(values)]
    return [float(round(min(max(value, 0), size))) for value in moved]


def _shift(values: list[float], size: int, rng: SeededRandom) -> list[float]:
    """The shape displaced by about a quarter of its size, within the picture."""
    xs, ys = values[::2], values[1::2]
    moves = []
    for side in (xs, ys):
        reach = max((max(side) - min(side)) * rng.between(0.15, 0.35), 1.0) * rng.pick((-1, 1))
        moves.append(min(max(reach, -min(side)), size - max(side)))
    return [round(value + moves[k % 2]) for k, value in enumerate(values)]


def _random_shape(tag: str, size: int, rng: SeededRandom) -> list[float]:
    """A shape at a random position."""
    side = size // 16
    left, top = rng.whole(1, size - side - 2), rng.whole(1, size - side - 2)
    right, bottom = left + side, top + side
    corners = (left, top, right, bottom) if tag == "box" else (left, top, right, top, right, bottom, left, bottom)
    return [float(value) for value in corners]


MISSING = "missing line"
RIGHT = "right"
_ALWAYS = {
    MISSING: 2,
    "empty": 2,
    "text instead": 2,
    "html": 1,
    "line breaks": 2,
    "control characters": 1,
    "Chinese": 2,
}
_LABEL = {"wrong": 12, "spelling variant": 8, "synonym": 4}
_SHAPES = {"extra shape": 6, "missing shape": 6, "lacks a coordinate": 3, "mis-scaled 0-1": 2, "mis-scaled 0-1000": 2}
_CAPTION = {"reworded": 40, "cut short": 6, "wrong": 6}
FAMILIES: dict[str, str] = {
    **dict.fromkeys(("图片分类", "水平区域分类", "旋转区域分类", "像素分类", "细粒度识别"), "label"),
    **dict.fromkeys(("简洁图片描述", "详细图片描述", "区域描述"), "caption"),
    **dict.fromkeys(("VQA3", "视觉定位", "语义分割", "实例分割", "变化检测"), "shapes"),
    **dict.fromkeys(("水平区域检测", "旋转区域检测"), "counted shapes"),
    **dict.fromkeys(("VQA2", "计数"), "number"),
    "图片检索": "indices",
    "VQA1": "yes or no",
}
ERROR_RATES: dict[str, dict[str, int]] = {
    "label": {**_ALWAYS, **_LABEL},
    "caption": {**_ALWAYS, **_CAPTION},
    "shapes": {**_ALWAYS, **_SHAPES},
    "counted shapes": {**_ALWAYS, **_SHAPES, "count disagrees": 4},
    "number": {**_ALWAYS, "wrong": 14, "spelling variant": 4},
    "indices": {**_ALWAYS, "wrong": 12, "spelling variant": 6},
    "yes or no": {**_ALWAYS, "wrong": 12, "spelling variant": 8},
}
"""Rate of each error in percent, by family; the remaining replies are right."""
_TAGS = {"旋转区域检测": "quad", "语义分割": "poly", "实例分割": "poly", "变化检测": "dot"}
_SYNONYMS = {"airplane": "aircraft", "ship": "vessel", "storage tank": "oil tank"}
_REFUSALS = ("I cannot tell from this picture.", "The picture is too blurred to answer.", "unknown", "n/a")
_CONTROLS = ("\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u200b", "\x00")
_WORDS = {
    "shows": "depicts",
    "picture": "image",
    "seen": "viewed",
    "part": "corner",
    "visible": "apparent",
    "with": "including",
}


def corrupt_reply(task: str, question: Question, size: int, rng: SeededRandom) -> tuple[str, str | None]:
    """The kind of error and the corrupted reply; None if the line is missing."""
    family = FAMILIES[task]
    error = _pick_error(family, question.gt, rng)
    if error == MISSING:
        return error, None
    if family.endswith("shapes"):
        text = corrupt_shapes(error, question.gt, (_TAGS.get(task, "box"), family.startswith("counted")), size, rng)
    elif family == "caption":
        text = _corrupt_caption(error, question.gt)
    else:
        text = _corrupt_short(family, error, question.gt, rng)
    return error, _corrupt_text(error, text, family, rng)


def add_label_noise(task: str, question: Question, size: int, rng: SeededRandom) -> tuple[str, str] | None:
    """The kind of error of a careless annotator, and the wrong truth; None for captions, which have no one truth."""
    family, gt = FAMILIES[task], question.gt
    if family == "caption":
        return None
    if not family.endswith("shapes"):
        return "wrong", _wrong(family, gt, rng)
    count = len(SHAPE.findall(gt))
    errors = ["extra shape"] if not count or task != "视觉定位" else []
    errors += ["shifted shapes"] if count else []
    errors += ["missing shape"] if count > 1 else []
    error = rng.pick(errors)
    form = _TAGS.get(task, "box"), family.startswith("counted")
    return error, corrupt_shapes(error, gt, form, size, rng)


def _pick_error(family: str, gt: str, rng: SeededRandom) -> str:
    """A random kind of error that is applicable to the answer."""
    remaining = rng.between(0, 100)
    shapes = len(SHAPE.findall(gt))
    for error, share in ERROR_RATES[family].items():
        remaining -= share
        if remaining < 0:
            impossible = (
                (error == "synonym" and gt not in _SYNONYMS)
                or (error == "missing shape" and shapes < 2)
                or (error in ("lacks a coordinate", "mis-scaled 0-1", "mis-scaled 0-1000") and not shapes)
                or (error == "count disagrees" and not shapes)
            )
            return RIGHT if impossible else error
    return RIGHT


def _corrupt_short(family: str, error: str, gt: str, rng: SeededRandom) -> str:
    if error == "wrong":
        return _wrong(family, gt, rng)
    if error == "synonym":
        return _SYNONYMS[gt]
    if error == "spelling variant":
        if family == "number":
            return rng.pick((f"{gt}.0", f"  {gt}", f"{gt} ", f"{gt}."))
        if family == "indices":
            return rng.pick((gt.replace(",", ", "), f" {gt} ", gt.replace(",", " , ")))
        return rng.pick((f"  {gt.title()} ", gt.upper(), f"{gt.capitalize()}.", f"\t{gt}"))
    return gt


def _wrong(family: str, gt: str, rng: SeededRandom) -> str:
    if family == "yes or no":
        return "No" if gt == "Yes" else "Yes"
    if family == "number":
        return str(int(gt) + rng.pick((-2, -1, 1, 2)) if int(gt) > 1 else int(gt) + rng.whole(1, 3))
    if family == "indices":
        return rng.pick([indices for indices in ("1", "2", "1,2", "2,3", "1,4") if indices != gt])
    if gt in SCENE_LAYOUTS:
        return rng.pick([scene_class for scene_class in SCENE_LAYOUTS if scene_class != gt])
    parts = gt.split(";")
    replacement = rng.pick([label for label in LABELS if label not in parts])
    return ";".join(sorted((*parts[1:], replacement)))


def _corrupt_caption(error: str, gt: str) -> str:
    if error == "reworded":
        return " ".join(_WORDS.get(word, word) for word in gt.split())
    if error == "cut short":
        return " ".join(gt.split()[:7])
    return "A large snowy mountain range with deep valleys and no buildings at all." if error == "wrong" else gt


def _corrupt_text(error: str, text: str, family: str, rng: SeededRandom) -> str:
    """Apply errors that are independent of the task."""
    if error == "empty":
        return rng.pick(("", "", "   "))
    if error == "text instead":
        return rng.pick(_REFUSALS)
    if error == "html":
        return f"<p>{text}</p>" if rng.chance() else f"<div class='answer'><b>{text}</b></div>"
    if error == "line breaks":
        return rng.pick((f"\n{text}\n", f"{text}\r\n", f"\r\n\r\n{text}", text.replace("</box><", "</box>\n<") + "\n"))
    if error == "control characters":
        sign = rng.pick(_CONTROLS)
        return text.replace(" ", f"{sign} ", 1) if " " in text else f"{text}{sign}"
    return _chinese(text, family) if error == "Chinese" else text


def _chinese(text: str, family: str) -> str:
    if family == "yes or no":
        return "是" if text == "Yes" else "否"
    if family == "label":
        return "；".join(ZH.get(part) or SCENE_CLASSES_ZH.get(part, part) for part in re.split(";", text))
    if family == "caption":
        return "这是一张遥感图像，图中可以看到道路、建筑物和若干车辆。"
    return f"答案：{text}"
