"""Task tables of other tools of the same file format: a list of tasks, other keys, other names of parsers and metrics.

`[{"name": "ship length", "output_type": "number", "core_metrics": ["Acc"], "aux_metrics": ["MAE"]}]` and
`{"tasks": [...]}` mean what our own `task_metric.json` says with a task a key. A task that means one of ours takes its
place, and what its entry leaves out is ours.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sightline.core.interfaces import Task

if TYPE_CHECKING:
    from sightline.core.task_table import TaskTable

_KEYS = {
    "name": ("name", "task", "task_name", "task_zh", "zh"),
    "english": ("english", "english_name", "task_en", "name_en", "en"),
    "aliases": ("aliases", "alias", "synonyms"),
    "level": ("level", "task_level"),
    "parser": ("parser", "parser_type", "output_type", "output_format", "format"),
    "core": ("core", "core_metric", "core_metrics", "main_metric", "main_metrics", "metric", "metrics"),
    "auxiliary": ("auxiliary", "auxiliary_metric", "auxiliary_metrics", "aux", "aux_metric", "aux_metrics"),
    "options": ("options",),
    "": ("description", "desc", "comment", "id", "example", "prompt"),
}
"""Keys of an entry by what they mean; the last ones mean nothing here."""
_PARSERS = {
    "number": "number numbers int integer float count counting",
    "label": "label class classname singlelabel category",
    "labels": "labels multilabel classes labellist",
    "yes_no": "yesno bool boolean binary",
    "indices": "indices index indexlist ids ranking retrieval",
    "boxes": "boxes box hbb hbbs bbox bboxes detection",
    "quads": "quads quad obb obbs rbox polygon4",
    "one_box": "onebox singlebox grounding",
    "polygons": "polygons polygon poly mask masks segmentation",
    "dots": "dots dot change",
    "text": "text caption sentence string description",
}
_METRICS = {
    "accuracy": "acc accuracy top1 exactmatch em",
    "mae": "mae absoluteerror meanabsoluteerror",
    "rmse": "rmse rootmeansquarederror",
    "ap50": "ap50 ap05 apiou05 map50 map05",
    "ap75": "ap75 ap075 map75 map075",
    "ap25": "ap25 ap025 map25 map025",
    "map": "ap map map5095 map0595",
    "count_accuracy": "countaccuracy countacc",
    "count_mae": "countmae",
    "precision50": "precision precision50 precision05",
    "recall50": "recall recall50 recall05",
    "f1_50": "f1 f150 f105",
    "cider": "cider",
    "rouge_l": "rougel rouge",
    "bleu4": "bleu4 bleu",
    "bleu1": "bleu1",
    "meteor": "meteor",
    "miou": "miou iou",
    "dice": "dice mdice",
    "macro_f1": "macrof1 f1macro",
    "macro_recall": "macrorecall",
    "macro_precision": "macroprecision",
    "kappa": "kappa",
    "": "confusionmatrix confusion",
}
_METRICS_OF_PARSERS = {
    "indices": {"recall": "retrieval_recall", "precision": "retrieval_precision", "f1": "retrieval_f1"},
    "label": {"recall": "macro_recall", "precision": "macro_precision", "f1": "macro_f1"},
    "labels": {"recall": "macro_recall", "precision": "macro_precision", "f1": "macro_f1"},
    "polygons": {
        **dict.fromkeys(("ap", "map", "maskap"), "mask_ap"),
        **dict.fromkeys(("ap50", "ap05"), "mask_ap50"),
        **dict.fromkeys(("ap75", "ap075"), "mask_ap75"),
        "f1": "pixel_f1",
        "recall": "pixel_recall",
        "precision": "pixel_precision",
    },
    "dots": {"f1": "pixel_f1", "recall": "pixel_recall", "precision": "pixel_precision"},
}
"""What a name means with some parsers; elsewhere it is that of `_METRICS`."""


def is_other_table(values: Mapping[str, Any]) -> bool:
    """Whether a file has its tasks in a list."""
    return isinstance(values.get("tasks"), list)


def translate_tasks(values: Mapping[str, Any], known: TaskTable | None) -> dict[str, Any]:
    """The entries of a list as those of our own table; what is not understood stays as it is, to be refused there."""
    entries: dict[str, Any] = {}
    for number, entry in enumerate(values["tasks"], 1):
        if isinstance(entry, str):
            entry = {"name": entry}
        name = next((entry[key] for key in _KEYS["name"] if key in entry), "") if isinstance(entry, dict) else ""
        task = known.get(name) if known is not None and isinstance(name, str) and name else None
        entries[task.name if task is not None else str(name) or f"#{number}"] = _translate(entry, name, task)
    return entries


def _translate(entry: Any, name: Any, task: Task | None) -> Any:
    if not isinstance(entry, dict):
        return entry
    meant = {key: ours for ours, keys in _KEYS.items() for key in keys}
    rule: dict[str, Any] = {} if task is None else _as_rule(task)
    given = {meant.get(key, key): value for key, value in entry.items()}
    given.pop("name", None)
    given.pop("", None)
    if isinstance(given.get("parser"), str):
        given["parser"] = _lookup(given["parser"], _PARSERS)
    parser = str(given.get("parser") or rule.get("parser", ""))
    for key in ("core", "auxiliary"):
        if key in given:
            listed = [given[key]] if isinstance(given[key], str) else given[key]
            given[key] = [_metric(one, parser) for one in listed or ()] if isinstance(listed, list) else listed
            given[key] = [one for one in given[key] if one != ""] if isinstance(given[key], list) else given[key]
    if "aliases" in given or task is not None:
        more = [given["aliases"]] if isinstance(given.get("aliases"), str) else given.get("aliases") or []
        own = [] if task is None or name in (task.name, task.title, *task.aliases) else [name]
        if isinstance(more, list):
            given["aliases"] = list(dict.fromkeys([*rule.get("aliases", ()), *own, *more]))
    return rule | {key: value for key, value in given.items() if value is not None}


def _as_rule(task: Task) -> dict[str, Any]:
    return {
        "english": task.title,
        "aliases": list(task.aliases),
        "level": task.level,
        "parser": task.parser,
        "core": list(task.metrics),
        "auxiliary": list(task.auxiliary),
        "options": dict(task.options),
    }


def _metric(name: Any, parser: str) -> Any:
    if not isinstance(name, str):
        return name
    return _METRICS_OF_PARSERS.get(parser, {}).get(_fold(name)) or _lookup(name, _METRICS)


def _lookup(name: str, known: Mapping[str, str]) -> str:
    """Our name of what is called so; the name itself where nothing of ours is."""
    if name in known or ":" in name:
        return name
    return next((ours for ours, words in known.items() if _fold(name) in words.split()), name)


def _fold(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())
