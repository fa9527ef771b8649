"""What a suite draws of a sample itself, as images that no page needs to trust."""

from __future__ import annotations

import base64

from sightline.core.interfaces import Drawing, Suite
from sightline.core.records import Remark, Sample

MOST_BYTES = 2 * 2**20
"""Of one drawing; what is larger is told instead."""


def drawings(suite: Suite, sample: Sample, reply: str) -> tuple[Drawing, ...]:
    """The suite's drawings of truth and reply; whatever the reply holds, this returns."""
    try:
        made = suite.drawings(sample, reply)
    except Exception as error:  # a suite's own fault must not hide the rest of the sample
        facts = {"fault": f"{type(error).__name__}: {error}"[:300]}
        return (Drawing(Remark("Drawing"), notes=(Remark("The drawing failed: {fault}", facts),)),)
    return tuple(_fitting(drawing) for drawing in made)


def data_uri(drawing: Drawing) -> str:
    """The drawing as the source of an `img`, where no script can run and no id can clash."""
    return "data:image/svg+xml;base64," + base64.b64encode(drawing.svg.encode("utf-8", "replace")).decode()


def _fitting(drawing: Drawing) -> Drawing:
    if len(drawing.svg) <= MOST_BYTES:
        return drawing
    return Drawing(drawing.title, notes=(*drawing.notes, Remark("The drawing is too large to be shown.")))
