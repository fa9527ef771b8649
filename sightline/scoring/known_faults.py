"""Known faults of published scorers, reproduced on purpose: what would they have printed for the same replies?

A fault changes the parsed columns of a batch before they are compared; everything after that is the right computation.
So the difference to the right figure is the fault's alone. Sources are the scorers' own repositories, read in 2026.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from sightline.core.registry import unknown
from sightline.core.remarks import Remark
from sightline.data.columns import Batch, Floats, Labels, Numbers, Shapes, TextColumn
from sightline.scoring.parsers.columns.coordinates import RANGES, scale_factors

_DIGITS = re.compile(r"\d+")
_NUMBER_WORDS = (
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)


class FaultInput(Struct, frozen=True, kw_only=True):
    """What a fault may look at: the samples of a batch that count, in the truths' coordinate space."""

    batch: Batch
    targets: TextColumn
    replies: TextColumn
    positions: NDArray[np.int64]
    space: str
    sizes: Floats | None
    """Width and height of each image; None or NaN where they are unknown."""

    def scaled_to(self, space: str) -> tuple[Shapes, Shapes, NDArray[np.bool_]]:
        """Truths and replies in another space, and where the image's size for that is unknown."""
        factors = scale_factors(self.space, space, self.sizes)
        shape = (len(self.batch), 2)
        factors = np.full(shape, np.nan) if factors is None else np.broadcast_to(factors, shape)
        is_unknown = np.asarray(~np.isfinite(factors).all(axis=1))
        known = np.where(np.isfinite(factors), factors, 1.0)
        return self.batch.truth.scaled(known), self.batch.reply.scaled(known), is_unknown


class KnownFault(Struct, frozen=True, kw_only=True):
    """One fault, which scorer has it, and what it does to a batch."""

    name: str
    description: Remark
    source: str
    kinds: frozenset[str]
    """The kinds of columns that it concerns."""
    transform: Callable[[FaultInput], Batch] | None = None
    leaves_out_unread: bool = False
    """Replies that could not be read leave the denominator."""
    box_size: int = 0
    """Coordinates per shape that it needs: 4 for boxes; 0: any."""
    is_grounding: bool = False
    """Whether it is about replies of exactly one box."""

    def concerns(self, parser: Any) -> bool:
        """Whether it can change a figure of a task with that parser."""
        if self.is_grounding and not getattr(parser, "single", False):
            return False
        return parser.kind in self.kinds and self.box_size in (0, getattr(parser, "size", 0))


def find_fault(name: str) -> KnownFault:
    """The fault of that name."""
    if name not in KNOWN_FAULTS:
        raise unknown("scoring", name, list(KNOWN_FAULTS))
    return KNOWN_FAULTS[name]


def find_concerning_fault(name: str, parser: Any) -> KnownFault | None:
    """The fault of that name; None where it does not concern tasks with that parser."""
    fault = find_fault(name)
    return fault if fault.concerns(parser) else None


def _plus_one(space: str) -> Callable[[FaultInput], Batch]:
    """IoU with 1 added to every width and height, which is the IoU of boxes that are 1 wider and higher."""

    def transform(given: FaultInput) -> Batch:
        truth, reply, is_unknown = given.scaled_to(space)
        extent = np.where(is_unknown, 0.0, 1.0)
        return replace(given.batch, truth=_widened(truth, extent), reply=_widened(reply, extent), results={})

    return transform


def _widened(shapes: Shapes, extents: Floats) -> Shapes:
    """Boxes with their second corner moved by the extent of their sample."""
    by = np.repeat(extents, np.diff(shapes.offsets))
    coords = shapes.coords.copy()
    coords[:, 2] += by
    coords[:, 3] += by
    return replace(shapes, coords=coords)


def _corners_as_sizes(given: FaultInput) -> Batch:
    """Both boxes read as x, y, width, height although they are two corners."""
    batch = given.batch
    return replace(batch, truth=_from_sizes(batch.truth), reply=_from_sizes(batch.reply), results={})


def _from_sizes(shapes: Shapes) -> Shapes:
    coords = shapes.coords.copy()
    coords[:, 2:] += coords[:, :2]
    return replace(shapes, coords=coords)


def _best_space(given: FaultInput) -> Batch:
    """Each reply box in the one of several coordinate spaces in which it fits a true box best."""
    batch, reply = given.batch, given.batch.reply
    sizes = given.sizes if given.sizes is not None else np.full((len(batch), 2), np.nan)
    if given.space != "pixels":
        sizes = np.full((len(batch), 2), RANGES[given.space])
    row_of = np.repeat(np.arange(len(batch)), np.diff(reply.offsets))
    extents = np.tile(sizes[row_of], 2)
    highest = reply.coords.max(axis=1, initial=-np.inf)
    best, best_iou = reply.coords.copy(), _best_iou(reply.coords, row_of, batch.truth)
    for limit in (1.0, 1000.0):
        other = reply.coords / limit * extents
        iou = _best_iou(other, row_of, batch.truth)
        is_better = (highest <= limit) & np.isfinite(extents).all(axis=1) & (iou > best_iou)
        best[is_better], best_iou[is_better] = other[is_better], iou[is_better]
    return replace(batch, reply=replace(reply, coords=best), results={})


def _best_iou(boxes: Floats, row_of: NDArray[np.int64], truth: Shapes) -> Floats:
    """The highest IoU of each box with a true box of its sample; −1 where there is none."""
    counts = np.diff(truth.offsets)[row_of]
    pairs = np.repeat(np.arange(len(boxes)), counts)
    first = np.cumsum(counts) - counts
    true = truth.coords[np.arange(len(pairs)) - np.repeat(first - truth.offsets[row_of], counts)]
    best = np.full(len(boxes), -1.0)
    np.maximum.at(best, pairs, _box_ious(boxes[pairs], true))
    return best


