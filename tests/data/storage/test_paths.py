"""Addresses, members of archives, and what is shown of them."""

from __future__ import annotations

import sys
import tarfile
import threading
import zipfile
from pathlib import Path

import pytest

from sightline import score
from sightline.core.errors import DataError, UsageError
from sightline.data.fingerprint import fingerprint
from sightline.data.lines import index_file
from sightline.data.pairing import find_pairs
from sightline.data.storage import RemotePath, is_address, parse_path, redact
from sightline.data.storage.addresses import named_paths
from sightline.data.storage.transfer import upload_files
from tests.scoring.files.test_shards import figures
from tests.scoring.files.worlds import ALL_TASKS, write_world

pytest.importorskip("fsspec")


@pytest.fixture
def world(tmp_path: Path) -> Path:
    write_world(tmp_path, {name: ALL_TASKS[name] for name in ("计数", "VQA1", "水平区域检测")})
    return tmp_path


def pack(folder: Path, name: str) -> Path:
    """Everything in the folder as one archive."""
    path = folder.parent / name
    files = sorted(one for one in folder.rglob("*") if one.is_file())
    if name.endswith(".zip"):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for one in files:
                archive.write(one, one.relative_to(folder))
    else:
        with tarfile.open(path, "w:gz" if name.endswith("gz") else "w") as tar:
            for one in files:
                tar.add(one, one.relative_to(folder))
    return path


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("s3://bucket/anno", True),
        ("gs://b", True),
        ("https://host/a.txt?x=1", True),
        ("zip://anno::data.zip", True),
        ("data.zip::anno", True),
        ("data.TAR.GZ::", True),
        ("s3://b/data.tgz::x/y", True),
        ("anno", False),
        ("C:/data/anno", False),
        ("C://data", False),
        ("A=b", False),
        ("a::b", False),
        ("file:///tmp/x", False),
        ("data.zip", False),
    ],
)
def test_remote_addresses_are_recognized(text: str, is_one: bool) -> None:
    assert is_address(text) is is_one
    assert isinstance(parse_path(text), RemotePath) is is_one


def test_a_local_name_that_looks_like_an_address_is_a_path(tmp_path: Path) -> None:
    odd = tmp_path / "data.zip::anno"
    odd.mkdir()
    assert parse_path(str(odd)) == odd
    assert parse_path(odd.as_uri().replace("%3A", ":")) == odd


SECRETS = [
    "s3://user:pass@bucket/key",
    "s3://user:pa/ss@bucket/key",
    "https://user@host/a.txt",
    "https://:pass@host:8443/a.txt",
    "https://host/a.txt?X-Amz-Signature=pass&user=1",
    "zip://a.txt::https://host/d.zip?sig=pass",
    "https://host/d.zip?sig=pass::anno",
    "Cannot connect to https://user:pass@host:80 ('https://host/?token=pass')",
]


@pytest.mark.parametrize("text", SECRETS)
def test_secrets_are_not_shown(text: str) -> None:
    shown = redact(text)
    assert "pass" not in shown and "user" not in shown and "pa/ss" not in shown
    assert "host" in shown or "bucket" in shown
    assert redact(shown) == shown


@pytest.mark.parametrize("text", ["s3://b/a@b/c", "http://127.0.0.1:5000/a@b.txt", "no address? a@b", "x = y"])
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("s3://b/models/gpt-4o", "gpt-4o"),
        ("s3://b/models/gpt-4o/", "gpt-4o"),
        ("https://u:secret@host/out/m1.jsonl?sig=secret", "m1"),
        ("https://u:secret@host", "host"),
        ("data.zip::models/a", "a"),
        ("zip://models/a::data.zip", "a"),
        ("data.zip::", "data"),
        ("mine=s3://b/x?k=v", "mine"),
    ],
)
def test_a_model_is_named_after_its_path(text: str, name: str) -> None:
    assert named_paths([text]) == {name: text.removeprefix("mine=")}


@pytest.mark.parametrize("archive", ["data.zip", "data.tar", "data.tar.gz"])
def test_members_of_archives_are_scored_like_files(world: Path, archive: str) -> None:
    wanted = score(world / "anno", world / "out", output_dir=str(world.parent / "local"), workers=2)
    place = pack(world, archive)
    found = score(f"{place}::anno", f"{place}::out", output_dir=str(world.parent / "found"), workers=2)
    assert figures(found) == figures(wanted)
    scheme = "zip" if archive.endswith("zip") else "tar"
    shards = {"engine": "serial", "shards": str(world.parent / "shards"), "output_dir": str(world.parent / "sharded")}
    chained = score(f"{scheme}://anno::{place}", f"{scheme}://out::{place}", **shards)
    assert figures(chained) == figures(wanted)


