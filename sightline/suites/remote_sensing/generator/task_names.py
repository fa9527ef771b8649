"""Names of the nineteen tasks in Chinese and English."""

from __future__ import annotations

from sightline.core.registry import unknown

TASKS: dict[str, str] = {
    "图片检索": "image retrieval",
    "图片分类": "image classification",
    "VQA1": "presence question",
    "VQA2": "count question",
    "VQA3": "box question",
    "计数": "counting",
    "简洁图片描述": "brief caption",
    "详细图片描述": "detailed caption",
    "水平区域分类": "horizontal region class",
    "旋转区域分类": "rotated region class",
    "水平区域检测": "horizontal detection",
    "旋转区域检测": "rotated detection",
    "视觉定位": "visual grounding",
    "区域描述": "region caption",
    "像素分类": "pixel class",
    "语义分割": "semantic segmentation",
    "实例分割": "instance segmentation",
    "变化检测": "change detection",
    "细粒度识别": "fine-grained recognition",
}
"""English names by the Chinese names used in the files."""
OUTPUT_SUFFIXES = {"计数": "_output.json", "图片分类": "_output.json", "像素分类": "_output.jsonl"}
"""Suffixes of output files other than `_output.txt`."""


def file_stem(task: str) -> str:
    """File name of a task without suffix."""
    return f"{TASKS[task].replace(' ', '_').replace('-', '_')}_prompt"


def select_tasks(names: tuple[str, ...]) -> tuple[str, ...]:
    """The Chinese names of the selected tasks, in the order of the table; all if none is named."""
    known = {_key(name): zh for zh, en in TASKS.items() for name in (zh, en)}
    selected = set()
    for name in names:
        if _key(name) not in known:
            raise unknown("task", name, [*TASKS, *TASKS.values()])
        selected.add(known[_key(name)])
    return tuple(zh for zh in TASKS if not names or zh in selected)


def _key(name: str) -> str:
    return name.strip().lower().replace("_", " ").replace("-", " ")
