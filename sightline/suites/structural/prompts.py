"""Prompts: the specification of the FrameCalc format in English or Chinese, with three kinds of closing instruction."""

from __future__ import annotations

from sightline.suites.structural.prompts_zh import CLOSINGS as CLOSINGS_ZH
from sightline.suites.structural.prompts_zh import FORMAT as FORMAT_ZH

KINDS = ("standard", "reasoning", "strict")

FORMAT = """\
The picture shows a plane structure (a beam, a frame or a truss) with its supports and loads. Write it down as one \
structural model in FrameCalc JSON.

Units and axes
- Lengths in m, forces in kN, moments in kN·m, distributed loads in kN/m, angles in degrees.
- x points right, y points up, angles and moments are positive counter-clockwise. The origin is yours to choose.

The object has four lists: "points", "links", "supports", "loads". Every entry has an id of its own.

points: {"id": "P1", "x": 0, "y": 0}
- One at every joint, support, free end, corner, internal hinge and change of member. Members that meet share the point.

links: {"id": "L1", "a": "P1", "b": "P2", "endA": "rigid", "endB": "rigid"}
- A straight member from point a to point b. Its own x axis runs from a to b.
- "endA" and "endB" are "rigid" (default) or "hinge". "hinge" releases the moment at that end of that member only. \
For an internal hinge where two members meet, it is enough to release one of the two ends.
- A joint drawn with a circle is hinged: release the member ends there, in a truss too. A joint without one is rigid.
- "E" (kN/m²), "A" (m²) and "Iz" (m⁴) have the standard values 80918000, 0.007853981633974483 and \
4.908738521234054e-06. Leave them out unless the drawing gives others.

supports: {"id": "S1", "at": {"type": "point", "id": "P1"}, "kind": "pin", "angleDeg": 0}
- "pin" holds both displacements, "fixed" holds both displacements and the rotation; their angleDeg has no effect.
- "roller" holds one displacement, along the direction angleDeg + 90°. So angleDeg 0 holds the vertical displacement \
(it rolls on a horizontal surface), and 90 the horizontal one (it rolls along a wall).
- "slider" holds the rotation and one displacement, here along the direction angleDeg itself: 0 holds the horizontal \
displacement (free to slide up and down), 90 the vertical one (free to slide sideways).

loads, all with "at": {"type": "point", "id": "P2"} or {"type": "link", "id": "L1"}
- Force: {"id": "LD1", "kind": "pointLoad", "at": …, "value": 10, "angleDeg": 270, "angleMode": "world", "flip": 1}
- Distributed load, on links only: {"id": "LD2", "kind": "distributedLoad", "at": …, "wStart": 5, "wEnd": 5, \
"fromStart": 0, "fromEnd": 0, "angleDeg": 270, "angleMode": "world", "flip": 1}. It varies linearly from wStart to \
wEnd, per metre of the member, and leaves out fromStart metres at end a and fromEnd metres at end b.
- Moment: {"id": "LD3", "kind": "bendingMoment", "at": …, "value": 8, "flip": 1}, counter-clockwise; clockwise with \
"flip": -1.
- angleDeg is the direction in which the load pushes. With "angleMode": "world" it is measured from the x axis: 0 \
pushes right, 90 up, 180 left, 270 down. With "relative", on a link, it is measured from the direction a→b. \
"flip": -1 reverses the load.
- A force or moment inside a link also says where: "offsetMode": "m" with "offset" in metres, or \
"offsetMode": "percent" with "offsetPercent"; both are measured from end a, or from end b with "refEnd": "B".

Take dimensions, angles and values from the drawing, and leave out nothing that it shows.
"""

CLOSINGS = {
    "standard": "Give exactly one JSON object between <json> and </json>.",
    "reasoning": (
        "First think it through step by step: list the points with their coordinates, then the links with their "
        "hinges, the supports with their angles, and the loads with their directions; check that each dimension of the "
        "drawing is met and that nothing is missing. Then give exactly one JSON object between <json> and </json>."
    ),
    "strict": (
        "Answer with nothing but exactly one JSON object between <json> and </json>: no explanation, no comments, no "
        "code fence, no text before or after it."
    ),
}


def prompt_text(kind: str, language: str) -> str:
    """The prompt of a kind (`standard`, `reasoning`, `strict`) in a language (`en`, `zh`)."""
    head, closings = (FORMAT_ZH, CLOSINGS_ZH) if language == "zh" else (FORMAT, CLOSINGS)
    return f"{head}\n{closings[kind]}"
