"""Short questions with short answers, as ten people would give them."""

from __future__ import annotations

from collections.abc import Sequence

from sightline.suites.matrix.generator.canvas import COLOURS
from sightline.suites.matrix.generator.item import Item, Scenes, annotator_answers, vqa_item
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.scenes import GLYPHS, Glyph, SceneObject, draw_scene, random_style, scatter
from sightline.suites.matrix.generator.understanding import dials, tables
from sightline.suites.matrix.generator.wording import count_answers, fill_wording, load_texts

_TEXTS = load_texts(__name__)


_SIZE = (600, 440)
_PLURALS = {"fish": "fish", "cross": "crosses"}


def _plural(thing: Glyph, language: str) -> str:
    return thing.zh if language == "zh" else _PLURALS.get(thing.name, thing.name + "s")


def _random_scene(rng: SampleRng, counts: Sequence[tuple[Glyph, int]]) -> bytes:
    pieces = [SceneObject(thing=thing, colour=rng.pick(COLOURS)) for thing, count in counts for _ in range(count)]
    return _draw_scene(rng, pieces)


def _draw_scene(rng: SampleRng, pieces: Sequence[SceneObject]) -> bytes:
    placed = scatter(rng, rng.shuffled(pieces), (8, 8, _SIZE[0] - 8, _SIZE[1] - 8), (24, 36), gap=6)
    return draw_scene(rng, placed, _SIZE, random_style(rng, 0.3))


def count(rng: SampleRng, language: str) -> Item:
    """Make a sample: things of one kind among others."""
    first, *others = rng.some(GLYPHS, 4)
    many = rng.whole(3, 12)
    picture = _random_scene(rng, [(first, many), *((other, rng.whole(1, 4)) for other in others)])
    question = fill_wording(rng, _TEXTS["count"], language, things=_plural(first, language))
    return vqa_item(question, count_answers(many, language), picture)


def together(rng: SampleRng, language: str) -> Item:
    """Make a sample: things of one kind in two pictures."""
    first, *others = rng.some(GLYPHS, 3)
    counts = [rng.whole(2, 11) for _ in range(2)]
    pictures = [_random_scene(rng, [(first, many), *((o, rng.whole(1, 4)) for o in others)]) for many in counts]
    question = fill_wording(rng, _TEXTS["together"], language, things=_plural(first, language))
    return vqa_item(question, count_answers(sum(counts), language), *pictures)


def points(rng: SampleRng, language: str) -> Item:
    """Make a sample: two kinds that the text gives a worth."""
    first, second, other = rng.some(GLYPHS, 3)
    one, two = rng.whole(2, 7), rng.whole(2, 7)
    a, b = rng.some(range(3, 13), 2)
    picture = _random_scene(rng, [(first, one), (second, two), (other, rng.whole(2, 4))])
    names = [thing.name_in(language) for thing in (first, second)]
    question = fill_wording(rng, _TEXTS["points"], language, first=names[0], second=names[1], a=a, b=b)
    return vqa_item(question, annotator_answers(str(one * a + two * b)), picture)


def remainder(rng: SampleRng, language: str) -> Item:
    """Make a sample: two kinds without one colour, compared and multiplied."""
    first, second = rng.some(GLYPHS, 2)
    gone, *colours = rng.some(COLOURS, 4)
    more, less, times = rng.whole(5, 11), rng.whole(1, 4), rng.whole(3, 19)
    pieces = [SceneObject(thing=first, colour=rng.pick(colours)) for _ in range(more)]
    pieces += [SceneObject(thing=second, colour=rng.pick(colours)) for _ in range(less)]
    pieces += [SceneObject(thing=rng.pick((first, second)), colour=gone) for _ in range(rng.whole(2, 5))]
    names = {"first": _plural(first, language), "second": _plural(second, language), "colour": gone.name_in(language)}
    question = fill_wording(rng, _TEXTS["remainder"], language, **names, times=times)
    return vqa_item(question, annotator_answers(str((more - less) * times)), _draw_scene(rng, pieces))


_QUESTIONS: Scenes = {
    "l1": (dials.time, dials.reading, dials.temperature, count, tables.cell, tables.marked_day, dials.charge),
    "l2": (dials.minutes_between, dials.difference, together, tables.sum_of_two, tables.days_between),
    "l3": (dials.slow_clock, dials.margin, points, tables.bill, tables.nth_weekday),
    "l4": (dials.panel, remainder, tables.best_row, tables.working_days, dials.shift),
}


def make(rng: SampleRng, level: str, language: str) -> Item:
    """Make a sample of this kind at a level."""
    return rng.balanced_choice("way", _QUESTIONS[level])(rng, language)
