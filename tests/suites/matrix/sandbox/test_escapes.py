"""Nothing gets out: each attempt fails, ends in its own state within its limit, and the next program runs right."""

from __future__ import annotations

import ctypes
import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from sightline.suites.matrix.sandbox import Limits, Sandbox
from sightline.suites.matrix.sandbox.inside.syscalls import ALLOWED, GUARDED, MACHINES, REFUSED, syscall_numbers
from tests.suites.matrix.sandbox.attempts import ATTEMPTS, FLOODS, Attempt
from tests.suites.matrix.sandbox.support import ISOLATION_METHODS, sandbox_of, start_quickly

FIRST_AND_OTHERS = [
    pytest.param(method, marks=[pytest.mark.slow] if place else []) for place, method in enumerate(ISOLATION_METHODS)
]
"""Everyday runs try the way that a user would get."""
WORD = "tseb-tpek-terces"
SECRET = WORD[::-1]
"""Only the reversed word is told to a program, so that finding the word itself proves a leak."""
SMALL = Limits(seconds=0.5, cpu_seconds=5, memory_mb=128, scratch_mb=24)
PATIENT = replace(SMALL, seconds=30)
"""For programs that end by themselves: on a loaded machine they may take longer than half a second."""


def rights_of_root() -> bool:
    status = Path("/proc/self/status").read_text()
    effective = int(next(line for line in status.splitlines() if line.startswith("CapEff")).split()[1], 16)
    return os.geteuid() == 0 and bool(effective >> 21 & 1)


class World:
    """What lies outside: secrets, listeners, a folder, and this very process."""

    def __init__(self, stack: ExitStack) -> None:
        self.outside = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        home = Path(tempfile.mkdtemp(prefix=".sightline-test-", dir=Path.home()))
        stack.callback(shutil.rmtree, home)
        self.home = home / "secret"
        self.secret, self.movable = self.outside / "secret", self.outside / "movable"
        self.memory = ctypes.create_string_buffer(SECRET.encode())
        self.tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        self.udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        self.unix, self.abstract = (stack.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(2))
        self.udp.bind(("127.0.0.1", 0))
        self.unix.bind(str(self.outside / "socket"))
        self.abstract.bind(f"\0{self.outside.name}")
        for listener in (self.unix, self.abstract):
            listener.listen()
        for each in (self.tcp, self.udp, self.unix, self.abstract):
            each.setblocking(False)
        self.lay()

    def lay(self) -> None:
        """Put everything in its place."""
        for each in self.outside.iterdir():
            if each.name != "socket":
                each.rmdir() if each.is_dir() and not each.is_symlink() else each.unlink()
        for path in (self.home, self.secret, self.movable):
            path.write_text(SECRET)
            path.chmod(0o600)
            os.utime(path, (1e9, 1e9))

    def facts(self) -> dict[str, Any]:
        """What an attacker may know: where everything is, but no secret."""
        table = f"{ALLOWED} {GUARDED} {REFUSED}"
        return {
            "word": WORD,
            "outside": str(self.outside),
            "secret": str(self.secret),
            "movable": str(self.movable),
            "home": str(self.home),
            "tcp": self.tcp.getsockname()[1],
            "udp": self.udp.getsockname()[1],
            "unix": str(self.outside / "socket"),
            "abstract": self.outside.name,
            "us": os.getpid(),
            "address": ctypes.addressof(self.memory),
            "priority": os.getpriority(os.PRIO_PROCESS, 0),
            "processors": sorted(os.sched_getaffinity(0)),
            "numbers": syscall_numbers(table, os.uname().machine) if os.uname().machine in MACHINES else {},
        }

    def is_whole(self) -> bool:
        """Nothing was changed and nobody called."""
        for path in (self.home, self.secret, self.movable):
            found = path.stat()
            if path.read_text() != SECRET or found.st_mode & 0o777 != 0o600 or found.st_mtime != 1e9:
                return False
        if {each.name for each in self.outside.iterdir()} != {"secret", "movable", "socket"}:
            return False
        return not any(self._was_called(each) for each in (self.tcp, self.unix, self.abstract, self.udp))

    def _was_called(self, listener: socket.socket) -> bool:
        try:
            if listener is self.udp:
                return bool(listener.recv(9))
            listener.accept()[0].close()
        except BlockingIOError:
            return False
        return True


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SIGHTLINE_TEST_SECRET", SECRET)
        yield World(stack)


@pytest.fixture(scope="module", params=FIRST_AND_OTHERS)
def sandbox(request: pytest.FixtureRequest, world: World) -> Iterator[Sandbox]:
    with sandbox_of(request.param, PATIENT) as made:
        made.run(f"kept = {SECRET!r}")  # an earlier program, whose secrets a later one looks for
        yield made


@pytest.fixture(scope="module")
def bare() -> Iterator[Sandbox]:
    with Sandbox(Limits(seconds=10), unsafe=True, method="unsafe") as made:
        yield made


