"""Several servers: who is free is asked, who fails is set aside, and every sample is answered once."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import Counter
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from sightline import evaluate
from sightline.api.evaluation import Result, load_run
from sightline.cli.inference_progress import details, make_progress
from sightline.core.config import RunConfig, resolve
from sightline.core.errors import AccessError, AllFailingError, RejectedError, TryAgainError, UnreachableError
from sightline.core.interfaces import Request
from sightline.core.records import Prompt, Sample
from sightline.core.registry import load_suite
from sightline.core.remarks import Remark
from sightline.inference.circuit_breaker import (
    FIRST_WAIT,
    LONGEST_WAIT,
    LONGEST_WAIT_BESIDE_OTHERS,
    QUIET,
    UNREACHED_OUTAGE,
    CircuitBreaker,
    backoff,
)
from sightline.inference.limiter import AdaptiveLimiter
from sightline.inference.load_balancer import Backend, LoadBalancer, Slot
from sightline.inference.run_progress import RunProgress
from sightline.models.baselines import baseline
from sightline.runs.folder import RunFolder
from sightline.runs.run import Progress
from tests.support.loopback import answer_to
from tests.support.worlds import journal, only_run, server, sightline, write_questions

DEAD = "http://127.0.0.1:9/v1"


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def make_backends(*most: int, clock: Clock | None = None, max_outage: float = 600.0) -> list[Backend]:
    made = []
    for number, count in enumerate(most, 1):
        breaker = CircuitBreaker(max_outage, clock or monotonic)
        limiter = AdaptiveLimiter(count)
        limiter.window = float(count)
        made.append(Backend(baseline("oracle", RunConfig()), limiter, breaker, count, f"s{number}"))
    return made


def failure(kind: str = "unreachable", after: float | None = None) -> TryAgainError:
    return TryAgainError("gone", kind=kind, after=after)


REQUEST = Request(Prompt(()), Sample(id="a", task="t", question="?", target=True), load_suite("simulation"))


def test_the_least_busy_server_is_chosen_and_a_full_one_never() -> None:
    async def story() -> None:
        one, two = make_backends(2, 4)
        balancer = LoadBalancer([one, two])
        taken = [await balancer.acquire() for _ in range(6)]
        assert Counter(slot.backend.name for slot in taken) == {"s1": 2, "s2": 4}
        waiting = asyncio.ensure_future(balancer.acquire())
        await asyncio.sleep(0)
        assert not waiting.done()
        balancer.release(next(slot for slot in taken if slot.backend is two))
        assert (await waiting).backend is two

    asyncio.run(story())


def test_a_rate_limited_server_is_avoided_if_another_is_free() -> None:
    async def story() -> None:
        clock = Clock()
        capped, free = make_backends(8, 8, clock=clock)
        capped.limiter = AdaptiveLimiter(8, requests_per_minute=1, clock=clock)
        balancer = LoadBalancer([capped, free], clock=clock)
        names = [(await balancer.acquire()).backend.name for _ in range(8)]
        assert Counter(names) == {"s1": 1, "s2": 7}

    asyncio.run(story())


def test_a_failed_request_goes_to_another_server_even_if_it_must_wait() -> None:
    async def story() -> None:
        one, two = make_backends(4, 1)
        balancer = LoadBalancer([one, two])
        slot = await balancer.acquire([one])
        assert slot.backend is two
        waiting = asyncio.ensure_future(balancer.acquire([one]))
        await asyncio.sleep(0)
        other = await asyncio.wait_for(balancer.acquire(), 1)
        assert other.backend is one, "who takes any server need not stand behind who does not"
        assert not waiting.done()
        balancer.release(slot)
        assert (await waiting).backend is two

    asyncio.run(story())


def test_waiting_requests_are_served_after_retry_after() -> None:
    async def story() -> None:
        one, two = make_backends(1, 1)
        balancer = LoadBalancer([one, two])
        one.not_before = two.not_before = monotonic() + 0.05
        waiting = [asyncio.ensure_future(balancer.acquire()) for _ in range(3)]
        await asyncio.sleep(0)
        assert not any(one.done() for one in waiting)
        await asyncio.wait_for(asyncio.gather(*waiting[:2]), 5)
        assert not waiting[2].done()
        waiting[2].cancel()

    asyncio.run(story())


def test_a_server_that_is_down_gets_one_probe_at_a_time_and_is_reported_once() -> None:
    async def story() -> None:
        clock, told = Clock(), list[Remark]()
        one, two = make_backends(40, 40, clock=clock)
        balancer = LoadBalancer([one, two], told.append, clock)
        balancer.record_success(two, REQUEST)
        one.limiter.window = 40.0
        busy = [slot for slot in [await balancer.acquire() for _ in range(30)] if slot.backend is one]
        balancer.record_failure(Slot(one), failure())
        balancer.record_failure(Slot(one), failure())  # another that was under way
        assert [str(remark) for remark in told] == ["s1 is unavailable; retrying: gone"]
        assert {(await balancer.acquire()).backend.name for _ in range(4)} == {"s2"}
        waits = []
        for _ in range(12):
            waits.append(one.breaker.next_probe - clock.now)
            clock.now = one.breaker.next_probe
            probe = await balancer.acquire()
            assert probe.backend is one and probe.probe
            assert not balancer.has_another([two]), "one probe at a time"
            balancer.release(busy.pop())
            assert not balancer.has_another([two]), "the end of another request is not the probe's"
            balancer.record_failure(Slot(one), failure())  # another that was under way
            assert one.breaker.next_probe <= clock.now, "it says nothing about the next probe"
            balancer.record_failure(probe, failure())
            balancer.release(probe)
        for number, wait in enumerate(waits):
            full = min(LONGEST_WAIT_BESIDE_OTHERS, FIRST_WAIT * 2**number)
            assert full / 2 <= wait <= full
        balancer.record_success(one, REQUEST)
        assert "s1 is responding again" in str(told[-1]) and not one.breaker.is_open
        assert one.limiter.window == 2, "slow start: one request, and one more for its reply"

    asyncio.run(story())


def test_retry_after_makes_a_server_unavailable() -> None:
    clock = Clock()
    one, two = make_backends(4, 4, clock=clock)
    balancer = LoadBalancer([one, two], clock=clock)
    balancer.record_failure(Slot(one), failure("rate_limited", after=3.0))
    assert balancer.has_another([two]) is False
    clock.now = 3.0
    assert balancer.has_another([two])


@pytest.mark.parametrize("kind", ["rate_limited", "overloaded", "local_shortage"])
def test_five_consecutive_server_failures_open_the_circuit(kind: str) -> None:
    clock = Clock()
    (one,) = make_backends(4, clock=clock)
    balancer = LoadBalancer([one], clock=clock)
    for _ in range(4):
        balancer.record_failure(Slot(one), failure(kind))
    assert not one.breaker.is_open
    balancer.record_success(one, REQUEST)
    clock.now += QUIET
    for _ in range(5):
        assert not one.breaker.is_open
        balancer.record_failure(Slot(one), failure(kind))
    assert one.breaker.is_open
    assert one.breaker.needs_known_good is (kind != "local_shortage")


@pytest.mark.parametrize("kind", ["server_error", "timeout", "reset", "malformed"])
def test_failures_of_unclear_cause_are_checked_by_a_known_good_request(kind: str) -> None:
    (one,) = make_backends(4)
    balancer = LoadBalancer([one])
    for _ in range(10):
        balancer.record_failure(Slot(one), failure(kind))
    assert not one.breaker.is_open, "before any reply there is nothing to compare with"
    balancer.record_success(one, REQUEST)
    for _ in range(5):
        balancer.record_failure(Slot(one), failure(kind))
    assert one.breaker.needs_known_good and one.known_good is REQUEST


def test_refusals_trigger_probes_less_often_after_a_successful_probe() -> None:
    (one,) = make_backends(4)
    balancer = LoadBalancer([one])
    balancer.record_success(one, REQUEST)
    counts = []
    for _ in range(3):
        count = 0
        while not one.breaker.is_open:
            balancer.record_failure(Slot(one), RejectedError("no", kind="rejected"))
            count += 1
        counts.append(count)
        balancer.record_success(one, REQUEST)  # the probe
    assert counts == [5, 10, 20]


async def fail_probe(balancer: LoadBalancer, backend: Backend, clock: Clock) -> None:
    """Let the next probe of a server fail."""
    clock.now = max(clock.now, backend.breaker.next_probe)
    slot = await balancer.acquire([one for one in balancer.backends if one is not backend])
    assert slot.backend is backend and slot.probe
    try:
        balancer.record_failure(slot, failure())
    finally:
        balancer.release(slot)


def test_a_server_that_was_never_reached_ends_the_run_soon_and_a_lost_one_when_the_outage_is_too_long() -> None:
    async def story() -> None:
        clock = Clock()
        (one,) = make_backends(4, clock=clock)
        balancer = LoadBalancer([one], clock=clock)
        balancer.record_failure(Slot(one), failure())
        clock.now += UNREACHED_OUTAGE
        with pytest.raises(UnreachableError, match="address"):
            await fail_probe(balancer, one, clock)
        (two,) = make_backends(4, clock=clock, max_outage=600)
        balancer = LoadBalancer([two], clock=clock)
        balancer.record_success(two, REQUEST)
        balancer.record_failure(Slot(two), failure())
        clock.now += 599
        await fail_probe(balancer, two, clock)
        clock.now += 2
        with pytest.raises(UnreachableError, match=r"has not responded for 6\d\d s"):
            await fail_probe(balancer, two, clock)

    asyncio.run(story())


def test_all_servers_down_end_the_run() -> None:
    async def story() -> None:
        clock = Clock()
        one, two = make_backends(4, 4, clock=clock)
        balancer = LoadBalancer([one, two], clock=clock)
        balancer.record_failure(Slot(one), failure())
        balancer.record_failure(Slot(two), failure())
        clock.now += UNREACHED_OUTAGE
        await fail_probe(balancer, one, clock)
        with pytest.raises(UnreachableError, match="any of the 2 servers"):
            await fail_probe(balancer, two, clock)

    asyncio.run(story())


def test_slow_samples_alone_are_no_outage_before_a_probe_has_failed() -> None:
    clock = Clock()
    (one,) = make_backends(4, clock=clock, max_outage=600)
    balancer = LoadBalancer([one], clock=clock)
    balancer.record_success(one, REQUEST)
    for _ in range(6):
        clock.now += 180
        balancer.record_failure(Slot(one), failure("timeout"))
    assert one.breaker.needs_known_good and one.breaker.outage_seconds <= 180


def test_rate_limited_requests_do_not_go_to_a_server_that_went_down_meanwhile() -> None:
    async def story() -> None:
        (one,) = make_backends(4)
        one.limiter = AdaptiveLimiter(4, requests_per_minute=600)
        balancer = LoadBalancer([one])
        first = await balancer.acquire()
        held = asyncio.ensure_future(balancer.acquire())
        await asyncio.sleep(0.01)
        balancer.record_failure(first, failure())
        balancer.release(first)
        slot = await asyncio.wait_for(held, 5)
        assert slot.probe, "it is the probe, after its wait"

    asyncio.run(story())


def test_a_server_without_access_leaves_the_work_to_others_and_all_without_end_the_run() -> None:
    one, two = make_backends(4, 4)
    balancer = LoadBalancer([one, two])
    refusal = AccessError("no key")
    balancer.record_refusal(Slot(one), refusal)
    assert not balancer.has_another([two]) and not balancer.may_have_another([two])
    with pytest.raises(AccessError):
        balancer.record_refusal(Slot(two), refusal)


def test_failures_of_many_samples_from_the_start_end_the_run_but_not_those_of_an_earlier_start() -> None:
    (one,) = make_backends(4)
    balancer = LoadBalancer([one])
    refusal = RejectedError("no", kind="rejected")
    for _ in range(100):
        balancer.record_failure(Slot(one), refusal)
    for number in range(19):
        balancer.record_failure(Slot(one), refusal, f"sample {number}")
    with pytest.raises(AllFailingError):
        balancer.record_failure(Slot(one), refusal, "sample 19")
    (few,) = make_backends(4)
    balancer = LoadBalancer([few])
    for number in range(60):
        balancer.record_failure(Slot(few), refusal, f"sample {number % 7}")


def test_rate_limits_between_replies_are_no_outage() -> None:
    clock = Clock()
    (one,) = make_backends(4, clock=clock)
    balancer = LoadBalancer([one], clock=clock)
    for _ in range(20):
        balancer.record_success(one, REQUEST)
        for _ in range(10):
            clock.now += 0.05
            balancer.record_failure(Slot(one), failure("rate_limited", after=1.0))
    assert not one.breaker.is_open
    clock.now += QUIET
    balancer.record_failure(Slot(one), failure("rate_limited"))
    assert one.breaker.is_open


def test_backoff_doubles_with_jitter() -> None:
    for tries in range(1, 12):
        full = min(LONGEST_WAIT, FIRST_WAIT * 2 ** (tries - 1))
        assert all(full / 2 <= backoff(tries) <= full for _ in range(50))
    assert len({backoff(3) for _ in range(20)}) > 1


class Listening(Progress):
    """Keeps the notices of a run; the current ones while it goes on."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def inference_updated(self, progress: RunProgress) -> None:
        self.told = [str(notice) for notice in progress.notices]

    inference_finished = inference_updated


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


