"""Several servers: who is free is asked, who fails is set aside, and every sample is answered once."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from sightline import evaluate
from sightline.asking import exchange as exchange_module
from sightline.asking.exchange import FIRST_PAUSE, Exchange, Line
from sightline.asking.pace import Pace
from sightline.asking.tally import Tally
from sightline.cli.asking_progress import details, make_progress
from sightline.config import RunConfig, resolve
from sightline.errors import AccessError, TryAgainError, UnreachableError
from sightline.evaluation import Result, load_run
from sightline.execution import Progress
from sightline.models.baselines import baseline
from sightline.records import Remark
from sightline.runs.folder import RunFolder
from tests.support.loopback import answer_to
from tests.support.worlds import journal, only_run, server, sightline, write_questions

DEAD = "http://127.0.0.1:9/v1"


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def lines(*most: int) -> list[Line]:
    made = [Line(baseline("oracle", RunConfig()), Pace(count), count, f"s{k}") for k, count in enumerate(most, 1)]
    for line in made:
        line.pace.window = float(line.most)
    return made


def gone(kind: str = "unreachable", after: float | None = None) -> TryAgainError:
    return TryAgainError("gone", kind=kind, after=after)


def test_the_least_busy_line_is_taken_and_a_full_one_never() -> None:
    async def story() -> None:
        one, two = lines(2, 4)
        exchange = Exchange([one, two])
        taken = [(await exchange.enter())[0] for _ in range(6)]
        assert Counter(line.name for line in taken) == {"s1": 2, "s2": 4}
        waiting = asyncio.ensure_future(exchange.enter())
        await asyncio.sleep(0)
        assert not waiting.done()
        exchange.leave(two)
        assert (await waiting)[0] is two

    asyncio.run(story())


def test_a_line_whose_cap_holds_it_up_is_left_for_one_that_is_free() -> None:
    async def story() -> None:
        clock = Clock()
        capped = Line(baseline("oracle", RunConfig()), Pace(8, requests_per_minute=1, clock=clock), 8, "capped")
        (free,) = lines(8)
        exchange = Exchange([capped, free], clock=clock)
        names = [(await exchange.enter())[0].name for _ in range(8)]
        assert Counter(names) == {"capped": 1, "s1": 7}

    asyncio.run(story())


def test_a_request_that_failed_goes_elsewhere_even_if_it_must_wait() -> None:
    async def story() -> None:
        one, two = lines(4, 1)
        exchange = Exchange([one, two])
        line, _ = await exchange.enter([one])
        assert line is two
        waiting = asyncio.ensure_future(exchange.enter([one]))
        await asyncio.sleep(0)
        line, _ = await asyncio.wait_for(exchange.enter(), 1)
        assert line is one, "who takes any line need not stand behind who does not"
        assert not waiting.done()
        exchange.leave(two)
        assert (await waiting)[0] is two

    asyncio.run(story())


def test_who_waits_is_woken_when_a_line_has_rested() -> None:
    async def story() -> None:
        one, two = lines(1, 1)
        exchange = Exchange([one, two])
        one.resting_until = two.resting_until = exchange._clock() + 0.05
        waiting = [asyncio.ensure_future(exchange.enter()) for _ in range(3)]
        await asyncio.sleep(0)
        assert not any(one.done() for one in waiting)
        await asyncio.wait_for(asyncio.gather(*waiting[:2]), 5)
        assert not waiting[2].done()
        waiting[2].cancel()

    asyncio.run(story())


def test_a_dead_line_rests_longer_each_time_and_is_told_once() -> None:
    async def story() -> None:
        clock, told = Clock(), list[Remark]()
        one, two = lines(4, 4)
        exchange = Exchange([one, two], told.append, clock)
        exchange.succeeded(two)
        assert exchange.failed(one, gone(), 0), "it had no chance there"
        exchange.failed(one, gone(), 0)  # another that was under way
        assert [str(remark) for remark in told] == ["s1 is set aside for 5 s: gone"]
        assert {(await exchange.enter())[0].name for _ in range(4)} == {"s2"}
        clock.now += FIRST_PAUSE
        assert one.pace.window == 1, "it is tried with one request"
        assert exchange.has_another([two])
        exchange.failed(one, gone(), 0)
        assert "10 s" in str(told[-1])
        clock.now += 2 * FIRST_PAUSE
        exchange.succeeded(one)
        assert one.pauses == 0

    asyncio.run(story())


def test_five_faults_in_a_row_set_a_line_aside_and_rate_limits_only_let_it_rest() -> None:
    clock, told = Clock(), list[Remark]()
    one, two = lines(4, 4)
    exchange = Exchange([one, two], told.append, clock)
    exchange.failed(one, gone("rate_limited", after=3.0), 0)
    assert one.resting_until == 3.0 and not told
    clock.now = 3.0
    for _ in range(3):
        exchange.failed(one, gone("server_error"), 0)
    assert not told
    exchange.failed(one, gone("server_error"), 0)
    assert len(told) == 1


def test_all_lines_dead_end_the_run_after_they_were_tried_again() -> None:
    clock = Clock()
    one, two = lines(4, 4)
    exchange = Exchange([one, two], clock=clock)
    exchange.failed(one, gone(), 0)
    exchange.failed(two, gone(), 0)
    clock.now += 2 * FIRST_PAUSE
    exchange.failed(one, gone(), 0)
    with pytest.raises(UnreachableError, match="None of the 2 servers"):
        exchange.failed(two, gone(), 0)


def test_a_line_without_access_leaves_the_work_to_others_and_all_without_end_the_run() -> None:
    one, two = lines(4, 4)
    exchange = Exchange([one, two])
    refusal = AccessError("no key")
    assert exchange.refused(one, refusal).kind == "no_access"
    with pytest.raises(AccessError):
        exchange.refused(two, refusal)


class Listening(Progress):
    def __init__(self) -> None:
        self.told: list[str] = []

    def asked(self, tally: Tally) -> None:
        self.told += map(str, tally.notices)


def ask(tmp_path: Path, *bases: str, **more: Any) -> Result:
    data = str(tmp_path / "data")
    return evaluate(
        "simulation", data=data, model="m", api_base=",".join(bases), output_dir=str(tmp_path / "runs"), **more
    )


def check_answers(run: Path, count: int) -> None:
    answers = [line for line in journal(run) if line["type"] == "answer"]
    assert len(answers) == len({line["sample"] for line in answers}) == count
    for line in answers:
        number = str(line["sample"]).rpartition("/q")[2]
        assert line["text"] == answer_to(f"Is statement {number} right?")


def test_the_quick_server_does_most_and_both_are_counted(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 300)
    with server("--latency", "0.3") as slow, server("--latency", "0.005", "--log", tmp_path / "log") as quick:
        result = ask(tmp_path, slow, quick, concurrency=8)
    check_answers(result.folder, 300)
    counts = RunFolder(result.folder).load().servers
    assert counts[quick].requests > 3 * counts[slow].requests > 0
    assert counts[quick].requests == len((tmp_path / "log").read_text().splitlines())
    assert counts[quick].requests + counts[slow].requests == 300
    told = [str(fact) for fact in load_run(result.folder).summary.facts]
    assert f"{quick}: {counts[quick].requests} requests, 0 of them in vain" in told


def test_a_server_that_is_not_there_and_one_that_refuses_do_no_harm(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 60)
    listening = Listening()
    with server("--status", "401") as shut, server("--latency", "0.01") as base:
        result = ask(tmp_path, DEAD, shut, base, progress=listening, max_tries=1)
    assert result.complete
    check_answers(result.folder, 60)
    assert not [line for line in journal(result.folder) if line.get("final")]
    heard = "\n".join(listening.told)
    assert f"{DEAD} is set aside for 5 s: Can't connect" in heard
    assert f"{shut} is set aside for 5 s" in heard and "HTTP 401" in heard


def test_nobody_there_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange_module, "FIRST_PAUSE", 0.05)
    write_questions(tmp_path / "data", 60)
    result = ask(tmp_path, DEAD, "http://127.0.0.1:7/v1")
    assert isinstance(result.stopped, UnreachableError)


@pytest.mark.slow
def test_a_server_that_dies_in_the_middle_and_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange_module, "FIRST_PAUSE", 0.2)
    write_questions(tmp_path / "data", 400)
    listening, results = Listening(), list[Result]()
    with server("--latency", "0.1") as steady:
        with server("--latency", "0.1") as mortal:
            thread = threading.Thread(
                target=lambda: results.append(ask(tmp_path, mortal, steady, concurrency=8, progress=listening))
            )
            thread.start()
            while (
                not list((tmp_path / "runs").glob("*/journal.jsonl")) or len(journal(only_run(tmp_path / "runs"))) < 40
            ):
                time.sleep(0.01)
        time.sleep(0.3)
        port = mortal.rpartition(":")[2].partition("/")[0]
        with server("--latency", "0.1", "--port", port, "--log", tmp_path / "again"):
            thread.join()
    (result,) = results
    assert result.complete
    check_answers(result.folder, 400)
    assert f"{mortal} is set aside" in "\n".join(listening.told)
    assert (tmp_path / "again").read_text().count("\n") > 0, "it was tried again and answered"


def test_each_server_gets_its_own_key_and_no_file_does(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 60)
    keys = ("sk-first-0123456789", "sk-second-9876543210")
    with server("--key", keys[0], "--latency", "0.02") as one, server("--key", keys[1], "--latency", "0.02") as two:
        result = ask(tmp_path, one, two, api_key=",".join(keys), concurrency=4)
    assert result.complete
    counts = RunFolder(result.folder).load().servers
    assert all(count.requests and not count.errors for count in counts.values())
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert not any(key.encode() in path.read_bytes() for key in keys), path


def test_servers_may_come_and_go_between_two_starts_but_the_first(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 60)
    with server("--latency", "0.01") as one, server("--latency", "0.01") as two:
        first = ask(tmp_path, one, two, max_requests=30)
        second = ask(tmp_path, one)
    assert first.folder == second.folder
    check_answers(second.folder, 60)
    assert sum(count.requests for count in RunFolder(second.folder).load().servers.values()) == 30


def test_as_the_user_names_them(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 40)
    with server("--latency", "0.01") as one, server("--latency", "0.01") as two:
        call = ("run", "simulation", "--data", data, "--model", "m", "--json")
        told = sightline(*call, "--api-base", one, "--api-base", f"{two}#concurrency=2", cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    result = json.loads(told.stdout)
    assert result["states"] == {"ok": 40}
    counted = {
        fact["facts"]["server"]: fact["facts"]["requests"] for fact in result["facts"] if "server" in fact["facts"]
    }
    assert set(counted) == {one, two} and sum(counted.values()) == 40
    assert counted[two] > 0


def test_what_a_server_says_can_not_command_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    tally = Tally(retried=1, waiting_for="reset: \x1b[2Jgone\x07")
    tally.notices.append(
        Remark(
            "{server} is set aside for {seconds} s: {reason}", {"reason": "\x1b]0;x\x07", "server": "s", "seconds": 1}
        )
    )
    progress = make_progress()
    progress.asked(tally)
    assert "s is set aside for 1 s" in (told := capsys.readouterr().err)
    assert all(letter.isprintable() for letter in told.strip() + details(tally, 1.0))


def test_a_file_and_the_environment_hold_a_list_with_commas(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text('api_base = "a/v1, b/v1"\n')
    assert resolve("simulation", file=tmp_path / "c.toml")[0].api_base == ("a/v1", "b/v1")
    (tmp_path / "c.toml").write_text('api_base = ["a/v1", "b/v1"]\n')
    assert resolve("simulation", file=tmp_path / "c.toml")[0].api_base == ("a/v1", "b/v1")
    named = {"SIGHTLINE_API_BASE": "c/v1,d/v1", "SIGHTLINE_API_KEY": "k1,k2"}
    config, _ = resolve("simulation", environment=named)
    assert (config.api_base, config.api_key) == (("c/v1", "d/v1"), ("k1", "k2"))
    assert "k1" not in repr(config)
