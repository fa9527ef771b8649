"""Reply formats of model families: the right box scores 1, a shifted one its IoU, a wrong space is proposed."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sightline import score, score_one
from sightline.core.errors import ConfigError
from sightline.core.interfaces import Reading, Task
from sightline.core.records import Parsed
from sightline.core.reply_formats import PIXEL_LIMITS, REPLY_FORMATS, parse_reply_formats
from sightline.data.columns import TextColumn
from sightline.scoring.format_counts import FormatCounts
from sightline.scoring.parsers.columns.coordinates import RANGES, resized_sizes
from sightline.scoring.parsers.columns.shapes import BOXES, ONE_BOX, POLYGONS, QUADS
from sightline.scoring.parsers.lenient.deviations import DEVIATIONS
from sightline.scoring.parsers.lenient.reader import parse_rewritten, read_common, read_leniently, space_code
from sightline.scoring.parsers.lenient.shape_forms import AskedShapes, read_shapes
from tests.scoring.parsers.replies.rules import corpus

SIZE = 1280, 960
BOX = (340.0, 255.0, 660.0, 615.0)
"""Its corners are the centres of cells of a 32 × 32 grid."""
UNMISTAKABLE = [
    *("qwen-vl", "qwen2-vl", "qwen3-vl", "internvl", "gemini", "paligemma", "florence-2"),
    *("deepseek-vl2", "geochat", "kosmos-2", "moondream", "lhrs-bot", "plain"),
]


def write_reply(name: str, box: tuple[float, ...]) -> str:
    """A reply with one box, given in pixels, as the family writes it."""
    space = REPLY_FORMATS[name].space
    extent = {"": SIZE, "pixels": SIZE}.get(space)
    if space == "resized":
        extent = tuple(resized_sizes(np.array([SIZE], float), PIXEL_LIMITS)[0])
    if extent is None:
        extent = RANGES[space], RANGES[space]
    a, b, c, d = (side / SIZE[place % 2] * extent[place % 2] for place, side in enumerate(box))
    whole = [a, b, c, d] if space in ("0-1", "0-100", "resized", "0-999") else [round(side) for side in (a, b, c, d)]
    a, b, c, d = whole
    match name:
        case "tags":
            return f"<box><{a}><{b}><{c}><{d}></box>"
        case "qwen-vl":
            return f"<ref>ship</ref><box>({a},{b}),({c},{d})</box>"
        case "qwen2-vl":
            return f"<|object_ref_start|>ship<|object_ref_end|><|box_start|>({a},{b}),({c},{d})<|box_end|>"
        case "qwen2.5-vl" | "qwen3-vl":
            return "```json\n" + json.dumps([{"bbox_2d": whole, "label": "ship"}]) + "\n```"
        case "glm-4v":
            return f"<|begin_of_box|>[[{a},{b},{c},{d}]]<|end_of_box|>"
        case "internvl":
            return f"<ref>ship</ref><box>[[{a}, {b}, {c}, {d}]]</box>"
        case "gemini":
            return json.dumps([{"box_2d": [b, a, d, c], "label": "ship"}])
        case "paligemma":
            return "".join(f"<loc{side:04d}>" for side in (b, a, d, c)) + " ship"
        case "florence-2":
            return "ship" + "".join(f"<loc_{side}>" for side in whole)
        case "deepseek-vl2":
            return f"<|ref|>ship<|/ref|><|det|>[[{a}, {b}, {c}, {d}]]<|/det|>"
        case "geochat":
            return f"{{<{a}><{b}><{c}><{d}>|<0>}}"
        case "kosmos-2":
            first, last = (int(y * 32) * 32 + int(x * 32) for x, y in ((a, b), (c, d)))
            return f"<patch_index_{first:04d}><patch_index_{last:04d}>"
        case "molmo":
            return f'<points x1="{a}" y1="{b}" x2="{c}" y2="{d}" alt="ship">ship</points>'
        case "moondream":
            return json.dumps({"objects": [{"x_min": a, "y_min": b, "x_max": c, "y_max": d}]})
        case _:
            return f"[{a}, {b}, {c}, {d}]"


def iou(first: tuple[float, ...], second: tuple[float, ...]) -> float:
    wide = min(first[2], second[2]) - max(first[0], second[0])
    high = min(first[3], second[3]) - max(first[1], second[1])
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (first, second)]
    shared = max(wide, 0) * max(high, 0)
    return shared / (sum(areas) - shared)


GT = "<box>" + "".join(f"<{side}>" for side in BOX) + "</box>"


@pytest.mark.parametrize("name", REPLY_FORMATS)
def test_the_right_box_in_a_declared_format_scores_1_and_a_shifted_one_its_iou(name: str) -> None:
    tolerance = 0.005  # half a step of whole numbers
    right = score_one(GT, write_reply(name, BOX), "视觉定位", reply_format=name, size=SIZE)
    assert right["score"] == right["ap50"] == 1.0
    assert right["mean_iou"] == pytest.approx(1.0, abs=tolerance)
    shifted = tuple(side + shift for side, shift in zip(BOX, (40.0, 30.0, 40.0, 30.0), strict=True))
    found = score_one(GT, write_reply(name, shifted), "视觉定位", reply_format=name, size=SIZE)
    assert found["mean_iou"] == pytest.approx(iou(BOX, shifted), abs=tolerance)


@pytest.mark.parametrize("name", [*UNMISTAKABLE, "glm-4v"])
def test_auto_recognises_the_form_of_a_reply(name: str) -> None:
    found = score_one(GT, write_reply(name, BOX), "视觉定位", size=SIZE)
    assert (found["score"], found["lenient_score"]) == (0.0, 1.0)
    assert found["deviation"] and found["error"]
    strict = score_one(GT, write_reply(name, BOX), "视觉定位", size=SIZE, reply_format="strict")
    assert strict["score"] == 0.0 and "lenient_score" not in strict


@pytest.mark.parametrize(
    "reply", ["{<10><20><30><40>}", "The ship is at {<10><20><30><40>}.", "{ <10> <20> <30> <40> }"]
)
def test_upright_boxes_of_vrsbench_are_those_of_geochat_without_an_angle(reply: str) -> None:
    gt = "<box><100><200><300><400></box>"
    assert score_one(gt, reply, "视觉定位", size=(1000, 1000))["lenient_score"] == 1.0
    declared = score_one(gt, reply, "视觉定位", size=(1000, 1000), reply_format="geochat")
    assert declared["score"] == declared["mean_iou"] == 1.0
    quad = "<quad><100><200><300><200><300><400><100><400></quad>"
    assert score_one("1 " + quad, reply, "旋转区域检测", size=(1000, 1000))["lenient_score"] == 1.0


def test_bbox_2d_beyond_1000_is_read_in_the_resized_picture() -> None:
    wide = 4000, 3000
    resized = resized_sizes(np.array([wide], float), (3136, 12_845_056, 28))[0]
    box = [round(share * side) for share, side in zip((0.5, 0.5, 0.9, 0.9), (*resized, *resized), strict=True)]
    gt = "<box><2000><1500><3600><2700></box>"
    reply = json.dumps([{"bbox_2d": box}])
    found = score_one(gt, reply, "视觉定位", size=wide, pixel_limits=(3136, 12_845_056, 28))
    assert found["lenient_score"] == 1.0
    declared = score_one(
        gt, reply, "视觉定位", size=wide, pixel_limits=(3136, 12_845_056, 28), reply_format="qwen2.5-vl"
    )
    assert declared["mean_iou"] == pytest.approx(1.0, abs=0.002)


def test_resized_pictures_are_those_of_the_processor() -> None:
    """Sides by the rule of Qwen2.5-VL's processor with its defaults; see `PictureSettings.sent_size`."""
    sizes = np.array([[1280, 960], [100, 100], [20, 20], [4000, 3000], [np.nan, 3]])
    made = resized_sizes(sizes, PIXEL_LIMITS)
    assert made[1].tolist() == [112.0, 112.0] and made[2].tolist() == [56.0, 56.0]
    assert (made[:4] % 28 == 0).all() and made[0].prod() <= PIXEL_LIMITS[1] and made[3].prod() <= PIXEL_LIMITS[1]
    assert np.isnan(made[4]).all()


