"""Number formatting: values, intervals, skill and counts, written the same way in every report."""

from __future__ import annotations

from math import floor, log10

from sightline.core.records import Estimate, Unit
from sightline.i18n import language, tr
from sightline.scoring.summary import Row


def format_value(value: float | None, unit: Unit = "share") -> str:
    """`52.92 %`, `0.41`, or "no data"."""
    if value is None:
        return tr("no data")
    return f"{value:,.2f}" if unit == "number" else f"{100 * value:.2f} %"


def format_interval(estimate: Estimate, unit: Unit = "share") -> str:
    """`46.31 – 59.52`, in the unit of the figure; a dash where there is none."""
    if estimate.low is None or estimate.high is None:
        return "–"
    if unit == "number":
        return f"{estimate.low:,.2f} – {estimate.high:,.2f}"
    return f"{100 * estimate.low:.2f} – {100 * estimate.high:.2f}"


def row_name(row: Row) -> str:
    """Display name of a row."""
    if row.english and language() == "en":
        return row.english
    if row.scope == "cell":  # "perception L1"
        what, _, level = row.name.rpartition(" ")
        return f"{tr(what)} {level}".strip()
    return tr(row.name) if row.scope in ("level", "dimension") else row.name


def format_skill(value: float | None) -> str:
    """Skill above the best blind baseline, with its sign."""
    if value is None:
        return "–"
    shown = f"{value:+.3f}"
    return "0.000" if shown in ("+0.000", "-0.000") else shown


def format_cost(cost: float) -> str:
    """`12.50`; less than a tenth with two significant digits, so that a cheap run does not look free."""
    return f"{cost:,.2f}" if cost >= 0.1 or cost <= 0 else f"{cost:.{1 - floor(log10(cost))}f}"


def format_count(number: int) -> str:
    """`1,234`."""
    return f"{number:,}"
