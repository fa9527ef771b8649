"""Which part of an answer is wrong, by controlled experiments: all else is held equal, and physics decides.

0      not the same geometry     (all members alike, all joints rigid, the same supports, probe loads)
0.25   geometry, other supports  (the same, each with its own supports)
0.50   supports, other joints    (each with its own releases and stiffnesses)
0.75   joints, other loads       (the same forces at the same places, borne by the same parts)
1      the same structure under the same loads
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from sightline.suites.structural.fem.mechanism import MechanismError
from sightline.suites.structural.model import Model
from sightline.suites.structural.physics.applied import applied
from sightline.suites.structural.physics.compare import probes, same, same_loads, same_shape
from sightline.suites.structural.physics.places import Laid, Overlay, mean_length, overlay
from sightline.suites.structural.physics.response import Bench, Variant
from sightline.suites.structural.physics.supports import held_by_place, same_holding

Stage = Literal["geometry", "supports", "connections", "loads", "right"]
SCORES: dict[Stage, float] = {"geometry": 0.0, "supports": 0.25, "connections": 0.5, "loads": 0.75, "right": 1.0}
"""What an answer earns whose first fault is at this stage."""


class Climb(Struct, frozen=True):
    """How far an answer came, and what stopped it."""

    stage: Stage
    overlay: Overlay

    @property
    def score(self) -> float:
        """0, 0.25, 0.5, 0.75 or 1."""
        return SCORES[self.stage]


def climb(truth: Model, answer: Model, category: str = "", tolerance: float = 0.01) -> Climb:
    """Climb until the first experiment whose outcome differs from the truth's."""
    return _Ladder(truth, answer, category, tolerance).climb()


class _Ladder:
    """The whole comparison comes first, so that what is built otherwise but is the same is right: a clamp under a
    hinged end is a pin. The single experiments then find the part that is wrong."""

    def __init__(self, truth: Model, answer: Model, category: str, tolerance: float) -> None:
        self.over = overlay(truth, answer, tolerance)
        self.tolerance = tolerance
        self.arm = mean_length(truth)
        self.is_truss = category == "truss" and not any(link.hinge_a or link.hinge_b for link in truth.links)
        self.truth_held = held_by_place(self.over.truth)
        self.answer_held = held_by_place(self.over.answer)
        self.truth_loads = applied(self.over.truth, self.over.reach)

    def climb(self) -> Climb:
        if not self.same_geometry():
            return Climb("geometry", self.over)
        self.probes = probes(self.over.places, sorted(self.over.truth.count()))
        stands = self.same_answers()
        if stands and self.is_truss and not self.same_supports():
            return Climb("supports", self.over)  # pinned joints hide a clamp that the drawing's rigid ones would show
        if stands:
            return Climb("right" if self.same_loads() else "loads", self.over)
        return Climb("connections" if self.same_supports() else "supports", self.over)

    def same_answers(self) -> bool:
        """Each as it is written, under the probes and under the truth's own loads: nobody is right whose solution under
        these is another."""
        cases = [*self.probes, self.truth_loads]
        try:
            truth, answer = (bench.respond(cases) for bench in self.own_benches())
        except MechanismError:
            return False
        return same(truth, answer, self.arm, self.tolerance) and same_shape(truth, answer, self.tolerance)

    def same_geometry(self) -> bool:
        # with rigid joints and members all alike, two structures answer alike just when the same pieces meet at the
        # same joints: this first experiment needs no solver
        return self.over.same_pieces and self.over.truth.joined() == self.over.answer.joined()

    def same_supports(self) -> bool:
        """All members alike, all joints rigid, each structure with its own supports."""
        if same_holding(self.truth_held, self.answer_held):
            return True
        truth = Variant(held=self.truth_held, hinged=False, own_material=False)
        answer = Variant(held=self.answer_held, hinged=False, own_material=False)
        try:
            return same(
                self._bench(self.over.truth, truth).respond(self.probes),
                self._bench(self.over.answer, answer).respond(self.probes),
                self.arm,
                self.tolerance,
            )
        except MechanismError:
            return False

    def same_loads(self) -> bool:
        """The same forces at the same places: two structures that answer alike to all loads answer alike to these."""
        theirs = applied(self.over.answer, self.over.reach)
        return same_loads(self.truth_loads, theirs, self.over.reach, self.tolerance)

    def own_benches(self) -> tuple[Bench, Bench]:
        """Both as written; a truss without a named hinge may be read as pin-jointed, so both are pinned then."""
        if self.is_truss:
            # a point that only splits a straight member of the answer is no joint
            joints = frozenset(place for pair in self.over.truth.joints() for place in pair)
            try:
                pinned = self._bench(self.over.truth, Variant(held=self.truth_held, pinned=joints))
                pinned.respond([self.truth_loads])
            except MechanismError:
                pass  # the truth needs its rigid joints to stand, or to bear a moment
            else:
                return pinned, self._bench(self.over.answer, Variant(held=self.answer_held, pinned=joints))
        return (
            self._bench(self.over.truth, Variant(held=self.truth_held)),
            self._bench(self.over.answer, Variant(held=self.answer_held)),
        )

    def _bench(self, laid: Laid, variant: Variant) -> Bench:
        return Bench(laid, self.over.places, variant)
