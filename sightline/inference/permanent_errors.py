"""Permanent errors of one server: the same 4xx or 5xx response to sample after sample, which no retry will change.

A text-only server answers every picture with `500 image input is not supported`: a status that is usually temporary.
The same error on a few samples is therefore only suspected to be permanent. The circuit breaker then holds requests
back while a request without pictures is sent: if that is answered, the server is up, and the next sample that gets the
same error stops the run; if not, it is an outage, which is waited for. Refusals (4xx) need no such check.
Words that are known to concern all requests, such as those about pictures, are believed after three samples, others
after eight: the first samples of a data set may be bad ones.

Requests with and without media are distinguished: a server that answers text may refuse every picture.
"""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

from sightline.core.errors import AllFailingError, AskError, RejectedError
from sightline.core.interfaces import Request
from sightline.core.records import Media, Message, Prompt, Text
from sightline.core.remarks import Remark

Finding = Literal["", "suspected", "permanent"]
SAMPLES = 3
"""Distinct samples with the same error, none of their kind answered, that make the error a suspect."""
_FAILURES = 4
"""Tries with the same error that make it a suspect where a run has fewer samples."""
_SAMPLES_OTHERWISE, _TRIES_OTHERWISE = 8, 12
"""Distinct samples, or tries after the server was found to be up, that make an error with unknown words permanent."""
_SHORT_TRIES = 2
"""Tries of a sample whose error has ended the tries of several others while the server answered."""
_VARIABLE = re.compile(r"[0-9a-f]{8}[0-9a-f-]*|\d+", re.IGNORECASE)
"""Parts of a message that differ between two equal errors: numbers and ids of requests."""


class _Occurrences(Struct):
    """What is known of one error."""

    samples: set[str] = set()
    failures: int = 0
    allowance: int = 0
    """How many more samples may fail with it, for those that have done so in earlier starts."""
    checked_since: float | None = None
    """When the server answered another request while the error was suspected."""
    failures_after_check: int = 0


class PermanentErrorDetector:
    """Counts equal errors by distinct samples, and tells a permanent error from an outage."""

    def __init__(self, was_reached: bool = False) -> None:
        self._answered: set[bool] = {True, False} if was_reached else set()
        """Kinds of requests (with media or not) that the server has answered; probes do not count."""
        self._seen: dict[str, _Occurrences] = {}
        self._suspect = ""
        self._given_up: dict[str, set[str]] = {}

    def record_success(self, request: Request) -> None:
        """A reply to a sample came: errors of requests of its kind are not permanent."""
        self._answered.add(request_has_media(request))

    def record_failure(self, error: AskError, request: Request, started: float, is_new: bool = True) -> Finding:
        """Count a failed request that began at `started`; `is_new`: its sample did not fail in an earlier start."""
        has_media = request_has_media(request)
        if has_media in self._answered or not _has_body(error):
            return ""
        text = f"{has_media} {normalize_error(error)}"
        seen = self._seen.setdefault(text, _Occurrences())
        if not is_new:
            seen.allowance += 4  # the user has seen the error and reruns the command: get further than last time
            return ""
        seen.samples.add(request.sample.id)
        seen.failures += 1
        needed = seen.allowance + (SAMPLES if has_known_words(error) else _SAMPLES_OTHERWISE)
        if isinstance(error, RejectedError):
            return "permanent" if len(seen.samples) >= needed else ""
        if seen.checked_since is not None:
            seen.failures_after_check += started >= seen.checked_since
            is_enough = (
                len(seen.samples) >= needed or seen.failures_after_check >= _TRIES_OTHERWISE + 4 * seen.allowance
            )
            is_known = has_known_words(error) and not seen.allowance
            return "permanent" if seen.failures_after_check and (is_known or is_enough) else ""
        if self._suspect != text and (len(seen.samples) >= SAMPLES or seen.failures >= _FAILURES):
            self._suspect = text
            return "suspected"
        return ""

    def record_check(self, now: float) -> None:
        """The server has answered another request, so it is up."""
        if self._suspect:
            self._seen[self._suspect].checked_since = now

    def give_up(self, error: AskError, sample: str) -> bool:
        """Register the last try of a sample; True where further samples with this error get fewer tries from now on."""
        samples = self._given_up.setdefault(normalize_error(error), set()) if _has_body(error) else set()
        if len(samples) >= SAMPLES or isinstance(error, RejectedError):
            return False
        samples.add(sample)
        return len(samples) >= SAMPLES

    def max_tries(self, error: AskError, max_tries: int) -> int:
        """How many tries a sample with this error gets."""
        return min(max_tries, _SHORT_TRIES) if self.has_given_up(error) else max_tries

    def has_given_up(self, error: AskError) -> bool:
        """Whether several samples have failed for good with this error while the server answered others."""
        return bool(self._given_up) and len(self._given_up.get(normalize_error(error), ())) >= SAMPLES