def _box_ious(left: Floats, right: Floats) -> Floats:
    """IoU of boxes row by row; 0 where both have no area."""
    low, high = np.maximum(left[:, :2], right[:, :2]), np.minimum(left[:, 2:], right[:, 2:])
    shared = np.prod(np.maximum(high - low, 0.0), axis=1)
    areas = [np.prod(np.maximum(boxes[:, 2:] - boxes[:, :2], 0.0), axis=1) for boxes in (left, right)]
    union = areas[0] + areas[1] - shared
    ious: Floats = np.divide(shared, union, out=np.zeros(len(left)), where=union > 0)
    return ious


def _split_decimals(given: FaultInput) -> Batch:
    """The first four runs of digits of the reply as a box: 0.12 becomes 0 and 12."""
    found = [_DIGITS.findall(text)[:4] for text in given.replies]
    has_box = np.array([len(numbers) == 4 for numbers in found], bool)
    coords = np.array([[float(number[:15]) for number in numbers] for numbers in found if len(numbers) == 4])
    offsets = np.concatenate(([0], np.cumsum(has_box)))
    reply = Shapes(offsets, coords.reshape(-1, 4), np.full(len(found), np.nan))
    return replace(given.batch, reply=reply, answered=has_box, results={})


def _file_order(given: FaultInput) -> Batch:
    """Boxes without confidence ranked by their order in the files, as a stable sort of equal scores leaves them."""
    reply = given.batch.reply
    if reply.scores is not None:
        return given.batch
    rows = np.repeat(np.arange(len(given.batch)), np.diff(reply.offsets))
    within = np.arange(len(rows)) - reply.offsets[rows]
    # distinct and descending: whole numbers up to 2⁵³ are exact
    scores = -(given.positions[rows].astype(np.float64) * 2.0**17 + within)
    return replace(given.batch, reply=replace(reply, scores=scores), results={})


def _substring(given: FaultInput) -> Batch:
    """A reply is right if the truth's text occurs anywhere in it; numbers up to twelve also as words."""
    batch = given.batch
    pairs = zip(given.targets, given.replies, strict=True)
    is_hit = np.array([_occurs(target.strip().lower(), reply.lower()) for target, reply in pairs], bool)
    reply = _choose(is_hit, batch.truth, batch.reply)
    return replace(batch, reply=reply, answered=batch.answered | is_hit, results={})


def _occurs(target: str, reply: str) -> bool:
    word = _NUMBER_WORDS[int(target)] if target.isdecimal() and len(target) < 3 and int(target) < 13 else target
    return bool(target) and (target in reply or word in reply)


def _choose(is_first: NDArray[np.bool_], first: Any, second: Any) -> Any:
    """The samples of one column where the mask is true, of another elsewhere."""
    if isinstance(first, Numbers):
        return Numbers(np.where(is_first, first.values, second.values))
    sizes = np.where(is_first, np.diff(first.offsets), np.diff(second.offsets))
    starts = np.where(is_first, first.offsets[:-1], second.offsets[:-1] + len(first.codes))
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))
    inner = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], sizes)
    codes = np.concatenate((first.codes, second.codes))
    return Labels(offsets, codes[inner], {**first.names, **second.names})


_BOXES = frozenset({"shapes"})
_ALL_KINDS = frozenset({"numbers", "labels", "ranks", "shapes", "polygons", "texts"})
KNOWN_FAULTS: Mapping[str, KnownFault] = {
    fault.name: fault
    for fault in (
        KnownFault(
            name="plus-one-iou-0-1",
            description=Remark("adds 1 to widths, heights and overlaps of boxes whose coordinates lie between 0 and 1"),
            source="LHRS-Bot, main_vg.py",
            kinds=_BOXES,
            transform=_plus_one("0-1"),
            box_size=4,
        ),
        KnownFault(
            name="plus-one-iou-0-100",
            description=Remark(
                "adds 1 to widths, heights and overlaps of boxes whose coordinates lie between 0 and 100"
            ),
            source="VRSBench, eval_utils.py",
            kinds=_BOXES,
            transform=_plus_one("0-100"),
            box_size=4,
        ),
        KnownFault(
            name="corners-as-sizes",
            description=Remark("takes the second corner of both boxes for width and height"),
            source="RSThinker, metrics.py",
            kinds=_BOXES,
            transform=_corners_as_sizes,
            box_size=4,
        ),
        KnownFault(
            name="split-decimals",
            description=Remark("reads runs of digits as coordinates, so that 0.12 becomes 0 and 12"),
            source="VRSBench, evaluation of grounding",
            kinds=_BOXES,
            transform=_split_decimals,
            box_size=4,
            is_grounding=True,
        ),
        KnownFault(
            name="best-space",
            description=Remark("takes each box in the coordinate space in which it fits the truth best"),
            source="lmms-eval, odinw13",
            kinds=_BOXES,
            transform=_best_space,
            box_size=4,
        ),
        KnownFault(
            name="file-order-ap",
            description=Remark("ranks boxes without confidence by their order in the files"),
            source="lmms-eval, odinw13",
            kinds=_BOXES,
            transform=_file_order,
        ),
        KnownFault(
            name="substring",
            description=Remark("counts a reply as right if the truth occurs anywhere in it"),
            source="RSThinker, metrics.py",
            kinds=frozenset({"numbers", "labels"}),
            transform=_substring,
        ),
        KnownFault(
            name="unread-left-out",
            description=Remark("leaves replies that could not be read out of the denominator"),
            source="LHRS-Bot, main_vg.py",
            kinds=_ALL_KINDS,
            leaves_out_unread=True,
        ),
    )
}
"""Every known fault by its name, which `--scoring` takes."""
