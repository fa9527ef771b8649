"""Notes on reply formats: what is lost to format and what to content, and coordinate spaces that look wrong."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UnsetType

from sightline.core.remarks import Remark, join_remarks
from sightline.scoring.summary import Row, TaskFormat

BBOX_2D = "JSON with bbox_2d"


def format_notes(rows: Sequence[Row], formats: Sequence[TaskFormat]) -> list[Remark]:
    """What a reader of the report should know of how replies keep to the asked form."""
    notes = [note for note in (_loss_note(rows, formats),) if note is not None]
    names = {row.name: Remark(row.english or row.name) for row in rows if row.scope == "task"}
    for one in formats:
        name = names.get(one.task, Remark(one.task))
        if one.proposed_space:
            facts = {
                "task": name,
                "share": f"{100 * one.proposed_share:.0f}",
                "space": one.proposed_space,
                "declared": one.declared_space,
            }
            notes.append(
                Remark(
                    "{task}: {share} % of the replies fit the coordinate space {space}, but {declared} holds; "
                    "check --coords and --reply-format. Nothing was changed.",
                    facts,
                )
            )
        if one.unsized:
            notes.append(
                Remark(
                    "{task}: {count} replies cannot be read leniently, since the sizes of their pictures are unknown; "
                    "give frames, width and height, or --image-sizes.",
                    {"task": name, "count": one.unsized},
                )
            )
    if ambiguous := [
        names.get(one.task, Remark(one.task))
        for one in formats
        if one.reply_format == "auto" and BBOX_2D in one.rescued
    ]:
        notes.append(
            Remark(
                "{tasks}: bbox_2d is read as 0–1000 (Qwen3-VL, GLM) unless a coordinate is beyond 1000 or --coords "
                "is given; for Qwen2.5-VL give --reply-format qwen2.5-vl.",
                {"tasks": join_remarks(ambiguous, ", ")},
            )
        )
    return notes


def _loss_note(rows: Sequence[Row], formats: Sequence[TaskFormat]) -> Remark | None:
    """The one sentence: how much of the mean score is lost to format, and how much to not seeing."""
    rescued = sum(sum(one.rescued.values()) for one in formats)
    head = next((row for row in rows if row.scope == "overall"), None)
    if not rescued or head is None or isinstance(head.lenient, UnsetType):
        return None
    strict, lenient = head.estimate.value, head.lenient.value
    if strict is None or lenient is None:
        return None
    facts = {
        "format": f"{100 * (lenient - strict):.2f}",
        "sight": f"{100 * (1 - lenient):.2f}",
        "strict": f"{100 * strict:.2f}",
        "lenient": f"{100 * lenient:.2f}",
        "count": rescued,
        "total": sum(one.replies for one in formats),
    }
    return Remark(
        "Format is not sight: of the mean score, {format} points are lost to the format of replies ({strict} as asked, "
        "{lenient} read leniently) and {sight} points to wrong, missing or unreadable content; the two readings differ "
        "in {count} of {total} replies.",
        facts,
    )
