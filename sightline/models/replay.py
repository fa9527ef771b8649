"""Replay model: replies from a file, looked up by sample id (`replay/FILE`)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sightline.core.config import RunConfig
from sightline.core.errors import RejectedError
from sightline.core.interfaces import Request
from sightline.core.records import Reply
from sightline.core.remarks import Remark
from sightline.data.fingerprint import fingerprint
from sightline.data.replies import SavedReplies

_MAX_LISTED = 5
"""Line numbers listed in a remark."""


class ReplayModel:
    """Replies from a file; a sample that is missing in the file is a failure, not a wrong answer."""

    def __init__(self, path: str, config: RunConfig) -> None:
        self.name = f"replay/{Path(path).name}"
        self._path = Path(path)
        self._replies = SavedReplies(self._path)

    async def ask(self, request: Request) -> Reply:
        """The saved reply to a sample."""
        text = self._replies.find(request.sample.id)
        if text is None:
            raise RejectedError("{path} contains no reply for this sample.", kind="no_reply", path=self._path.name)
        return Reply(text=text)

    def identity(self) -> Mapping[str, Any]:
        """The fingerprint of the file."""
        return {"replay": fingerprint(self._path)}

    def remarks(self) -> list[Remark]:
        """Remarks on unreadable lines, replaced duplicates and unused ids."""
        path, replies = self._path.name, self._replies
        lines = ", ".join(map(str, replies.unreadable[:_MAX_LISTED])) + (
            " …" if len(replies.unreadable) > _MAX_LISTED else ""
        )
        notes = (
            (len(replies.unreadable), "{count} lines of {path} contain no reply: {lines}"),
            (replies.duplicates, "{count} lines of {path} are overridden by a later line with the same id."),
            (replies.unused, "{count} ids in {path} do not match any sample of the run."),
        )
        return [Remark(text, {"count": count, "path": path, "lines": lines}) for count, text in notes if count]

    async def close(self) -> None:
        """Close the file."""
        self._replies.close()
