"""Outages at their real length: what a run loses, how many requests it wastes, how soon it goes on.

    python bench/outage.py [--scale 1.0]

A server on loopback fails in the middle of a run of 660 samples: 60 s of 503, 120 s of 429 without Retry-After, and a
restart with nobody there for 20 s. `--scale 0.1` shortens the outages, not the waits.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from sightline import evaluate  # noqa: E402
from sightline.api.evaluation import Result  # noqa: E402
from tests.support.misbehaving import MisbehavingServer  # noqa: E402
from tests.support.worlds import journal, only_run, server, write_questions  # noqa: E402

SAMPLES = 660
CONCURRENCY = 16


def ask(folder: Path, base: str) -> Result:
    """One run over all samples."""
    return evaluate(
        "simulation",
        data=str(folder / "data"),
        model="m",
        api_base=base,
        output_dir=str(folder / "runs"),
        concurrency=CONCURRENCY,
    )


def fail_for(folder: Path, name: str, seconds: float) -> tuple[Result, int]:
    """A run through a server that misbehaves for so long after 200 answers."""
    with MisbehavingServer(name, after=200, seconds=seconds, latency=0.01) as unwell:
        return ask(folder, unwell.base), unwell.misbehaved


def restart(folder: Path, seconds: float) -> tuple[Result, int]:
    """A run whose server goes away and comes back at the same address."""
    results: list[Result] = []
    with server("--latency", "0.02") as base:
        thread = threading.Thread(target=lambda: results.append(ask(folder, base)))
        thread.start()
        while not list((folder / "runs").glob("*/journal.jsonl")) or len(journal(only_run(folder / "runs"))) < 200:
            time.sleep(0.01)
    time.sleep(seconds)
    with server("--port", base.rpartition(":")[2].partition("/")[0]):
        thread.join()
    failures = sum(line["type"] != "answer" for line in journal(results[0].folder))
    return results[0], failures


def main() -> None:
    """Run all outages and print one line each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--scale", type=float, default=1.0)
    scale = parser.parse_args().scale
    outages = {
        f"{60 * scale:.0f} s of 503": lambda folder: fail_for(folder, "http_503", 60 * scale),
        f"{120 * scale:.0f} s of 429": lambda folder: fail_for(folder, "http_429", 120 * scale),
        f"restart, {20 * scale:.0f} s away": lambda folder: restart(folder, 20 * scale),
    }
    print(f"{SAMPLES} samples, concurrency {CONCURRENCY}")
    lost = 0
    for title, run in outages.items():
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            write_questions(folder / "data", SAMPLES)
            started = time.monotonic()
            result, wasted = run(folder)
            seconds = time.monotonic() - started
            answered = result.summary.statuses.get("answered", 0)
            lost += SAMPLES - answered
            print(f"{title:20} lost {SAMPLES - answered:4}   requests in vain {wasted:4}   {seconds:6.1f} s in all")
    sys.exit(1 if lost else 0)


if __name__ == "__main__":
    main()
