"""The part of a reply that holds its answer: in fences, answer tags, `\\boxed{}`, after "Answer:", without Markdown."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator

from sightline.scoring.parsers.thinking import without_thinking
from sightline.scoring.scorers.reply_text import extract_answer, find_prefixed_answers

LONGEST = 200_000
"""Only the last so many characters of a longer reply are searched for sentences and markers."""
_FENCE = re.compile(r"```[a-zA-Z0-9]{0,20}\s*+")
_EMPHASIS = re.compile(
    r"\*{1,3}|(?<!\w)_{1,3}(?=\w)|(?<=\w)_{1,3}(?!\w)|`|^\s{0,3}(?:#{1,6}|>|[-*+•])\s++", re.MULTILINE
)
_BOLD = re.compile(r"\*\*([^*\n]{1,200})\*\*")
_NEGATION = re.compile(
    r"\b(?:not?|nor|never|neither|without|none|nothing|cannot|isn't|aren't|wasn't|doesn't|don't|didn't|can't"
    r"|instead|rather|unlikely|except|excluding|lacks?|lacking|absent|other than)\b"
    r"|n't\b|n’t\b|不是|不|没有|没|无|非|未",
    re.IGNORECASE,
)
_CONTRAST = re.compile(r"\b(?:but|however|although|except|unless|or|either)\b|但|不过|除了|或|还是", re.IGNORECASE)
_NOTHING = re.compile(
    r"(?:(?:in|within) (?:the|this) (?:\w+ )?(?:image|picture|scene|photo|region|area),? )?"
    r"(?:there (?:is|are|were|was|appear to be|seem to be) (?:no|not any|zero|currently no|0)\b"
    r"|there (?:aren't|isn't) any\b"
    r"|(?:no|zero) [\w -]{1,60}?\b(?:visible|present|found|detected|seen|identified|observed|exists?|in (?:the"
    r"|this) (?:\w+ )?(?:image|picture|scene|photo))\b"
    r"|no (?:change|changes|objects?|targets?|instances?|results?|detections?|such objects?)\b"
    r"|(?:none|nothing)(?: (?:of|is|are|was|were|found|detected|visible|here|to)\b|\W*$)"
    r"|i (?:do not|don't|can't|cannot|could not|couldn't) (?:see|find|detect) any\b"
    r"|(?:the|this) (?:\w+ )?(?:image|picture|scene|photo) (?:does not|doesn't) (?:contain|show|have|include)\b"
    r"|(?:the|this) (?:\w+ )?(?:image|picture|scene|photo) (?:has|contains|shows) (?:no|zero)\b)",
    re.IGNORECASE,
)
_NOTHING_CHINESE = re.compile(
    r"(?:在?(?:该|这[张幅个]?|此|本)?(?:图像|图片|图|画面|影像|区域|场景)(?:中|里|内)?)?[,，]?(?:并|中|里|内)?"
    r"(?:没有(?!看?不|没)|未发现|未检测到|未见|未找到|不存在|看不到|没看到|没有发现|无(?![法从论]))"
)
_EMPTY_LIST = re.compile(r"\W{0,4}(?:[\"'][\w ]{1,40}[\"']\s{0,4}:\s{0,4})?\[\s{0,20}\]\W{0,4}")
_UNSURE = re.compile(
    r"\b(?:maybe|perhaps|possibly|might|may be|could be|unclear|uncertain|unsure|not sure|can't tell"
    r"|cannot (?:tell|determine|be)"
    r"|can't (?:determine|say)|unable|impossible|hard to|difficult|whether|if|sorry|depends|yes or no|either|would)\b"
    r"|是否|是不是|有没有|吗|不确定|不能|难以|不好说|无法|无从|可能|也许|或许|大概是|不清楚",
    re.IGNORECASE,
)
_NO_PICTURE = re.compile(
    r"(?:\b(?:no|any)|(?:\bnot|\bcannot|n't|\bunable to) (?:see|view|access|open) (?:the|an|your|this))"
    r" (?:image|picture|photo|attachment|file)s?"
    r"(?: (?:was|were|is|has been|have been))?(?:[.,;!]|$| (?:attached|provided|uploaded|available|to (?:analy[sz]e"
    r"|view|look)|(?:in|with) (?:your|our|the|this) (?:message|chat|conversation|prompt|request|question))\b)"
    r"|\bplease (?:upload|provide|attach|share|send)\b"
    r"|(?:没有|没|未|看不到|无法)(?:看到|收到|接收到|提供|上传|附上|查看)?(?:任何|你的|您的)?(?:图片|图像|照片)"
    r"(?:[,.，。;；!！\s]|$)|请(?:重新)?(?:上传|提供|发送)",
    re.IGNORECASE,
)
"""A reply of a model that was shown no picture."""
_TAGS = re.compile(
    r"<answer>(?:[^<]|<(?!/answer>))*+|<\|begin_of_box\|>(?:[^<]|<(?!\|end_of_box))*+|\\boxed\{(?:\\boxed\{)*+"
)
_MOST_TAGS = 50
_LATEX_TEXT = re.compile(r"\\(?:text|textbf|mathrm|mathbf)\{([^{}]*+)\}")
_QUESTION = re.compile(
    r"(?:question:\s*+|问题?[:：]\s*+)?(?:(?:is|are|was|were|do|does|did|can|could|how many|what)\b"
    r"|[^.!?？。！\n]{0,60}(?:是否|有没有|多少|几))"
    r"[^.!?？。！\n]{1,200}[?？]\s*+",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[A-Za-z\u4e00-\u9fff]")


def strip_fences(text: str) -> str:
    """The text without the signs of fenced code blocks."""
    return _FENCE.sub("", text) if "```" in text else text


def strip_markdown(text: str) -> str:
    """The text without emphasis, headings, quotes and bullets."""
    return _EMPHASIS.sub("", text).strip()


def find_answers(text: str) -> Iterator[tuple[str, str]]:
    """Parts of a reply that may be its answer with the deviation of each, the surest first; the whole text is last."""
    text = text[-LONGEST:]
    inner = extract_answer(text)
    plain = _LATEX_TEXT.sub(r"\1", strip_markdown(strip_fences(inner)))
    if inner.strip() != text.strip():
        yield plain, "answer tags or marker"
    marked = [strip_markdown(answer).strip("\"'“” ") for answer in find_prefixed_answers(plain)]
    if marked and len(set(marked)) == 1:
        yield marked[-1], "answer tags or marker"
    elif marked:
        return  # several different answers
    if "```" in inner:
        yield plain, "code fence"
    elif plain != inner.strip():
        yield plain, "Markdown"
    else:
        yield plain, ""


def find_tagged_answers(text: str) -> list[str]:
    """Contents of `<answer>`, GLM's answer tokens and `\\boxed{}`, without repetitions; only the last ones of many."""
    if "<answer>" not in text and "\\boxed{" not in text and "<|begin_of_box|>" not in text:
        return []
    text = without_thinking(text)[-LONGEST:]
    starts = deque((match.start() for match in _TAGS.finditer(text)), maxlen=_MOST_TAGS)
    stops = [*list(starts)[1:], len(text)]
    parts = (extract_answer(text[start:stop]) for start, stop in zip(starts, stops, strict=True))
    return list(dict.fromkeys(" ".join(part.split()) for part in parts))


