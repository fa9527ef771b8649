"""Prompts and feedback: the FrameCalc format in English and Chinese, with three closing instructions."""

from __future__ import annotations

from sightline.core.records import Grade

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


FORMAT_ZH = """\
图中是一个平面结构（梁、刚架或桁架）及其支座和荷载。请把它写成一个 FrameCalc JSON 结构模型。

单位与坐标
- 长度用 m，力用 kN，力矩用 kN·m，分布荷载用 kN/m，角度用度。
- x 轴向右，y 轴向上，角度和力矩以逆时针为正。坐标原点可任选。

该 JSON 对象包含四个列表："points"、"links"、"supports"、"loads"。每一项都有自己的 id。

points（点）：{"id": "P1", "x": 0, "y": 0}
- 每个节点、支座、自由端、转折处、内部铰以及杆件变化处各设一点。相交的杆件共用同一个点。

links（杆件）：{"id": "L1", "a": "P1", "b": "P2", "endA": "rigid", "endB": "rigid"}
- 从点 a 到点 b 的直杆，杆件自身的 x 轴由 a 指向 b。
- "endA" 和 "endB" 取 "rigid"（默认，刚接）或 "hinge"（铰接）。"hinge" 只释放该杆件这一端的弯矩。两杆相接处的内部铰，\
释放其中一个杆端即可。画有圆圈的节点是铰接：释放该处的杆端，桁架也一样；没有圆圈的节点是刚接。
- "E"（kN/m²）、"A"（m²）、"Iz"（m⁴）的标准值为 80918000、0.007853981633974483 和 4.908738521234054e-06。\
除非图中另有标注，否则不必写出。

supports（支座）：{"id": "S1", "at": {"type": "point", "id": "P1"}, "kind": "pin", "angleDeg": 0}
- "pin"（固定铰支座）约束两个方向的位移；"fixed"（固定端）约束两个方向的位移和转角；二者的 angleDeg 不起作用。
- "roller"（滚动支座）只约束一个方向的位移，该方向为 angleDeg + 90°。因此 angleDeg 为 0 时约束竖向位移\
（沿水平面滚动），为 90 时约束水平位移（沿竖直墙面滚动）。
- "slider"（滑动支座）约束转角和一个方向的位移，该方向就是 angleDeg 本身：0 约束水平位移（可上下滑动），\
90 约束竖向位移（可左右滑动）。

loads（荷载），均带有 "at": {"type": "point", "id": "P2"} 或 {"type": "link", "id": "L1"}
- 集中力：{"id": "LD1", "kind": "pointLoad", "at": …, "value": 10, "angleDeg": 270, "angleMode": "world", "flip": 1}
- 分布荷载，只作用在杆件上：{"id": "LD2", "kind": "distributedLoad", "at": …, "wStart": 5, "wEnd": 5, \
"fromStart": 0, "fromEnd": 0, "angleDeg": 270, "angleMode": "world", "flip": 1}。集度按杆件每米计，\
从 wStart 线性变化到 wEnd；a 端空出 fromStart 米，b 端空出 fromEnd 米。
- 力偶：{"id": "LD3", "kind": "bendingMoment", "at": …, "value": 8, "flip": 1}，逆时针；"flip": -1 表示顺时针。
- angleDeg 是荷载推动的方向。"angleMode": "world" 时从 x 轴量起：0 向右，90 向上，180 向左，270 向下。\
作用在杆件上且为 "relative" 时，从 a→b 的方向量起。"flip": -1 使荷载反向。
- 作用在杆件中间的集中力或力偶还要写明位置："offsetMode": "m" 配合 "offset"（米），或 "offsetMode": "percent" 配合 \
"offsetPercent"（百分比）；二者都从 a 端量起，写 "refEnd": "B" 时从 b 端量起。

尺寸、角度和数值都取自图中；图中有的内容一项也不要遗漏。
"""

CLOSINGS_ZH = {
    "standard": "请在 <json> 与 </json> 之间给出且只给出一个 JSON 对象。",
    "reasoning": (
        "请先逐步思考：列出各点及其坐标，再列出各杆件及其铰、各支座及其角度、各荷载及其方向；检查图中每个尺寸是否满足，"
        "有无遗漏。然后在 <json> 与 </json> 之间给出且只给出一个 JSON 对象。"
    ),
    "strict": (
        "只回答 <json> 与 </json> 之间的一个 JSON 对象，此外什么都不要写：不要解释，不要注释，不要代码块，"
        "前后不要任何文字。"
    ),
}


_STAGES = {
    "geometry": (
        "The members are not where the drawing has them: check the points' coordinates and which points are linked.",
        "杆件的位置与图不符：请检查各点的坐标以及哪些点之间有杆件。",
    ),
    "supports": (
        "The members are right, but the supports are not: check their kinds, places and angles.",
        "杆件正确，但支座不对：请检查支座的类型、位置和角度。",
    ),
    "connections": (
        "Members and supports are right, but the joints are not: check which member ends are hinged.",
        "杆件和支座正确，但连接不对：请检查哪些杆端是铰接。",
    ),
    "loads": (
        "The structure is right, but the loads are not: check their sizes, directions and places.",
        "结构正确，但荷载不对：请检查荷载的大小、方向和位置。",
    ),
    "unreadable": (
        "No structural model could be read from your reply.",
        "无法从您的回复中读出结构模型。",
    ),
}
_AGAIN = (
    "Look at the drawing again and give the whole corrected model as one JSON object inside <json></json>.",
    "请再看一次图，并在 <json></json> 中给出完整的、改正后的模型（一个 JSON 对象）。",
)


def feedback(grade: Grade, language: str) -> str:
    """The feedback for the first wrong stage."""
    chinese = int(language == "zh")
    stage = str(grade.values.get("stage", "unreadable"))
    words = _STAGES.get(stage, _STAGES["unreadable"])[chinese]
    return f"{words}\n\n{_AGAIN[chinese]}"
