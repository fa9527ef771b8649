"""A data set in a storage, for readers that need files: a local copy that is kept up to date."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from sightline import evaluate
from sightline.core.errors import DataError, UsageError
from sightline.data.storage.transfer import local_copies_folder, local_copy
from tests.data.storage.worlds import Web
from tests.support.worlds import write_questions

pytest.importorskip("fsspec")


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "cache"))


def pack(folder: Path, archive: Path) -> None:
    with zipfile.ZipFile(archive, "w") as made:
        for path in sorted(folder.rglob("*")):
            made.write(path, path.relative_to(folder))


def test_a_run_on_an_archive_is_a_run_on_its_files(tmp_path: Path) -> None:
    write_questions(tmp_path / "set", questions=6)
    pack(tmp_path / "set", tmp_path / "set.zip")
    near, remote = (
        evaluate("simulation", data=data, model="baseline/random", seed=3, output_dir=str(tmp_path / name))
        for name, data in (("a", str(tmp_path / "set")), ("b", f"{tmp_path / 'set.zip'}::"))
    )
    assert remote.summary.rows == near.summary.rows and remote.complete
    manifests = [result.folder / "manifest.json" for result in (near, remote)]
    assert len({path.read_text().partition('"data_sha256": ')[2][:70] for path in manifests}) == 1


def test_only_changed_files_are_downloaded_again(tmp_path: Path) -> None:
    source = tmp_path / "set"
    for name in ("a.txt", "deep/b.txt", "deep/c.txt"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(name)
    pack(source, tmp_path / "set.zip")
    copy = local_copy(f"{tmp_path / 'set.zip'}::")
    before = {path.name: path.stat().st_mtime_ns for path in copy.rglob("*.txt")}
    assert before.keys() == {"a.txt", "b.txt", "c.txt"} and copy.is_relative_to(local_copies_folder())
    (source / "a.txt").write_text("other")
    (source / "deep" / "c.txt").unlink()
    pack(source, tmp_path / "set.zip")
    assert local_copy(f"{tmp_path / 'set.zip'}::") == copy
    after = {path.name: path.stat().st_mtime_ns for path in copy.rglob("*.txt")}
    assert (copy / "a.txt").read_text() == "other" and after.keys() == {"a.txt", "b.txt"}
    assert after["b.txt"] == before["b.txt"] and not list(copy.rglob("*.part"))


def test_one_file_a_password_and_nothing() -> None:
    web = Web({"/a.json": b"[]"})
    path = local_copy(f"{web.address}/a.json")
    assert path.name == "a.json" and path.read_bytes() == b"[]"
    with pytest.raises(UsageError, match="password") as caught:
        local_copy(f"{web.address}/a.json?sig=geheim")
    assert "geheim" not in str(caught.value)
    with pytest.raises(DataError, match="No such file"):
        local_copy(f"{web.address}/gone.json")
    web.close()


def test_a_local_path_is_itself(tmp_path: Path) -> None:
    assert local_copy(str(tmp_path)) == tmp_path and not local_copies_folder().exists()
