"""English and Chinese texts: templates, lists, number words, ordinals; random words, names and codes."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from sightline.suites.matrix.generator.sample_rng import SampleRng

Wordings = Mapping[str, Sequence[str]]
"""For each language several ways to say the same, with {places} to fill."""
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_CHINESE_DIGITS = "零一二三四五六七八九十"
_ONSETS = [
    "b",
    "br",
    "c",
    "d",
    "dr",
    "f",
    "g",
    "gl",
    "h",
    "j",
    "k",
    "kr",
    "l",
    "m",
    "n",
    "p",
    "pr",
    "r",
    "s",
    "st",
    "t",
    "tr",
    "v",
    "w",
    "z",
]
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ea", "oo")
_ENDS = ("", "l", "n", "r", "m", "s", "t", "x", "nd", "rk", "lt", "ck")
_CHARACTERS = (
    "山水云林石河天海风火金木土日月星光明华东南西北春秋冬夏安平和正大方圆长青红白文武新宏达通利远高清江湖田园"
    "松竹梅兰花草米麦丰荣昌盛泰康宁永恒益源泉桥路门城村镇港洋洲沙岩峰岭谷川溪波涛潮雨雪霜雷电虹霞朝暮晨"
    "马牛羊龙虎鹤凤燕鹿象工力士民友仁义礼智信忠孝廉勇美善真贵富庆祥福寿喜乐"
)
_SURNAMES = "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦许何吕张孔曹严金魏陶姜戚谢邹窦章苏潘葛范彭鲁韦马方俞任袁柳"
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
_DIGITS = "0123456789"
_PATTERNS = ("AA-9999-A", "A99-AA99", "999A-99AA", "AAA 9999", "A9A-9A9A", "99-AAA-99", "AA9999AA")
GOODS = (
    ("apple", "苹果"), ("notebook", "笔记本"), ("pencil", "铅笔"), ("lamp", "台灯"), ("mug", "马克杯"),
    ("towel", "毛巾"), ("candle", "蜡烛"), ("ball", "皮球"), ("melon", "西瓜"), ("cable", "电线"),
    ("brush", "刷子"), ("basket", "篮子"),
)  # fmt: skip
"""Names of goods, in English and Chinese."""


@cache
def _read_texts(package: str) -> dict[str, dict[str, Any]]:
    return tomllib.loads(files(package).joinpath("texts.toml").read_text("utf-8"))


def load_texts(module: str) -> dict[str, Any]:
    """Return the question texts of a module: its section of `texts.toml` in the same package."""
    package, _, name = module.rpartition(".")
    return _read_texts(package)[name]


def fill_wording(rng: SampleRng, wordings: Wordings, language: str, **facts: object) -> str:
    """Choose one of the templates of a language and fill it in."""
    return rng.pick(wordings[language]).format(**facts)


def join_words(words: Sequence[str], language: str, last: str = "") -> str:
    """Join words as a list in a sentence: a, b and c."""
    join = last or (" and " if language == "en" else "和")
    comma = ", " if language == "en" else "、"
    return words[0] if len(words) == 1 else comma.join(words[:-1]) + join + words[-1]


def number_word(number: int, language: str) -> str:
    """Return a small number as a word, larger ones as digits."""
    if language == "en":
        return _NUMBERS[number] if number < len(_NUMBERS) else str(number)
    return _CHINESE_DIGITS[number] if number < len(_CHINESE_DIGITS) else str(number)


def count_answers(number: int, language: str) -> list[str]:
    """Return ten annotator answers to "how many"."""
    word = number_word(number, language)
    return [str(number)] * 8 + [word] * 2


def ordinal(number: int, language: str) -> str:
    """Return an ordinal: 1st, 2nd, 3rd…"""
    if language == "zh":
        return f"第{number_word(number, 'zh')}"
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def random_word(rng: SampleRng, language: str) -> str:
    """Return a made-up word."""
    if language == "zh":
        return "".join(rng.some(_CHARACTERS, rng.whole(2, 4)))
    parts = [rng.pick(_ONSETS) + rng.pick(_VOWELS) + rng.pick(_ENDS) for _ in range(2)]
    return "".join(parts).capitalize()


def random_name(rng: SampleRng, language: str) -> str:
    """Return a made-up person's name."""
    if language == "zh":
        return rng.pick(_SURNAMES) + "".join(rng.some(_CHARACTERS, 2))
    return f"{random_word(rng, 'en')} {random_word(rng, 'en')}"


def random_code(rng: SampleRng) -> str:
    """Return a code such as KD-4071-X, without letters that resemble digits."""
    pattern = rng.pick(_PATTERNS)
    return "".join(
        rng.pick(_LETTERS) if sign == "A" else rng.pick(_DIGITS) if sign == "9" else sign for sign in pattern
    )


def random_line(rng: SampleRng, language: str) -> str:
    """Return a line as on a sign: words and a code in random order."""
    space = "" if language == "zh" else " "
    parts = [space.join(random_word(rng, language) for _ in range(rng.whole(1, 2))), random_code(rng)]
    if rng.chance(0.4):
        parts = parts[::-1]
    text = " ".join(parts)
    return text.upper() if rng.chance(0.4) else text
