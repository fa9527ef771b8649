"""Relations between questions: logical pairs with opposite answers, and questions about physical laws.

Questions are known by what they say, not by their ids, so that other data sets with the same questions have pairs too.
"""

from __future__ import annotations

import re
from functools import cache

from msgspec import Struct

DOMAINS = ("structural", "fluid")


class LogicalPair(Struct, frozen=True):
    """Two questions on the same simulation whose answers should be opposite."""

    name: str
    domain: str
    one: str
    other: str


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
            for side, words in enumerate((pair.one, pair.other)):
                if re.search(words, question, re.IGNORECASE):
                    return pair.name, side
    return None
