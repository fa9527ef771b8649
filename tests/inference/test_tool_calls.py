"""Native tool calls: offered where a task has tools, journaled, graded over several turns; text where refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sightline import evaluate, generate
from sightline.api.evaluation import Result
from sightline.core.config import RunConfig
from sightline.core.errors import RejectedError
from sightline.core.records import Answer, Attempt, Prompt, Sample, ToolCall
from sightline.core.registry import load_suite
from sightline.inference.permanent_errors import permanent_error
from sightline.models.chat_format import parse_response
from sightline.runs.manifest import compute_run_key
from sightline.scoring.sample_scorer import grade_attempt
from tests.support.worlds import journal, server


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(generate("matrix", tmp_path_factory.mktemp("tools") / "data", count=4, seed=3, kind=("tool_calling",)))


def samples(data: Path) -> list[Sample]:
    return [sample for sample in load_suite("matrix").dataset(data) if isinstance(sample, Sample)]


def longest(data: Path) -> Sample:
    return max(samples(data), key=lambda sample: len(sample.target["truth"]))


def ask(data: Path, out: Path, base: str, sample: Sample, **more: Any) -> Result:
    given = {"data": str(data), "model": "m", "api_base": base, "output_dir": str(out), "filter": (sample.id,)}
    return evaluate("matrix", **{**given, **more})


def calls_of(sample: Sample) -> str:
    return json.dumps([[call["name"], call["arguments"]] for call in sample.target["truth"]])


def bodies(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("tools", ["auto", "native"])
@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("stream", [False, True])
def test_native_calls_are_journaled_and_graded_over_turns(
    tools: str, at_once: bool, stream: bool, data: Path, tmp_path: Path
) -> None:
    if stream:
        pytest.importorskip("sightline.models.streaming")
    sample = longest(data)
    log = tmp_path / "bodies.jsonl"
    switches = [] if at_once else ["--one-call"]
    with server("--calls", calls_of(sample), "--reply", "Done.", "--bodies", log, *switches) as base:
        result = ask(data, tmp_path, base, sample, tools=tools, **({"model_args": {"stream": True}} if stream else {}))
    assert result.summary.statuses == {"answered": 1}
    assert result.summary.score is not None and result.summary.score.value == 1.0
    lines = journal(result.folder)
    made = [call for line in lines for call in line.get("tool_calls", ())]  # type: ignore[attr-defined]
    assert [call["name"] for call in made] == [call["name"] for call in sample.target["truth"]]
    assert lines[-1]["text"] == "Done." and len(lines) == (2 if at_once else len(made) + 1)
    sent = bodies(log)
    assert [tool["function"]["name"] for tool in sent[0]["tools"]] == [
        tool["name"] for tool in sample.target["metadata"]["tools"]
    ]
    first = sent[0]["messages"][0]["content"]
    words = next(part["text"] for part in first if isinstance(part, dict)) if isinstance(first, list) else first
    assert ("JSON" in words) is (tools == "auto")
    assert sample.question.startswith(words) or tools == "auto"
    last = sent[-1]["messages"]
    assert [message["role"] for message in last[:3]] == ["user", "assistant", "tool"]
    ids = [call["id"] for message in last for call in message.get("tool_calls", ())]
    assert ids == [message["tool_call_id"] for message in last if message["role"] == "tool"]


def test_the_same_command_resumes_a_conversation_with_tools(data: Path, tmp_path: Path) -> None:
    sample = longest(data)
    with server("--calls", calls_of(sample), "--reply", "Done.") as base:
        first = ask(data, tmp_path, base, sample, max_requests=1)
        assert first.stopped is not None and first.summary.pending == 1
        second = ask(data, tmp_path, base, sample)
    assert second.folder == first.folder and second.summary.score is not None and second.summary.score.value == 1.0
    assert [line["turn"] for line in journal(second.folder) if "turn" in line] == [2]


def test_text_mode_offers_no_tools(data: Path, tmp_path: Path) -> None:
    sample = samples(data)[0]
    log = tmp_path / "bodies.jsonl"
    with server("--calls", calls_of(sample), "--reply", json.dumps(sample.target["truth"]), "--bodies", log) as base:
        result = ask(data, tmp_path, base, sample, tools="text")
    assert "tools" not in bodies(log)[0] and "JSON" in json.dumps(bodies(log)[0])
    assert result.summary.score is not None and result.summary.score.value == 1.0


def test_a_server_without_tool_calls_gets_the_text_with_a_notice(data: Path, tmp_path: Path) -> None:
    sample = samples(data)[0]
    log = tmp_path / "bodies.jsonl"
    reply = json.dumps(sample.target["truth"])
    with server("--refuse", "tools", "--reply", reply, "--bodies", log) as base:
        result = ask(data, tmp_path, base, sample)
    assert result.summary.score is not None and result.summary.score.value == 1.0
    assert ["tools" in body for body in bodies(log)] == [True, False]
    assert any("native tool calls; tools are described in the text" in str(d) for d in result.summary.deviations)


def test_native_mode_names_the_refusal_and_what_to_do(data: Path, tmp_path: Path) -> None:
    sample = samples(data)[0]
    with server("--refuse", "tools") as base:
        result = ask(data, tmp_path, base, sample, tools="native")
    assert result.summary.statuses == {"failed": 1}
    message = str(result.summary.failures[0].message)
    assert "--tools text" in message and "--enable-auto-tool-choice" in message


def test_a_refusal_of_native_calls_by_every_sample_hints_at_the_flag() -> None:
    why = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
    stopped = permanent_error(RejectedError("HTTP {status}: {why}", "rejected", status=400, why=why), "s")
    assert "\nUse --tools text" in str(stopped) and "-M key=null" not in str(stopped)


@pytest.mark.parametrize(
    ("message", "calls"),
    [
        ({"content": None, "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": ""}}]}, [("f", "", "a")]),
        ({"tool_calls": [{"function": {"name": "f", "arguments": {"x": 1}}}]}, [("f", '{"x": 1}', "call_0")]),
        ({"function_call": {"name": "f", "arguments": "{"}}, [("f", "{", "call_0")]),
        ({"tool_calls": [None, 5, {"function": 1}, {"function": {"name": 2}}, {}]}, []),
        ({"tool_calls": "f()"}, []),
    ],
)  # fmt: skip
def test_calls_in_a_reply(message: dict[str, Any], calls: list[tuple[str, str, str]]) -> None:
    reply = parse_response(json.dumps({"choices": [{"message": message, "finish_reason": "tool_calls"}]}).encode())
    assert [(call.name, call.arguments, call.id) for call in reply.tool_calls] == calls
    assert reply.stop == "complete"


def test_odd_or_truncated_calls_are_graded_and_never_raise(data: Path) -> None:
    suite, sample = load_suite("matrix"), samples(data)[0]
    target = sample.target["truth"]
    right = tuple(ToolCall(name=call["name"], arguments=json.dumps(call["arguments"])) for call in target)

    def grade(*answers: Answer) -> tuple[str, float]:
        graded = grade_attempt(suite, sample, Attempt(list(answers)))
        return graded.status, graded.score

    def answer(calls: tuple[ToolCall, ...], **more: Any) -> Answer:
        return Answer(position=0, sample=sample.id, tool_calls=calls, **more)

    assert grade(answer(right)) == ("answered", 1.0)
    assert grade(answer(right, text="I call:")) == ("answered", 1.0)
    assert grade(answer(right, stop="truncated")) == ("truncated", 0.0)
    assert grade(answer((ToolCall(name="f", arguments="{" * 5000),)))[1] == 0.0
    assert grade(answer((ToolCall(name="zzz", arguments="[1]"),)))[1] < 0.5


def test_other_suites_and_old_runs_are_as_before() -> None:
    assert Prompt(()).tools == ()
    suite = load_suite("simulation")
    key = compute_run_key(suite, RunConfig(), {}, "data")
    assert key == compute_run_key(suite, RunConfig(tools="auto"), {}, "data")
    assert key != compute_run_key(suite, RunConfig(tools="text"), {}, "data")
