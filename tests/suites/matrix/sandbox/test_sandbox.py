"""Programs run, give their results and pictures, and end in their own states."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from sightline.suites.matrix.sandbox import (
    Limits,
    Sandbox,
    SandboxUnavailableError,
    find_isolation,
    probe,
    unavailable_reason,
)
from sightline.suites.matrix.sandbox import sandbox as sandbox_module
from sightline.suites.matrix.sandbox import worker as worker_module
from sightline.suites.matrix.sandbox.outcomes import PNG_SIGNATURE, Outcome, ProcessResult, is_valid_png, read_outcomes
from sightline.suites.matrix.sandbox.worker import WorkerLostError
from tests.suites.matrix.sandbox.support import ISOLATION_METHODS, sandbox_of, start_quickly
from tests.support.worlds import environment

LIMITS = Limits(seconds=10)


@pytest.fixture(scope="module", params=["bubblewrap", "landlock", "unsafe"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """What a well-behaved program can expect is the same in every way."""
    unsafe = request.param == "unsafe"
    with Sandbox(LIMITS, unsafe=True, method="unsafe") if unsafe else sandbox_of(request.param, LIMITS) as made:
        assert made.method == request.param
        yield made


@pytest.fixture(scope="module")
def walled() -> Iterator[Sandbox]:
    if not ISOLATION_METHODS:
        pytest.skip(find_isolation().reason)
    with Sandbox(LIMITS, workers=2) as made:
        yield made


def test_a_function_is_called_with_json_and_gives_json(sandbox: Sandbox) -> None:
    code = "def f(a, b): return {'sum': a + b['x'], 'list': (1, None, True, 2.5), 'text': '面\\U0001f600'}"
    outcome = sandbox.run(code, call="f", arguments=[1, {"x": 2}])
    assert outcome.state == "ok" and not outcome.error
    assert outcome.result == {"sum": 3, "list": [1, None, True, 2.5], "text": "面\U0001f600"}


def test_numpy_is_there_and_its_numbers_are_plain(sandbox: Sandbox) -> None:
    code = "import numpy as np\ndef f(n): return [np.arange(n), np.float32(0.5), np.int64(7), np.bool_(True)]"
    assert sandbox.run(code, call="f", arguments=[3]).result == [[0, 1, 2], 0.5, 7, True]


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("1/0", "ZeroDivisionError: division by zero"),
        ("def f(:", "SyntaxError: invalid syntax"),
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("def f(): return {1, 2}", "TypeError: set is not a JSON value"),
        ("def f(): return float('nan')", "ValueError: Out of range float values are not JSON compliant"),
        ("g = 1", "AttributeError: module '__main__' has no attribute 'f'"),
        ("f = 1", "TypeError: 'int' object is not callable"),
        ("class E(Exception):\n def __str__(self): 1/0\nraise E", "E: <exception str() failed>"),
    ],
)
def test_a_fault_is_the_last_line_of_its_traceback(sandbox: Sandbox, code: str, error: str) -> None:
    outcome = sandbox.run(code, call="f")
    assert outcome.state == "error" and outcome.result is None
    assert outcome.error.startswith(error)


def test_what_is_printed_comes_back(sandbox: Sandbox) -> None:
    outcome = sandbox.run("import sys\nprint('one\\t二')\nprint('lost', file=sys.stderr)\nsys.exit()")
    assert (outcome.state, outcome.stdout) == ("ok", "one\t二\n")


def test_no_control_characters_come_back(sandbox: Sandbox) -> None:
    outcome = sandbox.run("print('a\\x1b[2Jb\\u202ec')\nraise ValueError('x\\x1b]0;title\\x07\\r' + 'y' * 9999)")
    assert outcome.stdout == "a�[2Jb�c\n"
    assert outcome.error.isprintable() and len(outcome.error) <= 400


def test_main_is_main_and_classes_can_be_pickled(sandbox: Sandbox) -> None:
    code = """
import pickle
from dataclasses import dataclass
@dataclass
class Point:
    x: int
if __name__ == "__main__":
    kept = pickle.loads(pickle.dumps(Point(4)))
