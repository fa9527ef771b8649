"""The two tasks, on structures and on flows, with the same parser and metrics."""

from __future__ import annotations

from sightline.core.interfaces import Task

_CORE = ("accuracy", "opposed_pairs", "pair_relation", "law_accuracy")
_AUXILIARY = ("key_opposed_pairs", "balanced_accuracy", "mcc")

STRUCTURAL = Task(
    name="structural",
    title="Structural simulations",
    aliases=("solid", "结构"),
    parser="true_false",
    metrics=_CORE,
    auxiliary=_AUXILIARY,
)
FLUID = Task(
    name="fluid",
    title="Fluid simulations",
    aliases=("flow", "流体"),
    parser="true_false",
    metrics=_CORE,
    auxiliary=_AUXILIARY,
)
