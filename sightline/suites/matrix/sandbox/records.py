"""What a program is allowed, and what came of it."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from sightline.core.errors import SightlineError

State = Literal["ok", "error", "timeout", "memory", "output", "killed", "refused"]
"""`output` is too much of it, printed or written; `killed` an end without a word; `refused` a program never begun."""

Way = Literal["bubblewrap", "landlock", "unsafe"]


class Limits(Struct, frozen=True, kw_only=True):
    """What a program may use. Threads are allowed, new processes and connections never."""

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
    """How a program, or one call of its functions, ended."""

    state: State
    result: Any = None
    picture: bytes | None = None
    stdout: str = ""
    error: str = ""
    """The last line of the traceback, or our own word; one line without control characters."""
    seconds: float = 0


class SandboxUnavailableError(SightlineError):
    """Untrusted code can't be shut in on this system, so it is not run."""
