"""Launch a model server for a run, wait until it is ready, and stop it (`--launch 'vllm serve CKPT --port {port}'`)."""

from __future__ import annotations

import os
import shlex
import socket
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType
from typing import Self

from msgspec.structs import replace

from sightline.core.config import RunConfig
from sightline.core.errors import ConfigError, UnreachableError
from sightline.core.records import Remark
from sightline.core.secret_masking import mask_command
from sightline.i18n.printable import printable
from sightline.models import server_supervisor
from sightline.models.server_supervisor import GRACE_SECONDS, NOT_STARTED

PORT = "{port}"
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
_POLL_SECONDS = 0.25
_NOTICE_SECONDS = 10.0
"""Time between two messages while the server is starting."""
_LAST_LINES, _LAST_BYTES = 12, 2**14
"""How much of the server's output is shown where it fails."""


class LaunchedServer:
    """A server process of this run on a free port of loopback; ends with the `with` block, or with this process."""

    def __init__(self, config: RunConfig) -> None:
        self.command = _split_command(config.launch)
        self._timeout = config.launch_timeout
        self._key = config.api_key[0] if config.api_key and config.api_key[0] != "-" else ""
        self._port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._log, self._log_start = Path(), 0

    @property
    def address(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self._port}/v1"

    def configure(self, config: RunConfig) -> RunConfig:
        """The settings of the run with the address of this server; keys for other servers are not sent to it."""
        return replace(config, api_base=(self.address,), api_key=config.api_key or ("-",))

    def start(self, log: Path, notify: Callable[[Remark], None]) -> None:
        """Start the command unless it is running, and wait until it answers; its output is appended to `log`.

        Raises `UnreachableError` where it exits or does not answer in time.
        """
        if self._process is not None:
            return
        self._log = log
        arguments = [part.replace(PORT, str(self._port)) for part in self.command]
        command = mask_command(shlex.join(arguments))
        notify(Remark("Starting the server: {command}", {"command": command}))
        # the server may write its arguments, and keys among them, to its output
        with os.fdopen(os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _NO_LINKS, 0o600), "ab") as out:
            out.write(f"# {datetime.now().isoformat(timespec='seconds')} {command}\n".encode())
            out.flush()
            self._log_start = out.tell()
            self._process = subprocess.Popen(  # noqa: S603  # the user's own command
                [sys.executable, "-I", server_supervisor.__file__, *arguments],
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=out,
                start_new_session=True,  # Ctrl-C in a terminal must not end it before the run
            )
        self._wait_until_ready(notify)

    def _wait_until_ready(self, notify: Callable[[Remark], None]) -> None:
        started = noticed = monotonic()
        while not self._is_ready():
            if (error := self.exit_error()) is not None:
                raise error
            now = monotonic()
            if now - started > self._timeout:
                raise UnreachableError(
                    "The launched server did not answer within {seconds} s:\n{lines}",
                    hint="Raise --launch-timeout, or look at its output: {path}",
                    seconds=round(self._timeout),
                    lines=self._last_lines(),
                    path=self._log,
                )
            if now - noticed > _NOTICE_SECONDS:
                noticed = now
                args = {"seconds": round(now - started), "path": self._log}
                notify(Remark("Waiting for the server since {seconds} s; its output: {path}", args))
            sleep(_POLL_SECONDS)
        notify(Remark("The server answers after {seconds} s.", {"seconds": round(monotonic() - started, 1)}))

    def _is_ready(self) -> bool:
        """Whether the server answers: a list of models or a denial; one that is still loading says 503."""
        models, health = self._status("/v1/models"), self._status("/health")
        return 0 < models < 500 or health == 200

    def _status(self, path: str) -> int:
        """The status of a GET request; 0 without an answer."""
        connection = HTTPConnection("127.0.0.1", self._port, timeout=5)
        try:
            connection.request("GET", path, headers={"Authorization": f"Bearer {self._key}"} if self._key else {})
            return connection.getresponse().status
        except (OSError, HTTPException):
            return 0
        finally:
            connection.close()

    def exit_error(self) -> UnreachableError | None:
        """The error for a server that has ended by itself, with the last lines of its output; None if it has not."""
        code = self._process.poll() if self._process is not None else None
        if code is None:
            return None
        return UnreachableError(
            "The command of --launch cannot be started: {lines}"
            if code == NOT_STARTED
            else "The launched server ended with exit code {code}:\n{lines}",
            hint="All of its output: {path}",
            code=code,
            lines=self._last_lines(),
            path=self._log,
        )

    def _last_lines(self) -> str:
        try:
            with self._log.open("rb") as file:
                file.seek(max(self._log_start, self._log.stat().st_size - _LAST_BYTES))
                lines = file.read().decode(errors="replace").splitlines()
        except OSError:
            return "–"
        shown = (line.replace(self._key, "***") if self._key else line for line in lines[-_LAST_LINES:])
        return "\n".join(printable(line, 300) for line in shown if line.strip())

    def stop(self) -> None:
        """End the server and its children; returns when they have ended."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        process.stdin.close()  # the supervisor ends the server
        try:
            process.wait(GRACE_SECONDS + 5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()


def _split_command(command: str) -> list[str]:
    """The arguments of a command line. No shell sees it: quotes work, variables and pipes do not."""
    try:
        arguments = shlex.split(command, posix=sys.platform != "win32")
    except ValueError as error:
        raise ConfigError("The command of --launch cannot be parsed: {why}", why=error) from None
    if not any(PORT in argument for argument in arguments):
        raise ConfigError(
            "The command of --launch has no {port}.",
            hint="The server has to listen on the port that Sightline chooses, as in: vllm serve ./ckpt --port {port}",
            port=PORT,
        )
    return arguments


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
    return port
