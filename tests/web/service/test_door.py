"""Who may come in, with what, and how a refusal reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sightline.core.errors import UsageError
from sightline.web.service.limits import BodyReader, ServiceLimits
from sightline.web.service.middleware import negotiate_language
from sightline.web.service.problems import PROBLEM_TYPES, ProblemError
from sightline.web.service.server import TOKEN_VARIABLE, ServerOptions, is_loopback, resolve_token
from tests.web.service.callers import Caller, closed

TOKEN = "a-token-of-the-tests"
SCORE = {"task": "counting", "gt": "3", "output": "4"}


@pytest.mark.parametrize(
    "given", ["", "Bearer", "Bearer ", f"Basic {TOKEN}", "Bearer wrong", f"Bearer {TOKEN}x", f"bearer\t{TOKEN}"]
)
@pytest.mark.parametrize("path", ["/v1/score", "/v1/solve", "/v1/tasks", "/nowhere"])
def test_without_the_token_nothing_is_answered(given: str, path: str) -> None:
    caller = closed(TOKEN)
    told = caller.post(path, SCORE, 401, **({"Authorization": given} if given else {}))
    assert told["type"] == "/docs#token" and "Bearer" in told["hint"]
    assert TOKEN not in str(told)
    assert caller.client.get(path).headers["www-authenticate"].startswith("Bearer")


def test_what_is_open_needs_no_token() -> None:
    caller = closed(TOKEN)
    assert caller.get("/openapi.json")["openapi"].startswith("3.1")
    assert caller.get("/healthz")["status"] == "waiting for workers"
    assert caller.client.get("/docs").status_code == 200


def test_the_scheme_may_be_written_in_any_case() -> None:
    assert closed(TOKEN).get("/nowhere", 404, Authorization=f"bearer {TOKEN}")["type"] == "/docs#no-such-address"


def test_a_token_of_other_letters_is_refused_not_a_fault() -> None:
    answer = closed(TOKEN).client.get("/v1/tasks", headers={"Authorization": "Bearer 令牌".encode()})
    assert answer.status_code == 401


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8640", "127.0.0.1.evil.example", "", "[::2]:8640"])
def test_another_host_name_is_refused_on_loopback(host: str) -> None:
    assert closed().get("/openapi.json", 421, Host=host)["type"] == "/docs#host"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:9", "[::1]:8640"])
def test_our_own_host_names_are_known(host: str) -> None:
    assert closed().get("/openapi.json", Host=host)


def test_elsewhere_any_host_name_will_do() -> None:
    assert closed(TOKEN, loopback=False).get("/openapi.json", Host="scores.example")


def test_pages_of_other_sites_are_refused() -> None:
    assert closed().get("/v1/tasks", 403, Sec_Fetch_Site="cross-site")["type"] == "/docs#other-site"
    assert "access-control-allow-origin" not in closed().client.get("/docs", headers={"Origin": "https://x"}).headers


@pytest.mark.parametrize("kind", ["text/plain", "", "application/x-www-form-urlencoded", "application/jsonx"])
def test_a_body_of_another_type_is_refused(kind: str) -> None:
    assert closed().post("/v1/score", SCORE, 415, Content_Type=kind)["type"] == "/docs#media-type"


def test_a_compressed_body_is_refused() -> None:
    assert closed().post("/v1/score", SCORE, 415, Content_Encoding="gzip")["type"] == "/docs#media-type"


def test_too_large_a_body_is_refused_with_and_without_its_length() -> None:
    caller = closed(limits=ServiceLimits(body=1000))
    assert "1000" in caller.post("/v1/score", b" " * 1001, 413)["detail"]

    def parts() -> Any:
        for _ in range(20):
            yield b" " * 100

    answer = caller.client.post("/v1/score", content=parts(), headers={"Content-Type": "application/json"})
    assert answer.status_code == 413


def test_all_bodies_together_have_a_limit() -> None:
    intake = BodyReader(ServiceLimits(body=1))
    intake._reserve(ServiceLimits(body=1).total_body_bytes)
    with pytest.raises(ProblemError) as refusal:
        intake._reserve(1)
    assert (refusal.value.status, refusal.value.headers) == (429, {"Retry-After": "2"})


def test_addresses_and_methods_that_are_not_there() -> None:
    told = closed().get("/v1/scor", 404)
    assert "/v1/score" in told["detail"] and "/v1/solve" in told["hint"]
    answer = closed().client.put("/v1/score")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert closed().client.get("/v1/score/").status_code == 404


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("en-GB,en;q=0.9,zh;q=0.1", "en"),
        ("fr,zh;q=0.3", "zh"),
        ("fr", "en"),
        ("", "en"),
        ("zh;q=0,en", "en"),
        ("zh;q=nan", "en"),
        (";;;,=,q", "en"),
    ],
)
def test_the_language_is_the_callers(accepted: str, language: str) -> None:
    assert negotiate_language(accepted) == language


def test_refusals_come_in_both_languages(service: Caller) -> None:
    wrong = {"task": "counting", "gt": "3", "outptu": "4"}
    english = service.post("/v1/score", wrong, 422)
    chinese = service.post("/v1/score", wrong, 422, Accept_Language="zh")
    assert "Did you mean 'output'" in english["detail"]
    assert "您是不是要找“output”" in chinese["detail"]
    assert service.post("/v1/score", {**SCORE, "output": "x"}, Accept_Language="zh")["reason"] != "not a number"
    assert "路径不存在" in closed().get("/nowhere", 404, Accept_Language="zh")["title"]


@pytest.mark.parametrize(
    ("body", "status", "words", "where"),
    [
        (b"", 400, "JSON", ""),
        (b"{", 400, "JSON", ""),
        (b'{"task": NaN}', 400, "JSON", ""),
        (b'{"task": "counting", "gt": Infinity, "output": ""}', 400, "JSON", ""),
        (b'{"task": "counting", "gt": 1e999, "output": ""}', 400, "out of range", ""),
        (b'{"task": "\xff"}', 400, "JSON", ""),
        (b'{"task": "\\ud800"}', 400, "JSON", ""),
        (b"[" * 200_000, 400, "deeply", ""),
        (b'{"a":' * 100_000, 400, "deeply", ""),
        (b"null", 422, "object", "$"),
        (b"[]", 422, "object", "$"),
        (b"{}", 422, "'task' is missing", "$"),
        (b'{"task": 3, "gt": "1", "output": ""}', 422, "Expected str, found int", "$.task"),
        (b'{"task": "counting", "gt": "1", "output": "", "coords": "feet"}', 422, "Invalid enum", "$.coords"),
        (b'{"task": "counting", "gt": "1", "output": "", "size": [0, 5]}', 422, "> 0", "$.size[0]"),
        (b'{"task": "countin", "gt": "1", "output": ""}', 422, "Did you mean 'counting'", ""),
        (b'{"suite": "struktural", "truth": {}, "output": ""}', 422, "Did you mean 'structural'", ""),
        (b'{"suite": "os:system", "truth": {}, "output": ""}', 422, "No suite is called", ""),
        (b'{"suite": "matrix", "truth": {}, "output": ""}', 422, "from a truth alone", ""),
        (b'{"suite": "structural", "truth": {}, "output": ""}', 422, "no list of points", ""),
        (b'{"task": "counting", "gt": "1", "output": "", "task_config": "/etc/passwd"}', 422, "task_config", "$"),
    ],
)
def test_bad_bodies_are_explained(service: Caller, body: bytes, status: int, words: str, where: str) -> None:
    told = service.post("/v1/score", body, status)
    assert words in told["detail"]
    assert told["where"] == where
    assert told["status"] == status and told["title"] and told["type"].removeprefix("/docs#") in PROBLEM_TYPES


def test_an_unknown_field_deep_inside_is_named(service: Caller) -> None:
    samples = [{"gt": 1, "output": "1"}, {"gt": 1, "output": "1", "sorce": "x"}]
    told = service.post("/v1/score/many", {"task": "counting", "samples": samples}, 422)
    assert "'sorce'" in told["detail"] and "'source'" in told["detail"]
    assert told["where"] == "$.samples[1]"
    assert service.post("/v1/score/many", {"task": "counting", "samples": []}, 422)["where"] == "$.samples"


def test_a_mechanism_is_named(service: Caller) -> None:
    model = {"points": [{"id": "A", "x": 0, "y": 0}, {"id": "B", "x": 1, "y": 0}], "links": [{"a": "A", "b": "B"}]}
    assert "mechanism" in service.post("/v1/solve", {"model": model}, 422)["detail"]


def test_a_token_is_found_made_or_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    first, fresh = resolve_token(ServerOptions(), loopback=True)
    assert fresh and len(first) >= 30 and first != resolve_token(ServerOptions(), loopback=True)[0]
    monkeypatch.setenv(TOKEN_VARIABLE, "x" * 20)
    assert resolve_token(ServerOptions(), loopback=False) == ("x" * 20, False)
    file = tmp_path / "token"
    file.write_text("y" * 16 + "\n")
    assert resolve_token(ServerOptions(token_file=file), loopback=False) == ("y" * 16, False)
    assert resolve_token(ServerOptions(no_token=True), loopback=True) == ("", False)
    with pytest.raises(UsageError, match="loopback address"):
        resolve_token(ServerOptions(no_token=True), loopback=False)
    for bad in ("short", "z" * 20 + " z", "é" * 20):
        file.write_text(bad, encoding="utf-8")
        with pytest.raises(UsageError, match="at least"):
            resolve_token(ServerOptions(token_file=file), loopback=True)
    with pytest.raises(UsageError, match="Cannot read"):
        resolve_token(ServerOptions(token_file=tmp_path / "none"), loopback=True)


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("localhost", True),
        ("::1", True),
        ("0.0.0.0", False),
        ("::", False),
        ("example.org", False),
    ],
)
def test_loopback_is_told_from_the_world(host: str, loopback: bool) -> None:
    assert is_loopback(host) == loopback
