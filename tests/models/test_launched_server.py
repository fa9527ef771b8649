"""`--launch`: a server command of the user's, started for a run, waited for, and stopped with all its children."""

from __future__ import annotations

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sightline.core.config import RunConfig, mask_config
from sightline.core.errors import ConfigError, UnreachableError
from sightline.models import launched_server
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


def failing(status: int) -> str:
    """A server that answers everything with one status."""
    program = f"""
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_error({status})
HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""
    return shlex.join([sys.executable, "-c", program, "{port}"])


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


def test_the_model_line_names_the_launch(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 2)
    done = sightline_here(*call(data, command()), cwd=tmp_path)
    assert "(from --launch), no key" in done.stderr and "--api-base" not in done.stderr


def test_a_server_with_a_constant_error_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launched_server, "_MAX_ERROR_SECONDS", 0.5)
    with (
        LaunchedServer(RunConfig(launch=failing(500))) as server,
        pytest.raises(UnreachableError, match="has answered HTTP 500 for 0 s"),
    ):
        server.start(tmp_path / "log", lambda remark: None)


def test_a_server_that_is_loading_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launched_server, "_MAX_ERROR_SECONDS", 0.1)
    monkeypatch.setattr(launched_server, "_NOTICE_SECONDS", 0.5)
    remarks: list[str] = []
    with (
        LaunchedServer(RunConfig(launch=failing(503), launch_timeout=2)) as server,
        pytest.raises(UnreachableError, match=r"was not ready within 2 s \(last status: HTTP 503\)"),
    ):
        server.start(tmp_path / "log", lambda remark: remarks.append(str(remark)))
    waiting = [remark for remark in remarks if "Waiting for the server for 1 s (last status: HTTP 503)" in remark]
    assert waiting, remarks


def test_a_port_that_is_taken_in_time_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ports = iter([taken.getsockname()[1]])
        free_port = launched_server._free_port
        monkeypatch.setattr(launched_server, "_free_port", lambda: next(ports, None) or free_port())
        with LaunchedServer(RunConfig(launch=command())) as server:
            before = server.address
            server.start(tmp_path / "log", lambda remark: None)
            assert server.address != before


TAKEN_ONCE = """
import socket, subprocess, sys
from pathlib import Path
first = not Path(sys.argv[1]).exists()
Path(sys.argv[1]).touch()
if first:
    taken = socket.create_server(("127.0.0.1", int(sys.argv[4])))
sys.exit(subprocess.call([sys.executable, *sys.argv[2:]]))
"""


def test_a_port_that_is_taken_too_late_is_replaced_once(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 4)
    program = [sys.executable, "-c", TAKEN_ONCE, str(tmp_path / "flag"), str(LOOPBACK), "--port", "{port}"]
    done = sightline_here(*call(data, shlex.join(program), "--json"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["statuses"] == {"answered": 4}
    assert "is in use; starting the server again on port" in done.stderr


IN_USE = "import sys; sys.exit('OSError: [Errno 98] Address already in use: {port}')"


def test_a_server_that_never_gets_its_port_is_an_error(tmp_path: Path) -> None:
    launch = shlex.join([sys.executable, "-c", IN_USE])
    with (
        LaunchedServer(RunConfig(launch=launch)) as server,
        pytest.raises(UnreachableError, match="ended with exit code 1:\nOSError: "),
    ):
        server.start(tmp_path / "log", lambda remark: None)
    assert (tmp_path / "log").read_text().count("\nOSError") == 2


def test_the_server_of_somebody_else_is_not_taken_for_ours(tmp_path: Path) -> None:
    """A command that dies while another server, which it has not started, answers on its port."""
    late = "import sys, time; time.sleep(1); sys.exit('no memory: {port}')"
    launch = shlex.join([sys.executable, "-c", late])
    with LaunchedServer(RunConfig(launch=launch)) as server:
        other: list[subprocess.Popen[bytes]] = []

        def start_other(remark: object) -> None:
            port = server.address.rpartition(":")[2].removesuffix("/v1")
            if not other:
                other.append(subprocess.Popen([sys.executable, str(LOOPBACK), "--port", port], stdout=subprocess.PIPE))
                assert other[0].stdout is not None and other[0].stdout.readline()

        try:
            with pytest.raises(UnreachableError, match="no memory"):
                server.start(tmp_path / "log", start_other)
        finally:
            for process in other:
                process.kill()
                process.communicate()


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
    shown = mask_config(RunConfig(launch=launch))["launch"]
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
