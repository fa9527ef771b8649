"""Several processes in one run folder: no sample is asked twice, and none is lost with a process that dies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from sightline import evaluate
from sightline.core.errors import ConfigError, StorageError
from sightline.core.records import Answer, Invalid
from sightline.inference import sharing
from sightline.inference.journal import JournalReader, JournalWriter, journal_files
from sightline.inference.sharing import CHUNK_SIZE, LEASE_SECONDS, ClaimedSamples, RunMember, WorkClaims
from sightline.runs.folder import RunFolder
from tests.support.worlds import environment, journal, only_run, server, sightline, write_questions

CONCURRENCY = 4


def enter(folder: Path, join: bool = True, exclusive: bool = False) -> RunMember:
    member = RunMember(RunFolder(folder))
    member.enter(join, exclusive)
    return member


def test_each_process_writes_its_own_journal_file(tmp_path: Path) -> None:
    first, second, third = (enter(tmp_path) for _ in range(3))
    names = [one.journal.name for one in (first, second, third)]
    assert names[0] == "journal.jsonl" and len(set(names)) == 3
    for number, one in enumerate((first, second, third)):
        part = JournalWriter(one.journal)
        part.write(Answer(position=number, sample=f"s{number}", text="x", tokens_in=2))
        part.close()
    history = JournalReader(tmp_path / "journal.jsonl")
    assert [history.attempts(k, f"s{k}")[0].answers[0].position for k in range(3)] == [0, 1, 2]
    assert (history.counts.requests, history.counts.tokens_in) == (3, 6)
    history.close()
    assert not second.leave()
    fourth = enter(tmp_path)
    assert fourth.journal == second.journal, "a part that nobody writes is gone on with"
    assert [first.leave(), fourth.leave(), third.leave()] == [False, False, True]
    assert not (tmp_path / ".asking").exists()


def test_a_process_without_join_is_refused_and_exclusive_runs_cannot_be_joined(tmp_path: Path) -> None:
    first = enter(tmp_path, join=False)
    with pytest.raises(StorageError, match="--join"):
        enter(tmp_path, join=False)
    first.leave()
    batch = enter(tmp_path, join=False, exclusive=True)
    with pytest.raises(StorageError, match="Another process"):
        enter(tmp_path)
    batch.leave()


def test_only_journal_files_are_read(tmp_path: Path) -> None:
    main = tmp_path / "journal.jsonl"
    for name in ("journal.jsonl", "journal.host-2.jsonl", "journal.jsonl.torn", "journal.a.b.jsonl", "journal.x.json"):
        (tmp_path / name).write_text("")
    (tmp_path / "journal.link.jsonl").symlink_to("/etc/hostname")
    assert [path.name for path in journal_files(main)] == ["journal.jsonl", "journal.host-2.jsonl"]


def test_a_torn_line_of_an_unused_journal_file_is_moved_aside(tmp_path: Path) -> None:
    (tmp_path / "journal.host-2.jsonl").write_bytes(b'{"type":"ans')
    member = enter(tmp_path)
    assert member.torn_bytes == 12
    member.leave()


def test_a_chunk_is_claimed_by_one_process(tmp_path: Path) -> None:
    one, two = enter(tmp_path), enter(tmp_path)
    mine, theirs = WorkClaims(one), WorkClaims(two)
    assert [mine.claim(0), theirs.claim(0), theirs.claim(1), mine.claim(1)] == [True, False, True, False]
    assert mine.take_over([0, 1]) == set(), "both are at work"
    theirs.finish(1)
    assert mine.unfinished(2) == [0]
    mine.finish(0)
    assert theirs.unfinished(2) == []
    one.leave()
    two.leave()


def test_released_chunks_are_taken_over_by_one_process(tmp_path: Path) -> None:
    one, two, three = (enter(tmp_path) for _ in range(3))
    left = WorkClaims(one)
    for number in range(5):
        left.claim(number)
    left.finish(3)
    left.release_all()
    assert not WorkClaims(two).claim(0), "it is taken over with a look at the journal, never claimed anew"
    taken = [WorkClaims(two).take_over([0, 1, 2, 4]), WorkClaims(three).take_over([0, 1, 2, 4])]
    assert taken == [{0, 1, 2, 4}, set()]
    for each in (one, two, three):
        each.leave()


def test_a_process_on_another_machine_is_dead_when_its_lease_has_expired(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(sharing, "host_name", lambda: "elsewhere")
        far = enter(tmp_path)
    claims = WorkClaims(far)
    claims.claim(0)
    near = enter(tmp_path)
    beat = tmp_path / ".asking" / f"{far.name}.alive"
    before = time.time() - LEASE_SECONDS
    os.utime(beat, (before + 30, before + 30))
    assert WorkClaims(near).take_over([0]) == set()
    os.utime(beat, (before - 1, before - 1))
    assert WorkClaims(near).take_over([0]) == {0}
    near.leave()
    far.leave()


def test_a_suspended_process_stops_working_on_chunks_that_others_took_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sleeper, other = enter(tmp_path), enter(tmp_path)
    claims = WorkClaims(sleeper)
    samples = iter([(k, Invalid(id=str(k), reason="")) for k in range(4)])
    walk = ClaimedSamples(samples, claims, claims.claim)
    seen = iter(walk)
    assert [next(seen)[1], next(seen)[1]] == [0, 1]
    (tmp_path / ".asking" / "0.share").write_text(other.name)
    monkeypatch.setattr("sightline.inference.sharing.time", lambda: time.time() + LEASE_SECONDS)
    assert list(seen) == []
    walk.finish_sample(0)
    walk.finish_sample(0)
    assert (tmp_path / ".asking" / "0.share").read_text() == other.name, "it is not this one's to finish"
    sleeper.leave()
    other.leave()


def test_a_claim_without_a_name_expires(tmp_path: Path) -> None:
    member = enter(tmp_path)
    path = tmp_path / ".asking" / "0.share"
    path.touch()
    assert WorkClaims(member).take_over([0]) == set()
    os.utime(path, (time.time() - LEASE_SECONDS - 1,) * 2)
    assert WorkClaims(member).take_over([0]) == {0}
    member.leave()


def test_join_and_fresh_contradict_each_other(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--fresh"):
        evaluate("simulation", data=str(tmp_path), model="baseline/oracle", join=True, fresh=True)


def test_a_process_that_joins_a_finished_run_sends_no_request(tmp_path: Path) -> None:
    data = str(write_questions(tmp_path / "data", 30))
    with server("--log", tmp_path / "log") as base:
        call = {"data": data, "model": "m", "api_base": base, "output_dir": str(tmp_path / "runs"), "join": True}
        first = evaluate("simulation", **call)
        second = evaluate("simulation", **call)
    assert first.folder == second.folder
    assert first.summary.rows == second.summary.rows
    assert len((tmp_path / "log").read_text().splitlines()) == 30


def start(call: list[str], cwd: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "sightline", *call]
    return subprocess.Popen(
        command, cwd=cwd, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def parts_with_answers(runs: Path) -> int:
    return sum(path.stat().st_size > 0 for path in runs.glob("*/journal*.jsonl"))


def wait_for_parts(runs: Path, count: int) -> None:
    """Wait until so many processes have written answers."""
    deadline = time.monotonic() + 120
    while parts_with_answers(runs) < count:
        assert time.monotonic() < deadline, f"fewer than {count} processes have answers"
        time.sleep(0.02)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is a thing of POSIX")
def test_three_processes_with_one_killed_give_the_metrics_of_one_process(tmp_path: Path) -> None:
    count = 8 * CHUNK_SIZE + 17
    data = write_questions(tmp_path / "data", count)
    log = tmp_path / "log"
    with server("--latency", "0.05", "--log", log, "--hold", tmp_path / "go") as base:
        call = ["run", "simulation", "--data", str(data), "--model", "m", "--api-base", base, "--json"]
        call += ["--concurrency", str(CONCURRENCY)]
        processes = [start([*call, "--join"], tmp_path) for _ in range(3)]
        while not log.exists() or log.read_text().count("\n") < 3 * CONCURRENCY:
            time.sleep(0.02)
        (tmp_path / "go").touch()  # all three are there, with as many requests as they may have
        wait_for_parts(tmp_path / "runs", 3)
        processes[1].send_signal(signal.SIGKILL)
        told = [process.communicate(timeout=120) for process in processes]
        sent = Counter(question for question, _ in map(json.loads, log.read_text().splitlines()))
        whole = evaluate("simulation", data=str(data), model="m", api_base=base, output_dir=str(tmp_path / "whole"))
    assert [process.returncode for process in processes] == [0, -signal.SIGKILL, 0], told
    run = only_run(tmp_path / "runs")
    answers = [line["sample"] for line in journal(run) if line["type"] == "answer"]
    assert len(answers) == len(set(answers)) == count
    assert len(sent) == count
    assert sum(sent.values()) - count <= CONCURRENCY, "only what the killed one had in flight"
    figures = [json.loads(told[k][0]) for k in (0, 2)]
    for one in figures:
        assert one["statuses"] == {"answered": count}
        assert one["rows"] == whole.to_dict()["rows"]
    assert "Took over" in told[0][1] + told[2][1]
    assert RunFolder(run).load_manifest().state == "finished"
    assert [path.name for path in (run / ".asking").iterdir()] == ["graded"], "claims are cleared away"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals are a thing of POSIX")
def test_a_stopped_process_leaves_the_remaining_samples_to_others(tmp_path: Path) -> None:
    count = 8 * CHUNK_SIZE
    data = write_questions(tmp_path / "data", count)
    log = tmp_path / "log"
    with server("--latency", "0.15", "--log", log) as base:  # long enough for two more processes to start meanwhile
        call = ["run", "simulation", "--data", str(data), "--model", "m", "--api-base", base, "--json"]
        call += ["--concurrency", str(CONCURRENCY)]
        first = start(call, tmp_path)
        wait_for_parts(tmp_path / "runs", 1)
        refused = sightline(*call, cwd=tmp_path)
        second = start([*call, "--join"], tmp_path)
        wait_for_parts(tmp_path / "runs", 2)
        first.send_signal(signal.SIGINT)
        partial, _ = first.communicate(timeout=60)
        out, err = second.communicate(timeout=120)
        sent = Counter(question for question, _ in map(json.loads, log.read_text().splitlines()))
    assert refused.returncode == 3 and "--join" in refused.stderr
    assert (first.returncode, second.returncode) == (3, 0), err
    assert json.loads(partial)["pending"] > 0
    assert json.loads(out)["statuses"] == {"answered": count}
    assert sum(sent.values()) - count <= CONCURRENCY


@pytest.mark.parametrize("name", [".asking", "journal.jsonl", "report.md", "batches/1.jsonl"])
def test_a_run_folder_of_a_stranger_leads_nowhere_by_links(tmp_path: Path, name: str) -> None:
    """Claims are deleted, and the journal and reports are written: never those behind a link."""
    data = write_questions(tmp_path / "data", 4)
    home = tmp_path / "home"
    home.mkdir()
    (home / "thesis.tex").write_text("years of work\n")
    with server() as base:
        given = ("run", "simulation", "--data", data, "--model", "m", "--api-base", base)
        assert sightline(*given, "--max-requests", "2", cwd=tmp_path).returncode == 3
        run = only_run(tmp_path / "runs")
        link = run / name
        link.parent.mkdir(exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(home if name == ".asking" else home / "thesis.tex")
        resumed = sightline(*given, cwd=tmp_path)
        regraded = sightline("regrade", run, cwd=tmp_path)
    for stopped in (resumed, regraded):
        assert stopped.returncode and f"{name} is a symbolic link" in stopped.stderr
    assert [path.name for path in home.iterdir()] == ["thesis.tex"]
    assert (home / "thesis.tex").read_text() == "years of work\n"


@pytest.mark.parametrize("ahead", [-2 * LEASE_SECONDS, 2 * LEASE_SECONDS, 1e9])
def test_a_lease_of_another_machine_holds_no_run_for_ever(tmp_path: Path, ahead: float) -> None:
    """A folder that was copied may hold a lease of the future, which no heartbeat of a living process has."""
    claims = tmp_path / ".asking"
    claims.mkdir()
    lease = claims / "main~elsewhere~1-abc.alive"
    lease.touch()
    with pytest.raises(StorageError, match="Another process"):
        enter(tmp_path, join=False)
    os.utime(lease, (time.time() + ahead, time.time() + ahead))
    enter(tmp_path, join=False).leave()
