"""Warm-up of the server: what the first page of a sample needs is imported and opened before somebody asks for it."""

from __future__ import annotations

from contextlib import suppress
from threading import Thread

from sightline.core.errors import SightlineError
from sightline.reports.sample_view.shown import load_sample
from sightline.web.viewer.app_state import AppState
from sightline.web.viewer.filters import read_filter

_RUNS = 2
"""Of the newest runs so many are opened ahead."""


def warm_up(state: AppState) -> None:
    """Open the newest runs, and load the first sample of each: importing compiled kernels takes a second or two."""
    for entry in [one for one in state.runs.entries() if one.graded][:_RUNS]:
        with suppress(Exception):  # whatever is wrong, a page will tell it to whoever asks
            found = state.grades.apply_filter(entry.folder.grades, read_filter({}))
            reader = state.reader_cache.of(entry)
            if len(found) and not isinstance(reader, SightlineError):
                position = int(found.positions[0])
                load_sample(reader, position, state.grades.row(entry.folder.grades, position))


def start_warm_up(state: AppState) -> None:
    """Warm up in a thread of its own."""
    Thread(target=warm_up, args=(state,), daemon=True, name="warm-up").start()
