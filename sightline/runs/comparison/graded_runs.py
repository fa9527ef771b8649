"""Graded runs, and their comparability: what must be equal so that a score difference is due to the models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from sightline.core.remarks import Remark
from sightline.runs.folder import RunFolder
from sightline.runs.manifest import Manifest
from sightline.scoring.summary import Summary, load_summary


class GradedRun(Struct, frozen=True):
    """A graded run: folder, manifest and summary."""

    folder: RunFolder
    manifest: Manifest
    summary: Summary

    @property
    def complete(self) -> bool:
        """Whether every valid sample has an answer."""
        return self.manifest.state == "finished" and self.summary.complete


def load_graded_run(path: Path) -> GradedRun:
    """Load a graded run from its folder."""
    folder = RunFolder(path)
    return GradedRun(folder, folder.load_manifest(), load_summary(folder.report_json))


SELECTION_SETTINGS = ("limit", "limit_per_task", "filter", "sample", "task", "pattern")
"""Settings that select the samples of a run."""
SAMPLING_SETTINGS = ("stratify", "seed")
"""Settings that select samples if `sample` is set."""
SCORING_SETTINGS = ("coords", "truth_coords", "field_mapping", "label_mapping", "task_config", "defaults", "recursive")
"""Settings of file scoring that affect scores."""


def comparability_key(manifest: Manifest) -> dict[str, Any]:
    """Return everything that must be equal between comparable runs, by name; default values are omitted."""
    config = manifest.config
    selection = SELECTION_SETTINGS + (SAMPLING_SETTINGS if config.get("sample") else ())
    key = {
        "suite": manifest.suite,
        "version": manifest.suite_version,
        "data": manifest.grading_fingerprint[1],
        **{f"option {name}": value for name, value in manifest.options.items()},
        **{f"selection {name}": config.get(name) for name in selection},
        **{f"scoring {name}": config.get(name) for name in SCORING_SETTINGS},
    }
    return {name: value for name, value in key.items() if value not in (None, "", False, [], {})}


def find_differences(first: Manifest, second: Manifest) -> Iterator[Remark]:
    """Yield a remark for each difference that makes two runs incomparable."""
    first_key, second_key = comparability_key(first), comparability_key(second)
    if first.suite != second.suite:  # all else differs with it
        yield _describe_difference("suite", first.suite, second.suite)
        return
    for name in dict.fromkeys([*first_key, *second_key]):
        if name == "data" and first.grading_fingerprint[0] != second.grading_fingerprint[0]:
            yield Remark(
                "data set: fingerprints by different algorithms cannot be compared (sightline regrade RUN updates it)"
            )
        elif first_key.get(name) != second_key.get(name):
            yield _describe_difference(name, format_setting(first_key.get(name)), format_setting(second_key.get(name)))


_DIFFERENCES = {
    "suite": Remark("suite: {first} and {second} (different questions)"),
    "version": Remark("suite version: {first} and {second} (scoring may have changed)"),
    "data": Remark("data set: {first}… and {second}… (different files)"),
    "option": Remark("option {name}: {first} and {second} (different prompts or scoring)"),
    "selection": Remark("selection by {name}: {first} and {second} (different samples)"),
    "scoring": Remark("{name}: {first} and {second} (different parsing or scoring)"),
}


def _describe_difference(name: str, first: str, second: str) -> Remark:
    kind, _, setting = name.partition(" ")
    if kind == "data":
        return Remark(_DIFFERENCES[kind].text, {"first": first[:12], "second": second[:12]})
    return Remark(_DIFFERENCES[kind].text, {"first": first, "second": second, "name": setting})


def format_setting(value: Any) -> str:
    """The value of a setting as text; a dash for None."""
    if value is None:
        return "–"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
