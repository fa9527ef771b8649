"""Files paired by their names."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sightline.core.errors import DataError
from sightline.data.pairing import find_pairs


def make(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}\n")
    folder.mkdir(exist_ok=True)
    return folder


def found(
    annotations: Path, outputs: Path, pattern: str = "", recursive: bool = False
) -> tuple[dict[str, str], list[str]]:
    """Annotation → output, and the outputs of nobody, all by name."""
    pairs, left = find_pairs(annotations, outputs, pattern, recursive)
    root = outputs if outputs.is_dir() else outputs.parent
    names = {pair.name: pair.output.relative_to(root).as_posix() if pair.output else "" for pair in pairs}
    assert list(names) == sorted(names)
    return names, [path.relative_to(root).as_posix() for path in left]


def test_two_files_pair_directly(tmp_path: Path) -> None:
    make(tmp_path, "a.txt", "other.dat")
    pairs, left = find_pairs(tmp_path / "a.txt", tmp_path / "other.dat")
    assert [(pair.name, pair.annotation.name, pair.output) for pair in pairs] == [
        ("a", "a.txt", tmp_path / "other.dat")
    ]
    assert left == []


ORDER = ["X_output.txt", "X_output.jsonl", "X_output.json", "X_output.txt.gz", "X_output.json.zst"]
ORDER += ["X.json", "X.txt", "X.jsonl", "X.txt.zst"]


@pytest.mark.parametrize("count", range(1, len(ORDER) + 1))
def test_the_first_candidate_is_taken(tmp_path: Path, count: int) -> None:
    samples = make(tmp_path / "samples", "X.json")
    replies = make(tmp_path / "replies", *ORDER[-count:], "Y_output.txt")
    names, left = found(samples, replies)
    assert names == {"X": ORDER[-count]}
    assert left == sorted([*ORDER[len(ORDER) - count + 1 :], "Y_output.txt"])


def test_one_folder_holds_both(tmp_path: Path) -> None:
    make(
        tmp_path, "a_prompt.txt", "a_prompt_output.txt", "b.jsonl.gz", "c.json", "c_output.json.zst", "lost_output.txt"
    )
    make(tmp_path, ".hidden.txt", "notes.md", "a_output.log")
    names, left = found(tmp_path, tmp_path)
    assert names == {"a_prompt": "a_prompt_output.txt", "b": "", "c": "c_output.json.zst"}
    assert left == ["lost_output.txt"]


def test_a_file_beside_its_output(tmp_path: Path) -> None:
    make(tmp_path, "a.txt", "a_output.txt", "b.txt", "b_output.txt")
    assert found(tmp_path / "a.txt", tmp_path) == ({"a": "a_output.txt"}, [])


def test_a_pattern_chooses_annotations_and_leaves_the_outputs_of_others(tmp_path: Path) -> None:
    samples = make(tmp_path / "samples", "a.txt", "b.txt", "b2.TXT")
    replies = make(tmp_path / "replies", "a.txt", "b_output.txt", "b2_output.txt", "c.txt")
    assert found(samples, replies, "b*") == ({"b": "b_output.txt", "b2": "b2_output.txt"}, ["c.txt"])


def test_folders_keep_their_place(tmp_path: Path) -> None:
    samples = make(tmp_path / "samples", "a.txt", "one/a.txt", "one/deep/b.txt", ".git/c.txt")
    replies = make(tmp_path / "replies", "a_output.txt", "one/a.txt", "b_output.txt", "two/a.txt")
    assert found(samples, replies) == ({"a": "a_output.txt"}, ["b_output.txt"])
    names, left = found(samples, replies, recursive=True)
    assert names == {"a": "a_output.txt", "one/a": "one/a.txt", "one/deep/b": ""}
    assert left == ["b_output.txt", "two/a.txt"]


def test_files_that_differ_in_their_suffix_alone_keep_it_in_their_names(tmp_path: Path) -> None:
    samples = make(tmp_path / "samples", "a.txt", "a.jsonl")
    replies = make(tmp_path / "replies", "a_output.txt")
    assert found(samples, replies)[0] == {"a.jsonl": "a_output.txt", "a.txt": "a_output.txt"}


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")
def test_links_to_files_are_followed_and_links_to_folders_are_not(tmp_path: Path) -> None:
    outside = make(tmp_path / "outside", "x.txt", "y.txt")
    samples = make(tmp_path / "samples", "a.txt")
    (samples / "linked.txt").symlink_to(outside / "x.txt")
    (samples / "broken.txt").symlink_to(outside / "nothing.txt")
    (samples / "folder").symlink_to(outside)
    (samples / "circle").symlink_to(samples)
    assert found(samples, make(tmp_path / "replies"), recursive=True)[0] == {"a": "", "linked": ""}


def test_the_error_names_the_pattern_and_the_folder(tmp_path: Path) -> None:
    make(tmp_path, "a_output.txt", "notes.md")
    with pytest.raises(DataError) as told:
        find_pairs(tmp_path, tmp_path)
    assert str(tmp_path) in str(told.value) and "*.jsonl" in str(told.value) and told.value.hint
    with pytest.raises(DataError, match=r"nothing-\*"):
        find_pairs(tmp_path, tmp_path, "nothing-*")
    with pytest.raises(DataError, match="Cannot read"):
        find_pairs(tmp_path / "none", tmp_path)
    with pytest.raises(DataError, match="Cannot read"):
        find_pairs(make(tmp_path / "samples", "a.txt"), tmp_path / "none")
