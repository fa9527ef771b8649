"""The whole way in one call: read, ask, journal, grade, report. The command line and notebooks both come here."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from sightline.asking.estimate import Forecast, forecast
from sightline.config import RunConfig, resolve
from sightline.contracts import Suite
from sightline.errors import DataError, RunStoppedError, UsageError
from sightline.execution import Progress, Run, first_sample, selection
from sightline.grading.notebook import records, to_pandas, to_polars
from sightline.grading.summary import Summary, load_summary
from sightline.judging import JudgeSuite, judge_config, judge_notes
from sightline.line_progress import LineProgress
from sightline.models import make_model
from sightline.protocol import describe_run
from sightline.records import Remark, Sample
from sightline.registry import find, load_suite
from sightline.runs.folder import RunFolder, open_folder
from sightline.score_config import resolve_score
from sightline.scoring.stages import LineStages
from sightline.settings import convert
from sightline.sources.places.nearby import near_path

if TYPE_CHECKING:
    from sightline.scoring.report import ScoreReport

Telling = Progress | bool | None
"""How a call tells of its progress: True prints plain lines, None and False say nothing."""


class Result(Struct, kw_only=True):
    """A graded run: where it is, what it came to, and why it stopped early if it did."""

    folder: Path
    summary: Summary
    stopped: RunStoppedError | None = None

    @property
    def complete(self) -> bool:
        """Whether every valid sample has an answer."""
        return self.stopped is None and self.summary.complete

    def to_dict(self) -> dict[str, Any]:
        """All figures as plain values."""
        plain: dict[str, Any] = msgspec.to_builtins(self.summary)
        return {"folder": str(self.folder), "stopped": str(self.stopped or ""), **plain}

    def to_dataframe(self) -> Any:
        """One row a figure, as a pandas DataFrame."""
        return to_pandas(records({self.summary.model: self.summary}))

    def to_polars(self) -> Any:
        """One row a figure, as a Polars DataFrame."""
        return to_polars(records({self.summary.model: self.summary}))

    def _repr_html_(self) -> str:
        from sightline.reports.notebook import summaries_html

        return summaries_html([self.summary])

    def __str__(self) -> str:
        from sightline.reports.markdown import to_markdown

        return to_markdown(self.summary)


def evaluate(suite: str, *, progress: Telling = None, **settings: Any) -> Result:
    """Ask a model and grade it: `evaluate("simulation", model="baseline/random", data="…", modality="text")`.

    Takes every setting of the command line by its own name; the environment's SIGHTLINE_* variables count too.
    `progress=True` prints a line now and then.
    """
    config, options = resolve(suite, environment=os.environ, flags=settings)
    return run(find("suites", suite)(options), config, _telling(progress))


def _telling(progress: Telling) -> Progress:
    """What was given, plain lines for True, silence otherwise."""
    return LineProgress() if progress is True else progress or Progress()


Place = str | Path


def score(
    anno: Place, results: Place | Mapping[str, Place], *, suite: str = "", progress: bool = False, **settings: Any
) -> ScoreReport:
    """Score saved outputs against annotation files: `score("anno", {"A": "outA", "B": "outB"})`.

    Takes every setting of `sightline score --anno-path …` by its own name; `progress=True` prints a line now and then.
    """
    from sightline.scoring.job import score_files

    paths = results.items() if isinstance(results, Mapping) else [("", results)]
    given = tuple(f"{name}={path}" if name else str(path) for name, path in paths)
    config = resolve_score(flags={"anno_path": str(anno), "model_result_path": given, **settings})
    return score_files(config, suite, LineStages()) if progress else score_files(config, suite)


def score_replies(suite: str, replies: str, *, progress: Telling = None, **settings: Any) -> Result:
    """Grade replies saved in a file: `score_replies("simulation", "replies.jsonl", data="…")`."""
    return evaluate(suite, progress=progress, model=f"replay/{replies}", **settings)


def grade_again(run: str | Path, *, data: str = "", progress: Telling = None) -> Result:
    """Grade a run folder again, with the settings it was made with."""
    return regrade(Path(run), _telling(progress), data=data)


def generate(suite: str, out: str | Path, *, count: int = 8, seed: int = 0, **wishes: Any) -> Path:
    """Write a fresh data set of a suite; the same seed and wishes (those of the suite's recipe) give the same bytes."""
    folder = Path(out)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError("{folder} is there already and not empty.", hint="Name a new folder.", folder=folder)
    made = load_suite(suite)
    made.generate(folder, count, seed, convert(made.recipe_type, wishes))
    return folder


def load_run(folder: str | Path) -> Result:
    """A graded run from its folder."""
    place = RunFolder(Path(folder))
    place.load()
    return Result(folder=place.path, summary=load_summary(place.report_json))


def preview(suite: Suite, config: RunConfig) -> Forecast:
    """What a run would take."""
    with _data(suite, config) as data:
        return forecast(suite, selection(suite, data, config), config)


def run(suite: Suite, config: RunConfig, progress: Progress) -> Result:
    """Ask what has not been asked yet, then grade everything."""
    if config.debug:
        config = msgspec.structs.replace(config, model="baseline/oracle", fresh=True)
    with _data(suite, config) as data:
        model = make_model(config)
        manifest = describe_run(suite, config, model, data, first_sample(suite, data, config))
        folder, resumed = open_folder(Path(config.output_dir), manifest, config.fresh)
        if resumed:
            before = folder.load()
            manifest.started, manifest.seconds_asking = before.started, before.seconds_asking
        work = Run(suite=suite, config=config, data=data, folder=folder, manifest=manifest, progress=progress)
        try:
            stopped = work.ask(model, resumed)
            summary = work.grade()
            if config.judge and stopped is None:
                stopped = _judge(work, summary)
            return Result(folder=folder.path, summary=summary, stopped=stopped)
        finally:
            progress.end()


def _judge(work: Run, summary: Summary) -> RunStoppedError | None:
    """Ask the judge about the run's replies, and put what it says into the run's notes."""
    config = judge_config(work.config)
    suite = JudgeSuite(work.suite, work.samples, work.folder.journal)
    first = next((sample for sample in suite.read(work.data) if isinstance(sample, Sample)), None)
    if first is None:
        work.add_notes(summary, [Remark("There is nothing for a judge to compare.")])
        return None
    model = make_model(config)
    manifest = describe_run(suite, config, model, work.data, first)
    folder = RunFolder(work.folder.path / "judge")
    resumed = folder.path.exists()
    folder.path.mkdir(exist_ok=True)
    work.progress.forecast(forecast(suite, selection(suite, work.data, config), config))
    second = Run(suite=suite, config=config, data=work.data, folder=folder, manifest=manifest, progress=work.progress)
    stopped = second.ask(model, resumed)
    work.add_notes(summary, judge_notes(second.grade()))
    return stopped


def regrade(path: Path, progress: Progress, data: str = "") -> Result:
    """Grade a run folder again, with the settings it was made with."""
    folder = RunFolder(path)
    manifest = folder.load()
    if not folder.journal.exists():
        raise DataError(
            "{folder} was scored from files; it has no journal to grade again.",
            hint="Give the same command again: sightline score --anno-path …",
            folder=path,
        )
    place = near_path(data or manifest.data)
    if not place.exists():
        raise DataError("The run's data set is not at {data}.", hint="Say where it is: --data DIR", data=place)
    work = Run(
        suite=load_suite(manifest.suite, **manifest.options),
        config=convert(RunConfig, {name: manifest.config[name] for name in _SELECTING if name in manifest.config}),
        data=place,
        folder=folder,
        manifest=manifest,
        progress=progress,
    )
    try:
        return Result(folder=path, summary=work.grade())
    finally:
        progress.end()


_SELECTING = ("limit", "filter", "sample", "stratify", "seed")
"""The settings that decide which samples a run is about."""


class _data:  # noqa: N801  # read as a verb: with the data of a run
    """The folder of a run's data set; for --debug without one, a fresh set that lasts as long as it is needed."""

    def __init__(self, suite: Suite, config: RunConfig) -> None:
        self._made: tempfile.TemporaryDirectory[str] | None = None
        if config.data:
            self._path = near_path(config.data)
        elif config.debug:
            self._made = tempfile.TemporaryDirectory(prefix="sightline-")
            self._path = Path(self._made.name) / suite.name
            suite.generate(self._path, 8, config.seed, suite.quick_recipe)
        else:
            raise UsageError(
                "Where is the data set? Give --data.",
                hint="A fresh one: sightline generate {suite} --out DIR",
                suite=suite.name,
            )

    def __enter__(self) -> Path:
        return self._path

    def __exit__(self, *_: object) -> None:
        if self._made is not None:
            self._made.cleanup()
