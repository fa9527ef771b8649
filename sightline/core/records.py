"""Frozen records: samples, media, prompts, replies, journal lines, scores, grades and estimates."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, Literal

from msgspec import Struct

from sightline.core.remarks import Explanation, format_remark

Status = Literal["answered", "unparsed", "empty", "truncated", "refused", "failed", "invalid"]
"""How a sample ended. `failed` is a fault of the connection, `invalid` one of the data; neither is a wrong answer."""

COUNTED: tuple[Status, ...] = ("answered", "unparsed", "empty", "truncated", "refused")
"""The statuses of samples to which the model has replied: these count in the denominator."""

Stop = Literal["complete", "truncated", "refused"]


Unit = Literal["share", "number"]
"""A share is shown in per cent; a number (an error in objects, a coefficient, CIDEr) as it is."""


class Media(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An image, video or text by reference; its bytes are loaded when a prompt is sent and released at once."""

    kind: Literal["image", "video", "text"]
    path: str = ""
    mime: str = ""
    data: str = ""
    """A data URI, or the text itself, where there is no file."""
    member: str = ""
    """The name inside the archive at `path`."""
    span: tuple[int, int] | None = None
    """Offset and length of base64 text inside the file at `path`."""
    at_second: float | None = None
    """The moment of the video at `path` whose frame is meant."""


PictureChange = Literal[
    "converted", "rgb", "stretched", "high_byte", "first_bands", "flattened", "upright", "first_frame"
]
"""What was done to an image beside resizing it; see `sightline.data.pictures`."""


