"""Computed flows as cases: cheap to propose, true to their defects, measured on the fields, told without giveaways."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest
from msgspec.structs import replace

from sightline.suites.simulation.generator.case import Case
from sightline.suites.simulation.generator.flows.computed import KINDS
from sightline.suites.simulation.generator.flows.computed.ducts import solve_duct_case
from sightline.suites.simulation.generator.flows.computed.external_flows import (
    Section,
    airfoil_setup,
    cylinder_setup,
    distance_function,
    signed_distance,
)
from sightline.suites.simulation.generator.flows.computed.flow_setup import (
    FlowParameters,
    FlowSetup,
    ParameterRanges,
    draw_parameters,
)
from sightline.suites.simulation.generator.flows.computed.internal_flows import (
    Nozzle,
    driven_cavity_setup,
    heated_cavity_setup,
    jet_setup,
    step_setup,
)
from sightline.suites.simulation.generator.flows.computed.solve_case import SnapshotField, UnitScales, solve_case
from sightline.suites.simulation.generator.flows.facts import AIR, QUESTIONS, WATER, FlowFacts
from sightline.suites.simulation.generator.report import format_report
from sightline.suites.simulation.generator.rng import ParameterRng
from sightline.suites.simulation.generator.units import FLOW
from sightline.suites.simulation.solvers.flows.flow_domain import FlowDomain, Patch, framed_grid, uniform_velocity
from sightline.suites.simulation.solvers.flows.lattice_boltzmann import Schedule, solve
from tests.support.worlds import environment

GIVEAWAYS = re.compile(
    r"\b(un|in|im|non)?(true|false|yes|laminar|turbulen|elastic|plastic|ductile|brittle|converge|conserv|satisf|neglig"
    r"|signific|separat|developed|symmetric|steady|transient|liquid|safe|recirculat|backflow|exceed|balanced|enforced)"
)
PLAIN = FlowParameters(
    fluid=WATER,
    units=FLOW,
    length=0.02,
    reynolds=200.0,
    transition=2300.0,
    richardson=0.0,
    heating=0.0,
    defect="none",
    stop="moving",
    tolerance=5e-3,
    leak=0.08,
    shows="speed",
)


def facts_of(case: Case) -> FlowFacts:
    assert isinstance(case.facts, FlowFacts)
    return case.facts


class TestProposals:
    @pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
    def test_every_question_has_a_forecast_and_both_sides_of_a_pair_differ(self, kind) -> None:
        for attempt in range(12):
            forecast = kind.propose(ParameterRng(4, attempt)).expected
            assert set(forecast) == {question.qid for question in QUESTIONS}
            for one, other in (
                ("f-laminar", "f-turbulent"),
                ("f-buoyancy", "f-convection"),
                ("f-attached", "f-separation"),
            ):
                assert forecast[one] != forecast[other]

    def test_proposing_loads_no_compiler(self) -> None:
        code = (
            "import sys\n"
            "from sightline.suites.simulation.generator.rng import ParameterRng\n"
            "from sightline.suites.simulation.generator.flows.computed import KINDS\n"
            "[kind.propose(ParameterRng(1, 2)) for kind in KINDS]\n"
            "print('numba' in sys.modules)"
        )
        told = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment()
        )
        assert told.stdout.strip() == "False"

    def test_numbers_fit_the_fluid(self) -> None:
        ranges = ParameterRanges(laminar=(50, 100), turbulent=(1e4, 2e4), transition=2000)
        for attempt in range(40):
            setting = draw_parameters(ParameterRng(9, attempt), ranges)
            assert setting.speed * setting.length / setting.fluid.kinematic == pytest.approx(setting.reynolds)
            lift = 9.81 * setting.fluid.expansion * setting.heating * setting.length
            assert setting.richardson == pytest.approx(lift / setting.speed**2)
            assert setting.is_turbulent is (setting.reynolds > 2000)


class TestDucts:
    @pytest.mark.parametrize("is_pipe", [False, True], ids=["channel", "pipe"])
    @pytest.mark.parametrize(
        ("defect", "mass", "boundary"), [("none", True, True), ("slip", True, False), ("porous", False, False)]
    )
    def test_defects_are_found_on_the_field(self, is_pipe: bool, defect: str, mass: bool, boundary: bool) -> None:
        case = solve_duct_case(replace(PLAIN, defect=defect, stop="settled"), 8.0, is_pipe=is_pipe, is_flat=True)
        assert (case.answers["f-mass"], case.answers["f-boundary"]) == (mass, boundary)
        assert case.answers["f-converged"]
        assert not case.answers["f-backflow"]
        assert case.answers["f-pressure"]

    def test_turbulent_pipe_has_the_textbook_loss(self) -> None:
        """Blasius' friction over the last stretch; the entry loses more."""
        case = solve_duct_case(replace(PLAIN, reynolds=2e4, stop="settled"), 60.0, is_pipe=True, is_flat=True)
        facts = facts_of(case)
        friction = 0.316 * 2e4**-0.25
        assert -facts.pressure_change / 60 == pytest.approx(friction, rel=0.15)
        assert facts.eddy_ratio > 10

    def test_an_early_end_leaves_residuals_above_the_tolerance(self) -> None:
        case = solve_duct_case(replace(PLAIN, stop="early"), 8.0, is_pipe=False, is_flat=False)
        assert not case.answers["f-converged"]
        assert case.residuals.last > 1.25 * case.residuals.tolerance


