"""What the index of a journal tells is what a reading of all its lines tells; of other bytes it tells nothing."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import structs

from sightline.core.records import Answer, Failure
from sightline.inference.journal import JournalReader, index_path

LINES = [
    Answer(position=3, sample="c", text="three", tokens_in=7, tokens_out=1, model="served"),
    Failure(position=1, sample="a", kind="timeout", message="late", final=True),
    Answer(position=1, sample="a", text="one", tokens_in=5),
    Answer(position=1, sample="a", attempt=2, text="again", cached=True, tokens_in=5),
    Failure(position=2, sample="b", kind="timeout", message="late"),
]


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in LINES) + b"{no line\n")
    return path


def contents(history: JournalReader) -> Any:
    return (
        structs.astuple(history.counts),
        len(history),
        [history.attempts(position, name) for position, name in ((1, "a"), (2, "b"), (3, "c"))],
    )


def save(journal: Path) -> Any:
    with closing(JournalReader(journal)) as history:
        history.save(journal)
        return contents(history)


def test_a_stored_index_equals_a_scan_of_the_lines(journal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = save(journal)
    assert read[0] == (1, 4, 12, 1, 0, 0, 0, 3, {"served": 1, "": 2})
    monkeypatch.setattr(JournalReader, "_read_all", None)  # no line is read again
    with closing(JournalReader(journal)) as history:
        assert contents(history) == read


def test_a_journal_that_has_grown_is_read_again(journal: Path) -> None:
    save(journal)
    with journal.open("ab") as file:
        file.write(msgspec.json.encode(Answer(position=2, sample="b", text="two")) + b"\n")
    with closing(JournalReader(journal)) as history:
        assert [answer.text for answer in history.attempts(2, "b")[0].answers] == ["two"]


def test_a_new_journal_file_invalidates_the_index(journal: Path) -> None:
    save(journal)
    from sightline.inference.journal import journal_files

    other = journal.with_name("journal.2.jsonl")
    other.write_bytes(msgspec.json.encode(Answer(position=2, sample="b", text="two")) + b"\n")
    assert other in list(journal_files(journal))
    with closing(JournalReader(journal)) as history:
        assert [answer.text for answer in history.attempts(2, "b")[0].answers] == ["two"]


def test_a_damaged_index_is_ignored(journal: Path) -> None:
    read = save(journal)
    whole = index_path(journal).read_bytes()
    for data in (b"", whole[:40], whole[:-1], whole + b"\0", whole[:-4] + b"\xff\xff\xff\x7f"):
        index_path(journal).write_bytes(data)
        with closing(JournalReader(journal)) as history:
            assert contents(history) == read
