"""Problem details for HTTP APIs (RFC 9457), with the JSON path of the fault and a hint."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from sightline.core.remarks import Remark
from sightline.i18n import tr


def field_doc(remark: Remark, **bounds: Any) -> Meta:
    """Return msgspec metadata with the description of a field and the bounds of its values."""
    return Meta(description=remark.text, **bounds)


MEDIA_TYPE = "application/problem+json"


class ProblemType(Struct, frozen=True):
    """A problem type: HTTP status and title."""

    status: int
    title: Remark


PROBLEM_TYPES = {
    "not-json": ProblemType(400, Remark("The body is not valid JSON")),
    "token": ProblemType(401, Remark("The token is missing or wrong")),
    "other-site": ProblemType(403, Remark("Requests from web pages of other sites are refused")),
    "no-such-address": ProblemType(404, Remark("Unknown path")),
    "method": ProblemType(405, Remark("Method not allowed")),
    "slow-body": ProblemType(408, Remark("The body did not arrive in time")),
    "too-large": ProblemType(413, Remark("The body is too large")),
    "media-type": ProblemType(415, Remark("Unsupported media type")),
    "host": ProblemType(421, Remark("Wrong host name")),
    "does-not-fit": ProblemType(422, Remark("Invalid request")),
    "too-costly": ProblemType(422, Remark("The request exceeded its resource limits")),
    "full": ProblemType(429, Remark("Too many requests are waiting")),
    "fault": ProblemType(500, Remark("Internal error")),
}
"""Problem types by the last part of their URI."""


class Problem(Struct, frozen=True, kw_only=True):
    """What went wrong, where, and what to do."""

    type: Annotated[str, field_doc(Remark("the problem type, as a URI"))]
    title: str
    status: int
    detail: Annotated[str, field_doc(Remark("what is wrong with this request"))]
    where: Annotated[str, field_doc(Remark("JSON path in the body, such as $.samples[3].gt"))] = ""
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
        tr("The service failed although the request may be valid."),
        tr("See the log of the service, and please report this."),
    )
