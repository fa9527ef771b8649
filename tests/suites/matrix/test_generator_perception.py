"""Perception: labels that are drawn, texts that can't be guessed, relations that hold in the pixels."""

from __future__ import annotations

import io
import re
from collections import Counter
from typing import Any

import numpy as np
import pytest
from PIL import Image

from sightline.suites.matrix.generator.canvas import COLOUR_BY_NAME, COLOURS, Canvas
from sightline.suites.matrix.generator.item import Item
from sightline.suites.matrix.generator.perception import (
    object_recognition,
    spatial_maps,
    spatial_relation,
    text_extraction,
)
from sightline.suites.matrix.generator.recipe import LEVELS
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.scenes import GLYPHS, Placement, draw_glyph

COUNT = 12
LABEL = re.compile(rf"({'|'.join(c.name for c in COLOURS)}) ({'|'.join(t.name for t in GLYPHS)})")


def dice(kind: str, level: str, number: int) -> SampleRng:
    return SampleRng(19, kind, level, number)


def made(module: Any, level: str, count: int = COUNT) -> list[Item]:
    kind = module.__name__.rsplit(".", 1)[1]
    return [module.make(dice(kind, level, k), level, "en" if k % 2 else "zh") for k in range(count)]


def pixels(png: bytes) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(np.int64)


def near(picture: np.ndarray[Any, np.dtype[np.int64]], colour: str) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Where a pixel has about one of a colour's shades."""
    shades = [[int(shade[k : k + 2], 16) for k in (1, 3, 5)] for shade in COLOUR_BY_NAME[colour].shades]
    return np.any([np.abs(picture - shade).max(axis=-1) < 12 for shade in shades], axis=0)


def test_every_thing_looks_different() -> None:
    seen = {}
    for thing in GLYPHS:
        sheet = Canvas(80, 80)
        draw_glyph(sheet, thing, Placement(x=40, y=40, radius=34, colour="#2050c0", outline=0))
        dark = pixels(sheet.png()).min(axis=-1) < 128
        assert 0.05 < dark.mean() < 0.7, thing.name
        seen[thing.name] = dark
    for first in seen:
        for second in seen:
            if first < second:
                union = (seen[first] | seen[second]).sum()
                assert (seen[first] & seen[second]).sum() / union < 0.93, (first, second)


@pytest.fixture
def unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures are not finished: for tests of the texts alone."""
    monkeypatch.setattr(Canvas, "image", lambda self: Image.new("RGB", (8, 8)))


@pytest.mark.usefixtures("unseen")
@pytest.mark.parametrize("level", LEVELS)
def test_objects_are_named_in_admissible_words(level: str) -> None:
    answers = Counter()
    for k, item in enumerate(made(object_recognition, level)):
        assert len(item.pictures) == (2 if level == "l2" else 1)
        assert 1 <= len(item.ground_truth) <= 6 and len(set(item.ground_truth)) == len(item.ground_truth)
        answers.update(item.ground_truth)
        if k % 2:
            for label in item.ground_truth:
                match = LABEL.fullmatch(label)
                assert match and match[1] in item.question and match[2] in item.question
    assert answers.most_common(1)[0][1] <= 3


@pytest.mark.parametrize("level", LEVELS)
def test_named_objects_have_their_colour_in_every_picture(level: str) -> None:
    for number in range(4):
        item = object_recognition.make(dice("object_recognition", level, number), level, "en")
        for png in item.pictures:
            picture = pixels(png)
            for label in item.ground_truth:
                assert near(picture, label.split()[0]).sum() > 40, (level, number, label)


@pytest.mark.usefixtures("unseen")
@pytest.mark.parametrize("level", LEVELS)
def test_texts_are_not_in_the_question_and_not_alike(level: str) -> None:
    texts = []
    for item in made(text_extraction, level):
        assert isinstance(item.ground_truth, str) and len(item.ground_truth) >= 2
        assert item.ground_truth not in item.question
        texts.append(item.ground_truth)
    assert len(set(texts)) == len(texts)
    shared = [sum(a[k : k + 4] in b for k in range(len(a) - 3)) for a in texts for b in texts if a is not b]
    assert np.mean(shared) < 0.2


@pytest.mark.usefixtures("unseen")
@pytest.mark.parametrize("level", LEVELS)
def test_options_are_even(level: str) -> None:
    items = made(spatial_relation, level, 20)
    for item in items:
        assert len(item.options) == 4 == len(set(item.options)) and item.ground_truth in item.options
        assert not any(re.search(rf"\b[A-D]\. {re.escape(option)}", item.question) for option in item.options)
    assert set(Counter(item.options.index(item.ground_truth) for item in items).values()) == {5}
    assert Counter(item.ground_truth for item in items).most_common(1)[0][1] <= 5


def test_directions_hold_in_the_pixels() -> None:
    checked = 0
    for number in range(12):
        item = spatial_relation.direction(dice("direction", "l1", number), "en")
        labels = [match.groups() for match in LABEL.finditer(item.question)]
        if "seen from" not in item.question or any(colour in ("black", "gray", "brown") for colour, _ in labels):
            continue
        picture = pixels(item.pictures[0])
        (y1, x1), (y2, x2) = (np.argwhere(near(picture, colour)).mean(axis=0) for colour, _ in labels)
        side = ("to its right" if x1 > x2 else "to its left") if abs(x1 - x2) > abs(y1 - y2) else ""
        assert item.ground_truth == (side or ("below it" if y1 > y2 else "above it"))
        checked += 1
    assert checked >= 2


@pytest.mark.usefixtures("unseen")
@pytest.mark.parametrize("way", ["steps", "robot"])
def test_chains_of_moves_end_where_the_text_leads(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    real = spatial_maps._board_item
    monkeypatch.setattr(spatial_maps, "_board_item", lambda *told: seen.append(told) or real(*told))
    steps = {"left": (0, -1), "right": (0, 1), "up": (-1, 0), "down": (1, 0), "top": (-1, 0), "bottom": (1, 0)}
    for number in range(10):
        item = getattr(spatial_maps, way)(dice(way, "l4", number), "en")
        _, _, asked, board, cells = seen[-1]
        place = next(cell for cell, piece in board.items() if piece.label("en") == LABEL.search(asked)[0])
        assert place == cells[0]
        if way == "steps":
            for far, side in re.findall(r"(\d) (left|right|up|down)", asked):
                place = (place[0] + int(far) * steps[side][0], place[1] + int(far) * steps[side][1])
        else:
            row, column = steps[re.search(r"faces the (\w+) edge", asked)[1]]
            for far, turn in re.findall(r"forward (\d)|turn (left|right|around)", asked):
                if far:
                    place = (place[0] + int(far) * row, place[1] + int(far) * column)
                row, column = {"left": (-column, row), "right": (column, -row), "around": (-row, -column)}.get(
                    turn, (row, column)
                )
        assert board[place].label("en") == item.ground_truth
