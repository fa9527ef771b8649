"""Diagnosis of an answer: score, first wrong stage and wrong parts, by comparison with the true model.

Each stage compares the FEM response of both models with everything else held equal. Score by first wrong stage:

0      not the same geometry     (all members alike, all joints rigid, the same supports, probe loads)
0.25   geometry, other supports  (the same, each with its own supports)
0.50   supports, other joints    (each with its own releases and stiffnesses)
0.75   joints, other loads       (the same forces at the same places, borne by the same parts)
1      the same structure under the same loads
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sightline.core.errors import SightlineError
from sightline.core.remarks import Explanation, Remark, format_remark
from sightline.suites.structural.fem.mechanism import MechanismError
from sightline.suites.structural.framecalc.analysis import solve_model
from sightline.suites.structural.framecalc.reader import read_answer, read_model
from sightline.suites.structural.framecalc.repairs import LeftOut, UnreadPart
from sightline.suites.structural.model import Model, category_of
from sightline.suites.structural.physics.compare import probe_loads, same_displacements, same_loads, same_response
from sightline.suites.structural.physics.mapped_loads import map_loads
from sightline.suites.structural.physics.misreadings import find_causes, find_displaced_points
from sightline.suites.structural.physics.overlay import MappedModel, Overlay, mean_length, overlay_models
from sightline.suites.structural.physics.problems import Part, Problem, find_problems
from sightline.suites.structural.physics.response import (
    Variant,
    VariantSolver,
    align_restraints,
    restraints_by_vertex,
)
from sightline.suites.structural.physics.sections import SectionComparison, compare_sections

Stage = Literal["geometry", "supports", "connections", "loads", "right"]
SCORES: dict[Stage, float] = {"geometry": 0.0, "supports": 0.25, "connections": 0.5, "loads": 0.75, "right": 1.0}
"""Score of an answer by its first wrong stage."""
_SAME_PLACE = 1e-9
_OWN_COORDINATES = 5.0
"""How many times the tolerance forces may differ because of coordinates that are within the snap distance."""
_UNNAMED = Problem(
    "model",
    [],
    "the same response",
    "another response",
    Remark("the structure responds otherwise to loads than the one in the drawing, though no single part differs"),
)
"""The problem of a structure whose parts all agree within their tolerances, but which does not as a whole."""


class _StagedComparison:
    """The stages of one comparison.

    The complete models are compared first, so that an equivalent model with different parts is right: a clamp under a
    hinged end is a pin. The single stages then isolate the wrong part."""

    def __init__(self, truth: Model, answer: Model, category: str, tolerance: float) -> None:
        self.overlay = overlay_models(truth, answer, tolerance)
        self.tolerance = tolerance
        self.lever_arm = mean_length(truth)
        self.is_truss = category == "truss" and not any(link.hinge_a or link.hinge_b for link in truth.links)
        self.is_pinned = self.is_truss
        """Whether both models are compared with pinned joints."""
        self.truth_restraints = restraints_by_vertex(self.overlay.truth)
        self.answer_restraints = align_restraints(
            self.truth_restraints, restraints_by_vertex(self.overlay.answer), tolerance
        )
        self.truth_loads = map_loads(self.overlay.truth, self.overlay.snap_distance)

    def first_wrong_stage(self) -> Stage:
        """The first stage at which the answer differs from the truth."""
        if not self.same_geometry():
            return "geometry"
        self.probe_loads = probe_loads(self.overlay.truth, self.overlay.vertices)
        if not self.same_responses():
            return "connections" if self.same_supports() and not self.is_right_on_true_supports() else "supports"
        if self.is_truss and not self.same_supports():
            return "supports"  # pinned joints hide a clamp that the drawing's rigid ones would show
        if not self.same_on_own_coordinates():
            return "geometry"
        return "right" if self.same_loads() else "loads"

    def same_responses(self) -> bool:
        """Whether both models as written respond alike to the probe loads and to the truth's loads."""
        cases = [*self.probe_loads, self.truth_loads]
        sections = compare_sections(self.overlay, self.tolerance)
        try:
            truth_solver, answer_solver = self.solvers_as_written(sections)
            if sections.differ(self.tolerance, self.is_pinned):
                return False
            truth, answer = truth_solver.solve_cases(cases), answer_solver.solve_cases(cases)
        except SightlineError:  # a mechanism, or stiffnesses too far apart to be solved
            return False
        self.truth_response, self.answer_variant = truth, answer_solver.variant
        return same_response(truth, answer, self.lever_arm, self.tolerance) and same_displacements(
            truth, answer, self.tolerance
        )

    def is_right_on_true_supports(self) -> bool:
        """Whether the supports alone are wrong: with the truth's, the answer would respond alike."""
        if self.truth_restraints == self.answer_restraints:
            return False
        own, self.answer_restraints = self.answer_restraints, self.truth_restraints
        try:
            return self.same_responses()
        finally:
            self.answer_restraints = own

    def same_on_own_coordinates(self) -> bool:
        """Whether the answer responds alike where its own coordinates differ from the truth's by less than a snap.

        In a shallow structure a small difference decides: forces may differ by a few times the tolerance, no more.
        """
        vertices = self.overlay.answer_coordinates()
        if np.abs(vertices - self.overlay.vertices).max() <= _SAME_PLACE * self.lever_arm:
            return True
        try:
            answer = VariantSolver(self.overlay.answer, vertices, self.answer_variant).solve_cases(
                [*self.probe_loads, self.truth_loads]
            )
        except SightlineError:
            return False
        return same_response(self.truth_response, answer, self.lever_arm, _OWN_COORDINATES * self.tolerance)

    def same_geometry(self) -> bool:
        # with rigid joints and identical members, two structures respond alike exactly if the same segments meet at the
        # same joints: this first stage needs no solver
        return self.overlay.same_segments and self.overlay.truth.joined() == self.overlay.answer.joined()

    def same_supports(self) -> bool:
        """Compare with identical members and rigid joints, each structure with its own supports."""
        if self.truth_restraints == self.answer_restraints:
            return True
        truth = Variant(restraints=self.truth_restraints, use_releases=False, use_given_stiffness=False)
        answer = Variant(restraints=self.answer_restraints, use_releases=False, use_given_stiffness=False)
        try:
            return same_response(
                self._solver(self.overlay.truth, truth).solve_cases(self.probe_loads),
                self._solver(self.overlay.answer, answer).solve_cases(self.probe_loads),
                self.lever_arm,
                self.tolerance,
            )
        except MechanismError:
            return False

    def same_loads(self) -> bool:
        """Compare the loads; the structures are already known to respond alike to any load."""
        answer_loads = map_loads(self.overlay.answer, self.overlay.snap_distance)
        return same_loads(self.truth_loads, answer_loads, self.overlay.snap_distance, self.tolerance)

    def solvers_as_written(self, sections: SectionComparison) -> tuple[VariantSolver, VariantSolver]:
        """Solvers of both models as written; both are pin-jointed for a truss without explicit hinges."""
        self.is_pinned = False
        if self.is_truss:
            joints = self.overlay.truth.joint_vertices()
            try:
                pinned_truth = self._solver(
                    self.overlay.truth, Variant(restraints=self.truth_restraints, pinned_vertices=joints)
                )
                pinned_truth.solve_cases([self.truth_loads])
            except MechanismError:
                pass  # the truth needs its rigid joints to be stable, or to carry a moment
            else:
                self.is_pinned = True
                variant = Variant(restraints=self.answer_restraints, pinned_vertices=joints, sections=sections.sections)
                return pinned_truth, self._solver(self.overlay.answer, variant)
        return (
            self._solver(self.overlay.truth, Variant(restraints=self.truth_restraints)),
            self._solver(self.overlay.answer, Variant(restraints=self.answer_restraints, sections=sections.sections)),
        )

    def _solver(self, mapped: MappedModel, variant: Variant) -> VariantSolver:
        return VariantSolver(mapped, self.overlay.vertices, variant)


