"""Load attachment: which connected segment ends carry a force or a moment at a vertex.

A force is carried by everything connected there, a moment only by what rotates with its point. At a hinge each side
rotates independently, and members that merely cross share nothing, so the same force and moment at the same vertex may
be a different load. Carriers are identified by segments, which both models share, never by ids.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from sightline.suites.structural.physics.overlay import MappedModel, VertexPair

Carriers = frozenset[VertexPair]
"""The segments whose ends at a vertex translate, or rotate, together."""
GROUND: VertexPair = (-1, -1)
"""Represents a support that restrains the rotation among the carriers of a moment."""
Attachment = tuple[int, str]
"""What a load can act on: a vertex and the link that crosses it or is hinged to it; an empty link is the joint."""


class Attachments(Struct):
    """All attachments of a model: which segment ends translate with each, and which rotate with it."""

    translating: dict[Attachment, Carriers]
    rotating: dict[Attachment, Carriers]

    def carriers_at(self, vertex: int, link: str, rotates: bool) -> Carriers:
        """The carriers of a force, or of a moment, on a link at a vertex; on the joint where no link is named."""
        attachments = self.rotating if rotates else self.translating
        return attachments.get((vertex, link), attachments.get((vertex, ""), frozenset()))

    def find(self, vertex: int, carriers: Carriers, rotates: bool) -> Attachment | None:
        """The attachment with exactly these carriers at a vertex, or None."""
        attachments = self.rotating if rotates else self.translating
        return next(
            (
                attachment
                for attachment, connected in attachments.items()
                if attachment[0] == vertex and connected == carriers
            ),
            None,
        )


def find_attachments(mapped: MappedModel) -> Attachments:
    """The attachments of a model."""
    translating: dict[Attachment, Carriers] = {}
    rotating: dict[Attachment, Carriers] = {(vertex, ""): frozenset() for vertex in mapped.vertex_of.values()}
    for vertex, link, vertex_pair, at_end, hinged in _ends(mapped):
        joint = (vertex, "" if at_end else link)
        translating[joint] = translating.get(joint, frozenset()) | {vertex_pair}
        turned = (vertex, link) if hinged else joint
        rotating[turned] = rotating.get(turned, frozenset()) | {vertex_pair}
    for support in mapped.model.supports:
        if support.kind in ("fixed", "slider"):
            joint = (mapped.vertex_of[support.point], "")
            rotating[joint] = rotating.get(joint, frozenset()) | {GROUND}
    return Attachments(translating, rotating)


def _ends(mapped: MappedModel) -> Iterator[tuple[int, str, VertexPair, bool, bool]]:
    """Every end of every segment: vertex, link, segment, whether the link ends here, and whether it is hinged here."""
    for segment in mapped.segments:
        yield segment.begin, segment.link.id, segment.vertex_pair, segment.first, segment.first and segment.link.hinge_a
        yield segment.end, segment.link.id, segment.vertex_pair, segment.last, segment.last and segment.link.hinge_b
