"""Throughput and memory of asking, beside a bare loop with the same HTTP client, on loopback.

    python bench/ask.py [--samples 20000] [--rounds 3] [--max-pixels 10000] [--repeats 3]

Each sample carries a picture of 100 kB. The bare loop reads the picture, encodes the same request, posts it and reads
the reply: no journal, no retries, no grading. With --max-pixels both resize the picture, in threads: it has 33,489
pixels, so that a larger budget shows what looking at the picture costs. With --repeats both ask every question as many
times; --samples is the number of requests in any case.

Both run in processes of their own against the same server process; what
is compared is the time from the first request to the last reply, and the whole process is shown beside it.
"""

from __future__ import annotations

import argparse
import asyncio
import io
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

SIDE = 183
"""Width and height of the picture: noise in three bands, so that a PNG of it has 100 kB."""
QUESTIONS = 1
CONCURRENCY = 64


def peak_megabytes() -> float:
    """The process's own peak: ru_maxrss would show the parent's where that was larger at the fork."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024


def noise_picture() -> bytes:
    from PIL import Image

    out = io.BytesIO()
    Image.frombytes("RGB", (SIDE, SIDE), random.Random(0).randbytes(3 * SIDE * SIDE)).save(out, "PNG")
    return out.getvalue()


def resize(content: bytes, max_pixels: int) -> bytes:
    """What a script would do to keep a budget of pixels."""
    from PIL import Image

    with Image.open(io.BytesIO(content)) as image:
        scale = (max_pixels / (image.width * image.height)) ** 0.5
        if scale >= 1:
            return content
        small = image.resize((int(image.width * scale), int(image.height * scale)), Image.Resampling.BICUBIC)
    out = io.BytesIO()
    small.save(out, "PNG", compress_level=1)
    return out.getvalue()


def bare_loop(data: Path, base: str, max_pixels: int, repeats: int) -> float:
    import base64

    import aiohttp
    import msgspec

    content = json.loads((data / "benchmark" / "questions.json").read_text())["structural"]
    questions = [row["question"] for row in content["questions"]]
    jobs = ((file, question) for file in content["files"] for question in questions for _ in range(repeats))

    async def worker(session: aiohttp.ClientSession) -> None:
        for file, question in jobs:
            content = (data / f"data/structural/images/{file}.png").read_bytes()
            if max_pixels:
                content = await asyncio.to_thread(resize, content, max_pixels)
            picture = base64.b64encode(content).decode()
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


def with_sightline(data: Path, base: str, max_pixels: int, repeats: int) -> float:
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
        "max_pixels": max_pixels or None,
        "repeats": repeats,
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
    assert summary.statuses == {"answered": summary.samples * repeats}, summary.statuses
    return asked


def measure(arm: str, data: Path, base: str, max_pixels: int, repeats: int) -> tuple[float, float, float]:
    """Seconds of asking, seconds of the whole process, and peak memory of one arm in a process of its own."""
    command = [sys.executable, __file__, "--arm", arm, "--data", str(data), "--base", base]
    command += ["--max-pixels", str(max_pixels), "--repeats", str(repeats)]
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "NO_PROXY": "127.0.0.1"})
    if done.returncode:
        raise SystemExit(done.stderr)
    asking, peak = json.loads(done.stdout.splitlines()[-1])
    return asking, time.perf_counter() - started, peak


def make_data(folder: Path, samples: int) -> Path:
    from tests.support.worlds import write_questions

    return write_questions(folder, QUESTIONS, samples // QUESTIONS, noise_picture())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--max-pixels", type=int, default=0, help="resize pictures to this budget in both arms")
    parser.add_argument("--repeats", type=int, default=1, help="ask every question this often in both arms")
    parser.add_argument("--gate", action="store_true", help="exit with 1 where a bound is missed")
    parser.add_argument("--arm", default="")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--base", default="")
    args = parser.parse_args()
    if args.arm:
        seconds = (bare_loop if args.arm == "bare" else with_sightline)(
            args.data, args.base, args.max_pixels, args.repeats
        )
        print(json.dumps([seconds, peak_megabytes()]))
        return

    from tests.support.worlds import server

    with tempfile.TemporaryDirectory() as temporary, server("--bare") as base:
        small = make_data(Path(temporary) / "small", args.samples // args.repeats // 10)
        large = make_data(Path(temporary) / "large", args.samples // args.repeats)
        rates: dict[str, list[float]] = {"bare": [], "sightline": []}
        whole: dict[str, list[float]] = {"bare": [], "sightline": []}
        peaks: dict[str, float] = {}
        for _ in range(args.rounds):
            for arm in rates:
                asking, seconds, peak = measure(arm, large, base, args.max_pixels, args.repeats)
                rates[arm].append(args.samples / asking)
                whole[arm].append(seconds)
                peaks[arm] = max(peak, peaks.get(arm, 0.0))
        *_, peak_small = measure("sightline", small, base, args.max_pixels, args.repeats)
    bare, ours = (statistics.median(rates[arm]) for arm in ("bare", "sightline"))
    size = len(noise_picture()) // 1000
    print(f"{args.samples:,} samples, {size} kB each, {CONCURRENCY} in flight, median of {args.rounds} rounds")
    for arm, rate in (("bare", bare), ("sightline", ours)):
        seconds = statistics.median(whole[arm])
        print(f"{arm:<10} {rate:7.0f} samples/s asking, whole process {seconds:6.1f} s, peak {peaks[arm]:5.0f} MB")
    growth = peaks["sightline"] - peak_small
    bound = 0.85 if args.max_pixels == 0 and args.repeats == 1 else 0.7
    print(f"throughput sightline / bare: {ours / bare:.2f} (at least {bound:.2f})")
    print(
        f"peak at {args.samples // 10:,} samples: {peak_small:.0f} MB, so {growth:+.0f} MB at ten times (at most 100)"
    )
    if args.gate and (ours / bare < bound or growth > 100):
        sys.exit(1)


if __name__ == "__main__":
    main()
