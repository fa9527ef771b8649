"""METEOR's way with WordNet: the synsets of a word as it stands, and of its base form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

_ENDINGS = (
    ("s", ""),
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
    ("es", "e"),
    ("es", ""),
    ("ed", "e"),
    ("ed", ""),
    ("ing", "e"),
    ("ing", ""),
    ("er", ""),
    ("est", ""),
    ("er", "e"),
    ("est", "e"),
)
"""Endings of nouns, verbs and adjectives, and what stands in the base form instead; the first known word counts."""


class Synonyms:
    """Synsets by word, from the two files of the jar."""

    def __init__(self, synsets: Iterable[str], exceptions: Iterable[str]) -> None:
        self._synsets = dict(_pairs(synsets))
        self._bases = _bases(_pairs(exceptions))

    def of(self, word: str) -> list[int]:
        """The synsets of a word and of its base forms, ascending."""
        lines = {self._synsets.get(form, "") for form in (word, *self._base_forms(word))}
        return sorted({int(synset) for line in lines for synset in line.split()})

    def _base_forms(self, word: str) -> Iterable[str]:
        """Irregular ones where there are any, else a regular one that is a word."""
        if word in self._bases:
            return self._bases[word]
        if word.endswith("ss") or len(word) <= 2:
            return ()
        regular = (word.removesuffix(ending) + instead for ending, instead in _ENDINGS if word.endswith(ending))
        return [form for form in regular if form in self._synsets][:1]


def _pairs(lines: Iterable[str]) -> Iterable[tuple[str, str]]:
    """Each odd line with the even line after it."""
    lines = iter(lines)
    return zip(lines, lines, strict=False)


def _bases(exceptions: Iterable[tuple[str, str]]) -> Mapping[str, list[str]]:
    bases: dict[str, list[str]] = {}
    for base, forms in exceptions:
        for form in forms.split():
            bases.setdefault(form, []).append(base)
    return bases
