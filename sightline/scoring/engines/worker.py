"""A worker process: takes (work, job) from its standard input, and answers on its standard output.

    python -P -m sightline.scoring.engines.worker

Started as a program of its own, not as a copy of the calling one, so that it works from notebooks and from scripts
without a main guard, on every system.
"""

from __future__ import annotations

import signal
import sys
from importlib import import_module
from typing import IO

from sightline.scoring.engines import said
from sightline.scoring.engines.child_processes import append_late_folder
from sightline.scoring.engines.pipes import own_output, receive_job, send_answer


def main() -> None:
    """Work until the other side closes the pipe."""
    append_late_folder()
    answers = own_output()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller ends its workers itself
    serve(sys.stdin.buffer, answers)


def serve(jobs: IO[bytes], answers: IO[bytes]) -> None:
    """Answer every job by (value, why it failed)."""
    try:
        if module := receive_job(jobs):
            import_module(module)  # what the first job needs, loaded before it comes
        while True:
            work, job = receive_job(jobs)
            try:
                answer = work(job), ""
            except Exception as error:  # told to the caller, who tries again
                answer = None, said(error)
            try:
                send_answer(answers, *answer)
            except (TypeError, OverflowError) as error:  # no such thing can be sent, and nothing was
                send_answer(answers, None, said(error))
    except (EOFError, BrokenPipeError):
        return


if __name__ == "__main__":
    main()
