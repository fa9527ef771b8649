"""Files of web servers: with ranges or without, over connections that break, and only where the user pointed."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from sightline import score
from sightline.core.errors import DataError
from sightline.data.lines import index_file
from sightline.data.storage import RemotePath, filesystems, parse_path
from tests.data.storage.worlds import Web, free_port
from tests.scoring.files.test_shards import figures
from tests.scoring.files.worlds import write_world

pytest.importorskip("fsspec")
LINES = b"".join(b'{"gt": "%d", "frames": "%s"}\n' % (number, b"A" * 5000) for number in range(400))


@pytest.fixture(params=[True, False], ids=["ranges", "no ranges"])
def web(request: pytest.FixtureRequest) -> Iterator[Web]:
    server = Web({"/anno/a.txt": LINES}, ranges=request.param)
    yield server
    server.close()


def truths(address: str) -> list[str]:
    place = parse_path(address)
    with index_file(place, ["gt"]) as index:
        assert not index.fault_counts
        return index.texts("gt", np.arange(len(index))).strings()


WANTED = [str(number) for number in range(400)]


def test_a_file_is_asked_for_once(web: Web) -> None:
    assert truths(f"{web.address}/anno/a.txt") == WANTED
    assert [method for method, _, _ in web.asked].count("GET") == 1


def test_a_broken_connection_is_taken_up_where_it_was(web: Web) -> None:
    web.break_after = [700_000, 900_001]
    assert truths(f"{web.address}/anno/a.txt") == WANTED
    ranges = [span for method, _, span in web.asked if method == "GET"]
    starts = [int(span.removeprefix("bytes=").rstrip("-") or 0) for span in ranges]
    assert len(ranges) == 3 and starts == sorted(starts) and starts[1] > 0


def test_a_file_that_changes_meanwhile_is_reported_and_not_mixed(web: Web) -> None:
    def change() -> None:
        web.files["/anno/a.txt"] = LINES.replace(b'"gt": "1', b'"gt": "2')

    web.break_after, web.on_break = [700_000], change
    with pytest.raises(DataError, match="was changed"):
        truths(f"{web.address}/anno/a.txt")


def test_patience_ends(web: Web) -> None:
    web.break_after = [0] * 50
    with pytest.raises(DataError, match="Cannot read"):
        truths(f"{web.address}/anno/a.txt?token=geheim")
    gets = [path for method, path, _ in web.asked if method == "GET"]
    assert filesystems.MAX_TRIES <= len(gets) < 50
    with pytest.raises(DataError) as caught:
        truths(f"{web.address}/anno/gone.txt?token=geheim")
    assert "404" in str(caught.value) or "No such file" in str(caught.value)
    assert "geheim" not in str(caught.value)


def test_no_server_is_reachable() -> None:
    with pytest.raises(DataError, match="Cannot read") as caught:
        truths(f"http://me:geheim@127.0.0.1:{free_port()}/a.txt?sig=geheim")
    assert "geheim" not in str(caught.value)


def test_requests_go_only_where_the_user_pointed(web: Web) -> None:
    other = Web({"/a.txt": LINES})
    web.redirect = {
        "/away.txt": other.address.replace("127.0.0.1", "localhost") + "/a.txt",
        "/moved.txt": "/anno/a.txt",
    }
    with pytest.raises(DataError, match="another server"):
        truths(f"{web.address}/away.txt")
    assert other.asked == []
    assert truths(f"{web.address}/moved.txt") == WANTED
    other.close()


def test_a_page_of_links_is_no_folder(web: Web) -> None:
    web.files["/anno/"] = b'<a href="a.txt">a</a>'
    with pytest.raises(DataError, match="list no folders"):
        list(parse_path(f"{web.address}/anno/").iterdir())


def test_scoring_a_pair_of_files_with_a_signature(tmp_path: Path) -> None:
    folders = write_world(tmp_path, {"计数": [("3", "3"), ("4", "5"), ("6", "x")] * 50})
    anno = (folders[0] / "t0.txt").rename(tmp_path / "a.txt")
    out = (folders[1] / "t0_output.txt").rename(tmp_path / "m.txt")
    web = Web({"/a.txt": anno.read_bytes(), "/m.txt": out.read_bytes()})
    places = (f"{web.address}/a.txt?sig=geheim", f"{web.address}/m.txt?sig=geheim".replace("//", "//me:geheim@"))
    found = score(*places, output_dir=str(tmp_path / "r"))
    wanted = score(anno, out, output_dir=str(tmp_path / "l"))
    assert figures(found) == figures(wanted)
    assert any(path == "/a.txt?sig=geheim" for _, path, _ in web.asked)
    for path in (tmp_path / "r").iterdir():
        assert b"geheim" not in path.read_bytes(), path
    manifest = json.loads((tmp_path / "r" / "manifest.json").read_text())
    assert manifest["data"] == f"{web.address}/a.txt?***"
    local = json.loads((tmp_path / "l" / "manifest.json").read_text())
    assert manifest["data_sha256"] == local["data_sha256"]
    web.close()


def test_a_member_of_an_archive_on_the_web(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("anno/a.txt", LINES)
    web = Web({"/d.zip": packed.getvalue()})
    assert truths(f"{web.address}/d.zip?sig=1::anno/a.txt") == WANTED
    folder = parse_path(f"zip://anno::{web.address}/d.zip")
    assert isinstance(folder, RemotePath) and [one.name for one in folder.iterdir()] == ["a.txt"]
    web.close()
