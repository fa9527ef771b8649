"""Compiled reading of the common forms of boxes, over columns; rows in any other form are left alone.

Forms: a JSON list (or one object) with `bbox_2d` or `box_2d`, plain lists, Qwen's and InternVL's tags with `<ref>`,
Qwen's box tokens, DeepSeek's detection tokens; with a code fence around, and nothing else. What is read here must agree
with `shape_forms`, which reads everything. Importing this module imports Numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sightline.scoring.compiled_kernels import compiled
from sightline.scoring.parsers.columns.numbers import is_white, trim
from sightline.scoring.parsers.columns.shapes import SHORT

OTHER, BBOX_2D, BOX_2D, PLAIN, BOX_PAIRS, BOX_LISTS, BOX_TOKENS, DET_TOKENS = range(8)
FORMS = ("", "json_bbox_2d", "json_box_2d", "plain", "box_pairs", "box_lists", "box_tokens", "det_tokens")
"""Names of the codes; 0: left to Python."""
ABOVE_1, ABOVE_1000, HAS_FRACTION = 1, 2, 4
"""Flags of the numbers of a row."""
_MAX_DEPTH = 4
_EXACT = np.array([10.0**k for k in range(SHORT + 1)])


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
def _read_number(data: Any, at: int, stop: int) -> tuple[int, float]:
    """Where a plain decimal number of up to 12 signs ends, and its value; the same place where there is none."""
    begin, sign = at, 1.0
    if at < stop and (data[at] == 45 or data[at] == 43):
        sign = -1.0 if data[at] == 45 else 1.0
        at += 1
    first, mantissa, decimals = at, 0, -1
    while at < stop and (48 <= data[at] <= 57 or (data[at] == 46 and decimals < 0)):
        if data[at] == 46:
            decimals = 0
        else:
            mantissa, decimals = mantissa * 10 + (data[at] - 48), decimals + (decimals >= 0)
        at += 1
        if at - first > SHORT:
            return begin, 0.0
    if at == first or data[first] == 46:
        return begin, 0.0
    return at, sign * (float(mantissa) / _EXACT[decimals] if decimals > 0 else float(mantissa))


@compiled
def _read_list(data: Any, at: int, stop: int, size: int, out: Any, n: int) -> int:
    """Read `[a, b, …]` of `size` numbers from its bracket on into `out`: where it ends; −1: it is no such list."""
    at += 1
    for k in range(size):
        at = _skip_white(data, at, stop)
        end, value = _read_number(data, at, stop)
        if end == at:
            return -1
        out[n + k] = value
        at = _skip_white(data, end, stop)
        if at >= stop or data[at] != (44 if k < size - 1 else 93):
            return -1
        at += 1
    return at


@compiled
def _read_pairs(data: Any, at: int, stop: int, size: int, out: Any, n: int) -> int:
    """Read `(a,b),(c,d)…` with `size` numbers into `out`: where it ends; −1: it is none."""
    for k in range(size):
        at = _skip_white(data, at, stop)
        if k % 2 == 0:
            if k and at < stop and data[at] == 44:
                at = _skip_white(data, at + 1, stop)
            if at >= stop or data[at] != 40:
                return -1
            at = _skip_white(data, at + 1, stop)
        end, value = _read_number(data, at, stop)
        if end == at:
            return -1
        out[n + k] = value
        at = _skip_white(data, end, stop)
        if at >= stop or data[at] != (44 if k % 2 == 0 else 41):
            return -1
        at += 1
    return at


@compiled
def _swap_axes(out: Any, n: int, size: int) -> None:
    """Exchange x and y of a shape."""
    for k in range(n, n + size, 2):
        out[k], out[k + 1] = out[k + 1], out[k]


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
def _read_member(data: Any, at: int, stop: int, size: int, out: Any, n: int) -> tuple[int, int]:
    """A key and its value: where it ends (−1: something unexpected), and the form that the key tells."""
    end = _end_of_string(data, at, stop)
    if end < 0:
        return -1, OTHER
    key, found = at + 1, OTHER
    if end - 1 - key == len(_KEY_BBOX_2D) and _starts_with(data, key, stop, _KEY_BBOX_2D):
        found = BBOX_2D
    elif end - 1 - key == len(_KEY_BOX_2D) and _starts_with(data, key, stop, _KEY_BOX_2D):
        found = BOX_2D
    at = _skip_white(data, end, stop)
    if at >= stop or data[at] != 58:
        return -1, OTHER
    at = _skip_white(data, at + 1, stop)
    if at >= stop:
        return -1, OTHER
    if found != OTHER:
        return (_read_list(data, at, stop, size, out, n) if data[at] == 91 else -1), found
    if data[at] == 34:
        return _end_of_string(data, at, stop), OTHER
    end, _ = _read_number(data, at, stop)
    return (end if end > at else -1), OTHER


@compiled
def _read_json(span: tuple[Any, int, int], size: int, out: Any, n: int) -> tuple[int, int]:
    """A JSON list of objects with boxes, or plain lists: (form, n); form 0: something else."""
    data, at, stop = span
    depth, braces, form = 0, 0, OTHER
    while at < stop:
        byte = data[at]
        if is_white(byte) or byte == 44:
            at += 1
        elif byte == 91 and braces == 0:  # [
            end = _read_list(data, at, stop, size, out, n)
            if end > 0:
                if form not in (OTHER, PLAIN):
                    return OTHER, n
                form, n, at = PLAIN, n + size, end
            else:
                depth += 1
                if depth > _MAX_DEPTH:
                    return OTHER, n
                at += 1
        elif byte == 93 and braces == 0 and depth > 0:  # ]
            depth -= 1
            at += 1
        elif byte == 123 and braces == 0:  # {
            braces = 1
            at += 1
        elif byte == 125 and braces == 1:  # }
            braces = 0
            at += 1
        elif byte == 34 and braces == 1:
            at, found = _read_member(data, at, stop, size, out, n)
            if at < 0 or (found != OTHER and form not in (OTHER, found)):
                return OTHER, n
            if found != OTHER:
                if found == BOX_2D:
                    _swap_axes(out, n, size)
                form, n = found, n + size
        else:
            return OTHER, n
    return (OTHER if depth or braces else form), n


@compiled
def _skip_label(data: Any, at: int, stop: int, closing: Any) -> int:
    """Where the closing token after a label ends; −1 where the label holds another sign of markup."""
    while at < stop and data[at] != 60 and data[at] != 91 and data[at] != 40:
        at += 1
    return at + len(closing) if _starts_with(data, at, stop, closing) else -1


@compiled
def _read_tokens(span: tuple[Any, int, int], size: int, out: Any, n: int) -> tuple[int, int]:
    """Tokens and tags of Qwen, InternVL and DeepSeek: (form, n); form 0: something else."""
    data, at, stop = span
    form, has_ref = OTHER, False
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
            return OTHER, n
        if at < 0:
            return OTHER, n
        if found == OTHER:
            continue
        at = _skip_white(data, at + len(opening), stop)
        if found == BOX_PAIRS and at < stop and data[at] == 91:
            found = BOX_LISTS
        if form not in (OTHER, found):
            return OTHER, n
        form = found
        if found in (BOX_PAIRS, BOX_TOKENS):
            at, n = _read_pairs(data, at, stop, size, out, n), n + size
        else:
            end = at
            while end < stop and data[end] != 60:
                end += 1
            inner, n = _read_json((data, at, end), size, out, n)
            at = end if inner == PLAIN else -1
        if at < 0:
            return OTHER, n
        at = _skip_white(data, at, stop)
        if not _starts_with(data, at, stop, closing):
            return OTHER, n
        at += len(closing)
    return form, n


@compiled
def _is_repeated(out: Any, first: int, n: int) -> bool:
    """Whether the second half of the numbers is the first again."""
    half = (n - first) // 2
    for k in range(half):  # noqa: SIM110
        if out[first + k] != out[first + half + k]:
            return False
    return True


@compiled
def _flags_of(out: Any, first: int, n: int) -> int:
    """The flags of the numbers of a row."""
    flags = 0
    for k in range(first, n):
        value = out[k]
        if value > 1:
            flags |= ABOVE_1
        if value > 1000:
            flags |= ABOVE_1000
        if value != np.floor(value):
            flags |= HAS_FRACTION
    return flags


@compiled
def read_common_forms(texts: Any, size: int, single: bool, once: bool, out: Any) -> tuple[Any, Any, Any]:
    """Read shapes of `size` numbers into `out`: offsets of the rows in numbers, forms (0: left alone), and flags.

    `once`: a list that is repeated as a whole counts once. `out` must hold half as many numbers as texts have bytes.
    """
    data, starts, stops = texts
    rows = len(starts)
    offsets, forms, flags = np.zeros(rows + 1, np.int64), np.zeros(rows, np.uint8), np.zeros(rows, np.uint8)
    n = 0
    for row in range(rows):
        at, stop = trim(data, starts[row], stops[row])
        if _starts_with(data, at, stop, _FENCE) and stop - at > 6 and _starts_with(data, stop - 3, stop, _FENCE):
            at, stop = at + 3, stop - 3
            while at < stop and 97 <= data[at] | 32 <= 122:
                at += 1
            at, stop = trim(data, at, stop)
        first, form, span = n, OTHER, (data, at, stop)
        if at < stop and (data[at] == 91 or data[at] == 123):
            form, n = _read_json(span, size, out, n)
        elif at < stop and data[at] == 60:
            form, n = _read_tokens(span, size, out, n)
        shapes = (n - first) // size
        if form != OTHER and shapes and once and shapes % 2 == 0 and _is_repeated(out, first, n):
            n, shapes = first + (n - first) // 2, shapes // 2
        if form == OTHER or shapes == 0 or (single and shapes > 1):
            n = first
        else:
            forms[row], flags[row] = form, _flags_of(out, first, n)
        offsets[row + 1] = n
    return offsets, forms, flags
