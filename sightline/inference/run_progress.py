"""Progress of an inference run: counts for the progress display, the manifest and exit codes."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Struct

from sightline.core.records import Failure, Grade, Reply, ServerCount
from sightline.core.remarks import Remark
from sightline.inference.budget import Budget
from sightline.inference.load_balancer import Outage

SERVER_COUNTS = Remark("{server}: {requests} requests, {errors} failed").text


_UNCOUNTED = Remark("The server does not count tokens: the cost is not known, and --max-cost does not stop the run.")


class RunProgress(Struct):
    """Counts of one start of a run; `resumed` samples were answered in an earlier start of the same run."""

    answered: int = 0
    failed: int = 0
    invalid: int = 0
    resumed: int = 0
    retried: int = 0
    cached: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    score_sum: float = 0.0
    graded: int = 0
    in_flight: int = 0
    waiting_for: str = ""
    """The error of the last failed try."""
    claimed_by_others: int = 0
    """Samples claimed by other processes of the same run."""
    servers: dict[str, ServerCount] = {}
    """Requests and errors of each server, if there is more than one."""
    notices: list[Remark] = msgspec.field(default_factory=list)
    """Notable events in their order, one line each."""
    outage: Outage | None = None
    """The current outage, if no server is available."""
    models: dict[str, int] = {}
    """Number of replies by the model name that the server reported."""
    current_model: str = ""

    @property
    def done(self) -> int:
        """Number of finished samples."""
        return self.answered + self.failed + self.invalid + self.resumed + self.claimed_by_others

    @property
    def accuracy(self) -> float | None:
        """Mean score of the samples graded so far."""
        return self.score_sum / self.graded if self.graded else None

    def record_model(self, name: str) -> None:
        """Count a reply under the model name that the server reported; a change in mid-run adds a notice."""
        if name != self.current_model:
            if self.current_model and name not in self.models:
                args = {"before": self.current_model, "now": name}
                self.notices.append(Remark("The server now reports the model '{now}' instead of '{before}'.", args))
            self.current_model = name
        self.models[name] = self.models.get(name, 0) + 1

    def record_usage(self, reply: Reply, budget: Budget) -> None:
        """Add the tokens and the cost of a reply."""
        tokens_in, tokens_out = reply.tokens_in or 0, reply.tokens_out or 0
        budget.record_cost(tokens_in, tokens_out)
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out
        if budget.limits_cost and reply.tokens_out is None and _UNCOUNTED not in self.notices:
            self.notices.append(_UNCOUNTED)
        self.cost = budget.cost

    def record_failure(self, failure: Failure) -> None:
        """Note a failed request; it is retried unless it is final."""
        self.retried += not failure.final
        self.waiting_for = f"{failure.kind}: {failure.message}"

    def add_grade(self, grade: Grade) -> None:
        """Add the grade of a first attempt to the running mean."""
        self.score_sum += grade.score
        self.graded += 1


def add_server_counts(first: Mapping[str, ServerCount], second: Mapping[str, ServerCount]) -> dict[str, ServerCount]:
    """The sum of two counts of requests and errors by server."""
    total = {name: ServerCount(count.requests, count.errors) for name, count in first.items()}
    for name, count in second.items():
        server_total = total.setdefault(name, ServerCount())
        server_total.requests += count.requests
        server_total.errors += count.errors
    return total


def describe_server_counts(servers: Mapping[str, ServerCount]) -> list[Remark]:
    """One sentence per server: requests and errors."""
    return [
        Remark(SERVER_COUNTS, {"server": name, "requests": count.requests, "errors": count.errors})
        for name, count in servers.items()
    ]


ANSWERED_AS = Remark("Model name reported by the server: {models}.").text
CHANGED_MODEL = Remark("The model changed during the run; the server reported: {models}.").text


def describe_models(models: Mapping[str, int], requested: str) -> list[Remark]:
    """The model names that the server reported, unless that is only the name that was requested."""
    if set(models) <= {requested}:
        return []
    listed = ", ".join(f"{name} ({count:,})" for name, count in sorted(models.items(), key=lambda item: -item[1]))
    return [Remark(CHANGED_MODEL if len(models) > 1 else ANSWERED_AS, {"models": listed})]
