"""Throughput and memory of asking, beside a bare loop with the same HTTP client, on loopback.

    python bench/ask.py [--samples 20000] [--rounds 3]

Each sample carries a picture of 100 kB. The bare loop reads the picture, encodes the same request, posts it and reads
the reply: no journal, no retries, no grading. Both run in processes of their own against the same server process; what
is compared is the time from the first request to the last reply, and the whole process is shown beside it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

PICTURE = 100_000
_HEAD = b"\x89PNG\r\n\x1a\n"
"""What makes the bytes a picture, by their head."""
QUESTIONS = 1
CONCURRENCY = 64


def peak_megabytes() -> float:
    """The process's own peak: ru_maxrss would show the parent's where that was larger at the fork."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024


def bare_loop(data: Path, base: str) -> float:
    import base64

    import aiohttp
    import msgspec

    content = json.loads((data / "benchmark" / "questions.json").read_text())["structural"]
    questions = [row["question"] for row in content["questions"]]
    jobs = ((file, question) for file in content["files"] for question in questions)

    async def worker(session: aiohttp.ClientSession) -> None:
        for file, question in jobs:
            picture = base64.b64encode((data / f"data/structural/images/{file}.png").read_bytes()).decode()
            text = f"Question: {question} (True/False)\n\nAnswer with only True or False:"
            parts = [
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{picture}"}},
                {"type": "text", "text": text},
            ]
            body = {"model": "m", "temperature": 0, "messages": [{"role": "user", "content": parts}]}
            packed = msgspec.json.encode(body)
            headers = {"Content-Type": "application/json"}
            async with session.post(f"{base}/chat/completions", data=packed, headers=headers) as response:
                msgspec.json.decode(await response.read())["choices"][0]["message"]["content"]

    async def run() -> None:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
            await asyncio.gather(*(worker(session) for _ in range(CONCURRENCY)))

    started = time.perf_counter()
    asyncio.run(run())
    return time.perf_counter() - started


def with_sightline(data: Path, base: str) -> float:
    from sightline.core import config
    from sightline.core.registry import find
    from sightline.data.dataset import open_dataset
    from sightline.data.fingerprint import fingerprint
    from sightline.models import make_model
    from sightline.reports import write
    from sightline.runs.manifest import build_manifest
    from sightline.runs.resume import open_run_folder
    from sightline.runs.run import Progress, Run, first_sample, select_samples

    flags = {
        "model": "m",
        "api_base": base,
        "data": str(data),
        "concurrency": CONCURRENCY,
        "output_dir": str(data / "runs"),
    }
    settings, options = config.resolve("simulation", flags={**flags, "fresh": True})
    suite = find("suites", "simulation")(options)
    model = make_model(settings)
    dataset = open_dataset(suite, data)
    first = first_sample(select_samples(dataset, settings))
    manifest = build_manifest(suite, settings, model, data, fingerprint(data), first)
    folder = open_run_folder(Path(settings.output_dir), manifest, None).folder
    work = Run(
        suite=suite,
        config=settings,
        data=data,
        dataset=dataset,
        folder=folder,
        manifest=manifest,
        progress=Progress(),
        reports=write,
    )
    started = time.perf_counter()
    stopped = work.run_inference(model, False)
    asked = time.perf_counter() - started
    assert stopped is None, stopped
    summary = work.grade()
    assert summary.statuses == {"answered": summary.samples}, summary.statuses
    return asked


def measure(arm: str, data: Path, base: str) -> tuple[float, float, float]:
    """Seconds of asking, seconds of the whole process, and peak memory of one arm in a process of its own."""
    command = [sys.executable, __file__, "--arm", arm, "--data", str(data), "--base", base]
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "NO_PROXY": "127.0.0.1"})
    if done.returncode:
        raise SystemExit(done.stderr)
    asking, peak = json.loads(done.stdout.splitlines()[-1])
    return asking, time.perf_counter() - started, peak


def make_data(folder: Path, samples: int) -> Path:
    from tests.support.worlds import write_questions

    return write_questions(
        folder, QUESTIONS, samples // QUESTIONS, _HEAD + random.Random(0).randbytes(PICTURE - len(_HEAD))
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--gate", action="store_true", help="exit with 1 where a bound is missed")
    parser.add_argument("--arm", default="")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--base", default="")
    args = parser.parse_args()
    if args.arm:
        seconds = (bare_loop if args.arm == "bare" else with_sightline)(args.data, args.base)
        print(json.dumps([seconds, peak_megabytes()]))
        return

    from tests.support.worlds import server

    with tempfile.TemporaryDirectory() as temporary, server("--bare") as base:
        small = make_data(Path(temporary) / "small", args.samples // 10)
        large = make_data(Path(temporary) / "large", args.samples)
        rates: dict[str, list[float]] = {"bare": [], "sightline": []}
        whole: dict[str, list[float]] = {"bare": [], "sightline": []}
        peaks: dict[str, float] = {}
        for _ in range(args.rounds):
            for arm in rates:
                asking, seconds, peak = measure(arm, large, base)
                rates[arm].append(args.samples / asking)
                whole[arm].append(seconds)
                peaks[arm] = max(peak, peaks.get(arm, 0.0))
        *_, peak_small = measure("sightline", small, base)
    bare, ours = (statistics.median(rates[arm]) for arm in ("bare", "sightline"))
    print(
        f"{args.samples:,} samples, {PICTURE // 1000} kB each, {CONCURRENCY} in flight, median of {args.rounds} rounds"
    )
    for arm, rate in (("bare", bare), ("sightline", ours)):
        seconds = statistics.median(whole[arm])
        print(f"{arm:<10} {rate:7.0f} samples/s asking, whole process {seconds:6.1f} s, peak {peaks[arm]:5.0f} MB")
    growth = peaks["sightline"] - peak_small
    print(f"throughput sightline / bare: {ours / bare:.2f} (at least 0.70)")
    print(
        f"peak at {args.samples // 10:,} samples: {peak_small:.0f} MB, so {growth:+.0f} MB at ten times (at most 100)"
    )
    if args.gate and (ours / bare < 0.7 or growth > 100):
        sys.exit(1)


if __name__ == "__main__":
    main()
