"""`--launch`: a server command of the user's, started for a run, waited for, and stopped with all its children."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sightline.core.config import RunConfig, masked
from sightline.core.errors import ConfigError, UnreachableError
from sightline.models.launched_server import LaunchedServer
from tests.support.worlds import environment, journal, only_run, sightline_here, write_questions

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are looked up by POSIX means")

LOOPBACK = Path(__file__).parents[1] / "support" / "loopback.py"
NESTED = """
import subprocess, sys
from pathlib import Path
child = subprocess.Popen([sys.executable, *sys.argv[2:]], start_new_session=True)  # one that leaves the group
Path(sys.argv[1]).write_text(str(child.pid))
child.wait()
"""


def command(*more: str | Path) -> str:
    return shlex.join([sys.executable, str(LOOPBACK), "--port", "{port}", *map(str, more)])


def nested(pid_file: Path, *more: str) -> str:
    """A launcher whose child is the server, in a session of its own, as some servers start their engines."""
    return shlex.join([sys.executable, "-c", NESTED, str(pid_file), str(LOOPBACK), "--port", "{port}", *more])


def is_running(pid: int) -> bool:
    try:
        return "zombie" not in Path(f"/proc/{pid}/status").read_text().split("State:")[1].splitlines()[0]
    except FileNotFoundError:
        return False


def wait_until_ended(pid: int) -> None:
    deadline = time.monotonic() + 30
    while is_running(pid):
        assert time.monotonic() < deadline, "the server is still running"
        time.sleep(0.02)


def call(data: Path, launch: str, *more: str) -> list[str]:
    return ["run", "simulation", "--data", str(data), "--model", "m", "--launch", launch, *more]


def test_a_run_with_its_own_server(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 20)
    pid = tmp_path / "pid"
    done = sightline_here(*call(data, nested(pid), "--json"), cwd=tmp_path, OPENAI_API_KEY="sk-of-another-server-1")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["statuses"] == {"answered": 20}
    assert "Starting the server: " in done.stderr and "The server answers after" in done.stderr
    assert "no key" in done.stderr  # a key from the environment is for another server
    assert not is_running(int(pid.read_text()))
    run = only_run(tmp_path / "runs")
    assert "loopback.py" in (run / "server.log").read_text()


def test_the_same_command_resumes_on_another_port(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 20)
    first = sightline_here(*call(data, command(), "--max-requests", "8"), cwd=tmp_path)
    assert first.returncode == 3
    second = sightline_here(*call(data, command()), cwd=tmp_path)
    assert second.returncode == 0 and "Resuming" in second.stderr
    run = only_run(tmp_path / "runs")
    assert len([line for line in journal(run) if line["type"] == "answer"]) == 20
    third = sightline_here(*call(data, command()), cwd=tmp_path)
    assert "already finished" in third.stderr and "Starting the server" not in third.stderr


def test_a_server_that_exits_is_reported_with_its_last_lines(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 4)
    program = "import sys; print('loading'); sys.exit('no such checkpoint: {port}')"
    done = sightline_here(*call(data, shlex.join([sys.executable, "-c", program])), cwd=tmp_path)
    assert done.returncode != 0 and "Traceback" not in done.stderr
    assert "ended with exit code 1" in done.stderr and "no such checkpoint" in done.stderr
    assert "server.log" in done.stderr


def test_a_command_that_does_not_exist(tmp_path: Path) -> None:
    server = LaunchedServer(RunConfig(launch="no-such-program-here --port {port}"))
    with server, pytest.raises(UnreachableError, match="cannot be started: no-such-program-here: No such file"):
        server.start(tmp_path / "log", lambda remark: None)


def test_a_server_that_never_answers_is_given_up_and_stopped(tmp_path: Path) -> None:
    program = "import os, sys, time; open(sys.argv[2], 'w').write(str(os.getpid())); time.sleep(600)"
    launch = shlex.join([sys.executable, "-c", program, "{port}", str(tmp_path / "pid")])
    with (
        LaunchedServer(RunConfig(launch=launch, launch_timeout=1)) as server,
        pytest.raises(UnreachableError, match="did not answer within 1 s"),
    ):
        server.start(tmp_path / "log", lambda remark: None)
    assert not is_running(int((tmp_path / "pid").read_text()))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_server_ends_with_the_run_however_that_ends(tmp_path: Path, number: signal.Signals) -> None:
    data = write_questions(tmp_path / "data", 400)
    pid = tmp_path / "pid"
    process = subprocess.Popen(
        [sys.executable, "-m", "sightline", *call(data, nested(pid, "--latency", "0.3"))],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while not any(path.stat().st_size for path in (tmp_path / "runs").glob("*/journal.jsonl")):
        assert process.poll() is None
        time.sleep(0.02)
    assert is_running(int(pid.read_text()))
    process.send_signal(number)
    process.wait(timeout=60)
    wait_until_ended(int(pid.read_text()))


def test_the_server_ends_when_it_is_killed_while_it_is_starting(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 4)
    program = "import os, sys, time; open(sys.argv[2], 'w').write(str(os.getpid())); time.sleep(600)"
    launch = shlex.join([sys.executable, "-c", program, "{port}", str(tmp_path / "pid")])
    process = subprocess.Popen(
        [sys.executable, "-m", "sightline", *call(data, launch)],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    assert "Traceback" not in process.communicate(timeout=60)[1] and process.returncode == 3
    wait_until_ended(int((tmp_path / "pid").read_text()))


def test_the_same_server_for_the_judge(tmp_path: Path) -> None:
    from sightline.api.evaluation import generate

    data = generate("matrix", tmp_path / "data", count=2, seed=1, kind=("image_description",))
    arguments = ["run", "matrix", "--data", str(data), "--model", "m", "--cache-path", str(tmp_path / "cache")]
    launch = ["--launch", command("--reply", "equal")]
    assert sightline_here(*arguments, *launch, cwd=tmp_path).returncode == 0
    done = sightline_here(*arguments, *launch, "--judge", "j", cwd=tmp_path)  # the run is finished: only the judge
    assert done.returncode == 0 and "at least as good" in done.stdout, done.stderr
    assert "Starting the server" in done.stderr


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"launch": "serve --port 8000"}, "has no {port}"),
        ({"launch": "serve 'x --port {port}"}, "cannot be parsed"),
    ],
)
def test_a_command_that_can_not_work(settings: dict[str, str], word: str) -> None:
    with pytest.raises(ConfigError, match=word):
        LaunchedServer(RunConfig(**settings))


def test_other_settings_that_do_not_fit(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 4)
    refused = sightline_here(*call(data, command(), "--api-base", "http://127.0.0.1:9/v1"), cwd=tmp_path)
    assert refused.returncode == 2 and "--launch cannot be combined with --api-base" in refused.stderr
    arguments = call(data, command())
    arguments[arguments.index("m")] = "baseline/random"
    unused = sightline_here(*arguments, cwd=tmp_path)
    assert unused.returncode == 2 and "does not use" in unused.stderr


def test_keys_in_the_command_are_not_written_down() -> None:
    launch = "serve --api-key abc123 --max-tokens 12 --hf_token='x y' --port {port} --url https://me:pw@host"
    shown = masked(RunConfig(launch=launch))["launch"]
    assert shown.startswith("serve --api-key *** --max-tokens 12 --hf_token=*** --port {port} --url")
    assert "pw" not in shown


@pytest.mark.skipif(not os.environ.get("REAL_SERVER_PACKAGES"), reason="REAL_SERVER_PACKAGES names no llama.cpp")
@pytest.mark.slow
def test_llama_cpp_is_launched_too(tmp_path: Path) -> None:
    from tests.support.real_servers import LAYERS, require_llama

    packages = require_llama()
    data = write_questions(tmp_path / "data", 2)
    program = Path(__file__).parents[1] / "support" / "llama_server.py"
    serve = [sys.executable, str(program), "--port", "{port}", "--folder", str(tmp_path), "--layers", str(LAYERS)]
    launch = shlex.join(serve)
    done = sightline_here(*call(data, launch, "--max-tokens", "2", "--json"), cwd=tmp_path, PYTHONPATH=packages)
    assert done.returncode == 0, done.stderr
    assert json.loads((only_run(tmp_path / "runs") / "manifest.json").read_text())["served_models"] == {"smollm2": 2}
