"""Differences of figures that are no means over samples: AP, F1, CIDEr, errors, paired by picture."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from sightline import compare, score
from sightline.cli.compare import command
from sightline.stats.influence import Influence, combine
from sightline.stats.paired import figure_difference
from tests.scoring.files.worlds import write_lines

PICTURES = 60
_TEXT = "many green trees are near a large white building and a small blue lake beside two roads"
_WORDS = _TEXT.split()


def write_models(folder: Path) -> None:
    """Detection, counting and captions on the same pictures, answered by two models of which one is better."""
    rng = np.random.default_rng(0)
    files: dict[str, list[tuple[str, list[str]]]] = {"水平区域检测": [], "计数": [], "简洁图片描述": []}
    for _ in range(PICTURES):
        boxes = [(x, x, x + 8, x + 8) for x in rng.choice(9, 3, replace=False) * 10]
        found = [[box for box in boxes if rng.random() < chance] for chance in (0.5, 0.9)]
        files["水平区域检测"].append((_format(boxes), [_format(some) for some in found]))
        count = int(rng.integers(1, 30))
        said = [str(count + int(rng.integers(-off, off + 1))) for off in (6, 1)]
        files["计数"].append((str(count), said))
        words = rng.choice(_WORDS, 12)
        kept = [" ".join(np.where(rng.random(12) < chance, words, rng.choice(_WORDS, 12))) for chance in (0.4, 0.9)]
        files["简洁图片描述"].append((" ".join(words), kept))
    for number, (task, rows) in enumerate(files.items()):
        sources = [f"img/{k}.png" for k in range(PICTURES)]
        truths = [
            {"prompt": "?", "frames": "iVBORw0KGgo=", "gt": truth, "task": task, "source": source}
            for (truth, _), source in zip(rows, sources, strict=True)
        ]
        write_lines(folder / "anno" / f"t{number}.txt", truths)
        for model in range(2):
            lines = [{"model_output": said[model], "source": at} for (_, said), at in zip(rows, sources, strict=True)]
            write_lines(folder / "ab"[model] / f"t{number}_output.txt", lines)


def _format(boxes: list[tuple[int, ...]]) -> str:
    return f"{len(boxes)} " + "".join("<box>" + "".join(f"<{end}>" for end in box) + "</box>" for box in boxes)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("models")
    write_models(folder)
    made = []
    for model in "ab":
        score(folder / "anno", folder / model, output_dir=str(folder / f"run_{model}"))
        made.append(folder / f"run_{model}")
    return made[0], made[1]


def test_every_figure_of_both_reports_is_compared(runs: tuple[Path, Path]) -> None:
    figures = compare(*runs).to_dict()["versus"][0]["figures"]
    by_metric = {(one["english"], one["metric"]): one for one in figures}
    reports = [json.loads((run / "report.json").read_text()) for run in runs]
    for task, metric, sign in (
        ("horizontal detection", "ap50", 1),
        ("horizontal detection", "map", 1),
        ("horizontal detection", "f1_50", 1),
        ("brief caption", "cider", 1),
        ("brief caption", "bleu4", 1),
        ("counting", "mae", -1),
        ("counting", "rmse", -1),
        ("counting", "accuracy", 1),
    ):
        one = by_metric[task, metric]
        values = [
            next(
                row["estimate"]["value"]
                for row in report["rows"]
                if (row.get("english"), row["metric"]) == (task, metric)
            )
            for report in reports
        ]
        assert [one["first"], one["second"]] == values
        assert one["value"] == pytest.approx(values[1] - values[0])
        assert one["low"] < one["value"] < one["high"]
        assert sign * one["low" if sign > 0 else "high"] > 0 and one["p"] < 0.05
        assert one["p"] <= one["p_bh"] <= one["p_holm"]
        assert one["clusters"] == PICTURES


def test_a_run_does_not_differ_from_itself(runs: tuple[Path, Path]) -> None:
    for one in compare(runs[0], runs[0]).to_dict()["versus"][0]["figures"]:
        assert one["value"] == 0 and one["p"] == 1
        assert one["low"] is None or one["low"] < 0 < one["high"]


def test_the_other_way_round_is_the_negative(runs: tuple[Path, Path]) -> None:
    there, back = (compare(*order).to_dict()["versus"][0]["figures"] for order in (runs, runs[::-1]))
    for one, other in zip(there, back, strict=True):
        assert (one["metric"], one["value"], one["p"]) == (other["metric"], -other["value"], other["p"])
        assert one["low"] == pytest.approx(-other["high"])


def test_tables_show_figures_and_old_runs_say_what_is_missing(runs: tuple[Path, Path], tmp_path: Path) -> None:
    def call(*args: str) -> str:
        return CliRunner().invoke(command, [*map(str, runs), *args], standalone_mode=False).output

    call("--out", str(tmp_path))
    page = (tmp_path / "comparison.md").read_text(encoding="utf-8")
    assert "CIDEr" in page and "AP@0.5" in page and "RMSE ↓" in page
    assert ",cider," in (tmp_path / "comparison.csv").read_text(encoding="utf-8-sig")
    kept = (runs[1] / "influences.parquet").read_bytes()
    (runs[1] / "influences.parquet").unlink()
    try:
        found = compare(*runs).to_dict()["versus"][0]
        assert not found["figures"]
        assert "influences.parquet" in call()
    finally:
        (runs[1] / "influences.parquet").write_bytes(kept)


def test_folded_and_exact_clusters_are_paired() -> None:
    """A run with a few more clusters has folded them into groups; the other's are folded too then."""
    rng = np.random.default_rng(0)
    keys = np.sort(rng.integers(0, 2**63, 3000).astype(np.uint64))
    values = rng.normal(0, 1e-3, 3000)
    values -= values.mean()
    exact = Influence(keys, values)
    nothing = combine([exact, exact.fold()], [1, -1])
    assert nothing.is_folded and np.abs(nothing.values).max() < 1e-15
    assert exact.fold().error() == pytest.approx(exact.error(), rel=0.1)


def test_no_difference_anywhere_leaves_the_doubt_of_few_clusters() -> None:
    alike = Influence(np.arange(10, dtype=np.uint64), np.zeros(10))
    share, number = figure_difference(0.0, alike, 1.0), figure_difference(0.0, alike, np.inf)
    assert share.p == number.p == 1 and share.low is not None and share.low < -0.1
    assert number.low is None
    assert figure_difference(0.3, Influence(np.arange(1, dtype=np.uint64), np.zeros(1)), 1.0).low is None


def test_a_comparison_says_what_is_lost_to_the_format_of_replies(tmp_path: Path) -> None:
    """Gemini's form is no worse sight: beside the strict difference stands the score of the lenient reading."""
    box = "<box><100><200><300><400></box>"
    truths = [{"gt": box, "task": "视觉定位", "source": f"{k}.png", "width": 1000, "height": 1000} for k in range(4)]
    write_lines(tmp_path / "anno" / "t.txt", truths)
    for model, reply in (("a", box), ("b", '[{"box_2d": [200, 100, 400, 300]}]')):
        write_lines(
            tmp_path / model / "t_output.txt", [{"model_output": reply, "source": f"{k}.png"} for k in range(4)]
        )
        score(tmp_path / "anno", tmp_path / model, output_dir=str(tmp_path / f"run_{model}"))
    found = compare(tmp_path / "run_a", tmp_path / "run_b")
    notes = [str(note) for note in found.comparison.notes]
    assert notes == [
        "B: 100.00 % read leniently, 0.00 % as asked. All differences here are of replies read as asked, so they "
        "include what is lost to the format."
    ]
