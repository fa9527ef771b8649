"""All settings of a run, in one record: the table from which flags, environment, file keys and docs are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from msgspec import Struct
from msgspec.structs import force_setattr

from sightline.core import settings
from sightline.core.errors import ConfigError
from sightline.core.registry import find, names
from sightline.core.score_config import ScoreConfig
from sightline.core.secret_masking import mask_command, mask_secrets, without_password
from sightline.core.settings import ENV_PREFIX, Setting, setting

MAX_REPEATS = 100


_model, _images, _data, _scoring, _budget, _batch, _judge, _output = (
    partial(setting, group=group)
    for group in ("Model", "Images", "Data", "Scoring", "Budget", "Batch", "Judge", "Output")
)


class RunConfig(Struct, frozen=True, kw_only=True):
    """Settings of a run, without the options of the suite."""

    # what is asked, and whom
    model: Annotated[
        str, _model("model: openai/NAME or NAME, hf/PATH, callable:MODULE:FUNCTION, baseline/…, replay/FILE")
    ] = ""
    data: Annotated[str, _data("folder or file of the data set", short="--anno-path")] = ""
    params: Annotated[str, _model("parameter count shown in reports, such as 11B")] = ""
    limit: Annotated[int | None, _data("only the first N samples in all", ge=1)] = None
    filter: Annotated[
        tuple[str, ...], _data("only samples whose id, task or tags contain this word, or that have tag=value")
    ] = ()
    sample: Annotated[
        int | None, _data("only N samples, drawn evenly from the strata; scores are weighted back", ge=1)
    ] = None
    stratify: Annotated[tuple[str, ...], _data("tags that define the strata, such as dimension,difficulty")] = ("task",)
    blind: Annotated[bool, _data("send no images: shows what the text alone gives away")] = False
    debug: Annotated[bool, _data("grade the suite's oracle replies; anything below full marks is an error")] = False
    dry_run: Annotated[bool, _budget("estimate samples, tokens and cost; send no request")] = False

    # how the model is called
    api_base: Annotated[
        tuple[str, ...], _model("address of an OpenAI-compatible server, or of several (else OPENAI_BASE_URL)")
    ] = ()
    api_key: Annotated[
        tuple[str, ...],
        _model("key for the server, or one for each address (else OPENAI_API_KEY, also from .env)", secret=True),
    ] = ()
    launch: Annotated[str, _model("command that starts the server for this run, with {port} for its port")] = ""
    launch_timeout: Annotated[float, _model("seconds to wait until a launched server answers", ge=1)] = 1800.0
    system: Annotated[str, _model("system prompt")] = ""
    temperature: Annotated[float | None, _model("sampling temperature; none: the server's default", ge=0)] = 0.0
    max_tokens: Annotated[
        int | None, _model("maximum reply length in tokens; by default as the suite needs; none: no limit", ge=1)
    ] = 2048
    seed: Annotated[int, _model("seed for --sample, the baselines and the model's sampling")] = 0
    model_args: Annotated[
        dict[str, Any], _model("extra request fields as key=value; null removes a field", short="-M")
    ] = {}

    tools: Annotated[
        str,
        _model(
            "how tools are offered: native calls, text only, or auto: text and native calls if the server accepts them",
            choices=("auto", "native", "text"),
        ),
    ] = "auto"
    # how images are sent
    max_pixels: Annotated[
        int | None, _images("maximum pixels of an image, such as 100k or 1.5M; larger ones are resized", ge=1)
    ] = None
    min_pixels: Annotated[int | None, _images("minimum pixels of an image; smaller ones are enlarged", ge=1)] = None
    pixel_multiple: Annotated[
        int, _images("resize both sides of an image to multiples of this, such as 28", ge=1, le=1024)
    ] = 1
    image_format: Annotated[
        str,
        _images(
            "format of sent images; auto: PNG and JPEG as they are, others as PNG; keep: WebP and GIF as they are too",
            choices=("auto", "png", "jpeg", "webp", "keep"),
        ),
    ] = "auto"
    image_detail: Annotated[str, _images("`detail` of images in requests", choices=("", "low", "high", "auto"))] = ""
    # every question several times
    repeats: Annotated[int, _data("times that every question is asked", ge=1, le=MAX_REPEATS)] = 1
    pass_threshold: Annotated[
        float, _scoring("score from which a reply passes in pass@k (with --repeats)", ge=0, le=1)
    ] = 1.0

    # pace, patience and budget
    concurrency: Annotated[
        int, _budget("maximum concurrent requests; reduced automatically if the server is overloaded", ge=1)
    ] = 32
    timeout: Annotated[float, _budget("timeout of a request in seconds", ge=0.1)] = 180.0
    max_tries: Annotated[
        int, _budget("tries per request before it counts as failed, while the server answers others", ge=1)
    ] = 6
    max_outage: Annotated[float, _budget("seconds to wait for a server that is down before the run stops", ge=0)] = (
        600.0
    )
    max_reply_bytes: Annotated[int, _budget("maximum size of a response in bytes; larger ones fail", ge=1000)] = (
        16 * 2**20
    )
    requests_per_minute: Annotated[int | None, _budget("maximum requests per minute", ge=1)] = None
    tokens_per_minute: Annotated[int | None, _budget("maximum tokens per minute", ge=1)] = None
    max_requests: Annotated[int | None, _budget("stop after this many requests", ge=1)] = None
    max_cost: Annotated[
        float | None, _budget("stop before the run costs more than this (requires the prices)", ge=0)
    ] = None
    price_in: Annotated[float, _budget("price per million prompt tokens", ge=0)] = 0.0
    price_out: Annotated[float, _budget("price per million reply tokens", ge=0)] = 0.0
    max_retries: Annotated[
        int,
        _model(
            "additional attempts with feedback after a wrong answer (not retries of failed requests: --max-tries)", ge=0
        ),
    ] = 0
    cache: Annotated[bool, _budget("reuse replies to identical requests across runs")] = False
    cache_path: Annotated[str, _budget("reply cache file; default: in the user's cache folder")] = ""

    # many requests: by several processes, or handed in for later
    join: Annotated[bool, _budget("share the run with other processes of the same command")] = False
    batch: Annotated[bool, _batch("submit requests via the Batch API and collect results later")] = False
    batch_window: Annotated[str, _batch("completion window of a batch, as the server defines it")] = "24h"
    batch_requests: Annotated[int, _batch("maximum requests per batch", ge=1)] = 50_000
    batch_megabytes: Annotated[float, _batch("maximum size of a batch file in MB", ge=0.001)] = 200.0
    batch_price: Annotated[
        float, _batch("price of a batch request relative to the regular price, such as 0.5", ge=0)
    ] = 1.0

    # a second opinion
    judge: Annotated[str, _judge("judge model for open replies; auxiliary, never the headline score")] = ""
    judge_api_base: Annotated[tuple[str, ...], _judge("address of the judge's server; default: the model's")] = ()
    judge_api_key: Annotated[
        tuple[str, ...],
        _judge("key for the judge's server; default: the model's, if the server is the same", secret=True),
    ] = ()

    # where results go
    output_dir: Annotated[str, _output("folder that holds the run folders")] = "runs"
    fresh: Annotated[bool, _output("start a new run even if the same command already has one")] = False
    fail_under: Annotated[
        float | None, _output("exit with 1 if the headline score (0–1) is below this", ge=0, le=1)
    ] = None
    vis: Annotated[bool, _output("write plots (PNG and PDF)")] = False
    json: Annotated[bool, _output("print the result as JSON on standard output")] = False
    lang: Annotated[str, _output("language of messages and reports", choices=("", "en", "zh"))] = ""

    def __post_init__(self) -> None:
        for name in ("api_base", "api_key", "judge_api_base", "judge_api_key"):
            if isinstance(given := getattr(self, name), str):  # as notebooks write it
                force_setattr(self, name, tuple(part.strip() for part in given.split(",") if part.strip()))

    def __repr__(self) -> str:
        return f"RunConfig({mask_config(self)})"  # a traceback may show it


ADDED_SETTINGS = ("max_pixels", "min_pixels", "pixel_multiple", "image_format", "image_detail", "tools", "launch")
"""Settings that earlier versions did not have: the run key omits them where they have their defaults."""
PACE_ONLY = frozenset(
    {"concurrency", "timeout", "max_tries", "max_outage", "launch_timeout", "max_reply_bytes", "requests_per_minute"}
    | {"tokens_per_minute", "max_requests", "max_cost"}
    | {"price_in", "price_out", "cache", "cache_path", "output_dir", "fresh", "fail_under", "json", "lang", "api_key"}
    | {"debug", "dry_run", "params", "judge", "judge_api_base", "judge_api_key", "vis"}
    | {"join", "batch", "batch_window", "batch_requests", "batch_megabytes", "batch_price"}
    | {"repeats", "pass_threshold"}  # more repeats are added to a run; those it has stay valid
)
"""Settings that change how fast, how long or where, but not what is asked: a run can be resumed with others."""


def resolve(
    suite: str,
    *,
    file: Path | None = None,
    environment: Mapping[str, str] | None = None,
    flags: Mapping[str, Any] | None = None,
) -> tuple[RunConfig, Struct]:
    """The run's settings and the suite's options: defaults < file < environment < flags."""
    options_type: type[Struct] = find("suites", suite).options_type
    rows = settings.table(RunConfig) + settings.table(options_type)
    refuse_unknown_environment(environment or {})
    values = settings.layer_values(rows, file, environment, flags)
    own = {row.name for row in settings.table(RunConfig)}
    if "max_tokens" not in values:
        budget = thinking_budget(values.get("model_args", {})) or 0
        values["max_tokens"] = find("suites", suite).max_reply_tokens + budget
    config = RunConfig(**{k: v for k, v in values.items() if k in own})
    if config.max_cost is not None and not (config.price_in or config.price_out):
        raise ConfigError(
            "--max-cost requires the prices.", hint="Give --price-in and --price-out, per million tokens."
        )
    check_combination(config)
    return config, options_type(**{k: v for k, v in values.items() if k not in own})


def thinking_budget(model_args: Mapping[str, Any]) -> int | None:
    """The number of tokens that a model may think (`-M thinking_budget=N`, 0: not at all); None where none is set."""
    budget = model_args.get("thinking_budget")
    if budget is None:
        return None
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 0:
        raise ConfigError("-M thinking_budget takes a number of tokens, not '{value}'.", value=budget)
    return budget


def check_combination(config: RunConfig) -> None:
    """Raise `ConfigError` for settings that exclude each other."""
    if config.join and (config.batch or config.fresh):
        raise ConfigError(
            "--join cannot be combined with --batch or --fresh.", hint="Start the first process without --join."
        )
    if config.max_pixels is not None and config.pixel_multiple**2 > config.max_pixels:
        raise ConfigError("--max-pixels is smaller than the square of --pixel-multiple.")
    if config.max_pixels is not None and (config.min_pixels or 0) > config.max_pixels:
        raise ConfigError("--min-pixels is larger than --max-pixels.")
    if config.batch and len(config.api_base) > 1:
        raise ConfigError("--batch requires a single server.", hint="Give one --api-base, or leave --batch out.")
    stream = config.model_args.get("stream")
    if stream is not None and not isinstance(stream, bool):
        raise ConfigError("-M stream takes true or false, not '{value}'.", value=stream)
    if config.batch and stream:
        raise ConfigError("-M stream=true cannot be combined with --batch.", hint="Leave one of them out.")
    if config.launch and (config.api_base or config.batch):
        raise ConfigError(
            "--launch cannot be combined with --api-base or --batch.",
            hint="A launched server listens on a free port of this machine, and ends with the run.",
        )
    if config.launch and config.cache:
        raise ConfigError(
            "--launch cannot be combined with --cache.",
            hint="The cache knows a model by its server: replies of another checkpoint would be taken for its own.",
        )
    if config.repeats > 1 and config.model.startswith("replay/"):
        raise ConfigError("--repeats requires a model that is asked: replay/FILE has one reply per sample.")
    if config.batch and config.max_cost is not None:
        raise ConfigError("--max-cost is not supported with --batch.", hint="Cap the run with --max-requests.")


OTHER_VARIABLES = ("SIGHTLINE_CJK_FONT",)
"""Variables that are no settings of a run: a typeface with Chinese characters, for drawings."""


def refuse_unknown_environment(environment: Mapping[str, str]) -> None:
    """A misspelt SIGHTLINE_ variable is an error; one that belongs to another suite is not."""
    known = [*(row.env for row in all_settings()), *OTHER_VARIABLES]
    settings.refuse_unknown([name for name in environment if name.startswith(ENV_PREFIX)], known, "the environment")


def all_settings() -> Sequence[Setting]:
    """Every setting of runs, of scoring files, and of all installed suites."""
    rows = [*settings.table(RunConfig), *settings.table(ScoreConfig)]
    for suite in names("suites"):
        rows += settings.table(find("suites", suite).options_type)
    return rows


def mask_config(config: RunConfig) -> dict[str, Any]:
    """The settings as the manifest may show them: no key, no password inside an address or an extra argument."""
    shown = {row.name: getattr(config, row.name) for row in settings.table(RunConfig)}
    for row in settings.table(RunConfig):
        if row.secret and shown[row.name]:
            shown[row.name] = "***"
    for address in ("api_base", "judge_api_base"):
        shown[address] = ",".join(map(without_password, shown[address]))
    shown["model_args"] = mask_secrets(config.model_args)
    shown["launch"] = mask_command(config.launch)
    if config.repeats == 1:  # manifests of runs without repeats stay as they were before there were any
        del shown["repeats"], shown["pass_threshold"]
    return shown
