"""LLM-as-a-judge: pairwise comparison of replies with references, auxiliary to the objective scores.

The judge sees the question, a reference and the reply, in both orders to cancel position bias, and says which is
better. Its run is stored in the subfolder `judge` with its own manifest, journal and grades; it is never the headline.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path

from msgspec.structs import replace

from sightline.core.config import RunConfig
from sightline.core.errors import DataError
from sightline.core.interfaces import NoOptions, Scorer, Suite, Task
from sightline.core.records import Answer, Attempt, Invalid, Message, Prompt, Sample, Score, Text
from sightline.core.remarks import Remark
from sightline.data.dataset import IterableDataset
from sightline.inference.journal import JournalReader
from sightline.models.endpoints import judge_as_model
from sightline.runs.folder import RunFolder
from sightline.runs.manifest import Manifest
from sightline.scoring.parsers.thinking import without_thinking
from sightline.scoring.sample_scorer import grade_attempt
from sightline.scoring.summary import Summary

ORDERS = 2
MAX_VERDICT_TOKENS = 2048
"""Token limit of a verdict: one word needs one token, but a reasoning model thinks first."""
PROMPT_TEMPLATE = """You compare two answers to a question. Judge only how well each answers it; length does not count.

Question:
{question}

Answer 1:
{first}

Answer 2:
{second}

Which answer is better? Reply with 1, 2 or "equal" only."""
Samples = Callable[[], Iterator[tuple[int, Sample | Invalid]]]


class JudgeSuite(Suite):
    """A suite whose samples are the replies of a run: is the reply at least as good as the reference?"""

    name = "judge"
    version = "2"
    title = "A judge's comparison of replies with references"
    options_type = NoOptions

    def __init__(self, suite: Suite, samples: Samples, journal: Path, repeats: int = 1) -> None:
        super().__init__(NoOptions())
        self._suite, self._samples, self._journal, self._repeats = suite, samples, journal, repeats

    def tasks(self) -> dict[str, Task]:
        """The single task `judge`."""
        return {"judge": Task(name="judge", parser="text", metrics=("mean_score",), auxiliary=("judge_agreement",))}

    def dataset(self, path: Path) -> IterableDataset:
        """One sample per reply that has a reference; with `--repeats`, every repeat is a reply."""
        return IterableDataset(self._read)

    def _read(self) -> Iterator[Sample | Invalid]:
        history = JournalReader(self._journal)
        try:
            for repeat in range(1, self._repeats + 1):  # outside, so that more repeats leave positions as they are
                for position, sample in self._samples():
                    if not isinstance(sample, Sample):
                        continue
                    attempts = history.attempts(position, sample.id, repeat)
                    if attempts and (question := self._question(sample, attempts[0], repeat)) is not None:
                        yield question
        finally:
            history.close()

    def _question(self, sample: Sample, attempt: Attempt, repeat: int) -> Sample | None:
        if attempt.failure is not None or not attempt.answers:
            return None
        reply = attempt.answers[-1].text
        reference = self._suite.reference(sample)
        if reference is None or not reply.strip():
            return None
        objective = grade_attempt(self._suite, sample, attempt).score
        return Sample(
            id=sample.id if repeat == 1 else f"{sample.id}#{repeat}",
            task="judge",
            question=sample.question,
            target={"reply": reply, "reference": reference, "objective": objective},
            media=sample.media,
            cluster=sample.cluster or (sample.id if self._repeats > 1 else ""),
            source=sample.source,
        )

    def next_prompt(self, sample: Sample, answers: Sequence[Answer]) -> Prompt | None:
        """Reply first, then reference first."""
        if len(answers) >= ORDERS:
            return None
        texts = [sample.target["reply"], sample.target["reference"]]
        first, second = texts if not answers else texts[::-1]
        text = PROMPT_TEMPLATE.format(question=sample.question, first=first, second=second)
        return Prompt((Message("user", (*sample.media, Text(text))),))

    def scorer(self, task: str) -> Scorer:
        """Score 1 if the reply is at least as good in both orders, 0.5 if the verdict depends on the order."""
        return score_verdicts

    def oracle_reply(self, sample: Sample) -> str:
        """The verdict of a tie."""
        return "equal"

    def corrupted_replies(self, sample: Sample) -> Mapping[str, str]:
        """A reply without a verdict."""
        return {"none": "I can't tell."}


def score_verdicts(sample: Sample, answers: Sequence[Answer]) -> Score:
    """Share of the verdicts by which the reply is at least as good as the reference.

    An unparsed verdict is a fault of the judge, not of the reply, and gets weight 0.
    """
    verdicts = [_parse_verdict(answer.text) for answer in answers]
    details = {"objective": sample.target["objective"], "verdicts": verdicts}
    if not verdicts or not all(verdicts):
        return Score(status="unparsed", details=details, weight=0.0)
    earned = [verdict in ("equal", expected) for verdict, expected in zip(verdicts, ("1", "2"), strict=False)]
    return Score(value=sum(earned) / len(earned), details=details)


def open_judge_folder(run: RunFolder, manifest: Manifest) -> tuple[RunFolder, bool]:
    """Open the subfolder `judge` of a run; returns it and whether it holds a run of the same judge to resume.

    Verdicts of another judge are moved to `judge-2` and so on.
    """
    folder = RunFolder(run.path / "judge")
    if folder.path.exists():
        with suppress(DataError):
            if folder.load_manifest().key == manifest.key:
                return folder, True
        folder.path.rename(next(path for k in count(2) if not (path := run.path / f"judge-{k}").exists()))
    folder.path.mkdir(exist_ok=True)
    return folder, False


def make_judge_config(config: RunConfig) -> RunConfig:
    """Derive the judge's settings: the same server unless another is named, temperature 0, cached replies."""
    return replace(
        judge_as_model(config),
        system="",
        temperature=0.0,
        max_tokens=MAX_VERDICT_TOKENS,
        blind=False,
        cache=True,
        max_retries=0,
        limit=None,
        sample=None,
        filter=(),
        repeats=1,
    )