@pytest.mark.parametrize("name", [name for name in REPLY_FORMATS if name not in ("molmo", "tags", "kosmos-2")])
def test_a_wrong_space_is_proposed_and_never_applied(name: str, tmp_path: Path) -> None:
    """Files in which the space of the profile is overruled by a wrong declaration."""
    chance = np.random.default_rng(5)
    space = REPLY_FORMATS[name].space
    wrong = "0-100" if space in ("", "resized", "pixels", "0-1000", "0-999", "0-1023") else "pixels"
    rows, outputs = [], []
    for number in range(60):
        x, y = chance.uniform(0, 1000), chance.uniform(0, 700)
        box = (x, y, x + chance.uniform(50, 270), y + chance.uniform(50, 250))
        gt = "<box>" + "".join(f"<{side:.1f}>" for side in box) + "</box>"
        rows.append({"gt": gt, "task": "视觉定位", "source": f"{number}.png", "width": SIZE[0], "height": SIZE[1]})
        outputs.append({"model_output": write_reply(name, box)})
    write_lines(tmp_path / "anno" / "a.txt", rows)
    write_lines(tmp_path / "out" / "a_output.txt", outputs)
    folders = str(tmp_path / "anno"), str(tmp_path / "out")
    found = score(*folders, output_dir=str(tmp_path / "x"), reply_format=name, coords=wrong).summary
    right = score(*folders, output_dir=str(tmp_path / "y"), reply_format=name).summary
    assert right.score is not None and right.score.value == 1.0 and not right.formats[0].proposed_space
    assert found.score is not None and found.score.value == 0.0
    proposed = {"": "0-1000", "resized": "0-1000", "0-999": "0-1000", "0-1023": "0-1000"}.get(space, space)
    assert found.formats[0].proposed_space in (proposed, "pixels")
    assert any("fit the coordinate space" in str(note) for note in found.notes)