def test_the_faster_server_gets_most_requests_and_both_are_counted(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 300)
    with server("--latency", "0.3") as slow, server("--latency", "0.005", "--log", tmp_path / "log") as quick:
        result = ask(tmp_path, slow, quick, concurrency=8)
    check_answers(result.folder, 300)
    counts = RunFolder(result.folder).load_manifest().servers
    assert counts[quick].requests > 3 * counts[slow].requests > 0
    assert counts[quick].requests == len((tmp_path / "log").read_text().splitlines())
    assert counts[quick].requests + counts[slow].requests == 300
    told = [str(fact) for fact in load_run(result.folder).summary.facts]
    assert f"{quick}: {counts[quick].requests} requests, 0 failed" in told


def test_an_unreachable_server_and_one_that_refuses_access_do_no_harm(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 60)
    listening = Listening()
    with server("--status", "401") as shut, server("--latency", "0.01") as base:
        result = ask(tmp_path, DEAD, shut, base, progress=listening, max_tries=1)
    assert result.complete
    check_answers(result.folder, 60)
    assert not [line for line in journal(result.folder) if line.get("final")]
    heard = "\n".join(listening.told)
    assert f"{DEAD} is unavailable; retrying: Cannot connect" in heard
    assert f"{shut} is no longer used" in heard and "HTTP 401" in heard


