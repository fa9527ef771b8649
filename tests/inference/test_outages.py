"""Outages in the middle of a run cost no sample: 503, 429, a server that restarts, a machine without file handles.

The times are those of real outages divided by twenty; `bench/outage.py` measures the real ones.
"""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sightline import evaluate
from sightline.api.evaluation import Result
from sightline.cli.inference_progress import status
from sightline.core.errors import AllFailingError, MediaError, TryAgainError, UnreachableError, local_shortage
from sightline.core.records import Media
from sightline.data import media, pictures
from sightline.data.media import load_bytes
from sightline.inference import circuit_breaker
from sightline.inference.run_progress import RunProgress
from sightline.runs.run import Progress
from tests.support.loopback import answer_to
from tests.support.misbehaving import MisbehavingServer
from tests.support.worlds import environment, journal, only_run, server, write_questions

SCALE = 20


@pytest.fixture(autouse=True)
def _scaled_waits(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("sightline.models.openai.MAX_RETRY_AFTER", 60.0 / SCALE)
    for name in ("QUIET", "FIRST_WAIT", "LONGEST_WAIT", "LONGEST_WAIT_UNDER_LOAD", "LOAD_SECONDS"):
        monkeypatch.setattr(circuit_breaker, name, getattr(circuit_breaker, name) / SCALE)
    yield


def ask(tmp_path: Path, base: str, **more: Any) -> Result:
    given = {"data": str(tmp_path / "data"), "model": "m", "api_base": base, "output_dir": str(tmp_path / "runs")}
    return evaluate("simulation", **{**given, "max_outage": 600 / SCALE, "concurrency": 16, **more})


def wait_for_journal(tmp_path: Path, lines: int, is_alive: Callable[[], bool]) -> None:
    """Wait until a run has so many lines in its journal."""
    deadline = time.monotonic() + 120
    while not list((tmp_path / "runs").glob("*/journal.jsonl")) or len(journal(only_run(tmp_path / "runs"))) < lines:
        assert is_alive() and time.monotonic() < deadline
        time.sleep(0.02)


def check_all_answered(result: Result, count: int) -> None:
    assert result.stopped is None and result.summary.statuses == {"answered": count}
    answers = [line for line in journal(result.folder) if line["type"] == "answer"]
    assert len(answers) == len({line["sample"] for line in answers}) == count
    for line in answers:
        number = str(line["sample"]).rpartition("/q")[2]
        assert line["text"] == answer_to(f"Is statement {number} right?")


def most_probes(seconds: float) -> int:
    """Probes one after another during an outage: jitter at most halves each wait, which doubles up to its limit."""
    longest, under_load = circuit_breaker.LONGEST_WAIT * SCALE, circuit_breaker.LONGEST_WAIT_UNDER_LOAD * SCALE
    load_seconds = min(seconds, circuit_breaker.LOAD_SECONDS * SCALE)
    doublings = 6  # from 0.5 s to 30 s
    return doublings + int(2 * load_seconds / under_load) + int(2 * (seconds - load_seconds) / longest)


@pytest.mark.parametrize(
    ("name", "seconds"),
    [("http_503", 60), ("http_429", 120), ("http_500", 60), ("reset", 60), ("http_429_long", 30), ("html", 60)],
)
@pytest.mark.parametrize("concurrency", [1, 16])
def test_an_outage_loses_no_sample(name: str, seconds: float, concurrency: int, tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 120)
    with MisbehavingServer(name, after=40, seconds=seconds / SCALE, latency=0.002) as unwell:
        result = ask(tmp_path, unwell.base, concurrency=concurrency)
    check_all_answered(result, 120)
    assert unwell.misbehaved <= concurrency + 5 + most_probes(seconds), "one probe at a time"


def test_a_model_that_is_still_loading_is_waited_for(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 40)
    with MisbehavingServer("http_503", seconds=60 / SCALE) as loading:
        check_all_answered(ask(tmp_path, loading.base), 40)


def test_an_outage_at_the_very_end_loses_nothing(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 40)
    with MisbehavingServer("http_500", after=39, seconds=20 / SCALE) as unwell:
        check_all_answered(ask(tmp_path, unwell.base, concurrency=1), 40)


def test_a_resumed_run_waits_for_its_server_and_is_not_stopped_by_samples_that_failed_before(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 80)
    bad = [f"Is statement {number} right?".encode() for number in range(30)]
    with MisbehavingServer("http_500") as unwell:
        unwell.applies = lambda body: any(question in body for question in bad)
        first = ask(tmp_path, unwell.base, max_tries=1, concurrency=2, max_requests=75)
        assert isinstance(first.stopped, AllFailingError), "the first samples are all bad ones"
        assert first.summary.statuses["failed"] >= 5
        second = ask(tmp_path, unwell.base, max_tries=1, concurrency=2)
    assert second.folder == first.folder
    assert second.summary.statuses == {"answered": 50, "failed": 30}


def test_a_queue_of_our_own_is_no_outage_of_the_server(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 24)
    asked: set[bytes] = set()

    def is_first_time(body: bytes) -> bool:
        is_new = body not in asked
        asked.add(body)
        return is_new and len(asked) % 6 == 0

    with MisbehavingServer("http_429") as busy:
        busy.applies = is_first_time
        result = ask(tmp_path, busy.base, max_outage=0.5, requests_per_minute=600)
    check_all_answered(result, 24)


def test_a_bucket_of_requests_per_second_costs_no_sample(tmp_path: Path) -> None:
    """429 with Retry-After is the normal life of a paid server, not an outage."""
    write_questions(tmp_path / "data", 150)
    times: list[float] = []

    def is_over_rate(body: bytes) -> bool:
        now = time.monotonic()
        times[:] = [one for one in times if now - one < 0.5]
        if len(times) >= 20:
            return True
        times.append(now)
        return False

    with MisbehavingServer("http_429_soon") as busy:
        busy.applies = is_over_rate
        result = ask(tmp_path, busy.base)
    check_all_answered(result, 150)


def test_a_server_that_restarts_loses_nothing(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 400)
    results: list[Result] = []
    with server("--latency", "0.02") as base:
        thread = threading.Thread(target=lambda: results.append(ask(tmp_path, base)))
        thread.start()
        wait_for_journal(tmp_path, 40, thread.is_alive)
    time.sleep(1.0)  # nobody is there
    with server("--latency", "0.002", "--port", base.rpartition(":")[2].partition("/")[0]):
        thread.join()
    check_all_answered(results[0], 400)


def test_an_outage_that_is_too_long_stops_the_run_and_fails_no_sample(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 120)
    with MisbehavingServer("http_503", after=40) as unwell:
        result = ask(tmp_path, unwell.base, max_outage=0.5)
        assert isinstance(result.stopped, UnreachableError)
        assert "model is loading" in str(result.stopped) and "--max-outage" in str(result.stopped)
    assert result.summary.statuses == {"answered": 40} and result.summary.pending == 80


class Listener(Progress):
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.notices: list[str] = []

    def inference_updated(self, progress: RunProgress) -> None:
        self.lines.append(status(progress, 120, 1.0))
        self.notices = list(map(str, progress.notices))


def test_an_outage_is_shown_with_its_reason_and_the_time_of_the_next_try(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sightline.inference.load_balancer._REPORT_OUTAGE_AFTER", 0.3)
    write_questions(tmp_path / "data", 120)
    listener = Listener()
    with MisbehavingServer("http_503", after=40, seconds=2.5) as unwell:
        check_all_answered(ask(tmp_path, unwell.base, progress=listener), 120)
    waiting = [line for line in listener.lines if "next attempt in" in line]
    assert waiting and all("HTTP 503: model is loading" in line for line in waiting)
    assert any("is unavailable" in notice and "model is loading" in notice for notice in listener.notices)
    assert any("is responding again after" in notice for notice in listener.notices)


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process are a thing of POSIX")
@pytest.mark.parametrize("room", [26, 60])
def test_a_process_that_may_open_few_files_fails_no_sample(room: int, tmp_path: Path) -> None:
    """In a process of its own, with room for a few connections, and far more wanted."""
    write_questions(tmp_path / "data", 120)
    script = (
        "import resource, sys, os; from sightline.cli import main; import aiohttp, sightline.runs.run, numpy, duckdb;"
        f"limit = len(os.listdir('/dev/fd')) + {room};"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (limit, resource.getrlimit(resource.RLIMIT_NOFILE)[1]));"
        "main()"
    )
    with server("--latency", "0.01") as base:
        call = ["run", "simulation", "--data", "data", "--model", "m", "--api-base", base, "--concurrency", "128"]
        told = subprocess.run(
            [sys.executable, "-c", script, *call, "--json"],
            cwd=tmp_path,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=120,
        )
    assert told.returncode == 0, told.stderr
    assert "instead of 128" in told.stderr and "ulimit -n" in told.stderr
    lines = journal(only_run(tmp_path / "runs"))
    assert [line["type"] for line in lines] == ["answer"] * 120, "no request was spent on it"


def refuse_files(patch: pytest.MonkeyPatch, code: int) -> None:
    """No file can be opened by the module that loads images."""

    def open_file(path: str, *args: Any, **options: Any) -> Any:
        raise OSError(code, os.strerror(code))

    patch.setattr(media, "open", open_file, raising=False)


def test_a_shortage_in_the_middle_of_a_run_fails_no_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_questions(tmp_path / "data", 60)
    calls = 0

    def load(picture: Media) -> bytes:
        nonlocal calls
        calls += 1
        with monkeypatch.context() as patch:
            if 20 < calls < 40:
                refuse_files(patch, errno.EMFILE)
            return load_bytes(picture)

    monkeypatch.setattr(pictures, "load_bytes", load)
    with MisbehavingServer("proper") as well:
        result = ask(tmp_path, well.base)
    check_all_answered(result, 60)
    assert {line["kind"] for line in journal(result.folder) if line["type"] == "failure"} == {"local_shortage"}


def test_a_picture_that_can_not_be_opened_for_lack_of_handles_is_no_fault_of_the_data(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    picture = Media(kind="image", path=str(tmp_path / "a.png"))
    refuse_files(monkeypatch, errno.EMFILE)
    with pytest.raises(TryAgainError) as told:
        load_bytes(picture)
    assert told.value.kind == "local_shortage" and told.value.is_of_server and "ulimit" in str(told.value)
    refuse_files(monkeypatch, errno.ENOENT)
    with pytest.raises(MediaError):
        load_bytes(picture)
    assert local_shortage(OSError(errno.ECONNREFUSED, "refused")) is None


@pytest.mark.skipif(sys.platform == "win32", reason="signals are a thing of POSIX")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_to_stop_ends_a_run_graded_with_exit_code_3(number: signal.Signals, tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 600)
    with server("--latency", "0.05") as base:
        call = ["run", "simulation", "--data", "data", "--model", "m", "--api-base", base, "--concurrency", "4"]
        process = subprocess.Popen(
            [sys.executable, "-m", "sightline", *call],
            cwd=tmp_path,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # tests that are started with nohup would hand on that SIGHUP is ignored
            preexec_fn=partial(signal.signal, number, signal.default_int_handler),
        )
        wait_for_journal(tmp_path, 20, lambda: process.poll() is None)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 3, err
    assert "Stopped" in err and "Traceback" not in err
    assert (only_run(tmp_path / "runs") / "report.json").exists() and "Accuracy" in out


@pytest.mark.skipif(sys.platform == "win32", reason="nohup is a thing of POSIX")
def test_nohup_is_respected(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 200)
    with server("--latency", "0.05") as base:
        call = ["run", "simulation", "--data", "data", "--model", "m", "--api-base", base, "--concurrency", "4"]
        process = subprocess.Popen(
            ["nohup", sys.executable, "-m", "sightline", *call],
            cwd=tmp_path,
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_for_journal(tmp_path, 20, lambda: process.poll() is None)
        process.send_signal(signal.SIGHUP)
        assert process.wait(60) == 0
