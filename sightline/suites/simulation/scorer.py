"""True/false scorer with majority vote over frames, logical pairs of questions, and questions about physical laws.

Questions are known by what they say, not by their ids, so that other data sets with the same questions have pairs too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from msgspec import Struct

from sightline.core.records import Parsed, Sample, Score, Unparsed
from sightline.core.remarks import Explanation, Remark

DOMAINS = ("structural", "fluid")


class LogicalPair(Struct, frozen=True):
    """Two questions on the same simulation whose answers should be opposite."""

    name: str
    domain: str
    first: str
    second: str


PAIRS = (
    LogicalPair("elastic or plastic", "structural", r"primarily elastic", r"any plastic deformation"),
    LogicalPair(
        "over the limit or safe", "structural", r"stress concentrations exceed", r"factor of safety greater than 1"
    ),
    LogicalPair(
        "thermal or von Mises", "structural", r"thermal stresses negligible", r"von mises stress the appropriate"
    ),
    LogicalPair("laminar or turbulent", "fluid", r"regime laminar", r"regime turbulent"),
    LogicalPair("buoyancy or convection", "fluid", r"buoyancy negligible", r"natural convection significant"),
    LogicalPair("developed or separated", "fluid", r"fully developed|stay attached", r"evidence of (flow )?separation"),
)
_LAWS = {
    "force balance": r"reaction forces balance",
    "mass conservation": r"mass conservation",
    "boundary conditions": r"boundary conditions (are )?(properly )?enforced",
    "convergence": r"converge",
}


@cache
def physical_law(question: str) -> str:
    """Return the physical law that a question is about, or an empty string."""
    return next((name for name, words in _LAWS.items() if re.search(words, question, re.IGNORECASE)), "")


@cache
def logical_pair(domain: str, question: str) -> tuple[str, int] | None:
    """Return the pair that a question belongs to and its side (0 or 1)."""
    for pair in PAIRS:
        if pair.domain == domain:
            for side, words in enumerate((pair.first, pair.second)):
                if re.search(words, question, re.IGNORECASE):
                    return pair.name, side
    return None


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
