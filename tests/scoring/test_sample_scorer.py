"""A scorer of one sample at a time: whatever it returns, the run goes on and nothing is miscounted."""

from __future__ import annotations

from typing import Any

import pytest

from sightline.core.interfaces import Suite, Task
from sightline.core.records import Answer, Attempt, Prompt, Sample, Score
from sightline.scoring.sample_scorer import grade_attempt

SAMPLE = Sample(id="1", task="t", question="?", target="x", weight=2.0)


class Returning(Suite):
    """A suite whose scorer returns a fixed value."""

    name = "returning"

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value

    def tasks(self) -> dict[str, Task]:
        return {"t": Task(name="t", parser="text", metrics=("accuracy",))}

    def dataset(self, path: Any) -> list[Sample]:
        return [SAMPLE]

    def next_prompt(self, sample: Sample, answers: Any) -> Prompt | None:
        return None

    def scorer(self, task: str) -> Any:
        return lambda sample, answers: self.value


def grade(value: Any) -> Any:
    return grade_attempt(Returning(value), SAMPLE, Attempt([Answer(position=0, sample="1", text="x")]))


@pytest.mark.parametrize(
    "value",
    [
        None,
        0.5,
        Score(value=float("nan")),
        Score(value=1.5),
        Score(value=-1.0),
        Score(value="1"),  # type: ignore[arg-type]
        Score(status="weird"),  # type: ignore[arg-type]
        Score(value=1.0, weight=-1.0),
        Score(value=1.0, weight=float("inf")),
        Score(value=1.0, message=None),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_score_fails_its_sample(value: Any) -> None:
    found = grade(value)
    assert (found.status, found.score, found.weight) == ("failed", 0.0, 2.0) and "scorer" in str(found.message)


@pytest.mark.parametrize("status", ["unparsed", "invalid", "failed"])
def test_only_an_answered_sample_earns_something(status: Any) -> None:
    assert grade(Score(value=1.0, status=status)).score == 0.0


def test_the_weight_is_the_samples_unless_the_score_has_one() -> None:
    assert grade(Score(value=1.0)).weight == 2.0 and grade(Score(value=1.0, weight=1.0)).weight == 1.0
