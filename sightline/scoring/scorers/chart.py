"""F1 of the data table extracted from a chart."""

from __future__ import annotations

from typing import ClassVar

from sightline.core.records import Score
from sightline.scoring.parsers.thinking import without_thinking
from sightline.scoring.scorers import Examples, Question
from sightline.scoring.scorers.labels import f1
from sightline.scoring.scorers.reply_text import EMPTY_REPLY, invalid, unparsed
from sightline.scoring.scorers.tables import Table, read_tables, table_from_json
from sightline.scoring.scorers.tolerances import BAD_TOLERANCE, Tolerance, read_tolerance

INVALID_TARGET_TABLE = "the truth is no table of values"
NO_TABLE = "the reply holds no table"

_SALES = {"Sales": {"2020": 10, "2021": 20}, "Costs": {"2020": 5, "2021": 8}}


class ChartF1:
    """F1 of the values of a table, matched by the folded names of series and label.

    The target is {"series": {"label": value}}, or {"label": value} for one series, whose name then does not matter.
    Numbers are met within `tolerance` (0.05 of the target unless told) or `absolute`, other values as folded text. The
    reply is JSON of the same form, or a Markdown or CSV table whose series are its columns or its rows.
    """

    title: ClassVar[str] = "Chart F1"
    accepts: ClassVar[Examples] = (
        (_SALES, '{"Sales": {"2020": 10, "2021": 20.5}, "costs": {"2020": 5, "2021": 8}}'),
        (_SALES, "| Year | Sales | Costs |\n|---|---|---|\n| 2020 | 10 | 5 |\n| 2021 | 20 | 8 |"),
        ({"Sales": {"2020": 10, "2021": 20}}, "year,value\n2020,10\n2021,20"),
    )
    refuses: ClassVar[Examples] = (
        (_SALES, '{"Sales": {"2020": 10, "2021": 20}}'),
        (_SALES, "| Year | Sales | Costs |\n|---|---|---|\n| 2020 | 5 | 10 |\n| 2021 | 20 | 8 |"),
        ({"Sales": {"2020": 10}}, '{"2020": 12}'),
    )

    def score(self, reply: str, question: Question) -> Score:
        """Score a reply against the target of the question."""
        target, allowed = table_from_json(question.target), read_tolerance(question.metadata)
        if not target:
            return invalid(INVALID_TARGET_TABLE)
        if allowed is None:
            return invalid(BAD_TOLERANCE)
        text = without_thinking(reply).strip()
        if not text:
            return unparsed(EMPTY_REPLY)
        scores = [_score_table(table, target, allowed) for table in read_tables(text)]
        return max(scores, key=lambda score: score.value) if scores else unparsed(NO_TABLE)


def _score_table(table: Table, target: Table, allowed: Tolerance) -> Score:
    if len({series for series, _ in target}) == len({series for series, _ in table}) == 1:
        target, table = ({("", label): cell for (_, label), cell in table.items()} for table in (target, table))
    correct = sum(key in table and allowed.matches(table[key], cell) for key, cell in target.items())
    return Score(
        value=f1(correct, len(table), len(target)),
        details={"precision": correct / len(table), "recall": correct / len(target)},
    )
