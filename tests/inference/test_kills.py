"""Killed at any moment, the same command goes on: nothing lost, nothing asked twice but what was in flight."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import duckdb
import pytest

from tests.support.worlds import environment, journal, only_run, server, sightline, write_questions

CONCURRENCY = 16
KILLS = 20


def start(args: list[str], cwd: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "sightline", *args]
    return subprocess.Popen(command, cwd=cwd, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def grades(run: Path) -> list[tuple[object, ...]]:
    path = str(run / "grades.parquet")
    return duckdb.sql(f"SELECT sample, status, score, \"values\" FROM '{path}' ORDER BY position").fetchall()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is a thing of POSIX")
def test_twenty_kills_change_nothing(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 2000)
    log = tmp_path / "log"
    chance = random.Random(7)
    with server("--latency", "0.08", "--log", log) as base:
        call = ["run", "simulation", "--data", str(data), "--model", "m", "--api-base", base, "--json"]
        call += ["--concurrency", str(CONCURRENCY)]
        kills = 0
        while kills < KILLS:
            before = log.stat().st_size if log.exists() else 0
            process = start(call, tmp_path)
            deadline = time.monotonic() + 30
            while (log.stat().st_size if log.exists() else 0) <= before and time.monotonic() < deadline:
                time.sleep(0.02)  # a slow machine takes seconds to start
            time.sleep(chance.random() * 0.3)
            assert process.poll() is None, f"the run ended after {kills} kills: nothing left to kill"
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
        last = sightline(*call, cwd=tmp_path)
        sent = Counter(question for question, _ in map(json.loads, log.read_text().splitlines()))
        whole = sightline(*call, "--output-dir", "whole", cwd=tmp_path)
    assert last.returncode == whole.returncode == 0
    killed_run, whole_run = only_run(tmp_path / "runs"), only_run(tmp_path / "whole")
    assert grades(killed_run) == grades(whole_run)
    ours, theirs = json.loads(last.stdout), json.loads(whole.stdout)
    assert ours["rows"] == theirs["rows"]
    assert ours["statuses"] == theirs["statuses"] == {"answered": 2000}
    answers = [line["sample"] for line in journal(killed_run) if line["type"] == "answer"]
    assert len(answers) == len(set(answers)) == 2000
    again = sum(sent.values()) - 2000
    assert len(sent) == 2000
    assert 0 < again <= KILLS * CONCURRENCY, f"{again} requests were sent again"


@pytest.mark.skipif(sys.platform == "win32", reason="signals are a thing of POSIX")
def test_ctrl_c_ends_cleanly_and_the_same_command_goes_on(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 600)
    with server("--latency", "0.05") as base:
        call = ["run", "simulation", "--data", str(data), "--model", "m", "--api-base", base, "--json"]
        process = subprocess.Popen(
            [sys.executable, "-m", "sightline", *call],
            cwd=tmp_path,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        run = tmp_path / "runs"
        while not (run.exists() and any(run.glob("*/journal.jsonl")) and len(journal(only_run(run))) > 50):
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        assert process.returncode == 3, err
        assert "Stopped by the user" in err and "Traceback" not in err
        partial = json.loads(out)
        assert 0 < partial["statuses"]["answered"] < 600
        assert partial["pending"] == 600 - partial["statuses"]["answered"]
        done = sightline(*call, cwd=tmp_path)
    assert done.returncode == 0
    assert json.loads(done.stdout)["statuses"] == {"answered": 600}
    assert "Resuming" in done.stderr


def test_a_torn_line_is_reported_and_its_sample_asked_again(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 30)
    with server() as base:
        call = ["run", "simulation", "--data", data, "--model", "m", "--api-base", base, "--json"]
        assert sightline(*call, "--max-requests", "10", cwd=tmp_path).returncode == 3
        path = only_run(tmp_path / "runs") / "journal.jsonl"
        os.truncate(path, path.stat().st_size - 7)
        done = sightline(*call, cwd=tmp_path)
    assert done.returncode == 0
    assert "was incomplete" in done.stderr
    assert json.loads(done.stdout)["statuses"] == {"answered": 30}
    assert path.with_suffix(".jsonl.torn").exists()


def test_a_finished_run_is_started_anew_only_when_that_is_asked_for(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 5)
    call = ("run", "simulation", "--data", data, "--model", "baseline/random")
    assert sightline(*call, cwd=tmp_path).returncode == 0
    assert sightline(*call, cwd=tmp_path).returncode == 0
    assert len(list((tmp_path / "runs").iterdir())) == 1
    assert sightline(*call, "--fresh", cwd=tmp_path).returncode == 0
    assert len(list((tmp_path / "runs").iterdir())) == 2
