"""The replies of a model that is mostly right and errs in known ways."""

from __future__ import annotations

import re

from sightline.suites.remote_sensing.generator.catalog import ZH
from sightline.suites.remote_sensing.generator.dice import Dice
from sightline.suites.remote_sensing.generator.misdrawn import SHAPE, drawn
from sightline.suites.remote_sensing.generator.places.all import PLACES
from sightline.suites.remote_sensing.generator.questions.base import Question
from sightline.suites.remote_sensing.generator.questions.images import PLACES_ZH
from sightline.suites.remote_sensing.generator.questions.pixels import LABELS

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
WAYS: dict[str, dict[str, int]] = {
    "label": {**_ALWAYS, **_LABEL},
    "caption": {**_ALWAYS, **_CAPTION},
    "shapes": {**_ALWAYS, **_SHAPES},
    "counted shapes": {**_ALWAYS, **_SHAPES, "count disagrees": 4},
    "number": {**_ALWAYS, "wrong": 14, "spelling variant": 4},
    "indices": {**_ALWAYS, "wrong": 12, "spelling variant": 6},
    "yes or no": {**_ALWAYS, "wrong": 12, "spelling variant": 8},
}
"""How often each way is taken, in percent; the rest is right."""
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


def reply(task: str, question: Question, size: int, dice: Dice) -> tuple[str, str | None]:
    """How the model errs here, and what it says; nothing where its line is missing."""
    family = FAMILIES[task]
    way = _way(family, question.gt, dice)
    if way == MISSING:
        return way, None
    if family.endswith("shapes"):
        text = drawn(way, question.gt, (_TAGS.get(task, "box"), family.startswith("counted")), size, dice)
    elif family == "caption":
        text = _caption(way, question.gt)
    else:
        text = _short(family, way, question.gt, dice)
    return way, _dressed(way, text, family, dice)


def _way(family: str, gt: str, dice: Dice) -> str:
    """By chance, among those that this answer can suffer."""
    throw = dice.between(0, 100)
    shapes = len(SHAPE.findall(gt))
    for way, share in WAYS[family].items():
        throw -= share
        if throw < 0:
            impossible = (
                (way == "synonym" and gt not in _SYNONYMS)
                or (way == "missing shape" and shapes < 2)
                or (way in ("lacks a coordinate", "mis-scaled 0-1", "mis-scaled 0-1000") and not shapes)
                or (way == "count disagrees" and not shapes)
            )
            return RIGHT if impossible else way
    return RIGHT


def _short(family: str, way: str, gt: str, dice: Dice) -> str:
    if way == "wrong":
        return _wrong(family, gt, dice)
    if way == "synonym":
        return _SYNONYMS[gt]
    if way == "spelling variant":
        if family == "number":
            return dice.pick((f"{gt}.0", f"  {gt}", f"{gt} ", f"{gt}."))
        if family == "indices":
            return dice.pick((gt.replace(",", ", "), f" {gt} ", gt.replace(",", " , ")))
        return dice.pick((f"  {gt.title()} ", gt.upper(), f"{gt.capitalize()}.", f"\t{gt}"))
    return gt


def _wrong(family: str, gt: str, dice: Dice) -> str:
    if family == "yes or no":
        return "No" if gt == "Yes" else "Yes"
    if family == "number":
        return str(int(gt) + dice.pick((-2, -1, 1, 2)) if int(gt) > 1 else int(gt) + dice.whole(1, 3))
    if family == "indices":
        return dice.pick([each for each in ("1", "2", "1,2", "2,3", "1,4") if each != gt])
    if gt in PLACES:
        return dice.pick([place for place in PLACES if place != gt])
    parts = gt.split(";")
    other = dice.pick([label for label in LABELS if label not in parts])
    return ";".join(sorted((*parts[1:], other)))


def _caption(way: str, gt: str) -> str:
    if way == "reworded":
        return " ".join(_WORDS.get(word, word) for word in gt.split())
    if way == "cut short":
        return " ".join(gt.split()[:7])
    return "A large snowy mountain range with deep valleys and no buildings at all." if way == "wrong" else gt


def _dressed(way: str, text: str, family: str, dice: Dice) -> str:
    """The ways that any reply can suffer."""
    if way == "empty":
        return dice.pick(("", "", "   "))
    if way == "text instead":
        return dice.pick(_REFUSALS)
    if way == "html":
        return f"<p>{text}</p>" if dice.chance() else f"<div class='answer'><b>{text}</b></div>"
    if way == "line breaks":
        return dice.pick((f"\n{text}\n", f"{text}\r\n", f"\r\n\r\n{text}", text.replace("</box><", "</box>\n<") + "\n"))
    if way == "control characters":
        sign = dice.pick(_CONTROLS)
        return text.replace(" ", f"{sign} ", 1) if " " in text else f"{text}{sign}"
    return _chinese(text, family) if way == "Chinese" else text


def _chinese(text: str, family: str) -> str:
    if family == "yes or no":
        return "是" if text == "Yes" else "否"
    if family == "label":
        return "；".join(ZH.get(part) or PLACES_ZH.get(part, part) for part in re.split(";", text))
    if family == "caption":
        return "这是一张遥感图像，图中可以看到道路、建筑物和若干车辆。"
    return f"答案：{text}"
