"""From annotation and output files to figures, logs and grades."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import duckdb
import pytest

from sightline import score
from sightline.api.score_files import score_files
from sightline.core.errors import ConfigError, DataError, UnknownNameError, UsageError
from sightline.core.score_config import ScoreConfig
from sightline.i18n import use_language
from tests.scoring.files.worlds import ALL_TASKS, BOXES, annotations, outputs, write_lines, write_world


def log(folder: Path, name: str) -> list[list[str]]:
    return [line.split("\t") for line in (folder / name).read_text(encoding="utf-8").splitlines()[1:]]


def test_every_task_is_scored_by_its_own_metrics(tmp_path: Path) -> None:
    anno, out = write_world(tmp_path, ALL_TASKS)
    report = score(anno, out, output_dir=str(tmp_path / "r"))
    expected = {
        ("图片检索", "accuracy"): 2 / 3,
        ("图片检索", "retrieval_recall"): 4 / 5,
        ("图片分类", "accuracy"): 1 / 2,
        ("VQA1", "accuracy"): 1 / 3,
        ("VQA2", "mae"): 1.0,
        ("VQA3", "recall50"): 1 / 2,
        ("计数", "accuracy"): 1 / 3,
        ("计数", "mae"): 1.0,
        ("水平区域分类", "accuracy"): 2 / 3,
        ("水平区域检测", "count_accuracy"): 1 / 3,
        ("水平区域检测", "precision50"): 2 / 3,
        ("水平区域检测", "recall50"): 1.0,
        ("旋转区域检测", "ap50"): 1.0,
        ("视觉定位", "recall50"): 1 / 2,
        ("实例分割", "mask_ap"): 1.0,
        ("变化检测", "miou"): 0.0,
        ("细粒度识别", "accuracy"): 1 / 2,
    }
    assert {key: report.value(*key) for key in expected} == pytest.approx(expected)
    assert report.summary.samples == sum(map(len, ALL_TASKS.values()))
    errors = {(row[1], row[4]) for row in log(tmp_path / "r", "error_log.txt")}
    assert ("VQA3", "box lacks a coordinate") in errors
    assert ("计数", "not a number") in errors
    assert ("图片检索", "empty output") in errors
    assert ("旋转区域分类", "unknown label") in errors
    assert ("视觉定位", "more than one box") in errors


def test_the_number_of_threads_and_the_size_of_batches_change_no_digit(tmp_path: Path) -> None:
    chance = random.Random(0)
    world = {
        task: [(truth, chance.choice([reply, truth])) for truth, reply in pairs * 40]
        for task, pairs in ALL_TASKS.items()
    }
    anno, out = write_world(tmp_path, world)
    plain = None
    for workers, size in ((1, 1000), (3, 7), (2, 64)):
        folder = tmp_path / f"r{workers}-{size}"
        report = score(anno, out, output_dir=str(folder), workers=workers, batch_size=size)
        found = report.to_dict()["models"]["out"]
        assert plain is None or found == plain
        plain = found


def test_shuffled_files_lines_and_boxes_give_the_same_figures(tmp_path: Path) -> None:
    chance = random.Random(1)
    pairs = []
    for _ in range(60):
        truth = [f"<box><{x}><{x}><{x + 30}><{x + 30}></box>" for x in chance.sample(range(200), 5)]
        reply = [f"<box><{x}><{x}><{x + 28}><{x + 31}></box>" for x in chance.sample(range(200), 6)]
        pairs.append((truth, reply))

    def figures(folder: Path) -> dict[str, object]:
        world = {"水平区域检测": [("".join(truth), "".join(reply)) for truth, reply in pairs]}
        anno, out = write_world(folder, world)
        tasks = score(anno, out, output_dir=str(folder / "r")).to_dict()["models"]["out"]["tasks"]["水平区域检测"]
        return {name: one["value"] for name, one in tasks["metrics"].items()} | {"tables": tasks["breakdowns"]}

    before = figures(tmp_path / "a")
    chance.shuffle(pairs)
    for truth, reply in pairs:
        chance.shuffle(truth)
        chance.shuffle(reply)
    assert figures(tmp_path / "b") == before


def test_pairing_by_id_by_order_and_by_source(tmp_path: Path) -> None:
    truths, replies = ["1", "2", "3", "4"], ["1", "2", "9", "4"]
    anno = tmp_path / "anno"
    write_lines(anno / "ids.txt", annotations("计数", truths, ids=True))
    write_lines(tmp_path / "out/ids_output.txt", outputs(replies, ids=True)[::-1])
    write_lines(anno / "order.txt", annotations("计数", truths))
    write_lines(tmp_path / "out/order_output.txt", [{"model_output": reply} for reply in replies])
    write_lines(anno / "source.txt", annotations("计数", truths))
    write_lines(tmp_path / "out/source_output.txt", outputs(replies)[1:][::-1])
    report = score(anno, tmp_path / "out", output_dir=str(tmp_path / "r"))
    query = f"SELECT tags['file'], list(score ORDER BY position) FROM '{tmp_path}/r/grades.parquet' GROUP BY 1"
    assert dict(duckdb.sql(query).fetchall()) == {"ids": [1, 1, 0, 1], "order": [1, 1, 0, 1], "source": [0, 1, 0, 1]}
    assert report.summary.statuses == {"answered": 11, "empty": 1}
    assert [row[2::2] for row in log(tmp_path / "r", "error_log.txt")] == [["empty", "missing output"]]


def test_what_is_wrong_with_files_is_counted_told_and_survived(tmp_path: Path) -> None:
    rows = [json.dumps(row, ensure_ascii=False) for row in annotations("计数", ["1", "x", "3", "4"])]
    strange = json.dumps({"gt": "1", "task": "计数器", "source": "u.png"}, ensure_ascii=False)
    text = "\ufeff" + "\r\n".join([rows[0], "", "not json", rows[1], strange, rows[2]]) + "\r\n" + rows[3][:30]
    (tmp_path / "anno").mkdir()
    (tmp_path / "anno/a.txt").write_bytes(text.encode())
    write_lines(tmp_path / "out/a_output.txt", outputs(["1", "1", "3"]))
    report = score(tmp_path / "anno", tmp_path / "out", output_dir=str(tmp_path / "r"))
    reasons = sorted(row[2] for row in log(tmp_path / "r", "invalid_sample_log.txt"))
    assert reasons == ["bad gt: not a number", "not a JSON object", "torn last line", "unknown task"] or reasons == [
        "bad gt: not a number",
        "broken JSON",
        "torn last line",
        "unknown task",
    ]
    assert report.summary.statuses == {"answered": 2, "invalid": 4}
    assert report.value("计数", "accuracy") == 1.0
    assert report.summary.coverage == pytest.approx(2 / 6)


def test_arrays_gzip_and_single_files(tmp_path: Path) -> None:
    rows = annotations("计数", ["1", "2"])
    (tmp_path / "anno").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "anno/a.json").write_text(json.dumps(rows, indent=2), encoding="utf-8")
    (tmp_path / "out/a_output.json").write_text(json.dumps(outputs(["1", "3"])), encoding="utf-8")
    packed = "".join(json.dumps(row) + "\n" for row in rows).encode()
    (tmp_path / "anno/b.txt.gz").write_bytes(gzip.compress(packed))
    (tmp_path / "out/b_output.jsonl").write_text("".join(json.dumps(row) + "\n" for row in outputs(["1", "2"])))
    assert score(tmp_path / "anno", tmp_path / "out", output_dir=str(tmp_path / "r")).value("计数", "accuracy") == 0.75
    one = score(tmp_path / "anno/a.json", tmp_path / "out/a_output.json", output_dir=str(tmp_path / "s"))
    assert one.value("计数", "accuracy") == 0.5


def test_a_task_without_outputs_is_pending_not_wrong(tmp_path: Path) -> None:
    anno, out = write_world(tmp_path, {"计数": [("1", "1")], "VQA1": [("Yes", "Yes")]})
    (out / "t1_output.txt").unlink()
    summary = score(anno, out, output_dir=str(tmp_path / "r")).summary
    assert (summary.pending, summary.statuses, summary.complete) == (1, {"answered": 1}, False)
    assert any("t1" in str(note) for note in summary.notes)


def test_several_models_make_a_comparison(tmp_path: Path) -> None:
    anno, out = write_world(tmp_path, {"计数": [("1", "1"), ("2", "3")]})
    better = write_lines(tmp_path / "better/t0_output.txt", outputs(["1", "2"])).parent
    report = score(anno, {"A": out, "B": better}, output_dir=str(tmp_path / "r"))
    assert [report.value("计数", "accuracy", model) for model in "AB"] == [0.5, 1.0]
    assert (tmp_path / "r/A/grades.parquet").exists()
    assert (tmp_path / "r/B/report.html").exists()
    table = (tmp_path / "r/comparison.csv").read_text(encoding="utf-8-sig").splitlines()
    assert table[0] == "scope,name,metric,A,B"
    assert "task,计数,accuracy,0.5,1.0" in table


def test_limit_task_and_details(tmp_path: Path) -> None:
    anno, out = write_world(tmp_path, {"计数": [(str(k), str(k)) for k in range(30)], "VQA1": [("Yes", "No")] * 3})
    where = {"output_dir": str(tmp_path / "r"), "output_json": str(tmp_path / "x.json")}
    report = score(anno, out, task="counting", limit_per_task=10, collect_sample_details=True, **where)
    assert report.summary.samples == 10
    assert json.loads((tmp_path / "x.json").read_text())["models"]["out"]["tasks"].keys() == {"计数"}
    assert len((tmp_path / "r/grades.csv").read_text(encoding="utf-8").splitlines()) == 11
    kept = duckdb.sql(f"SELECT truth, reply FROM '{tmp_path}/r/grades.parquet' WHERE position = 7").fetchall()
    assert kept == [("7", "7")]


def test_coordinate_spaces_are_converted_and_strange_scales_counted(tmp_path: Path) -> None:
    truth = "<box><100><100><500><500></box>"
    thousandths = "<box><0.1><0.1><0.5><0.5></box>"
    anno, out = write_world(tmp_path, {"水平区域检测": [(truth, thousandths)]})
    plain = score(anno, out, output_dir=str(tmp_path / "r"))
    assert plain.value("水平区域检测", "ap50") == 0
    assert any("out of range" in str(note) for note in plain.summary.notes)
    declared = score(anno, out, output_dir=str(tmp_path / "s"), coords="0-1", truth_coords="0-1000")
    assert declared.value("水平区域检测", "ap50") == 1


def test_labels_and_fields_by_other_names(tmp_path: Path) -> None:
    rows = [{"answer": row.pop("gt"), **row} for row in annotations("水平区域分类", ["vehicle", "ship"])]
    write_lines(tmp_path / "anno/a.txt", rows)
    write_lines(tmp_path / "out/a_output.txt", outputs(["car", "ship"]))
    (tmp_path / "fields.json").write_text('{"answer": "gt"}')
    (tmp_path / "labels.json").write_text('{"car": "vehicle"}')
    common = {"field_mapping": str(tmp_path / "fields.json"), "output_dir": str(tmp_path / "r")}
    assert score(tmp_path / "anno", tmp_path / "out", **common).value("水平区域分类", "accuracy") == 0.5
    mapped = score(tmp_path / "anno", tmp_path / "out", label_mapping=str(tmp_path / "labels.json"), **common)
    assert mapped.value("水平区域分类", "accuracy") == 1
    assert any("mapping" in str(remark) for remark in mapped.summary.deviations)


def first_letter(text: str) -> str:
    """A parser of the user's own."""
    from sightline.core.records import Parsed, Unparsed

    return Parsed(text.strip()[0].upper()) if text.strip() else Unparsed("nothing said")  # type: ignore[return-value]


