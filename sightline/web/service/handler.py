"""One request's work, from body to answer: what a worker process does."""

from __future__ import annotations

import sys
import traceback
from contextvars import copy_context

import msgspec
from msgspec import Struct

from sightline.core.errors import SightlineError
from sightline.i18n import say, set_language
from sightline.web.service.catalogue import Endpoint, catalogue
from sightline.web.service.problems import Refusal, fault
from sightline.web.service.request_parsing import read_request


class Job(Struct, frozen=True, array_like=True):
    """A request on its way to a worker."""

    path: str
    language: str
    body: bytes = b""


class Done(Struct, frozen=True, array_like=True):
    """An answer on its way back."""

    status: int
    body: bytes


def work(job: Job) -> Done:
    """Answer a request in its language. Whatever it holds, this returns."""
    return copy_context().run(_work, job)


def _work(job: Job) -> Done:
    set_language(job.language)
    endpoint = catalogue()[job.path]
    try:
        return Done(200, msgspec.json.encode(_answer(endpoint, job.body)))
    except Refusal as refusal:
        why = refusal
    except SightlineError as error:
        said, _, hint = str(error).partition("\n")
        why = Refusal("does-not-fit", said, hint)
    except (MemoryError, RecursionError):
        detail = say("The work on this request needs more memory than it may have.")
        why = Refusal("too-costly", detail, say("Ask for less at a time."))
    except Exception:  # told to whoever runs the service, not to the client
        traceback.print_exc(file=sys.stderr)
        why = fault()
    return Done(why.status, why.body())


def _answer(endpoint: Endpoint, body: bytes) -> Struct:
    return endpoint.answer(read_request(body, endpoint.takes)) if endpoint.takes else endpoint.answer()


def warm_up() -> None:
    """Answer every example once, so that modules are loaded and kernels compiled before anybody waits."""
    for endpoint in catalogue().values():
        for example in endpoint.examples or ((None,) if not endpoint.takes else ()):
            work(Job(endpoint.path, "en", msgspec.json.encode(example)))
