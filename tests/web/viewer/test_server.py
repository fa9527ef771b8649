"""The server as the command starts it: on loopback alone, and unmoved by what clients that normalise nothing send."""

from __future__ import annotations

import http.client
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from sightline.cli.view import command
from sightline.core.errors import DataError, UsageError
from sightline.web.viewer.server import _listen
from tests.support.worlds import ROOT, environment

_SERVE = (
    "import sys, pathlib; from sightline.web.viewer.server import serve; serve(pathlib.Path(sys.argv[1]), 0, False)"
)


@pytest.fixture(scope="module")
def server(questions: Path) -> Iterator[tuple[int, str]]:
    """Port and token."""
    command = [sys.executable, "-u", "-c", _SERVE, str(questions)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment())
    assert process.stdout is not None
    try:
        told = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=(\S+)", process.stdout.readline())
        assert told is not None
        yield int(told[1]), told[2]
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 0
        process.stdout.close()


def raw(port: int, request: str) -> str:
    """The answer to a request sent as it stands."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
        line.sendall(request.encode("latin-1"))
        answer = b""
        while part := line.recv(65536):
            answer += part
    return answer.decode("utf-8", "replace")


def test_the_way_in(server: tuple[int, str]) -> None:
    port, token = server
    assert len(token) >= 30
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    client.request("GET", f"/?token={token}")
    answer = client.getresponse()
    answer.read()
    assert (answer.status, answer.getheader("Location")) == (303, "/")
    cookie = str(answer.getheader("Set-Cookie")).partition(";")[0]
    client.request("GET", "/", headers={"Cookie": cookie})
    assert b"baseline/perturbed" in client.getresponse().read()
    client.close()


@pytest.mark.parametrize(
    "path",
    ["/../../etc/passwd", "/run/../../../etc/passwd", "/static/../../pyproject.toml", "/%2e%2e/%2e%2e/etc"],
)
def test_paths_that_are_not_normalised_find_nothing(server: tuple[int, str], path: str) -> None:
    port, token = server
    head = f"Host: 127.0.0.1:{port}\r\nCookie: sightline_{port}={token}\r\nConnection: close\r\n\r\n"
    answer = raw(port, f"GET {path} HTTP/1.1\r\n{head}")
    assert answer.startswith("HTTP/1.1 404")
    assert "root:" not in answer and "[project]" not in answer


@pytest.mark.parametrize("hosts", ["", "Host: evil.example\r\n", "Host: 127.0.0.1:PORT\r\nHost: evil.example\r\n"])
def test_no_other_host_two_hosts_or_none(server: tuple[int, str], hosts: str) -> None:
    port, token = server
    head = hosts.replace("PORT", str(port)) + f"Cookie: sightline_{port}={token}\r\nConnection: close\r\n\r\n"
    answer = raw(port, f"GET / HTTP/1.0\r\n{head}")
    assert re.match(r"HTTP/1\.1 4(00|21)", answer)
    assert "baseline" not in answer


def test_it_listens_on_loopback_alone() -> None:
    first = _listen(0)
    try:
        assert first.getsockname()[0] == "127.0.0.1"
        with pytest.raises(UsageError, match="Cannot listen on port"):
            _listen(first.getsockname()[1])
    finally:
        first.close()


def test_a_folder_that_is_not_there_is_told() -> None:
    told = CliRunner().invoke(command, ["nowhere/at/all"])
    assert isinstance(told.exception, DataError)
    assert "No run matches 'nowhere/at/all'" in str(told.exception)
