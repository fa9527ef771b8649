"""A chart read as a table of values."""

from __future__ import annotations

from typing import ClassVar

from sightline.scoring.parsers.thinking import without_thinking
from sightline.scoring.scorers import Asked, Mark
from sightline.scoring.scorers.examples import Examples
from sightline.scoring.scorers.labels import f1
from sightline.scoring.scorers.tables import Table, read_tables, table_of
from sightline.scoring.scorers.texts import EMPTY_REPLY, invalid, unparsed
from sightline.scoring.scorers.tolerances import BAD_TOLERANCE, Tolerance, tolerance

NO_TRUE_TABLE = "the truth is no table of values"
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

    def mark(self, reply: str, asked: Asked) -> Mark:
        """What the reply earns."""
        truth, allowed = table_of(asked.target), tolerance(asked.facts)
        if not truth:
            return invalid(NO_TRUE_TABLE)
        if allowed is None:
            return invalid(BAD_TOLERANCE)
        text = without_thinking(reply).strip()
        if not text:
            return unparsed(EMPTY_REPLY)
        marks = [_compared(table, truth, allowed) for table in read_tables(text)]
        return max(marks, key=lambda mark: mark.score) if marks else unparsed(NO_TABLE)


def _compared(found: Table, truth: Table, allowed: Tolerance) -> Mark:
    if len({series for series, _ in truth}) == len({series for series, _ in found}) == 1:
        truth, found = ({("", label): cell for (_, label), cell in table.items()} for table in (truth, found))
    right = sum(place in found and allowed.same(found[place], cell) for place, cell in truth.items())
    return Mark(
        score=f1(right, len(found), len(truth)),
        values={"precision": right / len(found), "recall": right / len(truth)},
    )
