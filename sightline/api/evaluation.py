"""Python API of runs: evaluate, score, regrade, generate. The command line calls the same functions."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from sightline.api.line_progress import LineProgress
from sightline.core.config import RunConfig, resolve
from sightline.core.errors import ConfigError, DataError, RunStoppedError, UsageError
from sightline.core.interfaces import ColumnSuite, Model, Suite, require_generator
from sightline.core.records import Sample
from sightline.core.registry import find, load_suite
from sightline.core.remarks import Remark
from sightline.core.score_config import resolve_score
from sightline.core.settings import convert
from sightline.data.dataset import SampleCache, open_dataset
from sightline.data.fingerprint import Fingerprint, compute_fingerprint, fingerprint
from sightline.data.pictures import PictureSettings
from sightline.data.selection import select_samples
from sightline.data.storage.transfer import local_copy
from sightline.inference.cost import CostEstimate, estimate_cost
from sightline.inference.journal import count_answered
from sightline.inference.stop_signals import run_async
from sightline.interop.exporting import export_run
from sightline.models import make_model
from sightline.models.endpoints import MultiServerModel
from sightline.models.python_callable import CallableModel
from sightline.reports import write as report_writer
from sightline.runs.folder import RunFolder
from sightline.runs.llm_judge import JudgeSuite, describe_verdicts, make_judge_config, open_judge_folder
from sightline.runs.manifest import Manifest, build_manifest, compute_run_key, load_recorded_suite
from sightline.runs.resume import (
    RunIdentity,
    check_data,
    describe_data_change,
    fingerprint_scope,
    open_run_folder,
    resume_warnings,
    save_data_fingerprint,
)
from sightline.runs.run import Progress, Run, first_sample
from sightline.runs.run_list import resolve_run
from sightline.scoring.dataframes import TableResult, records
from sightline.scoring.files.progress import LineStages
from sightline.scoring.summary import Summary, load_summary

if TYPE_CHECKING:
    from sightline.api.score_files import ScoreReport
    from sightline.models.launched_server import LaunchedServer

ProgressOption = Progress | bool | None
"""Progress callbacks of a call: True prints plain lines, None and False nothing."""


class Result(TableResult, Struct, kw_only=True):
    """A graded run: its folder, its summary, and why it stopped early if it did; as a table, one row per metric."""

    folder: Path
    summary: Summary
    stopped: RunStoppedError | None = None
    was_finished: bool = False
    """Whether an earlier call finished the run, so that this one sent no request."""

    @property
    def complete(self) -> bool:
        """Whether every valid sample has an answer."""
        return self.stopped is None and self.summary.complete

    def to_dict(self) -> dict[str, Any]:
        """All metrics as plain values."""
        plain: dict[str, Any] = msgspec.to_builtins(self.summary)
        return {"folder": str(self.folder), "stopped": str(self.stopped or ""), **plain}

    def _rows(self) -> Iterator[dict[str, Any]]:
        return records({self.summary.model: self.summary})

    def _repr_html_(self) -> str:
        from sightline.reports.html import summaries_html

        return summaries_html([self.summary])

    def __str__(self) -> str:
        from sightline.reports.markdown import to_markdown

        return to_markdown(self.summary)


def evaluate(suite: str, *, progress: ProgressOption = None, **settings: Any) -> Result:
    """Run and grade a model: `evaluate("simulation", model="baseline/random", data="…", modality="text")`.

    Takes every setting of the command line by its own name; the environment's SIGHTLINE_* variables count too. `model`
    may also be a function that takes a `Prompt` and returns the reply. `progress=True` prints a line every few seconds.
    A call whose run is finished returns its result (`was_finished`) and sends no request; `fresh=True` runs it again.
    """
    config, options, model = resolve_call(suite, settings)
    return run(find("suites", suite)(options), config, make_progress(progress), model)


def resolve_call(suite: str, settings: Mapping[str, Any]) -> tuple[RunConfig, Struct, CallableModel | None]:
    """The settings of a run, the options of the suite, and the model where the settings contain a function."""
    model = CallableModel(given) if callable(given := settings.get("model")) else None
    flags = settings if model is None else {**settings, "model": model.name}
    config, options = resolve(suite, environment=os.environ, flags=flags)
    return config, options, model


def make_progress(progress: ProgressOption) -> Progress:
    """The given callbacks, plain lines for True, else none."""
    return LineProgress() if progress is True else progress or Progress()


def score(
    anno: str | Path,
    results: str | Path | Mapping[str, str | Path],
    *,
    suite: str = "",
    progress: bool = False,
    **settings: Any,
) -> ScoreReport:
    """Score saved outputs against annotation files: `score("anno", {"A": "outA", "B": "outB"})`.

    Takes every setting of `sightline score --anno-path …` by its name; `progress=True` prints a line every few seconds.
    """
    from sightline.api.score_files import score_files

    paths = results.items() if isinstance(results, Mapping) else [("", results)]
    given = tuple(f"{name}={path}" if name else str(path) for name, path in paths)
    config = resolve_score(flags={"anno_path": str(anno), "model_result_path": given, **settings})
    return score_files(config, suite, LineStages()) if progress else score_files(config, suite)


def score_replies(suite: str, replies: str, *, progress: ProgressOption = None, **settings: Any) -> Result:
    """Grade replies saved in a file: `score_replies("simulation", "replies.jsonl", data="…")`."""
    return evaluate(suite, progress=progress, model=f"replay/{replies}", **settings)


def grade_again(
    run: str | Path,
    *,
    data: str = "",
    accept_changed_data: bool = False,
    progress: ProgressOption = None,
    **options: Any,
) -> Result:
    """Grade a run again, by its folder or name (`"last"`), with the settings it was made with.

    A data set that is not the one that was asked is refused, unless `accept_changed_data` is true; all reports say so.
    Options of the suite that name files (`task_config="tasks.json"`) may be given again: code that such a file names is
    imported only then.
    """
    return regrade(resolve_run(run), make_progress(progress), data, accept_changed_data, options)


def generate(suite: str, out: str | Path, *, count: int = 8, seed: int = 0, **config: Any) -> Path:
    """Generate a data set of a suite; the same seed and generator settings give the same bytes."""
    folder = Path(out)
    check_new_folder(folder)
    made = load_suite(suite)
    require_generator(made).generate(folder, count, seed, convert(made.generator_config, config))
    return folder


def is_filled(folder: Path) -> bool:
    """Whether a path is a file, or a folder with files in it."""
    return folder.exists() and (not folder.is_dir() or any(folder.iterdir()))


def check_new_folder(folder: Path) -> None:
    """Raise `UsageError` unless a folder is new or empty."""
    if is_filled(folder):
        raise UsageError("{folder} already exists and is not empty.", hint="Choose a new folder.", folder=folder)


def load_run(run: str | Path) -> Result:
    """A graded run, by its folder or name: `load_run("last")`, `load_run("last~1")`, or a unique part of its name."""
    folder = RunFolder(resolve_run(run))
    folder.load_manifest()
    return Result(folder=folder.path, summary=load_summary(folder.report_json))


def preview(suite: Suite, config: RunConfig) -> CostEstimate:
    """Estimate the samples, tokens and cost of a run."""
    with dataset_dir(suite, config) as data:
        return estimate_cost(suite, select_samples(open_dataset(suite, data), config), config)


def run(
    suite: Suite,
    config: RunConfig,
    progress: Progress,
    model: Model | None = None,
    server: LaunchedServer | None = None,
) -> Result:
    """Run inference for all samples without a reply, then grade; a finished run of the same command is returned.

    `model` stands for the one that the settings name; `server` for that of `--launch`, where several runs share it.
    """
    if config.debug:
        config = msgspec.structs.replace(config, model="baseline/oracle", fresh=True, launch="")
    try:
        with dataset_dir(suite, config) as data, nullcontext(server) if server else make_server(config) as server:
            if server is not None:
                config = server.configure(config)
            model = model or make_model(config)
            _check_server_use(config, model)
            if isinstance(model, CallableModel):
                model.images, model.seed = PictureSettings.of(config), config.seed
            dataset = open_dataset(suite, data)
            samples = SampleCache(partial(select_samples, dataset, config))
            first = first_sample(samples())
            scope = fingerprint_scope(suite, data, Path(config.output_dir))
            checked = compute_fingerprint(data, progress.checking, scope)
            manifest = build_manifest(suite, config, model, data, checked.sha256, first)
            identity = RunIdentity(
                key_for_data=partial(compute_run_key, suite, config, manifest.identity),
                fingerprint_for_version=partial(fingerprint, data, scope=scope),
            )
            opened = open_run_folder(Path(config.output_dir), manifest, None if config.fresh else identity)
            for warning in opened.warnings:
                progress.warning(warning)
            work = Run(
                suite=suite,
                config=config,
                data=data,
                dataset=dataset,
                folder=opened.folder,
                manifest=manifest,
                progress=progress,
                reports=report_writer,
                sample_cache=samples,
            )
            if opened.previous is None:
                save_data_fingerprint(opened.folder.data_files, checked)
            else:
                _carry_over(manifest, opened.previous, checked.sha256)
                done = None if config.join else _finished_run(work, opened.previous, checked.sha256, server)
                if done is not None:
                    run_async(model.close)
                    return done
            stopped = _run_inference(work, model, server, resumed=opened.previous is not None)
            summary = _grade_checked(work, checked, partial(compute_fingerprint, data, scope=scope))
            if config.judge and stopped is None:
                stopped = _judge(work, summary, server)
            return Result(folder=opened.folder.path, summary=summary, stopped=stopped)
    finally:
        progress.end()


def _check_server_use(config: RunConfig, model: Model) -> None:
    if config.launch and not config.judge and not isinstance(model, MultiServerModel):
        raise ConfigError("--launch starts a server, which the model '{model}' does not use.", model=model.name)


def _run_inference(work: Run, model: Model, server: LaunchedServer | None, resumed: bool) -> RunStoppedError | None:
    """Start the server of `--launch`, if there is one, and run inference; returns the error that stopped it early."""
    if server is None:
        return work.run_inference(model, resumed)
    server.start(work.folder.server_log, work.progress.launching)
    if server.address not in work.config.api_base:  # another process had taken the port
        work.config = server.configure(work.config)
        model = make_model(work.config) if isinstance(model, MultiServerModel) else model
    stopped = work.run_inference(model, resumed)
    return (server.exit_error() or stopped) if stopped is not None else None


def make_server(config: RunConfig) -> AbstractContextManager[LaunchedServer | None]:
    """The server that `--launch` names; it is started when the first request is near."""
    if not config.launch:
        return nullcontext()
    from sightline.models.launched_server import LaunchedServer

    return LaunchedServer(config)


def _carry_over(manifest: Manifest, before: Manifest, data_sha256: str) -> None:
    """Copy what belongs to the run from its first start into the manifest of the resumed run."""
    manifest.started, manifest.ended = before.started, before.ended
    manifest.seconds_asking = before.seconds_asking
    # the fingerprint stays as the run recorded it, even by an older rule: that is what its answers are about
    manifest.key, manifest.data_sha256 = before.key, before.data_sha256
    manifest.data_fingerprint_version = before.data_fingerprint_version
    manifest.graded_data_sha256 = "" if data_sha256 == before.data_sha256 else data_sha256
    manifest.facts = [*manifest.facts, *resume_warnings(before)]


def _finished_run(work: Run, before: Manifest, data_sha256: str, server: LaunchedServer | None) -> Result | None:
    """The result of a finished run, with the plots and the judge that are wanted now.

    None where it is not finished, where its report is lost, and where it was graded with other data since.
    """
    if before.state != "finished" or before.graded_data_sha256 not in ("", data_sha256):
        return None
    if any(before.config.get(name) != work.manifest.config.get(name) for name in ("repeats", "pass_threshold")):
        return None
    try:
        summary = load_summary(work.folder.report_json)
    except DataError:
        return None
    if not summary.complete:
        return None
    stopped = None
    if not work.config.judge:
        work.progress.finished(work.folder, summary)
        if work.config.vis:
            report_writer.draw_plots([summary], work.folder.path / "plots")
    else:
        work.progress.finished_before_judge(work.folder, summary)
        work.manifest = before
        summary = work.grade()
        stopped = _judge(work, summary, server)
    return Result(folder=work.folder.path, summary=summary, stopped=stopped, was_finished=True)


def _grade_checked(work: Run, checked: Fingerprint, take: Callable[[], Fingerprint], is_fresh: bool = False) -> Summary:
    """Grade, and compare the data set's fingerprint before and after it with the one that was taken at the start.

    An answer key that was swapped meanwhile decides grades; the reports say so. `is_fresh`: it was taken just now.
    """
    before = checked if is_fresh else take()
    if before.sha256 != checked.sha256:
        work.notes = [*work.notes, describe_data_change(checked, before)]
        work.manifest.graded_data_sha256 = before.sha256
    summary = work.grade()
    after = take()
    if after.sha256 != before.sha256:
        work.manifest.graded_data_sha256 = after.sha256
        work.manifest.save(work.folder.manifest)
        work.add_notes(summary, [describe_data_change(before, after)])
    if isinstance(work.suite, ColumnSuite):
        export_run("outputs", work.folder.path, work.folder.outputs, work.suite)
    return summary


def _judge(work: Run, summary: Summary, server: LaunchedServer | None) -> RunStoppedError | None:
    """Run the judge on the replies of a run, and add its results to the notes of the run."""
    config = make_judge_config(work.config)
    suite = JudgeSuite(work.suite, work.samples, work.folder.journal, work.config.repeats)
    dataset = open_dataset(suite, work.data)
    first = next((sample for sample in dataset if isinstance(sample, Sample)), None)
    if first is None:
        work.add_notes(summary, [Remark("There are no replies with references for the judge.")])
        return None
    if server is not None and not work.config.judge_api_base:
        server.start(work.folder.server_log, work.progress.launching)
        config = server.configure(config)
    model = make_model(config)
    manifest = build_manifest(suite, config, model, work.data, work.manifest.data_sha256, first)
    folder, resumed = open_judge_folder(work.folder, manifest)
    expected = estimate_cost(suite, select_samples(dataset, config), config)
    if count_answered(folder.journal) < expected.requests:
        work.progress.forecast(expected)
    second = Run(
        suite=suite,
        config=config,
        data=work.data,
        dataset=dataset,
        folder=folder,
        manifest=manifest,
        progress=work.progress,
        reports=report_writer,
    )
    stopped = second.run_inference(model, resumed)
    work.add_notes(summary, describe_verdicts(second.grade()))
    return stopped


def regrade(
    path: Path,
    progress: Progress,
    data: str = "",
    accept_changed_data: bool = False,
    options: Mapping[str, Any] | None = None,
) -> Result:
    """Grade a run folder again, with the settings it was made with, on the data set that was asked."""
    folder = RunFolder(path)
    manifest = folder.load_manifest()
    kind = find("suites", manifest.suite) if options else None
    for name in options or {}:
        if kind is not None and name not in (taken := (*kind.file_options, *kind.grading_options)):
            raise UsageError(
                "Runs of the suite {suite} cannot be regraded with '{name}'.",
                hint="Options that may be given again: {listed}",
                suite=manifest.suite,
                name=name,
                listed=", ".join(sorted(taken)) or "–",
            )
    suite = load_recorded_suite(manifest, options)
    suite.tasks()  # code that must not be run is refused before anything is read
    if not folder.journal.exists():
        raise DataError(
            "{folder} was scored from files and has no journal to regrade.",
            hint="Rerun the same command: sightline score --anno-path …",
            folder=path,
        )
    data_path = local_copy(data or manifest.data)
    if not data_path.exists():
        raise DataError(
            "The data set of the run does not exist at {data}.", hint="Give its location: --data DIR", data=data_path
        )
    try:
        output_dirs = path.absolute().parent, Path(str(manifest.config.get("output_dir") or path.parent))
        scope = fingerprint_scope(suite, data_path, *output_dirs)
        now = compute_fingerprint(data_path, progress.checking, scope)
        checked = check_data(folder, manifest, now, data_path, accept_changed_data)
        work = Run(
            suite=suite,
            config=convert(
                RunConfig, {name: manifest.config[name] for name in _SELECTION_SETTINGS if name in manifest.config}
            ),
            data=data_path,
            dataset=open_dataset(suite, data_path),
            folder=folder,
            manifest=manifest,
            progress=progress,
            reports=report_writer,
            notes=checked.notes,
        )
        manifest.graded_data_sha256 = checked.graded_data_sha256
        take = partial(compute_fingerprint, data_path, scope=scope)
        return Result(folder=path, summary=_grade_checked(work, now, take, is_fresh=True))
    finally:
        progress.end()


_SELECTION_SETTINGS = ("limit", "filter", "sample", "stratify", "seed")
"""Settings that select the samples of a run."""


@contextmanager
def dataset_dir(suite: Suite, config: RunConfig) -> Iterator[Path]:
    """The local folder of a run's data set; for --debug without one, a temporary data set is generated."""
    if config.data:
        yield local_copy(config.data)
    elif config.debug:
        with tempfile.TemporaryDirectory(prefix="sightline-") as temporary:
            path = Path(temporary) / suite.name
            require_generator(suite).generate(path, 8, config.seed, suite.demo_config)
            yield path
    else:
        raise UsageError(
            "No data set given: use --data.",
            hint="Generate one: sightline generate {suite} --out DIR",
            suite=suite.name,
        )
