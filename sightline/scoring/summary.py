"""Summary of a graded run: the contents of report.json, from which every report is made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from sightline.core.atomic_io import write_json
from sightline.core.errors import DataError
from sightline.core.legacy import upgrade_record
from sightline.core.records import Estimate, Unit
from sightline.core.remarks import Remark
from sightline.data.json_decoding import JsonDecoder, decode_json
from sightline.scoring.failures import FailureGroup
from sightline.stats.blind_baselines import BlindBaseline
from sightline.stats.repeats import VarianceSplit


class Row(Struct, frozen=True, kw_only=True):
    """One figure: of which metric, over which samples, beside which blind baseline."""

    scope: str
    """`overall`, `task`, `level`, or the name of a tag."""
    name: str
    metric: str
    title: str
    core: bool
    estimate: Estimate
    baseline: BlindBaseline | None = None
    higher_is_better: bool = True
    unit: Unit = "share"
    english: str = ""
    """What `name` is called in English, where it is a name in another language."""
    lenient: Estimate | UnsetType = UNSET
    """The figure with replies read leniently; absent where no reply is read otherwise than as asked."""


class Usage(Struct, kw_only=True):
    """What the asking took, over all starts of the run."""

    requests: int = 0
    cached: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_reasoning: int = 0
    """How many of `tokens_out` were spent on thinking, where the server says so."""
    cost: float = 0.0
    seconds_in_model: float = 0.0
    """Sum over all replies that were not cached, from request to reply."""
    seconds_queued: float = 0.0
    """Sum over these replies of the seconds that their requests waited for a free slot or a rate limit."""
    seconds_to_first_token: float | None = None
    """Mean over streamed replies; None where none was streamed."""
    tokens_per_second: float | None = None
    """Output tokens per second of one request, on average; of streamed replies, after their first token."""
    total_tokens_per_second: float | None = None
    """Output tokens per second of all requests together."""


class TaskBreakdown(Struct, frozen=True, kw_only=True):
    """A table beside the figures of a task: by class, by size, a confusion matrix."""

    task: str
    name: str
    head: tuple[str, ...]
    rows: tuple[tuple[str | float | int | None, ...], ...]


class TaskFormat(Struct, frozen=True, kw_only=True):
    """How the replies to a task keep to the asked form, and what the task's headline loses by that."""

    task: str
    reply_format: str
    """`auto`, `strict` or the name of a profile."""
    replies: int
    """Samples that count."""
    rescued: dict[str, int] = {}
    """Replies that only the lenient reading reads, or reads otherwise, by the kind of deviation; the most first."""
    metric: str = ""
    """The task's headline metric."""
    strict: float | None = None
    lenient: float | None = None
    proposed_space: str = ""
    """A coordinate space that the replies fit better than the declared one; empty: none."""
    proposed_share: float = 0.0
    """The share of replies that fit it."""
    declared_space: str = ""
    """The space in which they were read, where another is proposed."""
    unsized: int = 0
    """Replies that could not be read leniently, since the sizes of their pictures are unknown."""


class RepeatSummary(Struct, kw_only=True):
    """How every question was asked several times, and what the mean's uncertainty comes from."""

    count: int
    temperature: float | None = None
    """The sampling temperature that was sent; None: none was."""
    seeds: list[int] = []
    """The seed of each repeat; empty: none was sent."""
    threshold: float = 1.0
    """The score from which a reply passes in pass@k."""
    measure: str = ""
    """The metric whose variance is split."""
    questions: int = 0
    """Questions with a graded reply; all figures of repeats are means over these."""
    ties: int = 0
    """Questions whose majority vote was tied; they count with the mean score of the tied answers."""
    failed: int = 0
    """Replies that failed."""
    incomplete: int = 0
    """Questions with a reply that failed."""
    pooled: list[str] = []
    """Metrics without a mean per question: they pool all graded replies, and their `n` counts replies."""
    variance: VarianceSplit
    tasks: dict[str, VarianceSplit] = {}


class Summary(Struct, kw_only=True):
    """Every figure of a run with what it rests on. With repeats, statuses and `pending` count replies."""

    suite: str
    title: str
    model: str
    params: str = ""
    headline: str = ""
    samples: int = 0
    """All samples of the selection, invalid ones and those not asked yet included."""
    pending: int = 0
    statuses: dict[str, int] = {}
    failures: list[FailureGroup] = []
    """Why samples failed: the largest groups."""
    failed_after_feedback: int = 0
    """Samples with an answer whose last attempt after feedback failed."""
    baselines: dict[str, float] = {}
    rows: list[Row] = []
    breakdowns: list[TaskBreakdown] = []
    formats: list[TaskFormat] = []
    """By task, where replies are read as columns and leniently too."""
    digest: dict[str, Any] = {}
    """The suite's own conclusions from the figures, by name."""
    usage: Usage = msgspec.field(default_factory=Usage)
    facts: list[Remark] = []
    deviations: list[Remark] = []
    notes: list[Remark] = []
    repeats: RepeatSummary | UnsetType = UNSET
    """Absent where every question was asked once."""

    @property
    def repeat_count(self) -> int:
        """How often every question was asked."""
        return 1 if isinstance(self.repeats, UnsetType) else self.repeats.count

    @property
    def head(self) -> Row | None:
        """The headline figure."""
        return next((row for row in self.rows if row.scope == "overall" and row.metric == self.headline), None)

    @property
    def score(self) -> Estimate | None:
        """The headline estimate."""
        return self.head.estimate if self.head else None

    @property
    def best_baseline(self) -> BlindBaseline | None:
        """The best blind strategy."""
        return self.head.baseline if self.head else None

    @property
    def coverage(self) -> float | None:
        """Share of all samples, invalid ones too, with an answer that could be read; with repeats, of all replies."""
        expected = self.samples * self.repeat_count
        return self.statuses.get("answered", 0) / expected if expected else None

    @property
    def complete(self) -> bool:
        """Whether every valid sample has an answer."""
        return self.pending == 0 and self.statuses.get("failed", 0) == 0 and self.failed_after_feedback == 0

    def rows_of(self, scope: str) -> list[Row]:
        """The figures of one breakdown."""
        return [row for row in self.rows if row.scope == scope]

    def scopes(self) -> list[str]:
        """The breakdowns there are, in their order."""
        return list(dict.fromkeys(row.scope for row in self.rows))


def save_summary(summary: Summary, path: Path) -> None:
    """Write report.json with full precision."""
    write_json(path, summary)


_decoder = JsonDecoder[Summary](Summary)


def load_summary(path: Path) -> Summary:
    """Read report.json."""
    try:
        content = path.read_bytes()
        if b'"states"' in content or b'"facts":{' in content.replace(b" ", b""):  # of an earlier version
            content = msgspec.json.encode(upgrade_record(decode_json(content)))
        return _decoder.decode(content)
    except OSError:
        raise DataError(
            "{folder} has no metrics yet.", hint="Grade it: sightline regrade {folder}", folder=path.parent
        ) from None
    except msgspec.DecodeError as error:
        raise DataError("Cannot read {path}: {why}", path=path, why=error) from None
