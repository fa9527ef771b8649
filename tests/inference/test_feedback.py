"""Attempts after feedback: the first is the headline, only the last exchange is sent, every one is journaled."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from sightline import evaluate
from sightline.cli.output import exit_code
from sightline.core.config import RunConfig
from sightline.core.records import Media, Message, Prompt, Text
from sightline.inference.prompts import add_feedback, remove_media
from tests.support.worlds import journal, server, write_questions


def test_only_the_last_exchange_is_sent() -> None:
    prompt = Prompt((Message("user", (Media(kind="image", data="data:,"), Text("q"))),))
    sent = add_feedback(prompt, "my reply", "wrong")
    assert [m.role for m in sent.messages] == ["user", "assistant", "user"]
    assert sent.messages[1].parts == (Text("my reply"),)
    assert sent.messages[2].parts == (Text("wrong"),)
    assert add_feedback(prompt, "", "wrong").messages[1].parts == (Text("(no reply)"),)


def test_a_blind_prompt_keeps_the_words_alone() -> None:
    prompt = Prompt((Message("user", (Media(kind="image", data="data:,"), Text("q"))),))
    assert remove_media(prompt).messages[0].parts == (Text("q"),)


def test_attempts_are_journaled_and_both_scores_reported(tmp_path: Path) -> None:
    """A model that always says True: attempts on the False half are used up in vain."""
    data = write_questions(tmp_path / "data", 40)
    with server("--reply", "True", "--log", tmp_path / "log") as base:
        result = evaluate(
            "simulation", data=str(data), model="m", api_base=base, max_retries=2, output_dir=str(tmp_path / "runs")
        )
    lines = journal(result.folder)
    attempts = {str(line["sample"]): 0 for line in lines}
    for line in lines:
        attempts[str(line["sample"])] = max(attempts[str(line["sample"])], int(str(line.get("attempt", 1))))
    assert sorted(attempts.values()) == [1] * 20 + [3] * 20
    figures = {row.metric: row.estimate.value for row in result.summary.rows if row.scope == "overall"}
    assert figures["accuracy"] == figures["after_feedback"] == figures["best_attempt"] == 0.5


def test_feedback_that_helps_raises_the_last_score_and_not_the_headline(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 60)
    result = evaluate(
        "simulation",
        data=str(data),
        model="baseline/perturbed:0.5",
        max_retries=3,
        seed=3,
        output_dir=str(tmp_path / "runs"),
    )
    figures = {row.metric: row.estimate.value or 0.0 for row in result.summary.rows if row.scope == "overall"}
    assert 0.3 < figures["accuracy"] < 0.7
    assert figures["after_feedback"] > 0.8
    assert figures["best_attempt"] >= figures["after_feedback"]
    assert any("feedback" in str(line) for line in result.summary.deviations)


def test_a_second_start_with_attempts_left_goes_on(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 40)
    settings = {"data": str(data), "model": "m", "max_retries": 1, "output_dir": str(tmp_path / "runs")}
    with server("--reply", "True", "--log", tmp_path / "log") as base:
        partial = evaluate("simulation", **settings, api_base=base, max_requests=25, concurrency=1)
        assert not partial.complete
        result = evaluate("simulation", **settings, api_base=base)
    assert result.folder == partial.folder
    assert result.complete
    sent = [json.loads(line)[0] for line in (tmp_path / "log").read_text().splitlines()]
    assert len(sent) == 40 + 20, "each sample once, and each wrong one once more"


class _RefusesFeedback(BaseHTTPRequestHandler):
    """Answers first attempts, and refuses requests that go on from a reply while `refuses` is true."""

    refuses = True

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        is_later = any(message["role"] == "assistant" for message in asked["messages"])
        refused = is_later and type(self).refuses
        message = {"role": "assistant", "content": "True"}
        answer = {"error": {"message": "too long"}} if refused else {"choices": [{"message": message}]}
        body = json.dumps(answer).encode()
        self.send_response(400 if refused else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


def test_failures_after_feedback_are_reported_and_retried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = write_questions(tmp_path / "data", 10)
    monkeypatch.setattr(_RefusesFeedback, "refuses", True)
    with ThreadingHTTPServer(("127.0.0.1", 0), _RefusesFeedback) as listening:
        Thread(target=listening.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{listening.server_port}/v1"
        settings = {"data": str(data), "model": "m", "max_retries": 2, "output_dir": str(tmp_path / "runs")}
        first = evaluate("simulation", **settings, api_base=base)
        assert not first.complete and first.summary.failed_after_feedback == 5
        assert exit_code(first, RunConfig(model="m")) == 3
        assert any("5 samples failed after feedback" in str(note) for note in first.summary.notes)
        monkeypatch.setattr(_RefusesFeedback, "refuses", False)
        again = evaluate("simulation", **settings, api_base=base)
        listening.shutdown()
    assert again.folder == first.folder and not again.was_finished
    assert again.complete and not again.summary.failed_after_feedback
