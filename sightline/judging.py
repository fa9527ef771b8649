"""A model's opinion beside the objective marks: auxiliary, pinned, journaled like any run, never the headline.

The judge is shown the question, a reference and the reply, in both orders, and says which is better. Its run lies in
the folder `judge` of the run it is about, with a manifest, a journal and grades of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from sightline.config import RunConfig
from sightline.contracts import NoRecipe, Suite, Task
from sightline.errors import UsageError
from sightline.grading.one import grade_attempt
from sightline.grading.summary import Summary
from sightline.records import Answer, Grade, Invalid, Message, Prompt, Remark, Sample, Text
from sightline.runs.history import Attempt, History

ORDERS = 2
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
    version = "1"
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
        history = History(self._journal)
        try:
            for position, sample in self._samples():
                attempts = history.of(position, sample.id) if isinstance(sample, Sample) else []
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
        """1: at least as good in both orders. A half: the judge's mind changes with the order."""
        verdicts = [_verdict(answer.text) for answer in answers]
        read = [verdict for verdict in verdicts if verdict]
        earned = [float(verdict in ("equal", ("1", "2")[place])) for place, verdict in enumerate(verdicts) if verdict]
        score = sum(earned) / len(earned) if earned else 0.0
        return Grade(
            sample=sample.id,
            task="judge",
            state="ok" if len(read) == len(verdicts) and read else "unparsed",
            score=score,
            last_score=score,
            best_score=score,
            values={"objective": sample.target["objective"], "verdicts": verdicts},
            cluster=sample.cluster,
            weight=sample.weight,
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


def judge_config(config: RunConfig) -> RunConfig:
    """The judge's own settings: the same server unless another is named, temperature 0, replies cached."""
    return replace(
        config,
        model=config.judge,
        api_base=config.judge_api_base or config.api_base,
        system="",
        temperature=0.0,
        max_tokens=16,
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
    if score.value is None:
        return [Remark("The judge {model} could not say anything.", {"model": summary.model})]
    facts = {
        "model": summary.model,
        "count": score.n,
        "score": f"{100 * score.value:.1f} %",
        "agreement": "–" if agreement.value is None else f"{100 * agreement.value:.1f} %",
    }
    return [
        Remark(
            "Judge {model}: {score} of {count} replies at least as good as the reference; as the marks on {agreement}.",
            facts,
        )
    ]


def _verdict(text: str) -> str:
    """`1`, `2`, `equal`, or nothing."""
    word = text.strip().strip("\"'.*` ").casefold()
    return {"1": "1", "2": "2", "equal": "equal", "answer 1": "1", "answer 2": "2", "tie": "equal"}.get(word, "")
