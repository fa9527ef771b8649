"""`sightline score` on S3, as people type it; the bucket is looked at by another client."""

from __future__ import annotations

import gzip
import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from sightline import score
from sightline.core.errors import StorageError
from sightline.data.storage import parse_path
from sightline.scoring.files.shard_store import Store
from sightline.scoring.files.shards import split_shards
from tests.data.storage.worlds import CuttingProxy, aws, bucket, upload
from tests.scoring.files.test_shards import figures
from tests.scoring.files.worlds import BOXES, write_world
from tests.support.worlds import sightline

TASKS = {"计数": [(str(n % 9), str(n % 7)) for n in range(300)], "水平区域检测": [(f"2 {BOXES}", BOXES)] * 9}


@pytest.fixture
def use_s3(s3: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Point this process to an S3 server, or to something before it."""
    import s3fs

    def use(address: str) -> None:
        for name, value in aws(address).items():
            monkeypatch.setenv(name, value)
        s3fs.S3FileSystem.clear_instance_cache()

    use(s3)
    yield use
    s3fs.S3FileSystem.clear_instance_cache()


@pytest.fixture
def data(s3: str, tmp_path: Path) -> Any:
    """A bucket of annotations and outputs, whose files lie in `tmp_path` too."""
    anno, out = write_world(tmp_path, TASKS)
    name = "b" + "".join(letter for letter in tmp_path.name.lower() if letter.isalnum())[-40:]
    target = bucket(s3, name)
    upload(anno, target, "in/anno")
    upload(out, target, "in/out")
    return target


def keys(target: Any, prefix: str) -> set[str]:
    return {each.key.removeprefix(prefix) for each in target.objects.filter(Prefix=prefix)}


@pytest.mark.slow
def test_the_command_reads_and_writes_s3(tmp_path: Path, s3: str, data: Any) -> None:
    base = f"s3://{data.name}"
    places = ("--anno-path", f"{base}/in/anno", "--model-result-path", f"{base}/in/out", "--output-dir", f"{base}/r")
    done = sightline("score", *places, "--output-json", f"{base}/all.json", cwd=tmp_path, **aws(s3))
    assert done.returncode == 0, done.stderr
    assert f"Results: {base}/r" in done.stdout
    local = score(tmp_path / "anno", tmp_path / "out", output_dir=str(tmp_path / "local"))
    names = {path.relative_to(tmp_path / "local").as_posix() for path in (tmp_path / "local").rglob("*")}
    # annotations in a bucket have no byte offsets that a page could read
    assert keys(data, "r/") == names - {"samples.index"}
    told = json.loads(data.Object("all.json").get()["Body"].read())
    assert told["models"] == json.loads(json.dumps(local.to_dict()["models"]))
    data.download_file("r/grades.parquet", str(tmp_path / "grades.parquet"))
    query = "SELECT * FROM '{}' ORDER BY ALL"
    folders = (tmp_path, tmp_path / "local")
    remote, near = (duckdb.sql(query.format(folder / "grades.parquet")).fetchall() for folder in folders)
    assert remote == near
    manifest = json.loads(data.Object("r/manifest.json").get()["Body"].read())
    mine = json.loads((tmp_path / "local" / "manifest.json").read_text())
    assert manifest["data"] == f"{base}/in/anno" and manifest["data_sha256"] == mine["data_sha256"]
    times = {each.key: each.last_modified for each in data.objects.filter(Prefix="r/")}
    assert max(times, key=lambda key: (times[key], key == "r/report.html")) == "r/report.html"


@pytest.mark.slow
def test_several_models_compressed_files_and_broken_connections(
    tmp_path: Path, s3: str, use_s3: Any, data: Any
) -> None:
    for path in (tmp_path / "out").iterdir():
        data.put_object(Key=f"in/packed/{path.name}.gz", Body=gzip.compress(path.read_bytes()))
    proxy = CuttingProxy(s3, after=2000, times=2)
    use_s3(proxy.address)
    base = f"s3://{data.name}"
    found = score(
        f"{base}/in/anno", {"A": f"{base}/in/out", "B": f"{base}/in/packed"}, output_dir=f"{base}/r", workers=2
    )
    wanted = score(tmp_path / "anno", {"A": tmp_path / "out", "B": tmp_path / "out"}, output_dir=str(tmp_path / "l"))
    assert proxy.cuts == 2 and figures(found) == figures(wanted)
    assert {"comparison.md", "A/report.html", "B/report.html", "A/grades.parquet"} <= keys(data, "r/")
    proxy.close()


@pytest.mark.slow
def test_shards_live_in_the_bucket_and_are_never_repeated(tmp_path: Path, use_s3: Any, data: Any) -> None:
    base = f"s3://{data.name}"
    options: dict[str, Any] = {"engine": "serial", "batch_size": 10, "shards": f"{base}/shards"}
    first = score(f"{base}/in/anno", f"{base}/in/out", output_dir=f"{base}/r1", **options)
    made = {each.key: each.last_modified for each in data.objects.filter(Prefix="shards/")}
    assert sum(key.endswith("/counts.bin") for key in made) == len(list(split_shards(list(range(40)))))
    torn = next(key for key in made if key.endswith("/counts.bin"))
    data.Object(torn).delete()  # a worker that died before the counts were sent
    second = score(tmp_path / "anno", tmp_path / "out", output_dir=str(tmp_path / "r2"), **options)
    assert figures(second) == figures(first)
    after = {each.key: each.last_modified for each in data.objects.filter(Prefix="shards/")}
    folder = torn.rpartition("/")[0]
    assert after.keys() == made.keys()
    assert all(after[key] == made[key] for key in made if not key.startswith(folder))


def test_a_shard_in_the_bucket_is_whole_or_not_there(tmp_path: Path, use_s3: Any, data: Any) -> None:
    store, key = Store(parse_path(f"s3://{data.name}/shards")), "ab12"
    with pytest.raises(RuntimeError), store.create(key) as folder:
        (folder / "grades.parquet").write_bytes(b"half")
        raise RuntimeError
    assert not store.has(key) and not keys(data, "shards/")
    data.put_object(Key="shards/ab/ab12/grades.parquet", Body=b"of a worker that died")
    assert not store.has(key)
    with store.create(key) as folder:
        for name in ("counts.bin", "grades.parquet"):
            (folder / name).write_bytes(name.encode())
    assert store.has(key)
    near = store.local_folder(key, tmp_path)
    assert {path.name: path.read_bytes() for path in near.iterdir()} == {
        "counts.bin": b"counts.bin",
        "grades.parquet": b"grades.parquet",
    }
    store.write("survey-1", b"first")
    store.write("survey-1", b"second")  # what is there stays
    assert store.read("survey-1") == b"first"
    assert Store(parse_path(store.address)).has(key)


def test_results_that_can_not_be_sent_are_kept(tmp_path: Path, use_s3: Any, data: Any) -> None:
    base = f"s3://{data.name}"
    with pytest.raises(StorageError, match="could not be sent") as caught:
        score(f"{base}/in/anno", f"{base}/in/out", output_dir="s3://no-such-bucket/r")
    kept = Path(str(caught.value.arguments["folder"]))
    assert str(kept) in str(caught.value) and (kept / "grades.parquet").stat().st_size > 0
    shutil.rmtree(kept)


def test_nothing_is_left_behind(tmp_path: Path, use_s3: Any, data: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    base = f"s3://{data.name}"
    score(f"{base}/in/anno", f"{base}/in/out", output_dir=f"{base}/r", engine="serial")
    with pytest.raises(Exception, match="matches an annotation"):
        score(f"{base}/in/anno", f"{base}/r", output_dir=f"{base}/x")
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_file_that_changes_while_it_is_read_is_reported(use_s3: Any, data: Any) -> None:
    data.put_object(Key="big.txt", Body=b"a" * 30_000_000)
    with parse_path(f"s3://{data.name}/big.txt").open() as file:
        assert file.read(10) == b"a" * 10
        data.put_object(Key="big.txt", Body=b"b" * 30_000_000)
        with pytest.raises(Exception, match=r"changed|pre-?conditions"):
            while file.read(1 << 22):
                pass
