"""Small data sets, each written to the layout that its authors document."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image


def png(side: int, shade: int = 90) -> bytes:
    into = BytesIO()
    Image.new("RGB", (side, side), (shade, shade, shade)).save(into, "PNG")
    return into.getvalue()


def write_pictures(folder: Path, names: Mapping[str, int]) -> None:
    for name, side in names.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(png(side))


def write_vrsbench(folder: Path) -> Path:
    """The three evaluation files, as prepare_eval_all.ipynb writes them."""
    folder.mkdir()
    common: dict[str, Any] = {"dataset": "RSBench"}
    referring = [
        {"image_id": "P0003_0002.png", "ground_truth": "{<10><20><30><45>}", "unique": True, "obj_cls": "ship"},
        {"image_id": "P0003_0002.png", "ground_truth": "{<5><5><9><8>}", "unique": False, "obj_cls": "ship"},
        {
            "image_id": "09194_0000.png",
            "ground_truth": "{<50><50><50><51>}",
            "unique": False,
            "obj_cls": "vehicle",
            "obj_corner": [0.501, 0.502, 0.505, 0.502, 0.505, 0.511, 0.501, 0.511],
        },
    ]
    questions = [
        ("object existence", "Is there a ship?", "Yes"),
        ("object existence", "Is there a plane?", "No"),
        ("object quantity", "How many ships are visible?", "2"),
        ("object quantity", "How many cars are there?", "more than ten"),
        ("object color", "What color is the roof?", "Gray"),
        ("object position", "Where is the ship?", "top-left"),
        ("rural or urban", "Is this rural or urban?", "Urban"),
    ]
    files = {
        "VRSBench_EVAL_referring": [
            common | {"question": f"The ship number {k}", "question_id": k, "type": "ref"} | record
            for k, record in enumerate(referring)
        ],
        "VRSBench_EVAL_vqa": [
            common | {"image_id": "P0003_0002.png", "question": q, "ground_truth": a, "question_id": k, "type": kind}
            for k, (kind, q, a) in enumerate(questions)
        ],
        "VRSBench_EVAL_Cap": [
            common
            | {
                "image_id": name,
                "ground_truth": f"The image shows {what} beside a wide river with {count} boats.",
                "question": "Describe the image in detail",
                "question_id": k,
                "type": "caption",
            }
            for k, (name, what, count) in enumerate(
                [("P0003_0002.png", "a harbor", "seven"), ("09194_0000.png", "an airport", "three")]
            )
        ],
    }
    for name, records in files.items():
        (folder / f"{name}.json").write_text(json.dumps(records, indent=4))
    return folder


def write_geochat(folder: Path) -> Path:
    """JSON lines of GeoChat-Bench; the referring line is of the form shown in the repository's issue 41."""
    folder.mkdir()
    quad = [[584.0, 337.0], [619.0, 313.0], [601.0, 282.0], [565.0, 304.0]]
    other = [[553.0, 287.0], [592.0, 262.0], [573.0, 229.0], [534.0, 254.0]]
    common = {"image_id": "train_5007_0017", "dataset": "FAST", "obj_ids": [1], "size_group": "small", "type": "ref"}
    files = {
        "referring": [
            common | {"question_id": "fast_1", "question": "1 airplane at the right", "ground_truth": [quad]},
            common | {"question_id": "fast_2", "question": "2 airplanes at the right", "ground_truth": [quad, other]},
        ],
        "region_captioning": [
            common
            | {
                "question_id": f"sota_{k}",
                "image_id": "P0006_0001",
                "dataset": "SOTA",
                "question": "{<24><49><28><53>|<57>}",
                "ground_truth": text,
            }
            for k, text in enumerate(["1 large white ship at the left", "2 small grey cars near a road"])
        ],
        "UCmerced": [
            {
                "question_id": "denseresidential/denseresidential00.tif",
                "image": "denseresidential/denseresidential00.tif",
                "text": "Classify the image from the following classes: agricultural, dense residential, forest. "
                "Answer in one word or a short phrase.",
                "ground_truth": "denseresidential",
            }
        ],
    }
    for name, records in files.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return folder


