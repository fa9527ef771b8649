"""The table of paraphrases in the cache folder: the same as in the file, made once, never in the way."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import numpy as np
import pytest

from sightline.scoring.metrics.captions import meteor_lexicon
from sightline.scoring.metrics.captions.meteor_lexicon import Paraphrases, cached_paraphrases, read_paraphrases


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "cache"))
    return tmp_path / "cache" / "sightline" / "meteor"


def write(path: Path, words: str) -> Path:
    path.write_bytes(gzip.compress("".join(f"0.5\n{one} x\n{one}\n" for one in words).encode()))
    return path


def same(one: Paraphrases, other: Paraphrases) -> bool:
    return all(np.array_equal(a, b) and a.dtype == b.dtype for a, b in zip(one, other, strict=True))


def never(path: Path) -> Paraphrases:
    raise AssertionError("read again")


def test_it_is_read_once_and_mapped_then(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "table.gz", "abcdefg")
    first = cached_paraphrases(path)
    monkeypatch.setattr(meteor_lexicon, "read_paraphrases", never)
    second = cached_paraphrases(path)
    assert same(first, second) and same(second, read_paraphrases(path))
    assert all(type(array) is np.ndarray for array in second)  # what the kernels are compiled for
    second.targets[0] += 1  # stays in this process
    assert same(cached_paraphrases(path), first)


def test_another_file_takes_its_place(tmp_path: Path, cache: Path) -> None:
    path = write(tmp_path / "table.gz", "abc")
    cached_paraphrases(path)
    other = write(tmp_path / "table.gz", "abcdefghijklmnop")
    assert same(cached_paraphrases(other), read_paraphrases(other))
    assert len(list(cache.iterdir())) == 1


@pytest.mark.parametrize("damage", [b"", b"nothing of this kind", None])
def test_damage_is_passed_over(tmp_path: Path, cache: Path, damage: bytes | None) -> None:
    path = write(tmp_path / "table.gz", "abc")
    wanted = cached_paraphrases(path)
    file = next(cache.glob("*/targets.npy"))
    file.write_bytes(file.read_bytes()[:-8] if damage is None else damage)
    assert same(cached_paraphrases(path), wanted)
    assert same(cached_paraphrases(path), wanted) and len(list(cache.iterdir())) == 1


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs POSIX")
def test_a_folder_that_cannot_be_made_is_no_trouble(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    path = write(tmp_path / "table.gz", "abc")
    assert same(cached_paraphrases(path), read_paraphrases(path))
