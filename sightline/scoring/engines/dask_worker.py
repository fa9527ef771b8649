"""A Dask worker process on loopback, over TLS: takes its certificate from standard input, and ends when that closes.

    python -P -m sightline.scoring.engines.dask_worker

The certificate and its key exist in memory alone: in no argument, variable or file that another user could read.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from threading import Thread

import dask
import msgspec
from distributed import Security, Worker

from sightline.scoring.engines.child_processes import append_working_folder, redirect_output
from sightline.scoring.engines.dask_engine import LOOPBACK, NO_HTTP, WorkerConfig

_DEATH_TIMEOUT = "60s"
"""How long a worker tries to reach its scheduler."""


def main() -> None:
    """Work until the other side closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller ends its workers itself
    append_working_folder()
    redirect_output().close()  # what libraries print goes to standard error
    config = msgspec.json.decode(sys.stdin.buffer.readline(), type=WorkerConfig)
    Thread(target=_exit_with_parent, daemon=True).start()
    with dask.config.set(NO_HTTP):
        asyncio.run(_work(config))


async def _work(config: WorkerConfig) -> None:
    security = Security(**config.certificates, require_encryption=True)
    worker = Worker(
        config.scheduler,
        host=LOOPBACK,
        dashboard_address=f"{LOOPBACK}:0",
        nthreads=1,
        memory_limit=0,
        local_directory=config.folder,
        death_timeout=_DEATH_TIMEOUT,
        security=security,
    )
    async with worker:
        await worker.finished()


def _exit_with_parent() -> None:
    while os.read(sys.stdin.fileno(), 1):  # past Python's buffer, whose lock would be in the way of a regular end
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
