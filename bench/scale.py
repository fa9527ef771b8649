"""The same scoring job on one and on two workers of every engine: time, ratio, memory of the largest process.

    python bench/scale.py                          1,000,000 samples of 15 boxes (some 1.5 GB of disk, ten minutes)
    python bench/scale.py --samples 100000 --gate  exits with 1 where a bound is missed

Every run starts from nothing, in processes of its own; the figures of all runs must be the same to the last digit. One
and two workers take turns, and the fastest run of each counts: what else the machine does makes runs slower, never
faster. All times are printed.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from score import Bench, boxes

BOUNDS = {"processes": 1.7, "dask": 1.5}
"""How much faster two workers must be than one."""
MOST_MEGABYTES = 1000


def main() -> None:
    """Measure and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=1_000_000)
    parser.add_argument("--engines", default="processes,dask")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--scratch", default=None)
    parser.add_argument("--gate", action="store_true")
    args = parser.parse_args()
    missed: list[str] = []
    with tempfile.TemporaryDirectory(prefix="sightline-scale-", dir=args.scratch) as scratch:
        folder = Bench(Path(scratch), args).data("boxes", "水平区域检测", args.samples, boxes)
        score(folder, "threads", 2)  # kernels are compiled, the files are in the page cache
        seconds, megabytes, wanted = score(folder, "threads", 2)
        print(
            f"{args.samples:,} samples of 15 boxes\nthreads    2 workers {seconds:7.2f} s {megabytes:6.0f} MB",
            flush=True,
        )
        for engine in args.engines.split(","):
            times: dict[int, list[float]] = {1: [], 2: []}
            for workers in (1, 2) * args.rounds:
                seconds, megabytes, figures = score(folder, engine, workers)
                times[workers].append(seconds)
                same = "same figures" if figures == wanted else "OTHER FIGURES"
                if figures != wanted or megabytes > MOST_MEGABYTES:
                    missed.append(f"{engine} {workers}")
                print(f"{engine:<10} {workers} workers {seconds:7.2f} s {megabytes:6.0f} MB   {same}", flush=True)
            ratio, bound = min(times[1]) / min(times[2]), BOUNDS.get(engine, 1.0)
            if ratio < bound:
                missed.append(f"{engine} ratio")
            print(f"{engine:<10} two workers are {ratio:.2f} × as fast as one (bound {bound})", flush=True)
    print("all bounds kept" if not missed else "missed: " + ", ".join(missed))
    sys.exit(1 if missed and args.gate else 0)


def score(folder: Path, engine: str, workers: int) -> tuple[float, float, str]:
    """Seconds, MB of the largest process, and all figures."""
    out = folder / f"r-{engine}"
    shutil.rmtree(out, ignore_errors=True)
    command = [sys.executable, "-m", "sightline", "score", "--anno-path", str(folder / "anno"), "--json"]
    command += ["--model-result-path", str(folder / "out"), "--output-dir", str(out), "--engine", engine]
    began = time.perf_counter()
    running = subprocess.Popen(
        [*command, "--workers", str(workers)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    peak = Peak(running.pid)
    told, _ = running.communicate()
    seconds = time.perf_counter() - began
    return seconds, peak.stop(), json.dumps(json.loads(told)["models"], sort_keys=True)


class Peak:
    """The most memory that any one process of a family has held, watched from outside."""

    def __init__(self, root: int) -> None:
        self._root, self._most, self._is_over = root, 0.0, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._is_over.wait(0.1):
            family = {self._root}
            table = {int(path.name): path for path in Path("/proc").iterdir() if path.name.isdigit()}
            for _ in range(4):  # a grandchild's parent may come later in the list
                family |= {number for number, path in table.items() if parent(path) in family}
            self._most = max([self._most, *(resident(table[number]) for number in family if number in table)])

    def stop(self) -> float:
        """MB."""
        self._is_over.set()
        self._thread.join()
        return self._most


def parent(path: Path) -> int:
    """The process that started this one; −1 where it is gone."""
    try:
        return int((path / "stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, IndexError, ValueError):
        return -1


def resident(path: Path) -> float:
    """MB that a process has held at most."""
    try:
        lines = (path / "status").read_text().splitlines()
        return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:")), 0.0)
    except OSError:
        return 0.0


if __name__ == "__main__":
    main()
