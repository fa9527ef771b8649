"""Streamed replies over real HTTP: put together, timed, and never graded where the stream broke off."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline import evaluate
from sightline.api.evaluation import Result
from sightline.core.config import resolve
from sightline.core.errors import AskError, ConfigError, RejectedError, TryAgainError
from sightline.models.chat_format import parse_response
from sightline.models.streaming import read_stream
from tests.support.loopback import THOUGHT, answer_to
from tests.support.worlds import journal, server, write_questions

COUNT = 10


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("sightline.inference.circuit_breaker.FIRST_WAIT", 0.02)
    yield


def ask(tmp_path: Path, base: str, **more: Any) -> Result:
    if not (tmp_path / "data").exists():
        write_questions(tmp_path / "data", COUNT)
    given = {"data": str(tmp_path / "data"), "model": "m", "api_base": base, "output_dir": str(tmp_path / "runs")}
    return evaluate("simulation", **{**given, "model_args": {"stream": True}, **more})


def check_answers(result: Result) -> list[dict[str, Any]]:
    answers: list[dict[str, Any]] = [line for line in journal(result.folder) if line["type"] == "answer"]
    assert len(answers) == COUNT
    for line in answers:
        number = line["sample"].rpartition("/q")[2]
        assert line["text"] == answer_to(f"Is statement {number} right?")
    return answers


def test_streams_are_put_together_and_timed(tmp_path: Path) -> None:
    log = tmp_path / "bodies.jsonl"
    with server("--event-delay", "0.005", "--bodies", log, "--reasoning", "reasoning_content") as base:
        result = ask(tmp_path, base, concurrency=2)
    assert result.summary.statuses == {"answered": COUNT}
    for line in check_answers(result):
        assert line["reasoning"] == THOUGHT and line["tokens_reasoning"] == 50
        assert 0 < line["first_token"] < line["seconds"]
    sent = [json.loads(line) for line in log.read_text().splitlines()]
    assert all(body["stream"] and body["stream_options"] == {"include_usage": True} for body in sent)
    usage = result.summary.usage
    assert usage.tokens_out == 52 * COUNT and usage.seconds_to_first_token and usage.tokens_per_second
    assert usage.total_tokens_per_second
    manifest = json.loads((result.folder / "manifest.json").read_text())
    assert manifest["usage"]["seconds_to_first_token"] == usage.seconds_to_first_token
    report = (result.folder / "report.md").read_text()
    assert "tokens/s per request" in report and "first token after" in report


@pytest.mark.parametrize("how", ["reset", "end", "error"])
def test_a_broken_stream_is_requested_again(how: str, tmp_path: Path) -> None:
    with server("--broken-streams", how, "--broken-count", "6") as base:
        result = ask(tmp_path, base)
    assert result.summary.statuses == {"answered": COUNT}
    check_answers(result)
    failures = [line for line in journal(result.folder) if line["type"] == "failure"]
    assert failures and {line["kind"] for line in failures} == {"server_error" if how == "error" else "reset"}


@pytest.mark.parametrize("how", ["reset", "end"])
def test_streams_that_always_break_fail_and_are_never_graded(how: str, tmp_path: Path) -> None:
    with server("--broken-streams", how) as base:
        result = ask(tmp_path, base, max_tries=2, max_outage=0.5)
    assert not [line for line in journal(result.folder) if line["type"] == "answer"]
    assert set(result.summary.statuses) <= {"failed"}


def test_options_of_the_stream_are_left_out_where_refused(tmp_path: Path) -> None:
    with server("--refuse", "stream_options") as base:
        result = ask(tmp_path, base)
    assert result.summary.statuses == {"answered": COUNT}
    assert any("stream_options" in str(remark) for remark in result.summary.deviations)


def test_tokens_that_no_usage_counts_are_unknown(tmp_path: Path) -> None:
    with server() as base:
        given: dict[str, Any] = {"price_in": 1.0, "max_cost": 1.0}
        result = ask(tmp_path, base, model_args={"stream": True, "stream_options": None}, **given)
    for line in check_answers(result):
        assert line["tokens_in"] is None and line["tokens_out"] is None
    usage = result.summary.usage
    assert (usage.tokens_in, usage.tokens_out, usage.tokens_per_second) == (0, 0, None)
    notes = [str(note) for note in result.summary.notes]
    assert f"The server did not count the tokens of {COUNT} of {COUNT} requests; totals leave them out." in notes


def test_the_time_in_the_queue_is_recorded(tmp_path: Path) -> None:
    with server() as base:
        result = ask(tmp_path, base, model_args={}, requests_per_minute=3000, concurrency=8)
    waits = [float(str(line.get("queued", 0))) for line in journal(result.folder)]
    assert max(waits) >= 0.02 and result.summary.usage.seconds_queued == pytest.approx(sum(waits))
    assert not any("first_token" in line for line in journal(result.folder))
    assert result.summary.usage.seconds_to_first_token is None


@pytest.mark.parametrize("value", ["maybe", "True", 1, "false"])
def test_whether_to_stream_is_true_or_false(value: object) -> None:
    with pytest.raises(ConfigError, match=r"-M stream takes true or false, not"):
        resolve("simulation", flags={"model_args": {"stream": value}})
    for right in (True, False, None):
        resolve("simulation", flags={"model_args": {"stream": right}})


def test_batches_do_not_stream() -> None:
    with pytest.raises(ConfigError, match="stream"):
        resolve("simulation", flags={"batch": True, "model_args": {"stream": True}})


def read(*blocks: bytes, most: int = 10**6) -> bytes:
    async def given_blocks() -> AsyncIterator[bytes]:
        for block in blocks:
            yield block

    return asyncio.run(read_stream(given_blocks(), most, 0.0))[0]


def event(**delta: Any) -> bytes:
    finish = delta.pop("finish", None)
    return b"data: " + json.dumps({"choices": [{"delta": delta, "finish_reason": finish}]}).encode() + b"\n\n"


def test_events_may_be_cut_anywhere() -> None:
    whole = (
        event(content="Tr") + b": ping\r\n\r\n" + event(content="ue ü") + event(finish="length") + b"data: [DONE]\n\n"
    )
    for at in range(len(whole)):
        reply = parse_response(read(whole[:at], whole[at:]))
        assert (reply.text, reply.stop) == ("True ü", "truncated")
    assert parse_response(read(*(bytes([byte]) for byte in whole))).text == "True ü"


def test_the_halves_of_a_character_are_joined() -> None:
    """Servers that stream token by token may split the two JSON escapes of a character over two events."""
    first, second = b"a\\ud83d", b"\\ude00b"
    start, end = b'data: {"choices": [{"delta": {"content": "', b'"}}]}\n\n'
    body = read(start + first + end, start + second + end, event(finish="stop"))
    assert parse_response(body).text == "a\N{GRINNING FACE}b"
    lone = read(start + first + end, event(finish="length"))
    assert parse_response(lone).text == "a\N{REPLACEMENT CHARACTER}"
    call = (
        b'data: {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"name": "f", "arguments": "%s"}}]}}]}'
    )
    body = read(call % first + b"\n\n", call.replace(b'"name": "f", ', b"") % second + b"\n\n", b"data: [DONE]\n\n")
    assert parse_response(body).tool_calls[0].arguments == "a\N{GRINNING FACE}b"


def test_calls_are_put_together_by_their_index() -> None:
    first = {"index": 0, "id": "a", "function": {"name": "f", "arguments": ""}}
    second = {"index": 1, "id": "b", "function": {"name": "g", "arguments": "{}"}}
    more = {"index": 0, "function": {"arguments": '{"x": 1}'}}
    body = read(event(tool_calls=[first]), event(tool_calls=[second, more]), event(finish="tool_calls"))
    calls = parse_response(body).tool_calls
    assert [(call.name, call.arguments, call.id) for call in calls] == [("f", '{"x": 1}', "a"), ("g", "{}", "b")]


def test_calls_under_one_index_are_told_apart_by_their_ids() -> None:
    """Gemini streams each of several calls whole, all with the index 0; others leave the index out."""
    whole = [{"index": 0, "id": name, "function": {"name": name, "arguments": f'{{"x": "{name}"}}'}} for name in "fgh"]
    without_index = [{"id": call["id"], "function": call["function"]} for call in whole]
    pieces = [
        piece
        for call in without_index
        for piece in (
            {**call, "function": {"name": call["id"], "arguments": ""}},
            {"function": {"arguments": f'{{"x": "{call["id"]}"}}'}},
        )
    ]
    for streamed in (whole, without_index, pieces):
        body = read(*(event(tool_calls=[call]) for call in streamed), event(finish="tool_calls"))
        calls = parse_response(body).tool_calls
        assert [(call.name, call.arguments, call.id) for call in calls] == [
            (name, f'{{"x": "{name}"}}', name) for name in "fgh"
        ]
    # early versions of vLLM give every piece of a call another id, but only the first one the name
    pieces = [{"index": 0, "id": "a", "function": {"name": "f"}}]
    pieces += [{"index": 0, "id": f"b{k}", "function": {"arguments": text}} for k, text in enumerate(("{", "}"))]
    (call,) = parse_response(read(*(event(tool_calls=[one]) for one in pieces), event(finish="stop"))).tool_calls
    assert (call.name, call.arguments) == ("f", "{}")


def test_calls_in_the_old_form_are_put_together() -> None:
    pieces = [{"name": "f", "arguments": ""}, {"arguments": '{"x": '}, {"arguments": "1}"}]
    body = read(*(event(function_call=piece) for piece in pieces), event(finish="function_call"))
    (call,) = parse_response(body).tool_calls
    assert (call.name, call.arguments) == ("f", '{"x": 1}')


@pytest.mark.parametrize("start", [b"\\ud83d", b"a"])
@pytest.mark.parametrize("where", [b'"delta":{"content":[%s]}', b'"error":%s', b'"delta":{},"usage":%s'])
def test_deep_values_are_errors_of_one_reply(start: bytes, where: bytes) -> None:
    first = b'data: {"choices":[{"delta":{"content":"%s"}}]}\n\n' % start
    for depth in (100, 300, 500, 700, *range(800, 1000, 5), 2000, 10**5):
        deep = b'data: {"choices":[{%s}]}\n\n' % (where % (b"[" * depth + b"]" * depth))
        with suppress(AskError):
            parse_response(read(first, deep, event(finish="stop")))


def test_what_ends_early_is_broken_and_what_has_its_reason_is_not() -> None:
    with pytest.raises(TryAgainError, match="broke off"):
        read(event(content="True"))
    with pytest.raises(TryAgainError, match="broke off"):
        read(b"")
    assert parse_response(read(event(content="True"), event(finish="stop"))).text == "True"
    assert parse_response(read(event(content="True"), b"data: [DONE]")).text == "True"
    with pytest.raises(RejectedError):
        read(event(content="True" * 1000), most=1000)
    with pytest.raises(TryAgainError):
        parse_response(read(event(content="True"), b'data: {"error": {"message": "died"}}\n\n'))


ODD = b'data: {"choices": [{"delta": {"tool_calls": [1, {"index": "x"}], "content": 5}}]}\n\n'


ODDER = [
    b'data: {"choices": [{"error": {"message": "\\ud83d"}}]}\n\n',
    b'data: {"choices": [{"delta": {"content": [{"type": "text", "text": "\\ude00"}]}}], "usage": 1'
    + b"0" * 30
    + b"}\n\n",
    b'data: {"model": "\\ud83d", "usage": {"prompt_tokens": NaN}}\n\n',
    b'data: ["\\ud83d"]\n\n',
    b"data: " + b'{"a":' * 5000 + b"\n\n",
]


@given(
    st.lists(
        st.one_of(st.binary(max_size=40), st.sampled_from([b"data: {}\n\n", b"data: [DONE]\n\n", ODD, *ODDER])),
        max_size=8,
    )
)
def test_any_bytes_end_in_a_reply_or_an_error(blocks: list[bytes]) -> None:
    with suppress(AskError):
        parse_response(read(*blocks))


def test_a_line_in_many_pieces_is_put_together() -> None:
    whole = event(content="x" * 5000) + b"data: [DONE]\n\n"
    assert read(*(whole[k : k + 1] for k in range(len(whole)))) == read(whole)


def test_arguments_in_many_pieces_are_put_together() -> None:
    pieces = [{"index": 0, "function": {"name": "f"}}, *[{"index": 0, "function": {"arguments": "1"}}] * 5000]
    body = json.loads(read(event(tool_calls=pieces) + b"data: [DONE]\n\n"))
    (call,) = body["choices"][0]["message"]["tool_calls"]
    assert call["function"] == {"name": "f", "arguments": "1" * 5000}
