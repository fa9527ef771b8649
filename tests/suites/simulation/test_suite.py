"""The simulation suite on the real question set: the published figures of blind answers, and its honest reading."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from sightline import evaluate
from sightline.api.evaluation import Result
from sightline.core.records import Answer, Attempt, Invalid, Media, Sample, Text
from sightline.core.registry import load_suite
from sightline.core.remarks import format_remark
from sightline.scoring.sample_scorer import grade_attempt
from sightline.scoring.summary import Row
from sightline.suites.simulation.scorer import PAIRS, logical_pair, physical_law
from tests.support.worlds import PIXEL, sightline


def run(data: Path, out: Path, **settings: object) -> Result:
    return evaluate("simulation", data=str(data), output_dir=str(out), **settings)


def row(result: Result, metric: str, scope: str = "overall", name: str = "") -> Row:
    return next(r for r in result.summary.rows if (r.metric, r.scope, r.name) == (metric, scope, name))


@pytest.mark.parametrize("modality", ["text", "image"])
def test_always_true_scores_what_was_published_and_has_no_skill(seesim: Path, tmp_path: Path, modality: str) -> None:
    result = run(seesim, tmp_path, modality=modality, model="baseline/constant:True")
    head = row(result, "accuracy")
    assert head.estimate.n == 240
    assert head.estimate.value == 127 / 240  # 52.92 %
    assert head.baseline is not None
    assert (head.baseline.name, head.baseline.skill) == ("always True", 0.0)
    assert row(result, "opposed_pairs").estimate.value == 0
    assert row(result, "opposed_pairs").estimate.n == 36
    assert row(result, "balanced_accuracy").estimate.value == 0.5
    assert row(result, "mcc").estimate.value == 0
    assert head.estimate.clusters == 12
    assert row(result, "accuracy", "task", "structural").estimate.n == 120


def test_the_oracle_reaches_the_ceiling_and_not_more(seesim: Path, tmp_path: Path) -> None:
    result = run(seesim, tmp_path, modality="text", model="baseline/oracle")
    assert row(result, "accuracy").estimate.value == 1
    assert row(result, "opposed_pairs").estimate.value == row(result, "key_opposed_pairs").estimate.value == 0.75
    assert row(result, "pair_relation").estimate.value == 1
    assert row(result, "law_accuracy").estimate.value == 1
    assert row(result, "law_accuracy").estimate.n == 24  # 3 questions on 6 structures, 1 on 6 flows


def test_a_missing_video_is_invalid_and_told(seesim: Path, tmp_path: Path) -> None:
    told = sightline(
        *("run", "simulation", "--data", seesim, "--modality", "video", "--model", "baseline/constant:True", "--json"),
        cwd=tmp_path,
    )
    assert told.returncode in (0, 3)
    assert "Traceback" not in told.stderr
    result = json.loads(told.stdout)
    assert result["statuses"] == {"answered": 220, "invalid": 20}
    assert result["notes"][0]["args"]["count"] == 20
    assert result["notes"][0]["args"]["reason"]["args"] == {"name": "fluid/videos/File_3.*"}
    log = (Path(tmp_path / result["folder"]) / "invalid_sample_log.txt").read_text(encoding="utf-8").splitlines()
    assert log[0].split("\t") == ["source", "task", "reason", "sample"]
    assert len(log) == 21
    assert all("missing media: fluid/videos/File_3" in line for line in log[1:])


def test_coverage_counts_what_could_not_be_asked(seesim: Path, tmp_path: Path) -> None:
    result = run(seesim, tmp_path, modality="video", video_mode="native", model="baseline/constant:True")
    assert result.summary.coverage == 220 / 240


def test_both_layouts_give_the_same_samples(seesim: Path, tmp_path: Path) -> None:
    same = tmp_path / "same"
    shutil.copytree(seesim / "benchmark", same / "benchmark")
    for domain, shift in (("structural", 0), ("fluid", 6)):
        for kind in ("images", "text"):
            folder = same / "data" / domain / kind
            folder.mkdir(parents=True)
            for path in (seesim / "data" / domain / kind).iterdir():
                number = int(path.stem.removeprefix("File_")) + shift
                shutil.copyfile(path, folder / f"File_{number}{path.suffix}")
    suite = load_suite("simulation", modality="image,text")
    renumbered, original = list(suite.dataset(seesim)), list(suite.dataset(same))
    assert [s.id for s in renumbered] == [s.id for s in original]
    for one, other in zip(renumbered, original, strict=True):
        assert isinstance(one, Sample) and isinstance(other, Sample)
        assert Path(one.media[0].path).read_bytes() == Path(other.media[0].path).read_bytes()
    assert "fluid: numbered from 1 on disk (File_7 is File_1)" in map(str, suite.dataset_notes(seesim))
    assert "fluid: names on disk as in the question file" in map(str, suite.dataset_notes(same))


def test_the_questions_are_known_by_what_they_say(seesim: Path) -> None:
    samples = [s for s in load_suite("simulation").dataset(seesim) if isinstance(s, Sample)]
    found = {logical_pair(s.task, s.question) for s in samples} - {None}
    assert found == {(pair.name, side) for pair in PAIRS for side in (0, 1)}
    laws = {(s.task, physical_law(s.question)) for s in samples if physical_law(s.question)}
    assert laws == {
        ("structural", "force balance"),
        ("structural", "boundary conditions"),
        ("structural", "convergence"),
        ("fluid", "mass conservation"),
    }


def test_the_prompt_is_the_published_one(seesim: Path) -> None:
    for modality, kind in (("image", "image"), ("text", "text")):
        suite = load_suite("simulation", modality=modality)
        sample = next(s for s in suite.dataset(seesim) if isinstance(s, Sample))
        prompt = suite.next_prompt(sample, ())
        assert prompt is not None
        shown, words = prompt.messages[0].parts
        assert isinstance(shown, Media) and shown.kind == kind
        assert words == Text(f"Question: {sample.question} (True/False)\n\nAnswer with only True or False:")
        assert suite.next_prompt(sample, (Answer(position=0, sample=sample.id, text="True"),)) is None


@pytest.mark.parametrize(("mode", "shown", "turns"), [("vote", 1, 2), ("frames", 2, 1), ("native", 1, 1)])
def test_three_ways_to_show_a_video(seesim: Path, mode: str, shown: int, turns: int) -> None:
    suite = load_suite("simulation", modality="video", video_mode=mode, files="File_1")
    sample = next(s for s in suite.dataset(seesim) if isinstance(s, Sample))  # 2.0 s at one frame a second
    answers: list[Answer] = []
    while (prompt := suite.next_prompt(sample, answers)) is not None:
        parts = [p for p in prompt.messages[0].parts if isinstance(p, Media)]
        assert len(parts) == shown
        assert {p.kind for p in parts} == {"video" if mode == "native" else "image"}
        answers.append(Answer(position=0, sample=sample.id, text="True", turn=len(answers) + 1))
    assert len(answers) == turns


def test_frames_follow_the_rate(seesim: Path) -> None:
    suite = load_suite("simulation", modality="video", files="File_8", fps=0.5)
    sample = next(s for s in suite.dataset(seesim) if isinstance(s, Sample))  # 16.5 s
    assert [m.at_second for m in sample.media] == [2.0 * k for k in range(9)]
    assert [*map(str, suite.deviations())] == ["only the simulations File_8", "0.5 frames per second instead of 1"]


def vote(*replies: str) -> tuple[object, str]:
    suite = load_suite("simulation", modality="video")
    sample = Sample(
        id="s", task="fluid", question="?", target=True, media=(), tags={"modality": "video"}, cluster="fluid/File_1"
    )
    answers = [Answer(position=0, sample="s", turn=k + 1, text=reply) for k, reply in enumerate(replies)]
    grade = grade_attempt(suite, sample, Attempt(list(answers)))
    return grade.values["predicted"], grade.message


def test_the_majority_of_frames_decides() -> None:
    assert vote("True", "False", "True") == (True, "")
    assert vote("False", "No.", "Maybe") == (False, "")
    predicted, note = vote("False", "True", "True", "False")
    assert predicted is False
    assert "divided 2 to 2" in str(note)
    assert vote("Maybe.", "No") == (None, "neither True nor False")


def test_domain_and_files_select_and_are_told(seesim: Path, tmp_path: Path) -> None:
    result = run(seesim, tmp_path, modality="text", model="baseline/oracle", domain="fluid", files="File_7,File_9")
    assert result.summary.samples == 40
    assert [*map(str, result.summary.deviations)] == ["only the domains fluid", "only the simulations File_7, File_9"]


def test_the_report_names_model_parameters_and_deviations(seesim: Path, tmp_path: Path) -> None:
    settings = {"params": "11B", "limit": 7, "blind": True, "max_retries": 1, "system": "x"}
    result = run(seesim, tmp_path, modality="text", model="baseline/random", **settings)
    page = (result.folder / "report.html").read_text(encoding="utf-8")
    text = (result.folder / "report.md").read_text(encoding="utf-8")
    for told in (page, text):
        for word in ("baseline/random", "11B", "only the first 7 samples", "blind", "system prompt", "after feedback"):
            assert word in told, word


def test_an_unknown_simulation_gets_the_nearest(seesim: Path) -> None:
    suite = load_suite("simulation", files="File_99")
    with pytest.raises(Exception, match="Did you mean 'File_9'"):
        next(iter(suite.dataset(seesim)))


def key(folder: Path, content: object) -> Path:
    (folder / "benchmark").mkdir(parents=True)
    (folder / "benchmark" / "q.json").write_text(json.dumps(content))
    (folder / "data" / "fluid" / "images").mkdir(parents=True)
    (folder / "data" / "fluid" / "images" / "File_1.png").write_bytes(PIXEL)
    return folder


def test_faults_of_the_key_are_invalid_samples(tmp_path: Path) -> None:
    questions = [{"qid": "a", "question": "A?"}, {"qid": "b", "question": "B?"}, {"qid": "c", "question": "C?"}]
    answers = {"a": True, "b": "yes", "z": False}
    block = {"questions": questions, "files": {"File_1": {"answers": answers}, "../../etc": {"answers": {"a": True}}}}
    read = list(load_suite("simulation").dataset(key(tmp_path / "d", {"fluid": block})))
    valid = [s for s in read if isinstance(s, Sample)]
    reasons = [format_remark(s.reason) for s in read if isinstance(s, Invalid)]
    assert [s.id for s in valid] == ["image/fluid/File_1/a"]
    assert sorted(set(reasons)) == [
        "the answer key holds neither true nor false",
        "the answer key names a question that is not asked",
        "unsafe name",
    ]
    assert len(read) == 4 + 3
