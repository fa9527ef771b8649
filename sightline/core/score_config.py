"""All settings of scoring saved outputs against annotation files, in one record."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from msgspec import Struct

from sightline.core import settings
from sightline.core.errors import UsageError
from sightline.core.settings import setting

ENGINES = ("threads", "serial", "processes", "dask")
"""Where grading is done. Threads share memory, so nothing has to be sent or kept; the others grade in shards."""
SPACES = ("pixels", "0-1", "0-100", "0-1000")
"""What coordinates are measured in."""
OTHER_KEYS = {"annotation_dir": "anno_path", "model_output_dir": "model_result_path"}
"""Keys of a settings file that mean the same as ours."""


class ScoreConfig(Struct, frozen=True, kw_only=True):
    """What `sightline score --anno-path …` is told."""

    anno_path: Annotated[
        str, setting("folder or file of annotations (JSON lines with gt, task, source)", group="Data")
    ] = ""
    model_result_path: Annotated[
        tuple[str, ...],
        setting(
            "folder or file of a model's outputs; NAME=DIR names the model; several make a comparison", group="Data"
        ),
    ] = ()
    output_dir: Annotated[str, setting("folder for the results", group="Output")] = "eval_results"
    task: Annotated[tuple[str, ...], setting("only these tasks, by any of their names", group="Data")] = ()
    limit: Annotated[int | None, setting("only the first N samples in all", ge=1, group="Data")] = None
    limit_per_task: Annotated[int | None, setting("only the first N samples of each task", ge=1, group="Data")] = None
    batch_size: Annotated[
        int,
        setting("samples graded per batch; smaller values are slower and save little memory", ge=1, group="Scoring"),
    ] = 8192
    workers: Annotated[
        int | None, setting("number of grading threads or processes; none: one per core", ge=1, group="Scoring")
    ] = None
    engine: Annotated[
        str,
        setting(
            "threads: fastest on one machine; serial, processes, dask: in shards that a restart does not repeat",
            choices=ENGINES,
            group="Scoring",
        ),
    ] = "threads"
    scheduler: Annotated[
        str, setting("address of a running Dask scheduler, such as tcp://10.0.0.1:8786", group="Scoring")
    ] = ""
    shards: Annotated[
        str, setting("folder for finished shards, accessible to all workers; default: OUTPUT/shards", group="Scoring")
    ] = ""
    calc_aux_metric: Annotated[bool, setting("compute the auxiliary metrics of each task too", group="Scoring")] = True
    vis: Annotated[bool, setting("write plots (PNG and PDF)", group="Output")] = False
    coords: Annotated[
        str,
        setting(
            "the space of the model's coordinates; empty: the same as the annotations'",
            choices=("", *SPACES),
            group="Data",
        ),
    ] = ""
    truth_coords: Annotated[str, setting("the space of the annotations' coordinates", choices=SPACES, group="Data")] = (
        "pixels"
    )
    field_mapping: Annotated[
        str, setting('JSON file that renames fields, such as {"ground_truth": "gt"}', group="Data")
    ] = ""
    label_mapping: Annotated[
        str,
        setting(
            'JSON file that unifies labels, such as {"car": "vehicle"}; default: the one that is shipped',
            group="Scoring",
        ),
    ] = ""
    task_config: Annotated[
        str, setting("JSON file with more tasks, in the form of task_metric.json", group="Scoring")
    ] = ""
    defaults: Annotated[
        str,
        setting(
            "folder whose task_metric, field_mapping, label_mapping and vis_config.json replace the shipped",
            group="Scoring",
        ),
    ] = ""
    pattern: Annotated[str, setting("only annotation files whose name matches, such as 'ship_*.txt'", group="Data")] = (
        ""
    )
    recursive: Annotated[bool, setting("look into folders inside the folders too", group="Data")] = False
    collect_sample_details: Annotated[
        bool, setting("keep each sample's truth and reply, and write grades.csv", group="Output")
    ] = False
    output_json: Annotated[str, setting("write the report as JSON to this file too", group="Output")] = ""
    fail_under: Annotated[
        float | None, setting("exit with 1 if the headline score (0–1) is below this", ge=0, le=1, group="Output")
    ] = None
    json: Annotated[bool, setting("print the result as JSON on standard output", group="Output")] = False
    lang: Annotated[str, setting("language of messages and reports", choices=("", "en", "zh"), group="Output")] = ""

    @property
    def threads(self) -> int:
        """How many threads grade."""
        return self.workers or os.cpu_count() or 1


def resolve_score(
    *,
    file: Path | None = None,
    environment: Mapping[str, str] | None = None,
    flags: Mapping[str, Any] | None = None,
) -> ScoreConfig:
    """The settings: defaults < file < environment < flags."""
    rows = settings.table(ScoreConfig)
    by_name = {row.name: row for row in rows}
    values: dict[str, Any] = {}
    if file is not None:
        in_file = {OTHER_KEYS.get(key, key): value for key, value in settings.read_file(file).items()}
        settings.refuse_unknown(in_file, [*by_name, *OTHER_KEYS], str(file))
        values |= {key: settings.check(by_name[key], value, str(file)) for key, value in in_file.items()}
    if environment is not None:
        values |= settings.from_environment(rows, environment)
    if flags is not None:
        settings.refuse_unknown(flags, list(by_name), "the call")
        values |= {key: settings.check(by_name[key], value, by_name[key].flag) for key, value in flags.items()}
    config = ScoreConfig(**values)
    if not config.anno_path or not config.model_result_path:
        raise UsageError(
            "Scoring needs annotations and a model's outputs.",
            hint="Give --anno-path DIR and --model-result-path DIR.",
        )
    return config
