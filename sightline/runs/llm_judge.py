"""A model's opinion beside the objective marks: auxiliary, pinned, journaled like any run, never the headline.

The judge is shown the question, a reference and the reply, in both orders, and says which is better. Its run lies in
the folder `judge` of the run it is about, with a manifest, a journal and grades of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from sightline.core.config import RunConfig
from sightline.core.errors import DataError, UsageError
from sightline.core.interfaces import NoRecipe, Suite, Task
from sightline.core.records import Answer, Attempt, Grade, Invalid, Message, Prompt, Remark, Sample, Text
from sightline.inference.journal.reader import JournalReader
from sightline.models.endpoints import judge_as_model
from sightline.runs.folder import RunFolder
from sightline.runs.manifest import Manifest
from sightline.scoring.parsers.thinking import without_thinking
from sightline.scoring.sample_scorer import grade_attempt
from sightline.scoring.summary import Summary

ORDERS = 2
ROOM = 2048
"""Tokens of a verdict: a word takes one, but a model that reasons thinks before it."""
QUESTION = """You compare two answers to a question. Judge only how well each answers it; length does not count.

Question:
{question}

Answer 1:
{first}

Answer 2:
{second}

Which answer is better? Reply with 1, 2 or "equal" only."""
Samples = Callable[[], Iterator[tuple[int, Sample | Invalid]]]


class JudgeSuite(Suite):
    """The replies of a run as questions to a judge: is the reply at least as good as the reference?"""

    name = "judge"
    version = "2"
    title = "A judge's comparison of replies with references"
    options_type = NoRecipe

    def __init__(self, suite: Suite, samples: Samples, journal: Path) -> None:
        super().__init__(NoRecipe())
        self._suite, self._samples, self._journal = suite, samples, journal

    def tasks(self) -> dict[str, Task]:
        """One."""
        return {"judge": Task(name="judge", parser="text", metrics=("mean_score",), auxiliary=("judge_agreement",))}

    def read(self, data: Path) -> Iterator[Sample | Invalid]:
        """One sample a reply that has a reference to stand beside."""
        history = JournalReader(self._journal)
        try:
            for position, sample in self._samples():
                attempts = history.attempts(position, sample.id) if isinstance(sample, Sample) else []
                if attempts and (question := self._question(sample, attempts[0])) is not None:
                    yield question
        finally:
            history.close()

    def _question(self, sample: Sample | Invalid, attempt: Attempt) -> Sample | None:
        assert isinstance(sample, Sample), "only what was asked has answers"
        if attempt.failure is not None or not attempt.answers:
            return None
        reply = attempt.answers[-1].text
        reference = self._suite.reference(sample)
        if reference is None or not reply.strip():
            return None
        objective = grade_attempt(self._suite, sample, attempt).score
        return Sample(
            id=sample.id,
            task="judge",
            question=sample.question,
            target={"reply": reply, "reference": reference, "objective": objective},
            media=sample.media,
            cluster=sample.cluster,
            source=sample.source,
        )

    def turn(self, sample: Sample, answers: Sequence[Answer]) -> Prompt | None:
        """Reply first, then reference first."""
        if len(answers) >= ORDERS:
            return None
        texts = [sample.target["reply"], sample.target["reference"]]
        first, second = texts if not answers else texts[::-1]
        words = QUESTION.format(question=sample.question, first=first, second=second)
        return Prompt((Message("user", (*sample.media, Text(words))),))

    def grade(self, sample: Sample, answers: Sequence[Answer]) -> Grade:
        """1: at least as good in both orders. A half: the judge's mind changes with the order.

        Where one of the verdicts can't be read, that is the judge's fault and not the reply's: it weighs nothing.
        """
        verdicts = [_verdict(answer.text) for answer in answers]
        is_read = bool(verdicts) and all(verdicts)
        earned = [verdict in ("equal", own) for verdict, own in zip(verdicts, ("1", "2"), strict=False)]
        score = sum(earned) / len(earned) if is_read else 0.0
        return Grade(
            sample=sample.id,
            task="judge",
            state="ok" if is_read else "unparsed",
            score=score,
            last_score=score,
            best_score=score,
            values={"objective": sample.target["objective"], "verdicts": verdicts},
            cluster=sample.cluster,
            weight=sample.weight if is_read else 0.0,
        )

    def ideal(self, sample: Sample) -> str:
        """What a judge says who finds both equally good."""
        return "equal"

    def spoiled(self, sample: Sample) -> Mapping[str, str]:
        """No verdict."""
        return {"none": "I can't tell."}

    def generate(self, out: Path, count: int, seed: int, recipe: Struct | None = None) -> None:
        """There is nothing to make: the replies of a run are the data."""
        raise UsageError("A judge has no data of its own.")


def judge_folder(run: RunFolder, manifest: Manifest) -> tuple[RunFolder, bool]:
    """The folder `judge` of a run, and whether this very judge has been asked there before.

    Verdicts of another judge are moved aside, to `judge-2` and so on: one must not pass for the other's.
    """
    folder = RunFolder(run.path / "judge")
    if folder.path.exists():
        with suppress(DataError):
            if folder.load().key == manifest.key:
                return folder, True
        folder.path.rename(next(path for k in count(2) if not (path := run.path / f"judge-{k}").exists()))
    folder.path.mkdir(exist_ok=True)
    return folder, False


def judge_config(config: RunConfig) -> RunConfig:
    """The judge's own settings: the same server unless another is named, temperature 0, replies cached."""
    return replace(
        judge_as_model(config),
        system="",
        temperature=0.0,
        max_tokens=ROOM,
        blind=False,
        cache=True,
        max_retries=0,
        limit=None,
        sample=None,
        filter=(),
    )