def solve_setup(make_setup: Callable[..., FlowSetup], setting: FlowParameters, *more: object, **named: object) -> Case:
    return solve_case(make_setup(setting, *more, **named), setting)


@pytest.mark.slow
class TestTanks:
    @pytest.mark.parametrize(
        ("defect", "mass", "boundary"),
        [("none", True, True), ("slip", True, False), ("porous", False, False), ("drain", False, True)],
    )
    def test_defects_are_found_on_the_field(self, defect: str, mass: bool, boundary: bool) -> None:
        case = solve_setup(step_setup, replace(PLAIN, defect=defect))
        assert (case.answers["f-mass"], case.answers["f-boundary"]) == (mass, boundary)
        loss = 1 - facts_of(case).outflow / facts_of(case).inflow
        assert loss == pytest.approx(0.0 if mass else 0.08, abs=0.02)

    @pytest.mark.parametrize(
        "make",
        [
            lambda: solve_setup(step_setup, PLAIN),
            lambda: solve_setup(jet_setup, replace(PLAIN, reynolds=40.0), Nozzle(height=0.0, along=0.35)),
            lambda: solve_setup(driven_cavity_setup, replace(PLAIN, heating=5.0, richardson=0.3, fluid=AIR)),
            lambda: solve_setup(
                heated_cavity_setup, replace(PLAIN, heating=5.0, richardson=1.0, fluid=AIR), from_below=True
            ),
            lambda: solve_setup(airfoil_setup, PLAIN, Section(camber=0.02, crest=0.4, thickness=0.12, angle=18.0)),
            lambda: solve_setup(cylinder_setup, replace(PLAIN, reynolds=30.0), "cylinder_wake", is_restless=False),
        ],
        ids=["step", "jet", "cavity", "heated", "airfoil", "cylinder"],
    )
    def test_a_start_that_is_stopped_is_seen_as_such_and_told_in_numbers(self, make) -> None:
        case = make()
        assert not case.answers["f-steady"]
        assert not case.answers["f-converged"]
        text = format_report(case, ParameterRng(0))
        assert GIVEAWAYS.search(text.lower()) is None
        assert f"{case.residuals.history[0][-1]:.3e}" in text
        assert "cells" in text
        begin, end = (case.scene.flow(*case.scene.domain.grid(40, 30), moment)[0] for moment in (0.0, 1.0))
        assert np.nanmax(np.abs(end - begin)) > 0.01 * facts_of(case).peak_speed

    def test_the_same_draw_gives_the_same_bytes(self) -> None:
        first, second = (solve_setup(driven_cavity_setup, replace(PLAIN, reynolds=9000.0)) for _ in range(2))
        x, y = first.scene.domain.grid(50, 40)
        assert first.scene.flow(x, y, 0.7)[0].tobytes() == second.scene.flow(x, y, 0.7)[0].tobytes()
        assert format_report(first, ParameterRng(1)) == format_report(second, ParameterRng(1))

    def test_walls_have_their_velocity_in_the_recorded_field(self) -> None:
        flow_domain = FlowDomain(
            patch=framed_grid(20, 20, 0, 0, 0, 1),
            patches=(Patch(), Patch(velocity=uniform_velocity(0.1))),
            viscosity=0.05,
        )
        solution = solve(flow_domain, Schedule(every=50, most=400, film=50))
        field = SnapshotField(solution, UnitScales(cell=0.5, speed=10.0, density=1.0, origin=(0.5, 0.5)))
        along = np.linspace(1, 9, 9)
        u, v = field.velocity(along, np.full(9, 10.0), 1.0)
        assert u == pytest.approx(np.full(9, 1.0))
        assert v == pytest.approx(np.zeros(9), abs=1e-9)
        assert field.velocity(np.zeros(9), along, 1.0)[0] == pytest.approx(np.zeros(9), abs=1e-9)
        centre = field.velocity(np.array([0.5 * 9.5]), np.array([0.5 * 9.5]), 1.0)[0]
        assert centre == pytest.approx(10 * solution.last.u[10, 10])

    def test_distance_from_an_outline(self) -> None:
        square = np.array([[5.0, 5.0], [15.0, 5.0], [15.0, 12.0], [5.0, 12.0]])
        distance = signed_distance(square, (20, 30))
        assert distance[8, 10] == pytest.approx(-3)
        assert distance[8, 20] == pytest.approx(5)
        assert distance[16, 19] == pytest.approx(np.hypot(4, 4))
        assert distance_function(distance)(np.array([15.0]), np.array([8.5])) == pytest.approx([0.0])


