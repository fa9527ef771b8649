"""The head of a run's report: what it came to, how sure that is, and what stands beside it."""

from __future__ import annotations

from sightline.i18n import tr
from sightline.reports.figures import figure, interval
from sightline.reports.html import safe
from sightline.reports.page.bilingual import both, phrase
from sightline.reports.tables import headline
from sightline.runs.manifest import Manifest
from sightline.scoring.summary import Summary

_STATES = ("answered", "unparsed", "empty", "truncated", "refused", "failed", "invalid")


def run_head(summary: Summary, manifest: Manifest, level: int, mark: str = "") -> str:
    """Names, badges and the headline; `mark` is the letter by which a comparison calls the run."""
    title = f"{mark}: {summary.model}" if mark else summary.model
    badges = "".join(f'<span class="badge {kind}">{text}</span>' for kind, text in _badges(summary, manifest))
    return (
        f"<h{level}>{safe(title)}</h{level}>"
        + both(lambda: f'<p class="sub">{safe(_subtitle(summary, manifest))}</p>')
        + f'<p class="badges">{badges}</p>'
        + both(lambda: _headline(summary))
    )


def _subtitle(summary: Summary, manifest: Manifest) -> str:
    suite = f"{summary.suite} {manifest.suite_version}: {tr(summary.title)}"
    return " · ".join(filter(None, (summary.params, suite, manifest.started)))


def _badges(summary: Summary, manifest: Manifest) -> list[tuple[str, str]]:
    count = len(summary.deviations)
    told = [
        ("", phrase(lambda: tr("{count} deviations from the standard protocol", count=count)))
        if count
        else ("good", phrase(lambda: tr("standard protocol")))
    ]
    if manifest.state == "running":
        told.append(("bad", phrase(lambda: tr("still going on when it was graded"))))
    if not summary.complete:
        told.append(("bad", phrase(lambda: tr("incomplete"))))
    return told


def _headline(summary: Summary) -> str:
    """The same words as everywhere; the main figure is large, with its interval drawn."""
    lines = headline(summary)[2:]
    cells = ""
    if (head := summary.head) is not None:
        name, lines = lines[0][0], lines[1:]
        told = interval(head.estimate, head.unit)
        beside = "" if told == "–" else f"<small>95 %: {safe(told)}</small>"
        cells = (
            f'<div class="main"><dt>{safe(name)}</dt><dd><b>{safe(figure(head.estimate.value, head.unit))}</b>{beside}'
            f"{_gauge(summary)}</dd></div>"
        )
    cells += "".join(
        f"<div><dt>{safe(name)}</dt><dd>{safe(value)}{_states(summary) if name == tr('Coverage') else ''}</dd></div>"
        for name, value in lines
    )
    return f'<dl class="score">{cells}</dl>'


def _gauge(summary: Summary) -> str:
    """Value, interval and best control on a line from 0 to 100 %."""
    head = summary.head
    if head is None or head.estimate.value is None or head.unit == "number" or not 0 <= head.estimate.value <= 1:
        return ""
    value, low, high = head.estimate.value, head.estimate.low, head.estimate.high
    parts = f'<rect x="0" y="7" width="{300 * value:.1f}" height="8" rx="3" fill="var(--bar)"/>'
    if low is not None and high is not None:
        ends = max(0.0, low) * 300, min(1.0, high) * 300
        parts += f'<line x1="{ends[0]:.1f}" x2="{ends[1]:.1f}" y1="11" y2="11" stroke="var(--ink)" stroke-width="2"/>'
    if (best := summary.best_baseline) is not None:
        at = 300 * min(1.0, max(0.0, best.value))
        parts += f'<line x1="{at:.1f}" x2="{at:.1f}" y1="2" y2="20" stroke="var(--mark)" stroke-width="3"/>'
    back = '<rect x="0" y="7" width="300" height="8" rx="3" fill="var(--line)"/>'
    return f'<svg class="gauge" viewBox="0 0 300 22" preserveAspectRatio="none" aria-hidden="true">{back}{parts}</svg>'


def _states(summary: Summary) -> str:
    """How the samples ended, as one divided bar; the words beside it say the same."""
    counts = {state: summary.statuses.get(state, 0) for state in _STATES} | {"pending": summary.pending}
    total, at, parts = sum(counts.values()), 0.0, ""
    for state, count in counts.items():
        if count:
            width = 300 * count / total
            parts += f'<rect x="{at:.1f}" y="0" width="{width:.1f}" height="8" fill="var(--{state})"/>'
            at += width
    if not parts:
        return ""
    return f'<svg class="states" viewBox="0 0 300 8" preserveAspectRatio="none" aria-hidden="true">{parts}</svg>'
