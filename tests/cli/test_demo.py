"""The demo's folder: a new one each time, never one that somebody uses."""

from __future__ import annotations

from pathlib import Path

import pytest

from sightline.cli.demo import _new_folder
from sightline.core.errors import UsageError


def test_every_demo_has_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = [_new_folder(None) for _ in range(3)]
    assert [path.name for path in made] == ["sightline-demo", "sightline-demo-2", "sightline-demo-3"]


def test_a_folder_with_something_in_it_is_refused_and_left_alone(tmp_path: Path) -> None:
    notes = tmp_path / "mine" / "notes.txt"
    assert _new_folder(notes.parent) == _new_folder(notes.parent)  # still empty
    notes.write_text("keep me")
    for taken in (notes.parent, notes):
        with pytest.raises(UsageError, match="already exists"):
            _new_folder(taken)
    assert notes.read_text() == "keep me"
