"""Does a text fit a picture: one sentence, two pictures, four texts of two facts, one wrong sentence of four."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from msgspec import Struct

from sightline.suites.matrix.generator.canvas import COLOUR_BY_NAME, COLOURS, Colour, Named
from sightline.suites.matrix.generator.diagrams import draw_bar_picture, draw_line_chart
from sightline.suites.matrix.generator.item import Item, shuffle_options
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.scenes import (
    GLYPH_BY_NAME,
    GLYPHS,
    SceneObject,
    arrange_in_grid,
    draw_scene,
    random_style,
)
from sightline.suites.matrix.generator.wording import fill_wording, load_texts

_TEXTS = load_texts(__name__)

Facts = dict[str, Any]
"""A scene as plain JSON."""
_POOL = 300
_POINTS = 8
_YES = {"en": ("Yes", "No"), "zh": ("是", "否")}
_PICTURES = {
    "en": {(True, False): "only the first", (False, True): "only the second", (True, True): "both",
           (False, False): "neither"},
    "zh": {(True, False): "只有第一幅", (False, True): "只有第二幅", (True, True): "两幅都符合",
           (False, False): "两幅都不符合"},
}  # fmt: skip


class Topic(Struct, frozen=True, kw_only=True):
    """One thing that can be read from any scene of a vocabulary; None where a scene doesn't tell."""

    read: Callable[[Facts], Any]
    words: Callable[[Any, str], str]
    """The claim for a value in a language: a sentence without capital and full stop."""


class SceneKind(Struct, frozen=True):
    """A sort of scene. Scenes of the same vocabulary (colours, letters…) can be compared."""

    vocabulary: Callable[[SampleRng], Facts]
    scene: Callable[[SampleRng, Facts], Facts]
    topics: Callable[[SampleRng, Facts], list[Topic]]
    draw: Callable[[SampleRng, Facts], bytes]


class Claim(Struct, frozen=True, kw_only=True):
    """A topic with a value, which a scene may have or not."""

    topic: Topic
    value: Any

    def holds(self, scene: Facts) -> bool:
        """Whether the scene is so."""
        return bool(self.topic.read(scene) == self.value)

    def says(self, language: str) -> str:
        """In words."""
        return self.topic.words(self.value, language)


def random_claim(rng: SampleRng, subject: SceneKind, words: Facts, topic: Topic, unlike: Any = None) -> Claim:
    """A claim that would hold in some scene; `unlike` is a value that it must not have."""
    while True:
        value = topic.read(subject.scene(rng, words))
        if value is not None and value != unlike:
            return Claim(topic=topic, value=value)


def find_scene(rng: SampleRng, subject: SceneKind, words: Facts, claim: Claim, holds: bool) -> Facts:
    """Find a scene for which the claim is true or false as requested, and decidable."""
    while True:
        scene = subject.scene(rng, words)
        if claim.holds(scene) == holds and claim.topic.read(scene) is not None:
            return scene


def find_two_scenes(
    rng: SampleRng, subject: SceneKind, words: Facts, topics: tuple[Topic, Topic]
) -> tuple[Facts, Facts]:
    """Two scenes that differ in both topics, such that each mixture of their values could be true as well.

    Else a reader without the picture could rule some of the mixtures out.
    """
    first, second = topics
    while True:
        pool = [subject.scene(rng, words) for _ in range(_POOL)]
        values = [(first.read(scene), second.read(scene)) for scene in pool]
        known = {pair for pair in values if None not in pair}
        for (a, b), (c, d), one, other in zip(values, values[1:], pool, pool[1:], strict=False):
            if a != c and b != d and {(a, b), (c, d), (a, d), (c, b)} <= known:
                return one, other


def _words(topic: str, language: str, **values: Any) -> str:
    """The sentence of a topic; colours, glyphs and objects are named in the language."""
    for key, value in values.items():
        if isinstance(value, SceneObject):
            values[key] = value.label(language)
        elif isinstance(value, Named):
            values[key] = value.name_in(language)
    text: str = _TEXTS["topics"][topic][language]
    return text.format(**values)


def _topic(name: str, read: Callable[[Facts], Any], **values: Any) -> Topic:
    """A topic by its sentence in `texts.toml`, in which {v} is the value."""
    return Topic(read=read, words=lambda value, language: _words(name, language, v=value, **values))


# Things in rows and columns


def _thing_words(rng: SampleRng) -> Facts:
    colours = [colour.name for colour in rng.some(COLOURS, 3)]
    types = [thing.name for thing in rng.some(GLYPHS, 3)]
    return {"type": "things", "colours": colours, "types": types, "rows": 3, "columns": rng.pick((4, 5))}