def describe_verdicts(summary: Summary) -> list[Remark]:
    """Summarize the judge's run in one or two sentences for the report."""
    by_metric = {row.metric: row.estimate for row in summary.rows_of("overall")}
    score, agreement = by_metric["mean_score"], by_metric["judge_agreement"]
    facts = {"model": summary.model, "count": score.n - score.unparsed, "unread": score.unparsed}
    if score.value is None:
        return [
            Remark("None of the {unread} verdicts of judge {model} could be parsed.", facts)
            if score.unparsed
            else Remark("The judge {model} gave no verdict.", facts)
        ]
    facts |= {
        "score": f"{100 * score.value:.1f} %",
        "agreement": "–" if agreement.value is None else f"{100 * agreement.value:.1f} %",
    }
    result = Remark(
        "Judge {model}: {score} of {count} replies at least as good as the reference; "
        "agreement with the scores {agreement}.",
        facts,
    )
    unparsed = Remark("{unread} more replies are not counted: the verdicts of judge {model} cannot be parsed.", facts)
    return [result, unparsed] if score.unparsed else [result]


_MAX_CHARACTERS = 10_000
"""Longer replies are not parsed."""
_VERDICTS = {"1": "1", "2": "2", "answer 1": "1", "answer 2": "2", "equal": "equal", "tie": "equal"}
_CLAIM = re.compile(
    r"\b(?P<one>[12])\W{0,3}(?: (?:is|was|seems|looks))?(?: (?:\w+ly|much|far|the))? (?:better|best|superior)\b"
    r"|\b(?:better|best)(?: (?:answer|one))?(?: is)?\W{1,4}(?:answer )?(?P<other>[12])\b"
    r"(?!\W+(?:(?:or|and) )?(?:answer )?[12]\b)"
    r"|\b(?:are|is)(?: (?:\w+ly|both|about))? (?P<equal>equal|equally \w+|(?:a )?tie|tied)\b"
)
_NEGATION = re.compile(r"\b(?:not|no|never|neither|nor|hardly|cannot|if|whether|which|or)\b|n['’]t\b")
"""Words that make a following claim in the same sentence undecided."""


def _parse_verdict(text: str) -> str:
    """Parse `1`, `2` or `equal`; empty if the reply contains none or several different verdicts."""
    reply = without_thinking(text).casefold()
    if len(reply) > _MAX_CHARACTERS:
        return ""
    verdicts = set()
    for line in reply.splitlines():
        if verdict := _VERDICTS.get(re.sub(r"^\W+|\W+$", "", line)):
            verdicts.add(verdict)
        for sentence in re.split(r"[.!?;]", line):
            for claim in _CLAIM.finditer(sentence):
                if not _NEGATION.search(sentence, 0, claim.start()):
                    verdicts.add(claim["one"] or claim["other"] or "equal")
    return verdicts.pop() if len(verdicts) == 1 else ""
