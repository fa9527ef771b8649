"""Repeats over real HTTP: K replies to every question, each with its own seed, journal lines and grade."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from statistics import mean
from typing import Any

import duckdb
import pytest
from msgspec import UNSET

from sightline import compare, evaluate, grade_again, leaderboard
from sightline.api.evaluation import Result, preview
from sightline.core.config import resolve
from sightline.core.errors import ConfigError, UsageError
from sightline.core.records import Answer, Failure
from sightline.core.registry import load_suite
from sightline.core.remarks import Remark
from sightline.core.seeds import repeat_seed
from sightline.inference import batch_transport
from sightline.inference.journal import JournalReader, JournalWriter
from sightline.inference.repeats import set_repeat_seed
from sightline.inference.sharing import CHUNK_SIZE
from sightline.runs.folder import RunFolder
from sightline.runs.run import Progress
from sightline.scoring.summary import RepeatSummary
from tests.support.loopback import drawn_answer
from tests.support.worlds import environment, journal, only_run, server, sightline, write_questions

REPEATS = 3


class Warnings(Progress):
    def __init__(self) -> None:
        self.found: list[str] = []

    def warning(self, remark: Remark) -> None:
        self.found.append(str(remark))


def ask(folder: Path, base: str, **more: Any) -> Result:
    given = {"data": str(folder / "data"), "model": "m", "api_base": base, "output_dir": str(folder / "runs")}
    return evaluate("simulation", **{**given, "repeats": REPEATS, "temperature": 0.7, **more})


def grades(run: Path, columns: str = "sample, repeat, status, score") -> list[tuple[Any, ...]]:
    return duckdb.sql(f"SELECT {columns} FROM '{run / 'grades.parquet'}' ORDER BY position, repeat").fetchall()


def figures(result: Result, scope: str = "overall") -> dict[str, float | None]:
    return {row.metric: row.estimate.value for row in result.summary.rows_of(scope)}


def of_repeats(result: Result) -> RepeatSummary:
    assert isinstance(result.summary.repeats, RepeatSummary)
    return result.summary.repeats


def test_every_repeat_has_its_own_seed_line_and_grade(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 12, simulations=2)
    log = tmp_path / "log"
    with server("--draws", "--log", log) as base:
        result = ask(tmp_path, base, seed=5)
    sent = Counter((question, seed) for question, _, seed in map(json.loads, log.read_text().splitlines()))
    seeds = [repeat_seed(5, repeat) for repeat in (1, 2, 3)]
    assert seeds[0] == 5 and len(set(seeds)) == 3 and all(0 <= seed < 2**31 for seed in seeds)
    assert Counter(seed for _, seed in sent) == dict.fromkeys(seeds, 12), "two simulations ask the same 12 questions"
    assert of_repeats(result).seeds == seeds and of_repeats(result).temperature == 0.7
    assert result.summary.statuses.keys() <= {"answered", "unparsed"}
    assert (result.summary.samples, sum(result.summary.statuses.values()), result.summary.complete) == (24, 72, True)
    for line in journal(result.folder):
        question = f"Is statement {str(line['sample']).rpartition('/q')[2]} right?"
        assert line["text"] == drawn_answer(question, seeds[int(str(line.get("repeat", 1))) - 1])
    assert [repeat for _, repeat, *_ in grades(result.folder)] == [1, 2, 3] * 24


def test_figures_follow_from_the_replies(tmp_path: Path) -> None:
    """pass@k, vote, consistency and worst repeat, computed once more from journal and grades in another way."""
    write_questions(tmp_path / "data", 30)
    with server("--draws") as base:
        result = ask(tmp_path, base, repeats=4)
    texts = {(line["sample"], line.get("repeat", 1)): line["text"] for line in journal(result.folder)}
    replies: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for sample, repeat, _, score in grades(result.folder):
        replies[sample].append((str(texts[sample, repeat]), score))
    found = figures(result)
    for k in (1, 2, 3, 4):
        choices = [max(s for _, s in some) for each in replies.values() for some in combinations(each, k)]
        assert found[f"pass@{k}"] == pytest.approx(mean(choices))
    assert found["accuracy"] == pytest.approx(found["pass@1"])
    assert found["worst_repeat"] == pytest.approx(mean(min(s for _, s in each) for each in replies.values()))
    pairs = [a == b != "?" for each in replies.values() for (a, _), (b, _) in combinations(each, 2)]
    assert found["consistency"] == pytest.approx(mean(pairs))
    votes, ties = [], 0
    for each in replies.values():
        counts = Counter(text for text, _ in each if text in ("True", "False"))
        top = [text for text in counts if counts[text] == max(counts.values())]
        ties += len(top) == 2
        scores = dict(each)
        votes.append(mean(scores[text] for text in top) if top else 0.0)
    assert ties and of_repeats(result).ties == ties
    assert found["majority_vote"] == pytest.approx(mean(votes))
    by_task = figures(result, "task")
    assert by_task["pass@4"] == found["pass@4"] and "pass@2" not in by_task
    head = result.summary.score
    assert head is not None and (head.n, result.summary.coverage) == (30, result.summary.statuses["answered"] / 120)


def test_repeats_belong_to_the_cluster_of_their_question(tmp_path: Path) -> None:
    """A model that gives the same reply again and again knows no more with 5 replies than with one."""
    write_questions(tmp_path / "data", 10, simulations=12)
    with server() as base:
        once = ask(tmp_path, base, repeats=1, output_dir=str(tmp_path / "once"))
        five = ask(tmp_path, base, repeats=5)
    first, second = once.summary.score, five.summary.score
    assert first is not None and second is not None
    assert (second.value, second.clusters) == (first.value, 12)
    assert second.low == pytest.approx(first.low, rel=0.01) and second.high == pytest.approx(first.high, rel=0.01)
    variance = of_repeats(five).variance
    assert variance.error_sampling == 0 and variance.error_questions == variance.error
    assert figures(five)["consistency"] == 1


def test_one_repeat_leaves_no_trace_in_any_file(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 5)
    with server() as base:
        plain = evaluate(
            "simulation", data=str(tmp_path / "data"), model="m", api_base=base, output_dir=str(tmp_path / "plain")
        )
        result = ask(tmp_path, base, repeats=1, temperature=0.0)
    assert result.summary.repeats is UNSET
    for name in ("journal.jsonl", "report.json", "report.csv", "report.md", "manifest.json"):
        text = (result.folder / name).read_text()
        assert not any(word in text for word in ('"repeat', "Repeat", "pass@", "pass_threshold")), name
    for name in ("report.csv", "grades.parquet"):
        assert (result.folder / name).read_bytes() == (plain.folder / name).read_bytes()
    pages = [(run.folder / "report.md").read_text().splitlines() for run in (result, plain)]
    first, second = ([line for line in page if "Speed" not in line] for page in pages)
    assert first == second
    columns = duckdb.sql(f"DESCRIBE SELECT * FROM '{result.folder / 'grades.parquet'}'").fetchall()
    assert "repeat" not in [column[0] for column in columns]
    assert RunFolder(result.folder).load_manifest().key == RunFolder(plain.folder).load_manifest().key


def test_an_interrupted_run_goes_on_to_the_same_result(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 20)
    log = tmp_path / "log"
    with server("--draws", "--log", log) as base:
        partial = ask(tmp_path, base, max_requests=25)
        assert not partial.complete and partial.summary.pending == 35
        assert figures(partial)["pass@1"] is not None
        done = ask(tmp_path, base)
        sent = log.read_text().splitlines()
        whole = ask(tmp_path, base, output_dir=str(tmp_path / "whole"))
    assert done.folder == partial.folder and done.complete
    assert len(sent) == 60, "nothing was asked twice"
    assert done.summary.rows == whole.summary.rows and done.summary.repeats == whole.summary.repeats
    assert grades(done.folder) == grades(whole.folder)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is a thing of POSIX")
def test_kills_change_nothing(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 100)
    with server("--draws", "--latency", "0.05") as base:
        call = ["run", "simulation", "--data", "data", "--model", "m", "--api-base", base, "--json"]
        call += ["--repeats", "3", "--temperature", "0.7", "--concurrency", "8"]
        for kill in range(3):
            process = subprocess.Popen(
                [sys.executable, "-m", "sightline", *call],
                cwd=tmp_path,
                env=environment(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            while not list((tmp_path / "runs").glob("*/journal.jsonl")) or len(lines(tmp_path)) < 40 * (kill + 1):
                time.sleep(0.02)
            process.send_signal(signal.SIGKILL)
            process.wait()
        done = sightline(*call, cwd=tmp_path)
        whole = sightline(*call, "--output-dir", "whole", cwd=tmp_path)
    assert done.returncode == whole.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rows"] == json.loads(whole.stdout)["rows"]
    assert json.loads(done.stdout)["repeats"] == json.loads(whole.stdout)["repeats"]
    assert grades(only_run(tmp_path / "runs")) == grades(only_run(tmp_path / "whole"))
    answers = [(line["sample"], line.get("repeat", 1)) for line in journal(only_run(tmp_path / "runs"))]
    assert len(answers) == len(set(answers)) == 300


def lines(folder: Path) -> list[str]:
    return (only_run(folder / "runs") / "journal.jsonl").read_text().splitlines()


def test_more_repeats_are_added_to_a_finished_run_and_fewer_are_refused(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 10)
    log = tmp_path / "log"
    with server("--draws", "--log", log) as base:
        once = ask(tmp_path, base, repeats=1)
        assert once.summary.repeats is UNSET
        three = ask(tmp_path, base)
        assert three.folder == once.folder and len(log.read_text().splitlines()) == 30
        whole = ask(tmp_path, base, output_dir=str(tmp_path / "whole"))
        assert three.summary.rows == whole.summary.rows
        assert ask(tmp_path, base).was_finished, "the same command again"
        with pytest.raises(UsageError, match="every question 3 times"):
            ask(tmp_path, base, repeats=1)
        fresh = ask(tmp_path, base, repeats=1, fresh=True)
        assert fresh.folder != once.folder and fresh.summary.rows == once.summary.rows
        again = ask(tmp_path, base, repeats=1)
    assert again.folder == fresh.folder and again.was_finished, "a run with as many repeats is preferred"


def test_another_threshold_is_graded_without_a_request(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 10)
    log = tmp_path / "log"
    with server("--draws", "--log", log) as base:
        ask(tmp_path, base)
        lenient = ask(tmp_path, base, pass_threshold=0.0)
    assert len(log.read_text().splitlines()) == 30
    assert figures(lenient)["pass@1"] == 1, "every reply has a score of 0 or more"
    assert [row.title for row in lenient.summary.rows if row.metric == "pass@2"] == ["pass@2 (≥ 0)"]
    assert figures(grade_again(lenient.folder))["pass@1"] == 1


def test_what_repeats_cannot_do_is_said(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 3)
    warned = Warnings()
    with server("--draws") as base:
        ask(tmp_path, base, temperature=0.0, progress=warned, cache=True, cache_path=str(tmp_path / "cache"))
        quiet = Warnings()
        ask(tmp_path, base, progress=quiet)
        ask(tmp_path, base, temperature=0.0, repeats=1, progress=quiet, fresh=True)
    assert len(warned.found) == 2 and "temperature 0" in warned.found[0] and "--cache" in warned.found[1]
    assert quiet.found == []
    with pytest.raises(ConfigError, match="replay"):
        ask(tmp_path, "http://127.0.0.1:9/v1", model="replay/saved.jsonl")


@pytest.mark.parametrize("arguments", [{}, {"seed": None}])
def test_no_two_repeats_come_from_one_cache_entry(tmp_path: Path, arguments: dict[str, Any]) -> None:
    """Also where no seed tells their requests apart."""
    write_questions(tmp_path / "data", 8)
    cached = {"cache": True, "cache_path": str(tmp_path / "cache"), "model_args": arguments}
    log = tmp_path / "log"
    with server("--draws", "--log", log) as base:
        first = ask(tmp_path, base, **cached)
        second = ask(tmp_path, base, fresh=True, **cached)
        uncached = ask(tmp_path, base, repeats=1, fresh=True, **cached)
    assert len(log.read_text().splitlines()) == 24
    assert (first.summary.usage.cached, second.summary.usage.cached, uncached.summary.usage.cached) == (0, 24, 8)
    assert first.summary.rows == second.summary.rows
    assert (figures(first)["consistency"] or 0.0) < 1
    assert of_repeats(first).seeds == ([] if arguments else [repeat_seed(0, k) for k in (1, 2, 3)])


def fail_repeats(run: Path, is_failed: Callable[[int, int], bool]) -> Result:
    """The run graded again as if some requests had failed, chosen by position and repeat."""
    path = run / "journal.jsonl"
    edited = []
    for row in map(json.loads, path.read_text().splitlines()):
        if is_failed(row["position"], row.get("repeat", 1)):
            kept = {key: row[key] for key in ("position", "sample", "repeat") if key in row}
            row = {"type": "failure", "kind": "x", "message": "x", "final": True, **kept}
        edited.append(json.dumps(row))
    path.write_text("\n".join(edited) + "\n")
    return grade_again(run)


def test_all_figures_are_about_the_same_questions_where_requests_failed(tmp_path: Path) -> None:
    """pass@k never falls with k, and the figures of a run without failures lie within the bounds."""
    write_questions(tmp_path / "data", 40)
    with server("--draws") as base:
        whole = ask(tmp_path, base, repeats=4)
        folder = ask(tmp_path, base, repeats=4, output_dir=str(tmp_path / "faulty")).folder

    def is_failed(position: int, repeat: int) -> bool:
        return position == 7 or (position % 3 == 0 and repeat > 1 + position % 4)

    faulty = fail_repeats(folder, is_failed)
    failed = faulty.summary.statuses["failed"]
    assert failed == sum(is_failed(position, repeat) for position in range(40) for repeat in range(1, 5)) > 20
    rows = {row.metric: row.estimate for row in faulty.summary.rows_of("overall")}
    graded = Counter(sample for sample, _, status, _ in grades(faulty.folder) if status != "failed")
    names = ["accuracy", "majority_vote", "worst_repeat", *(f"pass@{k}" for k in (1, 2, 3, 4))]
    assert {rows[name].n for name in names} == {len(graded)} == {39}
    assert rows["consistency"].n == sum(number > 1 for number in graded.values()) < 39
    series = [rows[f"pass@{k}"].value or 0.0 for k in (1, 2, 3, 4)]
    assert series == sorted(series)
    assert rows["pass@1"] == rows["accuracy"]
    for name in [*names, "consistency"]:
        found, complete = rows[name], figures(whole)[name]
        assert found.value is not None and found.floor is not None and found.ceiling is not None
        assert found.failed == failed
        assert found.floor < found.ceiling and complete is not None and found.floor <= complete <= found.ceiling
        if name != "consistency":
            assert found.floor <= found.value <= found.ceiling
    assert (of_repeats(faulty).failed, of_repeats(faulty).incomplete) == (failed, 40 - list(graded.values()).count(4))
    assert {"balanced_accuracy", "mcc"} <= set(of_repeats(faulty).pooled) and "accuracy" not in of_repeats(
        faulty
    ).pooled
    text = (faulty.folder / "report.md").read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if line.startswith("| pass@3"))
    assert [cell.strip() for cell in line.split("|")][4:] == [
        f"{100 * (rows['pass@3'].floor or 0):.2f} – {100 * (rows['pass@3'].ceiling or 0):.2f}",
        "39",
        str(faulty.summary.statuses["unparsed"]),
        str(failed),
        "",
    ]
    assert f"{failed} repeats of {of_repeats(faulty).incomplete} questions failed." in text
    assert "MCC: all graded replies are pooled" in text
    assert "repeats of" not in (whole.folder / "report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("sample", [None, 33])
def test_headline_pass_at_1_compare_and_leaderboard_agree_to_the_last_digit(tmp_path: Path, sample: int | None) -> None:
    """Also where the questions have unequal numbers of graded replies and unequal weights."""
    write_questions(tmp_path / "data", 20, simulations=4)
    runs = []
    drawn = {} if sample is None else {"sample": sample, "stratify": ("file",)}
    with server("--draws") as base:
        for repeats in (5, 3, 1):
            done = ask(tmp_path, base, model=f"m{repeats}", repeats=repeats, **drawn)
            runs.append(fail_repeats(done.folder, lambda position, repeat: repeat > 1 + position % 3))
    compared = compare(*(run.folder for run in runs)).comparison
    board = {entry.model: entry.value for entry in leaderboard(tmp_path / "runs").board.groups[0].entries}
    for run, versus in zip(runs, [None, *compared.versus], strict=True):
        rows = grades(run.folder, "sample, weight, score, status") if run is not runs[-1] else []
        head = run.summary.score
        assert head is not None and head.value is not None and board[run.summary.model] == head.value
        paired = compared.versus[0].main.first if versus is None else versus.main.second
        if sample is None:
            assert paired == head.value
        else:  # products of weights and means are rounded to 2⁻⁴⁰
            assert paired == pytest.approx(head.value, abs=1e-12)
        if rows:
            by_question: dict[str, list[tuple[float, float]]] = defaultdict(list)
            for name, weight, score, status in rows:
                if status != "failed":
                    by_question[name].append((weight, score))
            weights = [each[0][0] for each in by_question.values()]
            means = [mean(score for _, score in each) for each in by_question.values()]
            assert len({len(each) for each in by_question.values()}) > 1 and (sample is None) == (
                len(set(weights)) == 1
            )
            expected = sum(w * m for w, m in zip(weights, means, strict=True)) / sum(weights)
            assert head.value == pytest.approx(expected, abs=1e-12)
            first = next(row.estimate for row in run.summary.rows_of("overall") if row.metric == "pass@1")
            assert first == head, "value, interval, n, method and bounds"


def test_the_blind_baseline_counts_each_question_once(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 20, simulations=2)
    with server("--draws") as base:
        once = ask(tmp_path, base, repeats=1, output_dir=str(tmp_path / "once"))
        folder = ask(tmp_path, base, repeats=3).folder
    faulty = fail_repeats(folder, lambda position, repeat: repeat > 1 + position % 3)
    assert faulty.summary.baselines == once.summary.baselines != {}


def test_only_failed_repeats_are_asked_again(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 20)
    hurt = tmp_path / "runs"
    with server("--draws") as base:
        whole = ask(tmp_path, base)
        path = only_run(hurt) / "journal.jsonl"
        kept = [line for line in path.read_text().splitlines() if json.loads(line).get("repeat") != 2]
        path.write_text("\n".join(kept) + "\n")
        writer = JournalWriter(path)
        for line in map(json.loads, kept[:20]):
            writer.write(
                Failure(position=line["position"], sample=line["sample"], kind="x", message="x", final=True, repeat=2)
            )
        writer.close()
        assert grade_again(only_run(hurt)).summary.statuses["failed"] > 0
        again = ask(tmp_path, base)
    assert again.complete and again.summary.rows == whole.summary.rows


def test_feedback_belongs_to_its_repeat(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 20)
    with server("--draws") as base:
        result = ask(tmp_path, base, max_retries=2)
    attempts = Counter((line["sample"], line.get("repeat", 1)) for line in journal(result.folder))
    graded = {(s, r): (score, n) for s, r, score, n in grades(result.folder, "sample, repeat, score, attempts")}
    assert attempts == {key: n for key, (_, n) in graded.items()}
    assert {n for score, n in graded.values() if score == 1} == {1}
    assert {n for score, n in graded.values() if score < 1} <= {1, 2, 3} and 3 in attempts.values()


def test_weights_of_a_sample_count(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 30, simulations=3)
    with server("--draws") as base:
        result = ask(tmp_path, base, sample=17, stratify=("file",))
    rows = grades(result.folder, "sample, repeat, weight, score")
    assert len({weight for *_, weight, _ in rows}) > 1 and len(rows) == 51
    expected = sum(weight * score for *_, weight, score in rows) / sum(weight for *_, weight, _ in rows)
    assert figures(result)["pass@1"] == pytest.approx(expected)
    assert figures(result)["accuracy"] == pytest.approx(expected)


def test_a_regrade_gives_the_same_figures(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 10)
    with server("--draws") as base:
        result = ask(tmp_path, base, pass_threshold=0.5)
    before = (result.folder / "report.json").read_bytes(), (result.folder / "grades.parquet").read_bytes()
    grade_again(result.folder)
    assert before == ((result.folder / "report.json").read_bytes(), (result.folder / "grades.parquet").read_bytes())


@pytest.mark.slow
def test_two_processes_share_the_repeats(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 4 * CHUNK_SIZE)
    log = tmp_path / "log"
    with server("--draws", "--latency", "0.1", "--log", log) as base:
        call = ["run", "simulation", "--data", "data", "--model", "m", "--api-base", base, "--json", "--join"]
        call += ["--repeats", "3", "--temperature", "0.7", "--concurrency", "8"]
        command = [sys.executable, "-m", "sightline", *call]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        processes = [subprocess.Popen(command, cwd=tmp_path, env=environment(), **pipes) for _ in range(2)]  # type: ignore[call-overload]
        while not list((tmp_path / "runs").glob("*/journal.*-2.jsonl")):
            time.sleep(0.02)
        other = sightline(*call[:-5], "5", *call[-4:], cwd=tmp_path)
        printed = [json.loads(process.communicate(timeout=120)[0]) for process in processes]
        sent = log.read_text().splitlines()
    assert other.returncode != 0 and "same --repeats" in other.stderr
    assert printed[0]["rows"] == printed[1]["rows"] and printed[0]["repeats"]["count"] == 3
    assert len(sent) == 3 * 4 * CHUNK_SIZE
    answers = [(line["sample"], line.get("repeat", 1)) for line in journal(only_run(tmp_path / "runs"))]
    assert len(answers) == len(set(answers)) == len(sent)


def test_the_batch_api_gets_every_repeat_with_its_seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_transport, "FIRST_POLL", 0.01)
    monkeypatch.setattr(batch_transport, "MAX_POLL", 0.02)
    monkeypatch.setattr(batch_transport, "backoff", lambda tries: 0.01)
    write_questions(tmp_path / "data", 20)
    plan = json.dumps([{"fail": 7}, {}])
    with server("--plan", plan, "--draws", program="batch_server.py") as base:
        batch = ask(tmp_path, base, batch=True, batch_requests=25)
    with server("--draws") as base:
        plain = ask(tmp_path, base, output_dir=str(tmp_path / "plain"))
    assert batch.complete and batch.summary.rows == plain.summary.rows
    assert grades(batch.folder) == grades(plain.folder)


def test_runs_with_different_numbers_of_repeats_are_compared_by_question(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 20, simulations=4)
    with server("--draws") as base:
        one = ask(tmp_path, base, model="a", repeats=1)
        three = ask(tmp_path, base, model="b", seed=9)
        faulty = ask(tmp_path, base, model="c", repeats=2, seed=4)
    faulty = fail_repeats(  # of some questions one repeat fails, of others both
        faulty.folder, lambda position, repeat: position < 10 and (repeat == 2 or position < 5)
    )
    compared = compare(one.folder, three.folder, faulty.folder).comparison
    averages = []
    for run in (one, three, faulty):
        scores: dict[str, list[float]] = defaultdict(list)
        columns = "sample, score, status" if run is one else "sample, score, status, repeat"
        for sample, score, status, *_ in duckdb.sql(
            f"SELECT {columns} FROM '{run.folder / 'grades.parquet'}'"
        ).fetchall():
            if status != "failed":
                scores[sample].append(score)
        averages.append({sample: mean(found) for sample, found in scores.items()})
    for versus, second in zip(compared.versus, averages[1:], strict=True):
        both = averages[0].keys() & second.keys()
        assert versus.pairing.pairs == len(both)
        assert versus.mean_score.second == pytest.approx(mean(second[sample] for sample in both))
        assert versus.accuracy.value == pytest.approx(mean(second[s] - averages[0][s] for s in both))
        assert versus.accuracy.method == "student t over clusters" and versus.accuracy.p is not None
        assert versus.first_only == sum(averages[0][s] == 1 and second[s] <= 0.5 for s in both)
        assert versus.both_right + versus.first_only + versus.second_only + versus.both_wrong == len(both)
    assert compared.versus[1].pairing.unanswered_second == 5
    assert any("averaged per question" in str(note) for note in compared.notes)
    board = leaderboard(tmp_path / "runs").board
    assert len(board.groups) == 1
    settings = {entry.model: entry.setting for entry in board.groups[0].entries}
    assert "asked" not in settings["a"] and "every question asked 3 times" in settings["b"]


def test_rank_intervals_of_different_repeats_are_paired(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 20, simulations=4)
    for repeats, rate in ((1, "0.1"), (3, "0.9")):
        evaluate(
            "simulation",
            data=str(tmp_path / "data"),
            model=f"baseline/perturbed:{rate}",
            repeats=repeats,
            output_dir=str(tmp_path / "runs"),
        )
    group = leaderboard(tmp_path / "runs").board.groups[0]
    assert group.paired
    assert [(entry.rank, entry.worst_rank) for entry in group.entries] == [(1, 1), (2, 2)]


def test_journals_of_earlier_versions_are_the_first_repeat(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_text('{"type":"answer","position":0,"sample":"s","text":"old"}\n')
    writer = JournalWriter(path)
    writer.write(Answer(position=0, sample="s", text="new", repeat=2))
    writer.close()
    reader = JournalReader(path)
    texts = [[answer.text for one in reader.attempts(0, "s", k) for answer in one.answers] for k in (1, 2, 3)]
    reader.close()
    assert texts == [["old"], ["new"], []]


def test_a_request_without_a_seed_stays_without() -> None:
    body = b'{"model":"m","seed":3,"messages":[{"role":"user","content":"seed"}]}'
    assert set_repeat_seed(body, 1) == body
    changed = json.loads(set_repeat_seed(body, 2))
    assert changed.pop("seed") == repeat_seed(3, 2)
    assert changed == {"model": "m", "messages": [{"role": "user", "content": "seed"}]}
    assert set_repeat_seed(b'{"model":"m"}', 2) == b'{"model":"m"}'


def test_the_forecast_counts_every_repeat(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 5)
    config, options = resolve("simulation", flags={"data": str(data), "model": "m", "repeats": 4})
    forecast = preview(type(load_suite("simulation"))(options), config)
    assert (forecast.samples, forecast.requests) == (5, 20)
