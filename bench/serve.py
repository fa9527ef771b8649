"""The HTTP service under a crowd: 200 clients at once on loopback, each checking that the answer is its own.

    python bench/serve.py [--seconds 60] [--clients 200] [--workers N]

A real server process as `sightline serve` starts it. Four requests in five grade a count, one solves a beam. A client
that is told to come back later (429) does so, and the time until its answer counts. What is stated: requests that got
no answer or a wrong one, the rate, and the time from sending to the last byte.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import secrets
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import aiohttp

ROOT = Path(__file__).resolve().parents[1]


def beam(load: float) -> dict[str, Any]:
    """A simple span of 6 m under a uniform load."""
    return {
        "points": [{"id": "A", "x": 0, "y": 0}, {"id": "B", "x": 6, "y": 0}],
        "links": [{"id": "L", "a": "A", "b": "B"}],
        "supports": [
            {"at": {"type": "point", "id": "A"}, "kind": "pin"},
            {"at": {"type": "point", "id": "B"}, "kind": "roller"},
        ],
        "loads": [
            {
                "kind": "distributedLoad",
                "at": {"type": "link", "id": "L"},
                "wStart": load,
                "wEnd": load,
                "angleDeg": 270,
            }
        ],
    }


def request(number: int) -> tuple[str, dict[str, Any]]:
    """The address and body of a client's next request."""
    if number % 5 == 0:
        return "/v1/solve", {"model": beam(1 + number % 1000)}
    return "/v1/score", {"task": "counting", "gt": "0", "output": str(number)}


def is_right(number: int, told: Any) -> bool:
    """Whether an answer is the one to this very request."""
    if number % 5 == 0:
        held = sum(one["value"] for one in told["reactions"] if one["type"] != "ux")
        return abs(held - 6 * (1 + number % 1000)) < 1e-6 * held
    return bool(told["values"]["error"] == number)


async def client(session: aiohttp.ClientSession, first: int, until: float, seen: dict[str, Any]) -> None:
    """Ask one thing after another."""
    number = first
    while time.perf_counter() < until:
        path, body = request(number)
        started = time.perf_counter()
        while True:
            try:
                async with session.post(path, json=body) as answer:
                    told = await answer.json(content_type=None)
                    status = answer.status
                    later = answer.headers.get("Retry-After", "1")
            except (aiohttp.ClientError, TimeoutError) as error:
                seen["outcomes"][type(error).__name__] += 1
                break
            if status == 429:
                seen["outcomes"]["told to come back"] += 1
                await asyncio.sleep(float(later))
                continue
            right = status == 200 and is_right(number, told)
            seen["outcomes"]["right" if right else f"wrong ({status})"] += 1
            seen["times"].setdefault(path, []).append(time.perf_counter() - started)
            break
        number += 1_000


async def crowd(port: int, token: str, clients: int, workers: int, seconds: float) -> dict[str, Any]:
    """All clients at once."""
    seen: dict[str, Any] = {"outcomes": Counter(), "times": {}}
    headers = {"Authorization": f"Bearer {token}"}
    async with aiohttp.ClientSession(
        f"http://127.0.0.1:{port}",
        headers=headers,
        connector=aiohttp.TCPConnector(limit=0),
        timeout=aiohttp.ClientTimeout(total=120),
    ) as session:
        while (await (await session.get("/healthz")).json())["workers"] < workers:  # noqa: ASYNC110  # another process
            await asyncio.sleep(0.2)  # starting is not what is measured
        started = time.perf_counter()
        await asyncio.gather(*(client(session, k, started + seconds, seen) for k in range(clients)))
        seen["seconds"] = time.perf_counter() - started
    return seen


def share(times: list[float], part: float) -> float:
    """A quantile in milliseconds."""
    return 1000 * sorted(times)[min(int(part * len(times)), len(times) - 1)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    args = parser.parse_args()
    token = secrets.token_urlsafe(24)
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "sightline", "serve", "--port", "0", "--no-log", "--workers", str(args.workers)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "SIGHTLINE_SERVE_TOKEN": token, "SIGHTLINE_LANG": "en"},
    )
    assert process.stdout is not None
    try:
        port = re.search(r"127\.0\.0\.1:(\d+)", process.stdout.readline())
        assert port is not None
        seen = asyncio.run(crowd(int(port[1]), token, args.clients, args.workers, args.seconds))
    finally:
        process.send_signal(signal.SIGTERM)
        code = process.wait()
    every = [one for times in seen["times"].values() for one in times]
    print(f"{args.clients} clients, {args.workers} workers, {seen['seconds']:.1f} s; the server ended with {code}")
    print(f"outcomes: {json.dumps(seen['outcomes'])}")
    print(f"rate: {len(every) / seen['seconds']:.0f} answers a second")
    for path, times in {"all": every, **seen["times"]}.items():
        print(f"{path:10} n {len(times):6}   p50 {share(times, 0.5):7.1f} ms   p99 {share(times, 0.99):7.1f} ms")


if __name__ == "__main__":
    main()
