"""Asking by the Batch API: what comes back is journaled as ordinary answers, whatever the server does on the way."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from sightline import evaluate
from sightline.api.evaluation import Result
from sightline.core.config import RunConfig
from sightline.core.errors import ConfigError, RejectedError, StorageError, TryAgainError, UsageError
from sightline.core.interfaces import Suite
from sightline.core.records import Answer, Attempt, Grade, Message, Prompt, Sample, Text
from sightline.core.registry import load_suite
from sightline.inference import batch_transport
from sightline.inference.batch_files import BatchFiles
from sightline.inference.batch_results import read_lines
from sightline.inference.prompts import pending_prompts
from sightline.models.batch_client import validate_id
from tests.support.loopback import answer_to
from tests.support.worlds import environment, journal, server, write_questions


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_transport, "FIRST_POLL", 0.01)
    monkeypatch.setattr(batch_transport, "MAX_POLL", 0.02)
    monkeypatch.setattr(batch_transport, "backoff", lambda tries: 0.01)


def ask(tmp_path: Path, count: int, plan: list[dict[str, Any]], **more: Any) -> tuple[Result, list[list[str]]]:
    data = tmp_path / "data"
    if not data.exists():
        write_questions(data, count)
    reply = ("--reply", more.pop("reply")) if "reply" in more else ()
    log = tmp_path / "log"
    with server("--plan", json.dumps(plan), "--log", log, *reply, program="batch_server.py") as base:
        result = run(tmp_path, base, **more)
    return result, [json.loads(line) for line in log.read_text().splitlines()]


def run(tmp_path: Path, base: str, **more: Any) -> Result:
    given = {"data": str(tmp_path / "data"), "model": "m", "api_base": base, "output_dir": str(tmp_path / "runs")}
    return evaluate("simulation", **{**given, "batch": True, **more})


def test_a_run_in_several_batches_equals_a_run_request_by_request(tmp_path: Path) -> None:
    result, sent = ask(tmp_path, 100, [{"looks": 2}], batch_requests=30, price_in=1000.0, batch_price=0.5)
    assert result.complete and result.summary.statuses == {"answered": 100}
    assert sorted(Counter(batch for _, batch in sent).values()) == [10, 30, 30, 30]
    with server() as base:
        plain = evaluate(
            "simulation", data=str(tmp_path / "data"), model="m", api_base=base, output_dir=str(tmp_path / "plain")
        )
    assert plain.summary.rows == result.summary.rows
    for line in journal(result.folder):
        number = str(line["sample"]).rpartition("/q")[2]
        assert line["text"] == answer_to(f"Is statement {number} right?"), "each reply reached its own sample"
    assert result.summary.usage.cost == pytest.approx(100 * 100 * 1000 / 1e6 * 0.5)
    assert (result.summary.usage.tokens_in, result.summary.usage.tokens_out) == (10_000, 200)
    assert [path.name for path in (result.folder / "batches").iterdir()] == ["state.json"], "files have gone"


def test_a_batch_file_stays_below_its_size_limit(tmp_path: Path) -> None:
    result, sent = ask(tmp_path, 40, [{}], batch_megabytes=0.004)
    assert result.complete
    assert len({batch for _, batch in sent}) > 3


def test_a_request_too_large_for_any_batch_fails_alone(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 3)
    path = data / "benchmark" / "questions.json"
    whole = json.loads(path.read_text())
    whole["structural"]["questions"][1]["question"] = "x" * 5000
    path.write_text(json.dumps(whole))
    result, sent = ask(tmp_path, 3, [{}], batch_megabytes=0.004)
    assert result.summary.statuses == {"answered": 2, "failed": 1}
    assert len(sent) == 2
    assert [line["kind"] for line in journal(result.folder) if line["type"] == "failure"] == ["too_large"]


def test_failures_go_into_the_next_batch_and_refusals_do_not(tmp_path: Path) -> None:
    plan = [{"fail": 5, "refuse": 7}, {}]
    result, sent = ask(tmp_path, 70, plan)
    assert result.summary.statuses == {"answered": 62, "failed": 8}, (
        "every 35th is a fault of the server, not a refusal"
    )
    asked = Counter(question for question, _ in sent)
    assert Counter(asked.values()) == {1: 56, 2: 14}
    kinds = Counter((line["kind"], bool(line.get("final"))) for line in journal(result.folder) if "kind" in line)
    assert kinds == {("server_error", False): 14, ("rejected", True): 8}


def test_tries_come_to_an_end(tmp_path: Path) -> None:
    result, sent = ask(tmp_path, 12, [{"fail": 1}], max_tries=3)
    assert result.summary.statuses == {"failed": 12}
    assert len(sent) == 36
    assert {line["tries"] for line in journal(result.folder) if line.get("final")} == {3}


def test_the_results_of_an_expired_batch_are_kept(tmp_path: Path) -> None:
    result, sent = ask(tmp_path, 20, [{"end": "expired"}, {}])
    assert result.complete
    assert Counter(batch for _, batch in sent) == {"batch_1": 20, "batch_2": 10}


def test_a_cancelled_batch_stops_the_run_and_a_restart_requests_the_rest(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 20)
    log = tmp_path / "log"
    with server("--plan", '[{"end": "cancelled"}, {}]', "--log", log, program="batch_server.py") as base:
        first = run(tmp_path, base)
        assert "cancelled" in str(first.stopped) and first.summary.pending == 10
        assert run(tmp_path, base).complete
    assert len(log.read_text().splitlines()) == 30


def test_malformed_results_of_a_hostile_server_are_reported(tmp_path: Path) -> None:
    plan = [{"spoil": True, "leave_out": 4, "long": 20, "break": 2}, {}]
    told: list[str] = []

    from sightline.runs.run import Progress

    class Listening(Progress):
        def inference_finished(self, progress: Any) -> None:
            told.extend(map(str, progress.notices))

    result, sent = ask(tmp_path, 40, plan, progress=Listening())
    assert result.complete
    assert Counter(Counter(question for question, _ in sent).values()) == {1: 30, 2: 10}, "only what was left out"
    heard = "\n".join(told)
    assert "batch_1 finished: 30 answers, 10 failures" in heard
    for word in (
        "1 result lines refer",
        "1 result lines are dup",
        "3 result lines cannot be parsed",
        "1 result lines are too long",
    ):
        assert word in heard, heard
    answers = [line["sample"] for line in journal(result.folder) if line["type"] == "answer"]
    assert len(answers) == len(set(answers)) == 40


def test_a_refused_batch_is_reported_and_its_requests_are_not_lost(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 10)
    log = tmp_path / "log"
    with server("--plan", '[{"end": "failed"}, {}]', "--log", log, program="batch_server.py") as base:
        first = run(tmp_path, base)
        assert "no such model" in str(first.stopped)
        assert run(tmp_path, base).complete
    assert len(log.read_text().splitlines()) == 10


def test_a_batch_file_over_the_limit_of_the_server_is_submitted_later(tmp_path: Path) -> None:
    plan = [{"looks": 3}, {"end": "failed", "code": "token_limit_exceeded"}, {}]
    result, sent = ask(tmp_path, 20, plan, batch_requests=10)
    assert result.complete
    assert [batch for _, batch in sent] == ["batch_1"] * 10 + ["batch_3"] * 10


def test_a_batch_is_not_created_twice_if_the_response_was_lost(tmp_path: Path) -> None:
    result, sent = ask(tmp_path, 10, [{"lose_create": True}])
    assert result.complete
    assert len(sent) == 10


def test_feedback_takes_one_batch_per_round(tmp_path: Path) -> None:
    result, sent = ask(tmp_path, 40, [{}], reply="True", max_retries=2)
    assert Counter(batch for _, batch in sent) == {"batch_1": 40, "batch_2": 20, "batch_3": 20}
    with server("--reply", "True") as base:
        plain = evaluate(
            "simulation",
            data=str(tmp_path / "data"),
            model="m",
            api_base=base,
            max_retries=2,
            output_dir=str(tmp_path / "plain"),
        )
    assert plain.summary.rows == result.summary.rows


def test_the_request_limit_counts_submitted_batches(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 30)
    log = tmp_path / "log"
    with server("--log", log, program="batch_server.py") as base:
        first = run(tmp_path, base, max_requests=12)
        assert "--max-requests 12" in str(first.stopped) and first.summary.statuses == {"answered": 12}
        assert "--max-requests 12" in str(run(tmp_path, base, max_requests=12).stopped), "it is spent for good"
        assert run(tmp_path, base).complete
    assert len(log.read_text().splitlines()) == 30


@pytest.mark.skipif(sys.platform == "win32", reason="signals are a thing of POSIX")
@pytest.mark.parametrize("blow", [signal.SIGINT, pytest.param(signal.SIGKILL, marks=pytest.mark.slow)])
def test_a_restart_collects_the_results_of_submitted_batches(tmp_path: Path, blow: int) -> None:
    data = write_questions(tmp_path / "data", 30)
    log = tmp_path / "log"
    call = ["run", "simulation", "--data", str(data), "--model", "m", "--batch", "--batch-requests", "20", "--json"]
    away = tmp_path / "away"
    away.touch()
    with server("--plan", json.dumps([{"while": str(away)}]), "--log", log, program="batch_server.py") as base:
        process = subprocess.Popen(
            [sys.executable, "-m", "sightline", *call, "--api-base", base],
            cwd=tmp_path,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),  # as a shell script starts it by &
        )
        while not any('"batch_2"' in path.read_text() for path in tmp_path.glob("runs/*/batches/state.json")):
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(blow)
        _, err = process.communicate(timeout=30)
        if blow == signal.SIGINT:
            assert process.returncode in (2, 3), err
            assert "2 batches continue on the server" in err and "same command" in err and "Traceback" not in err
        with pytest.raises(UsageError, match="has batches pending at the server"):
            run(tmp_path, base, batch=False)
        away.unlink()
        result = run(tmp_path, base, batch_requests=20)
    assert result.complete and result.summary.statuses == {"answered": 30}
    assert Counter(batch for _, batch in map(json.loads, log.read_text().splitlines())) == {
        "batch_1": 20,
        "batch_2": 10,
    }


def test_a_restart_after_the_upload_uploads_and_requests_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_questions(tmp_path / "data", 10)
    log = tmp_path / "log"

    async def die(*_: object) -> None:
        raise KeyboardInterrupt

    with server("--log", log, program="batch_server.py") as base:
        with monkeypatch.context() as patch:
            patch.setattr(batch_transport.BatchClient, "create", die)
            stopped = run(tmp_path, base).stopped
        assert "1 batches continue" in str(stopped)
        state = json.loads(next(tmp_path.glob("runs/*/batches/state.json")).read_text())
        assert (state[0]["state"], state[0]["file"]) == ("uploaded", "file-1")
        assert run(tmp_path, base).complete
    state = json.loads(next(tmp_path.glob("runs/*/batches/state.json")).read_text())
    assert state[0]["file"] == "file-1"
    assert len(log.read_text().splitlines()) == 10


def test_a_restart_during_ingestion_journals_nothing_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_questions(tmp_path / "data", 10)
    with server(program="batch_server.py") as base:
        with monkeypatch.context() as patch:
            patch.setattr(
                "sightline.inference.batch_files.BatchFiles.finish",
                lambda *_: (_ for _ in ()).throw(RuntimeError),
            )
            with pytest.raises(RuntimeError):
                run(tmp_path, base)
        assert len(journal(next((tmp_path / "runs").iterdir()))) == 10
        result = run(tmp_path, base)
    assert result.complete
    assert len(journal(result.folder)) == 10


def test_a_full_disk_stops_the_run_with_one_sentence_and_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_questions(tmp_path / "data", 20)
    log = tmp_path / "log"
    real = BatchFiles.save

    def save(self: BatchFiles) -> None:
        if len(self.all) > 1:
            raise OSError(28, "No space left on device")
        real(self)

    with server("--log", log, program="batch_server.py") as base:
        with monkeypatch.context() as patch:
            patch.setattr(BatchFiles, "save", save)
            stopped = run(tmp_path, base, batch_requests=10).stopped
        assert "No space left" in str(stopped) and isinstance(stopped, StorageError)
        assert run(tmp_path, base, batch_requests=10).complete
    assert len(log.read_text().splitlines()) == 20


def test_incompatible_settings_are_rejected(tmp_path: Path) -> None:
    data = str(write_questions(tmp_path / "data", 3))
    with pytest.raises(ConfigError, match="single server"):
        evaluate("simulation", data=data, model="m", api_base="a/v1,b/v1", batch=True)
    with pytest.raises(ConfigError, match="--max-requests"):
        evaluate("simulation", data=data, model="m", api_base="a/v1", batch=True, max_cost=1, price_in=1)
    with pytest.raises(ConfigError, match="--join"):
        evaluate("simulation", data=data, model="m", api_base="a/v1", batch=True, join=True)
    with pytest.raises(UsageError, match="does not support the Batch API"):
        evaluate("simulation", data=data, model="baseline/oracle", batch=True, output_dir=str(tmp_path / "runs"))


def test_lines_of_any_length_and_ending(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"a\n\n" + b"x" * 3_000_000 + b"\nb\n" + b"y" * 50 + b"\nc")
    assert list(read_lines(path, longest=10)) == [b"a", None, b"b", None, b"c"]
    path.write_bytes(b"z" * 3_000_000)
    assert list(read_lines(path, longest=10)) == [None]


def test_the_next_prompt_is_determined_by_the_answers_alone() -> None:
    class TwoTurns(type(load_suite("simulation"))):  # type: ignore[misc]  # whatever class that is
        def next_prompt(self, sample: Sample, answers: Sequence[Answer]) -> Prompt | None:
            said = "".join(answer.text for answer in answers)
            return Prompt((Message("user", (Text(f"{sample.question} {said}"),)),)) if len(answers) < 2 else None

        def feedback(self, sample: Sample, grade: Grade) -> str:
            return "wrong"

    def grade(suite: Suite, sample: Sample, attempt: Attempt) -> Grade:
        right = attempt.answers[-1].text == "right"
        return Grade(sample=sample.id, task=sample.task, status="answered", score=float(right))

    sample = Sample(id="a", task="t", question="q", target=True)
    suite, config = TwoTurns(load_suite("simulation").options), RunConfig(max_retries=1)
    attempts: list[Attempt] = [Attempt()]
    seen = []
    for text in ("one", "two", "three", "right"):
        question = next(pending_prompts(suite, sample, attempts, config, grade))
        words = [part.text for message in question.prompt.messages for part in message.parts if isinstance(part, Text)]
        seen.append((question.attempt, question.turn, words))
        if len(attempts) < question.attempt:
            attempts.append(Attempt())
        answer = Answer(position=0, sample="a", attempt=question.attempt, turn=question.turn, text=text)
        attempts[question.attempt - 1].answers.append(answer)
    assert seen == [
        (1, 1, ["q "]),
        (1, 2, ["q one"]),
        (2, 1, ["q ", "one", "wrong"]),
        (2, 2, ["q three", "two", "wrong"]),
    ]
    assert next(pending_prompts(suite, sample, attempts, config, grade), None) is None


@pytest.mark.parametrize("name", ["", "../files", "a/b", "a?b", "..", "x" * 300, "ü"])
def test_an_invalid_id_is_never_used_in_a_url(name: str) -> None:
    with pytest.raises(TryAgainError):
        validate_id(name)
    assert not issubclass(RejectedError, TryAgainError)
