"""The structural suite as a user meets it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sightline
from sightline import evaluate
from sightline.core.errors import DataError
from sightline.core.records import Answer, Attempt, Sample
from sightline.core.registry import load_suite
from sightline.scoring.sample_scorer import grade_attempt
from sightline.suites.structural.scorer import same_reactions
from tests.support.worlds import sightline as command


@pytest.fixture(scope="module")
def drawings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("drawings") / "data"
    load_suite("structural").generate(folder, 12, seed=5)
    return folder


def first(drawings: Path) -> Sample:
    return next(s for s in load_suite("structural").dataset(drawings) if isinstance(s, Sample))


def graded(sample: Sample, text: str, **options: Any) -> Any:
    suite = load_suite("structural", **options)
    return grade_attempt(suite, sample, Attempt([Answer(position=0, sample=sample.id, text=text)]))


def test_the_oracle_is_right_and_a_spoiled_answer_lands_on_its_rung(drawings: Path) -> None:
    suite = load_suite("structural")
    for sample in (s for s in suite.dataset(drawings) if isinstance(s, Sample)):
        assert graded(sample, suite.oracle_reply(sample)).score == 1
        spoiled = suite.corrupted_replies(sample)
        assert graded(sample, spoiled["stretched"]).values["stage"] == "geometry"
        assert graded(sample, spoiled["unsupported"]).values["stage"] == "supports"
        assert graded(sample, spoiled["overloaded"]).values["stage"] == "loads"


def test_the_headline_is_weighted_by_difficulty(drawings: Path, tmp_path: Path) -> None:
    result = evaluate(
        "structural", data=str(drawings), model="baseline/perturbed:0.6", output_dir=str(tmp_path), seed=2
    )
    rows = {row.metric: row.estimate for row in result.summary.rows if row.scope == "overall"}
    samples = {s.id: s for s in load_suite("structural").dataset(drawings) if isinstance(s, Sample)}
    import duckdb

    grades = duckdb.sql(f"SELECT sample, score FROM '{result.folder / 'grades.parquet'}'").fetchall()
    weight = sum(samples[name].weight for name, _ in grades)
    assert rows["weighted_score"].value == pytest.approx(sum(samples[n].weight * s for n, s in grades) / weight)
    assert rows["full_marks"].value == pytest.approx(sum(s == 1 for _, s in grades) / len(grades))
    assert len({s.weight for s in samples.values()}) > 1
    assert rows["geometry_right"].value >= rows["supports_right"].value >= rows["joints_right"].value


def test_a_clamp_under_a_hinged_end_is_a_pin() -> None:
    """An extra reaction that is always zero makes no other structure."""
    model = {
        "points": [{"id": "A", "x": 0, "y": 0}, {"id": "B", "x": 4, "y": 0}],
        "links": [{"id": "L", "a": "A", "b": "B"}],
        "supports": [
            {"id": "S", "at": {"type": "point", "id": "A"}, "kind": "pin", "angleDeg": 0},
            {"id": "T", "at": {"type": "point", "id": "B"}, "kind": "roller", "angleDeg": 0},
        ],
        "loads": [
            {
                "id": "Q",
                "kind": "pointLoad",
                "at": {"type": "link", "id": "L"},
                "value": 9,
                "offset": 1,
                "angleDeg": 270,
            }
        ],
    }
    other = json.loads(json.dumps(model))
    other["supports"][0]["kind"] = "fixed"
    assert sightline.diagnose(other, model)["score"] == 0.25
    other["links"][0]["endA"] = "hinge"
    assert sightline.diagnose(other, model)["score"] == 1


def test_feedback_names_the_part_and_not_the_answer(drawings: Path) -> None:
    suite = load_suite("structural")
    sample = first(drawings)
    grade = graded(sample, suite.corrupted_replies(sample)["overloaded"])
    told = suite.feedback(sample, grade)
    assert told is not None and "loads" in told
    assert "荷载" in str(load_suite("structural", prompt_lang="zh").feedback(sample, grade))


def test_prompts_differ_and_speak_two_languages(drawings: Path) -> None:
    sample = first(drawings)
    seen = set()
    for kind in ("standard", "reasoning", "strict"):
        for language in ("en", "zh"):
            prompt = load_suite("structural", prompt_type=kind, prompt_lang=language).next_prompt(sample, ())
            assert prompt is not None
            seen.add(prompt.messages[0].parts[-1].text)  # type: ignore[union-attr]
    assert len(seen) == 6


@pytest.mark.parametrize(
    ("truth", "answer", "passes"),
    [
        ((10, -5, 0.001), (5, 10, -0.001), True),  # places and signs are not looked at
        ((10, 5), (10.4, 5), True),
        ((10, 5), (10.6, 5), False),
        ((10, 5), (10, 5, 0), False),  # an extra zero reaction
        ((10, 1e-4), (10, 2e-4), False),  # noise compared relatively
    ],
)
def test_the_originals_rule(truth: tuple[float, ...], answer: tuple[float, ...], passes: bool) -> None:
    assert same_reactions(truth, answer) is passes


def test_the_originals_rule_can_be_asked_for(drawings: Path) -> None:
    suite = load_suite("structural")
    sample = first(drawings)
    turned = json.loads(suite.oracle_reply(sample).removeprefix("<json>").removesuffix("</json>"))
    for load in turned["loads"]:
        load["flip"] = -load.get("flip", 1)
    text = f"<json>{json.dumps(turned)}</json>"
    assert graded(sample, text).score == 0.75
    assert graded(sample, text, scoring="structural-eval-v1").score == 1


def test_ten_thousand_members_are_refused_at_once(drawings: Path) -> None:
    points = [{"id": f"P{k}", "x": k, "y": k % 2} for k in range(10_001)]
    links = [{"id": f"L{k}", "a": f"P{k}", "b": f"P{k + 1}"} for k in range(10_000)]
    started = time.process_time()
    grade = graded(first(drawings), json.dumps({"points": points, "links": links, "supports": [], "loads": []}))
    assert grade.status == "unparsed"
    assert "500" in str(grade.message)
    assert time.process_time() - started < 5


leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.floats(),
    st.integers(),
    st.text(max_size=5),
    st.sampled_from(["P1", "pin", "roller", "hinge"]),
)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.slow
@settings(max_examples=1000, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_thousand_mangled_answers_are_graded(drawings: Path, data: st.DataObject) -> None:
    """A real answer with fields replaced, dropped or doubled at random raises nothing and takes no time."""
    sample = first(drawings)
    model = json.loads(json.dumps(sample.target))
    for _ in range(data.draw(st.integers(1, 4))):
        part = data.draw(st.sampled_from(["points", "links", "supports", "loads"]))
        rows = model.get(part)
        if not isinstance(rows, list) or not rows:
            continue
        row = data.draw(st.sampled_from(range(len(rows))))
        action = data.draw(st.sampled_from(["drop", "double", "field", "replace", "part"]))
        if action == "drop":
            del rows[row]
        elif action == "double":
            rows.append(rows[row])
        elif action == "replace":
            rows[row] = data.draw(values)
        elif action == "part":
            model[part] = data.draw(values)
        elif isinstance(rows[row], dict) and rows[row]:
            rows[row][data.draw(st.sampled_from(sorted(rows[row])))] = data.draw(values)
    started = time.process_time()
    grade = graded(sample, json.dumps(model))
    assert time.process_time() - started < 1
    assert 0 <= grade.score <= 1


def test_the_tools_in_python(drawings: Path) -> None:
    path = sorted((drawings / "raw_models").glob("*.json"))[0]
    solved = sightline.solve(path)
    assert solved["reactions"] and solved["axial"] and solved["displacements"]
    right = sightline.diagnose(path, path)
    assert (right["score"], right["stage"], right["problems"]) == (1.0, "right", [])
    with pytest.raises(DataError, match="holds no structural model"):
        sightline.solve({"points": []})
    with pytest.raises(DataError, match="Cannot read"):
        sightline.solve("nowhere.json")


@pytest.mark.slow
def test_the_tools_on_the_command_line(drawings: Path, tmp_path: Path) -> None:
    path = sorted((drawings / "raw_models").glob("*.json"))[0]
    model = json.loads(path.read_text())
    model["supports"] = model["supports"][1:]
    (tmp_path / "answer.json").write_text(json.dumps(model))
    solved = command("solve", path, "--json", "--plot", "a.png", cwd=tmp_path)
    assert solved.returncode == 0, solved.stderr
    assert json.loads(solved.stdout)["reactions"]
    assert "Reactions" in command("solve", path, "--plot", "a.svg", cwd=tmp_path).stdout
    told = command("diagnose", "answer.json", path, "--plot", "b.png", cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    assert "Score: 0.25" in told.stdout and "missing" in told.stdout
    for name in ("a.png", "b.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "a.svg").read_text().startswith("<")
    (tmp_path / "beam.json").write_text("{")
    for args in (("solve", "beam.json"), ("solve", "none.json"), ("solve", path, "--plot", "x.gif")):
        wrong = command(*args, cwd=tmp_path)
        assert wrong.returncode == 2 and "Traceback" not in wrong.stderr


def test_a_mechanism_is_told_not_solved(tmp_path: Path) -> None:
    model = {
        "points": [{"id": "A", "x": 0, "y": 0}, {"id": "B", "x": 4, "y": 0}],
        "links": [{"id": "L", "a": "A", "b": "B"}],
        "supports": [{"id": "S", "at": {"type": "point", "id": "A"}, "kind": "pin", "angleDeg": 0}],
        "loads": [],
    }
    (tmp_path / "m.json").write_text(json.dumps(model))
    told = command("solve", "m.json", cwd=tmp_path)
    assert told.returncode == 2
    assert "mechanism" in told.stderr and "(4, 0)" in told.stderr


def test_truth_writes_metadata_and_lists_what_is_missing(drawings: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(drawings, tmp_path / "d")
    shutil.rmtree(tmp_path / "d" / "ground_truth_meta")
    picture = sorted((tmp_path / "d" / "images").glob("*.png"))[0]
    picture.unlink()
    told = command("truth", "d", cwd=tmp_path)
    assert told.returncode == 3
    assert picture.stem in told.stdout
    assert len(list((tmp_path / "d" / "ground_truth_meta").glob("*.json"))) >= 11
    run = command("run", "structural", "--data", "d", "--model", "baseline/oracle", "--json", cwd=tmp_path)
    assert json.loads(run.stdout)["statuses"] == {"answered": 11, "invalid": 1}


def test_generate_takes_wishes(tmp_path: Path) -> None:
    told = command(
        *("generate", "structural", "--count", "6", "--seed", "3", "--out", "d"),
        *("--category", "beam,truss", "--difficulty", "1-2"),
        cwd=tmp_path,
    )
    assert told.returncode == 0, told.stderr
    names = {path.stem.partition("_")[0] for path in (tmp_path / "d" / "raw_models").glob("*.json")}
    assert names <= {"beam", "truss"}
    for path in (tmp_path / "d" / "ground_truth_meta").glob("*.json"):
        assert json.loads(path.read_text())["difficulty"] in (1, 2)
    assert len(list((tmp_path / "d" / "images").glob("*.png"))) == 6