class Diagnosis(Struct, frozen=True, kw_only=True):
    """A score between 0 and 1, the first stage that is wrong (`right` if none), and the wrong parts by name."""

    score: float
    stage: Stage
    problems: list[Problem]
    repairs: list[Remark] = []
    note: Explanation = ""
    overlay: Overlay | None = None
    left_out: list[LeftOut] = []
    """Parts of the answer that can't be read."""
    differences: list[Problem] = []
    """All differing parts one by one, for drawings; `problems` may explain many of them by one cause."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON-serializable data."""
        return {
            "score": self.score,
            "stage": self.stage,
            "problems": [problem.to_dict() for problem in self.problems],
            "mended": [str(remark) for remark in self.repairs],
            "note": format_remark(self.note),
        }


class UnreadableModel(Struct, frozen=True):
    """Reason why an answer cannot be parsed as a structural model."""

    reason: Remark


def diagnose_models(answer: Model, truth: Model, category: str = "", tolerance: float = 0.01) -> Diagnosis:
    """Compare one model with another."""
    comparison = _StagedComparison(truth, answer, category or category_of(truth), tolerance)
    stage, overlay = comparison.first_wrong_stage(), comparison.overlay
    if stage == "right":
        return Diagnosis(score=SCORES[stage], stage=stage, problems=[], overlay=overlay)
    differences = find_problems(overlay, tolerance, comparison.is_pinned)
    if stage == "geometry" and comparison.same_geometry():
        problems = [*find_displaced_points(overlay), *find_problems(overlay, tolerance, comparison.is_pinned, False)]
    else:
        problems = find_causes(overlay, differences, tolerance, comparison.is_pinned)
    return Diagnosis(
        score=SCORES[stage],
        stage=stage,
        problems=problems or [_UNNAMED],
        note=_mechanism(answer),
        overlay=overlay,
        differences=differences,
    )


