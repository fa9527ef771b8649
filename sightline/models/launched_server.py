"""Launch a model server for a run, wait until it is ready, and stop it (`--launch 'vllm serve CKPT --port {port}'`)."""

from __future__ import annotations

import os
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType
from typing import Self

from msgspec.structs import replace

from sightline.core.config import RunConfig
from sightline.core.errors import ConfigError, UnreachableError
from sightline.core.remarks import Remark
from sightline.core.secret_masking import mask_command
from sightline.i18n.printable import printable
from sightline.models import server_supervisor
from sightline.models.server_supervisor import GRACE_SECONDS, NOT_STARTED, descendants

PORT = "{port}"
_LISTEN = "0A"
"""State of a listening socket in /proc/net/tcp."""
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
_POLL_SECONDS = 0.25
_NOTICE_SECONDS = 10.0
"""Time between two messages while the server is starting."""
_MAX_ERROR_SECONDS = 60.0
"""Time after which a server that answers with the same error status is given up; 503 means that it is loading."""
_SETTLING_SECONDS = 5.0
"""Time that the process has to live on where another process may be the one that answers on its port."""
_ADDRESS_IN_USE = re.compile(
    r"address (is )?(already )?in use|EADDRINUSE|only one usage of each socket address|port \d+ is (already )?in use"
    r"|(couldn't|could not|cannot|failed to) bind",
    re.IGNORECASE,
)
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

        Where another process has taken the port in the meantime, it is started again on another port, once: the
        address may be another one than before. Raises `UnreachableError` where it exits or does not answer in time.
        """
        if self._process is not None:
            return
        self._log = log
        self._check_port()
        self._start_process(notify)
        try:
            self._wait_until_ready(notify)
        except UnreachableError as error:
            if self.exit_error() is None or not _ADDRESS_IN_USE.search(str(error)):
                raise
            self.stop()
            before, self._port = self._port, _free_port()
            args = {"port": before, "other": self._port}
            notify(Remark("Port {port} is in use; starting the server again on port {other}.", args))
            self._start_process(notify)
            self._wait_until_ready(notify)

    def _check_port(self) -> None:
        """Choose another port where another process has taken the one that was free."""
        for _ in range(10):
            with socket.socket() as connection:
                if connection.connect_ex(("127.0.0.1", self._port)) != 0:
                    return
            self._port = _free_port()

    def _start_process(self, notify: Callable[[Remark], None]) -> None:
        arguments = [part.replace(PORT, str(self._port)) for part in self.command]
        command = mask_command(shlex.join(arguments))
        notify(Remark("Starting the server: {command}", {"command": command}))
        # the server may write its arguments, and keys among them, to its output
        with os.fdopen(os.open(self._log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _NO_LINKS, 0o600), "ab") as out:
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

    def _wait_until_ready(self, notify: Callable[[Remark], None]) -> None:
        started = noticed = error_since = monotonic()
        ready_since: float | None = None
        last_error = 0
        while True:
            status = self._readiness()
            if (error := self.exit_error()) is not None:  # another server may answer on its port
                raise error
            now = monotonic()
            if status != 200:
                ready_since = None
            elif self._is_listening() or (ready_since is not None and now - ready_since > _SETTLING_SECONDS):
                break
            else:
                ready_since = ready_since or now
            is_error = status >= 500 and status != 503
            if not is_error or status != last_error:
                last_error, error_since = status if is_error else 0, now
            if is_error and now - error_since > _MAX_ERROR_SECONDS:
                raise UnreachableError(
                    "The launched server has answered HTTP {status} for {seconds} s:\n{lines}",
                    hint="All of its output: {path}",
                    status=status,
                    seconds=int(now - error_since),
                    lines=self._last_lines(),
                    path=self._log,
                )
            if now - started > self._timeout:
                raise UnreachableError(
                    "The launched server was not ready within {seconds} s (last status: HTTP {status}):\n{lines}"
                    if status
                    else "The launched server did not answer within {seconds} s:\n{lines}",
                    hint="Raise --launch-timeout, or look at its output: {path}",
                    seconds=round(self._timeout),
                    status=status,
                    lines=self._last_lines(),
                    path=self._log,
                )
            if now - noticed > _NOTICE_SECONDS:
                noticed = now
                args = {"seconds": round(now - started), "status": status, "path": self._log}
                notify(
                    Remark("Waiting for the server for {seconds} s (last status: HTTP {status}); output: {path}", args)
                    if status
                    else Remark("Waiting for the server for {seconds} s (no answer yet); output: {path}", args)
                )
            sleep(_POLL_SECONDS)
        notify(Remark("The server answers after {seconds} s.", {"seconds": round(monotonic() - started, 1)}))

    def _readiness(self) -> int:
        """200 where the server answers: a list of models or a denial; else its error status, 0 without an answer.

        A server that is still loading says 503.
        """
        models, health = self._status("/v1/models"), self._status("/health")
        if 0 < models < 500 or health == 200:
            return 200
        return 503 if 503 in (models, health) else models

    def _is_listening(self) -> bool:
        """Whether the launched process or one of its children listens on the port; False where that is not known."""
        assert self._process is not None
        sockets = {f"socket:[{inode}]" for inode in _listening_inodes(self._port)}
        for pid in descendants(self._process.pid) if sockets else ():
            with suppress(OSError):
                for link in Path(f"/proc/{pid}/fd").iterdir():
                    with suppress(OSError):
                        if str(link.readlink()) in sockets:
                            return True
        return False

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


def _listening_inodes(port: int) -> list[str]:
    """Inodes of the sockets that listen on a TCP port, by /proc; empty where there is none."""
    inodes = []
    for table in (Path("/proc/net/tcp"), Path("/proc/net/tcp6")):
        with suppress(OSError):
            for line in table.read_text().splitlines()[1:]:
                _, local, _, state, _, _, _, _, _, inode, *_ = line.split()
                if state == _LISTEN and int(local.rpartition(":")[2], 16) == port:
                    inodes.append(inode)
    return inodes
