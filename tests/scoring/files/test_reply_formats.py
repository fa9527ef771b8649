"""Reply formats over files and runs: sizes of images, formats by model, grades, log, regrading, cut lists, repeats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pytest

from sightline import score
from sightline.api.evaluation import Progress, regrade
from sightline.core.errors import ConfigError
from sightline.i18n import use_language
from tests.scoring.files.live import Ending, run_live
from tests.scoring.files.test_picture_sizes import PICTURES, b64encode
from tests.support.worlds import sightline

GT = "<box><30><40><90><120></box>"
JSON_REPLY = '[{"bbox_2d": [100, 200, 300, 600], "label": "ship"}]'
"""The truth in 0–1000 of a picture of 300 × 200 pixels."""


def write_lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def write_world(folder: Path, replies: list[str], **fields: Any) -> tuple[str, str]:
    rows = [{"gt": GT, "task": "视觉定位", "source": f"{number}.png", **fields} for number in range(len(replies))]
    write_lines(folder / "anno" / "a.txt", rows)
    write_lines(folder / "out" / "a_output.txt", [{"model_output": reply} for reply in replies])
    return str(folder / "anno"), str(folder / "out")


def lenient_of(summary: Any) -> float | None:
    head = summary.head
    return head.estimate.value if isinstance(head.lenient, msgspec.UnsetType) else head.lenient.value


@pytest.mark.parametrize("engine", ["threads", "serial"])
@pytest.mark.parametrize("way", ["fields", "frames", "table", "unknown"])
def test_sizes_come_from_fields_frames_or_a_table(way: str, engine: str, tmp_path: Path) -> None:
    fields: dict[str, dict[str, Any]] = {
        "fields": {"width": 300, "height": "200"},
        "frames": {"frames": b64encode(PICTURES["png"]).decode()},
    }
    folders = write_world(tmp_path, [JSON_REPLY, GT, JSON_REPLY], **fields.get(way, {}))
    table = tmp_path / "sizes.csv"
    table.write_text("source,width,height\n0.png,300,200\n2.png,300,200\n", encoding="utf-8")
    settings = {"image_sizes": str(table)} if way == "table" else {}
    found = score(*folders, output_dir=str(tmp_path / "x"), engine=engine, **settings).summary
    assert found.score is not None and found.score.value == pytest.approx(1 / 3)
    if way == "unknown":
        assert lenient_of(found) == pytest.approx(1 / 3) and found.formats[0].unsized == 2
        assert any("--image-sizes" in str(note) for note in found.notes)
    else:
        assert lenient_of(found) == 1.0 and found.formats[0].rescued == {"JSON with bbox_2d": 2}


def test_a_table_that_is_none_is_told(tmp_path: Path) -> None:
    folders = write_world(tmp_path, [JSON_REPLY])
    (tmp_path / "sizes.csv").write_text("source,width,height\nx,300\n", encoding="utf-8")
    found = score(*folders, output_dir=str(tmp_path / "x"), image_sizes=str(tmp_path / "sizes.csv")).summary
    assert any("line 2" in str(note) for note in found.notes)


def test_grades_and_log_name_the_deviation(tmp_path: Path) -> None:
    folders = write_world(tmp_path, [JSON_REPLY, GT, "no idea", f"Here: {GT}"], width=300, height=200)
    score(*folders, output_dir=str(tmp_path / "x"))
    path = next((tmp_path / "x").rglob("grades.parquet"))
    rows = duckdb.sql(f"SELECT score, lenient_score, deviation FROM '{path}' ORDER BY position").fetchall()
    assert rows == [(0, 1, "JSON with bbox_2d"), (1, 1, ""), (0, 0, ""), (0, 1, "text around the tags")]
    log = [line.split("\t") for line in (path.parent / "error_log.txt").read_text(encoding="utf-8").splitlines()]
    assert [line[-1] for line in log] == ["deviation", "JSON with bbox_2d", "", "text around the tags"]
    report = (path.parent / "report.md").read_text(encoding="utf-8")
    assert "Format is not sight" in report and "Replies not as asked" in report


def test_notes_name_tasks_in_the_language_of_the_report(tmp_path: Path) -> None:
    folders = write_world(tmp_path, [JSON_REPLY, GT, "no idea"], width=300, height=200)
    summary = score(*folders, output_dir=str(tmp_path / "x")).summary
    notes = [str(note) for note in [*summary.notes, *summary.facts]]
    assert any(note.startswith("visual grounding: bbox_2d is read as") for note in notes), notes
    assert any("1 file was paired with its outputs" in note for note in notes), notes
    loss = next(note for note in notes if note.startswith("Format is not sight"))
    assert "wrong, missing or unreadable content; the two readings differ in 1 of 3 replies" in loss
    with use_language("zh"):
        assert any(str(note).startswith("视觉定位：bbox_2d") for note in summary.notes)


def test_each_model_has_its_format(tmp_path: Path) -> None:
    """Two models in one comparison, of which one was asked for Gemini's form, by a configuration file."""
    anno, _ = write_world(tmp_path, ["", ""], width=300, height=200)
    gemini = '[{"box_2d": [200, 100, 600, 300]}]'
    write_lines(tmp_path / "g" / "a_output.txt", [{"model_output": gemini}] * 2)
    write_lines(tmp_path / "q" / "a_output.txt", [{"model_output": GT}] * 2)
    formats = ["auto", "g=gemini"]
    (tmp_path / "c.toml").write_text(
        f"anno_path = '{anno}'\nmodel_result_path = ['g={tmp_path / 'g'}', 'q={tmp_path / 'q'}']\n"
        f"output_dir = '{tmp_path / 'x'}'\nreply_format = {json.dumps(formats)}\n",
        encoding="utf-8",
    )
    done = sightline("score", "--config", str(tmp_path / "c.toml"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    reports = {path.parent.name: json.loads(path.read_bytes()) for path in (tmp_path / "x").rglob("report.json")}
    assert len(reports) == 2
    for name, report in reports.items():
        head = next(row for row in report["rows"] if row["scope"] == "overall")
        assert head["estimate"]["value"] == 1.0, name
        assert report["formats"][0]["reply_format"] == ("gemini" if report["model"] == "g" else "auto")


def test_an_unknown_format_is_refused_with_the_nearest(tmp_path: Path) -> None:
    folders = write_world(tmp_path, [GT])
    with pytest.raises(ConfigError, match=r"qwen2\.5-vl"):
        score(*folders, output_dir=str(tmp_path / "x"), reply_format="qwen25-vl")


def live_rows(folder: Path) -> Path:
    picture = b64encode(PICTURES["png"]).decode()
    rows = [
        {"gt": GT, "task": "视觉定位", "source": f"{number}.png", "prompt": f"question {number}.", "frames": picture}
        for number in range(6)
    ]
    write_lines(folder / "anno" / "a.txt", rows)
    return folder / "anno"


def test_a_run_can_be_graded_again_in_another_format(tmp_path: Path) -> None:
    anno = live_rows(tmp_path)
    replies: dict[str, Ending] = {f"question {number}.": (JSON_REPLY, "stop") for number in range(6)}
    replies["question 5."] = ('[{"bbox_2d": [100, 200, 300, 600]}, {"bbox_2d": [1', "length")
    live = run_live(anno, replies, tmp_path / "runs")
    assert live.summary.score is not None and live.summary.score.value == 0.0
    assert lenient_of(live.summary) == 1.0
    assert live.summary.formats[0].rescued == {"JSON with bbox_2d": 5, "list cut off": 1}
    again = regrade(live.folder, Progress(), options={"reply_format": ("qwen3-vl",)}).summary
    assert again.score is not None and again.score.value == pytest.approx(5 / 6), (
        "the list that was cut off is not as asked"
    )
    strict = regrade(live.folder, Progress(), options={"reply_format": ("strict",)}).summary
    assert strict.formats == [] and all(isinstance(row.lenient, msgspec.UnsetType) for row in strict.rows)


def test_repeats_of_a_question_are_counted_together(tmp_path: Path) -> None:
    """The mean over questions is the same whether its replies are read the same both ways or not."""
    anno = live_rows(tmp_path)
    replies: dict[str, Ending] = {
        f"question {number}.": (JSON_REPLY if number % 2 else GT, "stop") for number in range(6)
    }
    found = run_live(anno, replies, tmp_path / "runs", repeats=3).summary
    assert found.score is not None and found.score.value == 0.5 and found.score.n == 6
    head = found.head
    assert head is not None and not isinstance(head.lenient, msgspec.UnsetType)
    assert head.lenient.value == 1.0 and head.lenient.n == 6
