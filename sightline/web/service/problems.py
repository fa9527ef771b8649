"""Problem details for HTTP APIs (RFC 9457), with the JSON path of the fault and a hint."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Struct

from sightline.core.records import Remark
from sightline.i18n import tr
from sightline.web.service.field_docs import field_doc

MEDIA_TYPE = "application/problem+json"


class ProblemType(Struct, frozen=True):
    """A problem type: HTTP status and title."""

    status: int
    title: Remark


PROBLEM_TYPES = {
    "not-json": ProblemType(400, Remark("The body is no JSON")),
    "token": ProblemType(401, Remark("The token is missing or wrong")),
    "other-site": ProblemType(403, Remark("Requests from web pages of other sites are refused")),
    "no-such-address": ProblemType(404, Remark("There is nothing at this address")),
    "method": ProblemType(405, Remark("This address takes another method")),
    "slow-body": ProblemType(408, Remark("The body did not arrive in time")),
    "too-large": ProblemType(413, Remark("The body is too large")),
    "media-type": ProblemType(415, Remark("The body's type is not understood")),
    "host": ProblemType(421, Remark("This service goes by another name")),
    "does-not-fit": ProblemType(422, Remark("The request does not fit")),
    "too-costly": ProblemType(422, Remark("The work would cost too much and was ended")),
    "full": ProblemType(429, Remark("Too many requests are waiting")),
    "fault": ProblemType(500, Remark("A fault of the service itself")),
}
"""Problem types by the last part of their URI."""


class Problem(Struct, frozen=True, kw_only=True):
    """What went wrong, where, and what to do."""

    type: Annotated[str, field_doc(Remark("the kind of problem, as an address that explains it"))]
    title: str
    status: int
    detail: Annotated[str, field_doc(Remark("what went wrong with this very request"))]
    where: Annotated[str, field_doc(Remark("the place in the body, such as $.samples[3].gt"))] = ""
    hint: Annotated[str, field_doc(Remark("what to do"))] = ""


class ProblemError(Exception):
    """Raised to answer a request with a problem; the texts are already translated."""

    def __init__(self, kind: str, detail: str, hint: str = "", where: str = "") -> None:
        super().__init__(detail)
        self.kind, self.detail, self.hint, self.where = kind, detail, hint, where
        self.headers: dict[str, str] = {}

    def with_headers(self, **headers: Any) -> ProblemError:
        """Add response headers; underscores in names become hyphens."""
        self.headers |= {name.replace("_", "-"): str(value) for name, value in headers.items()}
        return self

    @property
    def status(self) -> int:
        """The HTTP status."""
        return PROBLEM_TYPES[self.kind].status

    def body(self) -> bytes:
        """The problem as JSON."""
        return msgspec.json.encode(
            Problem(
                type=f"/docs#{self.kind}",
                title=str(PROBLEM_TYPES[self.kind].title),
                status=self.status,
                detail=self.detail,
                where=self.where,
                hint=self.hint,
            )
        )


def internal_error() -> ProblemError:
    """Return the problem for an unexpected error; details are only in the log."""
    return ProblemError(
        "fault",
        tr("The service could not answer although the request may be right."),
        tr("The log of the service tells more. Please report it."),
    )
