"""Scoring in shards: the same figures on every engine, nothing done twice, nothing lost with a worker or the caller."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from sightline import score
from sightline.api.score_files import ScoreReport
from sightline.core.errors import StorageError
from sightline.scoring.files.shards import MAX_BATCHES, MIN_BATCHES, split_shards
from tests.scoring.files.worlds import ALL_TASKS, BOXES, annotations, outputs, write_lines, write_world
from tests.support.worlds import environment

SLOW_TASK = {"slow": {"parser": "tests.scoring.engines.work:parse_slowly", "core": ["tests.scoring.engines.work:same"]}}
ROOT = Path(__file__).parents[3]


def figures(report: ScoreReport) -> dict[str, Any]:
    found = report.to_dict()
    found.pop("folder")
    return found


def grades(folder: Path) -> list[Any]:
    return duckdb.sql(f"SELECT * FROM '{folder / 'grades.parquet'}'").fetchall()


def made_at(shards: Path) -> dict[str, int]:
    return {path.parent.name: path.stat().st_mtime_ns for path in shards.rglob("counts.bin")}


def count_shards(batches: int) -> int:
    return len(list(split_shards(list(range(batches)))))


@pytest.mark.parametrize("count", [0, 1, 2, 3, 8, 31, 32, 33, 200])
def test_shards_are_cut_smaller_towards_the_end(count: int) -> None:
    shards = list(split_shards(list(range(count))))
    assert [batch for shard in shards for batch in shard] == list(range(count))
    sizes = [len(shard) for shard in shards]
    assert sizes == sorted(sizes, reverse=True) and all(0 < size <= MAX_BATCHES for size in sizes)
    # no shard is so large that other workers wait long for it
    assert all(size <= MIN_BATCHES or 4 * size <= sum(sizes[number:]) for number, size in enumerate(sizes))


@pytest.mark.parametrize(
    ("engine", "workers"),
    [("serial", 1), ("processes", 1), pytest.param("processes", 3, marks=pytest.mark.slow)],
)
def test_engines_give_the_figures_and_grades_of_threads(tmp_path: Path, engine: str, workers: int) -> None:
    tasks = {name: 7 * pairs for name, pairs in ALL_TASKS.items()}
    anno, out = write_world(tmp_path, tasks)
    (anno / "t0.txt").write_text((anno / "t0.txt").read_text(encoding="utf-8") + "torn {\n", encoding="utf-8")
    wanted = score(anno, out, output_dir=str(tmp_path / "threads"), batch_size=2)
    found = score(
        anno, out, output_dir=str(tmp_path / engine), batch_size=2, engine=engine, workers=workers, calc_aux_metric=True
    )
    assert figures(found) == figures(wanted)
    assert grades(tmp_path / engine) == grades(tmp_path / "threads")
    for log in ("error_log.txt", "invalid_sample_log.txt"):
        mine, theirs = ((tmp_path / name / log).read_text(encoding="utf-8") for name in (engine, "threads"))
        assert sorted(mine.splitlines()) == sorted(theirs.splitlines())


@pytest.mark.slow
def test_packed_files_are_sent_with_their_rows(tmp_path: Path) -> None:
    import gzip

    anno, out = write_world(tmp_path, {"计数": [("3", "3"), ("4", "5"), ("6", "")] * 9})
    wanted = score(anno, out, output_dir=str(tmp_path / "a"))
    for path in (*anno.iterdir(), *out.iterdir()):
        path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    found = score(anno, out, output_dir=str(tmp_path / "b"), engine="processes", workers=2, batch_size=2)
    assert figures(found) == figures(wanted)


def test_a_finished_shard_is_never_repeated(tmp_path: Path) -> None:
    pairs = [(str(number), str(number % 7)) for number in range(200)]
    anno, out = write_world(tmp_path, {"计数": pairs})
    options = {"engine": "serial", "batch_size": 5, "shards": str(tmp_path / "shards")}
    first = score(anno, out, output_dir=str(tmp_path / "a"), **options)
    before = made_at(tmp_path / "shards")
    assert len(before) == count_shards(40)
    second = score(anno, out, output_dir=str(tmp_path / "b"), **options)
    assert figures(second) == figures(first) and made_at(tmp_path / "shards") == before
    # one reply changes: its shard alone is graded
    pairs[3] = ("3", "999")
    write_world(tmp_path, {"计数": pairs})
    third = score(anno, out, output_dir=str(tmp_path / "c"), **options)
    after = made_at(tmp_path / "shards")
    assert len(after.keys() - before.keys()) == 1 and before.items() <= after.items()
    assert third.value("计数", "mae") != first.value("计数", "mae")
    # another setting, another result: none of them fits
    score(anno, out, output_dir=str(tmp_path / "d"), **options, coords="0-1000", truth_coords="0-100")
    assert len(made_at(tmp_path / "shards")) == len(after) + count_shards(40)


@pytest.mark.slow
def test_a_shard_that_fails_three_times_is_told_and_the_rest_is_scored(tmp_path: Path) -> None:
    pairs = [("a", "a")] * 40
    pairs[17] = ("a", "poison")
    anno, out = write_world(tmp_path, {"slow": pairs})
    table = tmp_path / "tasks.json"
    table.write_text(json.dumps(SLOW_TASK), encoding="utf-8")
    command = [sys.executable, "-m", "sightline", "score", "--anno-path", str(anno), "--model-result-path", str(out)]
    command += ["--task-config", str(table), "--engine", "processes", "--batch-size", "1", "--workers", "2"]
    done = subprocess.run(
        [*command, "--output-dir", str(tmp_path / "r")],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=ROOT,
        env=_with_tests(),
        check=False,
    )
    assert done.returncode == 3, done.stderr
    lost = next(len(shard) for shard in split_shards(list(range(40))) if 17 in shard)
    assert f"{lost} samples could not be graded after three attempts: RuntimeError: poisoned" in done.stdout
    assert len(grades(tmp_path / "r")) == 40 - lost


@pytest.mark.parametrize("name", ["counts.bin", "grades.parquet", "invalid_sample_log.txt", "error_log.txt"])
def test_a_shard_in_which_one_bit_has_turned_is_named(tmp_path: Path, name: str) -> None:
    anno, out = write_world(tmp_path, {"计数": [(str(number), str(number % 7)) for number in range(40)]})
    options = {"engine": "serial", "batch_size": 5, "shards": str(tmp_path / "shards")}
    score(anno, out, output_dir=str(tmp_path / "a"), **options)
    spoiled = next(tmp_path.glob(f"shards/*/*/{name}"))
    data = bytearray(spoiled.read_bytes())
    data[len(data) // 2] ^= 4
    spoiled.write_bytes(data)
    with pytest.raises(StorageError, match=spoiled.parent.name):
        score(anno, out, output_dir=str(tmp_path / "b"), **options)
    shutil.rmtree(spoiled.parent)
    assert figures(score(anno, out, output_dir=str(tmp_path / "b"), **options)) == figures(
        score(anno, out, output_dir=str(tmp_path / "c"))
    )


def test_models_that_say_the_same_share_shards(tmp_path: Path) -> None:
    replies = [f"2 {BOXES}", "1 <box><1><1><5><5></box>"] * 15
    for name in ("a", "b"):
        write_lines(tmp_path / "anno" / f"{name}.txt", annotations("水平区域检测", [f"2 {BOXES}"] * 30))
        for model in ("one", "two"):
            write_lines(tmp_path / model / f"{name}_output.txt", outputs(replies))
    places = {model: tmp_path / model for model in ("one", "two")}
    report = score(tmp_path / "anno", places, output_dir=str(tmp_path / "r"), engine="serial", batch_size=4)
    assert figures(report) == figures(score(tmp_path / "anno", places, output_dir=str(tmp_path / "p")))
    assert len(made_at(tmp_path / "r" / "shards")) == 2 * count_shards(8)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler and two workers in processes of their own, on loopback."""
    pytest.importorskip("distributed")
    address = tmp_path / "scheduler.json"
    base = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": _with_tests(), "cwd": tmp_path}
    running = [
        subprocess.Popen(
            [*base, "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(address)], **quiet
        )
    ]
    for _ in range(2):
        more = ["--host", "127.0.0.1", "--nthreads", "1", "--no-dashboard", "--scheduler-file", str(address)]
        running.append(
            subprocess.Popen([sys.executable, "-m", "distributed.cli.dask_worker", *more, "--no-nanny"], **quiet)
        )
    deadline = time.monotonic() + 60
    while not address.exists():
        assert time.monotonic() < deadline
        time.sleep(0.1)
    yield json.loads(address.read_text())["address"], running
    for process in running:
        process.kill()
        process.wait()


def _with_tests() -> dict[str, str]:
    return {**environment(), "PYTHONPATH": str(ROOT)}


@pytest.mark.slow
def test_a_killed_worker_and_a_killed_caller_cost_no_finished_shard(
    tmp_path: Path, cluster: tuple[str, list[subprocess.Popen[bytes]]]
) -> None:
    address, (_, *workers) = cluster
    anno, out = write_world(tmp_path, {"slow": [(str(n % 5), str(n % 3)) for n in range(600)]})
    table = tmp_path / "tasks.json"
    table.write_text(json.dumps(SLOW_TASK), encoding="utf-8")
    command = [sys.executable, "-m", "sightline", "score", "--anno-path", str(anno), "--model-result-path", str(out)]
    command += ["--task-config", str(table), "--batch-size", "3", "--json"]
    on_cluster = [*command, "--engine", "dask", "--scheduler", address, "--output-dir", str(tmp_path / "r")]
    shards = tmp_path / "r" / "shards"

    def start() -> subprocess.Popen[str]:
        return subprocess.Popen(
            on_cluster, cwd=ROOT, env=_with_tests(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    first = start()
    _until(lambda: len(made_at(shards)) >= 3, first)
    os.kill(workers[0].pid, signal.SIGKILL)
    count = len(made_at(shards))
    _until(lambda: len(made_at(shards)) >= count + 3, first)
    first.kill()
    first.communicate()
    time.sleep(1)  # shards that were under way on the other worker may still be finished by it
    before = made_at(shards)
    assert 3 <= len(before) < count_shards(200)
    second = start()
    told, complaints = second.communicate(timeout=120)
    assert second.returncode == 0, complaints
    after = made_at(shards)
    assert len(after) == count_shards(200) and before.items() <= after.items()
    serial = subprocess.run(
        [*command, "--engine", "serial", "--output-dir", str(tmp_path / "s")],
        cwd=ROOT,
        env=_with_tests(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(told)["models"] == json.loads(serial.stdout)["models"]
    assert grades(tmp_path / "r") == grades(tmp_path / "s")


def _until(is_so: Any, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 90
    while not is_so():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_target_statistics_are_not_used_under_other_settings(tmp_path: Path) -> None:
    """Changed labels, metrics and tasks see the truths in another way: each kind has statistics of its own."""
    tasks = {"水平区域分类": [("car", "bus"), ("bus", "car"), ("ship", "ship"), ("car", "car")]}
    anno, out = write_world(tmp_path, tasks)
    labels = tmp_path / "labels.json"
    for number, mapping in enumerate([{}, {"car": "vehicle", "bus": "vehicle"}, {"car": "ship"}]):
        labels.write_text(json.dumps(mapping), encoding="utf-8")
        for auxiliary in (False, True):
            about = {"label_mapping": str(labels), "calc_aux_metric": auxiliary}
            wanted = score(anno, out, output_dir=str(tmp_path / f"threads{number}{auxiliary}"), **about)
            found = score(anno, out, output_dir=str(tmp_path / "shards"), engine="serial", **about)
            assert figures(found) == figures(wanted), mapping


def test_shards_of_changed_files_are_not_mixed_with_those_of_the_old(tmp_path: Path) -> None:
    """Any byte that decides a grade is in the key: truths and replies of the same length, swapped between starts."""
    tasks = {"计数": [("3", "3"), ("4", "5"), ("5", "5")] * 4, "水平区域分类": [("car", "bus"), ("bus", "bus")] * 4}
    anno, out = write_world(tmp_path, tasks)
    changes = [
        (out / "t0_output.txt", '"5"', '"4"'),
        (anno / "t0.txt", '"gt": "4"', '"gt": "5"'),
        (anno / "t1.txt", '"gt": "car"', '"gt": "bus"'),
        (anno / "t1.txt", "img/0.png", "img/9.png"),
        (out / "t1_output.txt", "img/0.png", "img/9.png"),
    ]
    for number, (path, old, new) in enumerate(changes):
        status = path.stat()
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        wanted = score(anno, out, output_dir=str(tmp_path / f"threads{number}"), batch_size=2)
        found = score(anno, out, output_dir=str(tmp_path / "shards"), engine="serial", batch_size=2)
        assert figures(found) == figures(wanted), path
        assert grades(tmp_path / "shards") == grades(tmp_path / f"threads{number}")
