"""Seconds a computed simulation, on one core: proposed, solved, drawn as still and film, reported.

    python bench/simulate.py [--count 40] [--seed 7] [--gate]

`--gate` exits with 1 where a case took longer than 20 s.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
os.environ.update(dict.fromkeys(ONE_THREAD, "1"))  # before NumPy is loaded

from sightline.suites.simulation.generator.dataset_writer import write_case  # noqa: E402
from sightline.suites.simulation.generator.plan import COMPUTED_DOMAINS, plan_cases  # noqa: E402
from sightline.suites.simulation.generator.rng import ParameterRng  # noqa: E402

MOST = 20.0


def main() -> None:
    """Time every case of a plan."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--gate", action="store_true")
    args = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    times: dict[str, list[float]] = defaultdict(list)
    answers: list[bool] = []
    with tempfile.TemporaryDirectory() as folder:
        before = time.perf_counter()
        for number, (domain, case) in enumerate(plan_cases(args.count, args.seed, COMPUTED_DOMAINS), 1):
            write_case(Path(folder), f"File_{number}", case, ParameterRng(args.seed, number))
            now = time.perf_counter()
            times[f"{domain.name} {case.kind}"].append(now - before)
            answers += case.answers.values()
            before = now
    for kind, seconds in times.items():
        print(told(kind, seconds))
    every = [second for seconds in times.values() for second in seconds]
    print(told("all", every), f"(bound {MOST:g} s)")
    print(f"always True would score {100 * sum(answers) / len(answers):.1f} % of {len(answers)} questions")
    sys.exit(1 if args.gate and max(every) > MOST else 0)


def told(what: str, seconds: list[float]) -> str:
    """One line of the table."""
    mean = sum(seconds) / len(seconds)
    return f"{what:<28} {len(seconds):3} cases   mean {mean:5.2f} s   most {max(seconds):5.2f} s"


if __name__ == "__main__":
    main()