def _mechanism(model: Model) -> Explanation:
    """Message about the free motion of an answer that is a mechanism, or an empty string."""
    try:
        solve_model(model)
    except SightlineError as error:
        return error.remark
    return ""


def diagnose_raw(
    answer: object, truth: object, category: str = "", tolerance: float = 0.01
) -> Diagnosis | UnreadableModel:
    """Compare two models given as decoded JSON; the truth must be readable."""
    truth_reading = read_model(truth)
    if truth_reading.model is None:
        raise ValueError(f"the truth can't be read: {truth_reading.problem}")
    reading = read_answer(answer)
    if reading.model is None:
        assert reading.problem is not None
        return UnreadableModel(reading.problem)
    diagnosis = diagnose_models(reading.model, truth_reading.model, category, tolerance)
    return replace(_count_left_out(diagnosis, reading.left_out), repairs=list(reading.repairs))


_STAGE_OF_PART: dict[UnreadPart, tuple[Stage, Part]] = {
    "points": ("right", "point"),  # a point counts by the links that need it
    "links": ("geometry", "member"),
    "supports": ("supports", "support"),
    "ends": ("connections", "hinge"),
    "stiffness": ("connections", "stiffness"),
    "loads": ("loads", "load"),
}


def _count_left_out(diagnosis: Diagnosis, left_out: list[LeftOut]) -> Diagnosis:
    """The diagnosis with each part that can't be read as a wrong part of its stage."""
    stage = min((diagnosis.stage, *(_STAGE_OF_PART[row.part][0] for row in left_out)), key=lambda name: SCORES[name])
    if stage == "right":
        return diagnosis
    # what refers to an unread point or link can't be read for that reason
    roots = [[row for row in left_out if row.part == part] for part in ("points", "links")]
    unread = [
        Problem(
            _STAGE_OF_PART[row.part][1],
            [],
            "",
            "unreadable",
            Remark("left out because it can't be read: {why}", {"why": row.reason}),
        )
        for row in next((rows for rows in roots if rows), left_out)
    ]
    return replace(
        diagnosis, score=SCORES[stage], stage=stage, problems=[*unread, *diagnosis.problems], left_out=left_out
    )
