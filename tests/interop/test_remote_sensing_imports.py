"""Remote-sensing data sets in their documented layouts: perfect replies earn full marks; a bad file costs itself."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from sightline.api.evaluation import score
from sightline.core.errors import DataError
from sightline.interop.importing import ImportRequest, ImportResult, import_files
from sightline.interop.xml_reader import MAX_DEPTH, MAX_TEXT_CHARACTERS, XmlError, read_xml
from tests.interop.remote_sensing_sets import (
    FAIR1M,
    WRITERS,
    fair1m_xml,
    voc_object,
    voc_xml,
    write_dior_rsvg,
    write_fair1m,
    write_geochat,
    write_levir,
    write_pictures,
    write_rsvqa,
    write_voc,
    write_vrsbench,
    write_xbd,
)


def run_import(format: str, source: Path, out: Path, **options: Any) -> ImportResult:
    return import_files(ImportRequest(format=format, source=source, out=out, **options))


def annotations(out: Path) -> list[dict[str, Any]]:
    files = sorted((out / "anno").glob("*.txt"))
    return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]


def answer_perfectly(out: Path) -> None:
    """Write the truths as replies; of several references the third."""
    (out / "output").mkdir(exist_ok=True)
    for file in (out / "anno").glob("*.txt"):
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        replies = [
            {
                "sample_id": row["sample_id"],
                "task": row["task"],
                "source": row["source"],
                "model_output": row["gt"][2] if isinstance(row["gt"], list) else row["gt"],
            }
            for row in rows
        ]
        text = "".join(json.dumps(reply) + "\n" for reply in replies)
        (out / "output" / f"{file.stem}_output.txt").write_text(text, encoding="utf-8")


def score_import(out: Path) -> Any:
    tasks = out / "tasks.json"
    config = {"task_config": str(tasks)} if tasks.is_file() else {}
    return score(out / "anno", out / "output", output_dir=str(out / "scores"), **config)


def log_lines(out: Path) -> list[list[str]]:
    return [line.split("\t") for line in (out / "import_log.txt").read_text(encoding="utf-8").splitlines()]


# several references as one truth are scored by other tests; here their file is checked
@pytest.mark.parametrize("format", sorted(set(WRITERS) - {"levir-cc"}))
def test_perfect_replies_earn_full_marks(format: str, tmp_path: Path) -> None:
    source = WRITERS[format](tmp_path / "set")
    done = run_import(format, source, tmp_path / "in")
    assert done.faults == 0 and done.samples == len(annotations(tmp_path / "in")) > 0
    answer_perfectly(tmp_path / "in")
    report = score_import(tmp_path / "in")
    tasks = {row["task"] for row in annotations(tmp_path / "in")}
    metrics = {"boxes": "ap50", "quads": "ap50", "text": "rouge_l", "polygons": "pixel_f1"}
    own_tasks = tmp_path / "in" / "tasks.json"
    parsers = (
        {name: rule["parser"] for name, rule in json.loads(own_tasks.read_text()).items()}
        if own_tasks.is_file()
        else {}
    )
    known = {"视觉定位": "boxes", "详细图片描述": "text", "区域描述": "text"}
    for task in tasks:
        metric = metrics.get(known.get(task) or parsers.get(task) or "", "accuracy")
        metric = "recall50" if parsers.get(task) == "one_box" or task == "视觉定位" else metric
        assert report.value(task, metric) == pytest.approx(1.0), (task, metric)


@pytest.mark.parametrize("format", sorted(WRITERS))
def test_a_second_import_writes_the_same_bytes_and_leaves_no_temporary_file(format: str, tmp_path: Path) -> None:
    source = WRITERS[format](tmp_path / "set")
    for name in ("first", "second"):
        run_import(format, source, tmp_path / name)
    first, second = (
        {
            path.relative_to(tmp_path / name): path.read_bytes()
            for path in (tmp_path / name).rglob("*")
            if path.is_file()
        }
        for name in ("first", "second")
    )
    assert first == second
    assert not any(path.name.startswith(".") or path.suffix == ".part" for path in first)


@pytest.mark.parametrize("format", sorted(set(WRITERS) - {"rsvqa"}))
def test_sizes_are_kept(format: str, tmp_path: Path) -> None:
    """Without them no coordinate could be converted; RSVQA asks for none."""
    run_import(format, WRITERS[format](tmp_path / "set"), tmp_path / "in", frames=False)
    wanted = {"dior-rsvg": 800, "voc": 800, "vrsbench": 512, "xbd": 1024, "levir-cc": 256}
    for row in annotations(tmp_path / "in"):
        if format == "fair1m":
            assert (row["width"], row["height"]) == (1000, 900)
        elif format == "geochat-bench":
            side = {"train_5007_0017.png": 600, "P0006_0001.png": 1024}.get(row["source"])
            assert (row.get("width"), row.get("height")) == (side, side)
        else:
            assert row["width"] == row["height"] == wanted[format]


def test_boxes_in_per_cent_become_pixels_of_the_image(tmp_path: Path) -> None:
    source = write_vrsbench(tmp_path / "set") / "VRSBench_EVAL_referring.json"
    write_pictures(tmp_path / "images", {"P0003_0002.png": 512, "09194_0000.png": 256})
    done = run_import("vrsbench", source, tmp_path / "in", images=tmp_path / "images")
    first, second, third = annotations(tmp_path / "in")
    assert first["gt"] == "<box><51.2><102.4><153.6><230.4></box>" and first["task"] == "grounding, unique"
    assert second["task"] == "grounding, not unique" and len(first["frames"]) == 1
    assert (third["width"], third["height"]) == (256, 256)
    # a box that whole per cents have reduced to a line comes from its corners
    numbers = [float(part.split(">")[0]) for part in third["gt"].split("<")[2:6]]
    assert numbers == pytest.approx([0.501 * 256, 0.502 * 256, 0.505 * 256, 0.511 * 256])
    assert [note.args["count"] for note in done.notes] == [1]


def test_one_task_joins_all_referring_expressions(tmp_path: Path) -> None:
    source = write_vrsbench(tmp_path / "set") / "VRSBench_EVAL_referring.json"
    done = run_import("vrsbench", source, tmp_path / "in", task="visual grounding")
    assert {row["task"] for row in annotations(tmp_path / "in")} == {"视觉定位"}
    assert "--task-config" not in done.command


def test_answers_in_words_keep_their_own_task(tmp_path: Path) -> None:
    source = write_vrsbench(tmp_path / "set") / "VRSBench_EVAL_vqa.json"
    run_import("vrsbench", source, tmp_path / "in")
    parsers = {name: rule["parser"] for name, rule in json.loads((tmp_path / "in" / "tasks.json").read_text()).items()}
    assert parsers["object existence"] == "yes_no" and parsers["object quantity"] == "number"
    assert parsers["object quantity, in words"] == parsers["object color"] == "labels"


def test_results_by_question_id_are_paired_by_file(tmp_path: Path) -> None:
    source = write_vrsbench(tmp_path / "set")
    results = tmp_path / "results"
    results.mkdir()
    lines = [
        {"question_id": k, "image_id": "P0003_0002.png", "answer": a, "ground_truth": "ignored"}
        for k, a in enumerate(["Yes", "Yes", "3", "more than ten", "gray", "bottom", "urban"])
    ]
    lines += [{"question_id": 99, "answer": "Yes"}, {"question_id": 0, "answer": "No"}, {"question_id": 1}]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (results / "model_VRSBench_EVAL_vqa.jsonl").write_text(text + "not json\n")
    (results / "other.jsonl").write_text(text)
    done = run_import("vrsbench", source, tmp_path / "in", results=results)
    assert (done.replies, done.faults) == (7, 5)
    reasons = [line[2] for line in log_lines(tmp_path / "in")]
    assert reasons[0] == "there is no question '99'; ids are such as '0'" and reasons[1] == "duplicate id '0'"
    report = score_import(tmp_path / "in")
    assert report.value("object existence", "accuracy") == pytest.approx(0.5)
    assert report.value("object quantity", "accuracy") == 0.0
    assert report.value("object color", "accuracy") == 1.0
    rows = (tmp_path / "in" / "output" / "VRSBench_EVAL_vqa_output.txt").read_text().splitlines()
    assert json.loads(rows[4])["task"] == "object color" and json.loads(rows[4])["source"] == "P0003_0002.png"


def test_classes_are_spelled_as_the_question_lists_them(tmp_path: Path) -> None:
    run_import("geochat-bench", write_geochat(tmp_path / "set") / "UCmerced.jsonl", tmp_path / "in")
    (row,) = annotations(tmp_path / "in")
    assert row["gt"] == "dense residential" and row["task"] == "图片分类"


def test_lines_without_a_truth_say_where_it_is(tmp_path: Path) -> None:
    line = {"question_id": 1, "image": "7.tif", "text": "Is there a road?", "category": "presence"}
    answered = line | {"question_id": 2, "ground_truth": "yes"}
    (tmp_path / "lrben.jsonl").write_text(json.dumps(line) + "\n" + json.dumps(answered) + "\n")
    done = run_import("geochat-bench", tmp_path / "lrben.jsonl", tmp_path / "in")
    assert done.samples == done.faults == 1 and "rsvqa" in log_lines(tmp_path / "in")[0][2]


def test_a_split_file_chooses_objects_by_their_number(tmp_path: Path) -> None:
    source = write_dior_rsvg(tmp_path / "set")
    (source / "test.txt").write_text("0\n2\nsecond\n77\n")
    done = run_import("dior-rsvg", source / "test.txt", tmp_path / "in")
    first, second = annotations(tmp_path / "in")
    assert (first["sample_id"], first["gt"]) == ("0", "<box><133><237><684><672></box>")
    assert second["sample_id"] == "2" and "A grey ship & its wake" in second["prompt"]
    assert [line[1:] for line in log_lines(tmp_path / "in")] == [
        ["3", "the line is not the number of an object"],
        ["77", "there is no object 77"],
    ]
    assert done.faults == 2


def test_a_broken_file_stops_a_split_since_later_numbers_would_shift(tmp_path: Path) -> None:
    source = write_dior_rsvg(tmp_path / "set")
    (source / "Annotations" / "00001.xml").write_text("<annotation>\n<object></annotation>")
    with pytest.raises(DataError, match=r"00001\.xml:2: the XML is malformed"):
        run_import("dior-rsvg", source / "test.txt", tmp_path / "in")
    assert run_import("dior-rsvg", source, tmp_path / "all").faults == 1
    assert len(annotations(tmp_path / "all")) == 2


def test_images_beside_the_annotations_are_embedded(tmp_path: Path) -> None:
    source = write_dior_rsvg(tmp_path / "set")
    write_pictures(source / "JPEGImages", {"00001.jpg": 16, "00002.jpg": 16})
    assert run_import("dior-rsvg", source, tmp_path / "in").faults == 0
    assert all(row["frames"] for row in annotations(tmp_path / "in"))


def test_voc_results_earn_the_ap_of_all_points(tmp_path: Path) -> None:
    """By hand: of ship's detections by score, hit, miss, hit: AP = 1/2 · 1 + 1/2 · 2/3."""
    source = write_voc(tmp_path / "set")
    results = tmp_path / "results"
    results.mkdir()
    ships = "00011 0.9 1 2 30 40\n00012 0.8 500 500 600 600\n00012 0.7 10.5 20 33 44.5\n"
    (results / "comp4_det_test_ship.txt").write_text(ships + "00099 0.9 1 2 3 4\n00011 high 1 2 3 4\n")
    (results / "comp4_det_test_airplane.txt").write_text("00011 0.5 50 60 90 99\n")
    done = run_import("voc", source, tmp_path / "in", results=results)
    assert [line[1:] for line in log_lines(tmp_path / "in")] == [
        ["4", "the annotations have no image '00099'"],
        ["5", "the line is not an image, a score and a box"],
    ]
    assert done.faults == 2
    report = score_import(tmp_path / "in")
    assert report.value("detect ship", "ap50") == pytest.approx(0.5 + 0.5 * 2 / 3, abs=1e-9)
    assert report.value("detect airplane", "ap50") == pytest.approx(1.0)


