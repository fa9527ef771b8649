"""What is told of a sample is what data set, journal and grades hold of it, whatever that is."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import duckdb
import msgspec
import pytest

from sightline import evaluate, generate, load_suite
from sightline.core.errors import DataError
from sightline.core.interfaces import Drawing
from sightline.core.records import Answer, Invalid, Sample
from sightline.core.remarks import Remark, format_remark
from sightline.reports.sample_view.media import (
    MAX_DRAWING_BYTES,
    MAX_SHAPES,
    Layer,
    drawing_uri,
    overlay_svg,
    sample_drawings,
    shape_layer,
)
from sightline.reports.sample_view.reader import SampleReader
from sightline.reports.sample_view.view import MAX_POSITION, load_sample
from sightline.runs.folder import RunFolder
from sightline.suites.simulation.dataset import SimulationDataset
from sightline.suites.structural import Options, StructuralSuite
from sightline.suites.structural.dataset import StructuralDataset
from tests.support.worlds import write_questions

NAMESPACE = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def structural(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    place = tmp_path_factory.mktemp("structural")
    generate("structural", place / "data", count=3, seed=3)
    evaluate("structural", data=str(place / "data"), model="baseline/oracle", output_dir=str(place / "runs"))
    return RunFolder(next((place / "runs").iterdir()))


@pytest.fixture
def reader(structural: RunFolder) -> Iterator[SampleReader]:
    opened = SampleReader(structural, structural.load_manifest())
    yield opened
    opened.close()


def row_of(folder: RunFolder, position: int) -> dict[str, Any]:
    found = duckdb.sql(
        f"SELECT * REPLACE (CAST(values AS VARCHAR) AS values) FROM '{folder.grades}' WHERE position = {position}"
    )
    return dict(zip(found.columns, found.fetchall()[0], strict=True))


def test_all_that_is_known_is_told(structural: RunFolder, reader: SampleReader) -> None:
    row = row_of(structural, 1)
    shown = load_sample(reader, 1, row)
    sample = next(islice(reader.dataset, 1, None))
    assert isinstance(sample, Sample)
    assert (shown.sample, shown.grade, shown.faults) == (sample, row, ())
    assert shown.media == sample.media and [plate.number for plate in shown.media_views] == [0]
    assert [part.media for part in shown.prompts[0][0]] == [0, -1]
    assert "structural model" in shown.prompts[0][0][1].text
    assert shown.truth == shown.reply and shown.truth is not None
    assert [one.answer.text for one in shown.attempts[0].replies] == [reader.suite.oracle_reply(sample)]
    assert len(shown.drawings) == 6 and not shown.has_overlays


def test_a_run_without_grades_is_graded_from_its_journal(structural: RunFolder, reader: SampleReader) -> None:
    grade, row = load_sample(reader, 1).grade, row_of(structural, 1)
    assert grade is not None
    assert {name: grade[name] for name in ("sample", "status", "score", "message")} == {
        name: row[name] for name in ("sample", "status", "score", "message")
    }


def test_an_attempt_is_chosen_by_number(structural: RunFolder, reader: SampleReader) -> None:
    added = Answer(position=2, sample=load_sample(reader, 2).grade["sample"], attempt=2, text="or none")  # type: ignore[index]
    before = structural.journal.read_bytes()
    try:
        structural.journal.write_bytes(before + msgspec.json.encode(added) + b"\n")
        replies = [load_sample(reader, 2, attempt=number).reply for number in (1, 2, 7)]
    finally:
        structural.journal.write_bytes(before)
    assert [reply.text if reply else None for reply in replies[1:]] == ["or none", "or none"]
    assert replies[0] == load_sample(reader, 2).truth


@pytest.mark.parametrize("position", [-1, 3, 10**9, MAX_POSITION + 1])
def test_where_there_is_no_sample_nothing_is_told(reader: SampleReader, position: int) -> None:
    shown = load_sample(reader, position)
    assert (shown.sample, shown.grade, shown.media_views, shown.faults) == (None, None, (), ())


def test_a_sample_that_is_gone_is_said(reader: SampleReader) -> None:
    shown = load_sample(reader, 0, {"sample": "another", "reply": "kept", "truth": "{}"})
    assert shown.faults == ("The data set has no such sample.",)
    assert shown.reply is not None and shown.reply.text == "kept"


@pytest.mark.parametrize("is_list", [False, True])
def test_data_that_are_gone_are_said(
    structural: RunFolder, tmp_path: Path, is_list: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if the suite returns a list, which is read as soon as the dataset is opened."""
    if is_list:
        monkeypatch.setattr(StructuralSuite, "dataset", lambda suite, path: list(StructuralDataset(path)))
    manifest = structural.load_manifest()
    manifest.data = str(tmp_path / "gone")
    with closing(SampleReader(structural, manifest)) as opened:
        shown = load_sample(opened, 0, row_of(structural, 0))
    assert "The data set of the run does not exist at" in shown.faults[0]
    assert shown.reply is not None and shown.attempts


