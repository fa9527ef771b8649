"""Reasoning models: thinking is kept, counted and shown, never graded; settings that they refuse are left out."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sightline import evaluate
from sightline.api.evaluation import Result
from sightline.core.config import RunConfig, resolve
from sightline.core.errors import AskError, ConfigError, RejectedError, TryAgainError
from sightline.core.interfaces import oracle_reply
from sightline.core.records import Sample
from sightline.core.registry import load_suite, names
from sightline.core.thinking import split_thinking
from sightline.models.chat_format import parse_response
from sightline.models.openai import OpenAIModel
from sightline.models.request_settings import find_adjustment, request_settings
from sightline.reports.sample_cards import _reply_html
from sightline.reports.sample_view.reader import SampleReader
from sightline.reports.sample_view.view import load_sample
from sightline.runs.folder import RunFolder
from tests.support.loopback import REASONING, THOUGHT, answer_to
from tests.support.worlds import journal, server, write_questions

COUNT = 12


def ask(tmp_path: Path, base: str, **more: Any) -> Result:
    if not (tmp_path / "data").exists():
        write_questions(tmp_path / "data", COUNT)
    given = {"data": str(tmp_path / "data"), "model": "m", "api_base": base, "output_dir": str(tmp_path / "runs")}
    return evaluate("simulation", **{**given, **more})


def bodies(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("form", sorted(set(REASONING) - {"unfinished"}))
def test_thinking_is_journaled_counted_and_never_graded(form: str, tmp_path: Path) -> None:
    with server("--reasoning", form) as base:
        result = ask(tmp_path, base, price_out=1e6)
    assert result.summary.statuses == {"answered": COUNT}
    for line in journal(result.folder):
        number = str(line["sample"]).rpartition("/q")[2]
        assert line["text"] == answer_to(f"Is statement {number} right?")
        assert line["reasoning"] == THOUGHT and line["tokens_reasoning"] == 50 and line["tokens_out"] == 52
    usage = result.summary.usage
    assert (usage.tokens_reasoning, usage.tokens_out, usage.cost) == (50 * COUNT, 52 * COUNT, 52 * COUNT)
    assert "of them reasoning" in (result.folder / "report.md").read_text()


def test_unfinished_thinking_is_a_truncated_reply_without_answer(tmp_path: Path) -> None:
    with server("--reasoning", "unfinished") as base:
        result = ask(tmp_path, base)
    assert result.summary.statuses == {"truncated": COUNT}
    assert {line["stop"] for line in journal(result.folder)} == {"truncated"}
    (note,) = [str(note) for note in result.summary.notes if "truncated" in str(note)]
    assert f"{COUNT} of {COUNT}" in note and "2048 tokens" in note and "--max-tokens 4096" in note
    assert "thinking_budget" in note
    assert note[:60] in (result.folder / "report.md").read_text()


def test_few_truncated_replies_are_no_warning(tmp_path: Path) -> None:
    with server() as base:
        result = ask(tmp_path, base)
    assert not [note for note in result.summary.notes if "truncated" in str(note)]


def test_thinking_stands_collapsed_on_pages_and_unobeyed(tmp_path: Path) -> None:
    with server("--reasoning", "reasoning_content") as base:
        result = ask(tmp_path, base)
    folder = RunFolder(result.folder)
    with closing(SampleReader(folder, folder.load_manifest())) as reader:
        view = load_sample(reader, 0)
    assert view.reasoning is not None and view.reasoning.text == THOUGHT
    assert view.attempts[0].replies[0].reasoning == view.reasoning
    html = _reply_html(view, {})
    assert "<details><summary>" in html and html.index(THOUGHT[:12]) < html.index("</details>")


@pytest.mark.parametrize("concurrency", [1, 8])
def test_refused_settings_are_left_out_once_and_for_the_whole_run(concurrency: int, tmp_path: Path) -> None:
    log = tmp_path / "bodies.jsonl"
    with server("--refuse", "max_tokens,temperature", "--bodies", log) as base:
        result = ask(tmp_path, base, concurrency=concurrency)
        assert result.summary.statuses == {"answered": COUNT} and result.stopped is None
        sent = bodies(log)
        assert len(sent) <= COUNT + 2 * concurrency, "two refusals, of those in flight"
        last = sent[-1]
        assert last["max_completion_tokens"] == 2048 and "max_tokens" not in last and "temperature" not in last
        assert last["seed"] == 0
        told = [str(remark) for remark in result.summary.deviations]
        assert any("does not accept max_tokens; max_completion_tokens is sent instead" in text for text in told)
        assert any("does not accept temperature; it is left out" in text for text in told)
        manifest = json.loads((result.folder / "manifest.json").read_text())
        assert len(manifest["deviations"]) == 2
        assert manifest["identity"]["max_tokens"] == 2048, "the run is found again by what was asked for"
        failures = [line for line in journal(result.folder) if line["type"] == "failure"]
        assert {line["kind"] for line in failures} == {"adjusted"} and not any(line.get("final") for line in failures)
        assert ask(tmp_path, base).was_finished, "the same command finds its run"
    assert "temperature; it is left out" in (result.folder / "report.md").read_text()


def test_a_setting_of_what_is_evaluated_is_never_left_out(tmp_path: Path) -> None:
    with server("--refuse", "response_format") as base:
        result = ask(tmp_path, base, model_args={"response_format": {"type": "json_object"}})
    assert result.stopped is not None and "response_format" in str(result.stopped)
    assert "-M key=null" in str(result.stopped)


OPENAI = "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported."
SETTINGS = {"model": "m", "temperature": 0, "max_tokens": 5, "seed": 0, "stop": ["\n"]}


@pytest.mark.parametrize(
    ("message", "setting", "replacement"),
    [
        (OPENAI, "temperature", ""),
        ("'max_tokens' is not supported. Use 'max_completion_tokens' instead.", "max_tokens", "max_completion_tokens"),
        ("[{'type': 'extra_forbidden', 'loc': ['body', 'seed'], 'msg': 'Extra inputs are not permitted'}]", "seed", ""),
        ("`temperature` may only be set to 1 when thinking is enabled.", "temperature", ""),
        ("不支持参数 stop", "stop", ""),
    ],
)  # fmt: skip
def test_what_servers_say_of_a_setting_that_they_refuse(message: str, setting: str, replacement: str) -> None:
    found = find_adjustment("s", SETTINGS, message, False)
    assert found is not None and (found.setting, found.replacement) == (setting, replacement)


@pytest.mark.parametrize(
    "message",
    [
        "temperature must be between 0 and 2",
        "max_tokens is too large: 5",
        "the image is not supported",
        "top_k unknown",
    ],
)
def test_other_refusals_change_nothing(message: str) -> None:
    assert find_adjustment("s", SETTINGS, message, False) is None


def test_a_server_that_refuses_both_names_of_a_setting_is_not_asked_for_ever(tmp_path: Path) -> None:
    with server("--refuse", "max_tokens,max_completion_tokens") as base:
        result = ask(tmp_path, base)
    assert result.stopped is not None and "max_completion_tokens" in str(result.stopped)
    assert len(journal(result.folder)) < 40


def test_a_thinking_budget_is_sent_in_the_forms_that_servers_take() -> None:
    settings = request_settings("m", RunConfig(model="m", model_args={"thinking_budget": 4000}))
    assert settings["thinking"] == {"type": "enabled", "budget_tokens": 4000}
    assert settings["chat_template_kwargs"] == {"enable_thinking": True, "thinking_budget": 4000}
    assert "thinking_budget" not in settings
    off = request_settings("m", RunConfig(model="m", model_args={"thinking_budget": 0, "reasoning_effort": "low"}))
    assert off["thinking"] == {"type": "disabled"} and off["chat_template_kwargs"] == {"enable_thinking": False}
    assert off["reasoning_effort"] == "low"
    only = request_settings("m", RunConfig(model="m", model_args={"thinking_budget": 9, "thinking": None}))
    assert "thinking" not in only and "chat_template_kwargs" in only
    for wrong in (-1, "much", True, 1.5):
        with pytest.raises(ConfigError, match="thinking_budget"):
            resolve("simulation", flags={"model_args": {"thinking_budget": wrong}})


def test_one_form_of_the_budget_may_be_refused_but_not_both(tmp_path: Path) -> None:
    log = tmp_path / "bodies.jsonl"
    with server("--refuse", "thinking", "--bodies", log) as base:
        result = ask(tmp_path, base, model_args={"thinking_budget": 100})
    assert result.summary.statuses == {"answered": COUNT}
    assert "thinking" not in bodies(log)[-1] and "chat_template_kwargs" in bodies(log)[-1]
    words = [str(remark) for remark in result.summary.deviations if "thinking" in str(remark)]
    assert len(words) == 1 and words[0].endswith("; the thinking budget is sent as chat_template_kwargs only")
    with server("--refuse", "thinking,chat_template_kwargs") as base:
        result = ask(tmp_path, base, model_args={"thinking_budget": 101})
    assert result.stopped is not None
    assert "chat_template_kwargs, which -M thinking_budget sets; leave -M thinking_budget out" in str(result.stopped)


def test_a_refused_form_of_the_budget_names_the_form_that_was_removed(tmp_path: Path) -> None:
    with server("--refuse", "thinking") as base:
        result = ask(tmp_path, base, model_args={"thinking_budget": 100, "chat_template_kwargs": None})
    assert result.stopped is not None and "remove -M chat_template_kwargs=null" in str(result.stopped)
    with server("--refuse", "chat_template_kwargs") as base:
        result = ask(tmp_path, base, model_args={"chat_template_kwargs": {"enable_thinking": False}})
    assert result.stopped is not None and "leave -M chat_template_kwargs out" in str(result.stopped)


def test_the_longest_reply_is_a_matter_of_the_suite_with_thinking_on_top() -> None:
    limits = {name: resolve(name, flags={})[0].max_tokens for name in names("suites")}
    assert limits["structural"] == 8192 and limits["remote-sensing"] == 4096 and limits["simulation"] == 2048
    config, _ = resolve("structural", flags={"model_args": {"thinking_budget": 10_000}})
    assert config.max_tokens == 18_192
    config, _ = resolve("structural", flags={"model_args": {"thinking_budget": 10_000}, "max_tokens": 500})
    assert config.max_tokens == 500
    assert resolve("structural", flags={"max_tokens": None})[0].max_tokens is None


@pytest.mark.slow
@pytest.mark.parametrize(("suite", "count"), [("structural", 60), ("matrix", 48), ("remote-sensing", 4)])
def test_no_truth_is_near_the_limit(suite: str, count: int, tmp_path: Path) -> None:
    """With two characters a token, less than any tokenizer needs for JSON, a truth fills half of the limit at most."""
    made = load_suite(suite)
    made.generate(tmp_path / "data", count, 0)  # type: ignore[attr-defined]
    truths = [oracle_reply(made, sample) for sample in made.dataset(tmp_path / "data") if isinstance(sample, Sample)]
    assert max(map(len, truths)) / 2 <= made.max_reply_tokens / 2


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        ({"completion_tokens": 60, "completion_tokens_details": {"reasoning_tokens": 50}}, (60, 50)),
        ({"completion_tokens": 10, "reasoning_tokens": 50, "prompt_tokens": 5, "total_tokens": 65}, (60, 50)),
        ({"completion_tokens": 10, "completion_tokens_details": None}, (10, 0)),
        ({"completion_tokens": 10, "completion_tokens_details": {"reasoning_tokens": -3}}, (10, 0)),
        ({"completion_tokens": 10, "completion_tokens_details": {"reasoning_tokens": 10**12}}, (10, 0)),
    ],
)
def test_reasoning_tokens_are_part_of_the_output(usage: dict[str, Any], counts: tuple[int, int]) -> None:
    reply = parse_response(json.dumps({"choices": [{"message": {"content": "x"}}], "usage": usage}).encode())
    assert (reply.tokens_out, reply.tokens_reasoning) == counts


@pytest.mark.parametrize("odd", [7, [], {}, [None], {"text": 5}, [[[[[[["deep"]]]]]]], [{"thinking": {"text": 1}}]])
def test_odd_thinking_loses_no_reply(odd: Any) -> None:
    message = {"content": "True", "reasoning_content": odd, "reasoning": odd}
    assert parse_response(json.dumps({"choices": [{"message": message}]}).encode()).text == "True"


def test_a_key_in_the_thinking_is_rejected() -> None:
    key = "sk-very-secret-0123456789"
    model = OpenAIModel("m", RunConfig(api_base=("http://h/v1",), api_key=(key,)))
    message = {"content": "True", "reasoning": f"the key is {key}"}
    with pytest.raises(RejectedError):
        model.parse_reply(json.dumps({"choices": [{"message": message}]}).encode())


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("True", ("True", "", False)),
        ("<think>a</think>True", ("True", "a", False)),
        ("a</think>True", ("True", "a", False)),
        ("<think>a", ("", "a", True)),
        ("x<think>a</think>y<THINKING>b</THINKING>z", ("xyz", "ab", False)),
        ("<think>a</think>True<think>", ("True", "a", True)),
    ],
)
def test_thinking_is_split_off(text: str, parts: tuple[str, str, bool]) -> None:
    assert split_thinking(text) == parts


@pytest.mark.parametrize("tags", ["◁think▷ ◁/think▷", "[THINK] [/THINK]", "<seed:think> </seed:think>"])
def test_tags_of_other_models_are_thinking_too(tags: str) -> None:
    """Kimi-VL, Magistral and Seed-OSS, where the server has no parser for their thinking."""
    before, behind = tags.split()
    assert split_thinking(f"{before}False?{behind}True") == ("True", "False?", False)
    assert split_thinking(f"False?{behind}True") == ("True", "False?", False)
    assert split_thinking(f"{before}False? Tr") == ("", "False? Tr", True)


@pytest.mark.parametrize(
    "part",
    [
        {"type": "reasoning_text", "text": "False"},
        {"type": "thought", "text": "False"},
        {"type": "text", "text": "False", "thought": True},
    ],
)
def test_parts_with_thinking_are_never_the_answer(part: dict[str, Any]) -> None:
    content = [part, {"type": "text", "text": "True"}]
    reply = parse_response(json.dumps({"choices": [{"message": {"content": content}}]}).encode())
    assert (reply.text, reply.reasoning) == ("True", "False")


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        *[(reason, "truncated") for reason in ("length", "MAX_TOKENS", "model_length", "max_output_tokens")],
        *[(reason, "refused") for reason in ("content_filter", "SAFETY", "sensitive")],
        *[(reason, "complete") for reason in ("stop", "STOP", "eos", "tool_calls", "", None, 5)],
    ],
)
def test_reasons_of_the_end(reason: Any, stop: str) -> None:
    choice = {"message": {"content": "True"}, "finish_reason": reason}
    assert parse_response(json.dumps({"choices": [choice]}).encode()).stop == stop


@pytest.mark.parametrize("reason", ["error", "abort", "cancelled", "insufficient_system_resource", "network_error"])
def test_a_reply_that_the_server_broke_off_is_requested_again(reason: str) -> None:
    choice = {"message": {"content": "Tr"}, "finish_reason": reason}
    with pytest.raises(TryAgainError, match=f"broke the reply off: {reason}"):
        parse_response(json.dumps({"choices": [choice]}).encode())


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": 429, "message": "slow"}, "rate_limited"),
        ({"code": "429", "message": "slow"}, "rate_limited"),
        ({"code": "rate_limit_exceeded", "message": "slow"}, "rate_limited"),
        ({"type": "RateLimitError", "message": "slow"}, "rate_limited"),
        ({"type": "overloaded_error", "message": "busy"}, "overloaded"),
        ({"code": "503", "message": "busy"}, "overloaded"),
        ({"code": "400", "message": "bad"}, "rejected"),
        ({"code": "x", "message": "odd"}, "server_error"),
    ],
)
def test_the_code_of_an_error_in_a_200_response(error: dict[str, Any], kind: str) -> None:
    with pytest.raises(AskError) as caught:
        parse_response(json.dumps({"error": error}).encode())
    assert caught.value.kind == kind