def test_fair1m_results_with_probabilities(tmp_path: Path) -> None:
    source = write_fair1m(tmp_path / "set")
    results = tmp_path / "results"
    results.mkdir()
    for stem, objects in FAIR1M.items():
        found = [(name, [(float(x), float(y)) for x, y in points], 0.5) for name, points in objects]
        (results / f"{stem}.xml").write_text(fair1m_xml(f"{stem}.tif", list(found)))
    assert run_import("fair1m", source, tmp_path / "in", results=results).faults == 0
    row = annotations(tmp_path / "in")[0]
    assert row["gt"] == "1 <quad><10><10><60><20><55><60><5><50></quad>" and row["source"] == "0.tif"
    report = score_import(tmp_path / "in")
    assert report.value("detect Boeing737", "ap50") == report.value("detect other-ship", "ap50") == pytest.approx(1.0)


def test_objects_that_lack_something_are_reported_with_their_line(tmp_path: Path) -> None:
    source = tmp_path / "set"
    source.mkdir()
    bad = [voc_object("", (1, 2, 3, 4)), voc_object("ship", (30, 2, 3, 4)), "  <object><name>ship</name></object>"]
    body = "\n".join([voc_object("ship", (1, 2, 30, 40), "<difficult>1</difficult>"), *bad])
    (source / "a.xml").write_text(voc_xml("a.jpg", body))
    done = run_import("voc", source, tmp_path / "in")
    assert done.samples == 1 and [line[1] for line in log_lines(tmp_path / "in")] == ["19", "25", "31"]
    assert [note.args["count"] for note in done.notes] == [1]


