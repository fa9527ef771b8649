"""Numbers, yes or no, labels, indices and captions in sentences: the answer in the asked form, or nothing.

Each function takes the text of an answer and returns (answer in the asked form, deviation), or None where the text does
not say just one thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from msgspec import Struct

from sightline.scoring.parsers.columns.labels import fold_label
from sightline.scoring.parsers.lenient.answer_text import (
    after_question,
    bold_answer,
    has_contrast,
    has_letters,
    has_negation,
    is_unsure,
    says_nothing_is_there,
    strip_markdown,
)
from sightline.scoring.scorers.numbers import find_chinese_numbers, find_numbers, normalize_notation

Answer = tuple[str, str] | None
LONGEST_SENTENCE = 600
"""A longer text is no sentence with one answer, unless it marks its answer."""

# ---- numbers

_UNITS = {
    word: number
    for number, word in enumerate(
        [
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
    )
}
_TENS = {
    word: 10 * number
    for number, word in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2)
}
_RANKS = {"hundred": 100, "thousand": 1000}
_WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?")
_BOUND = re.compile(
    r"\b(?:more|less|fewer|greater|larger|smaller) than\b|\bat (?:least|most)\b|\bover \d|\bup to\b|\bbetween\b"
    r"|\bdozens?\b|\bhundreds\b"
    r"|\bseveral\b|\bunder \d|\bunless\b|\bif\b|\bmaybe\b|\bplus\b|\bminus\b|\btimes\b|超过|多于|少于|至少|至多"
    r"|以上|以下|(?<![看找见])不到|不足|不超过|\b(?:half|third|quarters?) of\b|来[个辆艘架座栋只条]"
    r"|左右|大约有几|几|数十|数百|之间"
    r"|(?<![十百千])[一二两三四五六七八九][一二三四五六七八九](?![十百千万])|多[个辆艘架座栋只条]"
    r"|余[个辆艘架座栋只条]",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\d\s?[-–—~～/]\s?\d|\d\s*(?:to|or|或|到|至)\s*\d", re.IGNORECASE)
_UNIT_AFTER = re.compile(
    r"\s?(?:m|km|cm|mm|px|pixels?|met(?:er|re)s?|kilomet(?:er|re)s?|feet|ft|degrees?|°|years?|hours?|minutes?"
    r"|o'clock|bits?|bands?|th|st|nd|rd|%|percent|"
    r"米|公里|厘米|像素|度|年|月|日|点|号|时|分)(?![A-Za-z])",
    re.IGNORECASE,
)
_CHINESE_UNIT_AFTER = re.compile(r"\s?(?:米|公里|厘米|像素|度|年|月|日)")
_LIMIT_BEFORE = re.compile(r"(?:^|\s)[<>≤≥]=?\s?$")
_NAME_BEFORE = re.compile(
    r"(?:\b[A-Z][A-Za-z]*|\b(?:image|picture|figure|fig|level|zone|no|number|step|option|area|class|type|band"
    r"|page|runway|gate|terminal|route|highway|version|example|question|part|region))[ \-#.]{1,3}$"
)
_COUNT_WORDS = frozenset(
    [
        "total",
        "count",
        "answer",
        "about",
        "approximately",
        "around",
        "roughly",
        "nearly",
        "almost",
        "only",
        "exactly",
        "just",
        "i",
        "there",
        "we",
        "are",
        "is",
        "found",
        "counted",
        "see",
        "detected",
        "number",
        "the",
        "a",
        "contains",
        "shows",
        "has",
        "have",
        "of",
        "estimate",
        "estimated",
        "result",
        "all",
        "in",
        "visible",
    ]
)
_MEASURE = re.compile(
    r"\b(?:sizes?|resolution|width|height|length|area|year|date|distance|scale|altitude|coordinates?|pixels?"
    r"|confidence|probability|score|tall)\b"
    r"|尺寸|分辨率|宽度|高度|长度|面积|年份|距离|坐标|置信度",
    re.IGNORECASE,
)
_EQUATION = re.compile(r"[\d\s+×x*.,()-]+=\s*(\d[\d,]*)\W*")
_PART_BREAK = re.compile(r"[;，；、]|,(?!\d)|(?<!hundred )(?<!thousand )\band\b|\bplus\b|和", re.IGNORECASE)
_TOTAL = re.compile(
    r"\b(?:so|thus|therefore|hence|total|altogether|sum|overall|i\.e)\b|共|总|所以|因此|合计", re.IGNORECASE
)
_YEAR_BEFORE = re.compile(r"\b(?:in|since|from|by|of|during|year|at)\s$", re.IGNORECASE)


def read_count(text: str) -> Answer:
    """A number: the only one of a sentence, in digits or words; none where there are several or it is a bound."""
    text = strip_markdown(text)
    if len(text) > LONGEST_SENTENCE or not text:
        return None
    text = normalize_notation(after_question(text))
    if _RANGE.search(text) or _BOUND.search(text) or is_unsure(text):
        return None
    if says_nothing_is_there(text):
        return "0", "nothing, in words"
    if (equation := _EQUATION.fullmatch(text)) is not None:
        return equation.group(1).replace(",", ""), "number in a sentence"
    if _counts_parts(text):
        return None
    numbers = find_numbers(text)
    words = _find_number_words(text)
    if any(character.isdigit() for character in text):
        return _only_number(text, numbers, words)
    chinese = find_chinese_numbers(text)
    if chinese and not words:
        values = {number.value for number in chinese}
        if len(values) == 1 and not chinese[0].per_cent and not has_contrast(text) and not _negates_number(text):
            return _format(values.pop()), "number in words"
        return None
    if words and len(set(words)) == 1 and not has_contrast(text) and not _negates_number(text):
        return _format(float(words[0])), "number in words"
    return None


def _counts_parts(text: str) -> bool:
    """Whether a sentence gives numbers of several parts and no total: "2 on the left, 2 on the right"."""
    if _TOTAL.search(text):
        return False
    in_digits = any(character.isdigit() for character in text)
    counts = 0
    for part in _PART_BREAK.split(text):
        has_number = re.search(r"\d", part) if in_digits else find_numbers(part)
        counts += bool(has_number or _find_number_words(part))
    return counts > 1


def _only_number(text: str, numbers: Sequence[object], words: Sequence[int]) -> Answer:
    from sightline.scoring.scorers.numbers import Number

    found = [number for number in numbers if isinstance(number, Number)]
    values = {number.value for number in found} | {float(word) for word in words}
    if len(values) != 1 or not found or found[0].per_cent or _negates_number(text) or re.search(r"\bor\b|或", text):
        return None
    if sum(1 for _ in re.finditer(r"\d++(?:[.,]\d++)*+", text)) != len(found):
        return None  # digits inside names or dates
    is_sentence = len(text) > 24
    if _MEASURE.search(text) or re.search(r"\bnone\b|\bno\b", text, re.IGNORECASE):
        return None
    for number in found:
        start = number.end - len(text[number.start : number.end].lstrip())
        before, after = text[:start], text[number.end :]
        if _LIMIT_BEFORE.search(before) or _CHINESE_UNIT_AFTER.match(after) or re.match(r"[A-Za-z]", after):
            return None
        if is_sentence and (_UNIT_AFTER.match(after) or (1900 <= number.value <= 2100 and _YEAR_BEFORE.search(before))):
            return None
        if (name := _NAME_BEFORE.search(before[-40:])) and name.group().strip(" -#.").lower() not in _COUNT_WORDS:
            return None
        if after[:1] in ("-", "_", "/", "+", "?", "？") or before[-1:] in ("-", "_", "/", "#"):
            return None
    return _format(values.pop()), "number in a sentence"


def _negates_number(text: str) -> bool:
    return (
        re.search(
            r"\bnot\b|n't\b|n’t\b|\bcannot\b|\bnever\b|\bwithout\b|不是|并非|无法|不能|不确定", text, re.IGNORECASE
        )
        is not None
    )


def _find_number_words(text: str) -> list[int]:
    """Numbers that are spelt out in English; "one" counts only as a number of things."""
    found: list[int] = []
    words = [word.lower() for word in _WORD.findall(text)]
    at = 0
    while at < len(words):
        value, end = _spelt_number(words, at)
        if end > at and not (end - at == 1 and words[at] == "one" and not _counts_one(words, at)):
            found.append(value)
        at = max(end, at + 1)
    return found


def _spelt_number(words: Sequence[str], at: int) -> tuple[int, int]:
    """The number that is spelt from a word on, and where it ends; the same place where there is none."""
    total, section, start, has_digits = 0, 0, at, False
    while at < len(words):
        word = words[at]
        if word in _UNITS and (
            not has_digits
            or (section % 100 >= 20 and section % 10 == 0 and 0 < _UNITS[word] < 10)
            or section % 100 == 0
        ):
            section, has_digits = section + _UNITS[word], True
        elif word in _TENS and (not has_digits or section % 100 == 0):
            section, has_digits = section + _TENS[word], True
        elif word in _RANKS and (
            has_digits or (at > start and words[at - 1] == "a") or (at > 0 and words[at - 1] == "a")
        ):
            section = max(section, 1) * _RANKS[word]
            has_digits = True
            if word == "thousand":
                total, section = total + section, 0
        elif (
            word == "and"
            and has_digits
            and section % 100 == 0
            and at + 1 < len(words)
            and words[at + 1] in {**_UNITS, **_TENS}
            and words[at - 1] in _RANKS
        ):
            pass
        else:
            break
        at += 1
    return (total + section, at) if has_digits else (0, start)


def _counts_one(words: Sequence[str], at: int) -> bool:
    before = words[at - 1] if at else ""
    after = words[at + 1] if at + 1 < len(words) else ""
    if after in ("of", "on", "in", "at", "that", "which", "is", "another", "side", "end", "or"):
        return False
    return len(words) == 1 or before in (
        "is",
        "only",
        "exactly",
        "just",
        "contains",
        "shows",
        "has",
        "see",
        "be",
        "count",
        "answer",
        "total",
    )


def _format(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) <= 1e12 else repr(value)


# ---- yes or no

_YES_WORD = re.compile(r"\W{0,4}(?:yes|yeah|yep|correct|indeed|affirmative|certainly|definitely|true)\b", re.IGNORECASE)
_NO_WORD = re.compile(
    r"\W{0,4}(?:no|nope|false|incorrect|wrong|negative)(?=\W|$)(?! [a-z]+ (?:is|are|can|could)\b)", re.IGNORECASE
)
_THERE_IS = re.compile(
    r"(?:(?:in|on) (?:the|this) [\w -]{1,30}, )?there (?:is|are) (?:indeed |clearly |also )?(?:an?|one|two"
    r"|three|four|five|some|several|many|multiple|numerous|at least|\d+)\b",
    re.IGNORECASE,
)
_YES_CHINESE = re.compile(r"\W{0,4}(?:是的|是|有的|对的?|正确|存在|有|确实)(?!没)")
_NO_CHINESE = re.compile(
    r"\W{0,4}(?:不是|不存在|没有(?!看?不|没)|否|不(?!错)|无|错误|并非|错(?=\W|$)|未(?:发现|检测到|见))"
)
_HAS_CHINESE = re.compile(
    r"(?:在?(?:该|这[张幅个]?|此)?(?:图像|图片|图|画面|影像|区域|场景)(?:中|里|内)?)(?:确实)?(?:存在|有"
    r"|可以看到|能看到|可见)"
)
_NO_AFTER_YES = re.compile(
    r"\b(?:no|not|none|nothing|cannot|false|incorrect|unable)\b|n't\b|n’t\b|没有|不存在", re.IGNORECASE
)


def read_yes_no(text: str) -> Answer:
    """Yes or no: by the first word, or by a statement that something is there; none where both are said."""
    text = strip_markdown(text)
    if len(text) > LONGEST_SENTENCE or not text or is_unsure(text := after_question(text)):
        return None
    first = re.split(r"[.!\n。！]", text.strip(), maxsplit=1)[0]
    if _YES_WORD.match(text):
        if _NO_AFTER_YES.search(text) or has_contrast(first):
            return None
        return "yes", "yes or no in a sentence"
    if has_words_no(text):
        return "no", "yes or no in a sentence"
    if says_nothing_is_there(text):
        return None if _THERE_IS.search(text[1:]) else ("no", "yes or no in a sentence")
    if _NO_CHINESE.match(text):
        return None if has_contrast(text) else ("no", "yes or no in a sentence")
    if _YES_CHINESE.match(text) or _HAS_CHINESE.match(text):
        return None if re.search(r"没|不|无|未", text) or has_contrast(text) else ("yes", "yes or no in a sentence")
    if _THERE_IS.match(text):
        return None if has_negation(text) or has_contrast(text) else ("yes", "yes or no in a sentence")
    return None


def has_words_no(text: str) -> bool:
    """Whether a text begins with "no" as an answer and does not take it back."""
    if not _NO_WORD.match(text):
        return False
    rest = text[_NO_WORD.match(text).end() :]  # type: ignore[union-attr]
    return not re.search(r"\byes\b|\bbut\b|\bhowever\b|(?<!not )\btrue\b", rest, re.IGNORECASE) and (
        not rest.strip() or rest.lstrip()[:1] in ",.;:!-–—\n" or rest[:1] == "\n"
    )


# ---- labels

_ARTICLE = re.compile(
    r"(?:it is|it's|this is|that is|they are|these are|the (?:image|picture|scene|region|object|area|label"
    r"|class|category|type)s?(?: in the (?:image|picture|region|box))?"
    r"(?: (?:is|shows|contains|depicts|shown is))?|class|category|label|type)\s*+(?:is|are|:|=)?\s*+|(?:an?|the)\s+",
    re.IGNORECASE,
)
_LABEL_WORD = re.compile(r"[^\W_]++", re.UNICODE)


class LabelVocabulary(Struct, frozen=True, dict=True):
    """The labels that a task has; they are looked for in sentences where there are at least two."""

    labels: frozenset[str]

    @cached_property
    def _by_words(self) -> dict[tuple[str, ...], str]:
        found: dict[tuple[str, ...], str] = {}
        for label in sorted(self.labels):
            words = tuple(_LABEL_WORD.findall(fold_label(label)))
            for form in (words, *_plural_forms(words)):
                found.setdefault(form, label)
        for label in self.labels:  # a label itself goes before the plural of another
            found[tuple(_LABEL_WORD.findall(fold_label(label)))] = label
        return found

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self._by_words), default=0)

    @cached_property
    def _chinese(self) -> list[str]:
        return sorted((label for label in self.labels if not label.isascii()), key=len, reverse=True)

    def find(self, text: str) -> list[str]:
        """Labels that a text names, in its order; the longest at each place."""
        words = _LABEL_WORD.findall(fold_label(text) if len(text) <= 1000 else text.lower())
        found, at = [], 0
        while at < len(words):
            for size in range(min(self._longest, len(words) - at), 0, -1):
                label = self._by_words.get(tuple(words[at : at + size]))
                if label is not None:
                    found.append(label)
                    at += size
                    break
            else:
                at += 1
        if not found and self._chinese:
            rest = text
            for label in self._chinese:
                if label in rest:
                    found.append(label)
                    rest = rest.replace(label, " ")
        return found

    def exact(self, text: str) -> str | None:
        """The label that a text is, perhaps in the plural or with an article."""
        words = tuple(_LABEL_WORD.findall(fold_label(text)))
        if words[:1] and words[0] in ("a", "an", "the") and words not in self._by_words:
            words = words[1:]
        return self._by_words.get(words)


def _plural_forms(words: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
    """The other number of the last word: plural of a singular, singular of a plural."""
    if not words or not words[-1].isascii():
        return
    *head, last = words
    forms = {f"{last}s"}
    if last.endswith(("s", "x", "z", "ch", "sh")):
        forms.add(f"{last}es")
    if last.endswith("y") and last[-2:-1] not in "aeiou":
        forms.add(f"{last[:-1]}ies")
    if last.endswith("s") and not last.endswith("ss") and len(last) > 3:
        forms.add(last[:-1])
        if last.endswith("es"):
            forms.add(last[:-2])
        if last.endswith("ies"):
            forms.add(f"{last[:-3]}y")
    for form in sorted(forms):
        yield (*head, form)


def read_label(text: str, vocabulary: LabelVocabulary) -> Answer:
    """The only label that a sentence names; none where it names several or negates."""
    if len(text) > LONGEST_SENTENCE:
        return None
    bold = bold_answer(text)
    plain = strip_markdown(text).strip().rstrip(".。!")
    if len(vocabulary.labels) > 1:
        for part, deviation in ((plain, "plural or article"), (bold, "Markdown")):
            if part and (label := vocabulary.exact(part)) is not None:
                return label, deviation
        if has_negation(plain) or re.search(
            r"\bor\b|\b(?:taken|captured|seen|shot) from an? |或|还是", plain, re.IGNORECASE
        ):
            return None
        named = list(dict.fromkeys(vocabulary.find(bold) or vocabulary.find(plain)))
        return (named[0], "label in a sentence") if len(named) == 1 else None
    # the labels of the task are not known: only what the form marks
    if has_negation(plain):
        return None
    if bold:
        return bold.rstrip(".。!"), "Markdown"
    rest = plain
    while (match := _ARTICLE.match(rest)) and match.end():
        rest = rest[match.end() :]
    is_short = 0 < len(rest.split()) <= 4 and not re.search(r"[,.;:!?]|\band\b|\bor\b|\bis\b|\bare\b|\bwith\b", rest)
    return (rest, "label in a sentence") if rest != plain and is_short else None


_LIST_BREAK = re.compile(r"[;,\n，、；]|\band\b|\bas well as\b|和|与|以及", re.IGNORECASE)


def read_labels(text: str, vocabulary: LabelVocabulary) -> Answer:
    """All labels that a text names, as a set."""
    if len(text) > LONGEST_SENTENCE * 4:
        return None
    plain = strip_markdown(text).strip().rstrip(".。!")
    listed = plain[1:-1] if plain[:1] == "[" and plain[-1:] == "]" else plain
    parts = [part.strip(" \t\"'`“”.") for part in _LIST_BREAK.split(listed)]
    parts = [part for part in parts if part]
    if len(vocabulary.labels) > 1:
        found = [vocabulary.exact(part) for part in parts]
        if parts and all(label is not None for label in found):
            return ";".join(dict.fromkeys(label for label in found if label)), "plural or article"
        if has_negation(plain) or re.search(r"\bor\b|\bmaybe\b|\bpossibly\b|或|还是|可能", plain, re.IGNORECASE):
            return None
        named = list(dict.fromkeys(vocabulary.find(plain)))
        return (";".join(named), "label in a sentence") if named else None
    if listed != plain and parts:
        return ";".join(parts), "JSON"
    return read_label(text, vocabulary)


# ---- indices

_INDEX_WORDS = re.compile(
    r"\b(?:the|a|matching|matched|match|matches|relevant|retrieved|similar|most|images?|pictures?|photos?"
    r"|candidates?|are|is|and|index|indices|correct|answers?|results?|numbers?|no(?=\.? ?\d)|ids?"
    r"|description|query|final|ranked|top|best|in"
    r"|order|of|by|relevance|that|ones?)\b"
    r"|图(?:像|片)?|第|张|号|和|与|是|为|答案|编号|索引|匹配|符合|描述|的|检索结果|结果",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"\b(?:of(?: the| all)?|top|best|first|last)[ -]\d|\d\s(?:[a-z]{1,20}\s)?(?:images|pictures|photos|candidates)\b"
    r"|(?<![第\d])\d++\s?张",
    re.IGNORECASE,
)
"""A number of images, which is no index."""
_INDEX_SIGNS = re.compile(r"[\s,;:.、，；：。(){}\[\]#&\"'*>=`-]")


def read_indices(text: str) -> Answer:
    """Whole numbers between words that only introduce them."""
    if len(text) > LONGEST_SENTENCE * 10:
        return None
    plain = strip_markdown(text)
    if says_nothing_is_there(plain) or re.fullmatch(
        r"none of the (?:images|pictures|candidates)[\w ]{0,40}\.?", plain, re.IGNORECASE
    ):
        return "none", "nothing, in words"
    if re.search(r"\d\s?[-–~]\s?\d|\d\.\d|-\s?\d|\d\s+of\b", plain) or _AMOUNT.search(plain):
        return None
    rest = _INDEX_SIGNS.sub("", re.sub(r"\d++", "", _INDEX_WORDS.sub("", plain)))
    numbers = re.findall(r"\d{1,10}", plain)
    if rest or not numbers:
        return None
    return ",".join(numbers), "indices in a sentence" if has_letters(plain) else "JSON"


# ---- captions

_INTRODUCTION = re.compile(
    r"(?:(?:sure|certainly|of course|okay|ok)[,!.:]?\s++)?(?:here(?:'s| is| are)\s(?=[^:.\n]{0,80}"
    r"\b(?:captions?|descriptions?|summary|answer|sentence|what|image|picture)\b)[^:.\n]{0,80}:|(?:brief "
    r"|detailed |short |final |region |image )?(?:caption|description|answer|summary)[ \t]*+[:\n]"
    r"|(?:以下是|下面是)[^:：\n]{0,40}[:：]|(?:描述|答案|图片描述|简述)\s*+[:：])\s*+",
    re.IGNORECASE,
)
_QUOTES = (('"', '"'), ("“", "”"), ("「", "」"), ("'", "'"))


def read_caption(text: str, is_marked: bool) -> Answer:
    """A caption without fences, Markdown, introduction and quotes around it; None where there is nothing to remove."""
    plain, deviation = strip_markdown(text), ""
    if plain != text.strip():
        deviation = "Markdown"
    if (match := _INTRODUCTION.match(plain)) and match.end() < len(plain):
        plain, deviation = plain[match.end() :].strip(), "introduction before the text"
    for opening, closing in _QUOTES:
        if len(plain) > 2 and plain[0] == opening and plain[-1] == closing and opening not in plain[1:-1]:
            plain, deviation = plain[1:-1].strip(), deviation or "Markdown"
    if not plain:
        return None
    return (plain, deviation) if deviation or is_marked else None
