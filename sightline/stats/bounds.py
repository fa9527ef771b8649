"""Lower and upper bounds of a mean score for samples that failed or could not be read."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from sightline.core.records import COUNTED, Estimate


def with_statuses(estimate: Estimate, states: Mapping[str, int]) -> Estimate:
    """The estimate with the number of samples that were not read, not answered, or not asked."""
    unread = sum(states.get(state, 0) for state in COUNTED if state != "answered")
    return replace(estimate, unparsed=unread, invalid=states.get("invalid", 0), failed=states.get("failed", 0))


def with_bounds(estimate: Estimate, masses: Mapping[str, int]) -> Estimate:
    """The mean score with its floor, all failures wrong, and its ceiling, all failed and unread samples right.

    `masses` are the weights of the samples of each state, as whole numbers: equal weights cancel out exactly.
    """
    answered = sum(masses.get(state, 0) for state in COUNTED)
    if estimate.value is None or not answered:
        return estimate
    unread, failed = answered - masses.get("answered", 0), masses.get("failed", 0)
    floor, ceiling = estimate.value, min(1.0, estimate.value + unread / answered)
    if failed:
        asked = answered + failed
        floor, ceiling = floor * (answered / asked), min(1.0, ceiling * (answered / asked) + failed / asked)
    return replace(estimate, floor=floor, ceiling=ceiling)
