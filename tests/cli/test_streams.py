"""Standard streams that are full or closed: no traceback, a clear exit code, and nothing written where it must not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.worlds import environment, only_run, sightline, write_questions

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, a device that is always full")


def in_shell(command: str, cwd: Path, redirect: str) -> subprocess.CompletedProcess[str]:
    """Run a command with redirections; what is left of its streams is captured."""
    return subprocess.run(
        ["sh", "-c", f"{sys.executable} -X dev -W ignore -m sightline {command} {redirect}"],
        cwd=cwd,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a data set and a graded run."""
    folder = tmp_path_factory.mktemp("streams")
    write_questions(folder / "data", 6)
    assert sightline(*["run", "simulation", "--data", "data", "--model", "baseline/random"], cwd=folder).returncode == 0
    return folder


COMMANDS = ["show", "show --json", "--help", "run --help", "suites", "doctor", "--version", "score RUN --json"]


@needs_full
@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_standard_output_is_told_and_has_a_code_of_its_own(world: Path, command: str) -> None:
    told = in_shell(command.replace("RUN", str(only_run(world / "runs"))), world, "> /dev/full")
    assert told.returncode == 4, told.stderr
    assert "standard output" in told.stderr and "No space left" in told.stderr
    assert "Traceback" not in told.stderr and "Exception ignored" not in told.stderr


@pytest.mark.slow
@needs_full
@pytest.mark.parametrize("command", ["show", "show --json", "rum", "show nowhere"])
def test_a_full_standard_error_changes_no_exit_code(world: Path, command: str) -> None:
    plain, full = in_shell(command, world, ""), in_shell(command, world, "2> /dev/full")
    assert (full.returncode, full.stdout) == (plain.returncode, plain.stdout)


@needs_full
def test_both_full_at_once(world: Path) -> None:
    assert in_shell("show", world, "> /dev/full 2> /dev/full").returncode == 4


@pytest.mark.slow
@pytest.mark.parametrize("redirect", ["2>&-", ">&-", ">&- 2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("command", ["show", "show --json", "rum", "suites"])
def test_closed_streams_are_as_good_as_none(world: Path, command: str, redirect: str) -> None:
    plain, closed = in_shell(command, world, ""), in_shell(command, world, redirect)
    assert closed.returncode == plain.returncode
    assert "Traceback" not in closed.stderr + closed.stdout
    if ">&- " not in f"{redirect} ".removeprefix("2"):
        assert closed.stdout == plain.stdout


@pytest.mark.parametrize("redirect", ["> /dev/full 2> /dev/full", "2> /dev/full", ">&- 2>&-", "2>&-"])
def test_a_run_is_finished_whatever_becomes_of_its_words(tmp_path: Path, redirect: str) -> None:
    if "full" in redirect and not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    write_questions(tmp_path / "data", 6)
    told = in_shell("run simulation --data data --model baseline/random", tmp_path, redirect)
    assert told.returncode == (4 if redirect.startswith("> /dev/full") else 0)
    run = only_run(tmp_path / "runs")
    assert json.loads((run / "report.json").read_text())["statuses"] == {"answered": 6}
    assert len((run / "journal.jsonl").read_text().splitlines()) == 6


def test_a_reader_that_has_seen_enough_is_no_error(world: Path) -> None:
    told = in_shell("show", world, "| head -c 10 > /dev/null")
    assert told.stderr == ""


@needs_full
def test_a_gate_that_failed_is_told_by_the_exit_code_although_nobody_can_read_the_summary(tmp_path: Path) -> None:
    write_questions(tmp_path / "data", 8)
    command = "run simulation --data data --model baseline/constant:True --fail-under 0.9"
    told = in_shell(command, tmp_path, "> /dev/full")
    assert told.returncode == 1, told.stderr
    assert "standard output" in told.stderr and "Traceback" not in told.stderr