def after_marker(text: str) -> str | None:
    """All that follows the last "Answer:", also on further lines.

    Empty where nothing is marked; None where different answers are marked.
    """
    marked = find_prefixed_answers(text)
    if len(set(marked)) > 1:
        return None
    return text[text.rfind(marked[-1]) :].strip() if marked else ""


def bold_answer(text: str) -> str:
    """The only text in bold, where there is just one."""
    found = {match.group(1).strip() for match in _BOLD.finditer(text)}
    return found.pop() if len(found) == 1 else ""


def has_negation(text: str) -> bool:
    """Whether a negation stands in the text."""
    return _NEGATION.search(text) is not None


def has_contrast(text: str) -> bool:
    """Whether "but", "or" or the like stands in the text."""
    return _CONTRAST.search(text) is not None


def is_unsure(text: str) -> bool:
    """Whether a text guesses, asks or declines."""
    return _UNSURE.search(text) is not None or _NO_PICTURE.search(text) is not None


def says_nothing_is_there(text: str) -> bool:
    """Whether a text says that there is nothing: "no ships are visible", an empty JSON list, 图中没有船."""
    if len(text) > 300:
        return False
    text = text.strip()
    if _EMPTY_LIST.fullmatch(text):
        return True
    if any(sign.isdigit() and sign != "0" for sign in text) or has_contrast(text) or is_unsure(text):
        return False
    return bool(_NOTHING.match(text) or _NOTHING_CHINESE.match(text))


def after_question(text: str) -> str:
    """The text without the question that it repeats at its beginning."""
    match = _QUESTION.match(text)
    return text[match.end() :] if match and match.end() < len(text) else text


def has_letters(text: str) -> bool:
    """Whether words stand in the text."""
    return _LETTER.search(text) is not None
