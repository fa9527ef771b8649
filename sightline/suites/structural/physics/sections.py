"""Stiffness of the members relative to each other: what a drawing shows of E, A and I.

A drawing gives no absolute stiffness, but it may give ratios between members (2EI). So the answer's EI and EA are each
scaled by one common factor to the truth's before the structures are compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from sightline.suites.structural.model import Link, Model
from sightline.suites.structural.physics.overlay import MappedModel, Overlay, VertexPair


class Section(Struct, frozen=True):
    """EA and EI of a link, by factors on its own."""

    area_factor: float = 1.0
    inertia_factor: float = 1.0


class SectionRatio(Struct, frozen=True):
    """EI and EA of the answer over those of the truth, for one of the truth's links."""

    link: Link
    segments: tuple[VertexPair, ...]
    bending: tuple[float, ...]
    """By segment."""
    stretching: tuple[float, ...]
    is_bar: bool
    """Both ends are free to rotate, so that its EI has no influence on anything else."""


class SectionComparison(Struct, frozen=True):
    """The answer's sections beside the truth's, up to a common factor on EI and one on EA."""

    ratios: list[SectionRatio]
    """Relative to the common factors."""
    sections: dict[str, Section]
    """What the answer's links are multiplied with to be comparable with the truth's, by id."""

    def differ(self, tolerance: float, is_pinned: bool) -> bool:
        """Whether a member is stiffer or softer beside the others than it should be.

        Of members that bend EI is compared, of a truss EA. Whether EA of other members matters, the response decides.
        """
        if is_pinned or all(row.is_bar for row in self.ratios):
            return any(abs(ratio - 1.0) > tolerance for row in self.ratios for ratio in row.stretching)
        return any(abs(ratio - 1.0) > tolerance for row in self.ratios if not row.is_bar for ratio in row.bending)


def compare_sections(overlay: Overlay, tolerance: float) -> SectionComparison:
    """Compare the sections on all segments that both models have, as often as each other."""
    truth_stiffness, answer_stiffness = _stiffness(overlay.truth), _stiffness(overlay.answer)
    truth_counts, answer_counts = overlay.truth.count(), overlay.answer.count()
    bars = find_bars(overlay.truth.model)
    by_link: dict[str, list[VertexPair]] = {}
    for segment in overlay.truth.segments:
        pair = segment.vertex_pair
        if truth_counts[pair] == answer_counts[pair]:
            by_link.setdefault(segment.link.id, []).append(pair)
    rows = []
    for link in overlay.truth.model.links:
        if pairs := by_link.get(link.id):
            bending, stretching = (
                tuple(answer_stiffness[pair][kind] / truth_stiffness[pair][kind] for pair in pairs) for kind in (0, 1)
            )
            rows.append(SectionRatio(link, tuple(pairs), bending, stretching, link.id in bars))
    if not rows:
        return SectionComparison([], {})
    voters = [row for row in rows if not row.is_bar] or rows
    common_bending = _common_ratio([(row.bending[0], row.link.E * row.link.Iz) for row in voters], tolerance)
    common_stretching = _common_ratio([(row.stretching[0], row.link.E * row.link.A) for row in rows], tolerance)
    ratios = [
        SectionRatio(
            row.link,
            row.segments,
            tuple(ratio / common_bending for ratio in row.bending),
            tuple(ratio / common_stretching for ratio in row.stretching),
            row.is_bar,
        )
        for row in rows
    ]
    sections = {link.id: Section(1.0 / common_stretching, 1.0 / common_bending) for link in overlay.answer.model.links}
    if _show_only_bending(overlay, bars, tolerance):
        ratios, sections = _with_areas_of_truth(overlay, ratios, sections)
    return SectionComparison(ratios, sections)


def _common_ratio(votes: list[tuple[float, float]], tolerance: float) -> float:
    """The most frequent ratio, one vote per member with its true stiffness.

    Of several the one of the members that are most flexible in the answer, then in the truth: a ratio is rather given
    as 2EI than as EI/2.
    """

    def support(ratio: float) -> tuple[int, float, float]:
        agreeing = [(other * stiffness, stiffness) for other, stiffness in votes if abs(other / ratio - 1) <= tolerance]
        in_answer, in_truth = min(agreeing)
        return len(agreeing), -in_answer, -in_truth

    return max((ratio for ratio, _ in votes), key=support)


def _show_only_bending(overlay: Overlay, bars: set[str], tolerance: float) -> bool:
    """Whether both models give their members one ratio alone: EA is the same for all members, or follows EI.

    A drawing that says 2EI does not say whether E or I is doubled, and so nothing of EA.
    """
    answer_bars = find_bars(overlay.answer.model)
    for links in (
        [link for link in overlay.truth.model.links if link.id not in bars],
        [link for link in overlay.answer.model.links if link.id not in answer_bars],
    ):
        if not links:
            return False
        areas = [link.E * link.A for link in links]
        if not (_uniform(areas, tolerance) or _uniform([link.A / link.Iz for link in links], tolerance)):
            return False
    return True


def _uniform(values: list[float], tolerance: float) -> bool:
    return max(values) <= (1.0 + tolerance) * min(values)


def _with_areas_of_truth(
    overlay: Overlay, ratios: list[SectionRatio], sections: dict[str, Section]
) -> tuple[list[SectionRatio], dict[str, Section]]:
    """The comparison with EA of every member that bends set to the truth's."""
    bending_pairs = {
        pair: 1.0 / ratio
        for row in ratios
        if not row.is_bar
        for pair, ratio in zip(row.segments, row.stretching, strict=True)
    }
    result = dict(sections)
    for segment in overlay.answer.segments:
        if factor := bending_pairs.get(segment.vertex_pair):
            section = sections[segment.link.id]
            result[segment.link.id] = Section(section.area_factor * factor, section.inertia_factor)
    rows = [
        row if row.is_bar else SectionRatio(row.link, row.segments, row.bending, (1.0,) * len(row.segments), False)
        for row in ratios
    ]
    return rows, result


def find_bars(model: Model) -> set[str]:
    """Ids of the links that transmit no moment at either end: hinged there, or alone on a joint that may rotate."""
    clamped = {support.point for support in model.supports if support.kind in ("fixed", "slider")}
    rigid_ends: dict[str, int] = {}
    for link in model.links:
        for point, hinge in ((link.a, link.hinge_a), (link.b, link.hinge_b)):
            rigid_ends[point] = rigid_ends.get(point, 0) + (not hinge)

    def turns(ends: Iterable[tuple[str, bool]]) -> bool:
        return all(hinge or (rigid_ends[point] == 1 and point not in clamped) for point, hinge in ends)

    return {link.id for link in model.links if turns(((link.a, link.hinge_a), (link.b, link.hinge_b)))}


def _stiffness(mapped: MappedModel) -> Mapping[VertexPair, tuple[float, float]]:
    """EI and EA by vertex pair; parallel members are summed."""
    result: dict[VertexPair, tuple[float, float]] = {}
    for segment in mapped.segments:
        bending, stretching = result.get(segment.vertex_pair, (0.0, 0.0))
        link = segment.link
        result[segment.vertex_pair] = (bending + link.E * link.Iz, stretching + link.E * link.A)
    return result
