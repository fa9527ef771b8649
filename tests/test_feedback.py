"""Attempts after feedback: the first is the headline, only the last exchange is sent, every one is journaled."""

from __future__ import annotations

import json
from pathlib import Path

from sightline import evaluate
from sightline.asking.feedback import after_feedback, blinded
from sightline.records import Media, Message, Prompt, Text
from tests.support.worlds import journal, server, write_questions


def test_only_the_last_exchange_is_sent() -> None:
    prompt = Prompt((Message("user", (Media(kind="image", data="data:,"), Text("q"))),))
    sent = after_feedback(prompt, "my reply", "wrong")
    assert [m.role for m in sent.messages] == ["user", "assistant", "user"]
    assert sent.messages[1].parts == (Text("my reply"),)
    assert sent.messages[2].parts == (Text("wrong"),)
    assert after_feedback(prompt, "", "wrong").messages[1].parts == (Text("(no reply)"),)


def test_a_blind_prompt_keeps_the_words_alone() -> None:
    prompt = Prompt((Message("user", (Media(kind="image", data="data:,"), Text("q"))),))
    assert blinded(prompt).messages[0].parts == (Text("q"),)


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
