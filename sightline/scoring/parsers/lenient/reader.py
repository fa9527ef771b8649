"""Lenient reader of columns: replies that deviate from the asked form are rewritten into it.

Recognition is by the form of each reply alone. Rows in forms that the compiled kernel knows (`shape_kernels`) are
rewritten there, the rest in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.core.interfaces import Reading, Task
from sightline.core.records import Parsed
from sightline.core.registry import find
from sightline.core.reply_formats import REPLY_FORMATS, REPLY_SPACES, STRICT, TAGS
from sightline.data.columns import Floats, ParsedColumn, Shapes, TextColumn
from sightline.scoring.parsers.base import ColumnParser
from sightline.scoring.parsers.columns.indices import IndexParser
from sightline.scoring.parsers.columns.labels import LabelParser, YesNoParser
from sightline.scoring.parsers.columns.numbers import NumberParser
from sightline.scoring.parsers.columns.reasons import REASONS
from sightline.scoring.parsers.columns.shapes import PolygonParser, ShapeParser, fold_shapes
from sightline.scoring.parsers.columns.texts import TextParser, fold_text, normalize_texts, strip_thinking_column
from sightline.scoring.parsers.lenient.answer_text import (
    LONGEST,
    after_marker,
    find_answers,
    find_tagged_answers,
    strip_fences,
    strip_markdown,
)
from sightline.scoring.parsers.lenient.deviations import FORMS, deviation_code
from sightline.scoring.parsers.lenient.sentences import (
    LabelVocabulary,
    read_caption,
    read_count,
    read_indices,
    read_label,
    read_labels,
    read_yes_no,
)
from sightline.scoring.parsers.lenient.shape_forms import AskedShapes, read_shapes
from sightline.scoring.parsers.thinking import without_thinking
from sightline.scoring.scorers.reply_text import extract_answer, find_prefixed_answers

Rows = NDArray[np.int64]
Aspects = Callable[[Rows], Floats | None]
"""Width and height of the pictures of rows, where they are known."""
MAX_CACHED_LENGTH = 200
_MARKUP = np.zeros(256, bool)
_MARKUP[np.frombuffer(b"`*<\\#:\"_>'\xe2\xef", np.uint8)] = True
"""Bytes without which a caption has nothing to remove; the last two begin quotes and full-width signs."""


class Rewritten(Struct, frozen=True):
    """Replies in the asked form: which rows, their texts, what was deviant, and the space of their coordinates."""

    rows: Rows
    texts: TextColumn
    """Empty for the rows of `shapes`."""
    deviations: NDArray[np.uint8]
    spaces: NDArray[np.uint8]
    """Indices into `REPLY_SPACES`, plus one; 0: the declared space."""
    shapes: Shapes | None = None
    """Shapes of the first rows, which were read without being rewritten."""

    @classmethod
    def of(cls, found: Sequence[tuple[int, str, str, str]]) -> Rewritten:
        """From (row, text, deviation, space)."""
        rows, texts, deviations, spaces = zip(*found, strict=True) if found else ((), (), (), ())
        return cls(
            rows=np.array(rows, np.int64),
            texts=TextColumn.of(texts),
            deviations=np.array([deviation_code(deviation) for deviation in deviations], np.uint8),
            spaces=np.array([space_code(space) for space in spaces], np.uint8)
            if any(spaces)
            else np.zeros(len(found), np.uint8),
        )


def space_code(space: str) -> int:
    """The code of a space; 0 for the declared one."""
    return REPLY_SPACES.index(space) + 1 if space else 0


def asked_shapes(parser: ColumnParser) -> AskedShapes | None:
    """What a parser of shapes asks for; None for other parsers."""
    if isinstance(parser, ShapeParser):
        return AskedShapes(parser.tag, parser.size, parser.single)
    return AskedShapes(parser.tag, 0) if isinstance(parser, PolygonParser) else None


def can_read(parser: ColumnParser) -> bool:
    """Whether there is a lenient reading for what a parser parses."""
    known = (ShapeParser, PolygonParser, NumberParser, YesNoParser, LabelParser, IndexParser, TextParser)
    return isinstance(parser, known)


def deviant_captions(texts: TextColumn) -> Rows:
    """The rows of captions that may have something to remove."""
    starts, stops = texts.starts, texts.stops
    counts = np.concatenate((np.zeros(1, np.int64), np.cumsum(_MARKUP[texts.data])))
    has_markup = counts[stops] > counts[starts]
    first = texts.data[np.minimum(starts, len(texts.data) - 1)] if len(texts.data) else np.zeros(len(texts), np.uint8)
    return np.flatnonzero((stops > starts) & (has_markup | (first == 45)))


def read_leniently(
    texts: TextColumn, parser: ColumnParser, vocabulary: frozenset[str], sizes: Aspects, declared: bool
) -> Rewritten:
    """Rewrite the replies of a column that can be read."""
    if isinstance(parser, TextParser):
        return _read_captions(texts)
    if (asked := asked_shapes(parser)) is not None:
        return _read_shapes(texts, asked, sizes, (), declared)
    read = _sentence_reader(parser, vocabulary)
    answers = map(read, normalize_texts(texts, fold_text).strings())
    return Rewritten.of([(row, *answer, "") for row, answer in enumerate(answers) if answer is not None])


def read_profile(texts: TextColumn, parser: ColumnParser, name: str, sizes: Aspects) -> Rewritten:
    """Rewrite the replies that are complete and in the form of a profile."""
    asked = asked_shapes(parser)
    assert asked is not None, "profiles are forms of shapes"
    return _read_shapes(texts, asked, sizes, REPLY_FORMATS[name].forms, declared=True)


def _read_shapes(
    texts: TextColumn, asked: AskedShapes, sizes: Aspects, forms: Sequence[str], declared: bool
) -> Rewritten:
    """Common forms by the kernel, the rest in Python."""
    texts = normalize_texts(texts, fold_shapes)
    common = read_common(texts, asked, forms, declared) if asked.size else None
    rest = np.arange(len(texts)) if common is None else np.setdiff1d(np.arange(len(texts)), common.rows)
    found = []
    for row in rest.tolist():
        text = texts[row]
        reading = read_shapes(text, asked, _aspect(text, row, sizes), forms, declared)
        if reading is not None and (reading.is_native or not forms):
            found.append((row, reading.text, reading.deviation, reading.space))
    if common is None or not len(common.rows):
        return Rewritten.of(found)
    return _append_rewritten(common, Rewritten.of(found)) if found else common


def _aspect(text: str, row: int, sizes: Aspects) -> float:
    """Width over height of the picture, where a form may need it to turn boxes."""
    if not any(sign in text for sign in _TURNED):
        return 1.0
    size = sizes(np.array([row]))
    known = size is not None and bool(np.isfinite(size).all())
    return float(size[0, 0] / size[0, 1]) if known and size is not None else 1.0


_TURNED = ("{<", "angle", "theta", "rotat", "rbox", "obb")


def read_common(texts: TextColumn, asked: AskedShapes, forms: Sequence[str], declared: bool) -> Rewritten:
    """Shapes of the rows that are in a form that the kernel knows."""
    from sightline.scoring.parsers.lenient import shape_kernels as kernels

    out = np.empty(int(texts.lengths().sum()) // 2 + asked.size + 1)
    columns = (texts.data, texts.starts, texts.stops)
    offsets, codes, flags = kernels.read_common_forms(columns, asked.size, asked.single, not forms, out)
    allowed = np.array([bool(name) and (not forms or name in forms) for name in kernels.FORMS])
    rows = np.flatnonzero(allowed[codes])
    offsets //= asked.size
    shapes = Shapes(offsets, out[: offsets[-1] * asked.size].reshape(-1, asked.size), np.full(len(texts), np.nan))
    codes, flags = codes[rows], flags[rows]
    deviations = np.array([deviation_code(FORMS[name].deviation) if name else 0 for name in kernels.FORMS], np.uint8)
    spaces = np.array([space_code(FORMS[name].space) if name and not forms else 0 for name in kernels.FORMS], np.uint8)
    found = spaces[codes]
    if not declared:
        is_bbox_2d, is_plain = (codes == kernels.FORMS.index(name) for name in ("json_bbox_2d", "plain"))
        thousand = np.where(flags & kernels.ABOVE_1000, space_code("resized"), space_code("0-1000"))
        found = np.where(is_bbox_2d, thousand, found)
        is_unit = is_plain & (flags & kernels.ABOVE_1 == 0) & (flags & kernels.HAS_FRACTION != 0)
        found = np.where(is_unit, space_code("0-1"), found).astype(np.uint8)
    nothing = np.zeros(len(rows), np.int64)
    return Rewritten(
        rows=rows,
        texts=TextColumn(np.zeros(0, np.uint8), nothing, nothing),
        deviations=deviations[codes],
        spaces=found,
        shapes=shapes if len(rows) == len(texts) else shapes.take(rows),
    )


def _append_rewritten(first: Rewritten, second: Rewritten) -> Rewritten:
    """The rows of both; those with shapes come first."""
    names = ("rows", "deviations", "spaces")
    columns = {name: np.concatenate((getattr(first, name), getattr(second, name))) for name in names}
    starts, stops = (
        np.concatenate((getattr(first.texts, name), getattr(second.texts, name))) for name in ("starts", "stops")
    )
    return Rewritten(**columns, texts=TextColumn(second.texts.data, starts, stops), shapes=first.shapes)


def parse_rewritten(made: Rewritten, parser: ColumnParser) -> tuple[Rewritten, ParsedColumn]:
    """The rewritten rows in ascending order, and what they say."""
    if made.shapes is None:
        return made, parser.read(made.texts)
    known = len(made.shapes)
    errors = np.zeros(known, np.uint8)
    parsed = ParsedColumn(made.shapes, errors, REASONS)
    if len(made.rows) > known:
        rest = parser.read(made.texts.take(np.arange(known, len(made.rows))))
        values = join_shapes(made.shapes, rest.values)
        parsed = ParsedColumn(values, np.concatenate((errors, rest.errors)), REASONS)
        order = np.argsort(made.rows)
        made, parsed = take_rewritten(made, order), parsed.take(order)
    return made, parsed


def join_shapes(first: Shapes, second: Shapes) -> Shapes:
    """The samples of two columns of shapes without scores."""
    return Shapes(
        np.concatenate((first.offsets, second.offsets[1:] + first.offsets[-1])),
        np.concatenate((first.coords, second.coords)),
        np.concatenate((first.counts, second.counts)),
    )


def _read_captions(texts: TextColumn) -> Rewritten:
    texts, _ = strip_thinking_column(texts)
    found = []
    for row, text in enumerate(texts):
        if (answer := _read_caption(text)) is not None:
            found.append((row, *answer, ""))
    return Rewritten.of(found)


_LONGEST_LEAD = 60
"""Characters before "Answer:" in a caption; later it is part of the caption."""


def _read_caption(text: str) -> tuple[str, str] | None:
    """A caption without what stands around it; None where there is nothing to remove."""
    inner = extract_answer(text)
    part = strip_markdown(strip_fences(inner))
    deviation = "answer tags or marker" if inner != text.strip() else "code fence" if "```" in inner else ""
    marked = after_marker(part)
    if marked is None:
        return None
    if marked and len(part) - len(marked) <= _LONGEST_LEAD:
        part, deviation = marked, "answer tags or marker"
    elif not deviation and part != inner:
        deviation = "Markdown"
    answer = read_caption(part, bool(deviation))
    return None if answer is None or answer[0] == text.strip() else (answer[0], answer[1] or deviation)


_Sentence = Callable[[str], tuple[str, str] | None]


def _sentence_reader(parser: ColumnParser, vocabulary: frozenset[str]) -> _Sentence:
    """What reads one text for a parser; short texts recur, so that their readings are kept."""
    if isinstance(parser, NumberParser):
        return _cached(_read_number)
    if isinstance(parser, YesNoParser):
        return _cached(_read_yes_no)
    if isinstance(parser, IndexParser):
        return _read_index_list
    assert isinstance(parser, LabelParser), "checked by can_read"
    return _label_reader(parser.single, vocabulary | frozenset(parser.mapping))


def _cached(read: _Sentence) -> _Sentence:
    """The reader with its readings of short texts kept."""
    kept = _cached_reader(read)

    def read_text(text: str) -> tuple[str, str] | None:
        return kept(text) if len(text) <= MAX_CACHED_LENGTH else read(text)

    return read_text


@lru_cache(maxsize=8)
def _cached_reader(read: _Sentence) -> _Sentence:
    return lru_cache(maxsize=8192)(read)


@lru_cache(maxsize=32)
def _label_reader(single: bool, vocabulary: frozenset[str]) -> _Sentence:
    known = LabelVocabulary(vocabulary)
    reader = read_label if single else read_labels
    return _cached(lambda text: _first_answer(text, lambda part: reader(part, known), None))


def _first_answer(text: str, read: _Sentence, is_exact: Callable[[str], bool] | None) -> tuple[str, str] | None:
    """The reading of the marked answer, else of the whole text. An exact answer is only marked, not deviant itself."""
    if tagged := find_tagged_answers(text):
        marked = [*tagged, *map(extract_answer, find_prefixed_answers(text[-LONGEST:]))]
        if len({answer[0] for part in marked if (answer := read(part)) is not None}) > 1:
            return None  # different answers are marked
    for part, deviation in find_answers(text):
        if is_exact is not None and deviation and is_exact(part):
            return part, deviation
        answer = read(part)
        if answer is not None:
            return answer[0], deviation if deviation == "answer tags or marker" else answer[1]
    return None


def _read_number(text: str) -> tuple[str, str] | None:
    return _first_answer(text, read_count, lambda part: part.rstrip(".").isdecimal())


def _read_yes_no(text: str) -> tuple[str, str] | None:
    return _first_answer(text, read_yes_no, lambda part: part.rstrip(".").lower() in ("yes", "no"))


def _read_index_list(text: str) -> tuple[str, str] | None:
    return _first_answer(text, read_indices, None)


def take_rewritten(made: Rewritten, kept: NDArray[Any]) -> Rewritten:
    """Some of the rows, once they are parsed."""
    return Rewritten(made.rows[kept], made.texts.take(kept), made.deviations[kept], made.spaces[kept])


def read_reply_shapes(text: str, task: Task, reading: Reading, size: tuple[int, int]) -> tuple[str, str]:
    """A reply with shapes in the asked form, and the space of its coordinates (empty: the declared one).

    A reply that is as asked, or can't be read, stays as it is. For pages that draw a reply: a format declared for the
    model is not known there, so that only that of the task counts.
    """
    parser, form = find("parsers", task.parser), reading.reply_format(task)
    asked = asked_shapes(parser) if isinstance(parser, ColumnParser) else None
    if asked is None or form == STRICT:
        return text, ""
    plain, profile = fold_shapes(without_thinking(text)), REPLY_FORMATS.get(form)
    if profile is not None and profile.name != TAGS:
        found = read_shapes(plain, asked, size[0] / size[1], profile.forms, declared=True)
        if found is not None:
            return found.text, reading.reply_space(form)
    elif isinstance(parser(text), Parsed):
        return text, ""
    found = read_shapes(plain, asked, size[0] / size[1], (), reading.is_declared)
    return (text, "") if found is None else (found.text, found.space or reading.reply_space(form))


def write_shapes(value: dict[str, Any], parser: ColumnParser) -> str:
    """Shapes, as their parser gives them, in the asked form."""
    asked = asked_shapes(parser)
    assert asked is not None, "shapes have tags"
    count = "" if value["count"] is None else f"{value['count']} "
    scores = value.get("scores") or [None] * len(value["shapes"])
    written = [count]
    for shape, score in zip(value["shapes"], scores, strict=True):
        numbers = ",".join(repr(float(side)) for side in np.ravel(shape))
        has_score = score is not None and score == score
        written.append(f"<{asked.tag}>{numbers}</{asked.tag}>" + (f"<score>{score!r}</score>" if has_score else ""))
    return "".join(written)