def judge_notes(summary: Summary) -> list[Remark]:
    """What the judge's run came to, in a sentence."""
    by_metric = {row.metric: row.estimate for row in summary.rows_of("overall")}
    score, agreement = by_metric["mean_score"], by_metric["judge_agreement"]
    facts = {"model": summary.model, "count": score.n - score.unparsed, "unread": score.unparsed}
    if score.value is None:
        return [
            Remark("None of the verdicts of the judge {model} on {unread} replies could be read.", facts)
            if score.unparsed
            else Remark("The judge {model} could not say anything.", facts)
        ]
    facts |= {
        "score": f"{100 * score.value:.1f} %",
        "agreement": "–" if agreement.value is None else f"{100 * agreement.value:.1f} %",
    }
    told = Remark(
        "Judge {model}: {score} of {count} replies at least as good as the reference; as the marks on {agreement}.",
        facts,
    )
    unread = Remark("{unread} more replies have no part in it: the verdicts of the judge {model} can't be read.", facts)
    return [told, unread] if score.unparsed else [told]


_LONGEST = 10_000
"""Characters: whoever says more has not understood what was asked."""
_WORDS = {"1": "1", "2": "2", "answer 1": "1", "answer 2": "2", "equal": "equal", "tie": "equal"}
_BETTER = re.compile(
    r"\b(?P<one>[12])\W{0,3}(?: (?:is|was|seems|looks))?(?: (?:\w+ly|much|far|the))? (?:better|best|superior)\b"
    r"|\b(?:better|best)(?: (?:answer|one))?(?: is)?\W{1,4}(?:answer )?(?P<other>[12])\b"
    r"(?!\W+(?:(?:or|and) )?(?:answer )?[12]\b)"
    r"|\b(?:are|is)(?: (?:\w+ly|both|about))? (?P<equal>equal|equally \w+|(?:a )?tie|tied)\b"
)
_DOUBT = re.compile(r"\b(?:not|no|never|neither|nor|hardly|cannot|if|whether|which|or)\b|n['’]t\b")
"""Before a claim in its sentence, one of these leaves it open."""


def _verdict(text: str) -> str:
    """`1`, `2`, `equal`, or nothing: also where a reply says more than one of them."""
    said = without_thinking(text).casefold()
    if len(said) > _LONGEST:
        return ""
    found = set()
    for line in said.splitlines():
        if word := _WORDS.get(re.sub(r"^\W+|\W+$", "", line)):
            found.add(word)
        for sentence in re.split(r"[.!?;]", line):
            for claim in _BETTER.finditer(sentence):
                if not _DOUBT.search(sentence, 0, claim.start()):
                    found.add(claim["one"] or claim["other"] or "equal")
    return found.pop() if len(found) == 1 else ""
