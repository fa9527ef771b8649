"""Every exception that Sightline raises, drawn once:

    SightlineError                  anything we can explain; carries a hint on what to do
    ├── UsageError                  the call itself is wrong (exit code 2)
    │   ├── UnknownNameError        no such suite, model, metric…: names the nearest
    │   ├── ConfigError             a setting is unknown, has the wrong type or a wrong value
    │   ├── DataError               the data set is missing, empty or unreadable
    │   └── PluginError             a parser or metric returned what is not valid (in sightline.scoring.plugin_adapters)
    ├── RunStoppedError             the run ends before its last sample; what was asked is kept
    │   ├── AccessError             401–404, redirects, a spent quota: key, model, address or account are wrong
    │   ├── UnreachableError        the server can't be reached, or has been down for longer than --max-outage
    │   ├── AllFailingError         every request so far was refused
    │   ├── BudgetError             --max-requests or --max-cost is spent
    │   ├── InterruptedRun          SIGINT, SIGTERM or SIGHUP (in sightline.inference.stop_signals)
    │   └── StorageError            a result file or the journal cannot be written or read
    ├── MechanismError              a frame that can move freely (in sightline.suites.structural.fem)
    ├── SandboxUnavailableError     code cannot be isolated on this machine (in sightline.suites.matrix.sandbox)
    ├── MediaError                  one sample's picture, video or text can't be loaded
    └── AskError                    one request failed; the run continues
        ├── TryAgainError           worth another try: 408, 429, 5xx, resets, time-outs, broken bodies
        └── RejectedError           the server refuses this very request: 400, 413, 422

A message is a template with named arguments, so that it can be shown in the user's language.
"""

from __future__ import annotations

import errno
from typing import Any

from sightline.core.remarks import Remark
from sightline.i18n import tr


class SightlineError(Exception):
    """Something that can be explained: what happened (`template`, `arguments`) and what to do (`hint`)."""

    def __init__(self, template: str, /, hint: str = "", **arguments: Any) -> None:
        super().__init__(template)
        self.template = template
        self.hint = hint
        self.arguments = arguments

    def __str__(self) -> str:
        text = tr(self.template, **self.arguments)
        return f"{text}\n{tr(self.hint, **self.arguments)}" if self.hint else text

    @property
    def remark(self) -> Remark:
        """What happened, as a message that can be kept and shown in another language later; without the hint."""
        args = {
            name: arg if isinstance(arg, int | float | Remark) else str(arg) for name, arg in self.arguments.items()
        }
        return Remark(self.template, args)


def exception_remark(error: BaseException) -> Remark:
    """Any exception as a message: its remark, else the name of its type and its text."""
    if isinstance(error, SightlineError):
        return error.remark
    return Remark("{kind}: {why}", {"kind": type(error).__name__, "why": str(error)})


class UsageError(SightlineError):
    """The call itself is wrong."""


class UnknownNameError(UsageError):
    """No such name in a registry or a list of choices."""


class ConfigError(UsageError):
    """A setting is unknown, has the wrong type or a wrong value."""


class DataError(UsageError):
    """The data set is missing, empty or unreadable."""


class RunStoppedError(SightlineError):
    """The run ends before its last sample; everything asked so far is in the journal."""


class AccessError(RunStoppedError):
    """The key, the model or the address is wrong, so every further request would fail too."""


class UnreachableError(RunStoppedError):
    """The server can't be reached, or has been down for longer than the run waits."""


class AllFailingError(RunStoppedError):
    """Every request so far was refused: something is wrong with all of them."""


class BudgetError(RunStoppedError):
    """The caps on requests or cost of this run are spent."""


class StorageError(RunStoppedError):
    """A result file or the journal cannot be written or read (disk full, folder in use, damaged)."""


class MediaError(SightlineError):
    """One sample's picture, video or text can't be loaded."""


class AskError(SightlineError):
    """One request failed; `kind` is the word that reports count it under."""

    def __init__(self, template: str, /, kind: str, **arguments: Any) -> None:
        super().__init__(template, **arguments)
        self.kind = kind


LOCAL_SHORTAGE = "local_shortage"
ADJUSTED = "adjusted"
"""The kind of a refusal that names a setting, which is left out from then on: the request is sent again at once."""
_SHORTAGES = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.EADDRNOTAVAIL}


def local_shortage(error: OSError) -> TryAgainError | None:
    """The error of a machine that has no more file handles, ports or memory: no fault of server or sample (EMFILE…)."""
    if error.errno not in _SHORTAGES:
        return None
    return TryAgainError(
        "This machine is out of resources: {why} (lower --concurrency, or raise the limit of open files: ulimit -n)",
        kind=LOCAL_SHORTAGE,
        why=error.strerror or error,
    )


class TryAgainError(AskError):
    """Worth another try, after `after` seconds if the server sent Retry-After."""

    def __init__(self, template: str, /, kind: str, after: float | None = None, **arguments: Any) -> None:
        super().__init__(template, kind, **arguments)
        self.after = after

    @property
    def is_congestion(self) -> bool:
        """Whether fewer requests at once may help."""
        return self.kind in {"rate_limited", "timeout", "overloaded", LOCAL_SHORTAGE}

    @property
    def is_of_server(self) -> bool:
        """Whether only the server can be the cause, so that the failure does not count as a try of the sample."""
        return self.kind in {"unreachable", "rate_limited", "overloaded", LOCAL_SHORTAGE}


class RejectedError(AskError):
    """The server refuses this very request; asking again would not help."""
