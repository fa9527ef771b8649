"""Computed structures: the key is measured on the fields, and laws are broken inside the computation."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest
from msgspec.structs import replace

from sightline.suites.simulation.generator.case import Case
from sightline.suites.simulation.generator.pictures.render import draw_film, draw_look, draw_still
from sightline.suites.simulation.generator.plan import DomainKinds, balanced_cases
from sightline.suites.simulation.generator.report import format_report
from sightline.suites.simulation.generator.rng import ParameterRng
from sightline.suites.simulation.generator.solids.computed import KINDS
from sightline.suites.simulation.generator.solids.computed.analysis import (
    Analysis,
    SolverOutcome,
    SolverRun,
    SpringSupport,
    analyse,
    analyse_at_utilisation,
    measure_facts,
    normalized_residuals,
    von_mises_at_nodes,
    weaken_support,
)
from sightline.suites.simulation.generator.solids.computed.bars import make_cantilever, make_column, make_strip
from sightline.suites.simulation.generator.solids.computed.candidate import outlines
from sightline.suites.simulation.generator.solids.computed.part import End, Part, plane_stress_material, wall_supports
from sightline.suites.simulation.generator.solids.computed.plates import make_plate, make_ring
from sightline.suites.simulation.generator.solids.computed.solver_runs import TANGENT, solve_linear, solve_plastic
from sightline.suites.simulation.generator.solids.exact_bars import Beam
from sightline.suites.simulation.generator.solids.exact_round_parts import Plate
from sightline.suites.simulation.generator.solids.exact_round_parts import Ring as ExactRing
from sightline.suites.simulation.generator.solids.facts import BRITTLE, DUCTILE, QUESTIONS, SolidFacts
from sightline.suites.simulation.scorer import logical_pair, physical_law
from sightline.suites.simulation.solvers.solids.elasticity import pressure_load
from sightline.suites.simulation.solvers.solids.elements import make_space
from sightline.suites.simulation.solvers.solids.mesh import bar, half_ring, plate_with_hole
from sightline.suites.simulation.solvers.solids.statics import direct_solver, make_problem

STEEL = DUCTILE[0]
GIVEAWAYS = re.compile(
    r"\b(un|in|im|non)?(true|false|yes|elastic|plastic|ductile|brittle|converge|satisf|neglig|signific|symmetric|safe"
    r"|exceed|balanced|enforced|buckled)"
)
ALL_WELL = SolverOutcome(is_balanced=True, is_converged=True, tolerance=1e-6)
ENDINGS = [(balance, converged) for balance in (True, False) for converged in (True, False)]


@pytest.fixture(scope="module")
def cases() -> dict[str, tuple[Case, dict[str, bool]]]:
    """One of each kind, with its forecast."""
    found = {}
    for kind in KINDS:
        candidate = kind.propose(ParameterRng(11, 4))
        found[kind.name] = candidate.solve(), candidate.expected
    return found


def steel(part: Part) -> Part:
    """The same part of steel, and cold."""
    return replace(
        part, material=STEEL, elastic=plane_stress_material(STEEL, part.elastic.thickness), heating=None, heat=0.0
    )


def drawn(make, wanted) -> Part:
    """The first part that is drawn as wanted."""
    return next(part for part in (make(ParameterRng(2, k)) for k in range(400)) if wanted(part))


def even(pressure: float):
    """The same pressure everywhere."""
    return lambda x, y: np.full_like(x, pressure)


def direct(analysis: Analysis) -> SolidFacts:
    """The facts of the direct solution."""
    small = np.full(2, 1e-9)
    run = SolverRun(
        displacement=analysis.displacement,
        stress=analysis.stress,
        reaction=analysis.problem.reactions(analysis.displacement, analysis.load, analysis.heating),
        residuals=normalized_residuals(small, small, 1e-6),
        plastic_strain=np.zeros(len(analysis.stress)),
        snapshots=(),
        steps=1,
    )
    return measure_facts(analysis, run)


@pytest.mark.slow
class TestCases:
    def test_each_kind_tells_what_it_answers(self, cases: dict[str, tuple[Case, dict[str, bool]]]) -> None:
        assert set(cases) == {kind.name for kind in KINDS}
        assert len(cases) == 8
        for name, (case, expected) in cases.items():
            text = format_report(case, ParameterRng(0))
            facts = case.facts
            assert isinstance(facts, SolidFacts)
            assert case.kind == name
            assert GIVEAWAYS.search(text.lower()) is None, name
            assert 1500 <= len(text) <= 6000
            assert abs(facts.utilisation - 1) > 0.05
            assert not 0.8 < case.residuals.last / case.residuals.tolerance < 1.25
            assert f"{case.residuals.history[0][-1]:.3e}" in text
            assert set(case.answers) == set(expected) == {question.qid for question in QUESTIONS}

    def test_forecasts_come_true_but_for_few(self, cases: dict[str, tuple[Case, dict[str, bool]]]) -> None:
        wrong = [(name, q) for name, (case, said) in cases.items() for q in said if said[q] != case.answers[q]]
        assert len(wrong) <= 0.05 * 8 * len(QUESTIONS), wrong

    def test_pictures_and_films(self, cases: dict[str, tuple[Case, dict[str, bool]]]) -> None:
        for name in ("ring", "bracket"):
            case, _ = cases[name]
            look = draw_look(ParameterRng(1), case)
            still = np.asarray(draw_still(case, look, ParameterRng(1)).convert("RGB")).astype(int)
            assert ((still.max(axis=2) - still.min(axis=2)) > 60).mean() > 0.02
            frames = [np.asarray(frame.convert("RGB")) for frame in draw_film(case, look, ParameterRng(1))]
            assert (frames[1] != frames[-1]).any(axis=2).mean() > 0.01

    def test_same_draw_same_bytes(self) -> None:
        kind = next(kind for kind in KINDS if kind.name == "strip")
        texts = {format_report(kind.propose(ParameterRng(5, 1)).solve(), ParameterRng(0)) for _ in range(2)}
        assert len(texts) == 1

    def test_holes_are_empty(self) -> None:
        mesh = plate_with_hole(3.0, 2.0, 0.5, 6)
        loops = outlines(mesh)
        assert len(loops) == 2
        assert all(loop[0] == loop[-1] for loop in loops)
        case = next(kind for kind in KINDS if kind.name == "plate").propose(ParameterRng(8, 1)).solve()
        values = case.scene.values(np.array([0.0]), np.array([0.0]), 1.0)
        assert np.isnan(values).all()


def test_kinds_are_known_without_the_libraries_that_compute_them() -> None:
    code = (
        "import sys; from sightline.suites.simulation.generator.solids.computed import KINDS; "
        "print(len(KINDS), [name for name in ('scipy', 'skfem', 'numba') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[0] == "8 []"


class TestQuestions:
    def test_pairs_are_complements(self) -> None:
        sides: dict[str, list[str]] = {}
        for question in QUESTIONS:
            found = logical_pair("structural", question.text)
            if found:
                sides.setdefault(found[0], []).append(question.qid)
        assert sides == {
            "elastic or plastic": ["s-elastic", "s-plastic"],
            "over the limit or safe": ["s-limit", "s-safety"],
        }
        assert sorted(filter(None, (physical_law(question.text) for question in QUESTIONS))) == [
            "boundary conditions",
            "convergence",
            "force balance",
        ]
        facts = direct(analyse_at_utilisation(steel(make_cantilever(ParameterRng(3))), 3, 0.7, None))
        for factor in (0.5, 1 / 0.7, 2.0):
            for material in (STEEL, BRITTLE[0]):
                tried = replace(facts, material=material, linear_peak=factor * facts.linear_peak)
                answers = {question.qid: question.rule(tried) for question in QUESTIONS}
                assert answers["s-elastic"] is not answers["s-plastic"]
                assert answers["s-limit"] is not answers["s-safety"]


class TestMeasures:
    def test_shares_of_a_cantilever_are_those_of_beam_theory(self) -> None:
        part = steel(drawn(make_cantilever, lambda part: len(part.loads) == 2))
        analysis = analyse(part, 8, None)
        facts = direct(analysis)
        (_, shear, _), (_, pull, _) = part.load_rows
        depth, thickness = part.geometry["Depth"], part.elastic.thickness
        assert facts.axial == pytest.approx(abs(pull) / (depth * thickness), rel=0.02)
        arm = part.length - 0.02 * part.length
        assert facts.bending == pytest.approx(abs(shear) * arm * 6 / (thickness * depth**2), rel=0.04)
        assert facts.thermal == 0
        assert facts.is_balanced and facts.is_held
        assert not facts.is_mirrored

    def test_column_buckles_at_the_load_of_euler(self) -> None:
        """Clamped and free: pi^2 E I / (2 L)^2."""
        part = steel(
            drawn(make_column, lambda part: "free" in part.title and part.length > 15 * part.geometry["Depth"])
        )
        facts = direct(analyse(part, 3, None))
        depth, thickness = part.geometry["Depth"], part.elastic.thickness
        euler = np.pi**2 * STEEL.young * thickness * depth**3 / 12 / (2 * part.length) ** 2
        assert facts.buckling_load == pytest.approx(euler, rel=0.02)
        assert facts.axial_compression == pytest.approx(abs(part.load_rows[0][1]), rel=0.01)

    def test_heat_stresses_a_strip_between_walls_alone(self) -> None:
        """E alpha dT between walls, nothing where one end is free."""
        for is_free in (False, True):
            part = drawn(make_strip, lambda part, free=is_free: part.heat != 0 and ("one wall" in part.title) == free)
            analysis = analyse(part, 4, None)
            elastic = part.elastic
            full = elastic.young * elastic.expansion * abs(part.heat)
            assert von_mises_at_nodes(analysis.thermal).max() == pytest.approx(0 if is_free else full, abs=1e-5 * full)

    def test_even_pressure_is_mirrored_and_one_sided_is_not(self) -> None:
        for above in (False, True):
            part = drawn(make_ring, lambda part, above=above: (min(load.y for load in part.loads) > 0) == above)
            assert direct(analyse(part, 3, None)).is_mirrored is not above

    def test_flow_keeps_stress_on_the_hardening_line(self) -> None:
        part = steel(drawn(make_plate, lambda part: part.load_rows[0][1] > 0 and not part.load_rows[1][1]))
        analysis = analyse_at_utilisation(part, 6, 1.4, None)
        run = solve_plastic(analysis, ALL_WELL, 1 / 1.4)
        facts = measure_facts(analysis, run)
        assert facts.utilisation == pytest.approx(1.4, rel=0.01)
        assert facts.plastic_strain > 1e-4
        hardening = STEEL.young * TANGENT / (1 - TANGENT)
        # the law holds at Gauss points, and nodes take the mean of those about them
        assert facts.von_mises_high == pytest.approx(STEEL.yield_strength + hardening * facts.plastic_strain, rel=0.02)
        assert facts.von_mises_high < 0.9 * facts.linear_peak
        assert facts.is_balanced and facts.residuals.is_converged
        shares = [snapshot.share for snapshot in run.snapshots]
        assert shares == sorted(shares) and shares[0] == 0 and shares[-1] == 1


class TestDefects:
    @pytest.mark.parametrize(("is_balanced", "is_converged"), ENDINGS)
    @pytest.mark.parametrize("make", [make_plate, make_cantilever, make_ring, make_strip])
    def test_early_stops_of_conjugate_gradients(self, make, is_balanced: bool, is_converged: bool) -> None:
        analysis = analyse_at_utilisation(make(ParameterRng(4)), make(ParameterRng(4)).coarse + 1, 0.6, None)
        outcome = SolverOutcome(is_balanced=is_balanced, is_converged=is_converged, tolerance=1e-5)
        facts = measure_facts(analysis, solve_linear(analysis, outcome, 0.75))
        assert facts.is_balanced is is_balanced
        assert facts.residuals.is_converged is is_converged
        assert facts.is_held

    @pytest.mark.parametrize(("is_balanced", "is_converged"), ENDINGS)
    def test_early_stops_of_newton(self, is_balanced: bool, is_converged: bool) -> None:
        part = steel(make_cantilever(ParameterRng(4)))
        analysis = analyse_at_utilisation(part, 4, 1.25, None)
        outcome = SolverOutcome(is_balanced=is_balanced, is_converged=is_converged, tolerance=1e-5)
        facts = measure_facts(analysis, solve_plastic(analysis, outcome, 0.8))
        assert facts.is_balanced is is_balanced
        assert facts.residuals.is_converged is is_converged

    def test_residuals_are_those_of_the_equations(self) -> None:
        """The last residual that the history tells is that of the displacement that is shown."""
        analysis = analyse_at_utilisation(make_plate(ParameterRng(4)), 4, 0.6, None)
        run = solve_linear(analysis, replace(ALL_WELL, is_converged=False), 0.75)
        problem = analysis.problem
        load = problem.freedoms.T @ problem.total_load(analysis.load, analysis.heating)
        left = load - problem.freedoms.T @ (problem.body @ run.displacement)
        true = np.linalg.norm(left) / np.linalg.norm(load)
        assert run.residuals.history[0][-1] == pytest.approx(true, rel=1e-3)

    @pytest.mark.parametrize("make", [make_plate, make_cantilever, make_ring, make_strip, make_column])
    def test_a_support_gives_way_and_still_bears_the_load(self, make) -> None:
        part = make(ParameterRng(6))
        elastic_support = weaken_support(part, 0.2, 0.0)
        assert isinstance(elastic_support, SpringSupport)
        facts = direct(analyse(part, part.coarse, elastic_support))
        assert not facts.is_held
        assert facts.is_balanced
        assert max(abs(moved) for _, moved in facts.supports) > 0.03 * facts.displacement

    def test_end_moment_is_that_of_its_traction(self) -> None:
        end = End(x=1.0, depth=0.2, thickness=0.1, along=1.0, bend=3.0)
        y = np.linspace(-0.1, 0.1, 20001)
        traction = 1.0 + 3.0 * y / 0.1
        step = y[1] - y[0]
        assert end.moment == pytest.approx(-(traction * y).sum() * step * 0.1, rel=1e-3)
        assert end.offset == pytest.approx((traction * y).sum() / traction.sum(), rel=1e-3)


class TestExactAndComputed:
    """Formulas and finite elements know nothing of each other, and agree."""

    def test_ring_with_pressures_and_a_hot_bore(self) -> None:
        exact = ExactRing(
            material=STEEL, inner=0.1, outer=0.18, thickness=0.02, bore_pressure=4e7, rim_pressure=9e6, hindered=1.2e8
        )
        mesh = half_ring(0.1, 0.18, 10)
        problem = make_problem(make_space(mesh), plane_stress_material(STEEL, 0.02), wall_supports(mesh, 0.0, "plane"))
        x, y = mesh.points.T
        r = np.hypot(x, y)
        load = sum(
            pressure_load(mesh, mesh.edge(lambda x, y, a=at: np.abs(np.hypot(x, y) - a) < 1e-3 * a), 0.02, even(p))
            for at, p in ((0.1, 4e7), (0.18, 9e6))
        )
        heating = 1.2e8 / (STEEL.young * STEEL.expansion) * np.log(0.18 / r) / np.log(1.8)
        moved = direct_solver(problem)(load, heating)
        stress = problem.nodal_stress(moved, heating)
        sx, sy, txy = exact.stress(x, y)
        size = float(np.abs(sx).max())
        assert stress == pytest.approx(np.stack([sx, sy, txy], axis=1), abs=0.02 * size)
        ux, uy = exact.displacement(x, y)
        assert moved == pytest.approx(np.stack([ux, uy], axis=1).ravel(), abs=1e-3 * np.abs(ux).max())
        wall_of = np.linspace(0.1, 0.18, 4001)
        hot = replace(exact, bore_pressure=0.0, rim_pressure=0.0)
        assert abs(hot.hoop_stress(wall_of).mean()) < 1e-3 * size

    def test_beam_with_hot_sides(self) -> None:
        exact = Beam(material=STEEL, length=1.0, depth=0.1, width=0.04, force=-5e3, pull=-10.0, hindered=6e7)
        part = drawn(make_cantilever, lambda part: True)
        end = End(
            x=1.0,
            depth=0.1,
            thickness=0.04,
            along=exact.force * exact.pull / exact.area,
            shear=exact.force / exact.area,
        )
        kelvin = 6e7 / (STEEL.young * STEEL.expansion)
        part = replace(
            steel(part),
            elastic=plane_stress_material(STEEL, 0.04),
            mesh=lambda fine: bar(1.0, 0.1, fine),
            supports=lambda mesh: wall_supports(mesh, 0.0, "clamp"),
            load=end.load,
            heating=lambda x, y: kelvin * (2 * y / 0.1) ** 2,
            heat=kelvin,
        )
        analysis = analyse(part, 8, None)
        x, y = analysis.problem.space.mesh.points.T
        # ends are left out: there a section that warps freely is not what a beam has
        inside = (x > 0.2) & (x < 0.8)
        sx, _, txy = exact.stress(x, y)
        size = float(np.abs(sx).max())
        assert analysis.stress[inside, 0] == pytest.approx(sx[inside], abs=0.01 * size)
        assert analysis.stress[inside, 2] == pytest.approx(txy[inside], abs=0.01 * size)

    def test_plate_of_finite_width_is_near_kirsch(self) -> None:
        exact = Plate(material=STEEL, hole=0.01, half_length=0.1, half_width=0.1, thickness=0.01, far_x=1e8, far_y=0.0)
        mesh = plate_with_hole(0.2, 0.1, 0.01, 12)
        problem = make_problem(make_space(mesh), plane_stress_material(STEEL, 0.01), wall_supports(mesh, -0.2, "grip"))
        load = End(x=0.2, depth=0.2, thickness=0.01, along=1e8).load(mesh)
        cold = np.zeros(len(mesh.points))
        found = problem.nodal_stress(direct_solver(problem)(load, cold), cold)
        near = np.hypot(*mesh.points.T) < 0.03
        known = np.stack(exact.stress(*mesh.points[near].T), axis=1)
        assert found[near] == pytest.approx(known, abs=0.04 * 3e8)


@pytest.mark.slow
def test_twenty_cases_are_evenly_answered() -> None:
    domain = DomainKinds(name="structural", description="", questions=QUESTIONS, kinds=KINDS)
    found = list(balanced_cases(domain, 20, (5, 0)))
    shares = {q.qid: float(np.mean([case.answers[q.qid] for case in found])) for q in QUESTIONS}
    assert 0.45 <= np.mean(list(shares.values())) <= 0.55
    assert all(0.4 - 1e-9 <= share <= 0.6 + 1e-9 for share in shares.values()), shares
    for case in found:
        assert GIVEAWAYS.search(format_report(case, ParameterRng(0)).lower()) is None
        assert abs(case.facts.utilisation - 1) > 0.05
        assert not 0.8 < case.residuals.last / case.residuals.tolerance < 1.25