def the_next_runs(sandbox: Sandbox) -> bool:
    return sandbox.run("def add(a, b): return a + b", call="add", arguments=[2, 3]).result == 5


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda attempt: attempt.name)
def test_no_attempt_gets_through(sandbox: Sandbox, world: World, attempt: Attempt) -> None:
    world.lay()
    limits = SMALL if "timeout" in attempt.states else PATIENT
    outcome = sandbox.run(attempt.code, call="attack", arguments=[world.facts()], limits=limits)
    assert outcome.state in attempt.states, outcome
    assert outcome.result in (None, False), outcome
    assert "NameError" not in outcome.error and "SyntaxError" not in outcome.error and "KeyError" not in outcome.error
    assert SECRET not in outcome.stdout + outcome.error
    assert world.is_whole()
    assert the_next_runs(sandbox)


@pytest.mark.slow
@pytest.mark.skipif(not ISOLATION_METHODS, reason="proves the attempts above, which are skipped here")
@pytest.mark.parametrize(
    "attempt", [each for each in ATTEMPTS if each.bare != "never"], ids=lambda attempt: attempt.name
)
def test_each_attempt_succeeds_without_a_wall(bare: Sandbox, world: World, attempt: Attempt) -> None:
    if attempt.bare == "root" and not rights_of_root():
        pytest.skip("this attempt needs the rights of root to be a threat")
    world.lay()
    try:
        outcome = bare.run(attempt.code, call="attack", arguments=[world.facts()])
        assert outcome.result is True, outcome
    finally:
        Path("/tmp", WORD).unlink(missing_ok=True)
        world.lay()
        world.is_whole()


@pytest.mark.parametrize("attempt", FLOODS, ids=lambda attempt: attempt.name)
def test_no_flood_lasts(sandbox: Sandbox, world: World, attempt: Attempt) -> None:
    # where memory is to run out, the clock must not be quicker on a busy machine
    limits = replace(SMALL, seconds=10) if attempt.states == ("memory",) else SMALL
    outcome = sandbox.run(attempt.code, call="attack", arguments=[world.facts()], limits=limits)
    assert outcome.state in attempt.states, outcome
    assert outcome.result is None
    assert outcome.seconds < limits.seconds + 5
    assert len(outcome.stdout) <= SMALL.output_kb << 10
    assert the_next_runs(sandbox)


def test_processor_time_is_bounded_apart_from_the_clock(sandbox: Sandbox) -> None:
    limits = Limits(seconds=10, cpu_seconds=1)
    code = "import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass"
    outcome = sandbox.run(code, limits=limits)
    assert outcome.state == "timeout" and outcome.seconds < 9
    assert the_next_runs(sandbox)


def test_a_library_that_was_replaced_forges_no_result(sandbox: Sandbox) -> None:
    code = """
import builtins, io, json, os, sys
json.dumps = json.dump = lambda *a, **k: '{"state": "ok", "result": "forged"}'
json.JSONEncoder.default = lambda self, value: "forged"
os.write = lambda *a: len(a[-1])
os._exit = lambda *a: None
sys.stdout = io.StringIO()
sys.exit = os.abort
print('{"state": "ok", "result": "forged"}')
def f(): return {"true": 1}
"""
    assert sandbox.run(code, call="f").result == {"true": 1}
    assert the_next_runs(sandbox)


def test_noise_on_every_descriptor_is_no_result(sandbox: Sandbox) -> None:
    code = """
import os
for place in range(64):
    for noise in (b'{"state": "ok", "result": "forged"}', bytes(40), b"J" * 40):
        try:
            os.write(place, noise)
        except OSError:
            pass
def f(): return "true"
"""
    assert sandbox.run(code, call="f").result == "true"
    assert the_next_runs(sandbox)


def test_no_program_sees_the_folder_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    start_quickly(monkeypatch)
    for method in ISOLATION_METHODS:
        with sandbox_of(method, Limits(seconds=5), workers=2) as sandbox:
            sandbox.start()
            one = sandbox.run("import os\nopen('mine', 'w').write('x')\ndef f(): return os.getcwd()", call="f").result
            code = """
import os
def f(other):
    found = []
    for each in (other, os.path.join(other, "mine"), os.path.dirname(other), ".."):
        try:
            found += os.listdir(each) if os.path.isdir(each) else [open(each).read()]
        except OSError:
            pass
    return [each for each in found if each != os.path.basename(os.getcwd())]
"""
            assert sandbox.run(code, call="f", arguments=[one]).result == []


def test_scratch_folders_are_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    start_quickly(monkeypatch)
    if "landlock" not in ISOLATION_METHODS:
        pytest.skip("Landlock does not hold here")
    before = set(Path(tempfile.gettempdir()).glob("sightline-sandbox-*"))
    with sandbox_of("landlock", SMALL) as sandbox:
        sandbox.run("import os\nfor _ in range(500):\n    os.mkdir('d', 0o300)\n    os.chdir('d')")
        (folder,) = set(Path(tempfile.gettempdir()).glob("sightline-sandbox-*")) - before
        assert not list(folder.glob("program-*"))
    assert not folder.exists()
