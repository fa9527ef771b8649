"""Client side of a zygote process: launch commands for each isolation method, the socket protocol, and its results."""

from __future__ import annotations

import json
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import msgspec
from msgspec import Struct

from sightline.suites.matrix.sandbox.inside import scratch
from sightline.suites.matrix.sandbox.outcomes import IsolationMethod, Limits, ProcessResult

INSIDE = Path(__file__).resolve().parent / "inside"
SCRATCH_PATH = "/scratch"
SYSTEM_PATHS = (
    *("/usr/lib", "/usr/lib64", "/usr/lib32", "/lib", "/lib64", "/usr/local/lib"),
    *("/usr/share/fonts", "/usr/share/zoneinfo", "/usr/share/fontconfig"),
    *("/etc/fonts", "/etc/ld.so.cache", "/etc/localtime"),
)
START_CODE = "import sys; sys.path.append(sys.argv[2]); from inside.zygote import main; sys.path.pop(); main()"
NOBODY_ID = "65534"


def interpreter() -> str:
    """Return the interpreter behind the virtual environment."""
    return str(Path(sys.executable).resolve())


def library_folders() -> list[str]:
    """Return the folders of installed packages, in the order of `sys.path`."""
    site_folders = [folder for folder in sys.path if Path(folder).name in ("site-packages", "dist-packages")]
    folders = dict.fromkeys((*site_folders, sysconfig.get_path("purelib"), sysconfig.get_path("platlib")))
    return [folder for folder in folders if os.access(folder, os.R_OK)]


def outermost_paths(paths: Iterable[str]) -> list[str]:
    """Return the paths that are not below another one."""
    candidates = {Path(path) for path in paths}
    return sorted(str(path) for path in candidates if candidates.isdisjoint(path.parents))


def readable() -> list[str]:
    """Return the paths a program may read: interpreter, packages, system libraries and fonts."""
    python_paths = [
        interpreter(),
        str(Path(sys.base_prefix, "lib")),
        *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib")),
    ]
    if library := sysconfig.get_config_var("LIBDIR"):
        python_paths.append(str(library))
    return outermost_paths(
        path for path in (*python_paths, *library_folders(), *SYSTEM_PATHS) if os.access(path, os.R_OK)
    )


def environment(folder: str) -> dict[str, str]:
    """Return the environment variables of a program; none are inherited."""
    threads = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
    return {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "HOME": folder,
        "TMPDIR": folder,
        "MPLBACKEND": "Agg",
        "MPLCONFIGDIR": folder,
        "MALLOC_ARENA_MAX": "2",  # an arena a thread would eat the address space
        **dict.fromkeys(threads, "1"),
    }


def launch_command(method: IsolationMethod, control: int, folder: str, limits: Limits) -> list[str]:
    """Return the command that starts the zygote with its end of the control socket."""
    python = [interpreter(), "-I", "-S", "-B", "-X", "utf8", "-c", START_CODE, str(control), str(INSIDE.parent)]
    return python if method == "landlock" else [*_bubblewrap(folder, limits), *python]


def _bubblewrap(folder: str, limits: Limits) -> list[str]:
    binds = [argument for path in readable() for argument in ("--ro-bind", path, path)]
    package, inside_bind = INSIDE.parents[1], ["--ro-bind", str(INSIDE), str(INSIDE)]
    if any(package.is_relative_to(path) for path in readable()):  # the rest of ours is no business of a program
        inside_bind = ["--tmpfs", str(package), *inside_bind, "--remount-ro", str(package)]
    variables = [argument for name, value in environment(folder).items() for argument in ("--setenv", name, value)]
    # The libraries keep a little in the scratch folder, beside the program's own share.
    size = str((limits.scratch_mb + 16) << 20)
    namespaces = ["--unshare-all", "--unshare-user", "--disable-userns", "--uid", NOBODY_ID, "--gid", NOBODY_ID]
    rights = ["--cap-drop", "ALL", "--die-with-parent", "--new-session", "--clearenv", *variables]
    mounts = ["--proc", "/proc", "--dev", "/dev", "--size", size, "--perms", "0700", "--tmpfs", folder]
    final = ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", folder, "--"]
    return [find_bubblewrap() or "bwrap", *namespaces, *rights, *binds, *inside_bind, *mounts, *final]


def find_bubblewrap() -> str:
    """Return the path of bubblewrap, or an empty string."""
    return shutil.which("bwrap", path="/usr/bin:/usr/local/bin:/bin") or ""


START_SECONDS = 60
GRACE_SECONDS = 3.0
"""Seconds that the zygote may take to report after a program's time is up."""
MAX_MESSAGE_BYTES = 1 << 16


class WorkerLostError(Exception):
    """The zygote process is gone or does not respond."""


class ExitReport(Struct, frozen=True):
    """The zygote's report on how a program ended."""

    signal: int
    cause: str
    cpu_seconds: float
    seconds: float
    peak: int


