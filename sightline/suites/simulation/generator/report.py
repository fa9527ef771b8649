"""Solver reports as text: three layouts, and the table of the residual history."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sightline.suites.simulation.generator.case import Case, Residuals, Section
from sightline.suites.simulation.generator.rng import ParameterRng

_LINE = 78


def format_report(case: Case, draw: ParameterRng) -> str:
    """Format the report of a case in a random layout."""
    number = int(draw.between(1, 99))
    body = draw.pick((_boxed, _dotted, _piped))
    head = f"{case.title}\n{case.subtitle}\nRun {number:03d}"
    parts = [body(place, section) for place, section in enumerate(case.sections, 1)]
    return "\n\n".join([_LAYOUTS[body](head), *parts]) + "\n"


def _widths(section: Section) -> list[int]:
    rows = [row for row in (section.header, *section.rows) if row]
    return [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]


def _boxed(place: int, section: Section) -> str:
    """Numbered tables with rules of dashes."""
    widths = _widths(section)
    rule = "+" + "+".join("-" * (width + 2) for width in widths) + "+"

    def line(row: tuple[str, ...]) -> str:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        return "| " + " | ".join(cells) + " |"

    head = [line(section.header), rule] if section.header else []
    return "\n".join([f"TABLE {place}  {section.title}", rule, *head, *map(line, section.rows), rule])


def _dotted(place: int, section: Section) -> str:
    """Headings in capitals, leaders of dots between name and value."""
    lines = [f"{place}. {section.title.upper()}"]
    if section.header:
        lines.append("   columns: " + ", ".join(section.header))
    for name, *values in section.rows:
        value = "  ".join(value.rjust(12) for value in values) if len(values) > 1 else values[0]
        lines.append(f"   {name} {'.' * max(3, 44 - len(name))} {value}")
    return "\n".join(lines)


def _piped(place: int, section: Section) -> str:
    """Columns parted by bars, headings underlined."""
    widths = _widths(section)

    def line(row: tuple[str, ...]) -> str:
        return " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()

    head = [line(section.header), "-+-".join("-" * width for width in widths)] if section.header else []
    return "\n".join([section.title, "=" * len(section.title), *head, *map(line, section.rows)])


_LAYOUTS: dict[Callable[[int, Section], str], Callable[[str], str]] = {
    _boxed: lambda head: "\n".join(["#" * _LINE, *(f"#  {line}" for line in head.split("\n")), "#" * _LINE]),
    _dotted: lambda head: f"{'*' * _LINE}\n{head}\n{'*' * _LINE}",
    _piped: lambda head: f"{head}\n{'~' * _LINE}",
}


_ROWS = 9


def residual_section(residuals: Residuals) -> Section:
    """A few iterations from the first to the last, and the tolerance."""
    chosen = np.unique(np.linspace(0, residuals.iterations.size - 1, _ROWS).astype(int))
    return Section(
        title=f"Residual history (tolerance {residuals.tolerance:.0e})",
        header=("Iteration", *residuals.names),
        rows=tuple(
            (f"{residuals.iterations[k]:.0f}", *(f"{values[k]:.3e}" for values in residuals.history)) for k in chosen
        ),
    )
