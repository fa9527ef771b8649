"""Success rate of multi-turn tasks: whether the goal was reached."""

from __future__ import annotations

from typing import ClassVar

from sightline.scoring.scorers import Asked, Mark
from sightline.scoring.scorers.examples import Examples
from sightline.scoring.scorers.numbers import NoNumber, as_number
from sightline.scoring.scorers.reply_text import invalid

GOAL_UNKNOWN = "whether the goal was reached is not known"


class Success:
    """1 if the goal was reached, else 0.

    The suite says so in the facts: `reached`, and where it counts them `turns` and `best_turns`; from these comes
    `efficiency`, the best number of turns over the number that was needed. Target and reply are not looked at.
    """

    title: ClassVar[str] = "Success"
    accepts: ClassVar[Examples] = ((Asked(target=None, facts={"reached": True, "turns": 4, "best_turns": 3}), "up"),)
    refuses: ClassVar[Examples] = ((Asked(target=None, facts={"reached": False, "turns": 9, "best_turns": 3}), "up"),)

    def mark(self, reply: str, asked: Asked) -> Mark:
        """Score a reply by the outcome that the suite reports in the facts."""
        reached = asked.facts.get("reached")
        if not isinstance(reached, bool):
            return invalid(GOAL_UNKNOWN)
        turns, best = as_number(asked.facts.get("turns")), as_number(asked.facts.get("best_turns"))
        values: dict[str, float] = {}
        if not isinstance(turns, NoNumber):
            values["turns"] = turns.value
            if not isinstance(best, NoNumber) and turns.value >= best.value > 0:
                values["efficiency"] = best.value / turns.value if reached else 0.0
        return Mark(score=float(reached), values=values)
