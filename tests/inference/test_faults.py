"""Runs through a server that misbehaves: every sample is graded or honestly failed, and nothing is asked in vain."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.loopback import FAULTS, answer_to
from tests.support.worlds import journal, only_run, server, sightline, write_questions


@pytest.mark.slow
def test_two_thousand_samples_through_every_fault(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 2000)
    rates = {"rate_limit": 0.04, "server_error": 0.04, "reset": 0.03, "half_body": 0.03, "malformed": 0.03}
    rates |= {"empty_choices": 0.03, "hang": 0.005}
    assert set(rates) == set(FAULTS)
    with server("--faults", json.dumps(rates), "--latency", "0.005", "--log", tmp_path / "log") as base:
        told = sightline(
            *("run", "simulation", "--data", data, "--model", "m", "--api-base", base, "--timeout", "1", "--json"),
            cwd=tmp_path,
        )
    result = json.loads(told.stdout)
    run = only_run(tmp_path / "runs")
    lines = journal(run)
    final = Counter(line["sample"] for line in lines if line["type"] == "answer" or line.get("final"))
    assert len(final) == 2000
    assert set(final.values()) == {1}, "exactly one final word on each sample"
    failed = {line["sample"] for line in lines if line.get("final")}
    assert result["statuses"] == {"answered": 2000 - len(failed)} | ({"failed": len(failed)} if failed else {})
    assert told.returncode == (3 if failed else 0)
    sent = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert len(sent) == len(lines), "every attempt is one line"
    assert len(Counter(outcome for _, outcome in sent)) == len(FAULTS) + 1, "every fault came up"
    for line in lines:
        if line["type"] == "answer":
            number = str(line["sample"]).rpartition("/q")[2]
            assert line["text"] == answer_to(f"Is statement {number} right?"), "each reply reached its own sample"
    kinds = {line["kind"] for line in lines if line["type"] == "failure"}
    assert {"rate_limited", "server_error", "reset", "timeout", "malformed"} <= kinds


@pytest.mark.slow
def test_a_sample_that_keeps_failing_is_failed_not_wrong_and_is_asked_again(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 60)
    call = ("run", "simulation", "--data", data, "--model", "m", "--json", "--max-tries", "1", "--seed", "1")
    log = tmp_path / "log"
    with server("--faults", '{"server_error": 0.3}', "--log", log) as base:
        first = sightline(*call, "--api-base", base, cwd=tmp_path)
        states = json.loads(first.stdout)["statuses"]
        assert first.returncode == 3
        assert states["failed"] > 0 and states["answered"] + states["failed"] == 60
        value = next(r for r in json.loads(first.stdout)["rows"] if r["metric"] == "accuracy")["estimate"]
        assert value["n"] == states["answered"], "a failed call is never a wrong answer"
        assert value["floor"] < value["value"] < value["ceiling"]
        told = first
        for _ in range(30):
            if told.returncode == 0:
                break
            told = sightline(*call, "--api-base", base, cwd=tmp_path)
    assert told.returncode == 0
    assert json.loads(told.stdout)["statuses"] == {"answered": 60}
    answered = Counter(q for q, outcome in map(json.loads, log.read_text().splitlines()) if outcome == "answer")
    lines = journal(only_run(tmp_path / "runs"))
    assert len({line["sample"] for line in lines if line["type"] == "answer"}) == 60
    probes = sum(line["type"] == "probe" and not line.get("kind") for line in lines)
    # the same error of several samples in a row is checked with a request that was answered before, or without pictures
    assert answered.total() == 60 + probes, "no other sample that had its answer was asked again"


@pytest.mark.parametrize(
    ("status", "told_of", "word"),
    [
        (401, "requires an API key", "key"),
        (403, "denied access to the model", "key"),
        (404, "denied access to the model", "model name"),
    ],
)
def test_no_access_stops_at_once(tmp_path: Path, status: int, told_of: str, word: str) -> None:
    data = write_questions(tmp_path / "data", 2000)
    with server("--status", str(status), "--log", tmp_path / "log") as base:
        told = sightline("run", "simulation", "--data", data, "--model", "m", "--api-base", base, cwd=tmp_path)
    assert told.returncode == 2
    assert told.stderr.count(told_of) == 1
    assert word in told.stderr
    assert "Traceback" not in told.stderr
    assert len((tmp_path / "log").read_text().splitlines()) <= 8, "only the first window was sent"


def test_a_setting_that_the_server_refuses_does_not_fail_two_thousand_times(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 2000)
    with server("--status", "400", "--log", tmp_path / "log") as base:
        told = sightline("run", "simulation", "--data", data, "--model", "m", "--api-base", base, cwd=tmp_path)
    assert told.returncode == 2
    assert "answers every sample with the same error: HTTP 400: no" in told.stderr
    assert len((tmp_path / "log").read_text().splitlines()) < 60


def test_no_server_is_reachable(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 50)
    told = sightline("run", "simulation", "--data", data, "--model", "m", "--api-base", "127.0.0.1:9", cwd=tmp_path)
    assert told.returncode == 2
    assert "Cannot connect to http://127.0.0.1:9" in told.stderr and "address is correct" in told.stderr
    assert "Traceback" not in told.stderr


@pytest.mark.slow
def test_a_server_that_goes_away_loses_nothing(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 400)
    call = ("run", "simulation", "--data", data, "--model", "m", "--json", "--max-tries", "2", "--concurrency", "4")
    call += ("--max-outage", "2")
    with server("--latency", "0.01") as base:
        told = sightline(*call, "--api-base", base, "--max-requests", "100", cwd=tmp_path)
        assert told.returncode == 3
        assert "--max-requests 100 has been reached" in told.stderr
    told = sightline(*call, "--api-base", base, cwd=tmp_path)
    assert told.returncode == 3
    assert "Cannot connect" in told.stderr
    port = base.rpartition(":")[2].partition("/")[0]
    with server("--port", port) as same:
        assert same == base
        told = sightline(*call, "--api-base", base, cwd=tmp_path)
    assert told.returncode == 0
    assert json.loads(told.stdout)["statuses"] == {"answered": 400}
    answers = [line["sample"] for line in journal(only_run(tmp_path / "runs")) if line["type"] == "answer"]
    assert len(answers) == len(set(answers)) == 400


def test_cost_is_capped(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 500)
    prices = ("--price-in", "1000", "--price-out", "0", "--max-cost", "5", "--concurrency", "4")
    with server("--latency", "0.002") as base:  # a reply takes 100 tokens, so 0.1
        told = sightline(
            "run", "simulation", "--data", data, "--model", "m", "--api-base", base, "--json", *prices, cwd=tmp_path
        )
    assert told.returncode == 3
    result = json.loads(told.stdout)
    assert 4.0 <= result["usage"]["cost"] <= 5.0
    assert result["pending"] == 500 - result["statuses"]["answered"]
    assert (
        sightline(
            "run", "simulation", "--data", data, "--model", "m", "--api-base", base, "--max-cost", "1", cwd=tmp_path
        ).returncode
        == 2
    )


@pytest.mark.slow
def test_a_cached_reply_is_not_asked_for_again(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 40)
    call = ("run", "simulation", "--data", data, "--model", "m", "--cache", "--cache-path", tmp_path / "c.sqlite")
    log = tmp_path / "log"
    with server("--log", log) as base:
        first = sightline(*call, "--api-base", base, "--json", cwd=tmp_path)
        again = sightline(*call, "--api-base", base, "--json", "--fresh", cwd=tmp_path)
        other = sightline(*call, "--api-base", base, "--json", "--temperature", "1", cwd=tmp_path)
    assert [r.returncode for r in (first, again, other)] == [0, 0, 0]
    assert len(log.read_text().splitlines()) == 80, "another temperature is another request"
    assert json.loads(again.stdout)["usage"]["cached"] == 40
    assert json.loads(first.stdout)["rows"] == json.loads(again.stdout)["rows"]


def test_a_damaged_cache_loses_no_reply(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 4)
    path, log = tmp_path / "c.sqlite", tmp_path / "log"
    with server("--log", log) as base, closing(sqlite3.connect(path, isolation_level=None)) as rows:
        given = ("run", "simulation", "--data", data, "--model", "m", "--api-base", base, "--fresh")
        call = (*given, "--cache", "--cache-path", path)
        assert sightline(*call, cwd=tmp_path).returncode == 0
        for damage in ("x'00'", "'text'", "null"):
            rows.execute(f"UPDATE replies SET reply = {damage}")
            assert sightline(*call, cwd=tmp_path).returncode == 0
        assert len(log.read_text().splitlines()) == 16, "what is damaged is asked for again"
        rows.execute("DELETE FROM replies")
        rows.execute("BEGIN EXCLUSIVE")  # as another process, or a full disk
        assert sightline(*call, cwd=tmp_path).returncode == 0
        rows.execute("ROLLBACK")
        rows.execute("DROP TABLE replies")
        rows.execute("CREATE TABLE replies (other)")
        stopped = sightline(*call, cwd=tmp_path)
    assert "Cannot read the reply cache" in stopped.stderr and "Traceback" not in stopped.stderr
    assert len(log.read_text().splitlines()) == 20


@pytest.mark.slow
def test_the_key_reaches_the_server_and_no_file(tmp_path: Path) -> None:
    key = "sk-very-secret-0123456789"
    data = write_questions(tmp_path / "data", 20)
    call = ("run", "simulation", "--data", data, "--model", "m")
    with server("--key", key) as base:
        good = sightline(*call, "--api-base", base, OPENAI_API_KEY=key, cwd=tmp_path)
        flag = sightline(*call, "--api-base", base, "--api-key", key, cwd=tmp_path)
    with server("--status", "401", "--echo") as base:
        bad = sightline(*call, "--api-base", base, "--fresh", OPENAI_API_KEY=key, cwd=tmp_path)
    assert (good.returncode, flag.returncode, bad.returncode) == (0, 0, 2)
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert key.encode() not in path.read_bytes(), path
    for told in (good, flag, bad):
        assert key not in told.stdout + told.stderr
