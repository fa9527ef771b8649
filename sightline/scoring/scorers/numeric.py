"""Numeric accuracy within a relative or absolute tolerance."""

from __future__ import annotations

from typing import ClassVar

from sightline.core.records import Score
from sightline.scoring.scorers import Examples, Question
from sightline.scoring.scorers.numbers import NoNumber, as_number, read_number
from sightline.scoring.scorers.reply_text import EMPTY_REPLY, extract_answer, invalid, unparsed
from sightline.scoring.scorers.tolerances import BAD_TOLERANCE, read_tolerance

INVALID_TARGET_NUMBER = "the truth is no number"


class Numeric:
    """1 for a number within the tolerance, else 0.

    `tolerance` is a share of the target (0.05 unless told), `absolute` a difference that is always allowed; a target of
    0 is met by 0 alone unless `absolute` says more. The answer is the number after "Answer:", that of a last "= 12", or
    the only one of the reply; several different ones can't be marked. Units, currencies and thousands separators are
    passed over; fractions, powers of ten, million or 万, Chinese numerals are read, and 12 % meets both 12 and 0.12.
    """

    title: ClassVar[str] = "Number within tolerance"
    accepts: ClassVar[Examples] = (
        (12.5, "12.5 kN"),
        (1250, "The total is $1,250.00"),
        (0.75, "3/4"),
        (36, "共有三十六个"),
        (12, "3 × 4 = 12"),
        (3.2e5, "3.2 × 10^5 Pa"),
        (0.125, "12.5 %"),
        (Question(target=0, metadata={"absolute": 0.1}), "0.05"),
    )
    refuses: ClassVar[Examples] = ((12.5, "14"), (12, "3 or 12"), (0, "0.01"), (12, "-12"))

    def score(self, reply: str, question: Question) -> Score:
        """Score a reply against the target of the question."""
        target, allowed = as_number(question.target), read_tolerance(question.metadata)
        if isinstance(target, NoNumber):
            return invalid(INVALID_TARGET_NUMBER)
        if allowed is None:
            return invalid(BAD_TOLERANCE)
        if not extract_answer(reply):
            return unparsed(EMPTY_REPLY)
        number = read_number(reply)
        if isinstance(number, NoNumber):
            return unparsed(number.reason)
        return Score(value=float(allowed.allows(number, target)), details={"read": number.value})