def voc_xml(filename: str, objects: str, size: int = 800) -> str:
    return f"""<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<annotation>
  <filename>{filename}</filename>
  <source>
    <database>DIOR</database>
  </source>
  <size>
    <width>{size}</width>
    <height>{size}</height>
    <depth>3</depth>
  </size>
  <segmented>0</segmented>
{objects}
</annotation>
"""


def voc_object(name: str, box: tuple[float, float, float, float], extra: str = "") -> str:
    corners = "".join(
        f"<{tag}>{value}</{tag}>" for tag, value in zip(("xmin", "ymin", "xmax", "ymax"), box, strict=True)
    )
    head = f"  <object>\n    <name>{name}</name>\n    <pose>Unspecified</pose>\n"
    return f"{head}    <bndbox>{corners}</bndbox>\n    {extra}\n  </object>"


def write_dior_rsvg(folder: Path) -> Path:
    """Annotations, images and splits as the set's README shows them."""
    (folder / "Annotations").mkdir(parents=True)
    described = [
        ("00001", [("golffield", (133, 237, 684, 672), "A green and brown golf field")]),
        (
            "00002",
            [
                ("ship", (10, 20, 60, 90), "The ship at the top left"),
                ("ship", (400, 420, 480, 600), "A grey ship &amp; its wake"),
            ],
        ),
    ]
    for stem, objects in described:
        body = "\n".join(voc_object(name, box, f"<description>{text}</description>") for name, box, text in objects)
        (folder / "Annotations" / f"{stem}.xml").write_text(voc_xml(f"{stem}.jpg", body))
    (folder / "test.txt").write_text("0\n2\n")
    return folder


def write_voc(folder: Path) -> Path:
    folder.mkdir()
    body = "\n".join([voc_object("ship", (1, 2, 30, 40)), voc_object("airplane", (50, 60, 90, 99))])
    (folder / "00011.xml").write_text(voc_xml("00011.jpg", body))
    (folder / "00012.xml").write_text(voc_xml("00012.jpg", voc_object("ship", (10.5, 20, 33, 44.5))))
    return folder


def fair1m_xml(filename: str, objects: list[tuple[str, list[tuple[float, float]], float | None]]) -> str:
    """The layout of the labels: a closed ring of points in each object; results add a probability."""
    parts = []
    for name, points, score in objects:
        ring = "".join(f"<point>{x:.6f},{y:.6f}</point>" for x, y in (*points, points[0]))
        chance = "" if score is None else f"<probability>{score}</probability>"
        parts.append(
            "<object><coordinate>pixel</coordinate><type>rectangle</type><description>None</description>"
            f"<possibleresult><name>{name}</name>{chance}</possibleresult><points>{ring}</points></object>"
        )
    return (
        "<?xml version='1.0' encoding='utf-8'?>\n<annotation><source><filename>"
        f"{filename}</filename><origin>GF2/GF3</origin></source><research><version>1.0</version></research>"
        "<size><width>1000</width><height>900</height><depth>3</depth></size>"
        f"<objects>{''.join(parts)}</objects></annotation>"
    )


FAIR1M = {
    "0": [
        ("Boeing737", [(10, 10), (60, 20), (55, 60), (5, 50)]),
        ("other-ship", [(200, 10), (260, 30), (250, 60), (190, 40)]),
    ],
    "1": [("Boeing737", [(110, 110), (160, 120), (155, 160), (105, 150)])],
}


def write_fair1m(folder: Path) -> Path:
    folder.mkdir()
    for stem, objects in FAIR1M.items():
        truths = [(name, [(float(x), float(y)) for x, y in points], None) for name, points in objects]
        (folder / f"{stem}.xml").write_text(fair1m_xml(f"{stem}.tif", list(truths)))
    return folder


