"""What a run is about stays what it was: changed data, finished runs, unreadable manifests are told, never passed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sightline import evaluate, grade_again
from sightline.core.errors import DataError
from sightline.core.remarks import Remark
from sightline.data.fingerprint import fingerprint
from sightline.inference.run_progress import RunProgress
from sightline.runs.folder import RunFolder
from sightline.runs.manifest import compute_run_key
from sightline.runs.run import Progress
from sightline.scoring.summary import Summary
from tests.support.worlds import journal, only_run, server, sightline, write_questions

KEY = Path("benchmark") / "questions.json"


def swap_answers(data: Path) -> None:
    """True becomes False and the other way round; the file keeps its size."""
    path = data / KEY
    text = path.read_text().replace(": true", ": @").replace(": false", ": true").replace(": @", ": false")
    path.write_text(text)


def asked(tmp_path: Path, model: str = "baseline/constant:True", **more: Any) -> Any:
    data = tmp_path / "data"
    if not data.exists():
        write_questions(data, 25)
    return evaluate("simulation", model=model, data=str(data), output_dir=str(tmp_path / "runs"), **more)


def manifest(run: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((run / "manifest.json").read_text())
    return found


class Told(Progress):
    """Keeps what is told."""

    def __init__(self) -> None:
        self.warnings: list[str] = []
        self.done: list[Path] = []

    def warning(self, remark: Remark) -> None:
        self.warnings.append(str(remark))

    def finished(self, folder: RunFolder, summary: Summary) -> None:
        self.done.append(folder.path)


class TestAnotherAnswerKey:
    def test_is_refused_with_the_file_that_changed(self, tmp_path: Path) -> None:
        run = asked(tmp_path).folder
        before = (run / "report.json").read_bytes()
        swap_answers(tmp_path / "data")
        with pytest.raises(DataError, match=r"changed: benchmark/questions\.json") as told:
            grade_again(run)
        assert "--accept-changed-data" in str(told.value)
        assert (run / "report.json").read_bytes() == before

    def test_is_told_everywhere_once_it_is_accepted(self, tmp_path: Path) -> None:
        first = asked(tmp_path)
        assert first.summary.score.value == 0.48
        swap_answers(tmp_path / "data")
        again = grade_again(first.folder, accept_changed_data=True)
        assert again.summary.score.value == 0.52
        old = manifest(first.folder)["data_sha256"]
        new = fingerprint(tmp_path / "data")
        assert manifest(first.folder)["graded_data_sha256"] == new != old
        for name in ("report.json", "report.md", "report.html"):
            text = (first.folder / name).read_text(encoding="utf-8")
            assert "benchmark/questions" in text and new[:12] in text and old[:12] in text, name
        shown = sightline("show", first.folder, cwd=tmp_path)
        assert new[:12] in shown.stdout
        with pytest.raises(DataError):  # it is asked for each time
            grade_again(first.folder)
        swap_answers(tmp_path / "data")
        back = grade_again(first.folder)
        assert back.summary.score.value == 0.48 and not manifest(first.folder)["graded_data_sha256"]
        assert new[:12] not in (first.folder / "report.md").read_text()

    def test_on_the_command_line(self, tmp_path: Path) -> None:
        run = asked(tmp_path).folder
        swap_answers(tmp_path / "data")
        told = sightline("regrade", run, cwd=tmp_path)
        assert told.returncode == 2 and "questions.json" in told.stderr and "Traceback" not in told.stderr
        told = sightline("regrade", run, "--accept-changed-data", "--lang", "zh", cwd=tmp_path)
        assert told.returncode == 0 and "52.00" in told.stdout and "questions.json" in told.stdout

    def test_elsewhere_is_no_change(self, tmp_path: Path) -> None:
        run = asked(tmp_path).folder
        (tmp_path / "data").rename(tmp_path / "moved")
        assert grade_again(run, data=str(tmp_path / "moved")).summary.score.value == 0.48
        swap_answers(tmp_path / "moved")
        with pytest.raises(DataError):
            grade_again(run, data=str(tmp_path / "moved"))

    def test_of_a_run_with_a_fingerprint_by_the_old_rule(self, tmp_path: Path) -> None:
        run = asked(tmp_path).folder
        make_old(run, tmp_path / "data")
        assert grade_again(run).summary.score.value == 0.48
        now = manifest(run)
        assert now["data_fingerprint_version"] == 1
        assert now["graded_data_sha256"] == fingerprint(tmp_path / "data"), "so it can be compared with new runs"
        swap_answers(tmp_path / "data")
        with pytest.raises(DataError, match="not the one"):
            grade_again(run)


class Swapping(Told):
    """Swaps the answers at a moment of the run."""

    def __init__(self, data: Path, moment: str) -> None:
        super().__init__()
        self.data, self.moment = data, moment

    def _swap(self, moment: str) -> None:
        if self.moment == moment:
            self.moment = ""
            swap_answers(self.data)

    def inference_finished(self, progress: RunProgress) -> None:
        self._swap("asked")

    def grading(self, count: int) -> None:
        self._swap("grading")


class TestAnswersSwappedDuringTheRun:
    @pytest.mark.parametrize("moment", ["asked", "grading"])
    def test_are_told_in_all_reports(self, tmp_path: Path, moment: str) -> None:
        data = write_questions(tmp_path / "data", 25)
        result = asked(tmp_path, progress=Swapping(data, moment))
        assert "changed during the run" in " ".join(map(str, result.summary.notes))
        assert manifest(result.folder)["graded_data_sha256"] == fingerprint(data)
        for name in ("report.json", "report.md", "report.html"):
            text = (result.folder / name).read_text(encoding="utf-8")
            assert "changed during the run" in text and "benchmark/questions" in text, name

    def test_while_a_run_is_graded_again(self, tmp_path: Path) -> None:
        run = asked(tmp_path).folder
        again = grade_again(run, progress=Swapping(tmp_path / "data", "grading"))
        assert "changed during the run" in str(again.summary.notes[-1])


def make_old(run: Path, data: Path, state: str = "finished") -> None:
    """A run folder as earlier versions wrote it."""
    from sightline.core.config import resolve
    from sightline.core.registry import find

    about = manifest(run)
    old = fingerprint(data, version=1)
    about.pop("data_fingerprint_version")
    about.pop("graded_data_sha256")
    (run / "data_files.json").unlink()
    config, options = resolve("simulation", flags={"model": about["model"], "data": str(data)})
    key = compute_run_key(find("suites", "simulation")(options), config, about["identity"], old)
    (run / "manifest.json").write_text(json.dumps(about | {"data_sha256": old, "key": key, "state": state}))


class TestTheSameCommandAgain:
    @pytest.mark.slow
    def test_says_that_its_run_is_finished_and_asks_nothing(self, tmp_path: Path) -> None:
        data = write_questions(tmp_path / "data", 6)
        with server("--log", tmp_path / "log") as base:
            call = ("run", "simulation", "--data", data, "--model", "m", "--api-base", base)
            first = sightline(*call, cwd=tmp_path)
            assert first.returncode == 0, first.stderr
            sent = (tmp_path / "log").read_text()
            again = sightline(*call, cwd=tmp_path)
            assert again.returncode == 0 and (tmp_path / "log").read_text() == sent
            run = only_run(tmp_path / "runs")
            assert "already finished" in again.stderr and run.name in again.stderr and "--fresh" in again.stderr
            assert again.stdout == first.stdout
            as_json = sightline(*call, "--json", cwd=tmp_path)
            assert json.loads(as_json.stdout)["samples"] == 6
            assert sightline(*call, "--fresh", cwd=tmp_path).returncode == 0
        assert len(list((tmp_path / "runs").iterdir())) == 2

    def test_still_minds_the_gate(self, tmp_path: Path) -> None:
        data = write_questions(tmp_path / "data", 20)
        call = ("run", "simulation", "--data", data, "--model", "baseline/constant:True")
        assert sightline(*call, cwd=tmp_path).returncode == 0
        assert sightline(*call, "--fail-under", "0.51", cwd=tmp_path).returncode == 1
        only_run(tmp_path / "runs")

    def test_in_python_returns_the_finished_result(self, tmp_path: Path) -> None:
        first, told = asked(tmp_path), Told()
        again = asked(tmp_path, progress=told)
        assert again.folder == first.folder and again.summary == first.summary and again.was_finished
        assert told.done == [first.folder] and not first.was_finished
        assert asked(tmp_path, fresh=True).folder != first.folder

    def test_goes_on_where_the_report_is_lost(self, tmp_path: Path) -> None:
        first = asked(tmp_path)
        (first.folder / "report.json").write_text("{")
        again = asked(tmp_path)
        assert again.folder == first.folder and again.summary == first.summary
        assert len(journal(first.folder)) == 25

    def test_with_a_judge_asks_the_judge_alone(self, tmp_path: Path) -> None:
        first = asked(tmp_path)
        again = asked(tmp_path, judge="baseline/constant:equal")
        assert again.folder == first.folder and len(journal(first.folder)) == 25
        assert any("judge" in str(note).lower() for note in again.summary.notes)

    def test_with_another_judge_does_not_take_the_first_ones_verdicts(self, tmp_path: Path) -> None:
        from sightline import generate

        data = str(generate("matrix", tmp_path / "data", count=12))
        about = {"data": data, "output_dir": str(tmp_path / "runs"), "model": "baseline/oracle"}
        first = evaluate("matrix", judge="baseline/constant:equal", **about)
        other = evaluate("matrix", judge="baseline/constant:2", **about)
        assert first.folder == other.folder
        notes = [str(note) for note in other.summary.notes if "udge" in str(note)]
        assert notes and all("constant:2" in note for note in notes)
        verdicts = [line["text"] for line in journal(other.folder / "judge")]
        assert set(verdicts) == {"2"}

    def test_draws_the_plots_that_are_wanted_now(self, tmp_path: Path) -> None:
        first = asked(tmp_path)
        asked(tmp_path, vis=True)
        assert list((first.folder / "plots").glob("*.png"))

    def test_finds_a_run_with_a_fingerprint_by_the_old_rule(self, tmp_path: Path) -> None:
        first = asked(tmp_path)
        make_old(first.folder, tmp_path / "data")
        assert asked(tmp_path).was_finished
        make_old_again = manifest(first.folder)
        (first.folder / "manifest.json").write_text(json.dumps(make_old_again | {"state": "partial"}))
        lines = (first.folder / "journal.jsonl").read_text().splitlines(keepends=True)
        (first.folder / "journal.jsonl").write_text("".join(lines[:10]))
        again = asked(tmp_path)
        assert again.folder == first.folder and again.summary.complete
        assert manifest(first.folder)["data_sha256"] == fingerprint(tmp_path / "data", 1)


class TestBeforeANewRun:
    def partial(self, tmp_path: Path) -> Path:
        """A run that was stopped after ten answers."""
        run: Path = asked(tmp_path).folder
        about = manifest(run)
        (run / "manifest.json").write_text(json.dumps(about | {"state": "partial"}))
        lines = (run / "journal.jsonl").read_text().splitlines(keepends=True)
        (run / "journal.jsonl").write_text("".join(lines[:10]))
        return run

    def test_changed_data_is_told_with_what_was_answered(self, tmp_path: Path) -> None:
        run, told = self.partial(tmp_path), Told()
        swap_answers(tmp_path / "data")
        new = asked(tmp_path, progress=told)
        assert new.folder != run
        (warning,) = told.warnings
        assert "has changed" in warning and str(run) in warning and "10" in warning
        assert any(warning == str(fact) for fact in new.summary.facts)
        assert len(journal(run)) == 10
        again = asked(tmp_path)
        assert again.was_finished and any(warning == str(fact) for fact in again.summary.facts)

    def test_on_the_command_line_it_is_told_before_anything_is_asked(self, tmp_path: Path) -> None:
        self.partial(tmp_path)
        swap_answers(tmp_path / "data")
        call = ("run", "simulation", "--data", tmp_path / "data", "--model", "baseline/constant:True")
        told = sightline(*call, cwd=tmp_path)
        assert told.returncode == 0
        assert told.stderr.index("has changed") < told.stderr.index("Run folder")
        assert "has changed" not in sightline(*call, "--fresh", cwd=tmp_path).stderr

    def test_another_data_set_in_the_same_folder_of_runs_is_no_change(self, tmp_path: Path) -> None:
        self.partial(tmp_path)
        other = write_questions(tmp_path / "other", 7)
        told = Told()
        evaluate(
            "simulation",
            model="baseline/constant:True",
            data=str(other),
            output_dir=str(tmp_path / "runs"),
            progress=told,
        )
        assert told.warnings == []

    @pytest.mark.parametrize("content", ["", "{", "[" * 100_000, '{"suite": 3}'])
    def test_a_manifest_that_cannot_be_read_is_told(self, tmp_path: Path, content: str) -> None:
        run, told = self.partial(tmp_path), Told()
        (run / "manifest.json").write_text(content)
        new = asked(tmp_path, progress=told)
        assert new.folder != run
        (warning,) = told.warnings
        assert str(run / "manifest.json") in warning and "cannot be read" in warning
        assert (run / "manifest.json").read_text() == content

    def test_a_run_that_goes_on_says_nothing_of_it(self, tmp_path: Path) -> None:
        run, told = self.partial(tmp_path), Told()
        broken = tmp_path / "runs" / f"20200101-000000_{run.name.partition('_')[2]}"
        broken.mkdir()
        (broken / "manifest.json").write_text("{")
        assert asked(tmp_path, progress=told).folder == run
        assert told.warnings == []
