"""Large JSON in small windows: the same values as reading it whole, wherever the windows cut it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sightline.core.errors import DataError
from sightline.interop import readers
from sightline.interop.readers import stream_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def expected(document: Any) -> list[tuple[str, Any]]:
    if isinstance(document, list):
        return [("", element) for element in document]
    return [
        (key, element) for key, value in document.items() for element in (value if isinstance(value, list) else [value])
    ]


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=80)
@given(
    document=st.lists(VALUES, max_size=4) | st.dictionaries(st.text(), VALUES, max_size=4),
    chunk=st.integers(1, 40),
    indent=st.sampled_from([None, 2]),
    ascii_only=st.booleans(),
)
def test_windows_of_any_size_give_the_same_values(
    document: Any, chunk: int, indent: int | None, ascii_only: bool, tmp_path: Path
) -> None:
    path = tmp_path / "document.json"
    path.write_text(json.dumps(document, indent=indent, ensure_ascii=ascii_only), encoding="utf-8", errors="replace")
    read_back = json.loads(path.read_text(encoding="utf-8"))
    before, readers.CHUNK = readers.CHUNK, chunk
    try:
        assert list(stream_json(path)) == expected(read_back)
    finally:
        readers.CHUNK = before


def test_a_number_that_the_window_cuts_is_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "numbers.json"
    path.write_text("[1234567, 8.25e3]")
    for chunk in range(1, 18):
        monkeypatch.setattr(readers, "CHUNK", chunk)
        assert [value for _, value in stream_json(path)] == [1234567, 8250.0]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[1, 2",
        '{"a": [1, {"b": }]}',
        "nonsense",
        '{"a" 1}',
        "[" * 100_000,
        '{"a": tru',
        "[1,\x00]",
        "[1 2]",
        '{"a": 1 "b": 2}',
    ],
)
def test_broken_documents_are_one_clear_error(text: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=r"Cannot read .*broken\.json"):
        list(stream_json(path))