def write_lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def test_replies_that_fit_0_1000_though_pixels_are_declared() -> None:
    counts, chance = FormatCounts(), np.random.default_rng(1)
    truth = chance.uniform(100, 512, 500)
    counts.add_reaches(np.stack((truth / 512 * 1000, truth), axis=1))
    assert counts.propose_space("pixels") == ("0-1000", 1.0)
    assert counts.propose_space("0-1000") is None
    right = FormatCounts()
    right.add_reaches(np.stack((truth + chance.normal(0, 5, 500), truth), axis=1))
    assert right.propose_space("pixels") is None
    few = FormatCounts()
    few.add_reaches(np.stack((truth[:10] / 512, truth[:10]), axis=1))
    assert few.propose_space("pixels") is None, "too few replies"


def test_rotated_boxes_become_quads_in_the_shape_of_the_picture() -> None:
    """A square turned by 45° about its centre is a diamond in pixels, also where the picture is no square."""
    reading = read_shapes("{<40><45><60><55>|<45>}", AskedShapes("quad", 8), aspect=0.5)
    assert reading is not None
    numbers = np.array([float(one) for one in reading.text[6:-7].split(",")]).reshape(4, 2) * (1.0, 2.0)
    centre = np.array([50.0, 100.0])
    assert np.allclose(np.abs(numbers - centre).max(axis=1), np.sqrt(200))
    angle = read_shapes('{"obb": [50, 50, 20, 10, 90]}', AskedShapes("quad", 8))
    assert angle is not None
    turned = np.array([float(one) for one in angle.text[6:-7].split(",")]).reshape(4, 2)
    assert np.allclose(sorted(map(tuple, turned.round(6).tolist())), [(45, 40), (45, 60), (55, 40), (55, 60)])


