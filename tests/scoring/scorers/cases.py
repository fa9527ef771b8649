"""All scorer, and a sandbox for tests that runs nothing but the tests' own programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sightline.core.records import Score
from sightline.scoring.scorers import Question, ReplyScorer
from sightline.scoring.scorers.accuracy import Accuracy, Contains, Success, VqaAccuracy
from sightline.scoring.scorers.chart import ChartF1
from sightline.scoring.scorers.execution import Execution
from sightline.scoring.scorers.labels import LabelF1
from sightline.scoring.scorers.numbers import Numeric
from sightline.scoring.scorers.ocr import Anls, CharacterErrors
from sightline.scoring.scorers.reasoning_steps import ChainAccuracy
from sightline.scoring.scorers.sentence_bleu import SentenceBleu
from sightline.scoring.scorers.tool_call import ToolCallF1
from sightline.suites.matrix.sandbox import Outcome


def _double(x: float) -> float:
    return 2 * x


def _plus_two(x: float) -> float:
    return x + 2


class FakeSandbox:
    """Knows two programs by their text, draws one picture, and says that any other is in error."""

    def __init__(self, picture: bytes | None = None, state: str = "ok") -> None:
        self.picture = picture
        self.state = state
        self.ran: list[str] = []

    def run(self, code: str, *, call: str = "", arguments: Sequence[Any] = (), picture: bool = False) -> Outcome:
        self.ran.append(code)
        return Outcome(state=self.state, picture=self.picture, error="" if self.state == "ok" else "as told")  # type: ignore[arg-type]

    def run_many(self, code: str, calls: Sequence[tuple[str, Sequence[Any]]]) -> list[Outcome]:
        self.ran.append(code)
        function = self._function(code)
        if self.state != "ok" or function is None:
            state = self.state if self.state != "ok" else "error"
            return [Outcome(state=state, error="as told") for _ in calls]  # type: ignore[arg-type]
        return [Outcome(state="ok", result=function(*arguments)) for _, arguments in calls]

    @staticmethod
    def _function(code: str) -> Callable[..., Any] | None:
        return {
            "def double(x):\n    return 2 * x": _double,
            "def double(x):\n    return x + 2": _plus_two,
        }.get(code)


SCORERS: dict[str, ReplyScorer] = {
    "accuracy": Accuracy(),
    "f1": LabelF1(),
    "contains": Contains(),
    "numeric": Numeric(),
    "anls": Anls(),
    "cer": CharacterErrors(),
    "vqa_accuracy": VqaAccuracy(),
    "bleu": SentenceBleu(),
    "chain": ChainAccuracy(),
    "tool_call": ToolCallF1(),
    "chart_f1": ChartF1(),
    "success": Success(),
    "execution": Execution(FakeSandbox()),
}


def score_reply(name: str, target: Any, reply: str, options: Sequence[str] = (), **metadata: Any) -> Score:
    """What a reply earns by the scorer of that name."""
    return SCORERS[name].score(reply, Question(target=target, options=tuple(options), metadata=metadata))
