"""The service gives the figures that the library gives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import sightline
from sightline.core.records import Answer, Attempt
from sightline.core.registry import names
from sightline.scoring.sample_scorer import grade_attempt
from sightline.suites.structural.corruptions import corrupted_replies
from tests.support.framecalc import beam, changed
from tests.web.service.callers import Caller

SAMPLES = [
    ("VQA1", "Yes", "Yes, there is a ship."),
    ("counting", "3", "4"),
    ("计数", 3, "no idea"),
    ("image classification", "airport", "airport"),
    ("图片检索", "1,3", "3,1"),
    ("horizontal detection", "<box><10><10><60><60></box>", "<box><12><10><60><58></box>"),
    ("obb detection", "<quad>", "?"),
    ("visual grounding", "<box><5><5><40><40></box>", ""),
    ("像素分类", "water", "Water"),
]


@pytest.mark.parametrize(("task", "truth", "output"), SAMPLES)
def test_one_sample_has_the_metrics_of_score_one(service: Caller, task: str, truth: Any, output: str) -> None:
    told = service.post("/v1/score", {"task": task, "gt": truth, "output": output, "auxiliary": True})
    expected = sightline.score_one(gt=str(truth), output=output, task=task)
    assert told["reason"] == expected.pop("error", "")
    for name in ("score", "lenient_score", "deviation"):
        assert told[name] == expected.pop(name)
    assert told["scores"] == expected
    assert (told["status"] == "answered") == (not told["reason"])


def write_files(folder: Path, task: str, pairs: list[dict[str, Any]]) -> None:
    lines = [{"gt": one["gt"], "task": task, "source": one.get("source", "")} for one in pairs]
    outputs = [{"source": one.get("source", ""), "model_output": one["output"]} for one in pairs]
    (folder / "anno").mkdir()
    (folder / "out").mkdir()
    (folder / "anno" / "a.txt").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    (folder / "out" / "a_output.txt").write_text("\n".join(map(json.dumps, outputs)), encoding="utf-8")


def pairs_of(task: str) -> list[dict[str, Any]]:
    """Forty samples, some wrong, some unreadable; pictures are shared by two."""
    made = []
    for k in range(40):
        if task == "counting":
            truth, output = str(k % 7), "many" if k % 11 == 0 else str(k % 7 + (k % 3 == 0))
        elif task == "image classification":
            truth, output = ("airport", "harbour", "farm")[k % 3], ("airport", "harbour", "farm")[k % 3 if k % 4 else 0]
        else:
            truth = f"<box><{k}><{k}><{k + 30}><{k + 30}></box>"
            output = f"<box><{k + k % 9}><{k}><{k + 30}><{k + 30}></box>"
        made.append({"gt": truth, "output": output, "source": f"picture-{k // 2}.png"})
    return made


@pytest.mark.parametrize("task", ["counting", "image classification", "horizontal detection"])
def test_many_samples_have_the_figures_of_score(service: Caller, tmp_path: Path, task: str) -> None:
    pairs = pairs_of(task)
    write_files(tmp_path, task, pairs)
    report = sightline.score(tmp_path / "anno", tmp_path / "out", output_dir=str(tmp_path / "results"), workers=1)
    expected = {row.metric: row for row in report.summary.rows if row.scope == "task"}
    told = service.post("/v1/score/many", {"task": task, "samples": pairs, "auxiliary": True})
    assert [one["metric"] for one in told["figures"]] == list(expected)
    for one in told["figures"]:
        estimate = expected[one["metric"]].estimate
        assert (one["value"], one["low"], one["high"]) == (estimate.value, estimate.low, estimate.high), one["metric"]
        assert (one["n"], one["clusters"], one["method"]) == (estimate.n, estimate.clusters, estimate.method)
    assert told["samples"] == len(told["grades"]) == 40
    assert told["statuses"] == report.summary.statuses
    assert told["figures"][0]["clusters"] == 20


def test_a_missing_output_is_a_wrong_answer_and_names_come_back(service: Caller) -> None:
    samples = [{"gt": 3, "output": None, "id": "none"}, {"gt": 3, "output": "3", "id": "right"}]
    told = service.post("/v1/score/many", {"task": "counting", "samples": samples})
    assert [(one["id"], one["status"], one["score"]) for one in told["grades"]] == [
        ("none", "empty", 0.0),
        ("right", "answered", 1.0),
    ]
    assert told["figures"][0]["value"] == 0.5


def test_coordinates_and_labels_are_converted(service: Caller) -> None:
    asked = {"task": "grounding", "gt": "<box><0><0><100><50></box>", "output": "<box><0><0><500><500></box>"}
    told = service.post("/v1/score", {**asked, "coords": "0-1000", "size": [200, 100]})
    assert (told["status"], told["scores"]["ap50"]) == ("answered", 1.0)
    assert service.post("/v1/score", {**asked, "coords": "0-1000"})["status"] == "invalid"
    asked = {"task": "像素分类", "gt": "vehicle", "output": "car"}
    assert service.post("/v1/score", asked)["score"] == 0.0
    assert service.post("/v1/score", {**asked, "labels": {"car": "vehicle"}})["score"] == 1.0


@pytest.mark.parametrize("way", [*corrupted_replies(beam()), "ideal"])
def test_a_suite_grades_as_it_always_does(service: Caller, way: str) -> None:
    suite = sightline.load_suite("structural")
    sample = suite.sample_from_truth(beam())
    replies = {**suite.corrupted_replies(sample), "ideal": suite.oracle_reply(sample)}

    expected = grade_attempt(suite, sample, Attempt([Answer(position=0, sample="", text=replies[way])]))
    told = service.post("/v1/score", {"suite": "structural", "truth": beam(), "output": replies[way]})
    assert told["score"] == expected.score
    assert told["status"] == (expected.status if replies[way] else "empty")
    assert told["values"] == json.loads(json.dumps(expected.values))
    assert told["scores"]["full_marks"] == float(way == "ideal")
    assert told["task"] == sample.task


def test_many_samples_of_a_suite(service: Caller) -> None:
    right = f"<json>{json.dumps(beam())}</json>"
    wrong = f"<json>{json.dumps(changed('loads.0.value', 99))}</json>"
    samples = [{"truth": beam(), "output": reply, "id": name} for name, reply in [("a", right), ("b", wrong)]]
    told = service.post("/v1/score/many", {"suite": "structural", "samples": samples})
    assert [one["score"] for one in told["grades"]] == [1.0, 0.75]
    headline = next(one for one in told["figures"] if one["scope"] == "overall")
    assert headline["value"] == 0.875
    bad = service.post(
        "/v1/score/many", {"suite": "structural", "samples": [*samples, {"truth": {}, "output": ""}]}, 422
    )
    assert "samples[2]" in bad["detail"]


def test_a_beam_is_solved_as_the_textbook_says(service: Caller) -> None:
    """A simple span under a uniform load: wL/2 at the supports, wL²/8 in the middle."""
    model = {
        "points": [{"id": "A", "x": 0, "y": 0}, {"id": "B", "x": 8, "y": 0}],
        "links": [{"id": "L", "a": "A", "b": "B"}],
        "supports": [
            {"at": {"type": "point", "id": "A"}, "kind": "pin"},
            {"at": {"type": "point", "id": "B"}, "kind": "roller"},
        ],
        "loads": [
            {"kind": "distributedLoad", "at": {"type": "link", "id": "L"}, "wStart": 3, "wEnd": 3, "angleDeg": 270}
        ],
    }
    told = service.post("/v1/solve", {"model": model})
    assert sum(one["value"] for one in told["reactions"] if one["type"] != "ux") == pytest.approx(3 * 8)
    assert max(abs(one["m"]) for one in told["axial"][0]["samples"]) == pytest.approx(3 * 8**2 / 8)
    assert told["mended"]


def test_solving_equals_the_library(service: Caller) -> None:
    told = service.post("/v1/solve", {"model": beam()})
    assert told.pop("mended") == []
    assert told == sightline.solve(beam())


@pytest.mark.parametrize("way", list(corrupted_replies(beam())))
def test_diagnosis_equals_the_library(service: Caller, way: str) -> None:
    reply = corrupted_replies(beam())[way]
    told = service.post("/v1/diagnose", {"truth": beam(), "output": reply})
    if not reply.startswith("<json>{"):
        assert (told["score"], told["stage"]) == (0, "unreadable")
        assert told["reason"]
        return
    raw = json.loads(reply.removeprefix("<json>").removesuffix("</json>"))
    expected = sightline.diagnose(raw, beam())
    assert {key: told[key] for key in ("score", "stage", "problems", "mended")} == {
        key: expected[key] for key in ("score", "stage", "problems", "mended")
    }
    assert told["score"] in (0, 0.25, 0.5, 0.75) and told["reason"]


def test_what_exists_is_listed_in_both_languages(service: Caller) -> None:
    suites = {one["name"]: one for one in service.get("/v1/suites")["suites"]}
    assert sorted(suites) == names("suites")
    assert suites["structural"]["graded_by"] == "truth"
    assert suites["remote-sensing"]["graded_by"] == "task"
    assert suites["structural"]["services"] == ["/v1/solve", "/v1/diagnose"]
    tasks = service.get("/v1/tasks")["tasks"]
    counting = next(one for one in tasks if one["name"] == "计数")
    assert counting["title"]["en"] == "counting" and "object counting" in counting["aliases"]
    metrics = {one["name"]: one for one in service.get("/v1/metrics")["metrics"]}
    assert set(metrics) == {*names("metrics"), *names("figures")}
    assert metrics["accuracy"]["title"] == {"en": "Accuracy", "zh": "准确率"}
    assert not metrics["mae"]["higher_is_better"]