def _thing_scene(rng: SampleRng, words: Facts) -> Facts:
    grid = [
        [[rng.pick(words["colours"]), rng.pick(words["types"])] for _ in range(words["columns"])]
        for _ in range(words["rows"])
    ]
    return {**words, "grid": grid}


def _object(colour: str, thing: str) -> SceneObject:
    return SceneObject(colour=COLOUR_BY_NAME[colour], thing=GLYPH_BY_NAME[thing])


def _thing_topics(rng: SampleRng, words: Facts) -> list[Topic]:
    """A count of a colour, of a type, of a colour in a row, and what is at a place."""
    colour, type_, other = rng.pick(words["colours"]), rng.pick(words["types"]), rng.pick(words["colours"])
    row, line, column = rng.whole(0, 2), rng.whole(0, 2), rng.whole(0, words["columns"] - 1)

    def count(at: int, name: str, rows: list[list[list[str]]]) -> int:
        return sum(cell[at] == name for cells in rows for cell in cells)

    return [
        _topic("colour_count", lambda scene: count(0, colour, scene["grid"]), c=COLOUR_BY_NAME[colour]),
        _topic("type_count", lambda scene: count(1, type_, scene["grid"]), t=GLYPH_BY_NAME[type_]),
        _topic("row_count", lambda scene: count(0, other, [scene["grid"][row]]), r=row + 1, c=COLOUR_BY_NAME[other]),
        _topic("object", lambda scene: _object(*scene["grid"][line][column]), r=line + 1, c=column + 1),
    ]


def _thing_picture(rng: SampleRng, scene: Facts) -> bytes:
    pieces = [_object(*cell) for row in scene["grid"] for cell in row]
    columns = scene["columns"]
    placed = arrange_in_grid(rng, pieces, columns, (10, 10, 130 * columns - 10, 380))
    return draw_scene(rng, placed, (130 * columns, 390), random_style(rng, rough=0.3))


# Bars


def _bar_words(rng: SampleRng) -> Facts:
    return {"type": "bars", "letters": rng.some("ABCDEFGHKLMNPRST", rng.whole(5, 6)), "unit": rng.pick((1, 2, 5, 10))}


def _bar_scene(rng: SampleRng, words: Facts) -> Facts:
    values = [words["unit"] * value for value in rng.some(range(1, 11), len(words["letters"]))]
    return {**words, "values": dict(zip(words["letters"], values, strict=True))}


def _bar_topics(rng: SampleRng, words: Facts) -> list[Topic]:
    """A value, which of two is taller, which has a rank, and a difference."""
    letters = words["letters"]
    letter, rank = rng.pick(letters), rng.whole(0, len(letters) - 1)
    a, b = rng.some(letters, 2)
    p, q = rng.some(letters, 2)
    return [
        _topic("bar_value", lambda scene: scene["values"][letter], a=letter),
        _topic("taller", lambda scene: max(a, b, key=scene["values"].get), a=a, b=b),
        _topic("rank", lambda scene: sorted(scene["values"], key=scene["values"].get)[-1 - rank], n=rank + 1),
        _topic("difference", lambda scene: abs(scene["values"][p] - scene["values"][q]), a=p, b=q),
    ]


# Lines


def _line_words(rng: SampleRng) -> Facts:
    return {"type": "lines", "names": rng.some(("red", "blue", "green", "orange", "purple"), 2)}


def _line_scene(rng: SampleRng, words: Facts) -> Facts:
    series: dict[str, list[int]] = {}
    for name in words["names"]:
        values = [rng.whole(1, 9)]
        while len(values) < _POINTS:
            values.append(rng.pick([value for value in range(11) if value != values[-1]]))
        series[name] = values
    return {**words, "series": series}


def _line_topics(rng: SampleRng, words: Facts) -> list[Topic]:
    """Up or down, a value, which line is higher, and how often a line rises."""
    a, b = rng.shuffled(words["names"])
    first, second = COLOUR_BY_NAME[a], COLOUR_BY_NAME[b]
    at, step, place = rng.whole(0, _POINTS - 1), rng.whole(1, _POINTS - 1), rng.whole(0, _POINTS - 1)

    def rises(scene: Facts) -> list[bool]:
        return [later > before for before, later in pairwise(scene["series"][a])]

    def moves(value: Any, language: str) -> str:
        return _words("rises" if value else "falls", language, n=first, i=step, j=step + 1)

    def higher(scene: Facts) -> Colour | None:
        one, other = scene["series"][a][place], scene["series"][b][place]
        return None if one == other else first if one > other else second

    return [
        Topic(read=lambda scene: rises(scene)[step - 1], words=moves),
        _topic("point", lambda scene: scene["series"][b][at], i=at + 1, n=second),
        _topic("higher", higher, i=place + 1),
        _topic("rise_count", lambda scene: sum(rises(scene)), n=first),
    ]