def test_inactive_questions_are_those_of_other_splits(tmp_path: Path) -> None:
    source = write_rsvqa(tmp_path / "set")
    run_import("rsvqa", source / "LR_split_test_questions.json", tmp_path / "in")
    rows = {row["task"]: row["gt"] for row in annotations(tmp_path / "in")}
    assert rows == {"presence": "yes", "comp": "no", "count": "102", "rural_urban": "rural", "area": "4512m2"}
    assert {row["source"] for row in annotations(tmp_path / "in")} == {"7"}


def test_questions_without_their_answer_are_reported(tmp_path: Path) -> None:
    source = write_rsvqa(tmp_path / "set")
    answers = json.loads((source / "LR_split_test_answers.json").read_text())
    del answers["answers"][2]
    answers["answers"].append({"id": 1, "answer": "again", "active": True})
    (source / "LR_split_test_answers.json").write_text(json.dumps(answers))
    assert run_import("rsvqa", source, tmp_path / "in").samples == 4
    assert [line[2] for line in log_lines(tmp_path / "in")] == ["duplicate id '1'", "the question has no answer"]
    (source / "LR_split_test_answers.json").unlink()
    with pytest.raises(DataError, match=r"answers\.json does not exist"):
        run_import("rsvqa", source, tmp_path / "more")


