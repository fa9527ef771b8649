"""A comparison of runs as tables, Markdown and one page; names from outside can do no harm in any of them."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from sightline.i18n import tr
from sightline.reports.figures import count, figure
from sightline.reports.html import html_list, html_table
from sightline.reports.markdown import markdown_safe, table_text
from sightline.reports.page.bilingual import both
from sightline.reports.page.layout import one_page
from sightline.reports.tables import Table
from sightline.runs.comparison.records import (
    ComparedRun,
    Comparison,
    Difference,
    Flip,
    PairwiseComparison,
    Slice,
    tag_name,
)

FEW = 12
"""Lines of a breakdown that a terminal shows."""


def comparison_tables(comparison: Comparison, most: int | None = None) -> list[Table]:
    """Runs, differences, who is right where, breakdowns (at most so many lines each), samples that changed."""
    made = [_runs(comparison), _overall(comparison), _agreement(comparison)]
    for versus in comparison.versus:
        for scope in dict.fromkeys(part.scope for part in versus.slices):
            made.append(_breakdown(versus, scope, most))
        made += _flips(versus)
    return made


def comparison_notes(comparison: Comparison) -> list[str]:
    """All that a reader must know beside the figures."""
    told = [tr("Compared all the same: {what}", what=remark) for remark in comparison.differences]
    told += map(str, comparison.notes)
    for versus in comparison.versus:
        told += [f"{_pair(versus)}: {line}" for line in _pairing(versus)]
    return [clean(line) for line in told]


def clean(text: str) -> str:
    """Without control characters and signs that turn the direction of writing."""
    return "".join(sign if sign.isprintable() else "·" for sign in text)


def points(value: float | None) -> str:
    """A difference of shares in percentage points, with its sign."""
    if value is None:
        return "–"
    shown = f"{100 * value:+.2f}"
    return "0.00" if shown in ("+0.00", "-0.00") else shown


def chance(p: float | None) -> str:
    """A p-value."""
    if p is None:
        return "–"
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def _pair(versus: PairwiseComparison) -> str:
    return f"{versus.second} − {versus.first}"


def _runs(comparison: Comparison) -> Table:
    head = ["", tr("Model"), tr("Setting"), tr("Samples"), tr("Coverage"), tr("Tokens in"), tr("Tokens out")]
    return Table(
        title=tr("Runs"),
        head=[*head, tr("Cost"), tr("Inference time")],
        rows=[_run(side) for side in comparison.sides],
        note=" · ".join(clean(f"{side.letter}: {side.folder}") for side in comparison.sides),
        texts=3,
    )


def _run(side: ComparedRun) -> list[str]:
    usage = side.usage
    setting = "; ".join(map(str, side.deviations)) or tr("standard")
    cells = [
        side.letter,
        f"{side.model} ({side.params})" if side.params else side.model,
        setting if side.complete else f"{setting}; {tr('incomplete')}",
        count(side.samples),
        figure(side.coverage),
        count(usage.tokens_in),
        count(usage.tokens_out),
        f"{usage.cost:.2f}" if usage.cost else "–",
        f"{side.seconds_asking:,.1f} s" if side.seconds_asking else "–",
    ]
    return [clean(cell) for cell in cells]


def _overall(comparison: Comparison) -> Table:
    several = len(comparison.versus) > 1
    head = ["", tr("Measure"), tr("First"), tr("Second"), tr("Difference (points)"), tr("95 % interval"), "p"]
    rows = []
    for versus in comparison.versus:
        shown = [versus.main] if versus.accuracy.value == versus.mean_score.value else [versus.main, _other(versus)]
        rows += [[_pair(versus), *_overall_cells(one, several)] for one in shown]
    return Table(
        title=tr("Difference"),
        head=[*head, *([tr("p, Holm")] if several else []), tr("Least detectable"), tr("Pairs")],
        rows=rows,
        note=_method(comparison.versus[0].main),
        texts=2,
    )


def _other(versus: PairwiseComparison) -> Difference:
    return versus.mean_score if versus.measure == "accuracy" else versus.accuracy


def _overall_cells(one: Difference, several: bool) -> list[str]:
    return [
        tr("Accuracy") if one.measure == "accuracy" else tr("Mean score"),
        figure(one.first),
        figure(one.second),
        points(one.value),
        _interval(one),
        chance(one.p),
        *([chance(one.p_holm)] if several else []),
        "–" if one.least is None else f"{100 * one.least:.2f}",
        count(one.n),
    ]


def _interval(one: Difference) -> str:
    return "–" if one.low is None or one.high is None else f"{points(one.low)} … {points(one.high)}"


def _method(one: Difference) -> str:
    power = tr("Least detectable: the difference that such samples would show with 80 % power, in points.")
    clusters = count(one.clusters)
    if not one.method:
        return tr("One cluster of samples: there is no interval.")
    if one.method == "tango":
        return tr("Interval: Tango's score interval; p: McNemar, exact.") + " " + power
    if one.method == "tango over clusters":
        told = tr("Interval and p: Tango's score test over {clusters} clusters of samples.", clusters=clusters)
    elif one.method == "wilson over clusters":
        told = tr("All {clusters} clusters differ by the same. Interval: Wilson's; p: McNemar's.", clusters=clusters)
    else:
        told = tr("Interval and p: Student's t over {clusters} clusters of samples.", clusters=clusters)
    return f"{told} {power}"


def _agreement(comparison: Comparison) -> Table:
    return Table(
        title=tr("Who is right where"),
        head=["", tr("Both right"), tr("Only the first"), tr("Only the second"), tr("Neither")],
        rows=[
            [_pair(one), *map(count, (one.both_right, one.first_only, one.second_only, one.both_wrong))]
            for one in comparison.versus
        ],
    )


def _breakdown(versus: PairwiseComparison, scope: str, most: int | None) -> Table:
    """The surest differences first."""
    parts = sorted((part for part in versus.slices if part.scope == scope), key=_surest)
    left = 0 if most is None else max(0, len(parts) - most)
    named = clean(tag_name(scope))
    return Table(
        title=f"{_pair(versus)}: " + tr("By {scope}", scope=named),
        head=[
            *(named, tr("Pairs"), tr("First"), tr("Second"), tr("Difference (points)"), tr("95 % interval")),
            *("p", tr("p, Holm"), tr("p, BH"), tr("Only the first"), tr("Only the second")),
        ],
        rows=[_slice(part) for part in (parts if most is None else parts[:most])],
        note=tr("{count} more rows: write all with --out DIR.", count=count(left)) if left else "",
    )


def _surest(part: Slice) -> tuple[float, float, str]:
    one = part.difference
    return (2.0 if one.p is None else one.p), -abs(one.value or 0.0), part.name


def _slice(part: Slice) -> list[str]:
    one = part.difference
    return [
        *(clean(part.name), count(one.n), figure(one.first), figure(one.second), points(one.value), _interval(one)),
        *(chance(one.p), chance(one.p_holm), chance(one.p_bh), count(part.first_only), count(part.second_only)),
    ]


def _flips(versus: PairwiseComparison) -> Iterator[Table]:
    """What only the first got right, then what only the second did."""
    lost, won = ([one for one in versus.flips if (one.first >= 1) is first] for first in (True, False))
    for shown, total, whose in (
        (lost, versus.first_only, tr("Only the first")),
        (won, versus.second_only, tr("Only the second")),
    ):
        left = total - len(shown)
        if shown:
            yield Table(
                title=f"{_pair(versus)}: {tr('Samples that changed')} ({whose})",
                head=[tr("Sample"), tr("task"), tr("First"), tr("Second"), tr("Source")],
                rows=[_flip(one) for one in shown],
                note=tr("{count} more: flips.csv has all of them, with --out DIR.", count=count(left)) if left else "",
                texts=2,
            )


def _flip(one: Flip) -> list[str]:
    return [clean(one.sample), clean(one.task), f"{one.first:.2f}", f"{one.second:.2f}", clean(one.source)]


def _pairing(versus: PairwiseComparison) -> Iterator[str]:
    found = versus.pairing
    yield tr("{count} samples are paired.", count=count(found.pairs))
    if found.only_first or found.only_second:
        facts = {"first": count(found.only_first), "second": count(found.only_second)}
        yield tr("Left out, since one run alone has them: {first} of the first, {second} of the second.", **facts)
    if found.unanswered_first or found.unanswered_second or found.unanswered_both:
        facts = {
            "first": count(found.unanswered_first),
            "second": count(found.unanswered_second),
            "both": count(found.unanswered_both),
        }
        yield tr(
            "Left out, since they failed or are invalid: {first} in the first, {second} in the second, {both} in both.",
            **facts,
        )
    if found.repeated:
        yield tr("Some sample ids are used more than once: paired by their place in the data set too.")
    if versus.crowded:
        yield tr("Too many values to break down by: {tags}", tags=", ".join(map(tag_name, versus.crowded)))


def comparison_markdown(comparison: Comparison) -> str:
    """The whole comparison."""
    parts = [f"# {tr('Comparison')}", *map(table_text, comparison_tables(comparison))]
    parts.append(
        f"## {tr('Notes')}\n\n" + "\n".join(f"- {markdown_safe(line)}" for line in comparison_notes(comparison))
    )
    return "\n\n".join(parts) + "\n"


def comparison_html(comparison: Comparison) -> str:
    """The whole comparison as one page in both languages."""
    names = " · ".join(clean(f"{side.letter}: {side.model}") for side in comparison.sides)
    return one_page(names, [both(lambda: _body(comparison, names))])


def _body(comparison: Comparison, names: str) -> str:
    told = [f"<h1>{escape(tr('Comparison'))}</h1>", f'<p class="sub">{escape(names)}</p>']
    told += [html_table(table) for table in comparison_tables(comparison)]
    return "".join([*told, html_list(tr("Notes"), comparison_notes(comparison))])
