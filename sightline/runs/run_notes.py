"""Remarks on a run for its report: truncated replies, and changes to images before they were sent."""

from __future__ import annotations

from collections import Counter

from sightline.core.records import Attempt
from sightline.core.remarks import Remark
from sightline.inference.journal import JournalCounts
from sightline.runs.manifest import Manifest

MAX_TRUNCATED_SHARE = 0.02
"""Share of truncated replies above which the report warns."""


def describe_truncation(counts: JournalCounts, manifest: Manifest) -> list[Remark]:
    """A warning where many replies ended at the limit of their length, and what to set."""
    if counts.truncated <= MAX_TRUNCATED_SHARE * counts.answers:
        return []
    limit = manifest.config.get("max_tokens")
    args = {"count": counts.truncated, "total": counts.answers, "limit": limit, "wanted": 2 * (limit or 0)}
    if not limit:
        return [Remark("{count} of {total} replies were truncated by the server; set a longer limit there.", args)]
    if counts.tokens_reasoning:
        return [
            Remark(
                "{count} of {total} replies were truncated at {limit} tokens, which include the thinking; raise "
                "--max-tokens (such as --max-tokens {wanted}), or limit the thinking with -M thinking_budget=N.",
                args,
            )
        ]
    return [
        Remark(
            "{count} of {total} replies were truncated at {limit} tokens; raise the limit, such as "
            "--max-tokens {wanted}.",
            args,
        )
    ]


def image_changes_of(attempt: Attempt) -> set[str]:
    """What was done to the images of a sample before they were sent."""
    changes: set[str] = set()
    for answer in attempt.answers:
        for picture in answer.pictures:
            changes.update(picture.changes)
            if picture.sent is not None:
                changes.add("resized")
    return changes


_IMAGE_CHANGES = {
    "resized": Remark("images of {count} samples were resized before they were sent"),
    "converted": Remark("images of {count} samples were converted to another format before they were sent"),
    "rgb": Remark("images of {count} samples were converted from CMYK or another colour space to RGB"),
    "stretched": Remark(
        "images of {count} samples have more than 8 bits per band: each band was scaled from its 2nd to its 98th "
        "percentile to 8 bits"
    ),
    "high_byte": Remark("images of {count} samples have 16 bits per band, of which the upper 8 were sent"),
    "first_bands": Remark(
        "images of {count} samples have other bands than grey or RGB: the first three were sent as red, green and "
        "blue, of two bands the first"
    ),
    "flattened": Remark("images of {count} samples are partly transparent and were sent on white"),
    "upright": Remark("images of {count} samples were turned upright by their EXIF orientation"),
    "first_frame": Remark("images of {count} samples have several frames or pages, of which the first was sent"),
}


def describe_image_changes(counts: Counter[str]) -> list[Remark]:
    """Remarks on the changes, each with the number of samples."""
    return [
        Remark(remark.text, {"count": counts[change]}) for change, remark in _IMAGE_CHANGES.items() if counts[change]
    ]
