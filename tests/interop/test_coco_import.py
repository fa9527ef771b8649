"""COCO files in: figures after the import are those of pycocotools, whatever the order of entries."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from sightline.api.evaluation import score
from sightline.cli import cli
from sightline.interop.importing import ImportRequest, import_files
from tests.interop.coco_world import KINDS, official, write_coco


def lines_of(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_figures_after_the_import_are_those_of_pycocotools(tmp_path: Path) -> None:
    instances, results = write_coco(tmp_path)
    done = import_files(ImportRequest(format="coco", source=instances, results=results, out=tmp_path / "in"))
    assert done.faults == 0 and done.samples == done.replies
    report = score(
        tmp_path / "in" / "anno",
        tmp_path / "in" / "output",
        output_dir=str(tmp_path / "out"),
        task_config=str(tmp_path / "in" / "tasks.json"),
    )
    for kind, figures in official(instances, results).items():
        for metric, value in figures.items():
            assert report.value(f"detect {kind}", metric) == pytest.approx(value, abs=1e-12), (kind, metric)
            assert 0.05 < value < 0.95  # neither all nor nothing: the comparison says something


def test_the_printed_command_is_the_one_to_run(tmp_path: Path) -> None:
    instances, results = write_coco(tmp_path, pictures=3)
    told = CliRunner().invoke(
        cli, ["import", "coco", str(instances), "--results", str(results), "--out", str(tmp_path / "in")]
    )
    assert told.exit_code == 0, told.output
    found = re.search(r"Next: sightline (score .+)", told.output)
    assert found is not None
    scored = CliRunner().invoke(
        cli, [*shlex.split(found[1]), "--output-dir", str(tmp_path / "out")], standalone_mode=False
    )
    assert scored.exception is None and scored.return_value == 0, scored.output
    assert (tmp_path / "out" / "report.json").is_file()


def test_one_task_for_all_categories(tmp_path: Path) -> None:
    instances, results = write_coco(tmp_path, pictures=3)
    request = ImportRequest(
        format="coco", source=instances, results=results, out=tmp_path / "in", task="horizontal detection"
    )
    done = import_files(request)
    assert "--task-config" not in done.command
    truths = lines_of(tmp_path / "in" / "anno" / "instances.txt")
    assert {truth["task"] for truth in truths} == {"水平区域检测"}


def test_a_broken_entry_costs_itself_alone(tmp_path: Path) -> None:
    instances, results = write_coco(tmp_path, pictures=3)
    whole = json.loads(results.read_text())
    spoiled = [
        *whole[:2],
        {"image_id": 1, "category_id": 1, "bbox": [1, 2, "wide", 4], "score": 0.5},
        {"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4]},
        {"image_id": 1, "category_id": 1, "bbox": [1, 2, float("inf"), 4], "score": 0.5},
        "nonsense",
        *whole[2:],
    ]
    results.write_text(json.dumps(spoiled))
    done = import_files(ImportRequest(format="coco", source=instances, results=results, out=tmp_path / "bad"))
    assert done.faults == 4
    log = (tmp_path / "bad" / "import_log.txt").read_text(encoding="utf-8").splitlines()
    assert [line.split("\t")[1] for line in log] == ["3", "4", "5", "6"]
    results.write_text(json.dumps(whole))
    import_files(ImportRequest(format="coco", source=instances, results=results, out=tmp_path / "good"))
    for name in ("anno/instances.txt", "output/instances_output.txt"):
        assert (tmp_path / "bad" / name).read_bytes() == (tmp_path / "good" / name).read_bytes()


@pytest.mark.parametrize("with_images", [False, True])
def test_results_on_unknown_pictures_and_categories_are_faults_and_no_samples(
    tmp_path: Path, with_images: bool
) -> None:
    instances, results = write_coco(tmp_path, pictures=3)
    whole = json.loads(results.read_text())
    import_files(ImportRequest(format="coco", source=instances, results=results, out=tmp_path / "good"))
    box = {"bbox": [1, 2, 3, 4], "score": 0.5}
    strays = [{"image_id": 999, "category_id": 1, **box}, {"image_id": 1, "category_id": 55, **box}]
    results.write_text(json.dumps([strays[0], *whole, strays[1]]))
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "999").write_bytes(b"\x89PNG\r\n\x1a\n known by nobody")
    call = ["import", "coco", str(instances), "--results", str(results), "--out", str(tmp_path / "in"), "--no-frames"]
    told = CliRunner().invoke(
        cli, [*call, *(["--images", str(tmp_path / "images")] if with_images else [])], standalone_mode=False
    )
    assert "2 faults" in told.output and "no image '999'" in told.output and "no class '55'" in told.output
    log = (tmp_path / "in" / "import_log.txt").read_text(encoding="utf-8").splitlines()
    assert [line.split("\t")[1] for line in log] == ["1", str(len(whole) + 2)]
    for name in ("anno/instances.txt", "output/instances_output.txt", "tasks.json"):
        assert (tmp_path / "in" / name).read_bytes() == (tmp_path / "good" / name).read_bytes()


def test_a_false_alarm_in_a_picture_without_that_category_still_counts(tmp_path: Path) -> None:
    instances, results = write_coco(tmp_path, pictures=3)
    whole = json.loads(instances.read_text())
    whole["annotations"] = [a for a in whole["annotations"] if a["image_id"] != 2]
    instances.write_text(json.dumps(whole))
    results.write_text(json.dumps([{"image_id": 2, "category_id": 7, "bbox": [1, 2, 3, 4], "score": 0.5}]))
    done = import_files(ImportRequest(format="coco", source=instances, results=results, out=tmp_path / "in"))
    truths = {truth["sample_id"]: truth["gt"] for truth in lines_of(tmp_path / "in" / "anno" / "instances.txt")}
    assert done.faults == 0 and truths["2/7"] == "0"


def test_crowds_are_left_out_and_told(tmp_path: Path) -> None:
    instances, _ = write_coco(tmp_path, pictures=2)
    whole = json.loads(instances.read_text())
    whole["annotations"][0]["iscrowd"] = 1
    instances.write_text(json.dumps(whole))
    done = import_files(ImportRequest(format="coco", source=instances, out=tmp_path / "in"))
    assert [note.args["count"] for note in done.notes] == [1]
    assert done.replies == 0 and "sightline run" in done.command
    count = sum(int(str(truth["gt"]).split()[0]) for truth in lines_of(tmp_path / "in" / "anno" / "instances.txt"))
    assert count == len(whole["annotations"]) - 1


def test_names_of_pictures_do_not_leave_their_folder(tmp_path: Path) -> None:
    instances, _ = write_coco(tmp_path, pictures=3)
    whole = json.loads(instances.read_text())
    whole["images"][0]["file_name"] = "../secret.png"
    whole["images"][1]["file_name"] = str(tmp_path / "secret.png")
    instances.write_text(json.dumps(whole))
    (tmp_path / "secret.png").write_bytes(b"\x89PNG\r\n\x1a\n secret")
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    (pictures / "p3.png").write_bytes(b"\x89PNG\r\n\x1a\n open")
    done = import_files(ImportRequest(format="coco", source=instances, images=pictures, out=tmp_path / "in"))
    framed = {line["source"] for line in lines_of(tmp_path / "in" / "anno" / "instances.txt") if "frames" in line}
    assert framed == {"p3.png"} and done.faults > 0
    assert all("outside the image folder" in str(why) for _, why in done.first)


def test_kinds_are_named_by_the_file(tmp_path: Path) -> None:
    instances, _ = write_coco(tmp_path)
    import_files(ImportRequest(format="coco", source=instances, out=tmp_path / "in"))
    assert set(json.loads((tmp_path / "in" / "tasks.json").read_text())) == {
        f"detect {kind}" for kind in KINDS.values()
    }


def test_sizes_of_images_are_kept(tmp_path: Path) -> None:
    instances, _ = write_coco(tmp_path, pictures=2)
    whole = json.loads(instances.read_text())
    whole["images"][0] |= {"width": 640, "height": 480}
    whole["images"][1] |= {"width": "wide", "height": 0}
    instances.write_text(json.dumps(whole))
    import_files(ImportRequest(format="coco", source=instances, out=tmp_path / "in"))
    rows = lines_of(tmp_path / "in" / "anno" / "instances.txt")
    first = str(whole["images"][0]["id"])
    sizes = {str(row["sample_id"]).partition("/")[0]: (row.get("width"), row.get("height")) for row in rows}
    assert sizes.pop(first) == (640, 480) and set(sizes.values()) == {(None, None)}