class Worker:
    """A zygote process that runs one program at a time."""

    def __init__(self, method: IsolationMethod, limits: Limits, *, preload: bool = True) -> None:
        self.peak_kb = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._way = method
        self._scratch_folder = tempfile.mkdtemp(prefix="sightline-sandbox-") if method == "landlock" else ""
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # closed with the process
        self._control, child_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        folder = self._scratch_folder or SCRATCH_PATH
        try:
            self._process = subprocess.Popen(  # noqa: S603  # the command is ours; programs go through the socket
                launch_command(method, child_end.fileno(), folder, limits),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                cwd="/",
                env=environment(folder) if method == "landlock" else {},
                pass_fds=[child_end.fileno()],
                start_new_session=True,
            )
        except OSError as error:
            self.close()
            raise WorkerLostError(str(error)) from error
        finally:
            child_end.close()
        self._handshake(folder, preload)

    def _handshake(self, folder: str, preload: bool) -> None:
        settings = {
            "path": library_folders(),
            "readable": outermost_paths(os.path.realpath(path) for path in readable()),
            "scratch": folder,
            "preload": preload,
            "needs_landlock": self._way == "landlock",
        }
        self._control.settimeout(START_SECONDS)
        try:
            self._control.sendall(json.dumps(settings).encode())
            ready = self._control.recv(MAX_MESSAGE_BYTES)
        except OSError:
            ready = b""
        if ready != b"ready":
            self._errors.seek(0)
            lines = self._errors.read(MAX_MESSAGE_BYTES).decode("utf-8", "replace").strip().splitlines()
            self.close()
            raise WorkerLostError(lines[-1] if lines else "The sandbox process did not start.")

    @property
    def process(self) -> int:
        """The process id outside the sandbox."""
        return self._process.pid if self._process else 0

    def run(self, request: bytes, limits: Limits, max_reply_bytes: int) -> ProcessResult:
        """Run one program, whose reply may have `most` bytes. WorkerLostError only where the program was not begun."""
        (output, output_end), (reply, reply_end) = os.pipe(), os.pipe()
        try:
            self._send(request, limits, output_end, reply_end)
            return self._collect(output, reply, limits, max_reply_bytes)
        except BaseException:  # interrupted: its next word would be about this program
            self.close()
            raise
        finally:
            os.close(output)
            os.close(reply)

    def _send(self, request: bytes, limits: Limits, output: int, reply: int) -> None:
        """Send the request and the pipe ends as file descriptors, and close them on this side."""
        request_fd = os.memfd_create("request")
        try:
            os.write(request_fd, request)
            os.lseek(request_fd, 0, os.SEEK_SET)
            header = json.dumps({"limits": msgspec.to_builtins(limits)}).encode()
            socket.send_fds(self._control, [header], [request_fd, output, reply])
        except OSError as error:
            raise WorkerLostError(str(error)) from error
        finally:
            for descriptor in (request_fd, output, reply):
                os.close(descriptor)

    def _collect(self, output: int, reply: int, limits: Limits, max_reply_bytes: int) -> ProcessResult:
        """Collect output until the zygote reports the end of the program and both pipes are closed."""
        bounds = {output: limits.output_kb << 10, reply: max_reply_bytes}
        received = {output: bytearray(), reply: bytearray()}
        deadline = time.monotonic() + limits.seconds + GRACE_SECONDS
        report, overflowed = None, False
        with selectors.DefaultSelector() as selector:
            for source in (output, reply, self._control):
                selector.register(source, selectors.EVENT_READ)
            while selector.get_map() and (remaining := deadline - time.monotonic()) > 0:
                for key, _ in selector.select(remaining):
                    if key.fileobj is self._control:
                        selector.unregister(self._control)
                        report = self._receive_report()
                        if report is None:
                            return ProcessResult(state="killed", error="The sandbox process ended with the program.")
                        continue
                    content = os.read(key.fd, 1 << 16)
                    received[key.fd] += content
                    if len(received[key.fd]) > bounds[key.fd] and not overflowed:
                        overflowed = True
                        with suppress(OSError):
                            self._control.send(b"K")
                    if not content or overflowed:
                        selector.unregister(key.fd)
        if report is None:
            self.close()
            return ProcessResult(state="timeout", error="The time limit is reached.", seconds=limits.seconds)
        self.peak_kb = max(self.peak_kb, report.peak)
        state, error = _classify_exit(report, overflowed, limits)
        return ProcessResult(
            output=bytes(received[output]),
            reply=bytes(received[reply]),
            state=state,
            error=error,
            seconds=report.seconds,
        )

    def _receive_report(self) -> ExitReport | None:
        try:
            return msgspec.json.decode(self._control.recv(MAX_MESSAGE_BYTES), type=ExitReport)
        except (OSError, msgspec.MsgspecError):
            self.close()
            return None

    @property
    def is_alive(self) -> bool:
        """Whether the process can take another program."""
        return self._process is not None and self._process.poll() is None

    def close(self) -> None:
        """Kill the process group and remove its scratch folder."""
        self._control.close()
        if process := self._process:
            self._process = None
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self._errors.close()
        if self._scratch_folder:
            _remove(self._scratch_folder)
            self._scratch_folder = ""


def _remove(folder: str) -> None:
    """Remove a scratch folder, with retries: a child that was just killed may still write for a moment."""
    for _ in range(5):
        try:
            scratch.remove(folder)
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.02)


def _classify_exit(report: ExitReport, overflowed: bool, limits: Limits) -> tuple[Any, str]:
    """Return the state of the process and an error message."""
    if overflowed:
        return "output", "The output limit is reached."
    if report.cause == "scratch":
        return "output", "The limit of the scratch folder is reached."
    if report.cause == "time" or report.signal == signal.SIGXCPU:
        return "timeout", "The time limit is reached."
    if report.signal == signal.SIGKILL and report.cpu_seconds >= limits.cpu_seconds:
        return "timeout", "The time limit is reached."
    if report.signal:
        return "killed", f"The program was ended by signal {report.signal}."
    return "ok", ""