@pytest.mark.slow
class TestSolved:
    def test_cylinder_separates_above_a_reynolds_number_of_six(self) -> None:
        """Taneda, J. Phys. Soc. Japan 11 (1956): twin eddies appear at about 5 and lengthen with the speed."""
        creeping = solve_setup(
            cylinder_setup, replace(PLAIN, reynolds=3.0, stop="settled"), "cylinder_wake", is_restless=False
        )
        slow = solve_setup(
            cylinder_setup, replace(PLAIN, reynolds=35.0, stop="settled"), "cylinder_wake", is_restless=False
        )
        assert creeping.answers["f-attached"]
        assert slow.answers["f-separation"]
        assert slow.answers["f-backflow"]
        for case in (creeping, slow):
            assert case.answers["f-symmetric"]
            assert case.answers["f-steady"]
            assert case.answers["f-converged"]

    def test_eddies_move_down_the_street(self) -> None:
        case = solve_setup(cylinder_setup, replace(PLAIN, reynolds=130.0), "eddy_street", is_restless=True)
        facts = facts_of(case)
        assert facts.late_change > 0.1
        assert facts.asymmetry > 0.2
        assert case.answers["f-mass"]
        behind = case.scene.domain.right * 0.5
        swing = [
            float(case.scene.flow(np.array([behind]), np.array([0.0]), moment)[1][0])
            for moment in np.linspace(0, 1, 12)
        ]
        assert max(swing) > 0.1 * facts.reference_speed
        assert min(swing) < -0.1 * facts.reference_speed

    def test_driven_box_settles_and_turns(self) -> None:
        case = solve_setup(driven_cavity_setup, replace(PLAIN, reynolds=100.0, stop="settled"))
        assert case.answers["f-converged"]
        assert case.answers["f-mass"]
        assert case.answers["f-backflow"]
        # Ghia, Ghia and Shin (1982): the strongest flow against the lid on the centre line is 0.2109 of its speed
        facts = facts_of(case)
        x, y = np.full(71, 0.5 * PLAIN.length), np.linspace(0, 1, 71) * PLAIN.length
        assert case.scene.flow(x, y, 1.0)[0].min() / facts.reference_speed == pytest.approx(-0.2109, rel=0.03)
