"""What an asking has come to so far: for progress, for the manifest, for exit codes."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Struct

from sightline.core.records import Grade, Remark, ServerCount
from sightline.inference.load_balancer import Outage

SERVER_COUNTS = Remark("{server}: {requests} requests, {errors} of them in vain").text


class RunProgress(Struct):
    """Counts of one asking; `kept` samples were answered in an earlier start of the same run."""

    answered: int = 0
    failed: int = 0
    invalid: int = 0
    kept: int = 0
    retried: int = 0
    cached: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    credit: float = 0.0
    graded: int = 0
    in_flight: int = 0
    waiting_for: str = ""
    """What the last failed try was about."""
    elsewhere: int = 0
    """Samples that other processes of the same run ask or have asked."""
    servers: dict[str, ServerCount] = {}
    """Requests and errors of each server, where there are several."""
    notices: list[Remark] = msgspec.field(default_factory=list)
    """What has happened that is worth a line of its own, in its order."""
    outage: Outage | None = None
    """What the run is waiting for, where no server can be asked."""
    models: dict[str, int] = {}
    """How many replies came under which name of a model."""
    current_model: str = ""

    @property
    def done(self) -> int:
        """Samples that need no more asking."""
        return self.answered + self.failed + self.invalid + self.kept + self.elsewhere

    @property
    def accuracy(self) -> float | None:
        """Mean score of what has been graded so far."""
        return self.credit / self.graded if self.graded else None

    def record_model(self, name: str) -> None:
        """Count a reply under the name that the server gave; a name that is new in the middle of a run is told."""
        if name != self.current_model:
            if self.current_model and name not in self.models:
                facts = {"before": self.current_model, "now": name}
                self.notices.append(Remark("The server answered as '{before}' so far, and now as '{now}'.", facts))
            self.current_model = name
        self.models[name] = self.models.get(name, 0) + 1

    def take(self, grade: Grade) -> None:
        """Count a first attempt's grade into the running mean."""
        self.credit += grade.score
        self.graded += 1


def add_server_counts(one: Mapping[str, ServerCount], other: Mapping[str, ServerCount]) -> dict[str, ServerCount]:
    """What each server was sent in two askings."""
    total = {name: ServerCount(count.requests, count.errors) for name, count in one.items()}
    for name, count in other.items():
        known = total.setdefault(name, ServerCount())
        known.requests += count.requests
        known.errors += count.errors
    return total


def describe_server_counts(servers: Mapping[str, ServerCount]) -> list[Remark]:
    """One sentence a server."""
    return [
        Remark(SERVER_COUNTS, {"server": name, "requests": count.requests, "errors": count.errors})
        for name, count in servers.items()
    ]


ANSWERED_AS = Remark("The server answered as {models}.").text
CHANGED_MODEL = Remark("The model changed during the run: the server answered as {models}.").text


def describe_models(models: Mapping[str, int], asked: str) -> list[Remark]:
    """Under which names the replies came, where that is not simply the name that was asked for."""
    if set(models) <= {asked}:
        return []
    listed = ", ".join(f"{name} ({count:,})" for name, count in sorted(models.items(), key=lambda one: -one[1]))
    return [Remark(CHANGED_MODEL if len(models) > 1 else ANSWERED_AS, {"models": listed})]
