"""A server with one misbehaviour after the other: each ends as stated, with no sample wronged and nothing obeyed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sightline import evaluate
from sightline.api.evaluation import Result
from sightline.core.errors import AccessError, AllFailingError, RunStoppedError, UnreachableError
from tests.support.loopback import answer_to
from tests.support.misbehaving import BEHAVIOURS, MisbehavingServer
from tests.support.worlds import journal, write_questions

KEY = "sk-very-secret-0123456789"
COUNT = 6

COUNTED = {
    "proper",
    "byte_order_mark",
    "content_parts_odd",
    "cookies",
    "finish_reason_number",
    "gzip",
    "informational_first",
    "model_changes",
    "model_escapes",
    "model_number",
    "refusal_list",
    "usage_float",
    "usage_huge",
    "usage_list",
    "usage_negative",
    "usage_text",
}
"""The reply is there whatever surrounds it."""
READ_AS_EMPTY = {"content_null", "content_number", "content_object"}
UNPARSED = {"content_deep_json", "content_surrogate"}
FAILED = {
    "bad_chunk": "reset",
    "choice_null": "malformed",
    "choice_without_message": "malformed",
    "choices_empty": "malformed",
    "choices_null": "malformed",
    "choices_object": "malformed",
    "deep_json": "malformed",
    "deep_unknown_field": "malformed",
    "drip": "timeout",
    "echo_key": "key_repeated",
    "echo_key_error": "rejected",
    "empty_body": "malformed",
    "endless_body": "too_large",
    "endless_chunks": "too_large",
    "endless_error": "rejected",
    "error_escapes": "rejected",
    "error_in_200_rejected": "rejected",
    "error_object": "rejected",
    "gzip_bomb": "too_large",
    "gzip_broken": "malformed",
    "half_body": "reset",
    "hang": "timeout",
    "html": "malformed",
    "http_204": "rejected",
    "http_400": "rejected",
    "http_413": "rejected",
    "http_504": "timeout",
    "huge_header": "reset",
    "invalid_utf8": "malformed",
    "json_list": "malformed",
    "json_null": "malformed",
    "json_number": "malformed",
    "length_too_short": "reset",
    "many_headers": "reset",
    "not_http": "reset",
    "reset": "reset",
    "truncated_json": "malformed",
    "unknown_encoding": "malformed",
}
"""Each sample fails with this kind; none is graded as wrong."""
STOPPED: dict[str, type[RunStoppedError]] = {
    "http_401": AccessError,
    "http_402": AccessError,
    "http_403": AccessError,
    "http_404": AccessError,
    "http_429": UnreachableError,
    "http_429_infinite": UnreachableError,
    "http_429_long": UnreachableError,
    "http_429_odd": UnreachableError,
    "http_429_quota": AccessError,
    "http_429_soon": UnreachableError,
    "http_503": UnreachableError,
    "error_in_choice": UnreachableError,
    "no_images_500": UnreachableError,
    "no_images_400": AllFailingError,
    "error_in_200": UnreachableError,
    "http_500": UnreachableError,
    "http_599": UnreachableError,
    "redirect_301": AccessError,
    "redirect_302": AccessError,
    "redirect_303": AccessError,
    "redirect_307": AccessError,
    "redirect_308": AccessError,
    "redirect_without_location": AccessError,
}
"""The run stops early and says the server's words."""
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e]")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_questions(tmp_path_factory.mktemp("world") / "data", COUNT)


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("sightline.inference.circuit_breaker.FIRST_WAIT", 0.02)
    monkeypatch.setattr("sightline.models.openai.MAX_RETRY_AFTER", 0.2)
    yield


def ask(data: Path, server: MisbehavingServer, out: Path, **more: Any) -> Result:
    settings: dict[str, Any] = {
        "api_key": KEY,
        "max_tries": 2,
        "timeout": 0.7,
        "max_outage": 0.6,
        "concurrency": 4,
        **more,
    }
    return evaluate(
        "simulation",
        data=str(data),
        model="m",
        api_base=server.base,
        output_dir=str(out),
        price_in=1.0,
        price_out=1.0,
        **settings,
    )


def test_every_misbehaviour_has_its_end() -> None:
    listed = [*COUNTED, *READ_AS_EMPTY, *UNPARSED, "content_escapes", *FAILED, *STOPPED]
    assert sorted(listed) == sorted(BEHAVIOURS)
    assert len(listed) >= 40


@pytest.mark.parametrize("name", sorted(BEHAVIOURS))
def test_a_misbehaving_server(name: str, data: Path, tmp_path: Path) -> None:
    with MisbehavingServer(name) as server:
        result = ask(data, server, tmp_path / "runs", timeout=0.7 if FAILED.get(name) == "timeout" else 30.0)
    lines = journal(result.folder)
    states = result.summary.statuses
    match name:
        case _ if name in COUNTED:
            assert states == {"answered": COUNT} and result.complete
            for line in lines:
                number = str(line["sample"]).rpartition("/q")[2]
                assert line["text"] == answer_to(f"Is statement {number} right?"), "each reply reached its own sample"
        case _ if name in READ_AS_EMPTY:
            assert states == {"empty": COUNT}
        case _ if name in UNPARSED:
            assert states == {"unparsed": COUNT}
        case "content_escapes":
            assert sum(states.values()) == COUNT and "failed" not in states
        case _ if name in FAILED:
            assert states == {"failed": COUNT} and not result.complete
            assert {line["kind"] for line in lines} == {FAILED[name]}
            assert result.summary.score is None or result.summary.score.value is None, "no failure is a wrong answer"
        case _:
            assert type(result.stopped) is STOPPED[name]
            # nothing was lost: the same command goes on, and asks again what was refused before the cause was clear
            assert states.get("failed", 0) == (2 if name == "no_images_400" else 0)
            assert server.requests <= 16
    assert result.summary.usage.cost >= 0
    assert result.summary.usage.tokens_in <= 2 * COUNT * 10**9
    check_files(result)


