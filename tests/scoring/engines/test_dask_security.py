"""A local Dask cluster is closed to the network and to other users: who runs code there must have its certificate."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from sightline import score
from sightline.scoring.engines import open_engine
from tests.scoring.engines import work
from tests.scoring.files.worlds import ALL_TASKS, write_world
from tests.support.worlds import ROOT, environment

psutil = pytest.importorskip("psutil")
distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.slow
KEY = "-----BEGIN PRIVATE KEY-----"


def listening(process: Any) -> list[tuple[str, int]]:
    """Addresses and ports on which a process listens."""
    return [(line.laddr.ip, line.laddr.port) for line in process.net_connections("inet") if line.status == "LISTEN"]


@pytest.fixture
def earlier() -> set[tuple[str, int]]:
    """Sockets that other tests have left open in this process."""
    return set(listening(psutil.Process()))


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    monkeypatch.setenv("OPENAI_API_KEY", "hidden")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    made = open_engine("dask", workers=2)
    yield made
    made.close()


def workers() -> list[Any]:
    found = [child for child in psutil.Process().children(recursive=True) if child.is_running()]
    return [child for child in found if "sightline.scoring.engines.dask_worker" in child.cmdline()]


def addresses(engine: Any) -> list[str]:
    return [engine._client.scheduler.address, *engine._client.scheduler_info()["workers"]]


def test_all_sockets_are_on_loopback(earlier: set[tuple[str, int]], engine: Any) -> None:
    assert [end.value for end in engine.run(work.double, [1])] == [2]
    processes = [psutil.Process(), *workers()]
    assert len(processes) == 3
    opened = {process.pid: set(listening(process)) - earlier for process in processes}
    assert all(opened.values())
    assert all(ip_address(address).is_loopback for sockets in opened.values() for address, _ in sockets), opened


def test_nobody_without_the_certificate_is_let_in(engine: Any) -> None:
    async def run_there(address: str, security: Any) -> Any:
        async with distributed.rpc(address, timeout=5, connection_args=security) as there:
            return await there.identity()

    strangers = (
        distributed.Security(),
        distributed.Security.temporary(),  # a certificate, but another
    )
    for address in addresses(engine):
        assert address.startswith("tls://127.0.0.1:")
        for stranger in strangers:
            for tried in (address, address.replace("tls://", "tcp://")):
                with pytest.raises((OSError, TypeError, RuntimeError, TimeoutError)):
                    asyncio.run(run_there(tried, stranger.get_connection_args("client")))
        own = engine._client.security.get_connection_args("client")
        assert asyncio.run(run_there(address, own))["type"] in ("Scheduler", "Worker")
    with pytest.raises((OSError, TypeError, RuntimeError, TimeoutError)):
        distributed.Client(addresses(engine)[0], timeout=5, security=strangers[1])
    assert [end.value for end in engine.run(work.double, [1])] == [2]  # and it works on


def test_keys_are_in_no_argument_no_variable_and_no_file(engine: Any, tmp_path: Path) -> None:
    for worker in workers():
        seen = f"{worker.cmdline()} {worker.environ()}"
        assert "hidden" not in seen and "OPENAI_API_KEY" not in seen and KEY not in seen
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert all(KEY.encode() not in path.read_bytes() for path in kept)
    (folder,) = tmp_path.iterdir()
    if os.name == "posix":
        assert folder.stat().st_mode & 0o077 == 0  # what Dask keeps there is nobody else's
    mine = workers()
    engine.close()
    assert not list(tmp_path.iterdir())
    assert not any(worker.is_running() and worker.status() != psutil.STATUS_ZOMBIE for worker in mine)


ENGINE = """
import psutil, sys, time
from sightline.scoring.engines import open_engine
if __name__ == "__main__":
    engine = open_engine("dask", workers=2)
    print(*[child.pid for child in psutil.Process().children(recursive=True)], flush=True)
    time.sleep(600)
"""


def test_workers_do_not_outlive_a_caller_that_was_killed(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(ENGINE)
    started = environment(PYTHONPATH=str(ROOT), TMPDIR=str(tmp_path))
    caller = subprocess.Popen(
        [sys.executable, str(tmp_path / "program.py")], stdout=subprocess.PIPE, text=True, env=started
    )
    assert caller.stdout is not None
    left = [psutil.Process(int(number)) for number in caller.stdout.readline().split()]
    assert len(left) == 2
    caller.kill()
    caller.communicate()
    assert not psutil.wait_procs(left, timeout=60)[1]


def test_a_local_cluster_scores_as_one_process_does(tmp_path: Path) -> None:
    anno, out = write_world(tmp_path, {name: 7 * pairs for name, pairs in ALL_TASKS.items()})
    found = [
        score(anno, out, output_dir=str(tmp_path / name), batch_size=2, engine=name, workers=2).to_dict()
        for name in ("serial", "dask")
    ]
    assert [one.pop("folder") for one in found] and found[0] == found[1]
