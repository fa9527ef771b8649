"""True/false scorer with majority vote over frames; records what the suite's metrics need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sightline.core.records import Grade, Parsed, Sample, State, Unparsed
from sightline.suites.simulation.questions import logical_pair


def grade_sample(sample: Sample, read: Sequence[Parsed | Unparsed]) -> Grade:
    """Compare the majority of the parsed replies, one per turn, with the key."""
    votes = [found for found in read if isinstance(found, Parsed)]
    predicted, note = _majority([bool(vote.value) for vote in votes])
    values: dict[str, Any] = {"predicted": predicted, "target": sample.target}
    if votes:
        values["rule"] = next(vote.rule for vote in votes if vote.value is predicted)
    if len(read) > 1:
        values["votes"] = [found.value if isinstance(found, Parsed) else None for found in read]
    if pair := logical_pair(sample.task, sample.question):
        values["pair"], values["side"] = f"{sample.tags['modality']}/{sample.cluster}/{pair[0]}", pair[1]
    state: State = "unparsed" if predicted is None else "ok"
    if predicted is None:
        note = next(found.reason for found in read if not isinstance(found, Parsed))
    return Grade(
        sample=sample.id,
        task=sample.task,
        state=state,
        score=float(predicted is sample.target),
        values=values,
        tags=sample.tags,
        cluster=sample.cluster,
        weight=sample.weight,
        note=note,
    )


def _majority(votes: list[bool]) -> tuple[bool | None, str]:
    """Return the majority answer; a tie goes to the first vote."""
    if not votes:
        return None, ""
    ayes = sum(votes)
    if 2 * ayes == len(votes):
        return votes[0], f"the frames are divided {ayes} to {ayes}; the first decides"
    return 2 * ayes > len(votes), ""
