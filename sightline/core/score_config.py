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
FILE_ENCODINGS = ("auto", "utf-8", "gbk", "gb18030", "utf-16")
"""Encodings of annotation and output files."""
REPLY_FORMAT_HELP = (
    "the form of replies: auto (as asked, and a lenient reading beside it), strict, or a profile such as qwen2.5-vl; "
    "TASK=FORMAT or MODEL=FORMAT for one task or model"
)
PIXEL_LIMITS_HELP = (
    "smallest and largest area of an image and the multiple of its sides to which the server resizes it, "
    "for coordinates in the space 'resized'"
)
IMAGE_SIZES_HELP = "CSV file with source, width and height of images, for annotations without frames and sizes"
OTHER_KEYS = {
    "annotation_dir": "anno_path",
    "annotation_file": "anno_path",
    "annotation_path": "anno_path",
    "model_output_dir": "model_result_path",
    "model_output_file": "model_result_path",
    "model_output_path": "model_result_path",
    "task_metric": "task_config",
    "task_metric_file": "task_config",
    "field_mapping_file": "field_mapping",
    "label_mapping_file": "label_mapping",
}
"""Keys of a settings file that mean the same as ours."""


_data, _scoring, _output = (partial(setting, group=group) for group in ("Data", "Scoring", "Output"))


class ScoreConfig(Struct, frozen=True, kw_only=True):
    """Settings of `sightline score` on annotation files."""

    anno_path: Annotated[str, _data("folder or file of annotations (JSON lines with gt, task, source)")] = ""
    model_result_path: Annotated[
        tuple[str, ...],
        _data("folder or file of a model's outputs; NAME=DIR names the model; several make a comparison"),
    ] = ()
    output_dir: Annotated[str, _output("folder for the results")] = "eval_results"
    task: Annotated[tuple[str, ...], _data("only these tasks, by any of their names")] = ()
    limit: Annotated[int | None, _data("only the first N samples in all", ge=1)] = None
    limit_per_task: Annotated[int | None, _data("only the first N samples of each task", ge=1)] = None
    batch_size: Annotated[
        int, _scoring("samples graded per batch; smaller values are slower and save little memory", ge=1)
    ] = 8192
    workers: Annotated[int | None, _scoring("number of grading threads or processes; none: one per core", ge=1)] = None
    engine: Annotated[
        str,
        _scoring(
            "threads: fastest on one machine; serial, processes, dask: in shards that a restart does not repeat",
            choices=ENGINES,
        ),
    ] = "threads"
    scheduler: Annotated[str, _scoring("address of a running Dask scheduler, such as tcp://10.0.0.1:8786")] = ""
    shards: Annotated[
        str, _scoring("folder for finished shards, accessible to all workers; default: OUTPUT/shards")
    ] = ""
    calc_aux_metric: Annotated[bool, _scoring("compute the auxiliary metrics of each task too")] = True
    vis: Annotated[bool, _output("write plots (PNG and PDF)")] = False
    coords: Annotated[
        str,
        _data("the space of the model's coordinates; empty: the same as the annotations'", choices=("", *REPLY_SPACES)),
    ] = ""
    truth_coords: Annotated[str, _data("the space of the annotations' coordinates", choices=SPACES)] = "pixels"
    reply_format: Annotated[tuple[str, ...], _data(REPLY_FORMAT_HELP)] = (AUTO,)
    pixel_limits: Annotated[tuple[int, int, int], _data(PIXEL_LIMITS_HELP)] = PIXEL_LIMITS
    image_sizes: Annotated[str, _data(IMAGE_SIZES_HELP)] = ""
    scoring: Annotated[
        str,
        _scoring("reproduce a known fault of published scorers, such as plus-one-iou-0-1; empty: score correctly"),
    ] = ""
    known_faults: Annotated[
        bool, _output("also write known_faults.html: what each known fault of published scorers would report")
    ] = False
    encoding: Annotated[
        str,
        _data(
            "encoding of annotation and output files; auto: UTF-8, GBK (GB18030) and UTF-16 are told apart by file",
            choices=FILE_ENCODINGS,
        ),
    ] = "auto"
    field_mapping: Annotated[str, _data('JSON file that renames fields, such as {"ground_truth": "gt"}')] = ""
    label_mapping: Annotated[
        str, _scoring('JSON file that unifies labels, such as {"car": "vehicle"}; default: the one that is shipped')
    ] = ""
    task_config: Annotated[str, _scoring("JSON file with more tasks, in the form of task_metric.json")] = ""
    defaults: Annotated[
        str, _scoring("folder whose task_metric, field_mapping, label_mapping and vis_config.json replace the shipped")
    ] = ""
    pattern: Annotated[str, _data("only annotation files whose name matches, such as 'ship_*.txt'")] = ""
    recursive: Annotated[bool, _data("search subfolders too")] = False
    collect_sample_details: Annotated[bool, _output("keep each sample's truth and reply, and write grades.csv")] = False
    output_json: Annotated[str, _output("write the report as JSON to this file too")] = ""
    fail_under: Annotated[
        float | None, _output("exit with 1 if the headline score (0–1) is below this", ge=0, le=1)
    ] = None
    json: Annotated[bool, _output("print the result as JSON on standard output")] = False
    lang: Annotated[str, _output("language of messages and reports", choices=("", "en", "zh"))] = ""

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
