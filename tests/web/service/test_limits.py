"""Limits hold: costly work is cut, the queue is fair and finite, and nobody waits for somebody else's fault."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from msgspec import structs
from starlette.requests import Request

from sightline.web.service.app import make_app
from sightline.web.service.endpoints import all_endpoints
from sightline.web.service.limits import BodyReader, FairQueue, QueueFullError, ServiceLimits
from sightline.web.service.problems import ProblemError
from sightline.web.service.worker import JobRequest, handle_job
from sightline.web.service.worker_pool import WorkerPool
from tests.support.framecalc import beam
from tests.web.service.callers import Caller, started

COUNT = {"task": "counting", "gt": "3", "output": "3"}


def costly() -> dict[str, Any]:
    """Thousands of structural models, each of which takes more than a millisecond to grade."""
    return {"suite": "structural", "samples": [{"truth": beam(), "output": "<json>{}</json>"}] * 5000}


@pytest.mark.slow
def test_a_request_that_overruns_is_cut_and_its_worker_replaced() -> None:
    with started(ServiceLimits(workers=1, seconds=1.0)) as caller:
        told = caller.post("/v1/score/many", costly(), 422)
        assert told["type"] == "/docs#too-costly" and "1 s" in told["detail"]
        # another worker takes longer to start than a request may take: that is not the next one's fault
        assert caller.post("/v1/score", COUNT)["score"] == 1.0


@pytest.mark.slow
def test_others_are_answered_while_one_takes_long(service: Caller) -> None:
    solved = {"truth": beam(), "output": json.dumps(beam())}  # takes some milliseconds
    long = {"suite": "structural", "samples": [solved] * 1000}
    ended: list[str] = []
    with ThreadPoolExecutor(2) as threads:
        slow = threads.submit(service.post, "/v1/score/many", long)
        slow.add_done_callback(lambda _: ended.append("long"))
        while not service.get("/healthz")["busy"]:
            pass
        assert service.post("/v1/score", COUNT)["score"] == 1.0
        ended.append("short")
        assert slow.result()["samples"] == 1000
    assert ended == ["short", "long"]


def test_a_crowd_is_answered_without_a_mix_up(service: Caller) -> None:
    def ask(number: int) -> tuple[int, float]:
        told = service.post("/v1/score", {"task": "counting", "gt": "0", "output": str(number)})
        return number, told["values"]["error"]

    with ThreadPoolExecutor(20) as threads:
        assert all(error == number for number, error in threads.map(ask, range(100)))


@pytest.mark.slow
def test_a_full_queue_sends_away_and_says_when_to_come_back() -> None:
    async def crowd(client: Any) -> list[Any]:
        asked = {"suite": "structural", "samples": [{"truth": beam(), "output": ""}] * 100}
        return await asyncio.gather(*(client.post("/v1/score/many", json=asked) for _ in range(6)))

    async def scene() -> list[Any]:
        app: Any = make_app(ServiceLimits(workers=1, waiting=2), "")
        async with app._app.router.lifespan_context(app._app):
            transport = httpx.ASGITransport(app=app)
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", timeout=60) as client:
                return await crowd(client)

    answers = asyncio.run(scene())
    assert sorted(one.status_code for one in answers) == [200, 200, 200, 429, 429, 429]
    refused = next(one for one in answers if one.status_code == 429)
    assert int(refused.headers["retry-after"]) >= 1
    assert refused.json()["type"] == "/docs#full"


def test_a_body_that_does_not_come_is_not_waited_for() -> None:
    async def scene() -> ProblemError:
        async def receive() -> Any:
            await asyncio.Event().wait()

        scope = {"type": "http", "headers": [(b"content-type", b"application/json")]}
        with pytest.raises(ProblemError) as refusal:
            async with BodyReader(ServiceLimits(seconds=0.05)).body(Request(scope, receive)):
                raise AssertionError
        return refusal.value

    assert asyncio.run(scene()).status == 408


def test_work_that_wants_too_much_memory_is_no_fault_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    def greedy() -> Any:
        raise MemoryError

    def broken() -> Any:
        raise KeyError("a secret of the inside")

    own = all_endpoints()["/v1/tasks"]
    for answer, status in ((greedy, 422), (broken, 500)):
        monkeypatch.setitem(all_endpoints(), "/v1/tasks", structs.replace(own, answer=answer))
        done = handle_job(JobRequest("/v1/tasks", "en"))
        assert done.status == status
        assert b"secret" not in done.body and b"Traceback" not in done.body


@pytest.mark.slow
def test_a_worker_that_is_lost_is_replaced() -> None:
    """Ended from outside while it has nothing to do: the next request does not notice."""

    async def scene() -> int:
        workers = WorkerPool(ServiceLimits(workers=1))
        await workers.start()
        try:
            worker = await workers._idle.get()
            await worker.kill()
            workers._idle.put_nowait(worker)
            return (await workers.run(JobRequest("/v1/suites", "en"))).status
        finally:
            await workers.close()

    assert asyncio.run(scene()) == 200


def test_turns_rotate_between_clients() -> None:
    """A client with a crowd can't keep another out: its second request comes after the other's first."""

    async def scene() -> list[str]:
        turns, order = FairQueue(1, 10), []
        await turns.acquire("first")

        async def one(name: str) -> None:
            await turns.acquire(name[0])
            order.append(name)
            turns.release()

        tasks = []
        for name in ("a1", "a2", "a3", "b1", "c1", "b2"):
            tasks.append(asyncio.create_task(one(name)))
            await asyncio.sleep(0)
        turns.release()
        await asyncio.gather(*tasks)
        assert turns.waiting == 0
        return order

    assert asyncio.run(scene()) == ["a1", "b1", "c1", "a2", "b2", "a3"]


def test_who_goes_away_leaves_no_gap() -> None:
    async def scene() -> None:
        turns = FairQueue(1, 2)
        await turns.acquire("x")
        first, second = (asyncio.create_task(turns.acquire("x")) for _ in range(2))
        await asyncio.sleep(0)
        with pytest.raises(QueueFullError):
            await turns.acquire("y")
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        assert turns.waiting == 1
        turns.release()
        await second
        late = asyncio.create_task(turns.acquire("z"))
        await asyncio.sleep(0)
        turns.release()  # its turn comes, and in the same moment it goes away
        late.cancel()
        await asyncio.gather(late, return_exceptions=True)
        async with asyncio.timeout(1):
            await turns.acquire("w")

    asyncio.run(scene())