def test_a_fingerprint_is_the_same_wherever_the_files_lie(world: Path) -> None:
    (world / "anno" / "deep").mkdir()
    (world / "anno" / "deep" / "large.bin").write_bytes(bytes(range(256)) * 70_000)  # more than is hashed whole
    (world / "anno" / "deep.txt").write_text("sorted by parts, not by letters")
    place = pack(world, "data.zip")
    assert fingerprint(parse_path(f"{place}::anno")) == fingerprint(world / "anno")
    one = fingerprint(parse_path(f"{place}::anno/t0.txt"))
    assert one == fingerprint(world / "anno" / "t0.txt") != fingerprint(world / "anno" / "t1.txt")


def test_the_fingerprint_does_not_download_again_what_scoring_has_read(
    world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = parse_path(f"{pack(world, 'data.zip')}::anno")
    for path in folder.iterdir():
        index_file(path, ("gt", "task")).close()
    opened: list[str] = []
    real = RemotePath.open
    monkeypatch.setattr(RemotePath, "open", lambda path, *mode: opened.append(path.name) or real(path, *mode))
    assert fingerprint(folder) == fingerprint(world / "anno")
    assert opened == []
    assert fingerprint(parse_path(f"{pack(world, 'other.zip')}::anno")) == fingerprint(world / "anno")
    assert len(opened) == 3, "other files are read"


def test_members_that_lead_out_of_the_folder_are_passed_over(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "d.zip", "w") as archive:
        for name in ("anno/a.txt", "anno/../../evil.txt", "anno/x::y.txt", "anno/b\\c.txt"):
            archive.writestr(name, '{"gt": "1"}\n')
    folder = parse_path(f"{tmp_path / 'd.zip'}::anno")
    pairs, _ = find_pairs(folder, folder, recursive=True)
    assert [pair.name for pair in pairs] == ["a"]
    for name in ("../x", "a/../../x", "", "/x", "a//b", "x::y", "a\\b"):
        with pytest.raises(DataError):
            folder / name


def test_tar_members_can_be_read_from_threads(tmp_path: Path) -> None:
    texts = {f"f{number}.txt": bytes([number]) * 3_000_000 for number in range(4)}
    (tmp_path / "in").mkdir()
    for name, data in texts.items():
        (tmp_path / "in" / name).write_bytes(data)
    folder = parse_path(f"{pack(tmp_path / 'in', 'd.tar.gz')}::")
    found: dict[str, bytes] = {}
    threads = [
        threading.Thread(target=lambda one=one: found.update({one.name: one.read_bytes()})) for one in folder.iterdir()
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == texts


def test_files_are_sent_with_the_last_ones_last(tmp_path: Path) -> None:
    import fsspec

    for name in ("counts.bin", "a.txt", "z/report.html", "z/b.txt", ".lock", ".x/c"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    target = parse_path("memory://sent/there")
    assert upload_files(tmp_path, target, last=("counts.bin", "report.html"), sent=["a.txt"]) == [
        "z/b.txt",
        "counts.bin",
        "z/report.html",
    ]
    files = fsspec.filesystem("memory")
    kept = {name: files.cat_file(name).decode() for name in files.find("/sent/there")}
    assert {name.removeprefix("/sent/there/"): text for name, text in kept.items()} == {
        name: name for name in ("z/b.txt", "counts.bin", "z/report.html")
    }


@pytest.mark.parametrize("place", ["zip://r::d.zip", "https://127.0.0.1:1/r", "d.tar::r"])
def test_results_go_only_where_one_can_write(world: Path, place: str) -> None:
    with pytest.raises(UsageError, match="Cannot write results"):
        score(world / "anno", world / "out", output_dir=place)


@pytest.mark.parametrize(("text", "told"), [("nosuch://x", "Protocol not known"), ("gone.zip::anno", "gone.zip")])
def test_paths_that_can_not_be_opened_are_reported(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(DataError, match=told):
        score(text, tmp_path, output_dir=str(tmp_path / "r"))


@pytest.mark.parametrize(
    ("module", "text", "line"),
    [
        ("fsspec", "s3://b/x", 'pip install "sightline[s3]"'),
        ("s3fs", "s3://b/x", 'pip install "sightline[s3]"'),
        ("gcsfs", "gs://b/x", 'pip install "sightline[gs]"'),
        ("fsspec", "data.zip::x", 'pip install "sightline[storage]"'),
    ],
)
def test_a_missing_package_is_reported_with_the_pip_command(
    monkeypatch: pytest.MonkeyPatch, module: str, text: str, line: str
) -> None:
    from fsspec.registry import _registry as loaded

    monkeypatch.delitem(loaded, text.partition(":")[0], raising=False)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(DataError) as caught:
        score(text, "x")
    assert line in str(caught.value)


@pytest.mark.parametrize("engine", ["threads", "serial"])
def test_local_paths_do_not_load_fsspec(world: Path, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)  # whoever imports it now fails
    report = score(world / "anno", world / "out", output_dir=str(world / "r"), engine=engine)
    assert report.summary.complete
