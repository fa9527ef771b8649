"""Task names are understood by their words; what could mean several tasks means none."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from sightline import load_suite, score
from sightline.core.errors import UnknownNameError
from sightline.suites.remote_sensing.task_names import RULES, WORDS, TaskNames
from tests.scoring.files.worlds import annotations, outputs, write_lines

TABLE = load_suite("remote-sensing").table
MEANT = {
    "计数": "IMG_CT|目标计数|count|Counting|instance counting|object_count|mubiao jishu|目标数量统计|物体个数",
    "图片分类": "图像分类|Image-Classify|scene cls|场景分类|tuxiangfenlei|tu xiang fen lei|Multi-label classification",
    "水平区域检测": "HBB Detect|quyujianceHBB|region detection (HBB)|HBB_det|水平框检测|水平目标检测|horizontalBoxDet",
    "旋转区域检测": "OBB Detect|quyu jiance OBB|oriented object detection|Rotated-Detection|旋转目标检测|有向目标检测",
    "水平区域分类": "REG_CLS_HBB|HBB classify|hbb-cls|region classification HBB|水平框分类|区域分类HBB",
    "旋转区域分类": "OBB-Classify|obb class|OBB region classification|旋转目标分类",
    "VQA1": "VQA-1|vqa,presence|object existence|是否存在|存在性|VQA 存在性",
    "VQA2": "VQA,instance counting|VQA counting|VQA-计数|visual question answering count|视觉问答 计数",
    "VQA3": "VQA_3|VQA box|VQA,object detection|VQA grounding|VQA 定位",
    "区域描述": "REG_CAP|Region Description|region captioning|区域caption|quyu_miaoshu|describe region",
    "简洁图片描述": "short caption|brief image description|简短描述|图像简要描述|image captioning",
    "详细图片描述": "IMG_CAP_DETAILED|detail caption|Detailed Description|详细描述|图像详细描述",
    "视觉定位": "REG_VG|Visual-Grounding|grounding task|指代定位|referring expression grounding|visual localization",
    "语义分割": "semantic seg|Semantic Segment|像素级语义分割|yuyifenge",
    "实例分割": "Instance-Seg|instance segment|shili_fenge",
    "变化检测": "PIX_CHG|Change Detect|bianhuajiance|image change detection",
    "细粒度识别": "fine-grained classification|FineGrained Recognition|细粒度分类|细粒度目标识别",
    "像素分类": "pixel cls|Pixel-level classification|像素级分类",
    "图片检索": "Retrieval|图像检索|image search|tuxiang jiansuo",
}
AMBIGUOUS = [
    "detection",
    "目标检测",
    "object detection",
    "classification",
    "分类",
    "segmentation",
    "VQA",
    "描述",
    "caption",
]
OTHER = [
    "计数器", "recount", "countin", "ship counting?!x", "OBB grounding", "region counting", "HBB OBB detection",
    "depth", "任务", "change caption", "change counting", "VQA4", "image", "classless", "detector", "road detection"
]  # fmt: skip


@pytest.mark.parametrize(("task", "names"), MEANT.items())
def test_names_are_understood_by_their_words(task: str, names: str) -> None:
    for name in names.split("|"):
        found = TABLE.get(name)
        assert found is not None and found.name == task, name


@pytest.mark.parametrize("name", [*AMBIGUOUS, *OTHER])
def test_what_may_mean_several_tasks_or_none_means_none(name: str) -> None:
    assert TABLE.get(name) is None


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("object detection", ["水平区域检测", "旋转区域检测"]),
        ("ship detection HBB", ["水平区域检测"]),
        ("分割", ["语义分割", "实例分割"]),
        ("countng", ["计数"]),
    ],
)
def test_what_is_not_understood_is_told_with_what_may_be_meant(name: str, meant: list[str]) -> None:
    assert TABLE.suggest(name) == meant
    with pytest.raises(UnknownNameError, match="Did you mean"):
        TABLE.find(name)


def test_every_rule_can_be_met_and_no_name_by_two_tasks() -> None:
    """Any choice of words for the meanings of a rule names its task, in either order."""
    names = TaskNames()
    for task, must, may in RULES:
        for optional in ["", *may.split()]:
            needed = [*must.split(), *filter(None, [optional])]
            for words in product(*(WORDS[meaning].split()[:3] for meaning in needed)):
                for order in (words, words[::-1]):
                    for joint in (" ", "-", ""):
                        assert names.find(joint.join(order)) == task, (task, joint.join(order))


def test_no_word_has_two_meanings() -> None:
    words = [word for line in WORDS.values() for word in line.split()]
    assert len(words) == len(set(words))


def test_a_long_name_takes_no_time() -> None:
    assert TaskNames().find("det" * 100_000) == ""
    assert TaskNames().suggest("x" * 100_000) == []


def test_an_unknown_task_in_a_file_is_told_with_what_may_be_meant(tmp_path: Path) -> None:
    write_lines(tmp_path / "anno/a.txt", annotations("计数", ["1"]) + annotations("目标检测", ["0"]))
    write_lines(tmp_path / "out/a_output.txt", outputs(["1", "0"]))
    report = score(tmp_path / "anno", tmp_path / "out", output_dir=str(tmp_path / "r"))
    told = [str(note) for note in report.summary.notes]
    assert any("'目标检测' (→ 水平区域检测 / 旋转区域检测?): unknown task: 1" in note for note in told), told