def test_a_sample_that_could_not_be_asked_has_its_reason(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 2, simulations=2)
    evaluate("simulation", data=str(data), model="baseline/oracle", output_dir=str(tmp_path / "runs"))
    (data / "data" / "structural" / "images" / "File_1.png").unlink()
    folder = RunFolder(next((tmp_path / "runs").iterdir()))
    with closing(SampleReader(folder, folder.load_manifest())) as opened:
        shown = load_sample(opened, 0)
    assert isinstance(shown.sample, Invalid) and shown.grade is not None
    assert (shown.grade["status"], shown.grade["message"]) == ("invalid", format_remark(shown.sample.reason))


def test_a_manifest_names_no_code(structural: RunFolder) -> None:
    manifest = structural.load_manifest()
    manifest.suite = "os:system"
    with pytest.raises(DataError, match="is not installed"):
        SampleReader(structural, manifest)


@pytest.fixture
def streamed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dataset that can only be read from its beginning."""
    monkeypatch.setattr(SimulationDataset, "has_random_access", False)


@pytest.mark.usefixtures("streamed")
def test_patience_ends_and_goes_on_from_there(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 300)
    evaluate("simulation", data=str(data), model="baseline/oracle", output_dir=str(tmp_path / "runs"))
    folder = RunFolder(next((tmp_path / "runs").iterdir()))
    hasty = SampleReader(folder, folder.load_manifest(), patience=0.0)
    told = []
    while (shown := load_sample(hasty, 299)).sample is None:
        told.append(shown.faults[0])
    hasty.close()
    assert told == [
        f"Still reading the data set, up to sample {count}. Reload the page in a moment."
        for count in (64, 128, 192, 256)
    ]


def test_a_reader_that_was_closed_reads_on_and_keeps_nothing_open(structural: RunFolder) -> None:
    """Another thread may still use what the last visitor has pushed out; a file left open would be told by pytest."""
    opened = SampleReader(structural, structural.load_manifest())
    before = load_sample(opened, 1)
    opened.close()
    assert load_sample(opened, 1) == before
    opened.close()


@pytest.mark.parametrize("random_access", [True, False])
def test_a_sample_that_moved_is_found_by_its_name(
    tmp_path: Path, random_access: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SimulationDataset, "has_random_access", random_access)
    data = write_questions(tmp_path / "data", 30)
    evaluate("simulation", data=str(data), model="baseline/oracle", output_dir=str(tmp_path / "runs"))
    folder = RunFolder(next((tmp_path / "runs").iterdir()))
    names = [row_of(folder, position)["sample"] for position in (29, 3)]
    with closing(SampleReader(folder, folder.load_manifest())) as opened:
        assert [getattr(opened.sample(7, name), "id", None) for name in names] == names
        assert getattr(opened.sample(1000, names[0]), "id", None) == names[0]
        assert opened.sample(7, "nobody") is None
        assert opened.sample(1001) is None


@pytest.mark.usefixtures("streamed")
def test_patience_goes_on_where_a_sample_is_sought_by_its_name(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 300)
    evaluate("simulation", data=str(data), model="baseline/oracle", output_dir=str(tmp_path / "runs"))
    folder = RunFolder(next((tmp_path / "runs").iterdir()))
    with closing(SampleReader(folder, folder.load_manifest(), patience=0.0)) as hasty:
        wanted = row_of(folder, 299)["sample"]
        looks = [load_sample(hasty, 3, {"sample": wanted}) for _ in range(5)]
    assert [shown.sample is None for shown in looks] == [True] * 4 + [False]
    assert looks[-1].sample is not None and looks[-1].sample.id == wanted


def test_shapes_of_truth_and_reply_lie_over_the_picture(tmp_path: Path) -> None:
    generate("remote-sensing", tmp_path / "data", count=1)
    options = {"data": str(tmp_path / "data"), "output_dir": str(tmp_path / "runs"), "task": ("水平区域检测",)}
    evaluate("remote-sensing", model="baseline/oracle", **options)
    folder = RunFolder(next((tmp_path / "runs").iterdir()))
    with closing(SampleReader(folder, folder.load_manifest())) as opened:
        shown = load_sample(opened, 0)
    plate = shown.media_views[0]
    root = ElementTree.fromstring(plate.overlay)
    assert (root.get("width"), root.get("height")) == (str(plate.width), str(plate.height))
    groups = {group.get("class"): [shape.get("points") for shape in group] for group in root}
    assert groups["truth"] == groups["reply"] and shown.has_overlays
    assert plate.truth is not None and len(groups["truth"]) == plate.truth.count > 0


def test_an_overlay_holds_nothing_but_its_shapes() -> None:
    evil = Layer(('1,2 3,4"/><script>alert(1)</script>',), 1)
    svg = overlay_svg((10, 20), evil, Layer((), 0))
    tags = {element.tag.removeprefix(NAMESPACE) for element in ElementTree.fromstring(svg).iter()}
    assert tags == {"svg", "g", "polygon"}
    assert "<script" not in svg and not re.search(r"style=|\son\w+=", svg)


@pytest.mark.parametrize("text", ["", "[[1e999, 0, 1, 1]]", "[[NaN, 0, 5, 5]]", "[" * 10_000, "[[1,2,3,4]]" * 9000])
def test_any_reply_makes_a_layer_that_can_be_drawn(text: str) -> None:
    task = next(task for task in load_suite("remote-sensing").tasks().values() if task.parser == "boxes")
    made = shape_layer(task, text, "pixels", (512, 512))
    assert len(made.rings) <= MAX_SHAPES
    assert not re.search("nan|inf", " ".join(made.rings))


class Drawn(StructuralSuite):
    """A suite whose drawings can be anything."""

    made: tuple[Drawing, ...] | Exception = ()

    def drawings(self, sample: Sample, reply: str) -> tuple[Drawing, ...]:
        if isinstance(self.made, Exception):
            raise self.made
        return self.made


def test_drawings_that_fail_or_are_too_large_become_words() -> None:
    suite, sample = Drawn(Options()), Sample(id="a", task="beam", question="", target={})
    suite.made = ZeroDivisionError("by <zero>")
    assert [str(note) for note in sample_drawings(suite, sample, "")[0].notes] == [
        "The drawing failed: ZeroDivisionError: by <zero>"
    ]
    suite.made = (Drawing(Remark("T"), "x" * MAX_DRAWING_BYTES), Drawing(Remark("T"), "x" * (MAX_DRAWING_BYTES + 1)))
    fits, large = sample_drawings(suite, sample, "")
    assert len(fits.svg) == MAX_DRAWING_BYTES and large.svg == ""
    assert str(large.notes[0]) == "The drawing is too large to be shown."


def test_a_drawing_travels_as_an_image() -> None:
    drawing = Drawing(Remark("T"), "<svg>\u4e2d\ud800</svg>")
    kind, _, data = drawing_uri(drawing).partition(",")
    assert kind == "data:image/svg+xml;base64"
    assert base64.b64decode(data).decode() == "<svg>\u4e2d?</svg>"
