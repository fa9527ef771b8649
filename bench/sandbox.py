"""Programs a second in the sandbox: small ones that import NumPy, each in a process of its own.

    python bench/sandbox.py [--programs 200] [--workers 2] [--rounds 3] [--way bubblewrap|landlock] [--gate]

Every way that holds here is measured. Start-up is the time until all workers have imported NumPy and Matplotlib; the
latency is that of one program when nothing else runs. The peak is the largest process of a worker.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from sightline.suites.matrix.sandbox import IsolationMethod, Sandbox, unavailable_reason

WANTED = 50.0
"""Programs a second."""
CODE = """
import numpy as np

def solve(n, seed):
    random = np.random.default_rng(seed)
    matrix = random.normal(size=(n, n)) + n * np.eye(n)
    right = np.arange(n, dtype=float)
    return float(np.abs(matrix @ np.linalg.solve(matrix, right) - right).max())
"""
DRAWING = "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2])\nplt.title('drawn')"


def one(sandbox: Sandbox, number: int) -> float:
    started = time.perf_counter()
    outcome = sandbox.run(CODE, call="solve", arguments=[8 + number % 16, number])
    assert outcome.state == "ok" and outcome.result < 1e-9, outcome
    return time.perf_counter() - started


def measure(method: IsolationMethod, programs: int, workers: int, rounds: int) -> float:
    """The median rate of some rounds."""
    started = time.perf_counter()
    with Sandbox(method=method, workers=workers) as sandbox, ThreadPoolExecutor(workers) as pool:
        sandbox.start()
        start_up = time.perf_counter() - started
        rates = []
        for _ in range(rounds):
            began = time.perf_counter()
            list(pool.map(lambda number: one(sandbox, number), range(programs)))
            rates.append(programs / (time.perf_counter() - began))
        alone = statistics.median(one(sandbox, number) for number in range(40))
        pictures = [sandbox.run(DRAWING, picture=True) for _ in range(10)]
        assert all(each.picture for each in pictures), pictures[0]
        drawing = statistics.median(each.seconds for each in pictures)
        peak = sandbox.peak_mb
    rate = statistics.median(rates)
    print(
        f"{method:<11} {rate:6.0f} programs/s on {workers} workers ({min(rates):.0f}–{max(rates):.0f}), "
        f"one alone {alone * 1000:.1f} ms, a plot {drawing * 1000:.0f} ms, start-up {start_up:.2f} s, "
        f"peak {peak:.0f} MB"
    )
    return rate


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--way", choices=["bubblewrap", "landlock"])
    parser.add_argument("--gate", action="store_true", help=f"exit with 1 below {WANTED:.0f} programs a second")
    args = parser.parse_args()
    slowest = None
    for method in [args.way] if args.way else ["bubblewrap", "landlock"]:
        if reason := unavailable_reason(method):
            print(f"{method:<11} not here: {reason}")
            continue
        rate = measure(method, args.programs, args.workers, args.rounds)
        slowest = min(rate, slowest or rate)
    if args.gate and (slowest is None or slowest < WANTED):
        sys.exit(1)


if __name__ == "__main__":
    main()
