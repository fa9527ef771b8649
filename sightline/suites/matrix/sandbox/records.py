"""Resource limits and outcomes of sandboxed programs."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from sightline.core.errors import SightlineError

State = Literal["ok", "error", "timeout", "memory", "output", "killed", "refused"]
"""`output`: too much was printed or written; `killed`: ended by a signal; `refused`: the program was never started."""

IsolationMethod = Literal["bubblewrap", "landlock", "unsafe"]


class Limits(Struct, frozen=True, kw_only=True):
    """Resource limits of a program. Threads are allowed, new processes and connections never."""

    seconds: float = 10
    cpu_seconds: float = 8
    memory_mb: int = 1024
    """On top of what the interpreter with its libraries takes."""
    output_kb: int = 256
    """Of printed text, and of each result."""
    file_mb: int = 16
    """The largest file, and the largest picture."""
    scratch_mb: int = 64
    """All files together."""


class Outcome(Struct, frozen=True, kw_only=True):
    """Outcome of a program or of one call of its functions."""

    state: State
    result: Any = None
    picture: bytes | None = None
    stdout: str = ""
    error: str = ""
    """The last line of the traceback, or a message of the sandbox; one line without control characters."""
    seconds: float = 0


class SandboxUnavailableError(SightlineError):
    """No isolation method works on this system, so untrusted code is not run."""
