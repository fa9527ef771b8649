"""The twelve tasks of the matrix; each sample names its own scorer, and the metrics aggregate the scores."""

from __future__ import annotations

from sightline.core.interfaces import Task


def _task(name: str, title: str, *more: str) -> Task:
    return Task(name=name, title=title, parser="text", metrics=("accuracy", "mean_score"), auxiliary=more)


OBJECT_RECOGNITION = _task("object_recognition", "Object recognition")
TEXT_EXTRACTION = _task("text_extraction", "Text extraction", "character_error_rate")
SPATIAL_RELATION = _task("spatial_relation", "Spatial relation")
IMAGE_DESCRIPTION = _task("image_description", "Image description", "bleu", "cider")
VISUAL_QUESTION = _task("visual_question", "Visual question")
CHART_READING = _task("chart_reading", "Chart reading")
MULTI_STEP = _task("multi_step", "Multi-step reasoning")
CROSS_MODAL = _task("cross_modal", "Cross-modal consistency")
COUNTERFACTUAL = _task("counterfactual", "Counterfactual reasoning")
TOOL_CALLING = _task("tool_calling", "Tool calling")
CODE_GENERATION = _task("code_generation", "Code generation")
INTERACTIVE_DECISION = _task("interactive_decision", "Interactive decision")
