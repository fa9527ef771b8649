"""Task names by the meaning of their words: level, kind of answer, horizontal or rotated boxes.

`目标计数`, `HBB Detect`, `quyujianceHBB` and `Region Description` are names of known tasks, though no list has them. A
name is cut into words of `WORDS`, without regard to case, separators and order; every letter must belong to a word. The
meanings of its words then name one task by `RULES`, or none: `detection` alone could be either kind of box.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

MAX_LENGTH = 100
"""Letters of a name that is looked at."""
WORDS: dict[str, str] = {
    # levels
    "image": "image images img picture pictures scene 图片 图像 影像 整图 场景 全图 tupian tuxiang yingxiang changjing",
    "region": "region regions regional reg 区域 局部 quyu",
    "pixel": "pixel pixels pixelwise pixellevel pix 像素 像素级 xiangsu xiangsuji",
    # kinds of answer
    "retrieval": "retrieval retrieve retrieving search 检索 jiansuo",
    "classification": "classification classify classifying classified class cls 分类 类别 fenlei leibie",
    "presence": "presence exist exists existence yesno 存在 存在性 是否存在 cunzai cunzaixing",
    "counting": "counting count counts number quantity ct 计数 数量 数目 统计 个数 jishu shuliang tongji",
    "detection": "detection detect detecting detections det 检测 jiance",
    "grounding": "grounding ground localization localisation localize locate referring refer vg 定位 指代 dingwei",
    "caption": "caption captions captioning description descriptions describe describing desc cap 描述 miaoshu",
    "segmentation": "segmentation segment segmenting seg 分割 fenge",
    "recognition": "recognition recognize recognise recognizing 识别 shibie",
    "question": "vqa qa question questions answering visualquestionanswering 问答 wenda shijuewenda 视觉问答",
    # what tells tasks of one kind apart
    "hbb": "hbb hbox horizontal axisaligned 水平 水平框 shuiping shuipingkuang",
    "obb": "obb obox rbb rbox rotated rotate rotation oriented 旋转 旋转框 定向 有向 倾斜 xuanzhuan xuanzhuankuang",
    "box": "box boxes bbox 框 目标框 kuang",
    "object": "object objects target targets 目标 物体 对象 mubiao wuti",
    "instance": "instance instances 实例 shili",
    "semantic": "semantic 语义 yuyi",
    "change": "change changes changed bitemporal chg 变化 bianhua",
    "fine": "fine grained finegrained 细粒度 xilidu",
    "brief": "brief short concise simple 简洁 简短 简要 jianjie jianduan",
    "detailed": "detailed detail long 详细 详尽 xiangxi",
    "multilabel": "multi label labels multilabel 多标签 duobiaoqian",
    "visual": "visual 视觉 shijue",
    "expression": "expression comprehension phrase",
    "1": "1",
    "2": "2",
    "3": "3",
    "": "task tasks level the of in on a an and for by with remote sensing rs 任务 遥感 级 的 renwu yaogan",
}
"""Words by what they mean; those that mean nothing come last."""
RULES: tuple[tuple[str, str, str], ...] = (
    ("图片检索", "retrieval", "image"),
    ("图片分类", "image classification", "multilabel"),
    ("图片分类", "multilabel classification", "image"),
    ("VQA1", "question 1", "visual"),
    ("VQA1", "presence", "question visual object image"),
    ("VQA2", "question 2", "visual"),
    ("VQA2", "question counting", "visual object instance image"),
    ("VQA3", "question 3", "visual"),
    ("VQA3", "question box", "visual object image detection grounding hbb"),
    ("VQA3", "question detection", "visual object image hbb"),
    ("VQA3", "question grounding", "visual object image hbb"),
    ("计数", "counting", "object instance image"),
    ("简洁图片描述", "brief caption", "image"),
    ("简洁图片描述", "image caption", ""),
    ("详细图片描述", "detailed caption", "image"),
    ("水平区域分类", "hbb classification", "region object box"),
    ("旋转区域分类", "obb classification", "region object box"),
    ("水平区域检测", "hbb detection", "region object box"),
    ("旋转区域检测", "obb detection", "region object box"),
    ("视觉定位", "grounding", "visual region object box hbb expression"),
    ("视觉定位", "grounding expression", "visual region object box hbb"),
    ("区域描述", "region caption", "brief"),
    ("像素分类", "pixel classification", ""),
    ("语义分割", "semantic segmentation", "pixel image"),
    ("实例分割", "instance segmentation", "pixel image object"),
    ("变化检测", "change detection", "pixel image"),
    ("变化检测", "pixel change", ""),
    ("细粒度识别", "fine recognition", "object pixel image"),
    ("细粒度识别", "fine classification", "object pixel"),
)
"""Task, the meanings that its name must have, and those that it may have."""


_MEANINGS = {word: meaning for meaning, words in WORDS.items() for word in words.split()}
_ALONE = {word for word in WORDS[""].split() if len(word) < 4 and word.isascii()} | {
    *("reg", "pix", "ct", "vg", "cap", "chg")
}
"""Short words that stand by themselves, and are never a part of a longer one."""
_LONGEST = max(map(len, _MEANINGS))
_RULES = [(task, frozenset(must.split()), frozenset((must + " " + may).split())) for task, must, may in RULES]


class TaskNames:
    """Finds the task that a name means."""

    def find(self, name: str) -> str:
        """The task that a name means; empty where it means none, or could mean several."""
        meanings = self.meanings(name)
        found = {task for task, must, allowed in _RULES if meanings and must <= meanings <= allowed}
        return found.pop() if len(found) == 1 else ""

    def suggest(self, name: str) -> list[str]:
        """The tasks that a name could mean: those that share most of its meanings."""
        known = set(self._known_parts(name))
        shared = {task: 0 for task, _, _ in _RULES}
        for task, must, allowed in _RULES:
            if known & must and ("question" in known or "question" not in must):
                missing = 3 * len(must - known) + len(known - allowed)
                shared[task] = max(shared[task], 10 * len(known & must) - missing)
        most = max(shared.values(), default=0)
        return [task for task, count in shared.items() if count == most > 0]

    def meanings(self, name: str) -> frozenset[str]:
        """What the words of a name mean; empty where a part of it is no word."""
        chunks = _split(name)
        for parts in (chunks, ["".join(chunks)]):
            found = [self._cut(part) for part in parts]
            if all(meanings is not None for meanings in found):
                return frozenset(meaning for meanings in found for meaning in meanings or ()) - {""}
        return frozenset()

    def _cut(self, text: str) -> list[str] | None:
        """The meanings of the words that a text is made of, longest words first; None if it is not made of words."""
        rest: list[list[str] | None] = [None] * len(text) + [[]]
        for start in range(len(text) - 1, -1, -1):
            for stop in range(min(len(text), start + _LONGEST), start, -1):
                after, meaning = rest[stop], _MEANINGS.get(text[start:stop])
                is_particle = text[start:stop] in _ALONE
                if meaning is not None and after is not None and (not is_particle or text == text[start:stop]):
                    rest[start] = [meaning, *after]
                    break
        return rest[0]

    def _known_parts(self, name: str) -> Iterator[str]:
        """The meanings of those parts of a name that are words of three letters or more, or Chinese."""
        for chunk in _split(name):
            start = 0
            while start < len(chunk):
                stops = range(min(len(chunk), start + _LONGEST), start, -1)
                stop = next((s for s in stops if self._is_telling(chunk[start:s])), 0)
                if stop:
                    yield _MEANINGS[chunk[start:stop]]
                start = stop or start + 1

    def _is_telling(self, word: str) -> bool:
        return bool(_MEANINGS.get(word)) and (len(word) > 2 or not word.isascii())


def _split(name: str) -> list[str]:
    """The runs of letters and digits of a name, in small letters."""
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", name[:MAX_LENGTH]).casefold())
