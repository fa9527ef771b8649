"""`solve` and `diagnose` as people meet them: what they take, what they refuse, what they print and draw."""

from __future__ import annotations

import json
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import sightline
from sightline.core.errors import ConfigError, DataError
from sightline.core.registry import load_suite
from sightline.suites.structural.figures.plots import solution_drawing
from tests.support.framecalc import beam, model_of
from tests.support.worlds import sightline as command


def portal(w: float = 10.0) -> dict[str, Any]:
    """A three-hinged portal of 6 m × 4 m, loaded on its left half."""
    places = {"P1": (0, 0), "P2": (0, 4), "P3": (3, 4), "P4": (6, 4), "P5": (6, 0)}
    ends = [("P1", "P2"), ("P2", "P3"), ("P3", "P4"), ("P4", "P5")]
    links = [
        {"id": f"L{k}", "a": a, "b": b, "endB": "hinge" if b == "P3" else "rigid"} for k, (a, b) in enumerate(ends)
    ]
    at = {"type": "link", "id": "L1"}
    return {
        "points": [{"id": name, "x": x, "y": y} for name, (x, y) in places.items()],
        "links": links,
        "supports": [{"id": f"S{p}", "at": {"type": "point", "id": p}, "kind": "pin"} for p in ("P1", "P5")],
        "loads": [{"id": "W", "kind": "distributedLoad", "at": at, "wStart": w, "wEnd": w, "angleDeg": 270}],
    }


@pytest.mark.parametrize("around", ["<json>\n{}\n</json>", "Here it is:\n```json\n{}\n```\nDone.", "{}"])
def test_a_saved_reply_is_an_answer(tmp_path: Path, around: str) -> None:
    reply = around.replace("{}", json.dumps(beam(), indent=1))
    (tmp_path / "reply.txt").write_text(reply)
    assert sightline.diagnose(tmp_path / "reply.txt", beam())["score"] == 1
    assert sightline.diagnose(reply, beam())["score"] == 1


def test_a_file_that_is_no_utf8_or_holds_no_model_is_told(tmp_path: Path) -> None:
    (tmp_path / "gbk.json").write_bytes(json.dumps({"名": "梁"}, ensure_ascii=False).encode("gbk"))
    (tmp_path / "words.txt").write_text("I see a beam.")
    (tmp_path / "beam.json").write_text(json.dumps(beam()))
    for args in (("solve", "gbk.json"), ("diagnose", "gbk.json", "beam.json"), ("diagnose", "beam.json", "gbk.json")):
        told = command(*args, cwd=tmp_path)
        assert (
            told.returncode == 2
            and re.search(r"Cannot read .*gbk\.json: ", told.stderr)
            and "Traceback" not in told.stderr
        )
    with pytest.raises(DataError, match="no JSON object"):
        sightline.diagnose(tmp_path / "words.txt", beam())


@pytest.mark.parametrize("tolerance", [-1.0, 0.0, 0.3, float("nan"), float("inf")])
def test_a_tolerance_has_the_bounds_of_a_run(tolerance: float) -> None:
    with pytest.raises(ConfigError, match=r"Invalid value .* for tolerance in"):
        sightline.diagnose(beam(), beam(), tolerance)


def test_a_tolerance_is_checked_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "beam.json").write_text(json.dumps(beam()))
    told = command("diagnose", "beam.json", "beam.json", "--tolerance", "nan", cwd=tmp_path)
    assert told.returncode == 2 and "--tolerance" in told.stderr and "at least 1e-06" in told.stderr


def test_a_truth_that_moves_freely_is_refused_by_the_id_of_its_point() -> None:
    loose = {**beam(), "supports": beam()["supports"][1:]}
    with pytest.raises(DataError, match=r"Cannot solve the true model: .*mechanism: node P\d at"):
        sightline.diagnose(beam(), loose)
    assert "node P" in sightline.diagnose(loose, beam())["note"]


def test_the_table_has_units_and_no_noise(tmp_path: Path) -> None:
    """By hand: the right support bears 30 · 1.5 / 6 = 7.5 kN upwards and, about the hinge, 7.5 · 3 / 4 kN inwards."""
    (tmp_path / "portal.json").write_text(json.dumps(portal()))
    told = command("solve", "portal.json", cwd=tmp_path).stdout
    rows = [line.split() for line in told.splitlines()]
    assert ["SP1", "ux", "5.625", "kN"] in rows and ["SP5", "ux", "-5.625", "kN"] in rows
    assert ["SP1", "uy", "22.5", "kN"] in rows and ["SP5", "uy", "7.5", "kN"] in rows
    assert "max |M| / kN·m" in told and "e-" not in told and "-0 " not in told
    idle = {**beam(), "loads": []}
    (tmp_path / "idle.json").write_text(json.dumps(idle))
    assert command("solve", "idle.json", cwd=tmp_path).returncode == 0


def test_the_signs_are_those_of_the_documentation() -> None:
    """A beam of 6 m under 4 kN/m, pushed by 5 kN from its right end."""
    model = {
        "points": [{"id": "A", "x": 0, "y": 0}, {"id": "B", "x": 6, "y": 0}],
        "links": [{"id": "L", "a": "A", "b": "B"}],
        "supports": [
            {"id": "S", "at": {"type": "point", "id": "A"}, "kind": "pin"},
            {"id": "R", "at": {"type": "point", "id": "B"}, "kind": "roller", "angleDeg": 0},
        ],
        "loads": [
            {"id": "W", "kind": "distributedLoad", "at": {"type": "link", "id": "L"}, "wStart": 4, "angleDeg": 270},
            {"id": "P", "kind": "pointLoad", "at": {"type": "point", "id": "B"}, "value": 5, "angleDeg": 180},
        ],
    }
    solved = sightline.solve(model)
    first, middle = solved["axial"][0]["samples"][0], solved["axial"][0]["samples"][50]
    assert [row["value"] for row in solved["reactions"]] == pytest.approx([5, 12, 12])
    assert (first["n"], first["v"]) == pytest.approx((5, 12))  # compression is positive
    assert (middle["s"], middle["m"]) == pytest.approx((3, -4 * 6**2 / 8))  # sagging is negative
    assert solved["displacements"]["A"]["rz"] < 0 < solved["displacements"]["B"]["rz"]


def test_no_text_of_a_plot_lies_on_another(tmp_path: Path) -> None:
    load_suite("structural").generate(tmp_path / "d", 12, seed=4)
    models = [json.loads(path.read_text()) for path in sorted((tmp_path / "d" / "raw_models").glob("*.json"))]
    for raw in (portal(), beam(), *models):
        texts = solution_drawing(model_of(raw)).texts
        for one, other in combinations(texts, 2):
            assert not one.box.overlaps(other.box), (one.words, other.words)


def test_a_plot_tells_loads_and_field_moments_and_writes_equal_forces_alike() -> None:
    """The largest sagging moment of the loaded half is at V = 0, where M = V²/2q − q l²/16."""
    words = [text.words for text in solution_drawing(model_of(portal())).texts]
    assert "10 kN/m" in words
    assert f"{22.5**2 / 20 - 22.5:.4g}" in words
    assert words.count("-5.625") == 3 and words.count("5.625") == 1
    assert not {"5.62", "5.63", "-5.62", "-5.63"} & set(words)
