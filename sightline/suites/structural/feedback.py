"""Feedback after a wrong attempt: which part is wrong, never the solution."""

from __future__ import annotations

from sightline.core.records import Grade

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
