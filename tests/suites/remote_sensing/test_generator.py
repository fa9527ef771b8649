"""Generated scenes: the same for a seed, true to their geometry, evenly answered, and spoiled as often as stated."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw
from shapely import Polygon

from sightline.core.errors import UsageError
from sightline.suites.remote_sensing.generator.catalog import GROUPS, KINDS, MOVING, ZH, Palette
from sightline.suites.remote_sensing.generator.corruptions import ERROR_RATES, FAMILIES, MISSING, RIGHT, corrupt_reply
from sightline.suites.remote_sensing.generator.plan import (
    OUTPUT_SUFFIXES,
    QUESTION_GENERATORS,
    TASKS,
    file_stem,
    plan_questions,
    select_tasks,
    view_of,
)
from sightline.suites.remote_sensing.generator.questions import ImageRef, Question
from sightline.suites.remote_sensing.generator.questions.images import SCENE_CLASSES_ZH
from sightline.suites.remote_sensing.generator.questions.pixels import LABELS, change_of, changed_rings
from sightline.suites.remote_sensing.generator.render import PAINTERS, paint
from sightline.suites.remote_sensing.generator.render.canvas import Canvas
from sightline.suites.remote_sensing.generator.render.sensor import light_of
from sightline.suites.remote_sensing.generator.scene import SIDE, SceneObject, box, quad
from sightline.suites.remote_sensing.generator.scene_layouts import BLOCK, SCENE_LAYOUTS, make_scene
from sightline.suites.remote_sensing.generator.seeded_random import SeededRandom
from sightline.suites.remote_sensing.generator.shapes import bounds, signed_area
from sightline.suites.remote_sensing.generator.writer import PictureCache, generate
from sightline.suites.remote_sensing.suite import Recipe

SEED, COUNT, SIZE = 11, 5 * BLOCK, 512
BOX = r"<box>(?:<\d+>){4}</box>"
QUAD = r"<quad>(?:<\d+>){8}</quad>"
FORMS = {
    "图片检索": r"\d(,\d)*",
    "图片分类": r"[a-z ]+(;[a-z ]+)*",
    "VQA1": r"Yes|No",
    "VQA2": r"\d+",
    "VQA3": rf"({BOX})+",
    "计数": r"\d+",
    "简洁图片描述": r"[A-Z0-9].*\.",
    "详细图片描述": r"[A-Z0-9].*\.",
    "水平区域分类": "|".join(GROUPS),
    "旋转区域分类": r"[a-z ]+",
    "水平区域检测": rf"0|\d+ ({BOX})+",
    "旋转区域检测": rf"0|\d+ ({QUAD})+",
    "视觉定位": BOX,
    "区域描述": r"[A-Z0-9].*\.",
    "像素分类": "|".join(LABELS),
    "语义分割": r"(<poly>(<\d+><\d+>){3,}</poly>)+",
    "实例分割": r"(<poly>(<\d+><\d+>){3,}</poly>)+",
    "变化检测": r"0|(<dot>(<\d+><\d+>){3,}</dot>)+",
    "细粒度识别": "|".join(KINDS),
}
WORDS = {"简洁图片描述": (15, 20), "详细图片描述": (30, 50), "区域描述": (15, 20)}


@pytest.fixture(scope="module")
def questions() -> dict[str, list[Question]]:
    return {task: list(plan_questions(task, COUNT, SEED, SIZE)) for task in TASKS}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("scenes")
    generate(out, 4, 3, Recipe(size=128))
    return out


def digests(folder: Path, pattern: str) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.glob(pattern))}


def lines(path: Path) -> list[dict]:
    text = path.read_text(encoding="utf-8")
    return json.loads(text) if path.suffix == ".json" else [json.loads(row) for row in text.split("\n") if row]


def rings(text: str) -> list[list[tuple[int, int]]]:
    found = []
    for body in re.findall(r"<(?:box|quad|poly|dot)>((?:<\d+>)+)</", text):
        values = [int(value) for value in re.findall(r"\d+", body)]
        found.append(list(zip(values[::2], values[1::2], strict=True)))
    return found


class TestFiles:
    def test_every_task_has_its_files(self, data: Path) -> None:
        assert {path.name for path in (data / "anno").iterdir()} == {f"{file_stem(task)}.txt" for task in TASKS}
        outputs = {f"{file_stem(task)}{OUTPUT_SUFFIXES.get(task, '_output.txt')}" for task in TASKS}
        assert {path.name for path in (data / "output").iterdir()} == {*outputs, "how_spoiled.json"}
        assert sorted(OUTPUT_SUFFIXES.values()) == ["_output.json", "_output.json", "_output.jsonl"]
        readme = (data / "README.md").read_text(encoding="utf-8")
        assert "seed 3" in readme and "canary" in readme and "sightline score --anno-path" in readme

    def test_same_seed_same_bytes_whatever_else_is_made(self, data: Path, tmp_path: Path) -> None:
        some = ("change detection", "计数", "Image_Retrieval")
        generate(tmp_path / "some", 4, 3, Recipe(size=128, tasks=some))
        generate(tmp_path / "other", 4, 4, Recipe(size=128, tasks=some, outputs=False))
        for pattern in ("anno/*.txt", "output/*_output.*"):
            whole = digests(data, pattern)
            part = digests(tmp_path / "some", pattern)
            assert len(part) == 3
            assert part == {name: whole[name] for name in part}
        other = digests(tmp_path / "other", "anno/*.txt")
        assert all(other[name] != digests(data, "anno/*.txt")[name] for name in other)
        assert not (tmp_path / "other" / "output").exists()

    def test_fewer_samples_are_the_first_of_more(self, data: Path, tmp_path: Path) -> None:
        generate(tmp_path, 2, 3, Recipe(size=128, tasks=("VQA2",)))
        name = f"{file_stem('VQA2')}.txt"
        assert lines(tmp_path / "anno" / name) == lines(data / "anno" / name)[:2]

    def test_pictures_decode_and_have_the_stated_size(self, data: Path) -> None:
        for task in TASKS:
            for row in lines(data / "anno" / f"{file_stem(task)}.txt"):
                assert list(row) == ["sample_id", "prompt", "frames", "gt", "task", "source"]
                assert row["task"] == task
                frames = row["frames"] if isinstance(row["frames"], list) else [row["frames"]]
                assert len(frames) == len(row["source"].split(","))
                assert isinstance(row["frames"], list) == (task in ("图片检索", "变化检测"))
                for frame in frames:
                    with Image.open(io.BytesIO(base64.b64decode(frame, validate=True))) as picture:
                        assert (picture.format, picture.size, picture.mode) == ("JPEG", (128, 128), "RGB")

    def test_sample_ids_are_unique_and_outputs_name_them(self, data: Path) -> None:
        told = json.loads((data / "output" / "how_spoiled.json").read_text(encoding="utf-8"))
        for task in TASKS:
            ids = [row["sample_id"] for row in lines(data / "anno" / f"{file_stem(task)}.txt")]
            given = lines(data / "output" / f"{file_stem(task)}{OUTPUT_SUFFIXES.get(task, '_output.txt')}")
            assert len(set(ids)) == len(ids) == sum(told[task].values()) == 4
            named = [row["sample_id"] for row in given]
            assert named == [each for each in ids if each in named]
            assert len(given) == 4 - told[task].get(MISSING, 0)

    def test_a_usual_picture_is_of_a_usual_weight(self) -> None:
        weights = [len(PictureCache(SEED, 512).jpeg(ImageRef(number))) for number in range(3)]
        assert all(30_000 < weight < 160_000 for weight in weights), weights

    def test_wrong_wishes_are_refused(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError):
            generate(tmp_path, 0, 1)
        with pytest.raises(UsageError, match="counting"):
            generate(tmp_path, 1, 1, Recipe(tasks=("countin",)))
        assert select_tasks(()) == tuple(TASKS)
        assert select_tasks(("Fine-grained recognition", "vqa1")) == ("VQA1", "细粒度识别")


class TestScenes:
    def test_a_block_holds_every_place_once(self) -> None:
        for block in range(3):
            assert {make_scene(SEED, block * BLOCK + k).scene_class for k in range(BLOCK)} == set(SCENE_LAYOUTS)

    def test_things_are_inside_and_apart(self) -> None:
        for number in range(2 * BLOCK):
            objects = make_scene(SEED, number).objects
            for obj in objects:
                left, top, right, bottom = bounds((*obj.outline, *obj.frame))
                assert min(left, top) > 0 and max(right, bottom) < SIDE
            frames = [(obj, Polygon(obj.outline)) for obj in objects]
            for (one, first), (other, second) in combinations(frames, 2):
                if {one.group, other.group} != {"football pitch", "running track"}:
                    shared = first.intersection(second).area
                    assert shared < 1.0, (number, one.kind, other.kind, shared)

    @pytest.mark.parametrize("kind", list(KINDS))
    def test_box_is_tight_about_what_is_painted(self, kind: str) -> None:
        assert set(PAINTERS) == set(KINDS)
        about = KINDS[kind]
        for angle in (0.0, 0.4, 2.0, 4.4):
            length = about.length[1]
            obj = SceneObject(
                id=0, kind=kind, at=(250.3, 258.8), length=length, width=length * about.ratio, angle=angle,
                paint=about.paints[0], location="",
            )  # fmt: skip
            canvas = Canvas(SIZE, Palette(), (255, 0, 255))
            paint(canvas, obj, light_of(1, 1), SeededRandom(1))
            painted = (np.asarray(canvas.image) != (255, 0, 255)).any(axis=2)
            rows, columns = np.nonzero(painted.any(axis=1))[0] / 2, np.nonzero(painted.any(axis=0))[0] / 2
            found = columns[0], rows[0], columns[-1] + 0.5, rows[-1] + 0.5
            assert np.abs(np.array(found) - box(obj, 1.0)).max() <= 1.0, (kind, angle, found, box(obj, 1.0))
            inside = Image.new("1", painted.shape)
            ImageDraw.Draw(inside).polygon(canvas.scaled(obj.outline), fill=1)
            assert (painted & np.asarray(inside)).sum() > 0.97 * painted.sum()

    def test_quads_run_clockwise_about_the_outline(self) -> None:
        for number in range(BLOCK):
            for obj in make_scene(SEED, number).objects:
                corners = quad(obj, 1.0)
                assert len(corners) == 4 and signed_area(corners) > 0
                assert Polygon(corners).buffer(1.5).contains(Polygon(obj.outline))

    def test_every_name_has_a_chinese_one(self) -> None:
        paints = {paint for kind in KINDS.values() for paint in kind.paints}
        assert {*KINDS, *GROUPS, *LABELS, *paints} <= set(ZH)
        assert set(SCENE_CLASSES_ZH) == set(SCENE_LAYOUTS)


class TestChanges:
    def test_dates_differ_within_the_changed_regions_and_little_elsewhere(self) -> None:
        picture_cache, compared = PictureCache(SEED, 256), 0
        for number in range(BLOCK):
            regions = changed_rings(SEED, number, 0.5)
            before, after = (
                np.asarray(Image.open(io.BytesIO(picture_cache.jpeg(ImageRef(number, date)))), np.float32)
                for date in ("a", "b")
            )
            gap = np.abs((after - np.median(after, (0, 1))) - (before - np.median(before, (0, 1)))).mean(axis=2)
            mask = Image.new("1", gap.shape)
            for ring in regions:
                ImageDraw.Draw(mask).polygon(ring, fill=1)
            inside = np.asarray(mask)
            assert np.median(gap[~inside]) < 15
            if regions:
                compared += 1
                assert gap[inside].mean() > 1.7 * gap[~inside].mean(), number
        assert compared >= 6

    def test_nothing_that_moves_is_a_change(self) -> None:
        for number in range(3 * BLOCK):
            change = change_of(SEED, number)
            objects = make_scene(SEED, number).objects
            assert not any(objects[k].group in MOVING for k in change.built | change.removed)
            assert not change.built & change.removed


class TestQuestions:
    def test_answers_have_the_asked_form(self, questions: dict[str, list[Question]]) -> None:
        assert list(QUESTION_GENERATORS) == list(TASKS) == list(FORMS)
        for task, asked_ones in questions.items():
            for question in asked_ones:
                assert re.fullmatch(FORMS[task], question.gt), (task, question.gt)
                assert all(0 <= value <= SIZE for ring in rings(question.gt) for point in ring for value in point)
                if task in WORDS:
                    low, high = WORDS[task]
                    assert low <= len(question.gt.split()) <= high, question.gt
                if task in ("水平区域检测", "旋转区域检测"):
                    assert int(question.gt.split()[0]) == len(rings(question.gt))

    def test_prompts_come_in_both_languages(self, questions: dict[str, list[Question]]) -> None:
        for task, asked_ones in questions.items():
            chinese = np.mean([bool(re.search("[请？。]", question.prompt)) for question in asked_ones])
            assert 0.2 < chinese < 0.8, task

    def test_no_constant_answer_wins(self, questions: dict[str, list[Question]]) -> None:
        for task, asked_ones in questions.items():
            share = Counter(question.gt for question in asked_ones).most_common(1)[0][1] / COUNT
            assert share <= (0.6 if task == "VQA1" else 0.4), (task, share)

    def test_labels_are_among_the_offered_ones(self, questions: dict[str, list[Question]]) -> None:
        for task in ("水平区域分类", "旋转区域分类", "像素分类", "细粒度识别", "图片分类"):
            for question in questions[task]:
                assert all(label in question.prompt for label in question.gt.split(";")), question

    def test_polygons_are_sound(self, questions: dict[str, list[Question]]) -> None:
        for task in ("语义分割", "实例分割", "变化检测", "旋转区域检测"):
            found = [Polygon(ring) for question in questions[task] for ring in rings(question.gt)]
            assert len(found) > 50
            assert np.mean([polygon.is_valid for polygon in found]) > 0.98, task
            assert all(polygon.area > 0 for polygon in found)

    def test_a_phrase_means_one_thing(self, questions: dict[str, list[Question]]) -> None:
        for question in questions["视觉定位"]:
            view = view_of(SEED, question.image_refs[0].number, SIZE)
            (ring,) = rings(question.gt)
            (obj,) = [each for each in view.scene.objects if view.box(each) == (*ring[0], *ring[1])]
            assert obj.kind in question.prompt or ZH[obj.kind] in question.prompt
            if "唯一" in question.prompt or "the only" in question.prompt:
                alike = [each for each in view.scene.objects_of(obj.kind) if each.paint == obj.paint]
                assert len(alike) == 1

    def test_a_pixel_lies_within_what_it_shows(self, questions: dict[str, list[Question]]) -> None:
        for question in questions["像素分类"]:
            x, y = (int(value) + 0.5 for value in re.search(r"\((\d+), (\d+)\)", question.prompt).groups())
            scene = make_scene(SEED, question.image_refs[0].number)
            on = [obj.group for obj in scene.objects if Polygon(obj.outline).contains(_point(x, y))]
            assert question.gt == on[-1] if on else question.gt not in GROUPS

    def test_counts_and_classes_follow_from_the_scene(self, questions: dict[str, list[Question]]) -> None:
        for question in questions["计数"]:
            scene = make_scene(SEED, question.image_refs[0].number)
            assert any(
                (group in question.prompt) and len(scene.objects_of(group)) == int(question.gt) for group in GROUPS
            ), question.prompt
        for question in questions["图片检索"]:
            assert 1 <= len(question.gt.split(",")) < len(question.image_refs) <= 6


def _point(x: float, y: float):
    from shapely import Point

    return Point(x, y)


class TestReplies:
    @pytest.mark.parametrize("task", list(TASKS))
    def test_ways_come_as_often_as_stated(self, task: str, questions: dict[str, list[Question]]) -> None:
        ways: Counter[str] = Counter()
        for turn in range(1200):
            question = questions[task][turn % COUNT]
            way, text = corrupt_reply(task, question, SIZE, SeededRandom(SEED, task, turn))
            ways[way] += 1
            assert (text is None) == (way == MISSING)
            if way == "empty":
                assert not text.strip()
            if way == "spelling variant" and FAMILIES[task] in ("label", "yes or no"):
                assert text.strip(" \t.").lower() == question.gt.lower()
            if way == "wrong":
                assert text != question.gt
            if way == "lacks a coordinate":
                assert not re.fullmatch(FORMS[task], text)
            if way == RIGHT and FAMILIES[task] not in ("shapes", "counted shapes"):
                assert text == question.gt
        stated = ERROR_RATES[FAMILIES[task]]
        for way, share in stated.items():
            assert ways[way] <= 12 * share * 1.9 + 5, way
        for way in (MISSING, "empty", "text instead", "html", "line breaks", "control characters", "Chinese"):
            assert ways[way] > 0, way
        assert ways[RIGHT] > 350

    def test_right_shapes_are_near_the_true_ones(self, questions: dict[str, list[Question]]) -> None:
        for task in ("VQA3", "水平区域检测", "旋转区域检测", "视觉定位", "变化检测"):
            overlaps = []
            for turn, question in enumerate(questions[task]):
                way, text = corrupt_reply(task, question, SIZE, SeededRandom("near", task, turn))
                if way != RIGHT:
                    continue
                truth, given = rings(question.gt), rings(text)
                assert len(truth) == len(given)
                overlaps += [_overlap(one, other) for one, other in zip(truth, given, strict=True)]
            assert np.mean(np.array(overlaps) > 0.5) > 0.95, task


def _overlap(one: list[tuple[int, int]], other: list[tuple[int, int]]) -> float:
    first, second = (_solid(ring) for ring in (one, other))
    return first.intersection(second).area / first.union(second).area


def _solid(ring: list[tuple[int, int]]) -> Polygon:
    if len(ring) == 2:
        (left, top), (right, bottom) = ring
        ring = [(left, top), (right, top), (right, bottom), (left, bottom)]
    return Polygon(ring).buffer(0)
