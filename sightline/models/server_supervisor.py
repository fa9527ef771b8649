"""Supervisor of a launched server: a process that ends the server and its children when standard input closes.

Run as a program, by path and with the standard library only: `python -I server_supervisor.py COMMAND…`. Standard input
is a pipe from Sightline, so that the server ends with Sightline even where Sightline is killed.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

GRACE_SECONDS = 10.0
"""Time between SIGTERM and SIGKILL."""
NOT_STARTED = 127
"""Exit code where the command cannot be started, as a shell gives it."""
_IS_WINDOWS = sys.platform == "win32"


def main() -> int:
    """Start the command, and return its exit code; end it as soon as standard input is closed."""
    for number in (signal.SIGINT, signal.SIGTERM):  # of a terminal or a job scheduler: Sightline decides when to stop
        signal.signal(number, signal.SIG_IGN)
    _adopt_orphans()
    try:
        server = subprocess.Popen(  # noqa: S603  # the user's own command
            sys.argv[1:], stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=None if _IS_WINDOWS else _restore
        )
    except OSError as error:
        print(f"{sys.argv[1]}: {error.strerror or error}", file=sys.stderr, flush=True)
        return NOT_STARTED
    threading.Thread(target=_stop_at_end_of_input, args=(server,), daemon=True).start()
    code = server.wait()
    _signal_tree(server.pid, signal.SIGTERM if _IS_WINDOWS else signal.SIGKILL)  # what it has left behind
    return code if code >= 0 else 128 - code


def _restore() -> None:
    """Default handlers of signals for the server."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def _adopt_orphans() -> None:
    """Become the parent of all orphaned descendants (Linux), so that a server can't leave any of them behind."""
    if sys.platform == "linux":
        import ctypes

        set_child_subreaper = 36
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(set_child_subreaper, 1, 0, 0, 0)


def _stop_at_end_of_input(server: subprocess.Popen[bytes]) -> None:
    while os.read(0, 4096):
        pass
    _signal_tree(server.pid, signal.SIGTERM)
    deadline = time.monotonic() + GRACE_SECONDS
    while server.returncode is None and time.monotonic() < deadline:
        time.sleep(0.05)
    if not _IS_WINDOWS:
        _signal_tree(server.pid, signal.SIGKILL)


def _signal_tree(server: int, number: int) -> None:
    """Send a signal to the server's process group and to all descendants of this process."""
    if _IS_WINDOWS:
        subprocess.run(["taskkill", "/T", "/F", "/PID", str(server)], check=False, capture_output=True)  # noqa: S603, S607
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(server, number)
    for child in descendants(os.getpid()):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(child, number)


def descendants(parent: int) -> list[int]:
    """All children and their children, by /proc; empty where there is none."""
    found: list[int] = []
    for listed in Path(f"/proc/{parent}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in map(int, listed.read_text().split()):
                found += [child, *descendants(child)]
    return found


if __name__ == "__main__":
    sys.exit(main())