def test_no_server_is_reachable(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 60)
    result = ask(tmp_path, DEAD, "http://127.0.0.1:7/v1")
    assert isinstance(result.stopped, UnreachableError)


@pytest.mark.slow
def test_a_server_that_dies_in_the_middle_and_comes_back(tmp_path: Path) -> None:
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
        while thread.is_alive() and not any("is unavailable" in notice for notice in listening.told):
            time.sleep(0.01)
        port = mortal.rpartition(":")[2].partition("/")[0]
        with server("--latency", "0.1", "--port", port, "--log", tmp_path / "again"):
            thread.join()
    (result,) = results
    assert result.complete
    check_answers(result.folder, 400)
    assert f"{mortal} is unavailable" in "\n".join(listening.told)
    assert (tmp_path / "again").read_text().count("\n") > 0, "it was tried again and answered"


def test_each_server_gets_its_own_key_and_no_file_does(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 60)
    keys = ("sk-first-0123456789", "sk-second-9876543210")
    with server("--key", keys[0], "--latency", "0.02") as one, server("--key", keys[1], "--latency", "0.02") as two:
        result = ask(tmp_path, one, two, api_key=",".join(keys), concurrency=4)
    assert result.complete
    counts = RunFolder(result.folder).load_manifest().servers
    assert all(count.requests and not count.errors for count in counts.values())
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert not any(key.encode() in path.read_bytes() for key in keys), path