def _has_body(error: AskError) -> bool:
    """Whether the error is a response of the server with words of its own, as opposed to a broken connection."""
    return error.kind in ("rejected", "server_error")


def normalize_error(error: AskError) -> str:
    """The message of an error without numbers and ids that differ from request to request."""
    return f"{error.kind} {_VARIABLE.sub('#', str(error))}"


def request_has_media(request: Request) -> bool:
    """Whether a request contains images or videos."""
    return any(
        isinstance(part, Media) and part.kind != "text" for message in request.prompt.messages for part in message.parts
    )


MINIMAL_PROMPT = Prompt((Message("user", (Text("Reply with OK."),)),))
"""A prompt that any chat server answers, to find out whether it is up."""


_HINTS = (
    (
        re.compile(r"image|vision|multi-?modal|mmproj|video|图像|图片|多模态|视觉", re.IGNORECASE),
        Remark(
            "The server accepts no pictures: serve a vision-language model (llama.cpp: with --mmproj), "
            "or test the text alone with --blind."
        ).text,
    ),
    (
        re.compile(r"\btools?\b|tool[_ -]?(choice|call)|function[_ -]call", re.IGNORECASE),
        Remark("Use --tools text, or start the server with tool calls (vLLM: --enable-auto-tool-choice).").text,
    ),
    (
        re.compile(r"context (length|size|window)|maximum context|too many tokens|max_model_len|上下文", re.IGNORECASE),
        Remark("Start the server with a longer context, or lower --max-tokens.").text,
    ),
    (
        re.compile(r"param|argument|unsupported|unrecognized|extra (inputs|fields)|not permitted|参数", re.IGNORECASE),
        Remark("Remove settings that the server does not support with -M key=null.").text,
    ),
)
_UNSUPPORTED = re.compile(
    r"not (currently )?(support|accept|allow|permit|enabl|recogni|known|a multi|a vision)|unsupported|unrecognized"
    r"|unknown|at most 0|cannot (process|handle|accept)"
    r"|(doesn't|does not|can't|don't) (support|accept|take)|no (vision|mmproj)"
    r"|不支持|未知",
    re.IGNORECASE,
)
REFUSED_HINT = Remark(
    "Fix the reported problem. Remove settings that the server does not support with -M key=null."
).text
_HINT = Remark("Fix the reported problem, then rerun the same command to resume.").text


def hint_for(message: str) -> str:
    """What to do about an error, by the words of the server."""
    return next((hint for pattern, hint in _HINTS if pattern.search(message)), _HINT)


def has_known_words(error: AskError) -> bool:
    """Whether the words of the server concern all requests: what it does not support, not what one sample has."""
    why = str(error.arguments.get("why", error))
    return _UNSUPPORTED.search(why) is not None and hint_for(why) != _HINT


def permanent_error(error: AskError, server: str) -> AllFailingError:
    """The error that stops a run: the words of the server, and what to do."""
    why = str(error)
    hint = hint_for(str(error.arguments.get("why", why)))
    return AllFailingError(
        "{server} answers every sample with the same error: {why}"
        if isinstance(error, RejectedError)
        else "{server} is up, but answers every sample with the same error: {why}",
        hint=REFUSED_HINT if isinstance(error, RejectedError) and hint == _HINT else hint,
        server=server,
        why=why,
    )
