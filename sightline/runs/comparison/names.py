"""What the tags of samples are called in tables, in the reader's language; a tag that we don't know keeps its name."""

from __future__ import annotations

from sightline.core.records import Remark

_NAMES = {
    "task": Remark("task"),
    "category": Remark("category"),
    "cell": Remark("cell"),
    "difficulty": Remark("difficulty"),
    "dimension": Remark("dimension"),
    "domain": Remark("domain"),
    "file": Remark("file"),
    "language": Remark("language"),
    "law": Remark("physical law"),
    "level": Remark("level"),
    "modality": Remark("modality"),
    "note": Remark("note"),
    "picture": Remark("picture"),
    "qid": Remark("question"),
}


def tag_name(tag: str) -> str:
    """The name of a tag."""
    return str(_NAMES.get(tag, tag))
