"""Worker process: reads (function, job) from standard input, and writes answers to standard output.

    python -P -m sightline.scoring.engines.worker

Started as a program of its own, not as a copy of the calling one, so that it works from notebooks and from scripts
without a main guard, on every system.
"""

from __future__ import annotations

import signal
import sys
from importlib import import_module
from typing import IO

from sightline.scoring.engines import format_error
from sightline.scoring.engines.child_processes import append_working_folder, receive_job, redirect_output, send_answer


def main() -> None:
    """Work until the other side closes the pipe."""
    append_working_folder()
    answers = redirect_output()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller ends its workers itself
    serve(sys.stdin.buffer, answers)


def serve(jobs: IO[bytes], answers: IO[bytes]) -> None:
    """Answer every job with (value, error)."""
    try:
        if module := receive_job(jobs):
            import_module(module)  # what the first job needs, loaded before it comes
        while True:
            work, job = receive_job(jobs)
            try:
                answer = work(job), ""
            except Exception as error:  # sent to the caller, which retries
                answer = None, format_error(error)
            try:
                send_answer(answers, *answer)
            except (TypeError, OverflowError) as error:  # no such thing can be sent, and nothing was
                send_answer(answers, None, format_error(error))
    except (EOFError, BrokenPipeError):
        return


if __name__ == "__main__":
    main()
