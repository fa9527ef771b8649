"""Request handling in a worker process, from request body to response."""

from __future__ import annotations

import sys
import traceback
from contextvars import copy_context

import msgspec
from msgspec import Struct

from sightline.core.errors import SightlineError
from sightline.i18n import set_language, tr
from sightline.web.service.endpoints import Endpoint, all_endpoints
from sightline.web.service.problems import ProblemError, internal_error
from sightline.web.service.request_parsing import read_request


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
    return copy_context().run(_handle, job)


def _handle(job: JobRequest) -> JobResult:
    set_language(job.language)
    endpoint = all_endpoints()[job.path]
    try:
        return JobResult(200, msgspec.json.encode(_call_endpoint(endpoint, job.body)))
    except ProblemError as refusal:
        why = refusal
    except SightlineError as error:
        said, _, hint = str(error).partition("\n")
        why = ProblemError("does-not-fit", said, hint)
    except (MemoryError, RecursionError):
        detail = tr("The work on this request needs more memory than it may have.")
        why = ProblemError("too-costly", detail, tr("Ask for less at a time."))
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
