"""Time and memory of indexing annotation files and pairing outputs, beside `wc -l` and a full decode by orjson.

    python bench/lines.py [--gb 1] [--rows 1000000] [--rounds 3] [--gate]

The files are made in a temporary folder: lines of 200 kB, nearly all of it base64, and small lines with their outputs.
Every arm runs in a process of its own with the file in the page cache and the kernels compiled. Ours notes where five
fields are (and, as a second arm, where the pictures are); orjson decodes everything, and is left out where it is not
installed.
"""

from __future__ import annotations

import argparse
import base64
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

KILOBYTES = 200
ALLOWED = 3.0
"""Times of `wc -l` that a scan may take."""
SECONDS = 1.5
"""For a million rows of both files, indexed and paired."""
FIELDS = ["prompt", "gt", "task", "source", "sample_id"]


def peak_megabytes() -> float:
    """The process's own peak: ru_maxrss would show the parent's where that was larger at the fork."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024


def make_large(path: Path, gigabytes: float) -> None:
    source = random.Random(0)
    pictures = [base64.b64encode(source.randbytes(KILOBYTES * 750)).decode() for _ in range(16)]
    with path.open("w") as file:
        for k in range(int(gigabytes * 1e6 / KILOBYTES)):
            row = {"prompt": 'How many "cars" are there?', "frames": pictures[k % 16], "gt": str(k % 40)}
            file.write(json.dumps({**row, "task": "VQA2", "source": f"images/{k}.png"}) + "\n")


def make_small(annotation: Path, output: Path, rows: int, with_ids: bool) -> None:
    """Outputs in another order and one missing, so that order is no way to pair them."""
    order = list(range(rows))
    random.Random(1).shuffle(order)
    with annotation.open("w") as mine, output.open("w") as theirs:
        for k in range(rows):
            row = {"prompt": 'How many "cars" are there? 请回答', "gt": str(k % 40), "task": "VQA2"}
            mine.write(
                json.dumps({**({"sample_id": k} if with_ids else {}), **row, "source": f"images/{k}.png"}) + "\n"
            )
        for k in order[1:]:
            row = {"task": "VQA2", "model_output": f"There are {k % 40}.", "source": f"images/{k}.png"}
            theirs.write(json.dumps({**({"sample_id": k} if with_ids else {}), **row}) + "\n")


def head(path: Path, rows: int) -> Path:
    """A file with its first rows, to load the kernels with."""
    small = path.with_name(f"{path.stem}-head.txt")
    with path.open("rb") as file:
        small.write_bytes(b"".join(islice(file, rows)))
    return small


def scan(path: Path, fields: list[str]) -> dict[str, float]:
    from sightline.data.lines import index_file

    index_file(head(path, 1), fields).close()
    before, started = peak_megabytes(), time.perf_counter()
    with index_file(path, fields) as index:
        seconds = time.perf_counter() - started
        assert not index.faults
    return {"seconds": seconds, "grown": peak_megabytes() - before}


def with_orjson(path: Path) -> dict[str, float]:
    import orjson

    started = time.perf_counter()
    with path.open("rb") as file:
        assert all("gt" in orjson.loads(line) for line in file)
    return {"seconds": time.perf_counter() - started, "grown": 0.0}


def pairing(path: Path) -> dict[str, float]:
    from sightline.data.lines import index_file
    from sightline.data.pairing import pair_rows

    output, wanted = path.with_name(f"{path.stem}_output.txt"), ["sample_id", "task", "model_output", "source"]
    with index_file(head(path, 9), FIELDS) as mine, index_file(head(output, 8), wanted) as theirs:
        pair_rows(mine, theirs)
    moments = [time.perf_counter()]
    with index_file(path, FIELDS) as mine, index_file(output, wanted) as theirs:
        moments.append(time.perf_counter())
        found = pair_rows(mine, theirs)
        moments.append(time.perf_counter())
        assert (found.partner < 0).sum() == 1 and not len(found.unpaired), found
    return {"indexing": moments[1] - moments[0], "pairing": moments[2] - moments[1], "seconds": moments[2] - moments[0]}


ARMS: dict[str, Callable[[Path], dict[str, float]]] = {
    "sightline": lambda path: scan(path, FIELDS),
    "with frames": lambda path: scan(path, [*FIELDS, "frames"]),
    "orjson": with_orjson,
    "pairing": pairing,
}


def measure(arm: str, path: Path) -> dict[str, float]:
    """Seconds and peak memory of one arm; for `wc` the seconds of its process, which starts in a millisecond."""
    if arm == "wc -l":
        started = time.perf_counter()
        subprocess.run(["wc", "-l", str(path)], check=True, capture_output=True)
        return {"seconds": time.perf_counter() - started, "peak": 0.0, "grown": 0.0}
    done = subprocess.run([sys.executable, __file__, "--arm", arm, "--data", str(path)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def median(arms: list[str], path: Path, rounds: int) -> dict[str, dict[str, float]]:
    """The arms take turns, so that a busy machine disturbs all alike."""
    for arm in arms:
        measure(arm, path)
    taken = [{arm: measure(arm, path) for arm in arms} for _ in range(rounds)]
    return {arm: {key: statistics.median(each[arm][key] for each in taken) for key in taken[0][arm]} for arm in arms}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--gb", type=float, default=1.0)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--gate", action="store_true", help="exit with 1 where a bound is missed")
    parser.add_argument("--arm", default="")
    parser.add_argument("--data", type=Path)
    args = parser.parse_args()
    if args.arm:
        print(json.dumps({**ARMS[args.arm](args.data), "peak": peak_megabytes()}))
        return
    with tempfile.TemporaryDirectory() as folder:
        ratio = show_large(Path(folder) / "large.txt", args.gb, args.rounds)
        slowest = max(show_small(Path(folder), args.rows, with_ids, args.rounds) for with_ids in (True, False))
    print(f"sightline / wc -l: {ratio:.2f} (at most {ALLOWED}); both files in {slowest:.2f} s (at most {SECONDS})")
    if args.gate and (ratio > ALLOWED or slowest > SECONDS):
        sys.exit(1)


def show_large(path: Path, gigabytes: float, rounds: int) -> float:
    make_large(path, gigabytes)
    size = path.stat().st_size / 1e9
    found = median(["wc -l", "sightline", "with frames", *(["orjson"] if find_spec("orjson") else [])], path, rounds)
    print(f"{size:.2f} GB of {KILOBYTES} kB lines, median of {rounds} rounds")
    for arm, of in found.items():
        ratio = of["seconds"] / found["wc -l"]["seconds"]
        memory = f"peak {of['peak']:4.0f} MB, of which the scan {of['grown']:3.0f}" if of["peak"] else ""
        print(f"{arm:<12} {of['seconds']:6.3f} s {size / of['seconds']:5.2f} GB/s {ratio:5.2f} × wc  {memory}")
    path.unlink()
    return found["with frames"]["seconds"] / found["wc -l"]["seconds"]


def show_small(folder: Path, rows: int, with_ids: bool, rounds: int) -> float:
    annotation = folder / "small.txt"
    make_small(annotation, folder / "small_output.txt", rows, with_ids)
    of = median(["pairing"], annotation, rounds)["pairing"]
    way = "sample_id" if with_ids else "source"
    print(f"{rows:,} rows of both files: indexed in {of['indexing']:.2f} s, by {way} paired in {of['pairing']:.2f} s")
    print(f"{'':<12} peak {of['peak']:.0f} MB")
    return of["seconds"]


if __name__ == "__main__":
    main()
