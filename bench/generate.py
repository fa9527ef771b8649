"""Drawings a second: models made, checked by the solver, drawn, encoded and written, on one core.

    python bench/generate.py [--drawings 300] [--rounds 3]

Each round runs in a process of its own, with one thread for linear algebra, and writes all files to a fresh folder. The
time is taken from the call to the last file; importing comes on top and is shown beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

LEAST = 20.0
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def run(count: int, seed: int) -> tuple[float, float, float]:
    """Seconds of importing, seconds of generating, and kB a PNG."""
    started = time.perf_counter()
    from sightline.suites.structural.generator.plan import generate  # imported ahead of the clock

    imported = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        generate(Path(folder), count, seed)
        done = time.perf_counter()
        sizes = [path.stat().st_size for path in Path(folder).glob("images/*.png")]
    assert len(sizes) == count, f"{len(sizes)} pictures instead of {count}"
    return imported - started, done - imported, statistics.mean(sizes) / 1000


def measure(count: int, seed: int) -> tuple[float, float, float]:
    """One round in a process of its own, kept on one core where the system can do that."""
    command = [sys.executable, __file__, "--arm", str(seed), "--drawings", str(count)]
    finished = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **ONE_THREAD})
    if finished.returncode:
        raise SystemExit(finished.stderr)
    importing, generating, size = json.loads(finished.stdout.splitlines()[-1])
    return importing, generating, size


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--drawings", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--gate", action="store_true", help="exit with 1 where the bound is missed")
    parser.add_argument("--arm", type=int)
    args = parser.parse_args()
    if args.arm is not None:
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        print(json.dumps(run(args.drawings, args.arm)))
        return
    rounds = [measure(args.drawings, seed) for seed in range(args.rounds)]
    rate = statistics.median(args.drawings / generating for _, generating, _ in rounds)
    importing = statistics.median(importing for importing, *_ in rounds)
    size = statistics.mean(size for *_, size in rounds)
    print(f"{args.drawings:,} drawings of difficulty 1 to 5, one core, median of {args.rounds} rounds")
    print(f"{rate:.1f} drawings/s (at least {LEAST:.0f}), {size:.0f} kB a PNG, imports {importing:.2f} s")
    if args.gate and rate < LEAST:
        sys.exit(1)


if __name__ == "__main__":
    main()
