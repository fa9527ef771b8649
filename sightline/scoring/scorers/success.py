"""Success rate of multi-turn tasks: whether the goal was reached."""

from __future__ import annotations

from typing import ClassVar

from sightline.core.records import Score
from sightline.scoring.scorers import Examples, Question
from sightline.scoring.scorers.numbers import NoNumber, as_number
from sightline.scoring.scorers.reply_text import invalid

GOAL_UNKNOWN = "whether the goal was reached is not known"


class Success:
    """1 if the goal was reached, else 0.

    The suite says so in the facts: `reached`, and where it counts them `turns` and `best_turns`; from these comes
    `efficiency`, the best number of turns over the number that was needed. Target and reply are not looked at.
    """

    title: ClassVar[str] = "Success"
    accepts: ClassVar[Examples] = (
        (Question(target=None, metadata={"reached": True, "turns": 4, "best_turns": 3}), "up"),
    )
    refuses: ClassVar[Examples] = (
        (Question(target=None, metadata={"reached": False, "turns": 9, "best_turns": 3}), "up"),
    )

    def score(self, reply: str, question: Question) -> Score:
        """Score a reply by the outcome that the suite reports in the facts."""
        reached = question.metadata.get("reached")
        if not isinstance(reached, bool):
            return invalid(GOAL_UNKNOWN)
        turns, best = as_number(question.metadata.get("turns")), as_number(question.metadata.get("best_turns"))
        values: dict[str, float] = {}
        if not isinstance(turns, NoNumber):
            values["turns"] = turns.value
            if not isinstance(best, NoNumber) and turns.value >= best.value > 0:
                values["efficiency"] = best.value / turns.value if reached else 0.0
        return Score(value=float(reached), details=values)