def test_servers_may_change_between_two_starts_except_the_first(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 60)
    with server("--latency", "0.01") as one, server("--latency", "0.01") as two:
        first = ask(tmp_path, one, two, max_requests=30)
        second = ask(tmp_path, one)
    assert first.folder == second.folder
    check_answers(second.folder, 60)
    assert sum(count.requests for count in RunFolder(second.folder).load_manifest().servers.values()) == 30


def test_servers_are_shown_as_the_user_named_them(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 40)
    with server("--latency", "0.01") as one, server("--latency", "0.01") as two:
        call = ("run", "simulation", "--data", data, "--model", "m", "--json")
        told = sightline(*call, "--api-base", one, "--api-base", f"{two}#concurrency=2", cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    result = json.loads(told.stdout)
    assert result["statuses"] == {"answered": 40}
    counted = {fact["args"]["server"]: fact["args"]["requests"] for fact in result["facts"] if "server" in fact["args"]}
    assert set(counted) == {one, two} and sum(counted.values()) == 40
    assert counted[two] > 0


def test_control_characters_of_a_server_do_not_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    tally = RunProgress(retried=1, waiting_for="reset: \x1b[2Jgone\x07")
    tally.notices.append(
        Remark("{server} is unavailable; retrying: {reason}", {"reason": "\x1b]0;x\x07", "server": "s"})
    )
    progress = make_progress()
    progress.inference_finished(tally)
    assert "s is unavailable" in (told := capsys.readouterr().err)
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
