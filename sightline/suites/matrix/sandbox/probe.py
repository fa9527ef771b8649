"""Which way of shutting a program in holds here. A way is trusted after it has withstood a real attack, not before."""

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

from sightline.suites.matrix.sandbox import launchers
from sightline.suites.matrix.sandbox.records import Limits, Way
from sightline.suites.matrix.sandbox.result_reader import outcomes
from sightline.suites.matrix.sandbox.worker import Worker, WorkerLostError

WAYS: tuple[Way, ...] = ("bubblewrap", "landlock")
MACHINES = ("x86_64", "aarch64")

ATTACK = """
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


class Spoils(Struct, frozen=True, forbid_unknown_fields=True):
    """What the attack brought home; nothing, where the wall holds."""

    secret: str | None
    written: int | None
    connected: bool | None
    forked: bool | None
    killed: bool | None
    memory: list[str | None]
    variables: list[str]
    own: bool


class Isolation(Struct, frozen=True, kw_only=True):
    """The best way that holds here, or why none does."""

    way: Literal["bubblewrap", "landlock", ""] = ""
    why: str = ""


def isolation() -> Isolation:
    """Try the ways, the strongest first; each is tried once for the life of the process."""
    reasons = []
    for way in WAYS:
        if not (reason := why_not(way)):
            return Isolation(way=way)  # type: ignore[arg-type]  # one of those above
        reasons.append(reason)
    return Isolation(why=" ".join(dict.fromkeys(reasons)))


@cache
def why_not(way: Way) -> str:
    """Why a way can't be trusted here; an empty string where it can."""
    if sys.platform != "linux":
        return "Only Linux can shut a program in."
    if os.uname().machine not in MACHINES:
        return "This processor is not known to the filter of kernel calls."
    if way == "bubblewrap" and not launchers.bubblewrap():
        return "bubblewrap is not installed."
    if way == "landlock" and not _landlock():
        return "The kernel has no Landlock."
    try:
        return _attacked(way)
    except WorkerLostError as problem:
        return str(problem)


def _landlock() -> int:
    from sightline.suites.matrix.sandbox.inside.landlock import version  # Linux only

    return version()


def _attacked(way: Way) -> str:
    """Attack a way with a real secret, a real listener and a real folder; says what got through."""
    limits = Limits(seconds=10)
    mark = secrets.token_bytes(16)
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as listener:
        secret, written = Path(folder, "secret"), Path(folder, "written")
        secret.write_text("secret", encoding="utf-8")
        arguments = [str(secret), str(written), listener.getsockname()[1], os.getpid()]
        asked = {
            "code": ATTACK,
            "calls": [("attack", arguments)],
            "picture": False,
            "mark": mark.hex(),
            "most": 1 << 18,
        }
        worker = Worker(way, limits, preload=False)
        try:
            ending = worker.run(msgspec.json.encode(asked), limits, 1 << 20)
        finally:
            worker.close()
        outcome = outcomes(ending, mark, 1, False, limits)[0]
        if outcome.state != "ok":
            return outcome.error
        try:
            spoils = msgspec.convert(outcome.result, Spoils)
        except msgspec.ValidationError as problem:
            return str(problem)
        through = _through(spoils)
        if written.exists():
            through.append("written")
    return f"{way} does not hold: {', '.join(through)}" if through else ""


def _through(spoils: Spoils) -> list[str]:
    known = {*launchers.environment(""), "LC_CTYPE", "PWD"}
    checks = {
        "secret": spoils.secret is None,
        "written": spoils.written is None,
        "connected": not spoils.connected,
        "forked": not spoils.forked,
        "killed": not spoils.killed,
        "memory": not any(spoils.memory),
        "variables": set(spoils.variables) <= known,
        "own": spoils.own,
    }
    return [name for name, holds in checks.items() if not holds]
