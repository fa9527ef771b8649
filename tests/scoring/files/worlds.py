"""Small annotation and output files of many tasks, with what the scorer must find."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Line = dict[str, Any]

BOXES = "<box><10><10><50><50></box><box><60><60><90><90></box>"


def write_lines(path: Path, rows: Iterable[Line]) -> Path:
    """JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def annotations(task: str, truths: Iterable[str], ids: bool = False) -> list[Line]:
    """One line a truth."""
    return [
        {"prompt": "?", "frames": "iVBORw0KGgo=", "gt": truth, "task": task, "source": f"img/{number}.png"}
        | ({"sample_id": f"s{number}"} if ids else {})
        for number, truth in enumerate(truths)
    ]


def outputs(replies: Iterable[str], ids: bool = False) -> list[Line]:
    """One line a reply."""
    return [
        {"model_output": reply, "source": f"img/{number}.png"} | ({"sample_id": f"s{number}"} if ids else {})
        for number, reply in enumerate(replies)
    ]


def write_world(folder: Path, tasks: dict[str, list[tuple[str, str]]]) -> tuple[Path, Path]:
    """Folders of annotations and outputs, a file a task, from pairs of truth and reply."""
    for number, (task, pairs) in enumerate(tasks.items()):
        write_lines(folder / "anno" / f"t{number}.txt", annotations(task, [truth for truth, _ in pairs]))
        write_lines(folder / "out" / f"t{number}_output.txt", outputs([reply for _, reply in pairs]))
    return folder / "anno", folder / "out"


ALL_TASKS: dict[str, list[tuple[str, str]]] = {
    "图片检索": [("1,2", "1,2"), ("1,3", "3,1"), ("2", "")],
    "图片分类": [("car;truck", "Truck; car"), ("airport", "harbour")],
    "VQA1": [("Yes", " yes."), ("No", "Yes"), ("No", "maybe")],
    "VQA2": [("3", "3"), ("4", "6")],
    "VQA3": [(BOXES, BOXES), (BOXES, "<box><10><10><50></box>")],
    "计数": [("36", "36"), ("10", "many"), ("5", "7")],
    "水平区域分类": [("vehicle", "Vehicle"), ("ship", "plane"), ("plane", "plane")],
    "旋转区域分类": [("car", "car"), ("bus", "zeppelin")],
    "水平区域检测": [(f"2 {BOXES}", f"3 {BOXES}"), ("0", "0"), ("0", "1 <box><1><1><5><5></box>")],
    "旋转区域检测": [("1 <quad><0><0><10><0><10><10><0><10></quad>", "1 <quad><0><0><10><0><10><9><0><9></quad>")],
    "视觉定位": [("<box><1><1><5><5></box>", "<box><1><1><5><5></box>"), ("<box><1><1><5><5></box>", BOXES)],
    "像素分类": [("car", "car"), ("car", "")],
    "语义分割": [("<poly><0><0><10><0><10><10><0><10></poly>", "<poly><0><0><10><0><10><5><0><5></poly>")],
    "实例分割": [("<poly><0><0><10><0><10><10><0><10></poly>", "<poly><0><0><10><0><10><10><0><10></poly>")],
    "变化检测": [("<dot><0><0><10><0><10><10><0><10></dot>", "0")],
    "细粒度识别": [("airliner", "AIRLINER"), ("tanker", "tug")],
}
"""Some samples of every task."""
