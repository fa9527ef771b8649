"""Pages over a run of a million grades, over real HTTP on loopback: time to answer, and memory of the server.

    python bench/view.py [--grades 1000000] [--rounds 5]

The run is made by DuckDB; the server runs in a process of its own. Each filter is new to the server when it is first
asked for; what is shown is the median and the worst over rounds with fresh filters. Wanted for a million grades: the
first page within 1 s, a filter and its page within 300 ms, no more than 500 MB of memory.

Beside it stands a folder of as many samples that were really scored (small pictures, a count each): a fresh server
opens the sample at nine tenths of it, which must show its reply, within 300 ms.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

import duckdb

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

FIRST, FILTERED, MEMORY = 1.0, 0.3, 500
_GRADES = """
COPY (
  SELECT i AS position, 'scene_' || (i % 4000) || '/object_' || i AS sample, 'task ' || (i * 19 // {count}) AS task,
    CASE WHEN h < 6 THEN 'unparsed' WHEN h = 7 THEN 'empty' WHEN h = 8 THEN 'failed' ELSE 'answered' END AS status,
    CASE WHEN h < 9 THEN 0 ELSE (h * 37 % 101) / 100.0 END::DOUBLE AS score, 0.0::DOUBLE AS last_score,
    0.0::DOUBLE AS best_score, 1::INTEGER AS attempts, 1.0::DOUBLE AS weight, 'scene_' || (i % 4000) AS "cluster",
    CASE WHEN h < 6 THEN 'no box in the reply' ELSE '' END AS message, '' AS remark,
    '/data/annotations/file_' || (i % 40) || '.txt:' || i AS source,
    MAP {{'level': ['image', 'region', 'pixel'][1 + i % 3], 'picture': 'scene_' || (i % 4000)}} AS tags,
    to_json({{'iou': h / 100.0, 'mis_scaled': false}}) AS values
  FROM (SELECT range AS i, (hash(range) % 101)::INTEGER AS h FROM range({count}))
  ORDER BY task, position
) TO '{path}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 20000)
"""


def make_run(folder: Path, count: int) -> None:
    from sightline.runs.folder import RunFolder
    from sightline.runs.manifest import Manifest
    from sightline.scoring.summary import Summary, save_summary

    run = RunFolder(folder)
    folder.mkdir(parents=True)
    names = {"suite": "bench", "title": "A large run", "model": "bench"}
    Manifest(**names, suite_version="1", state="finished", key="", data="", data_sha256="").save(run.manifest)
    save_summary(Summary(**names, samples=count), run.report_json)
    with duckdb.connect(config={"threads": 2}) as base:
        base.execute(_GRADES.format(count=count, path=run.grades))


_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def make_scored(place: Path, count: int) -> float:
    """Score as many lines of counts; the seconds that `score` took."""
    from sightline import score

    (place / "anno").mkdir(parents=True)
    (place / "out").mkdir()
    with (
        (place / "anno" / "counts.txt").open("w") as truths,
        (place / "out" / "counts_output.txt").open("w") as replies,
    ):
        for number in range(count):
            row = {"prompt": "How many?", "frames": _PIXEL, "gt": str(number % 40), "task": "计数"}
            truths.write(json.dumps(row | {"source": f"scene_{number % 4000}", "sample_id": f"s{number}"}) + "\n")
            told = {"sample_id": f"s{number}", "model_output": f"There are {number % 37} of them, number {number}."}
            replies.write(json.dumps(told) + "\n")
    started = time.perf_counter()
    score(place / "anno", place / "out", output_dir=str(place / "runs" / "scored"))
    return time.perf_counter() - started


def open_far_sample(place: Path, count: int) -> float:
    """Seconds until a fresh server has shown the sample at nine tenths, with its reply."""
    took = make_scored(place, count)
    position = count * 9 // 10
    sizes = ", ".join(
        f"{path.name} {path.stat().st_size / 1e6:.0f} MB" for path in (place / "runs/scored").glob("*.index")
    )
    print(f"  {count:,} lines scored in {took:.1f} s; {sizes}")
    times = []
    for waits in (False, True):
        with running_server(place / "runs") as (server, visitor):
            run = re.findall(r'href="(/run/\w+)"', visitor.seconds("/")[1])[0]
            if waits:
                time.sleep(4)  # a connection is kept for five seconds
            before = processor(server.pid)
            seconds, body = visitor.seconds(f"{run}/sample/{position}")
            work = processor(server.pid) - before
            assert f"number {position}." in body, "the reply is not shown"
            again = visitor.seconds(f"{run}/sample/{position - 1}")[0]
            words = "four seconds later" if waits else "at once"
            times.append(seconds)
            print(
                f"  sample {position:,} of a fresh server {words}: {1000 * seconds:.0f} ms, "
                f"processor {1000 * work:.0f} ms; its neighbour {1000 * again:.0f} ms"
            )
            memory_now = memory(server.pid)[1]
    print(f"  server of the scored folder: at most {memory_now:.0f} MB")
    return max(times)


@contextmanager
def running_server(runs: Path) -> Iterator[tuple[subprocess.Popen[str], Visitor]]:
    command = [sys.executable, "-c", _SERVER, str(runs)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SIGHTLINE_LANG": "en"}
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        assert server.stdout is not None
        yield server, Visitor(json.loads(server.stdout.readline()))
    finally:
        server.terminate()
        server.wait()


class Visitor:
    """A browser without pictures."""

    def __init__(self, address: str) -> None:
        host, _, rest = address.removeprefix("http://").partition("/")
        self._server = http.client.HTTPConnection(host, timeout=60)
        self._headers: dict[str, str] = {}
        self._server.request("GET", f"/{rest}")
        answer = self._server.getresponse()
        answer.read()
        self._headers["Cookie"] = str(answer.getheader("Set-Cookie")).partition(";")[0]

    def seconds(self, path: str) -> tuple[float, str]:
        started = time.perf_counter()
        self._server.request("GET", path, headers=self._headers)
        answer = self._server.getresponse()
        body = answer.read().decode()
        assert answer.status == 200, (path, answer.status, body[:200])
        return time.perf_counter() - started, body


def processor(process: int) -> float:
    """Seconds of work that a process has done: what a busy machine does not blur."""
    told = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")


def memory(process: int) -> tuple[float, float]:
    """Megabytes now and at the peak."""
    told = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
    return tuple(int(told[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))  # type: ignore[return-value]


def filters(number: int, count: int) -> dict[str, dict[str, object]]:
    """Fresh ones for every round."""
    low = number / 100
    return {
        "status": {"status": ("unparsed", "empty", "failed", "answered")[number % 4], "low": low if number > 3 else ""},
        "task, highest first": {"task": f"task {number}", "sort": "-score"},
        "score range": {"low": 0.2 + low, "high": 0.4 + low},
        "all, lowest first": {"low": -low, "sort": "score"},
        "tag": {"tag": f"picture=scene_{number}"},
        "frequent tag": {"tag": "level=pixel", "low": low},
        "text": {"text": f"object_{number}7"},
        "text, no match": {"text": f"nowhere {number}"},
        "status, tag and text": {"status": "unparsed", "tag": "level=image", "text": f"file_{number}"},
        "page far down": {"page": count // 100 + number},
    }


def measure(visitor: Visitor, run: str, options: argparse.Namespace, server: int) -> bool:
    times: dict[str, list[float]] = {}
    work: dict[str, float] = {}
    rounds, count = options.rounds, options.grades
    for number in range(rounds):
        for name, query in filters(number, count).items():
            asked = urlencode({key: value for key, value in query.items() if value != ""})
            before = processor(server)
            times.setdefault(name, []).append(visitor.seconds(f"{run}?{asked}")[0])
            work[name] = work.get(name, 0.0) + (processor(server) - before) / rounds
        body = visitor.seconds(f"{run}?task=task+{number}")[1]
        sample = re.findall(r'href="(/run/\w+/sample/\d+[^"]*)"', body)[-1].replace("&amp;", "&")
        times.setdefault("sample, with neighbours", []).append(visitor.seconds(sample)[0])
    for name, seconds in times.items():
        told = f"median {1000 * statistics.median(seconds):4.0f} ms   worst {1000 * max(seconds):4.0f} ms"
        print(f"  {name:24} {told}" + (f"   processor {1000 * work[name]:4.0f} ms" if name in work else ""))
    return all(statistics.median(seconds) <= FILTERED for seconds in times.values())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--grades", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sightline-bench-") as place:
        make_run(Path(place) / "runs" / "large", options.grades)
        with running_server(Path(place) / "runs") as (server, visitor):
            opened, body = visitor.seconds("/")
            run = re.findall(r'href="(/run/\w+)"', body)[0]
            first = visitor.seconds(run)[0]
            load = f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores" if hasattr(os, "getloadavg") else "unknown"
            print(f"{options.grades:,} grades; load of the machine {load}")
            print(f"  list of runs {1000 * opened:.0f} ms, first page of the run {1000 * first:.0f} ms")
            quick = measure(visitor, run, options, server.pid)
            now, peak = memory(server.pid)
            print(f"  server: {now:.0f} MB, at most {peak:.0f} MB")
        far = open_far_sample(Path(place) / "far", options.grades)
    kept = first <= FIRST and quick and peak <= MEMORY and far <= FILTERED
    print("all within bounds" if kept else "OUT OF BOUNDS")
    return 0 if kept or options.grades < 1_000_000 else 1


_SERVER = """
import json, socket, sys
from pathlib import Path
import uvicorn
from sightline.web.viewer.server import make_app
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
port = listener.getsockname()[1]
app = make_app(Path(sys.argv[1]), "bench", port, is_warmed=True)
listener.listen()
print(json.dumps(f"http://127.0.0.1:{port}/?token=bench"), flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False)).run(sockets=[listener])
"""

if __name__ == "__main__":
    sys.exit(main())