def closeness(truth: str, reply: str) -> float:
    """How near two letters are"""
    return 1 / (1 + abs(ord(truth) - ord(reply)))


def test_a_new_task_by_configuration_alone(tmp_path: Path) -> None:
    table = {
        "ships": {"english": "ship count", "parser": "number", "core": ["accuracy"], "auxiliary": ["mae"]},
        "letters": {
            "parser": "tests.scoring.files.test_score_files:first_letter",
            "core": ["tests.scoring.files.test_score_files:closeness", "balanced_accuracy"][:1],
            "auxiliary": ["sightline.scoring.metrics.state:ACCURACY"],
        },
    }
    (tmp_path / "tasks.json").write_text(json.dumps(table))
    anno, out = write_world(tmp_path, {"Ship_Count": [("3", "4")], "letters": [("A", " b?"), ("C", "c"), ("D", "")]})
    report = score(anno, out, output_dir=str(tmp_path / "r"), task_config=str(tmp_path / "tasks.json"))
    assert report.value("ships", "mae") == 1
    assert report.value("letters", "tests.scoring.files.test_score_files:closeness") == pytest.approx((0.5 + 1 + 0) / 3)
    assert report.value("letters", "sightline.scoring.metrics.state:ACCURACY") == pytest.approx(1 / 3)
    assert ("letters", "nothing said") in {(row[1], row[4]) for row in log(tmp_path / "r", "error_log.txt")}


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ({"parser": "nummber", "core": ["accuracy"]}, "number"),
        ({"parser": "number", "core": ["acuracy"]}, "accuracy"),
        ({"parser": "number", "core": ["ap50"]}, "reads numbers"),
        ({"parser": "number"}, "core"),
        ({"parser": "number", "core": ["accuracy"], "auxilary": []}, "auxilary"),
    ],
)
def test_a_wrong_rule_is_told_with_what_was_meant(tmp_path: Path, rule: dict[str, object], told: str) -> None:
    (tmp_path / "tasks.json").write_text(json.dumps({"mine": rule}))
    anno, out = write_world(tmp_path, {"mine": [("3", "4")]})
    with pytest.raises((ConfigError, UnknownNameError), match=told):
        score(anno, out, output_dir=str(tmp_path / "r"), task_config=str(tmp_path / "tasks.json"))


