"""All settings of scoring saved outputs against annotation files, in one record."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from msgspec import Struct

from sightline.core import settings
from sightline.core.errors import UsageError
from sightline.core.reply_formats import AUTO, PIXEL_LIMITS, REPLY_SPACES, SPACES
from sightline.core.settings import setting

ENGINES = ("threads", "serial", "processes", "dask")
"""Where grading is done. Threads share memory, so nothing has to be sent or kept; the others grade in shards."""
REPLY_FORMAT_HELP = (
    "the form of replies: auto (as asked, and a lenient reading beside it), strict, or a profile such as qwen2.5-vl; "
    "TASK=FORMAT or MODEL=FORMAT for one task or model"
)
PIXEL_LIMITS_HELP = (
    "smallest and largest area of an image and the multiple of its sides to which the server resizes it, "
    "for coordinates in the space 'resized'"
)
IMAGE_SIZES_HELP = "CSV file with source, width and height of images, for annotations without frames and sizes"
OTHER_KEYS = {"annotation_dir": "anno_path", "model_output_dir": "model_result_path"}
"""Keys of a settings file that mean the same as ours."""


_data_setting, _scoring_setting, _output_setting = (
    partial(setting, group=group) for group in ("Data", "Scoring", "Output")
)


class ScoreConfig(Struct, frozen=True, kw_only=True):
    """Settings of `sightline score` on annotation files."""

    anno_path: Annotated[str, _data_setting("folder or file of annotations (JSON lines with gt, task, source)")] = ""
    model_result_path: Annotated[
        tuple[str, ...],
        _data_setting("folder or file of a model's outputs; NAME=DIR names the model; several make a comparison"),
    ] = ()
    output_dir: Annotated[str, _output_setting("folder for the results")] = "eval_results"
    task: Annotated[tuple[str, ...], _data_setting("only these tasks, by any of their names")] = ()
    limit: Annotated[int | None, _data_setting("only the first N samples in all", ge=1)] = None
    limit_per_task: Annotated[int | None, _data_setting("only the first N samples of each task", ge=1)] = None
    batch_size: Annotated[
        int, _scoring_setting("samples graded per batch; smaller values are slower and save little memory", ge=1)
    ] = 8192
    workers: Annotated[
        int | None, _scoring_setting("number of grading threads or processes; none: one per core", ge=1)
    ] = None
    engine: Annotated[
        str,
        _scoring_setting(
            "threads: fastest on one machine; serial, processes, dask: in shards that a restart does not repeat",
            choices=ENGINES,
        ),
    ] = "threads"
    scheduler: Annotated[str, _scoring_setting("address of a running Dask scheduler, such as tcp://10.0.0.1:8786")] = ""
    shards: Annotated[
        str, _scoring_setting("folder for finished shards, accessible to all workers; default: OUTPUT/shards")
    ] = ""
    calc_aux_metric: Annotated[bool, _scoring_setting("compute the auxiliary metrics of each task too")] = True
    vis: Annotated[bool, _output_setting("write plots (PNG and PDF)")] = False
    coords: Annotated[
        str,
        _data_setting(
            "the space of the model's coordinates; empty: the same as the annotations'", choices=("", *REPLY_SPACES)
        ),
    ] = ""
    truth_coords: Annotated[str, _data_setting("the space of the annotations' coordinates", choices=SPACES)] = "pixels"
    reply_format: Annotated[tuple[str, ...], _data_setting(REPLY_FORMAT_HELP)] = (AUTO,)
    pixel_limits: Annotated[tuple[int, int, int], _data_setting(PIXEL_LIMITS_HELP)] = PIXEL_LIMITS
    image_sizes: Annotated[str, _data_setting(IMAGE_SIZES_HELP)] = ""
    field_mapping: Annotated[str, _data_setting('JSON file that renames fields, such as {"ground_truth": "gt"}')] = ""
    label_mapping: Annotated[
        str,
        _scoring_setting('JSON file that unifies labels, such as {"car": "vehicle"}; default: the one that is shipped'),
    ] = ""
    task_config: Annotated[str, _scoring_setting("JSON file with more tasks, in the form of task_metric.json")] = ""
    defaults: Annotated[
        str,
        _scoring_setting(
            "folder whose task_metric, field_mapping, label_mapping and vis_config.json replace the shipped"
        ),
    ] = ""
    pattern: Annotated[str, _data_setting("only annotation files whose name matches, such as 'ship_*.txt'")] = ""
    recursive: Annotated[bool, _data_setting("search subfolders too")] = False
    collect_sample_details: Annotated[
        bool, _output_setting("keep each sample's truth and reply, and write grades.csv")
    ] = False
    output_json: Annotated[str, _output_setting("write the report as JSON to this file too")] = ""
    fail_under: Annotated[
        float | None, _output_setting("exit with 1 if the headline score (0–1) is below this", ge=0, le=1)
    ] = None
    json: Annotated[bool, _output_setting("print the result as JSON on standard output")] = False
    lang: Annotated[str, _output_setting("language of messages and reports", choices=("", "en", "zh"))] = ""

    @property
    def threads(self) -> int:
        """How many threads grade."""
        return self.workers or os.cpu_count() or 1


def resolve_score(
    *, file: Path | None = None, environment: Mapping[str, str] | None = None, flags: Mapping[str, Any] | None = None
) -> ScoreConfig:
    """The settings: defaults < file < environment < flags."""
    config = ScoreConfig(**settings.layer_values(settings.table(ScoreConfig), file, environment, flags, OTHER_KEYS))
    if not config.anno_path or not config.model_result_path:
        raise UsageError(
            "Scoring needs annotations and a model's outputs.", hint="Give --anno-path DIR and --model-result-path DIR."
        )
    return config
