"""A worker process: takes (work, job) from its standard input, and answers on its standard output.

    python -m sightline.engines.worker

Started as a program of its own, not as a copy of the calling one, so that it works from notebooks and from scripts
without a main guard, on every system.
"""

from __future__ import annotations

import signal
import sys
from importlib import import_module
from typing import IO

from sightline.engines import said
from sightline.engines.frames import own_output, receive, send


def main() -> None:
    """Work until the other side closes the pipe."""
    answers = own_output()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller ends its workers itself
    serve(sys.stdin.buffer, answers)


def serve(jobs: IO[bytes], answers: IO[bytes]) -> None:
    """Answer every job by (value, why it failed)."""
    try:
        sys.path[:], module = receive(jobs)
        if module:
            import_module(module)  # what the first job needs, loaded before it comes
        while True:
            work, job = receive(jobs)
            try:
                answer = work(job), ""
            except Exception as error:  # told to the caller, who tries again
                answer = None, said(error)
            send(answers, answer)
    except (EOFError, BrokenPipeError):
        return


if __name__ == "__main__":
    main()