def test_several_captions_are_a_list_of_references(tmp_path: Path) -> None:
    source = write_levir(tmp_path / "set")
    results = tmp_path / "replies.jsonl"
    results.write_text(json.dumps({"id": "test/test_000001.png", "prediction": "a villa is built"}) + "\n")
    done = run_import("levir-cc", source, tmp_path / "in", results=results)
    assert (done.samples, done.replies, done.faults) == (3, 1, 0)
    assert sorted(path.name for path in (tmp_path / "in" / "anno").iterdir()) == ["test.txt", "train.txt"]
    row = annotations(tmp_path / "in")[0]
    assert row["gt"] == [f"a villa is built in view {k} ." for k in range(5)]
    assert row["source"] == "test/A/test_000001.png,test/B/test_000001.png" and len(row["frames"]) == 2
    assert (tmp_path / "in" / "output" / "test_output.txt").is_file()
    report = score_import(tmp_path / "in")
    for metric in ("bleu1", "bleu2", "bleu3", "bleu4", "meteor", "rouge_l", "cider"):
        assert report.value("change caption", metric) is not None, metric


def test_damage_is_asked_class_by_class_on_both_images(tmp_path: Path) -> None:
    source = write_xbd(tmp_path / "set")
    done = run_import("xbd", source, tmp_path / "in")
    rows = {row["sample_id"]: row for row in annotations(tmp_path / "in")}
    before, after = (f"hurricane-harvey_00000001_{phase}_disaster" for phase in ("pre", "post"))
    assert rows[before]["gt"].count("<poly>") == 5 and rows["hurricane-harvey_00000002_pre_disaster"]["gt"] == "0"
    assert rows[f"{after}/destroyed"]["gt"] == "<poly><400><200><450><200><450.5><240><400><240></poly>"
    assert rows["hurricane-harvey_00000003_post_disaster/minor-damage"]["gt"] == "0"
    assert rows[f"{after}/destroyed"]["source"] == f"{before}.png,{after}.png"
    assert [note.args["count"] for note in done.notes] == [1]


