"""Fresh drawings: sound models, all different, as hard as asked, and all that one needs to read them is drawn."""

from __future__ import annotations

import json
import math
import xml.etree.ElementTree as ET
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace
from PIL import Image

from sightline.core import fonts
from sightline.core.errors import ConfigError, UsageError
from sightline.suites.structural.drawing import canvas as drawn_shapes
from sightline.suites.structural.drawing.canvas import Disc, Text
from sightline.suites.structural.drawing.svg import to_svg
from sightline.suites.structural.drawing.vectors import XY, Box, angle_gap, angle_of, distance
from sightline.suites.structural.fem.solver import solve
from sightline.suites.structural.framecalc.analysis import to_frame
from sightline.suites.structural.framecalc.reader import read_model
from sightline.suites.structural.generator import plan as planning
from sightline.suites.structural.generator.model_builder import SeededRandom
from sightline.suites.structural.generator.pictures.draft import find_joints, fit
from sightline.suites.structural.generator.pictures.model_drawing import (
    ground_angle,
    lay_out_drawing,
)
from sightline.suites.structural.generator.pictures.style import (
    Style,
    draw_style,
    format_length,
    format_number,
    format_quantity,
)
from sightline.suites.structural.generator.plan import (
    DIFFICULTIES,
    Item,
    canonical_key,
    generate,
    is_sound,
    parse_difficulties,
    plan_items,
)
from sightline.suites.structural.model import (
    STANDARD_A,
    STANDARD_E,
    STANDARD_I,
    Category,
    DistributedLoad,
    Force,
    Link,
    Load,
    Model,
    Moment,
    Point,
    PointSupport,
    SupportKind,
)
from sightline.suites.structural.suite import Recipe

SVG = "{http://www.w3.org/2000/svg}"
COUNT = 300


@pytest.fixture(scope="module")
def items() -> list[Item]:
    return list(plan_items(COUNT, 11, Recipe()))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("structures")
    generate(out, 12, 5)
    return out


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def beam(*loads: Load, kinds: tuple[SupportKind, ...] = ("pin", "roller"), hinge: bool = False) -> Model:
    """Two spans of 4 m, held at the ends."""
    points = (Point("A", 0, 0), Point("B", 4, 0), Point("C", 8, 0))
    links = (Link(id="1", a="A", b="B", hinge_b=hinge), Link(id="2", a="B", b="C"))
    supports = tuple(PointSupport(id=point, point=point, kind=kind) for point, kind in zip("AC", kinds, strict=True))
    return Model(points=points, links=links, supports=supports, loads=loads)