def test_clear_words_where_there_is_nothing_to_score(tmp_path: Path) -> None:
    anno, out = write_world(tmp_path, {"计数": [("1", "1")]})
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="annotation"):
        score(tmp_path / "empty", out)
    with pytest.raises(DataError, match="NAME_output"):
        score(anno, tmp_path / "empty")
    with pytest.raises(UnknownNameError, match="counting"):
        score(anno, out, task="countin", output_dir=str(tmp_path / "r"))
    with pytest.raises(UsageError, match="annotations"):
        score("", "")


def test_hostile_replies_harm_no_other_sample(tmp_path: Path) -> None:
    hostile = [
        "\u2028\r\v|||",
        "<box>" * 5000,
        "9" * 5000,
        "\x00",
        "=cmd|' /C calc'!A0",
        "<script>x</script>",
        "1" * 309,
    ]
    task_pairs = {
        "计数": [("5", text) for text in hostile],
        "水平区域检测": [(BOXES, text) for text in hostile],
        "图片分类": [("car", text) for text in hostile],
    }
    good = {task: [(truth, truth) for truth, _ in pairs] for task, pairs in task_pairs.items()}
    both = {task: task_pairs[task] + good[task] for task in good}
    anno, out = write_world(tmp_path, both)
    report = score(anno, out, output_dir=str(tmp_path / "r"))
    for task, metric in (("计数", "accuracy"), ("水平区域检测", "recall50"), ("图片分类", "accuracy")):
        assert report.value(task, metric) == 0.5
    assert report.value("计数", "mae") == 0
    assert "<script>" not in (tmp_path / "r/report.html").read_text(encoding="utf-8")