SCENE_KINDS = (
    SceneKind(_thing_words, _thing_scene, _thing_topics, _thing_picture),
    SceneKind(
        _bar_words,
        _bar_scene,
        _bar_topics,
        lambda rng, scene: draw_bar_picture(rng, list(scene["values"].items()), 10 * scene["unit"]),
    ),
    SceneKind(_line_words, _line_scene, _line_topics, lambda rng, scene: draw_line_chart(rng, scene["series"], 10)),
)


def make(rng: SampleRng, level: str, language: str) -> Item:
    """Make a sample of this kind at a level."""
    return {"l1": _single_sentence, "l2": _two_pictures, "l3": _two_facts, "l4": _report}[level](rng, language)


def _random_subject(rng: SampleRng) -> tuple[SceneKind, Facts, list[Topic]]:
    """A sort of scene, its vocabulary, and its topics in any order."""
    subject = rng.balanced_choice("subject", SCENE_KINDS)
    words = subject.vocabulary(rng)
    return subject, words, rng.shuffled(subject.topics(rng, words))


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


def _make_item(
    question: str, options: tuple[str, ...], right: str, pictures: tuple[bytes, ...], facts: dict[str, object]
) -> Item:
    return Item(
        question=question,
        ground_truth=right,
        metric="accuracy",
        pictures=pictures,
        options=options,
        metadata={"ideal": right, "scene": facts},
    )


def _single_sentence(rng: SampleRng, language: str) -> Item:
    subject, words, topics = _random_subject(rng)
    claim = random_claim(rng, subject, words, topics[0])
    fits = rng.balanced_choice("fits", (True, False))
    scene = find_scene(rng, subject, words, claim, fits)
    wording = rng.pick(_TEXTS["match"][language])
    text = claim.says(language)
    question = wording.format(text=text if "true for" in wording else _sentence(text))
    yes, no = _YES[language]
    return _make_item(question, (yes, no), yes if fits else no, (subject.draw(rng, scene),), scene)


def _two_pictures(rng: SampleRng, language: str) -> Item:
    """Make a sample: the claim holds or not for each of two pictures."""
    wanted = rng.balanced_choice("fits", ((True, False), (False, True), (True, True), (False, False)))
    subject, words, topics = _random_subject(rng)
    claim = random_claim(rng, subject, words, topics[0])
    scenes = [find_scene(rng, subject, words, claim, fits) for fits in wanted]
    names = _PICTURES[language]
    question = fill_wording(rng, _TEXTS["which"], language, text=_sentence(claim.says(language)))
    pictures = tuple(subject.draw(rng, scene) for scene in scenes)
    return _make_item(
        question, tuple(names.values()), names[wanted], pictures, {"first": scenes[0], "second": scenes[1]}
    )


def _two_facts(rng: SampleRng, language: str) -> Item:
    """Make a sample: all four ways to have two facts right or wrong: no text is the middle of the others."""
    subject, words, topics = _random_subject(rng)
    question = (topics[0], topics[1])
    scene, other = find_two_scenes(rng, subject, words, question)
    right, wrong = ([Claim(topic=topic, value=topic.read(facts)) for topic in question] for facts in (scene, other))
    fits = _sentence(_join_claims((right[0], right[1]), language))
    pairs = ((right[0], wrong[1]), (wrong[0], right[1]), (wrong[0], wrong[1]))
    others = [_sentence(_join_claims(pair, language)) for pair in pairs]
    options = shuffle_options(rng, fits, others)
    return _make_item(fill_wording(rng, _TEXTS["four"], language), options, fits, (subject.draw(rng, scene),), scene)


def _join_claims(pair: tuple[Claim, Claim], language: str) -> str:
    return ("，并且" if language == "zh" else ", and ").join(claim.says(language) for claim in pair)


def _report(rng: SampleRng, language: str) -> Item:
    """Make a sample: four claims of which one fails: its value comes from another scene."""
    subject, words, topics = _random_subject(rng)
    wrong = rng.balanced_choice("wrong", (0, 1, 2, 3))
    while True:
        scene = subject.scene(rng, words)
        if all(topic.read(scene) is not None for topic in topics):
            break
    claims = [Claim(topic=topic, value=topic.read(scene)) for topic in topics]
    claims[wrong] = random_claim(rng, subject, words, topics[wrong], unlike=claims[wrong].value)
    zh = language == "zh"
    text = "".join(
        f"({k}) {_sentence(claim.says(language))}{'。' if zh else '. '}" for k, claim in enumerate(claims, 1)
    )
    names = tuple(f"第 {k} 句" if zh else f"sentence {k}" for k in range(1, 5))
    question = fill_wording(rng, _TEXTS["wrong"], language, text=text.strip())
    return _make_item(question, names, names[wrong], (subject.draw(rng, scene),), scene)