def f(): return kept.x
"""
    assert sandbox.run(code, call="f").result == 4


def test_files_threads_and_folders_work_in_the_scratch_folder(sandbox: Sandbox) -> None:
    code = """
import os, tempfile, threading
def f():
    os.makedirs("a/b")
    with open("a/b/c", "w") as file: file.write("x")
    os.rename("a/b/c", "d")
    os.symlink("d", "e")
    with tempfile.TemporaryDirectory() as folder, open(folder + "/t", "w") as file: file.write("y")
    found = []
    threads = [threading.Thread(target=found.append, args=(k,)) for k in range(8)]
    for each in threads: each.start()
    for each in threads: each.join()
    return [open("e").read(), sorted(os.listdir()), sorted(found)]
"""
    assert sandbox.run(code, call="f").result == ["x", ["a", "d", "e"], list(range(8))]


def test_a_figure_comes_back_as_a_picture(sandbox: Sandbox) -> None:
    code = "import matplotlib.pyplot as plt\nplt.figure(figsize=(2, 1), dpi=50)\nplt.plot([1, 2])\nplt.title('x²')"
    outcome = sandbox.run(code, picture=True)
    assert outcome.state == "ok" and outcome.picture
    assert Image.open(BytesIO(outcome.picture)).size == (100, 50)
    assert sandbox.run(code).picture is None


def test_a_picture_file_comes_back_too(sandbox: Sandbox) -> None:
    code = "from PIL import Image\nImage.new('L', (7, 5)).save('drawn.png')\ndef f(): return 1"
    outcome = sandbox.run(code, call="f", picture=True)
    assert outcome.picture and Image.open(BytesIO(outcome.picture)).size == (7, 5)
    assert outcome.result == 1


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("", "LookupError: The program drew no picture."),
        ("open('x.png', 'wb').write(b'no picture')", "The picture is not a readable PNG of at most 16 megapixels."),
        ("import os\nos.symlink('/etc/passwd', 'x.png')", "PermissionError"),
    ],
)
def test_what_is_no_picture_is_an_error(walled: Sandbox, code: str, error: str) -> None:
    outcome = walled.run(code, picture=True)
    assert outcome.state == "error" and outcome.picture is None
    assert outcome.error.startswith((error, "FileNotFoundError", "LookupError"))


def test_many_calls_share_a_process_and_fail_apart(sandbox: Sandbox) -> None:
    code = "n = 0\ndef f(x):\n    global n\n    n += 1\n    return [n, 1 / x]"
    found = sandbox.run_many(code, [("f", [1]), ("f", [0]), ("g", []), ("f", [4])])
    assert [each.state for each in found] == ["ok", "error", "error", "ok"]
    assert [each.result for each in found] == [[1, 1.0], None, None, [3, 0.25]]
    assert sandbox.run_many(code, []) == []
    assert [each.state for each in sandbox.run_many("1/0", [("f", []), ("f", [])])] == ["error", "error"]


def test_a_call_that_hangs_keeps_what_came_before_it(sandbox: Sandbox) -> None:
    code = "import time\ndef f(x):\n    while x < 0: time.sleep(9)\n    return x"
    found = sandbox.run_many(code, [("f", [1]), ("f", [-1]), ("f", [2])], limits=Limits(seconds=1))
    assert [each.state for each in found] == ["ok", "timeout", "timeout"]
    assert found[0].result == 1


def test_output_before_a_kill_is_kept(walled: Sandbox) -> None:
    outcome = walled.run("print('before')\nwhile True: pass", limits=Limits(seconds=0.5))
    assert (outcome.state, outcome.stdout) == ("timeout", "before\n")


@pytest.mark.parametrize("arguments", [[float("nan")], [{1, 2}], [b"x"]])
def test_what_is_not_json_is_refused(sandbox: Sandbox, arguments: list[Any]) -> None:
    outcome = sandbox.run("def f(x): return 1", call="f", arguments=arguments)
    assert outcome.state == "refused" and outcome.error


def test_odd_texts_are_programs_too(sandbox: Sandbox) -> None:
    for code in ("", "\0", "\ud800", "\ufeffx = 1", "x = 1\r\ny = 2\r\n", "(" * 5000):
        assert sandbox.run(code).state in {"ok", "error", "memory", "killed"}, repr(code[:9])
    assert sandbox.run("#" * (9 << 20)).state == "refused"


def test_several_threads_share_a_sandbox(walled: Sandbox) -> None:
    code = "import numpy as np\nprint('told')\ndef f(x): return int(np.sum(np.full(x, x)))"
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda k: walled.run(code, call="f", arguments=[k]), range(60)))
    assert [each.result for each in found] == [k * k for k in range(60)]
    assert {each.stdout for each in found} == {"told\n"}


@pytest.mark.parametrize("method", ["bubblewrap", "landlock"])
def test_a_dead_worker_is_replaced(method: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    start_quickly(monkeypatch)
    with sandbox_of(method, LIMITS) as sandbox:
        assert sandbox.run("x = 1").state == "ok"
        worker = sandbox._workers.get()
        sandbox._workers.put(worker)
        assert worker
        os.kill(worker.process, signal.SIGKILL)
        while worker.is_alive:
            time.sleep(0.01)
        assert [sandbox.run("x = 1").state for _ in range(3)] == ["ok"] * 3


@pytest.mark.parametrize("method", ["bubblewrap", "landlock"])
def test_a_worker_that_dies_with_its_program_is_replaced(method: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    start_quickly(monkeypatch)
    with sandbox_of(method, LIMITS) as sandbox, ThreadPoolExecutor(1) as pool:
        sandbox.start()
        worker = sandbox._workers.get()
        sandbox._workers.put(worker)
        assert worker
        running = pool.submit(sandbox.run, "import time\ntime.sleep(60)")
        while sandbox._workers.qsize():
            time.sleep(0.01)
        time.sleep(0.2)
        os.kill(worker.process, signal.SIGKILL)
        assert running.result().state == "killed"
        assert sandbox.run("x = 1").state == "ok"


@pytest.mark.parametrize("method", ["bubblewrap", "landlock"])
def test_an_interrupted_run_leaves_nothing_for_the_next(method: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    start_quickly(monkeypatch)
    with sandbox_of(method, LIMITS) as sandbox:
        sandbox.start()
        with monkeypatch.context() as patch:
            patch.setattr("sightline.suites.matrix.sandbox.worker.os.read", interrupted)
            with pytest.raises(KeyboardInterrupt):
                sandbox.run("print('first')\ndef f(): return 1", call="f")
        assert sandbox.run("def f(): return 2", call="f").result == 2


def test_workers_that_do_not_start_are_an_error_or_a_refusal(walled: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    method = walled.method
    assert not unavailable_reason(method)
    monkeypatch.setattr(sandbox_module, "Worker", lost)
    with Sandbox(LIMITS, method=method, workers=2) as sandbox:
        with pytest.raises(SandboxUnavailableError, match="No process"):
            sandbox.start()
        assert sandbox.run("x = 1") == Outcome(state="refused", error="No process.")


def lost(*_: Any) -> Any:
    raise WorkerLostError("No process.")


def interrupted(*_: Any) -> bytes:
    raise KeyboardInterrupt


OWNER = """
import os, sys, threading, time
from functools import partial
from pathlib import Path
from sightline.suites.matrix.sandbox import Sandbox
from sightline.suites.matrix.sandbox import sandbox as module

