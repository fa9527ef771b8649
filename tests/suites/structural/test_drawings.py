"""Drawings of truth and reply: what is wrong is red, what is right is not, and no reply can spoil a page."""

from __future__ import annotations

import copy
import json
import re
from typing import Any
from xml.etree import ElementTree

import pytest

from sightline import generate, load_suite
from sightline.core.interfaces import Drawing, Suite
from sightline.core.records import Sample
from sightline.reports.sample_view.media import MAX_DRAWING_BYTES
from sightline.suites.structural.figures.faults import Faults, missing_parts, wrong_parts
from sightline.suites.structural.figures.plots import WRONG
from sightline.suites.structural.physics.diagnosis import Diagnosis, diagnose_raw

ELEMENTS = {"svg", "rect", "g", "polyline", "polygon", "path", "circle", "text"}


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load_suite("structural")


@pytest.fixture(scope="module")
def samples(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> list[Sample]:
    data = tmp_path_factory.mktemp("drawings") / "data"
    generate("structural", data, count=12, seed=3)
    return [sample for sample in suite.dataset(data) if isinstance(sample, Sample)]


def reply(model: Any) -> str:
    return f"<json>{json.dumps(model)}</json>"


def texts(svg: str) -> list[str]:
    return [one.text or "" for one in ElementTree.fromstring(svg).iter() if one.tag.endswith("}text")]


def check(drawing: Drawing) -> None:
    """One self-contained picture of shapes and texts alone, with numbers that are numbers."""
    for one in ElementTree.fromstring(drawing.svg).iter():
        assert one.tag.removeprefix("{http://www.w3.org/2000/svg}") in ELEMENTS
        assert not [name for name in one.attrib if name.startswith("on") or "href" in name or name == "style"]
    assert not re.search(r"\bnan\b|\binf\b", drawing.svg, re.IGNORECASE)


def beam(load: float = 6.0, length: float = 4.0, support: str = "roller") -> dict[str, Any]:
    return {
        "points": [{"id": "A", "x": 0, "y": 0}, {"id": "B", "x": length, "y": 0}],
        "links": [{"id": "L", "a": "A", "b": "B"}],
        "supports": [
            {"id": "S1", "kind": "pin", "at": {"type": "point", "id": "A"}},
            {"id": "S2", "kind": support, "angleDeg": 0, "at": {"type": "point", "id": "B"}},
        ],
        "loads": [
            {
                "id": "Q",
                "kind": "distributedLoad",
                "at": {"type": "link", "id": "L"},
                "wStart": load,
                "wEnd": load,
                "angleDeg": 270,
                "angleMode": "world",
            }
        ],
    }


def sample_from_truth(model: dict[str, Any], task: str = "beam") -> Sample:
    return Sample(id="one", task=task, question="", target=model)


def test_the_truth_as_reply_has_nothing_red(suite: Suite, samples: list[Sample]) -> None:
    for sample in samples:
        drawn = suite.drawings(sample, suite.oracle_reply(sample))
        assert len(drawn) == 6
        for drawing in drawn:
            check(drawing)
            assert WRONG not in drawing.svg
        assert drawn[0].svg == drawn[1].svg
        assert "It is the same structure under the same loads." in map(str, drawn[1].notes)


def test_the_same_structure_written_otherwise_has_nothing_red(suite: Suite, samples: list[Sample]) -> None:
    for sample in samples:
        text = json.dumps(sample.target)
        for old, new in ((r'"P(\d+)"', r'"node \1"'), (r'"S(\d+)"', r'"hold \1"')):
            text = re.sub(old, new, text)
        model = json.loads(text)
        for point in model["points"]:
            point["x"], point["y"] = point["x"] + 100.0, point["y"] - 7.0
        for name in ("points", "links", "supports", "loads"):
            model[name].reverse()
        assert WRONG not in suite.drawings(sample, reply(model))[1].svg


def test_what_is_wrong_is_red_and_said_in_words(suite: Suite, samples: list[Sample]) -> None:
    for sample in samples:
        ways = suite.corrupted_replies(sample)
        for way in ("stretched", "unsupported", "overloaded"):
            truth, drawing = suite.drawings(sample, ways[way])[:2]
            check(drawing)
            assert WRONG in drawing.svg and WRONG not in truth.svg
            assert len(drawing.notes) > 1


def found(sample: Sample, model: Any) -> tuple[Faults, Faults]:
    diagnosis = diagnose_raw(model, sample.target, sample.task)
    assert isinstance(diagnosis, Diagnosis) and diagnosis.overlay is not None
    over = diagnosis.overlay
    return wrong_parts(diagnosis.differences, over), missing_parts(diagnosis.differences, over)


def test_a_part_left_out_is_the_missing_part(samples: list[Sample]) -> None:
    for sample in samples:
        for name in ("supports", "loads"):
            for number, part in enumerate(sample.target[name]):
                model = copy.deepcopy(sample.target)
                del model[name][number]
                wrong, missing = found(sample, model)
                assert getattr(missing, name) == {part["id"]}, (sample.id, part)
                assert wrong == Faults()


def test_a_load_of_another_size_is_the_wrong_part(samples: list[Sample]) -> None:
    for sample in samples:
        for number, part in enumerate(sample.target["loads"]):
            model = copy.deepcopy(sample.target)
            for key in ("value", "wStart", "wEnd"):
                if key in part:
                    model["loads"][number][key] = 1.5 * part[key]
            wrong, missing = found(sample, model)
            assert wrong.loads == {part["id"]}, (sample.id, part)
            assert missing == Faults()


def test_a_member_left_out_is_a_ghost_and_one_too_many_is_red(samples: list[Sample]) -> None:
    sample = next(one for one in samples if one.task == "frame")
    model = copy.deepcopy(sample.target)
    model["loads"] = []
    bare = sample_from_truth({**sample.target, "loads": []}, "frame")
    at = {point["id"]: (point["x"], point["y"]) for point in model["points"]}
    gone = model["links"].pop()
    wrong, missing = found(bare, model)
    assert wrong.members == ()
    assert {frozenset(line) for line in missing.members} == {frozenset((at[gone["a"]], at[gone["b"]]))}
    wrong, missing = found(sample_from_truth(model, "frame"), bare.target)
    assert missing.members == ()
    assert {frozenset(line) for line in wrong.members} == {frozenset((at[gone["a"]], at[gone["b"]]))}


def test_a_hinge_too_many_is_red_and_one_forgotten_a_ghost() -> None:
    truth = beam()
    truth["points"].insert(1, {"id": "M", "x": 2, "y": 0})
    truth["links"] = [{"id": "L", "a": "A", "b": "M"}, {"id": "R", "a": "M", "b": "B"}]
    for support in truth["supports"]:
        support["kind"] = "fixed"
    hinged = copy.deepcopy(truth)
    hinged["links"][0]["endB"] = "hinge"
    wrong, missing = found(sample_from_truth(truth), hinged)
    assert (wrong.hinges, missing.hinges) == ({("L", "b")}, frozenset())
    wrong, missing = found(sample_from_truth(hinged), truth)
    assert (wrong.hinges, missing.hinges) == (frozenset(), {("L", "b")})


def test_moments_are_those_of_the_textbook(suite: Suite) -> None:
    """wL²/8 sagging in the middle of a simple beam; the same, hogging, over the clamp of a propped one."""
    w, length = 6.0, 4.0
    clamped = beam(w, length)
    clamped["supports"][0]["kind"] = "fixed"
    drawn = suite.drawings(sample_from_truth(beam(w, length)), reply(clamped))
    assert [str(one.title) for one in drawn[2:4]] == [
        "True bending moments in kN·m",
        "The reply's bending moments in kN·m",
    ]
    assert texts(drawn[2].svg) == [f"{w * length**2 / 8:.3g}"]
    assert texts(drawn[3].svg) == [f"{-w * length**2 / 8:.3g}", f"{9 * w * length**2 / 128:.3g}"]


def test_bar_forces_are_those_of_the_textbook(suite: Suite) -> None:
    """A triangle of 3-4-5 bars, 12 kN on its top: 10 kN of compression in the legs, 8 kN of tension below."""
    names, at = "ABC", [(0, 0), (8, 0), (4, 3)]
    model = {
        "points": [{"id": name, "x": x, "y": y} for name, (x, y) in zip(names, at, strict=True)],
        "links": [{"id": a + b, "a": a, "b": b, "endA": "hinge", "endB": "hinge"} for a, b in ("AB", "BC", "CA")],
        "supports": [
            {"id": "S1", "kind": "pin", "at": {"type": "point", "id": "A"}},
            {"id": "S2", "kind": "roller", "angleDeg": 0, "at": {"type": "point", "id": "B"}},
        ],
        "loads": [{"id": "F", "kind": "pointLoad", "at": {"type": "point", "id": "C"}, "value": 12, "angleDeg": 270}],
    }
    drawn = suite.drawings(sample_from_truth(model, "truss"), "")
    assert [str(one.title) for one in drawn] == ["The true model", "True axial forces in kN", "True deflected shape"]
    assert sorted(texts(drawn[1].svg)) == sorted(["8", "-10", "-10"])
    assert "12 kN" in texts(drawn[0].svg)


def test_sizes_and_dimensions_are_written(suite: Suite) -> None:
    drawn = suite.drawings(sample_from_truth(beam(6.0, 4.0)), reply(beam(9.0, 4.0)))
    assert sorted(texts(drawn[0].svg)) == ["4", "6 kN/m"]
    assert sorted(texts(drawn[1].svg)) == ["4", "9 kN/m"]


GRID = {
    "points": [{"id": f"P{k}", "x": k % 25, "y": k // 25} for k in range(500)],
    "links": [{"id": f"L{k}", "a": f"P{k}", "b": f"P{k + 1}"} for k in range(499)],
    "loads": [
        {
            "kind": "distributedLoad",
            "at": {"type": "link", "id": f"L{k % 499}"},
            "wStart": k + 1,
            "wEnd": 5,
            "angleDeg": 270,
            "angleMode": "world",
        }
        for k in range(2000)
    ],
}
MANY = '{"points":[{"id":"a","x":0,"y":0},{"id":"b","x":1,"y":0}],"links":[' + '{"a":"a","b":"b"},' * 10**6 + "{}]}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I see a beam.", "no JSON object"),
        ("<json>" + json.dumps(beam())[:-40], "broken or cut off"),
        ("{" * 100_000, "No model can be read"),
        (reply(beam()).replace('"x": 4.0', '"x": NaN'), "is not finite"),
        (reply(beam()).replace('"x": 4.0', '"x": 1e308'), "is beyond"),
        (MANY, "1000001 links are more than the 500 that are read"),
        (reply({**beam(), "supports": []}), "mechanism"),
        (reply(GRID), "Only 200 of 2000 loads are drawn."),
        (reply(GRID), "499 members are more than the 80 of a readable diagram."),
        (reply(beam(1e9, 1e9)), "the distance from x = 0 to x = 4 is 1e+09 m and should be 4 m"),
        (reply(beam(1e-300, 1e-5)), "member (0, 0)–(4, 0) is missing"),
    ],
    ids=["words", "cut", "deep", "nan", "huge", "million", "mechanism", "loads", "members", "vast", "tiny"],
)
def test_any_reply_is_drawn_or_told(suite: Suite, text: str, said: str) -> None:
    drawn = suite.drawings(sample_from_truth(beam()), text)
    told = " ".join(str(note) for drawing in drawn for note in drawing.notes)
    assert said in told
    assert WRONG not in drawn[0].svg
    for drawing in drawn:
        assert len(drawing.svg) < MAX_DRAWING_BYTES
        if drawing.svg:
            check(drawing)


def test_no_word_of_a_reply_reaches_a_drawing(suite: Suite) -> None:
    evil = '"><script>alert(1)</script>&\u202e'
    model = json.loads(json.dumps(beam()).replace('"A"', json.dumps(evil)).replace('"Q"', json.dumps(evil + "Q")))
    for drawing in suite.drawings(sample_from_truth(beam()), reply(model)):
        check(drawing)
        assert "script" not in drawing.svg and "\u202e" not in drawing.svg
