"""The next prompt of a sample, determined from the journal alone, so that a restart needs no other state."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from sightline.core.config import RunConfig
from sightline.core.interfaces import Suite
from sightline.core.records import Attempt, Prompt, Sample
from sightline.inference.prompt_builder import build_prompt
from sightline.inference.sample_session import GradeAttempt


class PlannedPrompt(Struct, frozen=True):
    """A prompt, with the attempt and the turn that it belongs to."""

    attempt: int
    turn: int
    prompt: Prompt


class PromptPlanner(Struct, frozen=True):
    """Determines the next prompt of each sample of a run."""

    suite: Suite
    config: RunConfig
    grade: GradeAttempt

    def next_prompt(self, sample: Sample, attempts: Sequence[Attempt]) -> PlannedPrompt | None:
        """The prompt of the first turn without an answer; None if the sample is finished."""
        grade = None
        for number in range(1, self.config.max_retries + 2):
            feedback = self.suite.feedback(sample, grade) if grade is not None else ""
            if feedback is None:
                return None
            attempt = attempts[number - 1] if len(attempts) >= number else Attempt()
            prompt = self.suite.next_prompt(sample, attempt.answers)
            if prompt is not None:
                turn = len(attempt.answers) + 1
                before = attempts[number - 2].answers if number > 1 else ()
                return PlannedPrompt(number, turn, build_prompt(prompt, turn, self.config.blind, feedback, before))
            if number <= self.config.max_retries:
                grade = self.grade(self.suite, sample, attempt)
                if grade.score >= 1:
                    return None
        return None