def beneath(process):
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [process, *(each for child in children for each in beneath(child))]

module.Worker = partial(module.Worker, preload=False)
sandbox = Sandbox(method=sys.argv[1])
sandbox.start()
worker = sandbox._workers.get()
sandbox._workers.put(worker)
idle = len(beneath(worker.process))
threading.Thread(target=sandbox.run, args=("import time\\ntime.sleep(9)",)).start()
while len(beneath(worker.process)) == idle:
    time.sleep(0.01)
print(*beneath(worker.process), flush=True)
os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize("method", ["bubblewrap", "landlock"])
def test_workers_end_with_their_owner(method: Any) -> None:
    """Even where it is killed, without a chance to tidy up and in the middle of a program."""
    sandbox_of(method).close()
    told = subprocess.run([sys.executable, "-c", OWNER, method], env=environment(), capture_output=True, text=True)
    left = told.stdout.split()
    assert len(left) >= 2, told.stderr
    for _ in range(100):
        left = [each for each in left if is_ours(each)]
        if not left:
            return
        time.sleep(0.05)
    raise AssertionError(f"these still run: {left}")


def is_ours(process: str) -> bool:
    try:
        return b"inside.zygote" in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False


def test_a_way_is_probed_and_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    if not ISOLATION_METHODS:
        pytest.skip(find_isolation().reason)
    assert find_isolation().method == ISOLATION_METHODS[0] and not find_isolation().reason
    monkeypatch.setattr(probe, "Worker", None)
    assert find_isolation().method == ISOLATION_METHODS[0]


