"""Formats of others: registered or named by their place, they come through the same door as the built-ins."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from sightline.api.evaluation import score
from sightline.cli import cli
from sightline.core.registry import find, names
from sightline.core.remarks import Remark
from sightline.interop.exporting import Exporter, ExportSource, export_run
from sightline.interop.importer import Importer, Row
from sightline.interop.importing import ImportRequest, import_files

HERE = "tests.interop.test_own_formats"


class Pairs(Importer):
    """`truth reply` a line."""

    title = "Pairs"

    def rows(self, source: Path) -> Iterator[Row]:
        for number, line in enumerate(source.read_text().splitlines(), 1):
            words = line.split()
            if len(words) == 2:
                yield Row(id=str(number), truth=words[0], reply=words[1], task=self.options.task)
            else:
                self.faults.add(source, number, Remark("the row cannot be read"))


class Scores(Exporter):
    """Nothing but the scores."""

    title = "Scores"
    suffixes = (".txt",)

    def write(self, run: ExportSource, out: Path) -> list[Remark]:
        out.write_text(" ".join(f"{grade.score:g}" for grade in run.grades()))
        return []


def test_in_and_out_by_formats_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "pairs.txt").write_text("3 3\nbroken\n4 5\n")
    source, out = tmp_path / "pairs.txt", tmp_path / "in"
    done = import_files(ImportRequest(format=f"{HERE}:Pairs", source=source, out=out, task="计数"))
    assert (done.samples, done.faults) == (2, 1)
    score(out / "anno", out / "output", output_dir=str(tmp_path / "scored"))
    export_run(f"{HERE}:Scores", tmp_path / "scored", tmp_path / "scores.txt")
    assert (tmp_path / "scores.txt").read_text() == "1 0"


@pytest.mark.parametrize("kind", ["importers", "exporters"])
def test_every_format_has_a_title_and_stands_in_the_help(kind: str) -> None:
    command = "import" if kind == "importers" else "export"
    told = CliRunner().invoke(cli, [command, "--help"], env={"SIGHTLINE_LANG": "en", "COLUMNS": "200"}).output
    for name in names(kind):  # type: ignore[arg-type]
        assert name in told and find(kind, name).title in told  # type: ignore[arg-type]


def test_faults_make_the_import_partial_and_are_shown(tmp_path: Path) -> None:
    lines = [{"doc_id": 1, "target": "Yes", "resps": [["Yes"]]}, {"doc_id": 2}]
    (tmp_path / "s.jsonl").write_text("\n".join(map(json.dumps, lines)))
    words = ["import", "lmms-eval", str(tmp_path / "s.jsonl"), "--task", "VQA1", "--out", str(tmp_path / "in")]
    told = CliRunner().invoke(cli, words, standalone_mode=False, env={"SIGHTLINE_LANG": "en"})
    assert told.return_value == 3
    assert "1 samples and 1 replies imported" in told.output and "s.jsonl:2: the line has no doc_id" in told.output
    zh = CliRunner().invoke(cli, [*words[:-1], str(tmp_path / "zh")], env={"SIGHTLINE_LANG": "zh"})
    assert "已导入 1 个样本和 1 条回复" in zh.output and "下一步：sightline score" in zh.output