@pytest.mark.slow
class TestFiles:
    def test_same_seed_same_bytes(self, folder: Path, tmp_path: Path) -> None:
        generate(tmp_path / "again", 12, 5)
        assert files(tmp_path / "again") == files(folder)

    def test_other_seed_other_bytes(self, folder: Path, tmp_path: Path) -> None:
        generate(tmp_path, 12, 6)
        same = files(tmp_path).items() & files(folder).items()
        assert not same

    def test_typefaces_of_the_machine_do_not_matter(
        self, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fonts.font_for.cache_clear()
        monkeypatch.setattr(fonts, "chinese_typeface", lambda: Path("/nowhere.ttc"))
        generate(tmp_path, 12, 5)
        assert files(tmp_path) == files(folder)

    def test_a_set_begins_alike_whatever_its_size(self, folder: Path, tmp_path: Path) -> None:
        generate(tmp_path, 3, 5)
        assert files(tmp_path).items() <= files(folder).items()

    def test_three_files_an_item(self, folder: Path) -> None:
        names = {path.stem for path in (folder / "images").iterdir()}
        assert len(names) == 12
        assert {path.stem for path in (folder / "images_svg").glob("*.svg")} == names
        assert {path.stem for path in (folder / "raw_models").glob("*.json")} == names
        assert all(name.split("_")[0] in DIFFICULTIES and name.split("_")[1].isdigit() for name in names)

    def test_pictures_are_of_a_sensible_size(self, items: list[Item], folder: Path) -> None:
        for path in (folder / "images").iterdir():
            with Image.open(path) as picture:
                assert picture.format == "PNG"
                assert path.stat().st_size < 250_000
        for item in items:
            drawing = item.layout.drawing
            assert 350 <= drawing.width <= 1500 and 200 <= drawing.height <= 1000, item.name


class TestModels:
    def test_all_are_stable_and_strained(self, items: list[Item]) -> None:
        for item in items:
            peak = solve(to_frame(item.model)).peak()
            assert math.isfinite(peak.m) and max(peak.m, peak.n) > 1.0, item.name

    def test_every_load_matters(self, items: list[Item]) -> None:
        for item in items[:100]:
            whole = solve(to_frame(item.model)).end_forces
            for load in item.model.loads:
                without = replace(item.model, loads=tuple(other for other in item.model.loads if other is not load))
                change = abs(solve(to_frame(without)).end_forces - whole).max()
                assert change > 0.01 * abs(whole).max(), (item.name, load)

    def test_no_two_are_alike(self, items: list[Item]) -> None:
        assert len({canonical_key(item.model) for item in items}) == COUNT

    def test_a_model_that_comes_again_is_passed_over(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(planning, "SeededRandom", lambda seed, _place, attempt: SeededRandom(seed, attempt))
        found = [item.model for item in plan_items(4, 1, Recipe(category=("beam",), difficulty="1"))]
        assert len({canonical_key(model) for model in found}) == 4

    def test_difficulties_take_turns_and_follow_the_rule(self, items: list[Item]) -> None:
        assert Counter(item.difficulty for item in items) == dict.fromkeys(range(1, 6), COUNT // 5)
        for item in items:
            links, hinged = len(item.model.links), any(link.hinge_a or link.hinge_b for link in item.model.links)
            if item.category == "beam":
                assert item.difficulty == 1 + hinged
            elif item.category == "truss":
                assert item.difficulty == (4 if links > 20 else 3 if links > 10 else 2)
            else:
                assert item.difficulty == (5 if links >= 14 else 4 if links >= 10 else 3 if links >= 5 else 2)

    @pytest.mark.parametrize(
        ("category", "level"), [(c, level) for c, levels in DIFFICULTIES.items() for level in levels]
    )
    def test_every_difficulty_can_be_asked_for(self, category: Category, level: int) -> None:
        for item in plan_items(4, 2, Recipe(category=(category,), difficulty=str(level))):
            assert (item.category, item.difficulty) == (category, level)

    def test_values_are_legible(self, items: list[Item]) -> None:
        for item in items:
            for point in item.model.points:
                assert (4 * point.x).is_integer() and (2 * point.y).is_integer(), item.name
            for load in item.model.loads:
                values = (load.w_begin, load.w_end) if isinstance(load, DistributedLoad) else (load.value,)
                assert all((2 * value).is_integer() for value in values), item.name
            for link in item.model.links:
                assert (link.E, link.A, link.Iz) == (STANDARD_E, STANDARD_A, STANDARD_I)

    def test_variety(self, items: list[Item]) -> None:
        loads = [load for item in items for load in item.model.loads]
        assert {type(load) for load in loads} == {Force, Moment, DistributedLoad}
        assert {support.kind for item in items for support in item.model.supports} == {
            "pin",
            "roller",
            "fixed",
            "slider",
        }
        spreads = [load for load in loads if isinstance(load, DistributedLoad)]
        assert any(load.w_begin == 0 or load.w_end == 0 for load in spreads)
        assert any(0 < load.w_begin != load.w_end > 0 for load in spreads)
        assert any(load.begin > 0 for load in spreads)
        assert any(load.link for load in loads if isinstance(load, Moment))
        assert any(load.angle % 90 for load in loads if isinstance(load, Force))
        slanted = [s for item in items for s in item.model.supports if s.kind == "roller" and s.angle % 90]
        assert slanted
        unknowns = [_redundancy(item.model) for item in items]
        assert any(count == 0 for count in unknowns) and any(count > 0 for count in unknowns)

    def test_models_on_disk_read_back_unmended(self, folder: Path) -> None:
        for path in (folder / "raw_models").iterdir():
            reading = read_model(json.loads(path.read_text(encoding="utf-8")))
            assert reading.problem is None and reading.repairs == [], path.name
            assert reading.model is not None and is_sound(reading.model)


def _redundancy(model: Model) -> int:
    held = {"pin": 2, "fixed": 3, "roller": 1, "slider": 2}
    released = 0
    for joint in find_joints(model, {point.id: (point.x, point.y) for point in model.points}).values():
        released += min(sum(joint.hinged), len(joint.directions) - 1) if len(joint.directions) > 1 else 0
    return 3 * len(model.links) + sum(held[s.kind] for s in model.supports) - 3 * len(model.points) - released


class TestSoundness:
    def test_a_mechanism_is_refused(self) -> None:
        down = Force(id="F", value=10, angle=270, point="B")
        assert is_sound(beam(down))
        assert not is_sound(beam(down, hinge=True))
        assert not is_sound(beam(down, kinds=("roller", "roller")))

    def test_an_idle_load_is_refused(self) -> None:
        down = Force(id="F", value=10, angle=270, point="B")
        assert not is_sound(beam(down, Force(id="G", value=10, angle=270, point="C")))
        assert not is_sound(beam(Force(id="G", value=10, angle=270, point="C")))

    def test_an_idle_arm_is_refused(self) -> None:
        points = (*beam().points, Point("D", 10, 0))
        down = Force(id="F", value=10, angle=270, point="B")
        arm = replace(beam(down), points=points, links=(*beam().links, Link(id="3", a="C", b="D")))
        assert not is_sound(arm)
        assert is_sound(replace(arm, loads=(*arm.loads, Force(id="G", value=5, angle=270, point="D"))))


class TestRecipe:
    def test_difficulties_are_spelled(self) -> None:
        assert parse_difficulties("1-5") == (1, 2, 3, 4, 5)
        assert parse_difficulties("5, 2-3") == (2, 3, 5)

    @pytest.mark.parametrize("text", ["", "0", "6", "3-1", "easy", "1-", "1,,2"])
    def test_nonsense_is_refused(self, text: str) -> None:
        with pytest.raises(ConfigError, match=r"Invalid value .* for difficulty"):
            parse_difficulties(text)

    def test_what_no_structure_has_is_refused(self) -> None:
        with pytest.raises(ConfigError, match="no beam has difficulty 4"):
            next(plan_items(1, 0, Recipe(category=("beam",), difficulty="4")))
        with pytest.raises(UsageError, match="at least one drawing"):
            next(plan_items(0, 0, Recipe()))


class TestDrawings:
    def test_no_text_lies_on_another(self, items: list[Item]) -> None:
        for item in items:
            boxes = [(text.words, text.box) for text in item.layout.drawing.texts]
            for k, (words, box) in enumerate(boxes):
                for other_words, other in boxes[k + 1 :]:
                    assert not box.overlaps(other), (item.name, words, other_words)

    def test_all_texts_are_inside(self, items: list[Item]) -> None:
        for item in items:
            inner = item.layout.drawing.box.expanded(-10)
            assert all(inner.contains(text.box) for text in item.layout.drawing.texts), item.name

    def test_no_text_lies_on_a_member(self, items: list[Item]) -> None:
        for item in items:
            view, at = item.layout.view, {point.id: (point.x, point.y) for point in item.model.points}
            for link in item.model.links:
                a, b = view.pixel(*at[link.a]), view.pixel(*at[link.b])
                for text in item.layout.drawing.texts:
                    assert not _crosses(text.box, a, b), (item.name, text.words, link.id)

    def test_every_load_is_told(self, items: list[Item]) -> None:
        for item in items:
            told = [text.words for text in item.layout.drawing.texts]
            for load in item.model.loads:
                for value, unit in _told(load):
                    words = format_quantity(value, unit, item.style)
                    assert any(text == words or text.endswith(f"= {words}") for text in told), (item.name, words)

    def test_every_angle_is_told(self, items: list[Item]) -> None:
        for item in items:
            told = Counter(text.words for text in item.layout.drawing.texts if text.words.endswith("°"))
            asked = [s.angle for s in item.model.supports if s.kind == "roller" and s.angle % 90]
            for load in item.model.loads:
                # at right angles to an inclined member a square is drawn instead
                if isinstance(load, Force) and load.angle % 90 and (not load.link or load.angle % 15 == 0):
                    asked.append(load.angle)
            acute = Counter(f"{format_number(min(angle % 180, 180 - angle % 180))}°" for angle in asked)
            assert sum(told.values()) == len(asked), item.name
            for words, count in acute.items():
                steep = f"{format_number(90 - float(words[:-1]))}°"
                assert told[words] + told[steep] >= count, (item.name, words)

    def test_every_length_is_told(self, items: list[Item]) -> None:
        for item in items:
            told = Counter(text.words for text in item.layout.drawing.texts)
            xs, ys = ({getattr(point, axis) for point in item.model.points} for axis in "xy")
            needed: list[float] = []
            if len(ys) == 1:
                xs |= {spot for load in item.model.loads for spot in _places(item.model, load)}
            else:
                needed += _parts_of_members(item.model)
            needed += [high - low for axis in (xs, ys) for low, high in pairwise(sorted(axis))]
            for words, count in Counter(format_length(value, item.style) for value in needed).items():
                assert told[words] >= count, (item.name, words)

    def test_svg_says_the_same(self, items: list[Item]) -> None:
        for item in items[:100]:
            root = ET.fromstring(to_svg(item.layout.drawing))
            told = [node.text for node in root.iter(f"{SVG}text")]
            assert told == [text.words for text in item.layout.drawing.texts], item.name

    def test_styles_differ(self) -> None:
        styles = [draw_style(SeededRandom("style", k)) for k in range(60)]
        assert len({(s.pin, s.roller, s.guide) for s in styles}) >= 5
        assert len({s.load_ink for s in styles}) >= 4 and len({s.tick for s in styles}) >= 3
        assert all(abs(s.scan.tilt) <= 0.5 for s in styles if s.scan)


def _told(load: Load) -> list[tuple[float, str]]:
    match load:
        case DistributedLoad(w_begin=begin, w_end=end):
            return [(value, "kN/m") for value in {begin, end} - {0.0}]
        case Force(value=value):
            return [(value, "kN")]
        case Moment(value=value):
            return [(value, "kN·m")]


def _spots(load: Load) -> list[float]:
    if isinstance(load, DistributedLoad):
        return [load.begin, load.end]
    return [load.offset] if load.link else []


def _places(model: Model, load: Load) -> list[float]:
    if not load.link:
        return []
    link = next(link for link in model.links if link.id == load.link)
    start = next(point.x for point in model.points if point.id == link.a)
    return [round(start + spot, 6) for spot in _spots(load)]


def _parts_of_members(model: Model) -> list[float]:
    at = {point.id: (point.x, point.y) for point in model.points}
    parts: list[float] = []
    for link in model.links:
        full = math.dist(at[link.a], at[link.b])
        spots = {round(spot, 6) for load in model.loads if load.link == link.id for spot in _spots(load)}
        inner = sorted(spot for spot in spots if 1e-6 < spot < full - 1e-6)
        if inner:
            parts += [high - low for low, high in pairwise([0.0, *inner, full])]
    return parts


def _crosses(box: Box, a: XY, b: XY) -> bool:
    """Whether a line passes through a box: clipped against its four sides, something remains."""
    low, high = 0.0, 1.0
    for start, step, least, most in (
        (a[0], b[0] - a[0], box.left, box.right),
        (a[1], b[1] - a[1], box.top, box.bottom),
    ):
        if abs(step) < 1e-9:
            if not least < start < most:
                return False
            continue
        near, far = sorted(((least - start) / step, (most - start) / step))
        low, high = max(low, near), min(high, far)
    return low < high


class TestReading:
    """What a reader concludes from a glyph is what the model says."""

    @pytest.mark.parametrize("angle", [0, 30, 90, 200, 270, 315])
    def test_force_points_its_way(self, angle: float) -> None:
        plain, loaded = (
            lay_out_drawing(model) for model in (beam(), beam(Force(id="F", value=5, angle=angle, point="B")))
        )
        ink = [shape for shape in loaded.drawing.shapes if _is_head(shape)]
        assert len(ink) == 1 and not any(map(_is_head, plain.drawing.shapes))
        tip, one, other = ink[0].points
        back = ((one[0] + other[0]) / 2, (one[1] + other[1]) / 2)
        assert angle_gap(angle_of(back, tip), angle) < 0.5

    @pytest.mark.parametrize(("value", "angle"), [(-5.0, 90.0), (5.0, 270.0)])
    def test_negative_force_is_drawn_the_other_way(self, value: float, angle: float) -> None:
        drawing = lay_out_drawing(beam(Force(id="F", value=value, angle=angle, link="1", offset=2))).drawing
        tip, one, other = next(shape for shape in drawing.shapes if _is_head(shape)).points
        assert tip[1] > max(one[1], other[1])
        assert "5 kN" in [text.words for text in drawing.texts]

    @pytest.mark.parametrize(
        ("kind", "angle", "ground"),
        [
            ("roller", 0, 270),
            ("roller", 90, 0),
            ("roller", 270, 180),
            ("slider", 90, 270),
            ("slider", 180, 0),
            ("pin", 77, 270),
        ],
    )
    def test_ground_lies_opposite_to_what_it_holds(self, kind: SupportKind, angle: float, ground: float) -> None:
        model = replace(beam(), supports=(PointSupport(id="S", point="B", kind=kind, angle=angle),))
        lone = replace(model, links=())
        joint = find_joints(lone, {point.id: (0.0, 0.0) for point in model.points})["B"]
        assert angle_gap(ground_angle(joint, model.supports[0]) - 90, ground) < 1e-6

    def test_fixed_end_faces_its_member(self) -> None:
        model = beam(kinds=("fixed", "fixed"))
        joints = find_joints(model, {point.id: (100 * point.x, 0.0) for point in model.points})
        left, right = (ground_angle(joints[s.point], s) - 90 for s in model.supports)
        assert angle_gap(left, 180) < 1e-6 and angle_gap(right, 0) < 1e-6

    def test_hinge_of_some_members_is_drawn_beside_the_joint(self) -> None:
        cross = replace(
            beam(kinds=("fixed", "fixed"), hinge=True),
            points=(*beam().points, Point("D", 4, 3)),
            links=(*beam(hinge=True).links, Link(id="3", a="B", b="D")),
        )
        for model, beside in ((beam(kinds=("fixed", "fixed"), hinge=True), False), (cross, True)):
            drawn = lay_out_drawing(model)
            (circle,) = [shape for shape in drawn.drawing.shapes if isinstance(shape, Disc)]
            gap = distance(circle.centre, drawn.view.pixel(4, 0))
            assert (gap > circle.radius) is beside
            if beside:
                assert circle.centre[0] < drawn.view.pixel(4, 0)[0]

    def test_equal_loads_in_a_line_are_one_comb(self) -> None:
        both = [DistributedLoad(id=k, link=k, begin=0, end=4, w_begin=6, w_end=6, angle=270) for k in "12"]
        told = [text.words for text in lay_out_drawing(beam(*both)).drawing.texts]
        assert told.count("6 kN/m") == 1
        assert "q = 6 kN/m" in [text.words for text in lay_out_drawing(beam(*both), Style(symbols=True)).drawing.texts]
        unequal = lay_out_drawing(beam(both[0], replace(both[1], w_begin=8.0, w_end=8.0))).drawing
        assert {"6 kN/m", "8 kN/m"} <= {text.words for text in unequal.texts}


def _is_head(shape: drawn_shapes.Shape) -> bool:
    return isinstance(shape, drawn_shapes.Path) and shape.closed and len(shape.points) == 3 and shape.pen is None


class TestApi:
    def test_the_view_lies_within_the_drawing(self) -> None:
        drawn = lay_out_drawing(beam())
        assert drawn.drawing.box.contains(Box.bounding([drawn.view.pixel(0, 0), drawn.view.pixel(8, 0)]))

    def test_any_model_can_be_drawn(self) -> None:
        """Also one that a bad answer holds: no supports, no loads, a load along its member."""
        along = DistributedLoad(id="q", link="1", begin=0, end=4, w_begin=-3, w_end=5, angle=0)
        for model in (replace(beam(), supports=()), beam(along), replace(beam(), points=beam().points[:3], links=())):
            assert lay_out_drawing(model).drawing.width > 100
        assert fit(replace(beam(), points=beam().points[:1], links=(), supports=())).scale > 0

    def test_note_has_no_words_where_they_cannot_be_written(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(fonts, "chinese_typeface", lambda: None)
        texts = {
            language: [
                text.words
                for text in lay_out_drawing(beam(), Style(unit_on_lengths=False, language=language)).drawing.texts
            ]
            for language in ("", "en", "zh")
        }
        assert texts[""][-1] == texts["zh"][-1] == "[m]"
        assert texts["en"][-1] == "Lengths in m"

    def test_clashes_are_told(self) -> None:
        crowd = [Force(id=str(k), value=k + 1, angle=270, link="1", offset=2 + k / 50) for k in range(12)]
        assert lay_out_drawing(beam(*crowd)).clashes
        assert not lay_out_drawing(beam(crowd[0])).clashes


def test_text_boxes_are_those_of_the_words() -> None:
    assert Text((0, 0), "10 kN", 20).box.width > Text((0, 0), "1 kN", 20).box.width