@pytest.mark.parametrize("method", ["bubblewrap", "landlock"])
def test_a_way_that_leaks_is_not_trusted(method: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox_of(method).close()
    honest = probe.read_outcomes

    def leaky(*given: Any) -> list[Outcome]:
        (found,) = honest(*given)
        return [Outcome(state="ok", result={**found.result, "forked": True})]

    monkeypatch.setattr(probe, "read_outcomes", leaky)
    assert probe._run_attack(method) == f"{method} does not hold: forked"


@pytest.mark.parametrize("method", ["bubblewrap", "landlock"])
def test_a_wall_with_a_hole_is_found(method: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    sandbox_of(method).close()
    whole = worker_module.readable()
    monkeypatch.setattr(probe.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(worker_module, "readable", lambda: [*whole, str(tmp_path)])
    assert probe._run_attack(method) == f"{method} does not hold: secret"


def test_without_isolation_nothing_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox_module, "find_isolation", lambda: probe.Isolation(reason="No wall."))
    with pytest.raises(SandboxUnavailableError, match=r"Cannot run untrusted code safely here: No wall\."):
        Sandbox()
    with pytest.raises(SandboxUnavailableError):
        Sandbox(method="unsafe")
    with Sandbox(unsafe=True) as sandbox:
        assert sandbox.method == "unsafe"


def test_other_systems_say_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    unavailable_reason.cache_clear()
    try:
        assert find_isolation() == probe.Isolation(reason="Only Linux can shut a program in.")
    finally:
        unavailable_reason.cache_clear()


def test_an_import_is_light() -> None:
    code = "import sightline.suites.matrix.sandbox, sys; print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment())
    assert not {"numpy", "matplotlib", "PIL", "asyncio", "multiprocessing"} & set(told.stdout.split())


MARK = b"m" * 16


def frame(kind: bytes, content: bytes) -> bytes:
    return MARK + kind + len(content).to_bytes(4, "big") + content


@pytest.mark.parametrize(
    ("reply", "state"),
    [
        (b"", "error"),
        (b"noise" + frame(b"J", b'{"state":"ok"}') + b"noise", "ok"),
        (frame(b"J", b'{"state":"ok"}')[:-1], "error"),
        (frame(b"J", b'{"state":"splendid"}'), "error"),
        (frame(b"J", b'{"state":"ok","result":NaN}'), "error"),
        (frame(b"J", b'{"state":"ok","result":' + b"[" * 100_000), "error"),
        (frame(b"J", b"\xff\xfe"), "error"),
        (MARK + b"J" + b"\xff\xff\xff\xff" + b"{}", "error"),
        (MARK * 3, "error"),
    ],
)
def test_any_reply_is_read_as_some_outcome(reply: bytes, state: str) -> None:
    (found,) = read_outcomes(ProcessResult(reply=reply), MARK, 0, False, Limits())
    assert found.state == state


def test_only_a_sound_picture_of_bearable_size_is_one() -> None:
    drawn = BytesIO()
    Image.new("L", (9, 9)).save(drawn, "PNG")
    sound = drawn.getvalue()
    assert is_valid_png(sound)
    header = b"IHDR" + (99_999).to_bytes(4, "big") * 2 + b"\x08\0\0\0\0"
    bomb = PNG_SIGNATURE + b"\0\0\0\x0d" + header + zlib.crc32(header).to_bytes(4, "big") + sound[33:]
    broken = bytearray(sound)
    broken[45] ^= 255
    for content in (b"", PNG_SIGNATURE, sound[:20], sound[:40], bomb, bytes(broken), b"GIF89a", sound[8:]):
        assert not is_valid_png(content)