def test_accuracy_of_a_parser_of_the_users_own_is_equality(tmp_path: Path) -> None:
    anno, out = write_world(tmp_path, {"mine": [("a", "a"), ("b", "c"), ("x", "x")]})
    (tmp_path / "tasks.json").write_text(
        json.dumps({"mine": {"parser": "tests.scoring.engines.work:parse_slowly", "core": ["accuracy"]}})
    )
    report = score(anno, out, output_dir=str(tmp_path / "r"), task_config=str(tmp_path / "tasks.json"))
    assert report.value("mine", "accuracy") == pytest.approx(2 / 3)


def test_progress_tells_how_much_of_all_files_has_been_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sightline.scoring.files.progress._MEGABYTE", 1)
    anno, out = write_world(tmp_path, ALL_TASKS)
    told: list[tuple[str, int, int]] = []
    config = ScoreConfig(anno_path=str(anno), model_result_path=(str(out),), output_dir=str(tmp_path / "r"))
    score_files(config, watch=lambda *step: told.append(step))
    read = [step for step in told if step[0] == "MB read"]
    size = sum(path.stat().st_size for folder in (anno, out) for path in folder.iterdir())
    assert {total for *_, total in read} == {size}
    assert [done for _, done, _ in read] == sorted(done for _, done, _ in read) and read[-1][1] == size
    assert {stage for stage, *_ in told} >= {"MB read", "grading"}


def test_notes_name_tasks_as_tables_do(tmp_path: Path) -> None:
    boxes = "<box><10><10><20><20></box>"
    for folder, line in (
        ("anno", {"sample_id": "1", "task": "VQA3", "gt": boxes, "source": "a.png", "width": 64, "height": 64}),
        ("out", {"sample_id": "1", "model_output": boxes.replace("0>", "0000>")}),
    ):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.txt").write_text(json.dumps(line) + "\n")
    report = score(tmp_path / "anno", tmp_path / "out", output_dir=tmp_path / "results")
    notes = [note for note in report.summary.notes if "coordinate space" in str(note)]
    assert [str(note) for note in notes] == [
        "box question: shapes far out of range: another coordinate space was probably meant: 1"
    ]
    with use_language("zh"):
        assert str(notes[0]).startswith("定位问答：")
