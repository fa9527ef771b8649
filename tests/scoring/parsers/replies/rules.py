"""Replies made by rule, each with its right reading: templates of what models write, filled with numbers, names, boxes.

`python -m tests.scoring.parsers.replies.rules` writes corpus.jsonl, which holds these and the replies written by hand.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
LABELS = (
    "airport",
    "baseball field",
    "bridge",
    "bus",
    "car",
    "field",
    "harbor",
    "ship",
    "storage tank",
    "tennis court",
    "truck",
)
Case = dict[str, Any]
"""`kind`, `reply`, and `reading` in the asked form; None: the reply does not say one thing."""

COUNTS = (
    "There are {n} {things} in the image.",
    "There are {n} {things} visible.",
    "I can see {n} {things}.",
    "I count {n} {things} in this scene.",
    "The image contains {n} {things}.",
    "In total, {n} {things} can be seen.",
    "The number of {things} is {n}.",
    "The total count of {things} in the picture is {n}.",
    "{n} {things}",
    "{n} {things} are parked along the road.",
    "Answer: {n}",
    "**Answer:** {n}",
    "The answer is {n}.",
    "The answer is **{n}**.",
    "After a careful look at every row, the final answer is {n}.",
    "\\boxed{{{n}}}",
    "The result is $\\boxed{{{n}}}$.",
    "<answer>{n}</answer>",
    "<think>Let me count: 1, 2, 3 ... that makes {n}.</think>{n} {things}",
    "```\n{n}\n```",
    "# Result\n\n{n}",
    "Number of {things}: {n}",
    "There appear to be approximately {n} {things}.",
    "Based on the image, there are {n} {things}.",
    "There are exactly {n} {things}. Answer: {n}",
)
SPELT_COUNTS = (
    "There are {n} {things} in the image.",
    "I can see {n} {things}.",
    "{n} {things} are visible.",
    "Answer: {n}",
    "The image contains {n} {things}.",
)
CHINESE_COUNTS = (
    "图中有{n}辆车。",
    "图像中共有{n}艘船。",
    "一共{n}架飞机",
    "答案是{n}",
    "答案：{n}",
    "{n}个",
    "该图中可以看到{n}栋建筑。",
)
NO_COUNTS = (
    "There are between {n} and {m} {things}.",
    "There are {n} or {m} {things}.",
    "{n}-{m}",
    "{n} to {m} {things}",
    "There are more than {n} {things}.",
    "There are at least {n} {things}, maybe more.",
    "There are {n} {things} and {m} buildings.",
    "{n} on the left and {m} on the right",
    "The image has a size of {n} × {m} pixels.",
    "The {things} are {n} meters apart from the road.",
    "The scene was recorded in 20{n}.",
    "Image {n} shows a harbor.",
    "Terminal {n} is at the top of the image.",
    "I do not think there are {n} {things}.",
    "It is impossible to say whether there are {n} {things}.",
    "Row 1: {n}, row 2: {m}.",
    "图中有{n}或{m}辆车。",
    "图中有{n}到{m}艘船。",
    "至少{n}辆",
    "About {n} % of the picture is water.",
)
YES = (
    "Yes, there is a {thing}.",
    "Yes, a {thing} is visible in the upper part of the image.",
    "Yes. The image shows a {thing}.",
    "yes, I can see a {thing}",
    "**Yes**, there is a {thing} in the image.",
    "Answer: Yes",
    "The answer is yes.",
    "\\boxed{{Yes}}",
    "<answer>yes</answer>",
    "<think>Is there a {thing}? No... yes.</think>Yes.",
    "There is a {thing} in the image.",
    "There are several {things} in the picture.",
    "是的，图中有{zh}。",
    "图中有{zh}。",
    "答案：有",
)
NO = (
    "No, there is no {thing}.",
    "No, the image does not show a {thing}.",
    "No. I cannot find any {things}.",
    "**No**, there are no {things} in the image.",
    "Answer: No",
    "The answer is no.",
    "\\boxed{{No}}",
    "<answer>no</answer>",
    "There is no {thing} in the image.",
    "There are no {things} in this picture.",
    "No {things} are visible.",
    "图中没有{zh}。",
    "没有{zh}",
    "不存在{zh}。",
    "未发现{zh}。",
)
NEITHER = (
    "I cannot tell whether there is a {thing}.",
    "There might be a {thing} near the edge.",
    "It could be a {thing} or a building.",
    "The image shows a wide road with trees.",
    "There is a road, but no {thing}.",
    "Yes and no: the {thing} is only partly visible.",
    "If that is a {thing}, then yes.",
    "Possibly, but the resolution is too low to see a {thing}.",
    "无法判断图中是否有{zh}。",
    "图中可能有{zh}。",
    "是否有{zh}不确定。",
    "Please upload the image so that I can look for a {thing}.",
)
ONE_LABEL = (
    "The image shows a {label}.",
    "The image shows **{label}**.",
    "It is a {label}.",
    "This is a {label}",
    "The object in the region is a {label}.",
    "{label}s",
    "A {label}",
    "Answer: {label}",
    "The answer is {label}.",
    "Category: {label}",
    "\\boxed{{{label}}}",
    "<answer>{label}</answer>",
    "<think>{other}? no, {label}</think>{label}.",
    "```\n{label}\n```",
    "The scene is best described as a {label}, seen from above.",
)
NO_LABEL = (
    "This is not a {label}.",
    "It is either a {label} or a {other}.",
    "A {label} beside a {other}.",
    "{label} or {other}",
    "There is no {label} in the region.",
    "It is neither a {label} nor a {other}.",
    "I am unable to identify the object.",
    "A group of trees near a river.",
    "Answer: {label}\nAnswer: {other}",
    "The {label} and the {other} are both visible.",
)
PROSE = (
    "An aerial view of a {a} surrounded by trees, with a road running from north to south.",
    "The picture shows a residential district with red roofs and a {a} in the lower right corner.",
    "A {a} lies at the edge of a wide river that flows through farmland.",
    "Dense green forest covers most of the scene while a {a} occupies the centre.",
    "This satellite image depicts a {a} near the coast; white waves break on the beach.",
    "A highway interchange with several lanes passes beside a {a}.",
    "The {a} is made of concrete and stands next to a parking lot with rows of vehicles.",
    "Grey buildings of different heights stand around a {a}, casting long shadows.",
)


def make_cases() -> Iterator[Case]:
    """All replies by rule."""
    chance = random.Random(17)
    yield from _counts(chance)
    yield from _yes_no(chance)
    yield from _labels(chance)
    yield from _boxes(chance)
    yield from _polygons(chance)
    yield from _indices(chance)
    yield from _prose()


def _counts(chance: random.Random) -> Iterator[Case]:
    things = ("cars", "ships", "airplanes", "storage tanks", "tennis courts")
    for template in COUNTS:
        for number in (2, 7, 12, 36, 101, 1250, *(chance.randrange(3, 400) for _ in range(6))):
            yield {"kind": "count", "reply": template.format(n=number, things=chance.choice(things)), "reading": number}
    for template in SPELT_COUNTS:
        for number in (2, 3, 9, 11, 14, 20, 21, 36, 48, 77, 99, 100, 125, 340):
            reply = template.format(n=spell(number), things=chance.choice(things))
            yield {"kind": "count", "reply": reply, "reading": number}
    for template in CHINESE_COUNTS:
        for number in (3, 10, 12, 20, 36, 58, 99, 105, 128, 250):
            for written in (str(number), spell_chinese(number)):
                yield {"kind": "count", "reply": template.format(n=written), "reading": number}
    for template in NO_COUNTS:
        for _ in range(10):
            low = chance.randrange(10, 80)
            reply = template.format(n=low, m=low + chance.randrange(2, 30), things=chance.choice(things))
            yield {"kind": "count", "reply": reply, "reading": None}
    for thing in (*things, "bridges", "helicopters"):
        for template in (
            "There are no {t}.",
            "No {t} are visible in the image.",
            "The image does not contain any {t}.",
        ):
            yield {"kind": "count", "reply": template.format(t=thing), "reading": 0}


def _yes_no(chance: random.Random) -> Iterator[Case]:
    things = (("ship", "船"), ("airplane", "飞机"), ("bridge", "桥"), ("storage tank", "油罐"), ("stadium", "体育场"))
    for templates, reading in ((YES, "yes"), (NO, "no"), (NEITHER, None)):
        for template in templates:
            for thing, chinese in things:
                reply = template.format(thing=thing, things=f"{thing}s", zh=chinese)
                yield {"kind": "yesno", "reply": reply, "reading": reading}


def _labels(chance: random.Random) -> Iterator[Case]:
    for templates, is_read in ((ONE_LABEL, True), (NO_LABEL, False)):
        for template in templates:
            for label in LABELS:
                other = chance.choice([name for name in LABELS if name not in label and label not in name])
                named = template.format(label=label, other=other)
                if "{label}s" in template and label.endswith("s"):
                    named = f"{label}es"
                yield {"kind": "label", "reply": named, "reading": label if is_read else None}


def _boxes(chance: random.Random) -> Iterator[Case]:
    for form in BOX_FORMS:
        for _ in range(14):
            boxes = [_box(chance) for _ in range(chance.randrange(1, 5))]
            reply, space = form(boxes)
            yield {"kind": "boxes", "reply": reply, "reading": {"space": space, "shapes": boxes}}
    for thing in ("ships", "cars", "planes", "bridges", "tanks"):
        for template in (
            "No {t} are visible.",
            "There are no {t} in the image.",
            "I don't see any {t} in this picture.",
            "The image does not contain {t}.",
        ):
            yield {"kind": "boxes", "reply": template.format(t=thing), "reading": {"space": "", "shapes": []}}
        for template in (
            "The {t} are in the upper left corner.",
            "There are 4 {t}: 2 on the left, 1 on the right and 1 in the centre.",
            "I can see {t} near (100, 200).",
            "The {t} cover about 12, 13 and 14 percent.",
            "There are no buildings, but {t} are visible.",
            "The width of the {t} is 12.5 and their length 80.2.",
            "Row 1 has 10 {t}, row 2 has 20, row 3 has 30, row 4 has 40.",
        ):
            yield {"kind": "boxes", "reply": template.format(t=thing), "reading": None}


def _box(chance: random.Random) -> list[int]:
    x, y = chance.randrange(2, 800), chance.randrange(2, 800)
    return [x, y, x + chance.randrange(5, 190), y + chance.randrange(5, 190)]


def _tag(name: str, box: list[int]) -> str:
    return f"<{name}>" + "".join(f"<{side}>" for side in box) + f"</{name}>"


def _json(key: str, boxes: list[list[int]], y_first: bool = False) -> list[dict[str, Any]]:
    return [{key: [b, a, d, c] if y_first else [a, b, c, d], "label": "ship"} for a, b, c, d in boxes]


BOX_FORMS = (
    lambda boxes: ("".join(f"<ref>ship</ref><box>({a},{b}),({c},{d})</box>" for a, b, c, d in boxes), "0-1000"),
    lambda boxes: ("".join(f"<|box_start|>({a},{b}),({c},{d})<|box_end|>" for a, b, c, d in boxes), "0-1000"),
    lambda boxes: ("```json\n" + json.dumps(_json("bbox_2d", boxes), indent=2) + "\n```", "0-1000"),
    lambda boxes: (json.dumps(_json("bbox_2d", boxes)) + "\nThese are all ships.", "0-1000"),
    lambda boxes: (json.dumps(_json("bbox_2d", boxes))[:-1] + ', {"bbox_2d": [5, 6', "0-1000"),
    lambda boxes: (json.dumps(_json("box_2d", boxes, y_first=True)), "0-1000"),
    lambda boxes: ("Here you go:\n```json\n" + json.dumps(_json("box_2d", boxes, y_first=True)) + "\n```", "0-1000"),
    lambda boxes: (f"<ref>ship</ref><box>{boxes}</box>", "0-1000"),
    lambda boxes: (
        " ; ".join("".join(f"<loc{v:04d}>" for v in (b, a, d, c)) + " ship" for a, b, c, d in boxes),
        "0-1023",
    ),
    lambda boxes: ("".join("ship" + "".join(f"<loc_{v}>" for v in box) for box in boxes), "0-1000"),
    lambda boxes: (f"<|ref|>ship<|/ref|><|det|>{boxes}<|/det|>", "0-999"),
    lambda boxes: (str(boxes), ""),
    lambda boxes: ("The boxes are " + ", ".join(map(str, boxes)) + ".", ""),
    lambda boxes: ("\n".join(f"- ship: ({a}, {b}, {c}, {d})" for a, b, c, d in boxes), ""),
    lambda boxes: ("\n".join(f"{n}. ship at ({a}, {b}) to ({c}, {d})" for n, (a, b, c, d) in enumerate(boxes, 1)), ""),
    lambda boxes: ("Found: " + "".join(_tag("box", box) for box in boxes), ""),
    lambda boxes: (f"<answer>{''.join(_tag('box', box) for box in boxes)}</answer>", ""),
    lambda boxes: ("Answer: " + " ".join(_tag("box", box) for box in boxes), ""),
    lambda boxes: (json.dumps({"boxes": boxes}), ""),
    lambda boxes: (json.dumps([{"x1": a, "y1": b, "x2": c, "y2": d} for a, b, c, d in boxes]), ""),
    lambda boxes: (f"{boxes}\n\nFinal answer: {boxes}", ""),
    lambda boxes: (f"<think>Perhaps [1, 2, 3, 4]?</think>{json.dumps(_json('bbox', boxes))}", ""),
)


def _polygons(chance: random.Random) -> Iterator[Case]:
    for _ in range(12):
        points = [[chance.randrange(5, 900), chance.randrange(5, 900)] for _ in range(chance.randrange(5, 9))]
        flat = [side for point in points for side in point]
        reading = {"space": "", "shapes": [flat]}
        for reply in (
            str(points),
            json.dumps([{"polygon": points, "label": "field"}]),
            json.dumps({"segmentation": [flat]}),
            "The outline is " + ", ".join(f"({x}, {y})" for x, y in points) + ".",
            "Polygon: <poly>" + "".join(f"<{side}>" for side in flat) + "</poly>",
        ):
            yield {"kind": "polygons", "reply": reply, "reading": reading}


def _indices(chance: random.Random) -> Iterator[Case]:
    for _ in range(8):
        numbers = chance.sample(range(1, 20), chance.randrange(2, 5))
        listed = ", ".join(map(str, numbers))
        joined = ", ".join(map(str, numbers[:-1])) + f" and {numbers[-1]}"
        for reply in (
            f"[{listed}]",
            f"The matching images are {joined}.",
            f"Answer: {listed}",
            f"<answer>{listed}</answer>",
            f"Images {joined}",
            f"The most relevant images are: {listed}.",
            f"图片{'、'.join(map(str, numbers))}",
        ):
            yield {"kind": "indices", "reply": reply, "reading": numbers}
        for reply in (
            f"Image {numbers[0]} shows {numbers[1]} ships.",
            f"Not image {numbers[0]}.",
            f"{numbers[0]} of the images match.",
            f"Images {min(numbers)}-{max(numbers)}",
        ):
            yield {"kind": "indices", "reply": reply, "reading": None}


def _prose() -> Iterator[Case]:
    """Descriptions, which answer no other kind of question and are captions as they are."""
    for template in PROSE:
        for thing in ("stadium", "factory", "large lake", "golf course", "railway station", "vineyard", "quarry"):
            reply = template.format(a=thing)
            yield {"kind": "caption", "reply": reply, "reading": reply}
            yield {"kind": "caption", "reply": f"**{reply}**", "reading": reply}
            for kind in ("count", "yesno", "boxes", "indices"):
                yield {"kind": kind, "reply": reply, "reading": None}


_SMALL = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def spell(number: int) -> str:
    """An English number word below a thousand."""
    if number < 20:
        return _SMALL[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return _TENS[tens - 2] + (f"-{_SMALL[ones]}" if ones else "")
    hundreds, rest = divmod(number, 100)
    return f"{_SMALL[hundreds]} hundred" + (f" and {spell(rest)}" if rest else "")


def spell_chinese(number: int) -> str:
    """A Chinese numeral below a thousand."""
    digits = "零一二三四五六七八九"
    hundreds, rest = divmod(number, 100)
    tens, ones = divmod(rest, 10)
    text = f"{digits[hundreds]}百" if hundreds else ""
    if tens:
        text += ("" if tens == 1 and not hundreds else digits[tens]) + "十"
    elif hundreds and ones:
        text += "零"
    return text + (digits[ones] if ones or not text else "")


def read_by_hand() -> Iterator[Case]:
    """The replies written by hand."""
    for line in (FOLDER / "handwritten.tsv").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            kind, reply, reading = line.split("\t")
            yield {"kind": kind, "reply": json.loads(reply), "reading": json.loads(reading)}


def corpus() -> list[Case]:
    """All replies, each once."""
    found = {(case["kind"], case["reply"]): case for case in (*make_cases(), *read_by_hand())}
    return list(found.values())


def corpus_text() -> str:
    """The contents of corpus.jsonl."""
    return "".join(json.dumps(case, ensure_ascii=False) + "\n" for case in corpus())


if __name__ == "__main__":
    (FOLDER / "corpus.jsonl").write_text(corpus_text(), encoding="utf-8")
