"""What two runs must share so that a difference between them is one between the models."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sightline.core.records import Remark
from sightline.runs.manifest import Manifest

SELECTING = ("limit", "limit_per_task", "filter", "sample", "task", "pattern")
"""Settings that decide which samples a run is about."""
DRAWING = ("stratify", "seed")
"""Settings that do so where a sample is drawn."""
SCORING = ("coords", "truth_coords", "field_mapping", "label_mapping", "task_config", "defaults", "recursive")
"""Settings of scoring files that decide what a reply is worth."""


def basis(manifest: Manifest) -> dict[str, Any]:
    """All that must be equal, by name; what was left alone is left out."""
    config = manifest.config
    selecting = SELECTING + (DRAWING if config.get("sample") else ())
    found = {
        "suite": manifest.suite,
        "version": manifest.suite_version,
        "data": manifest.grading_fingerprint[1],
        **{f"option {name}": value for name, value in manifest.options.items()},
        **{f"selection {name}": config.get(name) for name in selecting},
        **{f"scoring {name}": config.get(name) for name in SCORING},
    }
    return {name: value for name, value in found.items() if value not in (None, "", False, [], {})}


def differences(first: Manifest, second: Manifest) -> Iterator[Remark]:
    """Everything in which two runs differ that must be equal, and what it means."""
    ours, theirs = basis(first), basis(second)
    if first.suite != second.suite:  # all else differs with it
        yield _told("suite", first.suite, second.suite)
        return
    for name in dict.fromkeys([*ours, *theirs]):
        if name == "data" and first.grading_fingerprint[0] != second.grading_fingerprint[0]:
            yield Remark(
                "data set: fingerprints by different rules can't be compared (sightline regrade RUN makes a new one)"
            )
        elif ours.get(name) != theirs.get(name):
            yield _told(name, _shown(ours.get(name)), _shown(theirs.get(name)))


def _told(name: str, first: str, second: str) -> Remark:
    kind, _, setting = name.partition(" ")
    facts = {"first": first, "second": second, "name": setting}
    if kind == "suite":
        return Remark("suite: {first} and {second} (other questions altogether)", facts)
    if kind == "version":
        return Remark("version of the suite: {first} and {second} (the rules may have changed)", facts)
    if kind == "data":
        facts = {"first": first[:12], "second": second[:12]}
        return Remark("data set: {first}… and {second}… (the files are not the same)", facts)
    if kind == "option":
        return Remark("option {name}: {first} and {second} (asked or graded in another way)", facts)
    if kind == "selection":
        return Remark("selection by {name}: {first} and {second} (not the same samples)", facts)
    return Remark("{name}: {first} and {second} (replies are read or graded in another way)", facts)


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
