"""Rows of dominoes with gaps, one of them in another colour."""

from __future__ import annotations

from sightline.suites.matrix.generator.palette import BY_NAME, pick_shade
from sightline.suites.matrix.generator.reasoning.change import CounterfactualQuestion
from sightline.suites.matrix.generator.reasoning.drawing import new_canvas, random_style
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import fill_wording

_PLAIN = {
    "en": (
        "The dominoes stand in one row that goes on from line to line, left to right. If the {colour} domino "
        "were taken "
        "away and the first one pushed to the right, how many dominoes would fall? A gap of one missing domino stops "
        "the fall.",
        "Imagine the {colour} domino is missing and somebody pushes the very first domino towards the next one. How "
        "many dominoes fall, if none can reach across a missing one? The row reads line by line, from left to right.",
    ),
    "zh": (
        "多米诺骨牌排成一列，从左到右、逐行相接。如果拿走{colour}的骨牌，再推倒第一块，共有多少块会倒下？缺一块就会中断。",
        "假设{colour}的骨牌不在了，有人把第一块推向下一块。骨牌逐行从左到右相接，缺一块就传不过去，会倒下多少块？",
    ),
}
_REACH = {
    "en": (
        "The dominoes stand in one row that goes on from line to line, left to right; a tick marks each place, "
        "and some places are empty. A falling "
        "domino knocks over the next one across {reach} empty place(s), but not across more. If the {colour} domino "
        "were taken away too and the first one pushed, how many dominoes would fall?",
    ),
    "zh": (
        "多米诺骨牌逐行从左到右相接，每个位置有一条短刻度线，有些位置是空的。倒下的骨牌能隔着{reach}个空位碰倒下一块，但不能隔更多。"
        "如果再拿走{colour}的骨牌并推倒第一块，共有多少块会倒下？",
    ),
}
_LINE = 14


def count_fallen(places: list[bool], reach: int) -> int:
    """How many fall when the first is pushed and each reaches across so many empty places."""
    count = empty = 0
    for stands in places:
        if stands:
            count, empty = count + 1, 0
        else:
            empty += 1
        if empty > reach:
            break
    return count


def _draw_dominoes(rng: SampleRng, places: list[bool], special: int, colour: str) -> bytes:
    style = random_style(rng)
    rows = -(-len(places) // _LINE)
    canvas = new_canvas(style, 40 + 40 * _LINE, 30 + 100 * rows)
    plain = rng.pick(("#3b4a5a", "#4a4a4a", "#5a4a3b"))
    for row in range(rows):
        y = 100.0 + 100 * row
        canvas.line([(20, y), (20 + 40 * _LINE, y)], "#8a93a0", 3.0)
        for place in range(_LINE):
            canvas.line([(40 + 40 * place, y), (40 + 40 * place, y + 8)], "#8a93a0", 2.0)
    for k, stands in enumerate(places):
        row, place = divmod(k, _LINE)
        x, y = 40 + 40 * place, 100.0 + 100 * row
        if stands:
            canvas.rounded((x - 7, y - 68, x + 7, y - 1), 3, pick_shade(rng, colour) if k == special else plain)
    return canvas.png()


def _make_question(rng: SampleRng, language: str, reach: int) -> CounterfactualQuestion:
    """Places such that each of many numbers of fallen ones is about as likely."""
    wanted = rng.whole(4, 30)
    total = wanted + rng.whole(4, 10)
    while True:
        places = [True, *(not rng.chance(0.14 if reach else 0.0) for _ in range(total))]
        special = rng.whole(2, len(places) - 2)
        without = [stands and k != special for k, stands in enumerate(places)]
        found = count_fallen(without, reach)
        if places[special] and found == wanted and count_fallen(places, reach) > found:
            break
    colour = rng.pick(("red", "orange", "yellow", "pink"))
    word = BY_NAME[colour].zh if language == "zh" else colour
    return CounterfactualQuestion(
        instruction=fill_wording(rng, _REACH if reach else _PLAIN, language, colour=word, reach=reach),
        answer=found,
        pictures=(_draw_dominoes(rng, places, special, colour),),
        scene={"type": "dominoes", "places": places, "special": special, "reach": reach},
    )


def without_gaps(rng: SampleRng, language: str) -> CounterfactualQuestion:
    """No gaps but the one that is made."""
    return _make_question(rng, language, 0)


def with_gaps(rng: SampleRng, language: str) -> CounterfactualQuestion:
    """Empty places, and a rule on how far a domino reaches."""
    return _make_question(rng, language, rng.pick((1, 2)))
