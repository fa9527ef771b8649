"""True/false scorer with majority vote over frames; records what the suite's metrics need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sightline.core.records import Explanation, Parsed, Remark, Sample, Score, Unparsed
from sightline.suites.simulation.questions import logical_pair


def score_replies(sample: Sample, read: Sequence[Parsed | Unparsed]) -> Score:
    """Compare the majority of the parsed replies, one per turn, with the key."""
    votes = [found for found in read if isinstance(found, Parsed)]
    predicted, message = _majority([bool(vote.value) for vote in votes])
    details: dict[str, Any] = {"predicted": predicted, "target": sample.target}
    if votes:
        details["rule"] = next(vote.rule for vote in votes if vote.value is predicted)
    if len(read) > 1:
        details["votes"] = [found.value if isinstance(found, Parsed) else None for found in read]
    if pair := logical_pair(sample.task, sample.question):
        details["pair"], details["side"] = f"{sample.tags['modality']}/{sample.cluster}/{pair[0]}", pair[1]
    if predicted is None:
        message = next(found.reason for found in read if not isinstance(found, Parsed))
        return Score(status="unparsed", details=details, message=message)
    return Score(value=float(predicted is sample.target), details=details, message=message)


def _majority(votes: list[bool]) -> tuple[bool | None, Explanation]:
    """Return the majority answer; a tie goes to the first vote."""
    if not votes:
        return None, ""
    ayes = sum(votes)
    if 2 * ayes == len(votes):
        return votes[0], Remark("the frames are divided {ayes} to {ayes}; the first decides", {"ayes": ayes})
    return 2 * ayes > len(votes), ""
