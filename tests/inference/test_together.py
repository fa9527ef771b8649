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
from sightline.core.errors import ConfigError, JournalError
from sightline.core.records import Answer, Invalid
from sightline.inference.journal.files import journal_parts
from sightline.inference.journal.history import History
from sightline.inference.journal.writer import Journal
from sightline.inference.rounds import Round
from sightline.inference.sharing import participants as company_module
from sightline.inference.sharing.claims import SHARE, Shares
from sightline.inference.sharing.participants import LEASE, Company
from sightline.runs.folder import RunFolder
from tests.support.worlds import environment, journal, only_run, server, sightline, write_questions

CONCURRENCY = 4


def enter(folder: Path, join: bool = True, alone: bool = False) -> Company:
    company = Company(RunFolder(folder))
    company.enter(join, alone)
    return company


def test_the_first_writes_the_journal_and_others_parts_of_their_own(tmp_path: Path) -> None:
    first, second, third = (enter(tmp_path) for _ in range(3))
    names = [one.journal.name for one in (first, second, third)]
    assert names[0] == "journal.jsonl" and len(set(names)) == 3
    for number, one in enumerate((first, second, third)):
        part = Journal(one.journal)
        part.write(Answer(position=number, sample=f"s{number}", text="x", tokens_in=2))
        part.close()
    history = History(tmp_path / "journal.jsonl")
    assert [history.of(k, f"s{k}")[0].answers[0].position for k in range(3)] == [0, 1, 2]
    assert (history.requests, history.tokens_in) == (3, 6)
    history.close()
    assert not second.leave()
    fourth = enter(tmp_path)
    assert fourth.journal == second.journal, "a part that nobody writes is gone on with"
    assert [first.leave(), fourth.leave(), third.leave()] == [False, False, True]
    assert not (tmp_path / ".asking").exists()


def test_who_does_not_join_is_refused_and_nobody_joins_who_asks_alone(tmp_path: Path) -> None:
    first = enter(tmp_path, join=False)
    with pytest.raises(JournalError, match="--join"):
        enter(tmp_path, join=False)
    first.leave()
    batch = enter(tmp_path, join=False, alone=True)
    with pytest.raises(JournalError, match="Another process"):
        enter(tmp_path)
    batch.leave()


def test_what_is_no_part_is_not_read(tmp_path: Path) -> None:
    main = tmp_path / "journal.jsonl"
    for name in ("journal.jsonl", "journal.host-2.jsonl", "journal.jsonl.torn", "journal.a.b.jsonl", "journal.x.json"):
        (tmp_path / name).write_text("")
    (tmp_path / "journal.link.jsonl").symlink_to("/etc/hostname")
    assert [path.name for path in journal_parts(main)] == ["journal.jsonl", "journal.host-2.jsonl"]


def test_a_torn_line_of_a_part_that_nobody_writes_is_set_aside(tmp_path: Path) -> None:
    (tmp_path / "journal.host-2.jsonl").write_bytes(b'{"type":"ans')
    company = enter(tmp_path)
    assert company.torn_bytes == 12
    company.leave()


def test_a_share_has_one_owner(tmp_path: Path) -> None:
    one, two = enter(tmp_path), enter(tmp_path)
    mine, theirs = Shares(one), Shares(two)
    assert [mine.claim(0), theirs.claim(0), theirs.claim(1), mine.claim(1)] == [True, False, True, False]
    assert mine.take_over([0, 1]) == set(), "both are at work"
    theirs.finish(1)
    assert mine.open_ones(2) == [0]
    mine.finish(0)
    assert theirs.open_ones(2) == []
    one.leave()
    two.leave()


def test_what_is_left_is_taken_over_by_one(tmp_path: Path) -> None:
    one, two, three = (enter(tmp_path) for _ in range(3))
    left = Shares(one)
    for number in range(5):
        left.claim(number)
    left.finish(3)
    left.give_back()
    assert not Shares(two).claim(0), "it is taken over with a look at the journal, never claimed anew"
    taken = [Shares(two).take_over([0, 1, 2, 4]), Shares(three).take_over([0, 1, 2, 4])]
    assert taken == [{0, 1, 2, 4}, set()]
    for each in (one, two, three):
        each.leave()


def test_a_process_of_another_machine_is_dead_when_its_heart_has_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(company_module, "host_name", lambda: "elsewhere")
        far = enter(tmp_path)
    shares = Shares(far)
    shares.claim(0)
    near = enter(tmp_path)
    beat = tmp_path / ".asking" / f"{far.name}.alive"
    before = time.time() - LEASE
    os.utime(beat, (before + 30, before + 30))
    assert Shares(near).take_over([0]) == set()
    os.utime(beat, (before - 1, before - 1))
    assert Shares(near).take_over([0]) == {0}
    near.leave()
    far.leave()


def test_who_slept_too_long_asks_no_more_of_what_others_have_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sleeper, other = enter(tmp_path), enter(tmp_path)
    shares = Shares(sleeper)
    samples = iter([(k, Invalid(id=str(k), reason="")) for k in range(4)])
    walk = Round(samples, shares, shares.claim)
    seen = iter(walk)
    assert [next(seen)[1], next(seen)[1]] == [0, 1]
    (tmp_path / ".asking" / "0.share").write_text(other.name)
    monkeypatch.setattr("sightline.inference.sharing.claims.time", lambda: time.time() + LEASE)
    assert list(seen) == []
    walk.done(0)
    walk.done(0)
    assert (tmp_path / ".asking" / "0.share").read_text() == other.name, "it is not this one's to finish"
    sleeper.leave()
    other.leave()


def test_a_claim_without_a_name_is_free_after_a_while(tmp_path: Path) -> None:
    company = enter(tmp_path)
    path = tmp_path / ".asking" / "0.share"
    path.touch()
    assert Shares(company).take_over([0]) == set()
    os.utime(path, (time.time() - LEASE - 1,) * 2)
    assert Shares(company).take_over([0]) == {0}
    company.leave()


def test_join_and_fresh_contradict_each_other(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--fresh"):
        evaluate("simulation", data=str(tmp_path), model="baseline/oracle", join=True, fresh=True)


def test_a_latecomer_finds_the_finished_run_and_asks_nothing(tmp_path: Path) -> None:
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
def test_three_processes_one_killed_give_the_figures_of_one(tmp_path: Path) -> None:
    count = 8 * SHARE + 17
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
        assert one["states"] == {"ok": count}
        assert one["rows"] == whole.to_dict()["rows"]
    assert "taken over" in told[0][1] + told[2][1]
    assert RunFolder(run).load_manifest().state == "finished"
    assert [path.name for path in (run / ".asking").iterdir()] == ["graded"], "claims are cleared away"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals are a thing of POSIX")
def test_who_is_stopped_leaves_the_rest_to_others(tmp_path: Path) -> None:
    count = 8 * SHARE
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
    assert json.loads(out)["states"] == {"ok": count}
    assert sum(sent.values()) - count <= CONCURRENCY
