"""English stems as METEOR 1.5 has them: Snowball's English stemmer ("Porter2") as it was before its later changes.

The stems of newer versions differ for some words ("added", "biologist"), so no package of today gives the same matches.
A region is the place where it begins: r1 is after the first consonant that follows a vowel, r2 is the same within r1.
"""

from __future__ import annotations

import re

Rules = dict[str, tuple[str, str]]
"""A suffix to what stands in its place, and the letters of which one must go before it; none: anything may."""

_VOWELS = frozenset("aeiouy")
_REGION = re.compile("[aeiouy][^aeiouy]")
_LONG_PREFIX = re.compile("gener|commun|arsen")
"""Here r1 is after the prefix: "general" and "generous", "commune" and "community" are to stay apart."""

_CONSONANT_Y = re.compile("^y|([aeiouy])y")
_POSSESSIVE = re.compile(r"('s'|'s|')\Z")
_SHORT = re.compile("[^aeiouy][aeiouy][^aeiouywxY]|[aeiouy][^aeiouy]")
"""A short syllable as the last three letters, or as a word of two."""

_FAR = re.compile("([\U00010000-\U0010ffff])")
_FILLED = re.compile(_FAR.pattern + "\udfff")

_WHOLE = {
    "andes": "andes",
    "atlas": "atlas",
    "bias": "bias",
    "cosmos": "cosmos",
    "dying": "die",
    "early": "earli",
    "gently": "gentl",
    "howe": "howe",
    "idly": "idl",
    "lying": "lie",
    "news": "news",
    "only": "onli",
    "singly": "singl",
    "skies": "sky",
    "skis": "ski",
    "sky": "sky",
    "tying": "tie",
    "ugly": "ugli",
}
_WHOLE_WITHOUT_S = {"canning", "earring", "exceed", "herring", "inning", "outing", "proceed", "succeed"}
_DOUBLES = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")
_LONGEST = 7


def _rules(suffixes: dict[str, str]) -> Rules:
    """The rules of endings and the suffixes that each of them replaces."""
    return {suffix: (ending, "") for ending, replaced in suffixes.items() for suffix in replaced.split()}


_STEP_2 = {"li": ("", "cdeghkmnrt"), "ogi": ("og", "l")} | _rules(
    {
        "able": "abli",
        "al": "alism aliti alli",
        "ance": "anci",
        "ate": "ation ational ator",
        "ble": "biliti bli",
        "ence": "enci",
        "ent": "entli",
        "ful": "fulli fulness",
        "ive": "iveness iviti",
        "ize": "ization izer",
        "less": "lessli",
        "ous": "ousli ousness",
        "tion": "tional",
    }
)
_STEP_3 = _rules({"": "ative ful ness", "al": "alize", "ate": "ational", "ic": "ical icate iciti", "tion": "tional"})
_STEP_4 = {"ion": ("", "st")} | _rules({"": "able al ance ant ate ement ence ent er ible ic ism iti ive ize ment ous"})


def stem(word: str) -> str:
    """The stem of a word in lower case. All but the lower-case letters a to z count as consonants."""
    if word.isascii():
        return _stem(word)
    # Java counts a character beyond the first 65,536 as two, and lengths and places matter.
    return _FILLED.sub(r"\1", _stem(_FAR.sub("\\1\udfff", word)))


def _stem(word: str) -> str:
    if word in _WHOLE:
        return _WHOLE[word]
    if len(word) < 3:
        return word
    plain = word.removeprefix("'")
    word = _CONSONANT_Y.sub(r"\1Y", plain) if "y" in plain else plain
    marked = word != plain
    prefix = _LONG_PREFIX.match(word) or _REGION.search(word)
    r1 = prefix.end() if prefix else len(word)
    second = _REGION.search(word, r1)
    r2 = second.end() if second else len(word)
    word = _strip_s(word)
    if word not in _WHOLE_WITHOUT_S:
        word = _strip_ed_and_ing(word, r1)
        if len(word) > 2 and word[-1] in "yY" and word[-2] not in _VOWELS:
            word = word[:-1] + "i"
        word = _replace_suffix(word, _STEP_2, r1)
        if not word.endswith("ative") or len(word) - len("ative") >= r2:
            word = _replace_suffix(word, _STEP_3, r1)
        word = _replace_suffix(word, _STEP_4, r2)
        word = _strip_e_and_l(word, r1, r2)
    return word.replace("Y", "y") if marked else word


def _strip_s(word: str) -> str:
    """Step 0 and 1a: possessives and plurals."""
    if "'" in word:
        word = _POSSESSIVE.sub("", word)
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith("s") and not word.endswith(("ss", "us")) and not _VOWELS.isdisjoint(word[:-2]):
        return word[:-1]
    return word


def _strip_ed_and_ing(word: str, r1: int) -> str:
    """Step 1b: past tenses and participles."""
    if not word.endswith(("ed", "ing", "ly")):
        return word
    for suffix in ("eedly", "eed"):
        if word.endswith(suffix):
            kept = word.removesuffix(suffix)
            return kept + "ee" if len(kept) >= r1 else word
    for suffix in ("ingly", "edly", "ing", "ed"):
        if word.endswith(suffix):
            kept = word.removesuffix(suffix)
            if _VOWELS.isdisjoint(kept):
                return word
            if kept.endswith(_DOUBLES):
                return kept[:-1]
            if kept.endswith(("at", "bl", "iz")) or (len(kept) == r1 and _SHORT.fullmatch(kept[-3:])):
                return kept + "e"
            return kept
    return word


def _replace_suffix(word: str, rules: Rules, region: int) -> str:
    """Step 2, 3 or 4: another ending. The longest suffix decides, even where it may not be replaced."""
    if len(word) - region < 2:  # No suffix is shorter.
        return word
    for size in range(_LONGEST, 1, -1):
        suffix = word[-size:]
        if suffix in rules:
            kept = word.removesuffix(suffix)
            ending, before = rules[suffix]
            fits = len(kept) >= region and (not before or kept.endswith(tuple(before)))
            return kept + ending if fits else word
    return word


def _strip_e_and_l(word: str, r1: int, r2: int) -> str:
    """Step 5: a silent e, and the second l of two."""
    kept = word[:-1]
    if word.endswith("e"):
        return kept if len(kept) >= r2 or (len(kept) >= r1 and not _SHORT.fullmatch(kept[-3:])) else word
    return kept if word.endswith("ll") and len(kept) >= r2 else word