@pytest.mark.parametrize(
    ("wkt", "rings"),
    [
        ("POLYGON ((0 0, 9 0, 9 9, 0 0))", 1),
        ("MULTIPOLYGON (((0 0, 9 0, 9 9, 0 0)), ((20 20, 29 20, 29 29, 20 20)))", 2),
        ("POLYGON ((0 0, 9 0, 9 9, 0 0), (2 1, 3 1, 3 2, 2 1))", 1),
        ("POLYGON ((0 0, 9 0))", 0),
        ("POLYGON ((0 0, 9 zero, 9 9, 0 0))", 0),
        ("POINT (1 2)", 0),
        ("POLYGON " + "(" * 200_000, 0),
        ("POLYGON " + ") " * 200_000, 0),
    ],
)
def test_outlines_in_wkt(wkt: str, rings: int, tmp_path: Path) -> None:
    (tmp_path / "labels").mkdir()
    features = [{"properties": {"uid": "1"}, "wkt": wkt}]
    label = {"features": {"xy": features}, "metadata": {}}
    (tmp_path / "labels" / "a_pre_disaster.json").write_text(json.dumps(label))
    done = run_import("xbd", tmp_path, tmp_path / "in")
    (row,) = annotations(tmp_path / "in")
    assert row["gt"].count("<poly>") == rings and done.faults == (0 if rings else 1)


