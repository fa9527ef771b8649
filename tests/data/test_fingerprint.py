"""The fingerprint of a data set: every byte counts, wherever it lies, and no cache lets a changed answer pass."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.data import digests
from sightline.data import fingerprint as fingerprints
from sightline.data.digests import ChunkHash
from sightline.data.fingerprint import VERSION, FingerprintScope, compute_fingerprint, describe_changes, fingerprint
from tests.support.worlds import PIXEL, write_questions


def test_a_byte_in_the_middle_of_a_large_file_counts(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_bytes(b"0" * (70 * 2**20))
    before = compute_fingerprint(tmp_path)
    with path.open("r+b") as file:
        file.seek(35 * 2**20)
        file.write(b"1")
    after = compute_fingerprint(tmp_path)
    assert before.sha256 != after.sha256
    assert describe_changes(before, after) == "changed: answers.jsonl"


def test_the_fingerprint_equals_its_documented_definition(tmp_path: Path) -> None:
    """An independent implementation: names, sizes and a hash over the hashes of 32 MB pieces."""
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "z.txt").write_bytes(os.urandom(33 * 2**20))
    (tmp_path / "b.txt").write_bytes(b"")
    (tmp_path / "a.png").write_bytes(PIXEL)
    total = hashlib.sha256(b"sightline data fingerprint 2\0")
    for name in ("a.png", "b/z.txt", "b.txt"):  # by the parts of the names
        data = (tmp_path / name).read_bytes()
        pieces = [data[k : k + 32 * 2**20] for k in range(0, len(data), 32 * 2**20)]
        digest = hashlib.sha256(b"".join(hashlib.sha256(piece).digest() for piece in pieces)).digest()
        total.update(name.encode() + f"\0{len(data)}\0".encode() + digest)
    assert fingerprint(tmp_path) == fingerprint(tmp_path, version=2) == total.hexdigest()
    beyond = tmp_path.with_name("labels.json")
    beyond.write_bytes(b"{}")
    total.update(b"\0beyond the data path\0" + b"--label-mapping\x002\0")
    total.update(hashlib.sha256(hashlib.sha256(b"{}").digest()).digest())
    assert fingerprint(tmp_path, scope=FingerprintScope(files={"--label-mapping": beyond})) == total.hexdigest()
    assert VERSION == 3


def test_version_1_of_the_fingerprint_is_still_supported(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    (tmp_path / "b").write_bytes(bytes(17 * 2**20))
    ends = hashlib.sha256(bytes(8192)).digest()
    old = hashlib.sha256(b"a\x001\0" + hashlib.sha256(b"x").digest() + b"b\x00%d\0" % (17 * 2**20) + ends)
    assert fingerprint(tmp_path, version=1) == old.hexdigest()


@given(st.lists(st.binary(max_size=40), max_size=8), st.integers(1, 7))
def test_a_digest_does_not_depend_on_the_blocks_it_is_fed_with(blocks: list[bytes], size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(digests, "CHUNK_BYTES", 16)
        by_blocks, by_bytes = ChunkHash(), ChunkHash()
        for block in blocks:
            by_blocks.update(block)
        whole = b"".join(blocks)
        for first in range(0, len(whole), size):
            by_bytes.update(whole[first : first + size])
        assert by_blocks.digest() == by_bytes.digest()


def test_answers_behind_a_link_to_a_folder_count(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "key.json").write_text("true")
    (tmp_path / "data").mkdir()
    try:
        (tmp_path / "data" / "benchmark").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
        (tmp_path / "data" / "round").symlink_to(tmp_path / "data", target_is_directory=True)
    except OSError:
        pytest.skip("no rights to make links")
    before = fingerprint(tmp_path / "data")
    (tmp_path / "elsewhere" / "key.json").write_text("false")
    assert fingerprint(tmp_path / "data") != before


def test_files_of_file_managers_and_run_folders_are_excluded(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 2)
    before = fingerprint(data)
    (data / ".DS_Store").write_bytes(b"x")
    run = data / "runs" / "20260101-120000_simulation_m"
    run.mkdir(parents=True)
    (run / "manifest.json").write_text("{}")
    scope = FingerprintScope(output_dirs=(data / "runs",))
    assert fingerprint(data, scope=scope) == fingerprint(data, version=2) == before
    assert fingerprint(data) != before, "only the folders of the run's own output folder are left out"
    (data / "runs" / "more.json").write_text("{}")
    assert fingerprint(data, scope=scope) != before


def test_progress_is_reported_within_a_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(bytes(70 * 2**20))
    told: list[tuple[int, int]] = []
    compute_fingerprint(tmp_path, lambda done, total: told.append((done, total)))
    size = 70 * 2**20
    assert told == [(0, size), (32 * 2**20, size), (64 * 2**20, size), (size, size)]


def test_changes_are_named(tmp_path: Path) -> None:
    for name in ("a", "b", "c", "d"):
        (tmp_path / name).write_text(name)
    before = compute_fingerprint(tmp_path)
    (tmp_path / "a").write_text("other")
    (tmp_path / "b").unlink()
    for k in range(7):
        (tmp_path / f"new{k}").touch()
    told = describe_changes(before, compute_fingerprint(tmp_path))
    assert told == "changed: a; added: new0, new1, new2, new3, new4 and 2 more; removed: b"


class TestCache:
    """Pictures of a large data set are read once; files that may hold answers are read each time."""

    @pytest.fixture(autouse=True)
    def large(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "cache"))
        monkeypatch.setattr(fingerprints, "MIN_CACHED_BYTES", 1)
        self.data = write_questions(tmp_path / "data", 2)
        self.picture = self.data / "data" / "structural" / "images" / "File_1.png"
        self.key = self.data / "benchmark" / "questions.json"

    def hashed(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """The names of the files that are read for a fingerprint."""
        read = []
        real = fingerprints._hash_chunk
        with monkeypatch.context() as patch:
            patch.setattr(fingerprints, "_hash_chunk", lambda file, *rest: read.append(file.name) or real(file, *rest))
            compute_fingerprint(self.data)
        return read

    def test_settled_pictures_are_read_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(digests, "_SETTLED_NS", -1)
        key, picture = "benchmark/questions.json", "data/structural/images/File_1.png"
        assert self.hashed(monkeypatch) == [key, picture]
        assert self.hashed(monkeypatch) == [key]
        self.picture.write_bytes(PIXEL + b"\0")
        assert self.hashed(monkeypatch) == [key, picture]

    def test_a_file_that_has_just_changed_is_not_kept(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.hashed(monkeypatch)
        assert "data/structural/images/File_1.png" in self.hashed(monkeypatch)

    def test_an_answer_key_with_its_old_time_and_size_does_not_pass(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(digests, "_SETTLED_NS", -1)
        before, status = fingerprint(self.data), self.key.stat()
        text = self.key.read_text()
        self.key.write_text(text.replace("true", "TRUE", 1).replace("TRUE", "null", 1))
        os.utime(self.key, ns=(status.st_atime_ns, status.st_mtime_ns))
        assert self.key.stat().st_size == status.st_size and self.key.stat().st_mtime_ns == status.st_mtime_ns
        assert fingerprint(self.data) != before

    @pytest.mark.skipif(os.name == "nt", reason="Windows keeps no time of change")
    def test_a_picture_whose_time_was_set_back_does_not_pass(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(digests, "_SETTLED_NS", -1)
        before, status = fingerprint(self.data), self.picture.stat()
        self.picture.write_bytes(PIXEL[:-1] + b"\0")
        os.utime(self.picture, ns=(status.st_atime_ns, status.st_mtime_ns))
        assert fingerprint(self.data) != before

    def test_a_damaged_cache_is_no_cache(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(digests, "_SETTLED_NS", -1)
        before = fingerprint(self.data)
        (kept,) = (tmp_path / "cache").rglob("*.msgpack")
        kept.write_bytes(kept.read_bytes()[:-3])
        assert fingerprint(self.data) == before