def write_rsvqa(folder: Path) -> Path:
    """Questions and answers by DataSpecification.md; entries of other splits are inactive."""
    folder.mkdir()
    asked = [
        ("presence", "Is there a road?", "yes"),
        ("comp", "Are there more roads than buildings?", "no"),
        ("count", "How many residential buildings are there?", "102"),
        ("rural_urban", "Is it a rural or an urban area?", "rural"),
        ("area", "What is the area covered by roads?", "4512m2"),
    ]
    questions: list[dict[str, Any]] = [{"id": 0, "active": False}]
    answers: list[dict[str, Any]] = [{"id": 0, "active": False}]
    for number, (kind, question, answer) in enumerate(asked, 1):
        common = {"date_added": 1.5e9, "people_id": 0, "active": True}
        questions.append(
            common | {"id": number, "img_id": 7, "type": kind, "question": question, "answers_ids": [number]}
        )
        answers.append(common | {"id": number, "question_id": number, "answer": answer})
    images = [{"id": 7, "original_name": "7.tif", "questions_ids": list(range(1, 6)), "active": True}]
    for name, content in (("questions", questions), ("answers", answers), ("images", images)):
        (folder / f"LR_split_test_{name}.json").write_text(json.dumps({name: content}))
    return folder


def write_levir(folder: Path) -> Path:
    """LevirCCcaptions.json with five sentences a pair; images below images/SPLIT/A and B."""
    folder.mkdir()
    entries = []
    for number, (split, what) in enumerate([("train", "road"), ("test", "villa"), ("test", "parking lot")]):
        name = f"{split}_{number:06}.png"
        sentences = [
            {
                "tokens": f"a {what} is built in view {k}".split(),
                "raw": f" a {what} is built in view {k} .",
                "imgid": number,
                "sentid": 5 * number + k,
            }
            for k in range(5)
        ]
        entries.append(
            {
                "filepath": split,
                "filename": name,
                "imgid": number,
                "sentences": sentences,
                "split": split,
                "changeflag": 1,
            }
        )
        write_pictures(folder / "images" / split, {f"A/{name}": 256, f"B/{name}": 256})
    (folder / "LevirCCcaptions.json").write_text(json.dumps({"images": entries, "dataset": "LEVIR_CC"}))
    return folder


def write_xbd(folder: Path) -> Path:
    """labels/*.json with polygons in WKT, in pixels and in degrees."""
    (folder / "labels").mkdir(parents=True)
    damages = ("no-damage", "minor-damage", "major-damage", "destroyed", "un-classified")
    shapes = {damage: (100 + 100 * k, 200) for k, damage in enumerate(damages)}
    cases = [(1, phase, shapes) for phase in ("pre", "post")] + [(3, "post", {"no-damage": (10, 10)})]
    for image, phase, buildings in cases:
        features = []
        for number, (damage, (x, y)) in enumerate(buildings.items()):
            wkt = f"POLYGON (({x} {y}, {x + 50} {y}, {x + 50.5} {y + 40}, {x} {y + 40}, {x} {y}))"
            properties = {"feature_type": "building", "uid": f"u{number}"} | (
                {"subtype": damage} if phase == "post" else {}
            )
            features.append({"properties": properties, "wkt": wkt})
        name = f"hurricane-harvey_{image:08}_{phase}_disaster"
        metadata = {"width": 1024, "height": 1024, "img_name": f"{name}.png", "disaster": "hurricane-harvey"}
        label = {"features": {"lng_lat": [], "xy": features}, "metadata": metadata}
        (folder / "labels" / f"{name}.json").write_text(json.dumps(label))
    empty = {"features": {"lng_lat": [], "xy": []}, "metadata": {"width": 1024, "height": 1024}}
    (folder / "labels" / "hurricane-harvey_00000002_pre_disaster.json").write_text(json.dumps(empty))
    return folder


WRITERS: dict[str, Callable[[Path], Path]] = {
    "dior-rsvg": write_dior_rsvg,
    "fair1m": write_fair1m,
    "geochat-bench": write_geochat,
    "levir-cc": write_levir,
    "rsvqa": write_rsvqa,
    "voc": write_voc,
    "vrsbench": write_vrsbench,
    "xbd": write_xbd,
}
