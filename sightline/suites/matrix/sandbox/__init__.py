"""Sandbox for untrusted Python: no network, no other files or processes, hard resource limits.

    with Sandbox(workers=2) as sandbox:
        outcome = sandbox.run("def double(x): return 2 * x", call="double", arguments=[21])

A clean process imports the libraries once and forks a child for each program, which shuts itself in with Landlock, a
seccomp filter and limits before it runs a line of it. Where bubblewrap is installed, the clean process itself lives in
namespaces of its own, with no network and a read-only root. Nothing that comes out is evaluated or unpickled.
"""

from __future__ import annotations

from sightline.suites.matrix.sandbox.outcomes import IsolationMethod, Limits, Outcome, SandboxUnavailableError, State
from sightline.suites.matrix.sandbox.probe import Isolation, find_isolation, unavailable_reason
from sightline.suites.matrix.sandbox.sandbox import Sandbox

__all__ = [
    "Isolation",
    "IsolationMethod",
    "Limits",
    "Outcome",
    "Sandbox",
    "SandboxUnavailableError",
    "State",
    "find_isolation",
    "unavailable_reason",
]
