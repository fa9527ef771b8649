"""Why a request was not answered: RFC 9457 problem details, with the place of the fault and what to do."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Struct

from sightline.core.records import Remark
from sightline.i18n import say
from sightline.web.service.field_docs import told

MEDIA_TYPE = "application/problem+json"


class Kind(Struct, frozen=True):
    """One kind of problem."""

    status: int
    title: Remark


KINDS = {
    "not-json": Kind(400, Remark("The body is no JSON")),
    "token": Kind(401, Remark("The token is missing or wrong")),
    "other-site": Kind(403, Remark("Requests from web pages of other sites are refused")),
    "no-such-address": Kind(404, Remark("There is nothing at this address")),
    "method": Kind(405, Remark("This address takes another method")),
    "slow-body": Kind(408, Remark("The body did not arrive in time")),
    "too-large": Kind(413, Remark("The body is too large")),
    "media-type": Kind(415, Remark("The body's type is not understood")),
    "host": Kind(421, Remark("This service goes by another name")),
    "does-not-fit": Kind(422, Remark("The request does not fit")),
    "too-costly": Kind(422, Remark("The work would cost too much and was ended")),
    "full": Kind(429, Remark("Too many requests are waiting")),
    "fault": Kind(500, Remark("A fault of the service itself")),
}
"""By the name that ends a problem's type."""


class Problem(Struct, frozen=True, kw_only=True):
    """What went wrong, where, and what to do."""

    type: Annotated[str, told(Remark("the kind of problem, as an address that explains it"))]
    title: str
    status: int
    detail: Annotated[str, told(Remark("what went wrong with this very request"))]
    where: Annotated[str, told(Remark("the place in the body, such as $.samples[3].gt"))] = ""
    hint: Annotated[str, told(Remark("what to do"))] = ""


class Refusal(Exception):  # noqa: N818  # a refusal is no error of ours
    """Ends the work on a request; the texts are said already."""

    def __init__(self, kind: str, detail: str, hint: str = "", where: str = "") -> None:
        super().__init__(detail)
        self.kind, self.detail, self.hint, self.where = kind, detail, hint, where
        self.headers: dict[str, str] = {}

    def having(self, **headers: Any) -> Refusal:
        """The same with headers; an underscore stands for a hyphen."""
        self.headers |= {name.replace("_", "-"): str(value) for name, value in headers.items()}
        return self

    @property
    def status(self) -> int:
        """The HTTP status."""
        return KINDS[self.kind].status

    def body(self) -> bytes:
        """The problem as JSON."""
        return msgspec.json.encode(
            Problem(
                type=f"/docs#{self.kind}",
                title=str(KINDS[self.kind].title),
                status=self.status,
                detail=self.detail,
                where=self.where,
                hint=self.hint,
            )
        )


def fault() -> Refusal:
    """For what we did not foresee; the log has more, the client does not."""
    return Refusal(
        "fault",
        say("The service could not answer although the request may be right."),
        say("The log of the service tells more. Please report it."),
    )
