"""Worker process: handles requests that arrive as length-prefixed frames on standard input."""

from __future__ import annotations

import signal
import sys
import traceback
from contextlib import suppress
from contextvars import copy_context

import msgspec
from msgspec import Struct

from sightline.core.errors import SightlineError
from sightline.i18n import set_language, tr
from sightline.scoring.engines.child_processes import append_working_folder, receive_frame, redirect_output, send_frame
from sightline.web.service.endpoints import Endpoint, all_endpoints
from sightline.web.service.problems import ProblemError, internal_error
from sightline.web.service.schemas import read_request


class JobRequest(Struct, frozen=True, array_like=True):
    """A request sent to a worker process."""

    path: str
    language: str
    body: bytes = b""


class JobResult(Struct, frozen=True, array_like=True):
    """A response sent back by a worker process."""

    status: int
    body: bytes


def handle_job(job: JobRequest) -> JobResult:
    """Handle a request in its language; never raises, errors become problem responses."""
    return copy_context().run(_handle_in_language, job)


def _handle_in_language(job: JobRequest) -> JobResult:
    set_language(job.language)
    endpoint = all_endpoints()[job.path]
    try:
        return JobResult(200, msgspec.json.encode(_call_endpoint(endpoint, job.body)))
    except ProblemError as refusal:
        why = refusal
    except SightlineError as error:
        detail, _, hint = str(error).partition("\n")
        why = ProblemError("does-not-fit", detail, hint)
    except (MemoryError, RecursionError):
        detail = tr("The request needs more memory than allowed.")
        why = ProblemError("too-costly", detail, tr("Send less per request."))
    except Exception:  # logged for the operator, not sent to the client
        traceback.print_exc(file=sys.stderr)
        why = internal_error()
    return JobResult(why.status, why.body())


def _call_endpoint(endpoint: Endpoint, body: bytes) -> Struct:
    return endpoint.answer(read_request(body, endpoint.takes)) if endpoint.takes else endpoint.answer()


def warm_up() -> None:
    """Handle every example once, so that modules are imported and kernels compiled before the first request."""
    for endpoint in all_endpoints().values():
        for example in endpoint.examples or ((None,) if not endpoint.takes else ()):
            handle_job(JobRequest(endpoint.path, "en", msgspec.json.encode(example)))


READY = b"ready"


def main() -> None:
    """Handle requests from the parent process until its pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is handled by the parent process
    append_working_folder()
    out = redirect_output()
    _limit_memory(int(sys.argv[1]))
    warm_up()
    send_frame(out, READY)
    decoder = msgspec.msgpack.Decoder(JobRequest)
    with suppress(EOFError):
        while True:
            job = decoder.decode(receive_frame(sys.stdin.buffer))
            send_frame(out, msgspec.msgpack.encode(handle_job(job)))


def _limit_memory(megabytes: int) -> None:
    """Limit the memory of this process with `RLIMIT_DATA` (POSIX only)."""
    if sys.platform == "win32" or not megabytes:
        return
    import resource

    resource.setrlimit(resource.RLIMIT_DATA, (megabytes << 20, megabytes << 20))


if __name__ == "__main__":
    main()