def test_the_kernel_reads_what_python_reads() -> None:
    """Every reply of the corpus that the kernel takes on is rewritten as Python rewrites it."""
    replies = [case["reply"] for case in corpus() if case["kind"] in ("boxes", "polygons")]
    replies += ['[{"bbox_2d": [1, 2, 3, 4]}, {"bbox_2d": [1, 2, 3, 4]}]', "[[1,2,3,4],[1,2,3,4]]", "[.5, 1, 2, 3]"]
    replies += [
        '{"bbox_2d": [1, 2, 3, 4], "score": 0.5}',
        '[{"bbox_2d": [0.5, 1.0, 1000, 1000.5]}]',
        "[0.1, 0.2, 1, 1.0]",
    ]
    replies += [
        "<ref>a</ref><box>(1,2),(3,4)</box><box>[[5,6,7,8]]</box>",
        '[{"box_2d": [-1, +2, 3, 4]}]',
        "[1, 2, 3, 4,]",
    ]
    taken = 0
    for parser in (BOXES, ONE_BOX, QUADS):
        asked = AskedShapes(parser.tag, parser.size, parser.single)
        for declared in (False, True):
            for reply in replies:
                made = read_common(_contiguous([reply]), asked, (), declared)
                if len(made.rows):
                    taken += 1
                    wanted = read_shapes(reply, asked, declared=declared)
                    assert wanted is not None and made.shapes is not None, reply
                    assert parser(wanted.text) == Parsed(parser.value(made.shapes), "shapes"), reply
                    assert DEVIATIONS[made.deviations[0]] == wanted.deviation
                    assert made.spaces[0] == space_code(wanted.space), reply
    assert taken > 200


def _contiguous(texts: list[str]) -> TextColumn:
    from sightline.scoring.parsers.columns.texts import as_contiguous

    return as_contiguous(TextColumn.of(texts))


def test_rows_of_the_kernel_and_of_python_come_in_their_order() -> None:
    texts = [
        "[1,2,3,4]",
        "a harbor",
        "a box (5,6,7,8)",
        '[{"bbox_2d": [9, 10, 11, 12]}]',
        "no ships are visible",
    ]
    made = read_leniently(TextColumn.of(texts), BOXES, frozenset(), lambda rows: None, declared=True)
    made, parsed = parse_rewritten(made, BOXES)
    assert made.rows.tolist() == [0, 2, 3, 4]
    assert parsed.values.coords.tolist() == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]
    assert np.diff(parsed.values.offsets).tolist() == [1, 1, 1, 0] and not parsed.errors.any()


HOSTILE = [
    "[" * 10**6,
    '{"bbox_2d": [' * 80_000,
    "<box>" * 200_000,
    "<box>1," * 150_000,
    "(1,2)" * 200_000,
    "1," * 500_000,
    "<|det|>" * 150_000,
    "<loc0001>" * 100_000,
    '{"a":' * 200_000,
    '"\\' * 500_000,
    "answer: " * 120_000,
    "```" * 300_000,
    "{<1><2>" * 140_000,
    "**a" * 300_000,
    "there is no " * 80_000,
    "\\boxed{" * 140_000,
    "一" * 300_000,
    "9" * 10**6,
]


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_hostile_replies_take_time_in_proportion(number: int) -> None:
    """A megabyte of anything is read by every reader within seconds, and nothing raises."""
    from tests.scoring.parsers.test_lenient_corpus import PARSERS, VOCABULARY

    began = time.process_time()
    for parser in (*PARSERS.values(), QUADS, POLYGONS):
        read_leniently(TextColumn.of([HOSTILE[number]]), parser, VOCABULARY, lambda rows: None, declared=False)
    assert time.process_time() - began < 20


def test_formats_by_task_and_model() -> None:
    chosen = parse_reply_formats(["auto", "视觉定位=gemini", "qwen=qwen2.5-vl"])
    reading = Reading(reply_formats=chosen)
    grounding, other = (Task(name=name, parser="one_box", metrics=()) for name in ("视觉定位", "VQA3"))
    assert reading.reply_format(grounding) == "gemini" and reading.reply_format(other) == "auto"
    assert reading.reply_format(grounding, "qwen") == "qwen2.5-vl" and reading.reply_format(grounding, "x") == "gemini"
    own = Task(name="ships", parser="one_box", metrics=(), options={"reply_format": "internvl"})
    assert reading.reply_format(own) == "internvl"
    with pytest.raises(ConfigError, match="gemini"):
        parse_reply_formats(["gemin"])


def test_a_long_marked_answer_is_not_cut() -> None:
    boxes = [[number, 2, number + 3, 4] for number in range(400)]
    for reply in (f"Answer: {boxes}", "Answer: " + "".join(f"<box>{box[0]},2,{box[2]},4</box>" for box in boxes)):
        found = read_shapes(reply, AskedShapes("box", 4))
        assert found is not None and found.deviation != "list cut off" and found.text.count("<box>") == 400
