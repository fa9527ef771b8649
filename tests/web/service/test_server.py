"""The service as the command starts it: its token, its log, and a stop that loses nothing."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.framecalc import beam
from tests.support.worlds import ROOT, environment, sightline

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="SIGTERM is not Windows' way")


class Running:
    """A server process and how to call it."""

    def __init__(self, process: subprocess.Popen[str], port: int, token: str) -> None:
        self.process, self.port, self.token = process, port, token

    def call(self, method: str, path: str, body: Any = None, token: str | None = None) -> tuple[int, Any]:
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        headers = {"Content-Type": "application/json"}
        if (token or self.token) != "none":
            headers["Authorization"] = f"Bearer {token or self.token}"
        try:
            line.request(method, path, json.dumps(body) if body is not None else None, headers)
            answer = line.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            line.close()


@contextmanager
def running(*args: str, log: Path, **more: str) -> Iterator[Running]:
    command = [sys.executable, "-u", "-m", "sightline", "serve", "--port", "0", "--workers", "1", *args]
    with log.open("w") as errors:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, cwd=ROOT, env=environment(**more)
        )
    assert process.stdout is not None
    try:
        port = re.search(r"http://127\.0\.0\.1:(\d+)", process.stdout.readline())
        assert port is not None, log.read_text()
        line = process.stdout.readline()
        token = line.partition(": ")[2].strip() if line.startswith("Token") else ""
        yield Running(process, int(port[1]), token or more.get("SIGHTLINE_SERVE_TOKEN", "none"))
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stdout.close()


def test_the_users_way_from_start_to_stop(tmp_path: Path) -> None:
    with running(log=tmp_path / "log") as server:
        assert len(server.token) >= 30
        secret = "a reply that is nobody's business"
        asked = {"task": "counting", "gt": "3", "output": secret}
        assert server.call("POST", "/v1/score", asked)[0] == 200
        assert server.call("POST", "/v1/score?token=hidden", asked, token="wrong")[0] == 401
        assert server.call("GET", "/v1/suites")[0] == 200
        # a request is under way when the stop comes, and is answered all the same
        long = {"suite": "structural", "samples": [{"truth": beam(), "output": "<json>{}</json>"}] * 300}
        got: list[tuple[int, Any]] = []
        caller = threading.Thread(target=lambda: got.append(server.call("POST", "/v1/score/many", long)))
        caller.start()
        while not server.call("GET", "/healthz")[1]["busy"]:
            pass
        server.process.send_signal(signal.SIGTERM)
        caller.join(60)
        assert got[0][0] == 200 and got[0][1]["samples"] == 300
        assert server.process.wait(60) == 0
        assert server.process.stdout is not None
        assert "Stopped." in server.process.stdout.read()
        token = server.token
    log = (tmp_path / "log").read_text()
    assert re.search(r"127\.0\.0\.1 POST /v1/score 200 [\d.]+ ms", log)
    assert re.search(r"POST /v1/score 401", log)
    assert token not in log and secret not in log and "hidden" not in log and "Traceback" not in log


def test_what_is_no_http_leaves_a_line_in_the_log_and_no_traceback(tmp_path: Path) -> None:
    """Both a length and chunks, and a chunk that is none; some of the addresses answer before they read a body."""
    with running("--no-token", log=tmp_path / "log") as server:
        while server.call("GET", "/healthz")[0] != 200:
            pass
        for path in ("/v1/score", "/v1/nothing", "/docs"):
            for kind in ("application/json", "text/plain"):
                head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {kind}\r\nContent-Length: 10\r\n"
                with socket.create_connection(("127.0.0.1", server.port), timeout=60) as line:
                    line.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\nZZ\r\nhello\r\n0\r\n\r\n".encode())
                    assert line.recv(100).startswith(b"HTTP/1.1 400 ")
        assert server.call("POST", "/v1/score", {"task": "counting", "gt": "3", "output": "3"})[0] == 200
    log = (tmp_path / "log").read_text()
    assert "Traceback" not in log and "ASGI" not in log
    assert len(re.findall(r" POST /v1/nothing 400 ", log)) == 2


@pytest.mark.slow
def test_ctrl_c_ends_it_and_its_workers(tmp_path: Path) -> None:
    with running("--no-log", log=tmp_path / "log", SIGHTLINE_SERVE_TOKEN="t" * 20) as server:
        assert server.call("GET", "/v1/tasks")[0] == 200
        children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")
        workers = children.read_text().split() if children.exists() else []
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(60) == 0
        assert not [one for one in workers if Path(f"/proc/{one}").exists()]
    assert (tmp_path / "log").read_text() == ""


def test_the_world_needs_a_token(tmp_path: Path) -> None:
    told = sightline("serve", "--host", "0.0.0.0", "--no-token", cwd=tmp_path)
    assert told.returncode == 2
    assert "must listen on a loopback address" in told.stderr


def test_the_help_shows_how_to_call_it(tmp_path: Path) -> None:
    told = sightline("serve", "--help", cwd=tmp_path)
    assert "curl" in told.stdout and "/v1/score" in told.stdout and "8640" in told.stdout
    assert "令牌" in sightline("serve", "--help", cwd=tmp_path, SIGHTLINE_LANG="zh").stdout
