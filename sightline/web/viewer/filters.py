"""Which samples of a run are wanted and in which order, from a query and back; in SQL, values are parameters only."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from msgspec import Struct
from msgspec.structs import replace

MAX_TEXT_CHARACTERS = 200
SORTS = ("position", "score", "-score", "task")
PAGE_SIZE = 50


class Filter(Struct, frozen=True, kw_only=True):
    """What a reader has chosen; empty is no choice."""

    status: str = ""
    task: str = ""
    tag: str = ""
    """`name=value`."""
    low: float | None = None
    high: float | None = None
    text: str = ""
    sort: str = "position"

    @property
    def chosen(self) -> bool:
        """Whether some samples are left out."""
        return replace(self, sort="position") != Filter()

    def where(self) -> tuple[str, list[Any]]:
        """The condition and its parameters."""
        parts: list[str] = []
        given: list[Any] = []
        for column, value in (("status", self.status), ("task", self.task)):
            if value:
                parts.append(f"{column} = ?")
                given.append(value)
        if self.tag:
            name, _, value = self.tag.partition("=")
            # whether any tag has the value is told quickly, and leaves few rows to look closer at
            parts.append("list_contains(map_values(tags), ?) AND list_contains(map_extract(tags, ?), ?)")
            given += [value, name, value]
        for sign, bound in ((">=", self.low), ("<=", self.high)):
            if bound is not None:
                parts.append(f"score {sign} ?")
                given.append(bound)
        if self.text:
            # four spellings cost a third of what folding the case of every id would
            spellings = list(dict.fromkeys((self.text, self.text.lower(), self.text.capitalize(), self.text.upper())))
            columns = ("sample", "message", "source")
            parts.append("(" + " OR ".join(f"contains({column}, ?)" for column in columns for _ in spellings) + ")")
            given += spellings * len(columns)
        return " AND ".join(parts) or "true", given

    def query(self, **more: Any) -> str:
        """The filter as the query of an address; `more` is added where it is not empty."""
        kept = {name: value for name in self.__struct_fields__ if (value := getattr(self, name)) not in ("", None)}
        if kept.get("sort") == "position":
            del kept["sort"]
        kept |= {name: value for name, value in more.items() if value not in ("", None)}
        return f"?{urlencode(kept)}" if kept else ""


def read_filter(query: Mapping[str, str]) -> Filter:
    """The filter that an address asks for; what makes no sense is no choice."""
    texts = {
        name: query.get(name, "").replace("\0", "").strip()[:MAX_TEXT_CHARACTERS] for name in ("status", "task", "text")
    }
    tag = query.get("tag", "").replace("\0", "").strip()[:MAX_TEXT_CHARACTERS]
    sort = query.get("sort", "")
    return Filter(
        **texts,
        tag=tag if "=" in tag else "",
        low=_number(query.get("low", "")),
        high=_number(query.get("high", "")),
        sort=sort if sort in SORTS else "position",
    )


def read_page(query: Mapping[str, str]) -> int:
    """The number of the page that an address asks for, from 1 up."""
    text = query.get("page", "")
    return max(1, int(text)) if text.isascii() and text.isdigit() and len(text) < 9 else 1


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
