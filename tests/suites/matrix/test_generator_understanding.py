"""Understanding: captions of the stated length, answers as people give them, charts that can be read to 5 %."""

from __future__ import annotations

import datetime
import io
import re
from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from PIL import Image

from sightline.suites.matrix.generator.canvas import Canvas
from sightline.suites.matrix.generator.item import Item
from sightline.suites.matrix.generator.recipe import LEVELS
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.understanding import (
    chart_reading,
    dials,
    image_description,
    tables,
    visual_question,
)
from sightline.suites.matrix.generator.understanding.chart_drawing import ChartPicture, draw_chart
from sightline.suites.matrix.generator.understanding.charts import KINDS, PRINTED, random_chart

COUNT = 12


def dice(kind: str, level: str, number: int) -> SampleRng:
    return SampleRng(23, kind, level, number)


def made(module: Any, level: str, count: int = COUNT) -> list[Item]:
    kind = module.__name__.rsplit(".", 1)[1]
    return [module.make(dice(kind, level, k), level, "en" if k % 2 else "zh") for k in range(count)]


def pixels(png: bytes) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(np.int64)


def rgb(colour: str) -> list[int]:
    return [int(colour[k : k + 2], 16) for k in (1, 3, 5)]


@pytest.fixture
def unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures are not finished: for tests of the texts alone."""
    monkeypatch.setattr(Canvas, "image", lambda self: Image.new("RGB", (8, 8)))
    monkeypatch.setattr(chart_reading, "draw_chart", lambda chart, throw: ChartPicture(png=b""))


@pytest.mark.usefixtures("unseen")
@pytest.mark.parametrize("level", LEVELS)
def test_references_are_long_enough_and_differ(level: str) -> None:
    items = made(image_description, level)
    for k, item in enumerate(items):
        assert 2 <= len(item.ground_truth) <= 3 == len(item.pictures) + {"l1": 2, "l2": 1, "l3": 2, "l4": 0}[level]
        assert len(set(item.ground_truth)) == len(item.ground_truth)
        for sentence in item.ground_truth:
            assert "{" not in sentence and "<" not in sentence
            assert 15 <= len(sentence.split() if k % 2 else re.findall(r"\w", sentence)) <= (25 if k % 2 else 40)
            assert not re.search(r"\ba [aeiou]", sentence)
    runs = [{tuple(text.split()[n : n + 4]) for n in range(len(text.split()) - 3)} for text in _firsts(items)]
    shared = [len(a & b) / len(a) for a in runs for b in runs if a is not b]
    assert np.mean(shared) < 0.1


def _firsts(items: list[Item]) -> list[str]:
    return [item.ground_truth[0] for item in items[1::2]]


@pytest.mark.usefixtures("unseen")
@pytest.mark.parametrize("level", LEVELS)
def test_ten_people_mostly_agree(level: str) -> None:
    answers = Counter()
    for item in made(visual_question, level, 20):
        given = Counter(item.ground_truth)
        assert sum(given.values()) == 10 and given[item.ground_truth[0]] >= 8
        assert re.fullmatch(r"-?\d+(\.\d+)?|\d+:\d\d", item.ground_truth[0])
        answers[item.ground_truth[0]] += 1
    assert answers.most_common(1)[0][1] <= 3


def test_a_thermometer_shows_its_value() -> None:
    scale = dials.Scale(low=-20, high=50, major=10, parts=5)
    tops = []
    for value in (-10, 0, 20, 44):
        sheet = Canvas(220, 440)
        dials.draw_thermometer(sheet, (50, 40, 190, 430), scale, value, SampleRng(1, "x", "l1", 0))
        picture = pixels(sheet.png())
        tube = picture[:, 99]
        coloured = np.ptp(tube, axis=-1) > 80
        tops.append((value, int(np.argmax(coloured))))
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(tops)]
    assert np.ptp(slopes) < 0.25 and np.mean(slopes) < -3


def test_a_battery_shows_its_cells() -> None:
    for full in (1, 4, 7):
        sheet = Canvas(400, 220)
        dials.draw_battery(sheet, (50, 55, 330, 165), (full, 8), SampleRng(1, "x", "l1", 0))
        row = np.ptp(pixels(sheet.png())[110], axis=-1) > 60
        assert int(np.sum(row[1:] & ~row[:-1])) == full


def test_calendar_answers_agree_with_the_calendar(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    real = tables.draw_calendar
    monkeypatch.setattr(tables, "draw_calendar", lambda *told: seen.append(told) or real(*told))
    for number in range(6):
        item = tables.working_days(dice("days", "l4", number), "en")
        month, (start,) = seen[-1][:2]
        day = datetime.date(month.year, month.month, start)
        left = int(re.search(r"(\d+) (?:working|such)", item.question)[1])
        while left := left - (day.weekday() < 5):
            day += datetime.timedelta(1)
        assert item.ground_truth[0] == str(day.day) and day.month == month.month
        item = tables.nth_weekday(dice("nth", "l3", number), "en")
        month = seen[-1][0]
        found = datetime.date(month.year, month.month, int(item.ground_truth[0]))
        assert found.strftime("%A") in item.question
        assert f"{(found.day - 1) // 7 + 1}" in item.question


@pytest.mark.parametrize("level", LEVELS)
def test_chart_answers_can_be_read(level: str) -> None:
    """Five per cent of what is asked for takes some pixels, and a careful reader sees half a pixel."""
    for item in made(chart_reading, level, 6):
        assert item.metadata["tolerance"] == 0.05
        assert item.metadata.get("pixels_of_tolerance", 9) >= 2


@pytest.mark.usefixtures("unseen")
@pytest.mark.parametrize("level", LEVELS)
def test_chart_answers_cannot_be_guessed(level: str) -> None:
    items = made(chart_reading, level, 40)
    values = [item.ground_truth for item in items if item.metric == "numeric"]
    assert len(values) == (20 if level == "l4" else 40)
    hits = [sum(abs(guess - truth) <= 0.05 * truth for truth in values) for guess in values]
    assert min(values) > 0 and max(hits) <= 4
    for item in items:
        if item.metric == "chart_f1":
            cells = [value for row in item.ground_truth.values() for value in row.values()]
            assert len(cells) >= 4 and min(cells) > 0


@pytest.mark.usefixtures("unseen")
def test_all_kinds_of_charts_come_up() -> None:
    kinds = {item.metadata["chart"] for item in made(chart_reading, "l1", 16)}
    assert kinds == {*KINDS, "dial"}


@pytest.mark.parametrize("kind", ["bar", "barh", "histogram", "grouped"])
@pytest.mark.parametrize("number", range(2))
def test_bars_end_where_the_axis_says(kind: str, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lengths of the bars in the picture, counted in pixels, are the values of the table."""
    throw = dice(kind, "l1", number)
    chart = random_chart(throw, kind, "en")
    plain = throw.pick
    # no hatching and one colour a series, so that bars can be told from the ground
    monkeypatch.setattr(throw, "pick", lambda some: some[0] if "//" in some else plain(some))
    monkeypatch.setattr(throw, "chance", lambda share=0.5: False)
    drawn = draw_chart(chart, throw)
    picture = pixels(drawn.png)
    assert drawn.unit > 0
    seen = _lengths(picture, kind, drawn.zero)
    wanted = [value * drawn.unit for _, _, value in chart.cells()]
    for truth in wanted:
        assert min(abs(length - truth) for length in seen) <= 2.5, (truth, seen)
    for length in seen:
        assert min(abs(length - truth) for truth in wanted) <= 2.5, (length, wanted)


def _lengths(picture: np.ndarray[Any, np.dtype[np.int64]], kind: str, zero: float) -> list[float]:
    """How far colour reaches from the axis, wherever it does so over several pixels side by side."""
    strong = np.ptp(picture, axis=-1) > 45
    if kind == "barh":
        strong = strong.T[::-1]
        zero = strong.shape[0] - zero
    foot = round(zero) - 4
    reach = [np.flatnonzero(~strong[:foot, k]).max(initial=-1) + 1 for k in np.flatnonzero(strong[foot])]
    return [zero - top for top, count in Counter(map(int, reach)).items() if count >= 8]


def test_printed_charts_need_no_axis() -> None:
    for kind in (*PRINTED, "heat"):
        assert draw_chart(random_chart(dice(kind, "l1", 0), kind, "zh"), dice(kind, "l1", 1)).unit == 0
