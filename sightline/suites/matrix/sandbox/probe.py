"""Probe of the available isolation methods: each is trusted only after it has withstood a real attack."""

from __future__ import annotations

import os
import secrets
import socket
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from sightline.suites.matrix.sandbox.outcomes import IsolationMethod, Limits, read_outcomes
from sightline.suites.matrix.sandbox.worker import Worker, WorkerLostError, environment, find_bubblewrap

ISOLATION_METHODS: tuple[IsolationMethod, ...] = ("bubblewrap", "landlock")
SUPPORTED_MACHINES = ("x86_64", "aarch64")

ATTACK_PROGRAM = """
import os, socket
from threading import Thread

def tried(attack):
    try:
        return attack()
    except OSError:
        return None

def reads(path):
    with open(path, "rb") as file:
        return file.read(4096).decode("latin-1")

def forks():
    if os.fork() == 0:
        os._exit(0)
    return True

def connects(port):
    socket.create_connection(("127.0.0.1", port), 2)
    return True

def attack(secret, written, port, parent):
    worked = []
    thread = Thread(target=lambda: worked.append(True))
    thread.start()
    thread.join()
    with open("own", "w") as file:
        file.write("own")
    return {
        "secret": tried(lambda: reads(secret)),
        "written": tried(lambda: open(written, "w").write("x")),
        "connected": tried(lambda: connects(port)),
        "forked": tried(forks),
        "killed": tried(lambda: os.kill(parent, 0) or True),
        "memory": [tried(lambda: reads(f"/proc/{each}/environ")) for each in (1, parent, os.getppid())],
        "variables": sorted(os.environ),
        "own": worked == [True] and reads("own") == "own",
    }
"""


class AttackResult(Struct, frozen=True, forbid_unknown_fields=True):
    """What the attack program achieved; nothing if the isolation works."""

    secret: str | None
    written: int | None
    connected: bool | None
    forked: bool | None
    killed: bool | None
    memory: list[str | None]
    variables: list[str]
    own: bool


class Isolation(Struct, frozen=True, kw_only=True):
    """The best isolation method that works on this machine, or the reason why none does."""

    method: Literal["bubblewrap", "landlock", ""] = ""
    reason: str = ""


def find_isolation() -> Isolation:
    """Find the strongest isolation method that works; each is tested once per process."""
    failures = []
    for method in ISOLATION_METHODS:
        if not (failure := unavailable_reason(method)):
            return Isolation(method=method)  # type: ignore[arg-type]  # one of those above
        failures.append(failure)
    return Isolation(reason=" ".join(dict.fromkeys(failures)))


@cache
def unavailable_reason(method: IsolationMethod) -> str:
    """Return why an isolation method cannot be used here; empty if it can."""
    if sys.platform != "linux":
        return "Only Linux can shut a program in."
    if os.uname().machine not in SUPPORTED_MACHINES:
        return "This processor is not known to the filter of kernel calls."
    if method == "bubblewrap" and not find_bubblewrap():
        return "bubblewrap is not installed."
    if method == "landlock" and not _landlock_version():
        return "The kernel has no Landlock."
    try:
        return _run_attack(method)
    except WorkerLostError as error:
        return str(error)


def _landlock_version() -> int:
    from sightline.suites.matrix.sandbox.inside.confinement import landlock_version

    return landlock_version()


def _run_attack(method: IsolationMethod) -> str:
    """Attack an isolation method with a real secret, listener and folder; return what succeeded."""
    limits = Limits(seconds=10)
    mark = secrets.token_bytes(16)
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as listener:
        secret, written = Path(folder, "secret"), Path(folder, "written")
        secret.write_text("secret", encoding="utf-8")
        arguments = [str(secret), str(written), listener.getsockname()[1], os.getpid()]
        request = {
            "code": ATTACK_PROGRAM,
            "calls": [("attack", arguments)],
            "picture": False,
            "mark": mark.hex(),
            "most": 1 << 18,
        }
        worker = Worker(method, limits, preload=False)
        try:
            result = worker.run(msgspec.json.encode(request), limits, 1 << 20)
        finally:
            worker.close()
        outcome = read_outcomes(result, mark, 1, False, limits)[0]
        if outcome.state != "ok":
            return outcome.error
        try:
            attack = msgspec.convert(outcome.result, AttackResult)
        except msgspec.ValidationError as error:
            return str(error)
        breaches = _breaches(attack)
        if written.exists():
            breaches.append("written")
    return f"{method} does not hold: {', '.join(breaches)}" if breaches else ""


def _breaches(attack: AttackResult) -> list[str]:
    known = {*environment(""), "LC_CTYPE", "PWD"}
    checks = {
        "secret": attack.secret is None,
        "written": attack.written is None,
        "connected": not attack.connected,
        "forked": not attack.forked,
        "killed": not attack.killed,
        "memory": not any(attack.memory),
        "variables": set(attack.variables) <= known,
        "own": attack.own,
    }
    return [name for name, withstood in checks.items() if not withstood]
