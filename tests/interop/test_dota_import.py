"""DOTA labels and results in: upright quads earn what pycocotools gives for the same boxes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sightline.api.evaluation import score
from sightline.interop.importing import ImportRequest, import_files
from tests.interop.coco_world import KINDS, official, write_coco


def corners(box: list[float]) -> str:
    x, y, w, h = box
    return " ".join(repr(v) for v in (x, y, x + w, y, x + w, y + h, x, y + h))


def write_dota(folder: Path) -> tuple[Path, Path]:
    """The boxes of a COCO world in DOTA's layout."""
    instances, results = (json.loads(path.read_text()) for path in write_coco(folder))
    names = {key: name.replace(" ", "-") for key, name in KINDS.items()}
    labels, found = folder / "labelTxt", folder / "results"
    labels.mkdir()
    found.mkdir()
    for image in instances["images"]:
        mine = [a for a in instances["annotations"] if a["image_id"] == image["id"]]
        body = "".join(f"{corners(a['bbox'])} {names[a['category_id']]} 0\n" for a in mine)
        (labels / f"P{image['id']:04}.txt").write_text("imagesource:GoogleEarth\ngsd:0.15\n" + body)
    for key, name in names.items():
        lines = [
            f"P{r['image_id']:04} {r['score']!r} {corners(r['bbox'])}\n" for r in results if r["category_id"] == key
        ]
        (found / f"Task1_{name}.txt").write_text("".join(lines))
    return labels, found


def test_upright_quads_earn_what_pycocotools_gives(tmp_path: Path) -> None:
    labels, found = write_dota(tmp_path)
    done = import_files(ImportRequest(format="dota", source=labels, results=found, out=tmp_path / "in"))
    assert done.faults == 0
    report = score(
        tmp_path / "in" / "anno",
        tmp_path / "in" / "output",
        output_dir=str(tmp_path / "out"),
        task_config=str(tmp_path / "in" / "tasks.json"),
    )
    for kind, figures in official(tmp_path / "instances.json", tmp_path / "results.json").items():
        for metric, value in figures.items():
            assert report.value(f"detect {kind.replace(' ', '-')}", metric) == pytest.approx(value, abs=1e-9)


def test_difficult_objects_and_broken_lines_are_told(tmp_path: Path) -> None:
    labels = tmp_path / "labelTxt"
    labels.mkdir()
    (labels / "P1.txt").write_text("gsd:1\n0 0 9 0 9 9 0 9 ship 1\n0 0 9 0 9 9 0 ship 0\n0 0 9 0 9 nan 0 9 ship 0\n")
    done = import_files(ImportRequest(format="dota", source=labels, out=tmp_path / "in"))
    assert [note.args["count"] for note in done.notes] == [1]
    assert [where.rpartition(":")[2] for where, _ in done.first] == ["3", "4"]
    (row,) = [json.loads(line) for line in (tmp_path / "in" / "anno" / "labelTxt.txt").read_text().splitlines()]
    assert row["gt"] == "1 <quad><0><0><9><0><9><9><0><9></quad>" and row["source"] == "P1"


def test_upright_results_of_the_second_task_become_quads(tmp_path: Path) -> None:
    (tmp_path / "labelTxt").mkdir()
    (tmp_path / "results").mkdir()
    (tmp_path / "labelTxt" / "P1.txt").write_text("0 0 9 0 9 9 0 9 ship 0\n")
    (tmp_path / "labelTxt" / "P2.txt").write_text("")
    (tmp_path / "results" / "Task2_ship.txt").write_text("P1 0.5 0 0 9 9\nP2 0.25 1 1 2 2\n")
    request = ImportRequest(
        format="dota", source=tmp_path / "labelTxt", results=tmp_path / "results", out=tmp_path / "in"
    )
    assert import_files(request).faults == 0
    outputs = (tmp_path / "in" / "output" / "labelTxt_output.txt").read_text().splitlines()
    assert json.loads(outputs[0])["model_output"] == "1 <quad><0><0><9><0><9><9><0><9></quad><score>0.5</score>"
    truths = (tmp_path / "in" / "anno" / "labelTxt.txt").read_text().splitlines()
    assert json.loads(truths[1])["gt"] == "0"  # a false alarm in a picture without objects still counts


@pytest.mark.parametrize("with_images", [False, True])
def test_results_on_unknown_pictures_and_classes_are_faults_and_no_samples(tmp_path: Path, with_images: bool) -> None:
    for folder in ("labelTxt", "results", "images"):
        (tmp_path / folder).mkdir()
    (tmp_path / "labelTxt" / "P1.txt").write_text("0 0 9 0 9 9 0 9 ship 0\n")
    (tmp_path / "results" / "Task1_ship.txt").write_text("P7 0.9 0 0 9 0 9 9 0 9\nP1 0.5 0 0 9 0 9 9 0 9\n")
    (tmp_path / "results" / "Task1_sheep.txt").write_text("P1 0.5 0 0 9 0 9 9 0 9\n")
    (tmp_path / "images" / "P7.png").write_bytes(b"\x89PNG\r\n\x1a\n of another set")
    request = ImportRequest(
        format="dota",
        source=tmp_path / "labelTxt",
        results=tmp_path / "results",
        images=tmp_path / "images" if with_images else None,
        out=tmp_path / "in",
        frames=False,
    )
    done = import_files(request)
    assert (done.samples, done.replies, done.faults) == (1, 1, 2)
    log = (tmp_path / "in" / "import_log.txt").read_text(encoding="utf-8")
    assert "no class 'sheep'" in log and "no image 'P7'" in log
    assert set(json.loads((tmp_path / "in" / "tasks.json").read_text())) == {"detect ship"}
