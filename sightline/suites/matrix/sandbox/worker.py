"""A clean process that runs one program at a time, seen from outside."""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import suppress
from typing import IO, Any

import msgspec
from msgspec import Struct

from sightline.suites.matrix.sandbox import launchers
from sightline.suites.matrix.sandbox.inside import scratch
from sightline.suites.matrix.sandbox.records import Limits, Way
from sightline.suites.matrix.sandbox.result_reader import Ending

START_SECONDS = 60
GRACE = 3.0
"""Seconds that the process may be late with its word after a program's time is up."""
MESSAGE = 1 << 16


class WorkerLostError(Exception):
    """The process is gone, or does not answer."""


class Word(Struct, frozen=True):
    """What the process says of a program's end."""

    signal: int
    cause: str
    cpu_seconds: float
    seconds: float
    peak: int


class Worker:
    """Starts the process, hands it programs, and ends it."""

    def __init__(self, way: Way, limits: Limits, *, preload: bool = True) -> None:
        self.peak_kb = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._way = way
        self._outside = tempfile.mkdtemp(prefix="sightline-sandbox-") if way == "landlock" else ""
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # closed with the process
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        folder = self._outside or launchers.SCRATCH
        try:
            self._process = subprocess.Popen(  # noqa: S603  # the command is ours; programs go through the socket
                launchers.command(way, theirs.fileno(), folder, limits),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                cwd="/",
                env=launchers.environment(folder) if way == "landlock" else {},
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        except OSError as problem:
            self.close()
            raise WorkerLostError(str(problem)) from problem
        finally:
            theirs.close()
        self._begin(folder, preload)

    def _begin(self, folder: str, preload: bool) -> None:
        told = {
            "path": launchers.library_folders(),
            "readable": launchers.outermost(os.path.realpath(path) for path in launchers.readable()),
            "scratch": folder,
            "preload": preload,
            "needs_landlock": self._way == "landlock",
        }
        self._control.settimeout(START_SECONDS)
        try:
            self._control.sendall(json.dumps(told).encode())
            ready = self._control.recv(MESSAGE)
        except OSError:
            ready = b""
        if ready != b"ready":
            self._errors.seek(0)
            lines = self._errors.read(MESSAGE).decode("utf-8", "replace").strip().splitlines()
            self.close()
            raise WorkerLostError(lines[-1] if lines else "The clean process does not start.")

    @property
    def process(self) -> int:
        """The number of the process outside."""
        return self._process.pid if self._process else 0

    def run(self, request: bytes, limits: Limits, most: int) -> Ending:
        """Run one program, whose reply may have `most` bytes. WorkerLostError only where the program was not begun."""
        (output, output_end), (reply, reply_end) = os.pipe(), os.pipe()
        try:
            self._send(request, limits, output_end, reply_end)
            return self._listen(output, reply, limits, most)
        except BaseException:  # interrupted: its next word would be about this program
            self.close()
            raise
        finally:
            os.close(output)
            os.close(reply)

    def _send(self, request: bytes, limits: Limits, output: int, reply: int) -> None:
        """Hand over the request, and the ends of the pipes, of which none may stay open on this side."""
        asked = os.memfd_create("request")
        try:
            os.write(asked, request)
            os.lseek(asked, 0, os.SEEK_SET)
            header = json.dumps({"limits": msgspec.to_builtins(limits)}).encode()
            socket.send_fds(self._control, [header], [asked, output, reply])
        except OSError as problem:
            raise WorkerLostError(str(problem)) from problem
        finally:
            for each in (asked, output, reply):
                os.close(each)

    def _listen(self, output: int, reply: int, limits: Limits, most: int) -> Ending:
        """Gather what comes until the process says that the program has ended and both pipes are at their end."""
        bounds = {output: limits.output_kb << 10, reply: most}
        gathered = {output: bytearray(), reply: bytearray()}
        deadline = time.monotonic() + limits.seconds + GRACE
        word, flooded = None, False
        with selectors.DefaultSelector() as selector:
            for place in (output, reply, self._control):
                selector.register(place, selectors.EVENT_READ)
            while selector.get_map() and (left := deadline - time.monotonic()) > 0:
                for key, _ in selector.select(left):
                    if key.fileobj is self._control:
                        selector.unregister(self._control)
                        word = self._word()
                        if word is None:
                            return Ending(state="killed", error="The clean process ended with the program.")
                        continue
                    content = os.read(key.fd, 1 << 16)
                    gathered[key.fd] += content
                    if len(gathered[key.fd]) > bounds[key.fd] and not flooded:
                        flooded = True
                        with suppress(OSError):
                            self._control.send(b"K")
                    if not content or flooded:
                        selector.unregister(key.fd)
        if word is None:
            self.close()
            return Ending(state="timeout", error="The time limit is reached.", seconds=limits.seconds)
        self.peak_kb = max(self.peak_kb, word.peak)
        state, error = _judged(word, flooded, limits)
        return Ending(
            output=bytes(gathered[output]),
            reply=bytes(gathered[reply]),
            state=state,
            error=error,
            seconds=word.seconds,
        )

    def _word(self) -> Word | None:
        try:
            return msgspec.json.decode(self._control.recv(MESSAGE), type=Word)
        except (OSError, msgspec.MsgspecError):
            self.close()
            return None

    @property
    def lives(self) -> bool:
        """Whether it can take another program."""
        return self._process is not None and self._process.poll() is None

    def close(self) -> None:
        """End the process with all that runs in it, and remove what it leaves."""
        self._control.close()
        if process := self._process:
            self._process = None
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self._errors.close()
        if self._outside:
            _remove(self._outside)
            self._outside = ""


def _remove(folder: str) -> None:
    """Remove a scratch folder; a child that has just been ended may still write for a moment."""
    for _ in range(5):
        try:
            scratch.remove(folder)
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.02)


def _judged(word: Word, flooded: bool, limits: Limits) -> tuple[Any, str]:
    """The state of the process and our word for it."""
    if flooded:
        return "output", "The output limit is reached."
    if word.cause == "scratch":
        return "output", "The limit of the scratch folder is reached."
    if word.cause == "time" or word.signal == signal.SIGXCPU:
        return "timeout", "The time limit is reached."
    if word.signal == signal.SIGKILL and word.cpu_seconds >= limits.cpu_seconds:
        return "timeout", "The time limit is reached."
    if word.signal:
        return "killed", f"The program was ended by signal {word.signal}."
    return "ok", ""
