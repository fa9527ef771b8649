"""Scenes under conditions: radar, resolutions, crowds, weather, view angles, borders: the truth stays exact."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import math
import re
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from msgspec.structs import replace
from PIL import Image, ImageDraw
from shapely import Polygon
from shapely import box as rectangle

from sightline.cli import cli
from sightline.core.errors import ConfigError, UsageError
from sightline.core.records import Media
from sightline.data.pictures import prepare_picture
from sightline.suites.remote_sensing.generator.catalog import GROUPS, KINDS, RADAR_GROUPS
from sightline.suites.remote_sensing.generator.conditions import (
    MIN_INSIDE,
    RESOLUTION,
    STANDARD,
    Conditions,
    acquisition_of,
    cloud_opacity,
)
from sightline.suites.remote_sensing.generator.plan import TASKS, decidable_tasks, file_stem, plan_questions, view_of
from sightline.suites.remote_sensing.generator.questions import ImageRef
from sightline.suites.remote_sensing.generator.questions.pixels import changed_rings
from sightline.suites.remote_sensing.generator.render import render_pixels
from sightline.suites.remote_sensing.generator.render.png16 import encode_png16
from sightline.suites.remote_sensing.generator.render.radar import LOOKS, focus
from sightline.suites.remote_sensing.generator.render.sensor import light_of
from sightline.suites.remote_sensing.generator.scene import SIDE
from sightline.suites.remote_sensing.generator.scene_layouts import BLOCK, make_scene
from sightline.suites.remote_sensing.generator.seeded_random import SeededRandom
from sightline.suites.remote_sensing.generator.shapes import bounds, distance
from sightline.suites.remote_sensing.generator.writer import PictureCache, generate
from sightline.suites.remote_sensing.suite import Recipe
from tests.suites.remote_sensing.test_generator import FORMS, WORDS, lines, rings

SEED, SIZE = 5, 512
LOOKS_OF = {
    "sar": Conditions(sensors=("sar",)),
    "fine": Conditions(resolutions=(0.15,), cut=True),
    "coarse": Conditions(resolutions=(0.6,)),
    "crowded": Conditions(crowded=True),
    "cloudy": Conditions(clouds=0.5, haze=0.8),
    "leaning": Conditions(off_nadir=35),
    "cut": Conditions(cut=True),
    "all": Conditions(
        sensors=("optical", "sar"),
        resolutions=(0.15, 0.3, 0.6),
        crowded=True,
        haze=0.5,
        clouds=0.4,
        off_nadir=30,
        cut=True,
    ),
}
all_looks = pytest.mark.parametrize("look", list(LOOKS_OF))


@all_looks
def test_shapes_lie_within_the_picture_and_about_each_other(look: str) -> None:
    conditions, picture, cut = LOOKS_OF[look], rectangle(0, 0, SIDE, SIDE), 0
    for number in range(2 * BLOCK):
        view = view_of(SEED, number, SIZE, conditions)
        assert view.scene.objects
        for obj in view.scene.objects:
            left, top, right, bottom = view.box(obj)
            assert 0 <= left < right <= SIZE and 0 <= top < bottom <= SIZE
            mask = Image.new("1", (SIZE, SIZE))
            ImageDraw.Draw(mask).polygon(obj.visible_outline, fill=1)
            inside = np.asarray(mask)
            assert inside[top:bottom, left:right].sum() >= 0.85 * inside.sum() > 0
            outline = Polygon(obj.outline)
            cut += obj.is_cut
            if obj.is_cut:
                assert conditions.cut
                whole = outline if not obj.silhouette else outline.union(Polygon(obj.silhouette).buffer(0))
                assert Polygon(obj.visible_outline).buffer(0).area >= MIN_INSIDE * whole.intersection(picture).area
                assert outline.intersection(picture).area > 0.3 * outline.area
            else:
                assert picture.buffer(1e-6).contains(
                    Polygon(obj.visible_frame if not obj.silhouette else obj.silhouette)
                )
    assert bool(cut) == conditions.cut


@all_looks
def test_what_is_painted_of_an_object_is_what_the_truth_outlines(look: str) -> None:
    """The picture with an object minus the picture without it, in light without shadows."""
    conditions, compared = LOOKS_OF[look], 0
    for number in range(BLOCK):
        scene = make_scene(SEED, number, conditions)
        light = replace(light_of(SEED, number, 0, conditions), slope=1e-9)
        whole = render_pixels(scene, light, SIZE, (SEED, number)).mean(axis=2)
        # a track holds a pitch, a boat draws a wake
        seen = [obj for obj in scene.objects if obj.kind not in ("running track", "football pitch", "speed boat")]
        if not seen:
            continue
        clear = [obj for obj in seen if KINDS[obj.kind].height > 5] or seen
        obj = SeededRandom(look, number).pick(clear)
        others = replace(scene, objects=tuple(each for each in scene.objects if each.id != obj.id))
        gap = np.abs(whole - render_pixels(others, light, SIZE, (SEED, number)).mean(axis=2))
        left, top, right, bottom = view_of(SEED, number, SIZE, conditions).box(obj)
        about = np.zeros((SIZE, SIZE), bool)
        about[max(top - 3, 0) : bottom + 3, max(left - 3, 0) : right + 3] = True
        if scene.acquisition.is_radar:
            # sidelobes of an echo reach further than the object, but are weak
            assert (gap[about] ** 2).sum() > 0.95 * (gap**2).sum(), (number, obj.kind)
        else:
            assert (gap[~about] < 1.5).mean() > 0.999, (number, obj.kind)
        inside = Image.new("1", (SIZE, SIZE))
        ImageDraw.Draw(inside).polygon(obj.visible_outline, fill=1)
        changed = gap > (1.5 if not scene.acquisition.is_radar else 6)
        assert (changed & np.asarray(inside)).sum() > 0.45 * np.asarray(inside).sum(), (number, obj.kind)
        compared += 1
    assert compared >= BLOCK - 2


@all_looks
def test_answers_have_the_asked_form_and_follow_from_the_scene(look: str) -> None:
    conditions = LOOKS_OF[look]
    for task in decidable_tasks(conditions):
        for question in plan_questions(task, 2 * BLOCK, SEED, SIZE, conditions):
            assert re.fullmatch(FORMS[task], question.gt), (task, question.gt)
            shapes = rings(question.gt)
            assert all(0 <= value <= SIZE for ring in shapes for point in ring for value in point)
            view = view_of(SEED, question.image_refs[0].number, SIZE, conditions)
            if task in WORDS:
                low, high = WORDS[task]
                assert low <= len(question.gt.split()) <= high, question.gt
            if task in ("水平区域检测", "旋转区域检测"):
                count, name = int(question.gt.split()[0]), question.keys[0]
                assert count == len(shapes) == len(view.scene.objects_of(name))
            if task == "计数":
                assert int(question.gt) == len(view.scene.objects_of(question.keys[1]))
            if task in ("实例分割", "旋转区域检测"):
                assert all(Polygon(ring).area > 0 for ring in shapes)


@all_looks
def test_same_seed_same_bytes(look: str, tmp_path: Path) -> None:
    wish = LOOKS_OF[look]
    recipe = Recipe(
        size=128,
        tasks=("counting", "change detection", "horizontal detection"),
        sensors=wish.sensors,
        resolutions=wish.resolutions,
        crowded=wish.crowded,
        haze=wish.haze,
        clouds=wish.clouds,
        off_nadir=wish.off_nadir,
        cut_objects=wish.cut,
    )
    digests = []
    for name, seed in (("one", 3), ("two", 3), ("other", 4)):
        make_scene.cache_clear()
        generate(tmp_path / name, 3, seed, recipe)
        files = sorted(path for path in (tmp_path / name).rglob("*.txt"))
        digests.append([hashlib.sha256(path.read_bytes()).hexdigest() for path in files])
    assert digests[0] == digests[1] != digests[2]
    assert "Conditions: " in (tmp_path / "one" / "README.md").read_text()


def test_standard_conditions_change_nothing() -> None:
    assert acquisition_of(SEED, 1) == acquisition_of(SEED, 1, STANDARD)
    for number in range(BLOCK):
        assert make_scene(SEED, number) == make_scene(SEED, number, Conditions())
        assert not any(obj.silhouette or obj.is_cut for obj in make_scene(SEED, number).objects)


class TestRadar:
    def test_speckle_has_the_variation_of_its_looks(self) -> None:
        """Amplitude of the mean power of L looks: E² = L (Γ(L) / Γ(L + 1/2))² · …, checked by its ratio to the mean."""
        side = 256
        shown = focus(np.full((side, side), 40.0), np.zeros((side, side)), SeededRandom("speckle")) / 255
        amplitude = shown.astype(np.float64) ** (1 / 0.75)
        expected = math.sqrt(LOOKS * (math.gamma(LOOKS) / math.gamma(LOOKS + 0.5)) ** 2 - 1)
        assert amplitude.std() / amplitude.mean() == pytest.approx(expected, rel=0.05)

    def test_amplitude_is_kept_on_average(self) -> None:
        side = 256
        means = []
        for level in (20.0, 40.0):
            shown = focus(np.full((side, side), level), np.zeros((side, side)), SeededRandom("level")) / 255
            means.append((shown.astype(np.float64) ** (1 / 0.75)).mean())
        assert means[1] / means[0] == pytest.approx(2.0, rel=0.02)

    def test_a_bright_target_has_sidelobes_along_rows_and_columns(self) -> None:
        side = 129
        echoes = np.zeros((side, side))
        echoes[64, 64] = 3000.0
        shown = focus(np.full((side, side), 1.0), echoes, SeededRandom("target"))
        assert shown[64, 64] == 255
        cross = np.concatenate((shown[64, 70:80], shown[70:80, 64])).mean()
        assert cross > 2 * np.diag(shown)[70:80].mean()

    def test_high_things_lean_towards_the_sensor_and_throw_their_shadow_away_from_it(self) -> None:
        conditions = LOOKS_OF["sar"]
        for number in range(BLOCK):
            acquisition, light = acquisition_of(SEED, number, conditions), light_of(SEED, number, 0, conditions)
            shadow = light.shadow(10.0)
            lean = acquisition.lean
            assert shadow[0] * lean[0] + shadow[1] * lean[1] < 0
            # a right triangle: layover · shadow = height²
            assert math.hypot(*shadow) / 10 * math.hypot(*lean) == pytest.approx(1.0)

    def test_ships_are_brighter_than_water_and_water_is_darker_than_land(self) -> None:
        conditions, ships = LOOKS_OF["sar"], 0
        for number in range(4 * BLOCK):
            scene = make_scene(SEED, number, conditions)
            if scene.scene_class != "beach":
                continue
            picture = render_pixels(scene, light_of(SEED, number, 0, conditions), SIZE, (SEED, number))[..., 0]
            dark = np.quantile(picture, 0.2)
            for obj in scene.objects_of("ship"):
                left, top, right, bottom = view_of(SEED, number, SIZE, conditions).box(obj)
                assert np.quantile(picture[top:bottom, left:right], 0.8) > 3 * dark
                ships += 1
        assert ships > 3

    def test_nothing_is_asked_that_radar_does_not_show(self) -> None:
        flat = [name for name in (*GROUPS, *KINDS) if GROUPS.get(name, ()) != () and name not in RADAR_GROUPS]
        conditions = LOOKS_OF["sar"]
        for task in decidable_tasks(conditions):
            for question in plan_questions(task, BLOCK, SEED, SIZE, conditions):
                if "airport, " in question.prompt or ", airport" in question.prompt:
                    continue  # the list of scene classes
                assert not any(name in question.prompt or name in question.gt for name in flat), question

    def test_colours_and_kinds_are_not_asked_where_they_cannot_be_told(self, tmp_path: Path) -> None:
        for look in ("sar", "coarse"):
            assert "细粒度识别" not in decidable_tasks(LOOKS_OF[look])
            for question in plan_questions("视觉定位", 2 * BLOCK, SEED, SIZE, LOOKS_OF[look]):
                assert question.keys[0] in GROUPS
        with pytest.raises(UsageError, match="fine-grained recognition"):
            generate(tmp_path, 1, SEED, Recipe(sensors=("sar",), tasks=("fine-grained recognition",)))

    def test_speckle_differs_between_dates_and_changes_are_seen(self) -> None:
        cache, conditions, compared = PictureCache(SEED, 256, LOOKS_OF["sar"]), LOOKS_OF["sar"], 0
        for number in range(BLOCK):
            regions = changed_rings(SEED, number, 0.5, conditions)
            before, after = (
                np.asarray(Image.open(io.BytesIO(cache.jpeg(ImageRef(number, date)))), np.float32)[..., 0]
                for date in ("a", "b")
            )
            gap = np.abs(after - before)
            assert np.median(gap) > 3
            mask = Image.new("1", gap.shape)
            for ring in regions:
                ImageDraw.Draw(mask).polygon(ring, fill=1)
            if regions:
                compared += 1
                assert gap[np.asarray(mask)].mean() > 1.3 * gap[~np.asarray(mask)].mean(), number
        assert compared >= 4


class TestResolutions:
    def test_things_shrink_with_the_resolution(self) -> None:
        lengths = {}
        for resolution in (0.15, 0.3, 0.6):
            conditions = Conditions(resolutions=(resolution,))
            cars = [o for n in range(2 * BLOCK) for o in make_scene(SEED, n, conditions).objects if o.kind == "car"]
            lengths[resolution] = np.mean([car.length for car in cars])
            metres = lengths[resolution] * resolution
            assert 4.0 < metres < 5.2
        assert lengths[0.15] / lengths[0.6] == pytest.approx(4.0, rel=0.05)

    def test_resolutions_out_of_range_are_refused(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match=r"between 0\.1 and 0\.75"):
            generate(tmp_path, 1, 1, Recipe(resolutions=(10.0,)))

    def test_scene_classes_are_not_asked_of_magnified_pieces(self) -> None:
        assert not view_of(SEED, 0, SIZE, LOOKS_OF["fine"]).tells_scene_class
        assert view_of(SEED, 0, SIZE).tells_scene_class
        assert RESOLUTION == 0.3

    def test_crowds_are_of_hundreds(self) -> None:
        counts = [len(make_scene(SEED, number, LOOKS_OF["crowded"]).objects) for number in range(2 * BLOCK)]
        assert sum(count >= 100 for count in counts) >= 6 and max(counts) > 400
        biggest = max(
            int(question.gt.split()[0])
            for question in plan_questions("水平区域检测", 3 * BLOCK, SEED, SIZE, LOOKS_OF["crowded"])
        )
        assert biggest > 100


class TestWeather:
    def test_clouds_cover_what_they_should_and_no_object(self) -> None:
        clouded = 0
        for number in range(2 * BLOCK):
            scene = make_scene(SEED, number, LOOKS_OF["cloudy"])
            cover = scene.acquisition.clouds
            if not cover:
                continue
            clouded += 1
            opacity = cloud_opacity(SEED, number, cover, SIZE)
            assert (opacity > 0.5).mean() == pytest.approx(cover, abs=0.02)
            light = light_of(SEED, number, 0, LOOKS_OF["cloudy"])
            clear = replace(scene, acquisition=replace(scene.acquisition, clouds=0.0))
            under, open_sky = (render_pixels(each, light, SIZE, (SEED, number)).mean(axis=2) for each in (scene, clear))
            for obj in scene.objects:
                mask = Image.new("1", (SIZE, SIZE))
                ImageDraw.Draw(mask).polygon(obj.visible_outline, fill=1)
                inside = np.asarray(mask)
                assert opacity[inside].mean() < 0.15, (number, obj.kind)
                # a shadow of clouds lowers contrast, but never takes it away
                assert under[inside].std() > 0.3 * open_sky[inside].std(), (number, obj.kind)
        assert clouded >= BLOCK

    def test_pixels_under_clouds_are_not_asked_for(self) -> None:
        for question in plan_questions("像素分类", 3 * BLOCK, SEED, SIZE, LOOKS_OF["cloudy"]):
            number = question.image_refs[0].number
            match = re.search(r"\((\d+), (\d+)\)", question.prompt)
            assert match is not None
            cover = make_scene(SEED, number, LOOKS_OF["cloudy"]).acquisition.clouds
            assert cloud_opacity(SEED, number, cover, SIZE)[int(match[2]), int(match[1])] < 0.1

    def test_haze_lowers_contrast(self) -> None:
        for number in range(3):
            contrasts = []
            for conditions in (STANDARD, Conditions(haze=1.0)):
                light = light_of(SEED, number, 0, conditions)
                picture = render_pixels(make_scene(SEED, number, conditions), light, 256, (SEED, number))
                contrasts.append(picture.std())
            assert contrasts[1] < 0.9 * contrasts[0]

    def test_captions_do_not_praise_the_sky(self) -> None:
        for look in ("cloudy", "leaning", "sar"):
            for question in plan_questions("简洁图片描述", 3 * BLOCK, SEED, SIZE, LOOKS_OF[look]):
                assert "clear skies" not in question.gt or look == "leaning"
                assert "directly above" not in question.gt or look == "cloudy"


class TestOffNadir:
    def test_roofs_are_displaced_by_their_height(self) -> None:
        leaning = 0
        for number in range(BLOCK):
            scene = make_scene(SEED, number, LOOKS_OF["leaning"])
            x, y = scene.acquisition.lean
            for obj in scene.objects:
                if not obj.silhouette:
                    continue
                leaning += 1
                height = KINDS[obj.kind].height
                before, after = bounds(obj.outline), bounds(obj.visible_outline)
                assert (after[2] - after[0]) - (before[2] - before[0]) == pytest.approx(abs(x) * height, abs=1e-6)
                assert (after[3] - after[1]) - (before[3] - before[1]) == pytest.approx(abs(y) * height, abs=1e-6)
        assert leaning > 30

    def test_no_object_is_hidden_behind_a_neighbour(self) -> None:
        for look in ("leaning", "sar"):
            for number in range(2 * BLOCK):
                scene = make_scene(SEED, number, LOOKS_OF[look])
                shapes = [(KINDS[o.kind].height, o.id, Polygon(o.visible_outline).buffer(0), o) for o in scene.objects]
                for height, key, shape, _ in shapes:
                    over = [other for h, k, other, o in shapes if (h, k) > (height, key) and o.silhouette]
                    hidden = sum(shape.intersection(other).area for other in over)
                    assert hidden <= 0.1001 * shape.area


class TestDepth:
    def test_sixteen_bits_are_sixteen(self) -> None:
        conditions = Conditions(sensors=("optical", "sar"))
        for number in range(4):
            data = PictureCache(SEED, 128, conditions, sixteen_bit=True).png16(ImageRef(number))
            assert data[24] == 16
            pixels = decode_png16(data)
            assert pixels.dtype == np.uint16 and len(np.unique(pixels)) > 2000
            assert len(np.unique(pixels & 255)) > 200  # the low byte says something
            light = light_of(SEED, number, 0, conditions)
            shown = np.clip(render_pixels(make_scene(SEED, number, conditions), light, 128, (SEED, number)), 0, 255)
            assert np.abs((pixels / 257).mean(axis=2) - shown.mean(axis=2)).mean() < 1

    def test_encoding_is_lossless(self) -> None:
        rng = np.random.default_rng(1)
        for channels in (1, 3):
            pixels = np.repeat(rng.integers(0, 65536, (9, 7, channels), np.uint16), 3 // channels, axis=2)
            assert (decode_png16(encode_png16(pixels)) == pixels[..., : 1 if channels == 1 else 3]).all()
        grey = encode_png16(np.full((4, 4, 3), 4660, np.uint16))
        with Image.open(io.BytesIO(grey)) as image:  # another decoder
            assert image.mode.startswith("I") and set(np.asarray(image).ravel().tolist()) == {4660}

    def test_files_name_and_hold_png(self, tmp_path: Path) -> None:
        generate(tmp_path, 2, SEED, Recipe(size=128, tasks=("counting",), sixteen_bit=True, outputs=False))
        for row in lines(tmp_path / "anno" / f"{file_stem('计数')}.txt"):
            data = base64.b64decode(row["frames"])
            assert row["source"].endswith(".png") and data[24] == 16
            prepare_picture(Media(kind="image", data=f"data:image/png;base64,{row['frames']}"))


def decode_png16(data: bytes) -> np.ndarray:
    """A decoder for files whose rows are filtered by the row above."""
    width, height, depth, colour = struct.unpack(">IIBB", data[16:26])
    assert depth == 16
    chunks, at = {}, 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        name, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert zlib.crc32(name + body) == struct.unpack(">I", data[at + 8 + length : at + 12 + length])[0]
        chunks[name], at = body, at + 12 + length
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, -1)
    assert (rows[:, 0] == 2).all()
    values = np.cumsum(rows[:, 1:], axis=0, dtype=np.uint8)
    return values.reshape(height, -1).view(">u2").astype(np.uint16).reshape(height, width, 3 if colour == 2 else 1)


class TestLabelNoise:
    def test_wrong_truths_are_as_frequent_as_stated_and_listed(self, tmp_path: Path) -> None:
        count = 30
        tasks = ("VQA1", "VQA2", "horizontal detection", "visual grounding", "brief caption")
        for name, share in (("clean", 0.0), ("noisy", 0.3)):
            generate(tmp_path / name, count, SEED, Recipe(size=128, tasks=tasks, label_noise=share))
        assert not (tmp_path / "clean" / "label_noise.json").exists()
        listed = {row["sample_id"]: row for row in json.loads((tmp_path / "noisy" / "label_noise.json").read_text())}
        assert 0.15 < len(listed) / (4 * count) < 0.45
        for task in ("VQA1", "VQA2", "水平区域检测", "视觉定位", "简洁图片描述"):
            clean, noisy = (lines(tmp_path / name / "anno" / f"{file_stem(task)}.txt") for name in ("clean", "noisy"))
            for right, wrong in zip(clean, noisy, strict=True):
                note = listed.get(right["sample_id"])
                assert (wrong["gt"] != right["gt"]) == (note is not None)
                assert re.fullmatch(FORMS[task], wrong["gt"])
                assert all(0 <= value <= 128 for ring in rings(wrong["gt"]) for point in ring for value in point)
                assert note is None or note["true_gt"] == right["gt"]
        assert not any(key.startswith("brief_caption") for key in listed)
        assert (tmp_path / "clean" / "output").is_dir()
        for path in (tmp_path / "clean" / "output").glob("*_output.*"):
            assert path.read_bytes() == (tmp_path / "noisy" / "output" / path.name).read_bytes()


def test_a_region_caption_names_the_nearest_neighbour() -> None:
    named = 0
    for question in plan_questions("区域描述", 8 * BLOCK, SEED, SIZE):
        match = re.search(r"close to an? ([a-z ]+?)(?:,| in the|\.|$)|with an? ([a-z ]+?) nearby", question.gt)
        view = view_of(SEED, question.image_refs[0].number, SIZE)
        (corners,) = rings(question.prompt)
        (obj,) = [each for each in view.scene.objects if view.box(each) == (*corners[0], *corners[1])]
        others = [other for other in view.scene.objects if other.id != obj.id]
        if match and others:
            nearest = min(others, key=lambda other, at=obj.at: distance(other.at, at))
            assert nearest.kind == (match[1] or match[2]).strip(), question.gt
            named += 1
    assert named > 10


def test_all_tasks_stay_decidable_in_the_open() -> None:
    assert set(decidable_tasks(STANDARD)) == set(TASKS)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_conditions_are_flags(language: str, tmp_path: Path) -> None:
    words = ["generate", "remote-sensing", "--lang", language]
    told = CliRunner().invoke(cli, [*words, "--help"])
    assert told.exit_code == 0 and "--resolutions" in told.output
    words += ["--count", "2", "--size", "128", "--tasks", "counting", "--out", str(tmp_path / "out")]
    words += ["--sensors", "optical,sar", "--resolutions", "0.2,0.5", "--crowded", "--haze", "0.5", "--clouds", "0.3"]
    told = CliRunner().invoke(cli, [*words, "--off-nadir", "20", "--cut-objects", "--sixteen-bit"])
    assert told.exit_code == 0, told.output
    assert "resolutions 0.2, 0.5" in (tmp_path / "out" / "README.md").read_text()
    with pytest.raises(ConfigError):
        CliRunner().invoke(cli, [*words[:-4], "--clouds", "7", "--out", "x"], catch_exceptions=False)
