"""Failure reasons grouped by kind and message, with counts: why samples have no answer, in a few lines.

What servers say is other people's text: terminal escapes and control characters are taken out, and it is cut.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from sightline.core.remarks import Explanation, Remark, as_remark, format_remark
from sightline.i18n import tr
from sightline.i18n.printable import printable

MOST_GROUPS = 5
"""Groups that a report names; the others are counted together."""
_MOST_KEPT = 1000
"""Maximum number of groups that are distinguished while grading."""
_LONGEST = 200
"""Characters of a message in a report."""
_VARIABLE = re.compile(r"(?<!\S)(?<!HTTP )\S*[\d/\\]\S*")
"""A word with a digit or a slash, such as a number, an id or a path; an HTTP status is kept."""
_QUOTED = re.compile(r"(?<!\w)(?:'[^']*'|\"[^\"]*\"|`[^`]*`|“[^”]*”)")


class FailureGroup(Struct, frozen=True, kw_only=True):
    """Samples that failed for the same reason."""

    kind: str
    """The kind of error, such as `timeout` or `rejected`."""
    message: Explanation
    """The message of the first of them."""
    count: int

    @property
    def reason(self) -> str:
        """Kind and message, in the language in force."""
        message = format_remark(self.message)
        return clean_text(f"{self.kind}: {message}" if message else self.kind, 2 * _LONGEST)


class FailureCounter:
    """Counts failed samples by reason; messages that differ in numbers, ids, paths or quoted words are one reason."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, str], FailureGroup] = {}
        self.total = 0

    def add(self, reason: Explanation) -> None:
        """Count a failed sample by its reason: `failure_message`, or a text `KIND: MESSAGE`."""
        self.total += 1
        if isinstance(reason, Remark) and reason.args.keys() == {"kind", "message"}:
            kind, message = str(reason.args["kind"]), reason.args["message"]
        else:
            kind, _, message = str(reason).partition(": ")
        kind, text = clean_text(kind), str(message)
        text = clean_text(text.splitlines()[0] if text else "")
        message = _clean_remark(message) if isinstance(message, Remark) else text
        key = kind, _VARIABLE.sub("#", _QUOTED.sub("#", text)).casefold()
        known = self._groups.get(key)
        if known is not None:
            self._groups[key] = replace(known, count=known.count + 1)
        elif len(self._groups) < _MOST_KEPT:
            self._groups[key] = FailureGroup(kind=kind, message=message, count=1)

    def groups(self) -> list[FailureGroup]:
        """The largest groups, the largest first; of equal ones that which came first."""
        return sorted(self._groups.values(), key=lambda group: -group.count)[:MOST_GROUPS]

    def notes(self) -> list[Remark]:
        """A sentence for each of the largest groups, and one for the others together."""
        found = [Remark("{count} samples failed: {kind}: {why}", _remark_args(group)) for group in self.groups()]
        if others := self.total - sum(one.count for one in self.groups()):
            found.append(Remark("{count} samples failed for other reasons; error_log.txt has them.", {"count": others}))
        return found


def after_feedback_notes(failures: FailureCounter) -> list[Remark]:
    """A sentence for each of the largest groups of failures in attempts after feedback."""
    text = "{count} samples failed after feedback: {kind}: {why}"
    return [Remark(text, _remark_args(group)) for group in failures.groups()]


def _remark_args(group: FailureGroup) -> dict[str, Any]:
    return {"count": group.count, "kind": group.kind, "why": as_remark(group.message)}


def _clean_remark(remark: Remark) -> Remark:
    args = {name: clean_text(arg) if isinstance(arg, str) else arg for name, arg in remark.args.items()}
    return Remark(clean_text(remark.text), args)


def failure_line(groups: Sequence[FailureGroup], failed: int) -> str:
    """All failures of a run in one line: `42 samples failed: 30 × overloaded: HTTP 503; 12 × timeout: …`."""
    reasons = [f"{group.count:,} × {group.reason}" for group in groups]
    if others := failed - sum(group.count for group in groups):
        reasons.append(tr("{count} for other reasons", count=f"{others:,}"))
    return tr("{count} samples failed: {reasons}", count=f"{failed:,}", reasons="; ".join(reasons))


def clean_text(text: str, longest: int = _LONGEST) -> str:
    """Text of unknown origin in one short line: no terminal escapes, nothing invisible or that turns its order."""
    return printable(text, longest)
