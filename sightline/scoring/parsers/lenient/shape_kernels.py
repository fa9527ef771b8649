"""Compiled rewriting of the common forms of boxes into our tags, over columns; rows in any other form are left alone.

Forms: a JSON list (or one object) with `bbox_2d` or `box_2d`, plain lists, Qwen's and InternVL's tags with `<ref>`,
Qwen's box tokens, DeepSeek's detection tokens; with a code fence around, and nothing else. Numbers are copied as they
are written. What is here must agree with `shape_forms`, which reads everything. Importing this module imports Numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sightline.scoring.compiled_kernels import compiled
from sightline.scoring.parsers.columns.numbers import is_white, trim

OTHER, BBOX_2D, BOX_2D, PLAIN, BOX_PAIRS, BOX_LISTS, BOX_TOKENS, DET_TOKENS = range(8)
FORMS = ("", "json_bbox_2d", "json_box_2d", "plain", "box_pairs", "box_lists", "box_tokens", "det_tokens")
"""Names of the codes; 0: left to Python."""
ABOVE_1, ABOVE_1000, HAS_FRACTION = 1, 2, 4
"""Flags of the numbers of a row."""
_MAX_DEPTH = 4
_MAX_SIZE = 8


def _word(text: str) -> Any:
    return np.frombuffer(text.encode(), np.uint8)


_FENCE = _word("```")
_KEY_BBOX_2D, _KEY_BOX_2D = _word("bbox_2d"), _word("box_2d")
_REF, _REF_END, _BOX, _BOX_END = _word("<ref>"), _word("</ref>"), _word("<box>"), _word("</box>")
_OBJECT, _OBJECT_END = _word("<|object_ref_start|>"), _word("<|object_ref_end|>")
_START, _END = _word("<|box_start|>"), _word("<|box_end|>")
_DET_REF, _DET_REF_END, _DET, _DET_END = _word("<|ref|>"), _word("<|/ref|>"), _word("<|det|>"), _word("<|/det|>")


@compiled
def _starts_with(data: Any, at: int, stop: int, word: Any) -> bool:
    if stop - at < len(word):
        return False
    for k in range(len(word)):  # noqa: SIM110  # no generators in kernels
        if data[at + k] != word[k]:
            return False
    return True


@compiled
def _skip_white(data: Any, at: int, stop: int) -> int:
    while at < stop and is_white(data[at]):
        at += 1
    return at


@compiled
def _end_of_number(data: Any, at: int, stop: int) -> tuple[int, int]:
    """Where a plain decimal number ends, and its flags; the same place where there is none."""
    begin, negative = at, False
    if at < stop and (data[at] == 45 or data[at] == 43):
        negative = data[at] == 45
        at += 1
    digits, whole, fraction = 0, 0, False
    while at < stop and 48 <= data[at] <= 57:
        whole = min(whole * 10 + (data[at] - 48), 1_000_000)
        digits += 1
        at += 1
    if digits == 0:
        return begin, 0
    if at < stop and data[at] == 46:
        at += 1
        while at < stop and 48 <= data[at] <= 57:
            fraction = fraction or data[at] != 48
            at += 1
    flags = HAS_FRACTION if fraction else 0
    if not negative and (whole > 1 or (whole == 1 and fraction)):
        flags |= ABOVE_1
    if not negative and (whole > 1000 or (whole == 1000 and fraction)):
        flags |= ABOVE_1000
    return at, flags


@compiled
def _read_list(data: Any, at: int, stop: int, spans: Any, size: int) -> tuple[int, int]:
    """Read `[a, b, …]` of `size` numbers from its bracket on: where it ends (−1: it is no such list), and flags."""
    at += 1
    flags = 0
    for k in range(size):
        at = _skip_white(data, at, stop)
        end, more = _end_of_number(data, at, stop)
        if end == at:
            return -1, 0
        spans[k, 0], spans[k, 1] = at, end
        flags |= more
        at = _skip_white(data, end, stop)
        if at >= stop or data[at] != (44 if k < size - 1 else 93):
            return -1, 0
        at += 1
    return at, flags


@compiled
def _read_pairs(data: Any, at: int, stop: int, spans: Any, size: int) -> tuple[int, int]:
    """Read `(a,b),(c,d)…` with `size` numbers: where it ends (−1: it is none), and flags."""
    flags = 0
    for k in range(size):
        at = _skip_white(data, at, stop)
        if k % 2 == 0:
            if k and at < stop and data[at] == 44:
                at = _skip_white(data, at + 1, stop)
            if at >= stop or data[at] != 40:
                return -1, 0
            at = _skip_white(data, at + 1, stop)
        end, more = _end_of_number(data, at, stop)
        if end == at:
            return -1, 0
        spans[k, 0], spans[k, 1] = at, end
        flags |= more
        at = _skip_white(data, end, stop)
        if at >= stop or data[at] != (44 if k % 2 == 0 else 41):
            return -1, 0
        at += 1
    return at, flags


@compiled
def _write_shape(data: Any, spans: Any, size: int, tag: Any, y_first: bool, out: Any, n: int) -> int:
    """Write a shape in tags from n on; returns where it ends. `tag` is the opening tag."""
    letters = len(tag)
    for k in range(letters):
        out[n + k] = tag[k]
    n += letters
    for k in range(size):
        source = k ^ 1 if y_first else k
        for at in range(spans[source, 0], spans[source, 1]):
            out[n] = data[at]
            n += 1
        out[n] = 44
        n += 1
    out[n - 1], out[n] = 60, 47  # the last comma becomes the beginning of the closing tag
    for k in range(1, letters):
        out[n + k] = tag[k]
    return n + letters


@compiled
def _end_of_string(data: Any, at: int, stop: int) -> int:
    """Where the string at a quote ends; −1 for one with an escape or without an end."""
    at += 1
    while at < stop and data[at] != 34:
        if data[at] == 92:
            return -1
        at += 1
    return at + 1 if at < stop else -1


@compiled
def _read_member(data: Any, at: int, stop: int, spans: Any, size: int) -> tuple[int, int, int]:
    """A key and its value: where it ends (−1: something unexpected), the form that the key tells, and flags."""
    end = _end_of_string(data, at, stop)
    if end < 0:
        return -1, OTHER, 0
    key, found = at + 1, OTHER
    if end - 1 - key == len(_KEY_BBOX_2D) and _starts_with(data, key, stop, _KEY_BBOX_2D):
        found = BBOX_2D
    elif end - 1 - key == len(_KEY_BOX_2D) and _starts_with(data, key, stop, _KEY_BOX_2D):
        found = BOX_2D
    at = _skip_white(data, end, stop)
    if at >= stop or data[at] != 58:
        return -1, OTHER, 0
    at = _skip_white(data, at + 1, stop)
    if at >= stop:
        return -1, OTHER, 0
    if found != OTHER:
        end, flags = _read_list(data, at, stop, spans, size) if data[at] == 91 else (-1, 0)
        return end, found, flags
    if data[at] == 34:
        return _end_of_string(data, at, stop), OTHER, 0
    end, _ = _end_of_number(data, at, stop)
    return (end if end > at else -1), OTHER, 0


@compiled
def _rewrite_json(
    span: tuple[Any, int, int], spans: Any, size: int, tag: Any, out: Any, n: int
) -> tuple[int, int, int, int]:
    """A JSON list of objects with boxes, or plain lists: (form, n, shapes, flags); form 0: something else."""
    data, at, stop = span
    depth, braces, form, flags, shapes = 0, 0, OTHER, 0, 0
    while at < stop:
        byte = data[at]
        if is_white(byte) or byte == 44:
            at += 1
        elif byte == 91 and braces == 0:  # [
            end, more = _read_list(data, at, stop, spans, size)
            if end > 0:
                if form != OTHER and form != PLAIN:
                    return OTHER, n, 0, 0
                form, flags, shapes = PLAIN, flags | more, shapes + 1
                n = _write_shape(data, spans, size, tag, False, out, n)
                at = end
            else:
                depth += 1
                if depth > _MAX_DEPTH:
                    return OTHER, n, 0, 0
                at += 1
        elif byte == 93 and braces == 0:  # ]
            depth -= 1
            if depth < 0:
                return OTHER, n, 0, 0
            at += 1
        elif byte == 123:  # {
            braces += 1
            if braces > 1:
                return OTHER, n, 0, 0
            at += 1
        elif byte == 125:  # }
            braces -= 1
            if braces < 0:
                return OTHER, n, 0, 0
            at += 1
        elif byte == 34 and braces == 1:
            at, found, more = _read_member(data, at, stop, spans, size)
            if at < 0 or (found != OTHER and form not in (OTHER, found)):
                return OTHER, n, 0, 0
            if found != OTHER:
                form, flags, shapes = found, flags | more, shapes + 1
                n = _write_shape(data, spans, size, tag, found == BOX_2D, out, n)
        else:
            return OTHER, n, 0, 0
    if depth or braces:
        return OTHER, n, 0, 0
    return form, n, shapes, flags


@compiled
def _skip_label(data: Any, at: int, stop: int, closing: Any) -> int:
    """Where the closing token after a label ends; −1 where the label holds another sign of markup."""
    while at < stop and data[at] != 60 and data[at] != 91 and data[at] != 40:
        at += 1
    return at + len(closing) if _starts_with(data, at, stop, closing) else -1


@compiled
def _rewrite_tokens(
    span: tuple[Any, int, int], spans: Any, size: int, tag: Any, out: Any, n: int
) -> tuple[int, int, int, int]:
    """Tokens and tags of Qwen, InternVL and DeepSeek: (form, n, shapes, flags); form 0: something else."""
    data, at, stop = span
    form, flags, shapes, has_ref = OTHER, 0, 0, False
    while at < stop:
        if is_white(data[at]) or data[at] == 44:
            at += 1
            continue
        found, opening, closing = OTHER, _START, _END
        if _starts_with(data, at, stop, _OBJECT):
            at = _skip_label(data, at + len(_OBJECT), stop, _OBJECT_END)
        elif _starts_with(data, at, stop, _REF):
            at, has_ref = _skip_label(data, at + len(_REF), stop, _REF_END), True
        elif _starts_with(data, at, stop, _DET_REF):
            at = _skip_label(data, at + len(_DET_REF), stop, _DET_REF_END)
        elif _starts_with(data, at, stop, _START):
            found = BOX_TOKENS
        elif _starts_with(data, at, stop, _DET):
            found, opening, closing = DET_TOKENS, _DET, _DET_END
        elif has_ref and _starts_with(data, at, stop, _BOX):
            found, opening, closing = BOX_PAIRS, _BOX, _BOX_END
        else:
            return OTHER, n, 0, 0
        if at < 0:
            return OTHER, n, 0, 0
        if found == OTHER:
            continue
        at = _skip_white(data, at + len(opening), stop)
        if found == BOX_PAIRS and at < stop and data[at] == 91:
            found = BOX_LISTS
        if form not in (OTHER, found):
            return OTHER, n, 0, 0
        form = found
        if found in (BOX_PAIRS, BOX_TOKENS):
            at, more = _read_pairs(data, at, stop, spans, size)
            if at < 0:
                return OTHER, n, 0, 0
            flags, shapes = flags | more, shapes + 1
            n = _write_shape(data, spans, size, tag, False, out, n)
        else:
            end = at
            while end < stop and data[end] != 60:
                end += 1
            inner, n, count, more = _rewrite_json((data, at, end), spans, size, tag, out, n)
            if inner != PLAIN:
                return OTHER, n, 0, 0
            flags, shapes, at = flags | more, shapes + count, end
        at = _skip_white(data, at, stop)
        if not _starts_with(data, at, stop, closing):
            return OTHER, n, 0, 0
        at += len(closing)
    return form, n, shapes, flags


@compiled
def _is_repeated(out: Any, first: int, n: int) -> bool:
    """Whether the second half of what was written is the first again."""
    half = (n - first) // 2
    if (n - first) % 2:
        return False
    for k in range(half):  # noqa: SIM110
        if out[first + k] != out[first + half + k]:
            return False
    return True


@compiled
def rewrite_shapes(texts: Any, size: int, tag: Any, single: bool, once: bool, out: Any) -> tuple[Any, Any, Any, Any]:
    """Rewrite the texts into `out`: where each begins and ends there, its form (0: left alone), and flags.

    `once`: a list that is repeated as a whole counts once. `out` must hold twice the bytes of all texts, and 64 more.
    """
    data, starts, stops = texts
    rows = len(starts)
    begins, ends = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
    forms, flags = np.zeros(rows, np.uint8), np.zeros(rows, np.uint8)
    spans = np.zeros((_MAX_SIZE, 2), np.int64)
    n = 0
    for row in range(rows):
        at, stop = trim(data, starts[row], stops[row])
        if _starts_with(data, at, stop, _FENCE) and stop - at > 6 and _starts_with(data, stop - 3, stop, _FENCE):
            at, stop = at + 3, stop - 3
            while at < stop and 97 <= data[at] | 32 <= 122:
                at += 1
            at, stop = trim(data, at, stop)
        if at >= stop:
            continue
        first, span = n, (data, at, stop)
        if data[at] == 91 or data[at] == 123:
            form, n, shapes, row_flags = _rewrite_json(span, spans, size, tag, out, n)
        elif data[at] == 60:
            form, n, shapes, row_flags = _rewrite_tokens(span, spans, size, tag, out, n)
        else:
            continue
        if form != OTHER and shapes and once and shapes % 2 == 0 and _is_repeated(out, first, n):
            n, shapes = first + (n - first) // 2, shapes // 2
        if form == OTHER or shapes == 0 or (single and shapes > 1):
            n = first
            continue
        begins[row], ends[row], forms[row], flags[row] = first, n, form, row_flags
    return begins, ends, forms, flags