class Picture(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An image as it was sent: its own size, and the size, format and changes where it was encoded anew."""

    size: tuple[int, int]
    """Width and height of the image itself, upright by its EXIF orientation."""
    sent: tuple[int, int] | None = None
    """Width and height that were sent, where they differ."""
    format: str = ""
    changes: tuple[PictureChange, ...] = ()

    @property
    def sent_size(self) -> tuple[int, int]:
        """Width and height that were sent."""
        return self.sent or self.size

    @property
    def scale(self) -> tuple[float, float]:
        """Factors of x and y from pixels of the sent image to pixels of the image itself."""
        sides = (*self.size, *self.sent_size)
        if not all(0 < side < 2**31 for side in sides):  # a damaged journal
            return 1.0, 1.0
        return sides[0] / sides[2], sides[1] / sides[3]


class Sample(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One item of a dataset: question, media and target."""

    id: str
    task: str
    question: str
    target: Any
    media: tuple[Media, ...] = ()
    tags: dict[str, str] = {}
    cluster: str = ""
    """What the sample shares with others (an image, a simulation): the unit of independence; empty means itself."""
    weight: float = 1.0
    source: str = ""
    """Where it was read, as `file:line` or `file#key`."""
    size: tuple[float, float] | None = None
    """Width and height of its picture, where coordinates must be converted."""


class Invalid(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A sample that can't be asked because its data are invalid: reported, never silently dropped."""

    id: str
    reason: Explanation
    task: str = ""
    source: str = ""
    tags: dict[str, str] = {}


class Text(Struct, frozen=True, tag="text"):
    """A piece of text in a message."""

    text: str


class Tool(Struct, frozen=True, kw_only=True):
    """A tool that a model may call: its name, what it does, and its parameters as JSON schema."""

    name: str
    description: str = ""
    parameters: dict[str, Any] = {}


class ToolCall(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A native call of a tool in a reply; the arguments are JSON text as the server gave it, valid or not."""

    name: str
    arguments: str = ""
    id: str = ""


def format_tool_calls(calls: Iterable[ToolCall]) -> str:
    """Tool calls as the JSON list of {"name", "arguments"} that scorers read."""
    texts = []
    for call in calls:
        try:
            arguments = json.dumps(json.loads(call.arguments) if call.arguments.strip() else {}, ensure_ascii=False)
        except (ValueError, RecursionError):
            arguments = json.dumps(call.arguments, ensure_ascii=False)
        texts.append(f'{{"name": {json.dumps(call.name, ensure_ascii=False)}, "arguments": {arguments}}}')
    # JSON may name halves of surrogate pairs, which no file and no request can hold
    return f"[{', '.join(texts)}]".encode(errors="replace").decode()


class Message(Struct, frozen=True):
    """One message of a prompt, with its role; a tool's result names the call that it answers."""

    role: Literal["system", "user", "assistant", "tool"]
    parts: tuple[Text | Media, ...]
    tool_calls: tuple[ToolCall, ...] = ()
    call_id: str = ""


class Prompt(Struct, frozen=True):
    """What is sent to a model."""

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    """Tools that are offered natively, unless `--tools text` is set; the messages describe them in words as well."""
    native_messages: tuple[Message, ...] = ()
    """The messages without that description, for `--tools native`; empty: the same."""

    def then(self, *messages: Message) -> Prompt:
        """The same conversation, continued."""
        native = self.native_messages + messages if self.native_messages else ()
        return Prompt(self.messages + messages, self.tools, native)

    def map_messages(self, function: Callable[[Message], Message]) -> Prompt:
        """The prompt with every message changed by a function."""
        native = tuple(map(function, self.native_messages))
        return Prompt(tuple(map(function, self.messages)), self.tools, native)


MAX_TOKENS = 10**9
"""Largest plausible number of tokens; a larger one is an error of the server and would distort the total cost."""


def token_count(value: Any) -> int | None:
    """A number of tokens as a server or a file gives it; None if there is none or it is not plausible."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MAX_TOKENS:
        return None
    return int(value)


class Reply(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a model gave back for one prompt."""

    text: str
    stop: Stop = "complete"
    tokens_in: int | None = 0
    """Tokens of the prompt; None where the server does not count them."""
    tokens_out: int | None = 0
    cached: bool = False
    model: str = ""
    """The model's name as the server gives it; empty where it gives none."""
    reasoning: str = ""
    """What the model thought before its answer; kept and shown, never graded."""
    tokens_reasoning: int = 0
    """How many of `tokens_out` were spent on thinking, where the server says so."""
    tool_calls: tuple[ToolCall, ...] = ()
    first_token: float = 0.0
    """Seconds to the first token of a streamed reply."""
    pictures: tuple[Picture, ...] = ()
    """The images of the prompt in their order, as they were sent."""


class Answer(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="answer"):
    """A reply as the journal keeps it: the final reply to one turn of one attempt at one sample."""

    position: int
    """The sample's place in the data set, counted from 0; the journal is found by it."""
    sample: str
    repeat: int = 1
    """Which of the repeats of the question (`--repeats`) it belongs to."""
    attempt: int = 1
    turn: int = 1
    text: str = ""
    stop: Stop = "complete"
    tokens_in: int | None = 0
    tokens_out: int | None = 0
    seconds: float = 0.0
    tries: int = 1
    cached: bool = False
    at: float = 0.0
    model: str = ""
    """The name that the server answered with, where it is not the one that was asked for."""
    reasoning: str = ""
    """What the model thought before its answer; never graded."""
    tokens_reasoning: int = 0
    """How many of `tokens_out` were spent on thinking."""
    tool_calls: tuple[ToolCall, ...] = ()
    """Native tool calls, which are graded in place of the text."""
    first_token: float = 0.0
    """Seconds from the request to the first token of a streamed reply."""
    queued: float = 0.0
    """Seconds that the request waited here for a free slot or a rate limit before it was sent."""
    pictures: tuple[Picture, ...] = ()
    """The images of the prompt in their order, as they were sent."""

    @property
    def full_text(self) -> str:
        """The text followed by the tool calls as JSON, for readers."""
        if not self.tool_calls:
            return self.text
        calls = format_tool_calls(self.tool_calls)
        return f"{self.text}\n{calls}" if self.text.strip() else calls


class Failure(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="failure"):
    """A failed request in the journal. `final` says that it was given up; otherwise another try followed."""

    position: int
    sample: str
    kind: str
    message: Explanation
    repeat: int = 1
    attempt: int = 1
    turn: int = 1
    final: bool = False
    seconds: float = 0.0
    tries: int = 1
    at: float = 0.0

    @property
    def text(self) -> str:
        """Kind and message, in the language in force."""
        return f"{self.kind}: {format_remark(self.message)}"


class Attempt(Struct):
    """One attempt at a sample: its answers in the order of turns, and the failure that ended it, if one did."""

    answers: list[Answer] = []
    failure: Failure | None = None


class Probe(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="probe"):
    """A request that was sent a second time only to see whether its server still answers; `kind` where it does not."""

    kind: str = ""
    message: str = ""
    tokens_in: int | None = 0
    tokens_out: int | None = 0
    seconds: float = 0.0
    at: float = 0.0


class Parsed(Struct, frozen=True):
    """A value read from a reply, and the rule that read it."""

    value: Any
    rule: str = ""


class Unparsed(Struct, frozen=True):
    """A reply that holds no value, and why."""

    reason: Explanation


class Score(Struct, frozen=True, kw_only=True):
    """The verdict of a scorer on the reply to one sample."""

    value: float = 0.0
    """From 0 to 1; 0 unless the status is `answered`."""
    status: Status = "answered"
    """`unparsed` where the reply holds nothing that could be scored, `invalid` where the target can't be used, and
    `failed` where the scorer itself could not do its work."""
    details: dict[str, Any] = {}
    """What metrics need (predicted, target …) and what a reader wants to see; becomes `Grade.values`."""
    message: Explanation = ""
    weight: float | None = None
    """How much the sample counts, where that is not the weight of the sample."""


class Grade(Struct, frozen=True, kw_only=True):
    """A row of the grades table: the score of one sample with what identifies the sample."""

    sample: str
    task: str
    status: Status
    score: float = 0.0
    values: dict[str, Any] = {}
    """The `Score.details`: what metrics need (predicted, target …) and what a reader wants to see."""
    tags: dict[str, str] = {}
    cluster: str = ""
    weight: float = 1.0
    message: Explanation = ""
    attempts: int = 1
    last_score: float = 0.0
    """The score of the last attempt, after feedback; equal to `score` where there was no feedback."""
    best_score: float = 0.0
    position: int = -1
    source: str = ""
    repeat: int = 1
    """Which of the repeats of the question was graded."""


class Estimate(Struct, frozen=True, kw_only=True):
    """A metric's value with its 95 % interval, sample counts and bounds.

    Without samples `value` is None ("no data"), never 0.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    clusters: int = 0
    method: str = ""
    """How the 95 % interval was made: `wilson`, `wilson over clusters`, `hall over clusters`; empty: there is none."""
    unparsed: int = 0
    failed: int = 0
    invalid: int = 0
    floor: float | None = None
    """The value if every failed sample had been wrong."""
    ceiling: float | None = None
    """The value if every failed or unreadable sample had been right."""
    reason: Explanation = ""
    """Why there is no value although there are samples, such as "fewer than two samples"."""


class ServerCount(Struct):
    """Number of requests and of errors of one server."""

    requests: int = 0
    errors: int = 0
