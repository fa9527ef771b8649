"""Files in GBK and UTF-16 are read as their UTF-8 twins."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import numpy as np
import pytest

from sightline import load_suite, score
from sightline.core.records import Invalid, Sample
from sightline.data.lines import index_file
from sightline.data.lines.encoding import HEAD_BYTES, detect_encoding
from tests.scoring.files.live import picture
from tests.support.worlds import sightline_here

NAMES = ["港口", "机场", "储油罐", "车辆", "棒球场", "联通", "ship"]
ENCODINGS = ["gbk", "gb18030", "utf-16", "utf-16-le-bom", "utf-8", "utf-8-sig"]


def encode(text: str, encoding: str) -> bytes:
    return b"\xff\xfe" + text.encode("utf-16-le") if encoding == "utf-16-le-bom" else text.encode(encoding)


def world(folder: Path, encoding: str, count: int = 40, suffix: str = ".txt") -> tuple[Path, Path]:
    rows = [{"gt": NAMES[k % 7], "task": "像素分类", "source": f"图{k}.png"} for k in range(count)]
    replies = [{"model_output": NAMES[k % 7 if k % 4 else 0], "source": f"图{k}.png"} for k in range(count)]
    for path, lines in ((folder / f"anno/a{suffix}", rows), (folder / f"out/a_output{suffix}", replies)):
        path.parent.mkdir(parents=True, exist_ok=True)
        data = encode("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding)
        path.write_bytes(gzip.compress(data) if suffix.endswith("gz") else data)
    return folder / "anno", folder / "out"


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("suffix", [".txt", ".txt.gz"])
def test_figures_do_not_depend_on_the_encoding(tmp_path: Path, encoding: str, suffix: str) -> None:
    report = score(*world(tmp_path, encoding, suffix=suffix), output_dir=str(tmp_path / "r"))
    plain = score(*world(tmp_path / "plain", "utf-8"), output_dir=str(tmp_path / "p"))
    assert report.to_dict()["models"]["out"]["tasks"] == plain.to_dict()["models"]["out"]["tasks"]
    told = [str(fact) for fact in report.summary.facts]
    expected = {"gbk": "GB18030", "gb18030": "GB18030", "utf-16": "UTF-16", "utf-16-le-bom": "UTF-16"}.get(encoding, "")
    assert (f"a{suffix} was read as {expected}." in told) == bool(expected)


@pytest.mark.parametrize("engine", ["serial", "processes"])
def test_engines_in_other_processes_read_them_too(tmp_path: Path, engine: str) -> None:
    report = score(*world(tmp_path, "gbk"), output_dir=str(tmp_path / "r"), engine=engine, workers=1)
    right = sum(NAMES[k % 7 if k % 4 else 0] == NAMES[k % 7] for k in range(40))
    assert report.value("像素分类", "accuracy") == right / 40


def test_a_file_whose_chinese_comes_late_needs_the_setting(tmp_path: Path) -> None:
    anno, out = world(tmp_path, "gbk")
    filler = json.dumps({"gt": "ship", "task": "pixel class", "source": "x" * 2000}) + "\n"
    head = filler.encode() * (HEAD_BYTES // len(filler) + 2)
    (anno / "a.txt").write_bytes(head + (anno / "a.txt").read_bytes())
    report = score(anno, out, output_dir=str(tmp_path / "r"))
    assert any("--encoding gbk" in str(note) for note in report.summary.notes)
    report = score(anno, out, output_dir=str(tmp_path / "r"), encoding="gbk")
    assert not any("--encoding gbk" in str(note) for note in report.summary.notes)
    assert report.summary.statuses.get("invalid") is None


def test_letters_cut_by_blocks_are_whole(tmp_path: Path) -> None:
    texts = ["汉" * (k % 97) + "a" * (k % 3) for k in range(30_000)]
    lines = "".join(json.dumps({"gt": text}, ensure_ascii=False) + "\n" for text in texts)
    (tmp_path / "a.txt").write_bytes(lines.encode("gbk"))
    with index_file(tmp_path / "a.txt", ["gt"]) as index:
        assert index.texts("gt", np.arange(len(index))).strings() == texts
        assert not index.fault_counts


def test_utf8_with_a_broken_line_is_not_taken_for_gbk(tmp_path: Path) -> None:
    lines = [json.dumps({"gt": name}, ensure_ascii=False).encode() for name in NAMES] + [b'{"gt": "\xc8\xd5"}']
    assert detect_encoding(b"\n".join(lines), True) == "utf-8"


def test_no_utf8_text_is_taken_for_gbk_and_chinese_gbk_is_recognised() -> None:
    chance = random.Random(5)
    letters = [chr(code) for code in range(0x4E00, 0x9FA5)]
    common = [letter for letter in letters if letter.encode("gb2312", "ignore")]
    for _ in range(300):
        lengths = [chance.randint(1, 6) for _ in range(chance.randint(1, 9))]
        text, chinese = ("\n".join("".join(chance.choices(a, k=k)) for k in lengths) for a in (letters, common))
        assert detect_encoding(text.encode(), True) == "utf-8"
        assert detect_encoding(("计数目标检测" + chinese).encode("gbk"), True) == "gb18030"


def test_pictures_of_a_converted_file_are_found(tmp_path: Path) -> None:
    row = {"gt": "港口", "task": "像素分类", "source": "图.png", "prompt": "这是什么？", "frames": picture(8, 8)}
    (tmp_path / "a.txt").write_bytes((json.dumps(row, ensure_ascii=False) + "\n").encode("gbk"))
    samples = list(load_suite("remote-sensing").dataset(tmp_path / "a.txt"))
    assert not isinstance(samples[0], Invalid) and isinstance(samples[0], Sample)
    assert samples[0].question == "这是什么？" and samples[0].target == "港口" and len(samples[0].media) == 1


def test_the_command_line_has_the_setting(tmp_path: Path) -> None:
    world(tmp_path, "gbk")
    common = ("score", "--anno-path", "anno", "--model-result-path", "out")
    assert sightline_here(*common, "--encoding", "gbk", cwd=tmp_path).returncode == 0
    done = sightline_here(*common, "--encoding", "latin-1", cwd=tmp_path)
    assert done.returncode == 2 and "gb18030" in done.stderr
