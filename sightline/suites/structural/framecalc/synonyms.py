"""Synonyms of the field names and keywords of FrameCalc, in English and Chinese."""

from __future__ import annotations

import re

_SEPARATORS = re.compile(r"[\s_\-./·]+")
_SUFFIX = re.compile(r"(?:support|connection|joint|condition|支座|支撑|约束)$")

COLLECTIONS: dict[str, tuple[str, ...]] = {
    "points": ("points", "nodes", "joints", "vertices"),
    "links": ("links", "members", "elements", "bars", "beams", "edges"),
    "supports": ("supports", "constraints", "restraints", "boundaryconditions"),
    "loads": ("loads", "forces"),
}
WRAPPERS = ("model", "structure", "data", "result", "json", "answer", "framecalc")

FIELDS: dict[str, tuple[str, ...]] = {
    "a": ("start", "from", "pointa", "nodea", "startpoint", "startnode"),
    "b": ("end", "to", "pointb", "nodeb", "endpoint", "endnode"),
    "E": ("e", "youngsmodulus", "elasticmodulus"),
    "A": ("area", "crosssection"),
    "Iz": ("iz", "i", "inertia", "momentofinertia"),
    "endA": ("enda", "aend", "releasea"),
    "endB": ("endb", "bend", "releaseb"),
    "kind": ("kind", "type", "loadtype", "supporttype"),
    "at": ("at", "on", "position", "location", "point", "node", "link", "member", "pointid", "linkid", "atid"),
    "angleDeg": ("angledeg", "angle", "anglewdeg", "theta", "rotation"),
    "angleMode": ("anglemode", "anglereference"),
    "value": ("value", "magnitude", "force", "moment", "p", "f", "m"),
    "wStart": ("wstart", "w1", "qstart", "q1", "startvalue"),
    "wEnd": ("wend", "w2", "qend", "q2", "endvalue"),
    "w": ("w", "q", "value", "magnitude", "intensity"),
}

_SUPPORTS = {
    "pin": "pin pinned pinend pinnedend hinge hinged hingedend fixedhinge 铰 铰接 固定铰 固定铰链",
    "fixed": "fixed fix fixedend fixity clamp clamped clampedend encastre builtin builtinend rigid"
    " 固定 固定端 固接 固支",
    "roller": "roller rolling rollerend movablehinge 滚动 滚轴 可动铰 活动铰 链杆",
    "slider": "slider sliding guide guided guidedend slidingend 滑动 定向 滑移",
    "": "none free freeend no 自由 自由端 无",
}
_LOADS = {
    "pointLoad": "pointload point pointforce force concentrated concentratedload concentratedforce nodalload load"
    " 集中力 集中荷载 集中载荷",
    "distributedLoad": "distributedload distributed udl uniform uniformload uniformlydistributed"
    " uniformlydistributedload lineload linearload linear linedistributedload trapezoidalload trapezoidal"
    " triangularload triangular varyingload 均布荷载 均布载荷 均布力 分布荷载 分布载荷 分布力 线荷载",
    "bendingMoment": "bendingmoment moment bending couple torque pointmoment concentratedmoment momentload"
    " 力偶 弯矩 集中力偶 力矩",
}
_ENDS = {
    "hinge": "hinge hinged hingeend pin pinned release released momentrelease 铰 铰接",
    "rigid": "rigid fixed fix continuous stiff none no 刚接 刚性 固接",
}
_LOCATION_TYPES = {
    "point": "point node joint vertex pointid nodeid 点 节点",
    "link": "link member element bar beam linkid memberid 杆 杆件",
}
_MODES = {
    "relative": "relative local rel 相对 局部",
    "world": "world global absolute abs 世界 全局 整体",
}
_OFFSETS = {"percent": "percent percentage % pct ratio% 百分比", "m": "m length metre metres meter meters absolute 米"}


def _table(words: dict[str, str]) -> dict[str, str]:
    return {word: meant for meant, spellings in words.items() for word in spellings.split()}


SUPPORT_KINDS = _table(_SUPPORTS)
LOAD_KINDS = _table(_LOADS)
END_KINDS = _table(_ENDS)
LOCATION_TYPES = _table(_LOCATION_TYPES)
ANGLE_MODES = _table(_MODES)
OFFSET_MODES = _table(_OFFSETS)


def normalize_word(word: str) -> str:
    """A word in lower case without spaces, hyphens and underscores, cut off at 80 characters."""
    return _SEPARATORS.sub("", word[:80]).casefold()


def lookup_synonym(word: str, table: dict[str, str]) -> str | None:
    """The format's keyword for a synonym, or None."""
    short = normalize_word(word)
    return table.get(short, table.get(_SUFFIX.sub("", short)))