def check_files(result: Result) -> None:
    """Nothing that a terminal obeys is in a log, and no key in any file."""
    for path in result.folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert KEY.encode() not in content, path
            if path.suffix in (".txt", ".md", ".csv"):
                assert not _CONTROL.search(content.decode("utf-8")), path
    told = str(result.stopped or "") + "".join(map(str, [*result.summary.notes, *result.summary.facts]))
    assert not _CONTROL.search(told)


@pytest.mark.parametrize("name", ["redirect_301", "redirect_302", "redirect_307", "redirect_308"])
def test_a_redirect_sends_nothing_elsewhere(name: str, data: Path, tmp_path: Path) -> None:
    with MisbehavingServer("proper") as other, MisbehavingServer(name, elsewhere=other.base) as server:
        result = ask(data, server, tmp_path)
    assert other.requests == 0
    assert other.base in str(result.stopped) and "not followed" in str(result.stopped)


def test_a_reply_stays_as_it_came_even_if_the_key_is_a_word_of_it(data: Path, tmp_path: Path) -> None:
    for key in ("True", "False", "none"):
        with MisbehavingServer("proper") as server:
            result = evaluate(
                "simulation",
                data=str(data),
                model="m",
                api_base=server.base,
                api_key=key,
                output_dir=str(tmp_path / key),
            )
        assert {str(line["text"]) for line in journal(result.folder)} == {"True", "False"}


def test_a_change_of_the_model_is_reported_and_recorded(data: Path, tmp_path: Path) -> None:
    with MisbehavingServer("model_changes", after=3) as server:
        result = ask(data, server, tmp_path, concurrency=1)
    manifest = json.loads((result.folder / "manifest.json").read_text())
    assert manifest["served_models"] == {"m": 3, "m-2": 3}
    assert any("m-2 (3)" in str(fact) and "changed" in str(fact) for fact in result.summary.facts)


@pytest.mark.parametrize("name", ["endless_body", "endless_chunks", "gzip_bomb", "endless_error"])
def test_a_body_without_end_takes_little_memory(name: str, data: Path, tmp_path: Path) -> None:
    import tracemalloc

    with MisbehavingServer(name) as server:
        tracemalloc.start()
        ask(data, server, tmp_path, limit=1, timeout=20)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 120 * 2**20  # the limit of 16 MB, its copies, and what the server in this process holds


PERMANENT = ("http_400", "http_401", "http_402", "http_403", "http_404", "http_429_quota", "redirect_307")


@pytest.mark.parametrize("name", PERMANENT)
@pytest.mark.parametrize("concurrency", [1, 8, 32])
def test_a_permanent_condition_wastes_few_requests(name: str, concurrency: int, tmp_path: Path) -> None:
    many = write_questions(tmp_path / "data", 300)
    with MisbehavingServer(name, after=20, latency=0.005) as server:
        result = ask(many, server, tmp_path / "runs", concurrency=concurrency, timeout=10)
    assert isinstance(result.stopped, AccessError | AllFailingError)
    assert 0 < result.summary.statuses["answered"] <= 20
    assert server.misbehaved <= 2 * concurrency + 5
    assert server.requests - 20 == server.misbehaved


@pytest.mark.parametrize(
    "name", ["http_400", "http_403", "http_500", "http_503", "http_504", "reset", "truncated_json"]
)
@pytest.mark.parametrize("concurrency", [1, 4])
def test_samples_that_the_server_can_not_take_fail_alone(name: str, concurrency: int, tmp_path: Path) -> None:
    """A row of bad samples is no outage: a request that was answered before is answered again."""
    many = write_questions(tmp_path / "data", 60)
    bad = {f"Is statement {number} right?".encode() for number in range(20, 32)}

    with MisbehavingServer(name) as server:
        server.applies = lambda body: any(question in body for question in bad)
        result = ask(many, server, tmp_path / "runs", concurrency=concurrency, timeout=10, max_outage=30)
    assert result.stopped is None
    assert result.summary.statuses == {"answered": 48, "failed": 12}


def test_a_web_page_instead_of_replies_points_to_the_address(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 30)
    with MisbehavingServer("html") as server:
        result = evaluate(
            "simulation",
            data=str(data),
            model="m",
            api_base=server.base,
            output_dir=str(tmp_path / "runs"),
            max_tries=1,
        )
    message = str(result.stopped)
    assert "web page" in message and "It works!" in message and "--api-base" in message and "/v1" in message