BOMB = """<?xml version="1.0"?>
<!DOCTYPE annotation [
<!ENTITY a "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa">
<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">
]>
<annotation><filename>&c;</filename></annotation>"""
OUTSIDE = """<?xml version="1.0"?>
<!DOCTYPE annotation [<!ENTITY secret SYSTEM "{uri}">]>
<annotation><filename>&secret;</filename></annotation>"""


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        (BOMB, 2, "document types and entities are not accepted"),
        (OUTSIDE, 2, "document types and entities are not accepted"),
        ('<!DOCTYPE a SYSTEM "http://127.0.0.1:9/a.dtd">\n<a/>', 1, "document types and entities are not accepted"),
        ("<a>\n<b>\n</a>", 3, "the XML is malformed: mismatched tag"),
        ("<a>&nbsp;</a>", 1, "the XML is malformed: undefined entity"),
        ("", 1, "the XML is malformed: no element found"),
        ("<a>" * (MAX_DEPTH + 1), 1, "the elements are nested too deeply"),
        (f"<a>{'x' * (MAX_TEXT_CHARACTERS + 1)}</a>", 1, "the text of an element is too long"),
        ("<a>\n" + "<b/>" * 500_001 + "</a>", 2, "the file has too many elements"),
        ('<?xml version="1.0" encoding="elvish"?><a/>', 1, "the XML is malformed: unknown encoding: elvish"),
    ],
)
def test_hostile_xml_is_refused_with_its_line(text: str, line: int, why: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    (tmp_path / "a.xml").write_text(text.replace("{uri}", secret.as_uri()))
    with pytest.raises(XmlError) as caught:
        read_xml(tmp_path / "a.xml")
    assert (caught.value.line, str(caught.value.why)) == (line, why)


@pytest.mark.parametrize("format", ["voc", "fair1m", "dior-rsvg"])
def test_a_hostile_file_costs_itself_alone(format: str, tmp_path: Path) -> None:
    source = WRITERS[format](tmp_path / "set")
    whole = run_import(format, source, tmp_path / "whole")
    folder = source / "Annotations" if format == "dior-rsvg" else source
    (folder / "zzz.xml").write_text(BOMB)
    done = run_import(format, source, tmp_path / "in")
    assert (done.samples, done.faults) == (whole.samples, 1)
    assert log_lines(tmp_path / "in")[0][1] == "2"


@pytest.mark.parametrize("name", ["../secret.png", "/etc/passwd", "link.png", "C:\\secret.png"])
def test_paths_out_of_the_image_folder_are_refused(name: str, tmp_path: Path) -> None:
    write_pictures(tmp_path, {"secret.png": 8})
    source, images = tmp_path / "set", tmp_path / "images"
    source.mkdir()
    images.mkdir()
    (images / "link.png").symlink_to(tmp_path / "secret.png")
    (source / "a.xml").write_text(voc_xml(name, voc_object("ship", (1, 2, 30, 40))))
    done = run_import("voc", source, tmp_path / "in", images=images)
    assert done.faults == 1 and "frames" not in annotations(tmp_path / "in")[0]


@pytest.mark.parametrize("format", sorted(WRITERS))
@pytest.mark.parametrize(
    "content", ["", "[]", "{}", "[1, null, []]", '{"images": [3]}', "\x00\xff", '[{"question_id": {}}]']
)
def test_files_of_another_kind_are_errors_and_never_crash(format: str, content: str, tmp_path: Path) -> None:
    source = WRITERS[format](tmp_path / "set")
    for path in [*source.rglob("*.json"), *source.rglob("*.jsonl"), *source.rglob("*.xml")]:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(DataError):
        run_import(format, source, tmp_path / "in")
    assert not any(path.name.startswith(".") for path in (tmp_path / "in").glob("*"))


def test_progress_counts_before_the_first_row(tmp_path: Path) -> None:
    counts: list[int] = []
    source = write_voc(tmp_path / "set")
    import_files(ImportRequest(format="voc", source=source, out=tmp_path / "in"), counts.append)
    assert counts[:3] == [1, 2, 3]


HOSTILE = (
    None,
    10**400,
    -1,
    1e308,
    float("nan"),
    True,
    "",
    "\x00",
    "\ud800",
    "9" * 5000,
    "<box>",
    [],
    [[]],
    {},
    {"a": []},
)


def replace_one(value: Any, rng: random.Random) -> Any:
    """A copy of a JSON value with one hostile value somewhere in it."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        key = rng.choice(sorted(value))
        return value | {key: replace_one(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.85:
        index = rng.randrange(len(value))
        return [*value[:index], replace_one(value[index], rng), *value[index + 1 :]]
    return rng.choice(HOSTILE)


def spoil(path: Path, rng: random.Random) -> None:
    """Replace one value of a JSON file, of a line, or the text of an XML element."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        path.write_text(json.dumps(replace_one(json.loads(text), rng)))
    elif path.suffix == ".jsonl":
        rows = [json.loads(line) for line in text.splitlines()]
        path.write_text("".join(json.dumps(replace_one(row, rng)) + "\n" for row in rows))
    else:
        texts = list(re.finditer(r">([^<>\n]+)<", text))
        match = rng.choice(texts)
        word = rng.choice(("", "nan", "1e999", "-5", "9" * 5000, "../x", "&#65;", "1,2", "&gt;"))
        path.write_text(text[: match.start(1)] + word + text[match.end(1) :])


@pytest.mark.parametrize("format", sorted(WRITERS))
def test_any_hostile_value_is_a_fault_an_error_or_harmless(format: str, tmp_path: Path) -> None:
    rng = random.Random(format)
    for turn in range(60):
        source = WRITERS[format](tmp_path / f"set{turn}")
        files = sorted(path for path in source.rglob("*") if path.suffix in (".json", ".jsonl", ".xml"))
        spoil(rng.choice(files), rng)
        out = tmp_path / f"in{turn}"
        try:
            done = run_import(format, source, out, frames=False)
        except DataError:
            continue
        assert done.samples == len(annotations(out))
        for row in annotations(out):
            assert isinstance(row["gt"], str | list) and row["gt"]
