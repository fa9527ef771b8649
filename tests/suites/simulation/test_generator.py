"""Generated simulations: readable by the suite, the same for a seed, true to textbook laws, and evenly answered."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from PIL import Image

from sightline import load_suite
from sightline.core.errors import UsageError
from sightline.core.records import Sample
from sightline.suites.simulation.dataset import read_domains
from sightline.suites.simulation.generator import EXACT, generate
from sightline.suites.simulation.generator.case import Candidate, Case, Kind, Window, trapezoidal_integral
from sightline.suites.simulation.generator.flows.exact_channels import Channel, Couette, Slot
from sightline.suites.simulation.generator.flows.exact_vortices import Cylinder, TaylorGreen, Vortex, make_cylinder
from sightline.suites.simulation.generator.flows.facts import AIR, WATER, FlowFacts
from sightline.suites.simulation.generator.pictures.canvas import Frame, View, round_ticks
from sightline.suites.simulation.generator.plan import DOMAINS, FLUID, STRUCTURAL, balanced_cases, plan_cases
from sightline.suites.simulation.generator.report import format_report
from sightline.suites.simulation.generator.rng import ParameterRng
from sightline.suites.simulation.generator.solids.exact_bars import Bar, Beam, HeatedBar
from sightline.suites.simulation.generator.solids.exact_round_parts import Plate, Ring, Shaft
from sightline.suites.simulation.generator.solids.facts import BRITTLE, DUCTILE, Load, SolidFacts
from sightline.suites.simulation.scorer import PAIRS, logical_pair, physical_law
from sightline.suites.simulation.solvers import DivergedError

STEEL = DUCTILE[0]
GIVEAWAYS = re.compile(
    r"\b(un|in|im|non)?(true|false|yes|laminar|turbulen|elastic|plastic|ductile|brittle|converge|conserv|satisf|neglig"
    r"|signific|separat|developed|symmetric|steady|transient|liquid|safe|recirculat|backflow|exceed|balanced|enforced)"
)


def one(value: float) -> np.ndarray:
    return np.array([float(value)])


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("simulations")
    generate(out, 12, 7, EXACT)
    return out


@pytest.fixture(scope="module")
def forty() -> list[Case]:
    return [case for _, case in plan_cases(40, 5)]


def digest(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.mark.slow
class TestDataSet:
    def test_suite_reads_every_question_in_every_modality(self, data: Path) -> None:
        rows = list(load_suite("simulation", modality="all").dataset(data))
        assert [row for row in rows if not isinstance(row, Sample)] == []
        asked = 6 * len(STRUCTURAL.questions) + 6 * len(FLUID.questions)
        assert len(rows) == 3 * asked
        assert {row.tags["modality"] for row in rows} == {"image", "text", "video"}

    def test_files_are_numbered_over_both_domains(self, data: Path) -> None:
        content = json.loads((data / "benchmark" / "questions.json").read_text(encoding="utf-8"))
        assert list(content["structural"]["files"]) == [f"File_{k}" for k in range(1, 7)]
        assert list(content["fluid"]["files"]) == [f"File_{k}" for k in range(7, 13)]
        assert not any(domain.renumbered for domain in read_domains(data))

    def test_media_have_the_promised_form(self, data: Path) -> None:
        for path in data.glob("data/*/images/*.png"):
            with Image.open(path) as picture:
                assert picture.size == (1000, 640)
                assert len(picture.convert("RGB").getcolors(10**6) or []) > 50
        for path in data.glob("data/*/videos/*.gif"):
            assert path.stat().st_size < 300_000
            with Image.open(path) as film:
                assert 8 <= film.n_frames <= 16
                assert film.info["duration"] == 100
                assert film.width == 480
        for path in data.glob("data/*/text/*.txt"):
            assert 1500 <= len(path.read_bytes()) <= 6000

    @pytest.mark.slow
    def test_same_seed_same_bytes_and_other_seed_other_bytes(self, tmp_path: Path) -> None:
        for name, seed in (("one", 3), ("again", 3), ("other", 4)):
            generate(tmp_path / name, 4, seed, EXACT)
        one_set, again, other = (digest(tmp_path / name) for name in ("one", "again", "other"))
        assert one_set == again
        assert len(one_set) == 17  # the question file; still, GIF, MP4 and report of each
        assert all(one_set[name] != other[name] for name in one_set)

    def test_a_single_case_and_none(self, tmp_path: Path) -> None:
        generate(tmp_path, 1, 0, EXACT)
        assert all(isinstance(row, Sample) for row in load_suite("simulation", modality="all").dataset(tmp_path))
        with pytest.raises(UsageError):
            generate(tmp_path, 0, 0, EXACT)

    def test_every_place_of_a_small_set_has_a_kind_of_its_own(self) -> None:
        assert len({case.kind for _, case in plan_cases(8, 1)}) == 8
        assert len({case.kind for _, case in plan_cases(12, 1)}) == 12


@pytest.mark.slow
class TestQuestions:
    @pytest.mark.parametrize("domain", DOMAINS, ids=lambda domain: domain.name)
    def test_pairs_and_laws_are_found(self, domain) -> None:
        assert 12 <= len(domain.questions) <= 20
        assert len({question.qid for question in domain.questions}) == len(domain.questions)
        found = [logical_pair(domain.name, question.text) for question in domain.questions]
        sides = sorted(side for side in found if side)
        names = {name for name, _ in sides}
        assert len(names) >= 2 and names <= {pair.name for pair in PAIRS if pair.domain == domain.name}
        assert sides == sorted((name, side) for name in names for side in (0, 1))
        laws = [physical_law(question.text) for question in domain.questions if physical_law(question.text)]
        first = "force balance" if domain is STRUCTURAL else "mass conservation"
        assert sorted(laws) == sorted([first, "boundary conditions", "convergence"])

    def test_answers_are_even(self, forty: list[Case]) -> None:
        for count, cases in ((40, forty), (8, [case for _, case in plan_cases(8, 21)])):
            answers = [answer for case in cases for answer in case.answers.values()]
            assert 0.45 <= np.mean(answers) <= 0.55, count

    def test_no_question_is_constant(self, forty: list[Case]) -> None:
        for domain in DOMAINS:
            for question in domain.questions:
                assert {case.answers[question.qid] for case in forty if question.qid in case.answers} == {True, False}

    def test_key_opposes_pairs_as_documented(self, forty: list[Case]) -> None:
        def opposed(first: str, second: str) -> float:
            cases = [case.answers for case in forty if first in case.answers]
            return float(np.mean([answers[first] != answers[second] for answers in cases]))

        assert opposed("s-elastic", "s-plastic") == 1
        assert opposed("s-limit", "s-safety") == 1
        assert opposed("f-laminar", "f-turbulent") == 1
        assert opposed("f-buoyancy", "f-convection") == 1
        assert opposed("f-attached", "f-separation") == 1

    def test_reports_tell_numbers_and_leave_the_answer_to_the_reader(self, forty: list[Case]) -> None:
        for case in forty:
            text = format_report(case, ParameterRng(0)).lower()
            assert GIVEAWAYS.search(text) is None, case.kind

    def test_answers_can_be_worked_out_from_the_report(self, forty: list[Case]) -> None:
        """The figures that decide, printed to four digits, are on the same side of their limit as the facts."""
        for case in forty:
            text = format_report(case, ParameterRng(0))
            if isinstance(case.facts, SolidFacts):
                assert abs(case.facts.utilisation - 1) > 0.05
                assert case.facts.material.name in text
            else:
                assert f"{case.facts.reynolds:.4g}" in text
                assert abs(np.log(case.facts.reynolds / case.facts.critical_reynolds)) > 0.1
            assert f"{case.residuals.history[0][-1]:.3e}" in text
            assert not 0.8 < case.residuals.last / case.residuals.tolerance < 1.25


class TestStructures:
    def test_lame_meets_the_pressures_and_equilibrium(self) -> None:
        ring = Ring(material=STEEL, inner=0.1, outer=0.17, thickness=0.05, bore_pressure=40e6, rim_pressure=7e6)
        assert ring.radial_stress(one(0.1))[0] == pytest.approx(-40e6)
        assert ring.radial_stress(one(0.17))[0] == pytest.approx(-7e6)
        r, step = 0.13, 1e-6
        slope = (ring.radial_stress(one(r + step)) - ring.radial_stress(one(r - step)))[0] / (2 * step)
        missing = (ring.radial_stress(one(r)) - ring.hoop_stress(one(r)))[0] / r
        assert slope + missing == pytest.approx(0, abs=1e-4 * abs(slope))
        wall = np.linspace(0.1, 0.17, 4001)
        assert trapezoidal_integral(ring.hoop_stress(wall), wall[1] - wall[0]) == pytest.approx(
            40e6 * 0.1 - 7e6 * 0.17, rel=1e-6
        )

    def test_kirsch_triples_the_stress_and_frees_the_edge(self) -> None:
        plate = Plate(
            material=STEEL, hole=0.02, half_length=0.12, half_width=0.08, thickness=0.01, far_x=50e6, far_y=0.0
        )
        assert plate.stress(one(0), one(0.02))[0][0] == pytest.approx(150e6)
        assert plate.stress(one(0.02), one(0))[1][0] == pytest.approx(-50e6)
        angle = np.linspace(0, 2 * np.pi, 37)
        c, s = np.cos(angle), np.sin(angle)
        sx, sy, txy = plate.stress(0.02 * c, 0.02 * s)
        assert np.abs(sx * c + txy * s).max() < 1e-3
        assert np.abs(txy * c + sy * s).max() < 1e-3
        assert np.isnan(plate.stress(one(0.01), one(0))[0][0])
        assert plate.edge_force(across_x=True) == pytest.approx(50e6 * 0.16 * 0.01, rel=0.05)

    @pytest.mark.parametrize("far_y", [0.0, -25e6, 30e6])
    def test_kirsch_displacement_strains_as_hooke_says(self, far_y: float) -> None:
        plate = Plate(
            material=STEEL, hole=0.02, half_length=0.12, half_width=0.08, thickness=0.01, far_x=50e6, far_y=far_y
        )
        x, y = np.array([0.03, 0.05, -0.024]), np.array([0.02, -0.03, 0.028])
        _strains_match(plate, x, y, 1e-6)

    def test_lame_and_beam_displacements_strain_as_hooke_says(self) -> None:
        ring = Ring(material=STEEL, inner=0.1, outer=0.17, thickness=0.05, bore_pressure=40e6, rim_pressure=7e6)
        _strains_match(ring, np.array([0.12, 0.05]), np.array([0.03, -0.14]), 1e-6)
        beam = Beam(material=STEEL, length=1.0, depth=0.1, width=0.05, force=-5e3, pull=20.0)
        x, y, step = one(0.3), one(0.04), 1e-5
        strain = (beam.displacement(x + step, y)[0] - beam.displacement(x - step, y)[0]) / (2 * step)
        assert strain * STEEL.young == pytest.approx(beam.stress(x, y)[0], rel=1e-6)

    def test_beam_carries_shear_and_moment_through_every_section(self) -> None:
        beam = Beam(material=STEEL, length=1.2, depth=0.15, width=0.06, force=-8e3, pull=0.0)
        y = np.linspace(-0.075, 0.075, 2001)
        sx, _, txy = beam.stress(np.full_like(y, 0.4), y)
        step = y[1] - y[0]
        assert beam.width * trapezoidal_integral(txy, step) == pytest.approx(-8e3, rel=1e-5)
        assert -beam.width * trapezoidal_integral(sx * y, step) == pytest.approx(-8e3 * 0.8, rel=1e-5)
        tip = beam.displacement(one(1.2), one(0))[1][0]
        assert tip == pytest.approx(-8e3 * 1.2**3 / (3 * STEEL.young * beam.inertia))

    def test_bars(self) -> None:
        bar = Bar(material=STEEL, length=1.0, depth=0.1, end_depth=0.06, step=0.5, width=0.04, offset=0.0, force=24e3)
        stress = bar.stress(np.array([0.2, 0.8]), np.zeros(2))[0]
        assert stress == pytest.approx([6e6, 10e6])
        assert bar.displacement(one(1.0), one(0))[0][0] == pytest.approx(8e6 / STEEL.young)
        column = replace(bar, end_depth=0.1)
        assert column.buckling_load == pytest.approx(np.pi**2 * STEEL.young * (0.1 * 0.04**3 / 12) / 4)

    def test_heated_bar_pushes_its_walls_unless_it_has_room(self) -> None:
        bar = HeatedBar(material=STEEL, length=1.0, depth=0.1, width=0.05, heating=50.0, force=4e4, is_free=False)
        assert bar.thermal_stress == pytest.approx(-STEEL.young * STEEL.expansion * 50)
        ends = bar.axial_force(np.array([0.0, 1.0]))
        assert ends[0] - ends[1] == pytest.approx(4e4)
        assert bar.displacement(np.array([0.0, 1.0]), np.zeros(2))[0] == pytest.approx([0, 0])
        free = replace(bar, is_free=True, force=0.0)
        assert free.stress(one(0.5), one(0))[0][0] == 0
        assert free.displacement(one(1.0), one(0))[0][0] == pytest.approx(STEEL.expansion * 50)

    def test_shaft_stress_adds_up_to_the_torque(self) -> None:
        shaft = Shaft(material=STEEL, length=1.0, inner=0.01, outer=0.03, torque=900.0, pull=0.0)
        r = np.linspace(0.01, 0.03, 4001)
        shear = shaft.stress(r, np.zeros_like(r))[2]
        assert trapezoidal_integral(2 * np.pi * r**2 * shear, r[1] - r[0]) == pytest.approx(900, rel=1e-6)

    def test_brittle_material_breaks_but_does_not_flow(self, forty: list[Case]) -> None:
        solids = [case for case in forty if isinstance(case.facts, SolidFacts)]
        broken = [case for case in solids if case.facts.material in BRITTLE and case.answers["s-limit"]]
        assert broken
        assert not any(case.answers["s-plastic"] for case in broken)

    def test_mirroring_of_loads(self, forty: list[Case]) -> None:
        facts = next(case.facts for case in forty if isinstance(case.facts, SolidFacts))
        on_axis, beside = Load(x=1.0, y=0.0, fx=5.0), Load(x=1.0, y=0.1, fx=5.0)
        for loads, mirrored in (
            ((on_axis,), True),
            ((beside,), False),
            ((beside, replace(beside, y=-0.1)), True),
            ((Load(x=1.0, y=0.0, fy=5.0),), False),
            ((Load(x=0.0, y=1.0, torque=5.0), Load(x=0.0, y=-1.0, torque=5.0)), False),
        ):
            assert replace(facts, loads=loads).is_mirrored is mirrored

    def test_defects_are_seen(self, forty: list[Case]) -> None:
        solids = [case for case in forty if isinstance(case.facts, SolidFacts)]
        for case in solids:
            moved = max(abs(found) for _, found in case.facts.supports)
            assert case.answers["s-boundary"] is (moved == pytest.approx(0, abs=1e-12))


def _strains_match(body: Plate | Ring, x: np.ndarray, y: np.ndarray, step: float) -> None:
    right, left = body.displacement(x + step, y), body.displacement(x - step, y)
    up, down = body.displacement(x, y + step), body.displacement(x, y - step)
    sx, sy, txy = body.stress(x, y)
    young, nu = body.material.young, body.material.poisson
    size = np.abs(sx).max() / young
    assert (right[0] - left[0]) / (2 * step) == pytest.approx((sx - nu * sy) / young, abs=1e-4 * size)
    assert (up[1] - down[1]) / (2 * step) == pytest.approx((sy - nu * sx) / young, abs=1e-4 * size)
    shear = (up[0] - down[0] + right[1] - left[1]) / (2 * step)
    assert shear == pytest.approx(txy / body.material.shear_modulus, abs=1e-4 * size)


class TestFlows:
    def test_poiseuille(self) -> None:
        channel = Channel(fluid=WATER, gap=0.02, mean=0.03, is_turbulent=False, slip=0.0)
        y = np.linspace(-0.01, 0.01, 4001)
        assert trapezoidal_integral(channel.profile(y), y[1] - y[0]) / 0.02 == pytest.approx(0.03, rel=1e-6)
        assert channel.profile(one(0))[0] == pytest.approx(1.5 * 0.03)
        curvature = (channel.profile(one(1e-4)) - 2 * channel.profile(one(0)) + channel.profile(one(-1e-4)))[0] / 1e-8
        assert WATER.viscosity * curvature == pytest.approx(channel.pressure_gradient)

    def test_turbulent_profile_is_flatter_and_has_the_same_mean(self) -> None:
        channel = Channel(fluid=WATER, gap=0.02, mean=2.0, is_turbulent=True, slip=0.0)
        y = np.linspace(-0.01, 0.01, 40001)
        assert trapezoidal_integral(channel.profile(y), y[1] - y[0]) / 0.02 == pytest.approx(2.0, rel=1e-3)
        assert channel.profile(one(0))[0] == pytest.approx(2.0 * 8 / 7)

    def test_couette_obeys_momentum_and_walls(self) -> None:
        flow = Couette(fluid=AIR, gap=0.01, wall=0.3, push=-2.5, heating=12.0, is_turbulent=False, slip=0.0)
        assert flow.profile(np.array([-0.5, 0.5])) == pytest.approx([0, 0.3])
        assert flow.profile(one(-0.45))[0] < 0
        s, step = 0.2, 1e-3
        curvature = (flow.profile(one(s + step)) - 2 * flow.profile(one(s)) + flow.profile(one(s - step)))[0]
        driven = flow.pressure_gradient + AIR.density * 9.81 * AIR.expansion * 12.0 * s
        assert AIR.viscosity * curvature / (step * 0.01) ** 2 == pytest.approx(driven)

    def test_slot_profile_is_the_cubic_of_natural_convection(self) -> None:
        slot = Slot(fluid=AIR, gap=0.02, heating=5.0, mean=0.0, slip=0.0)
        x = np.linspace(-0.01, 0.01, 2001)
        v = slot.profile(x)
        assert v[[0, 1000, -1]] == pytest.approx([0, 0, 0], abs=1e-12)
        assert v.max() == pytest.approx(slot.speed, rel=1e-5)
        assert x[v.argmax()] < 0  # up along the hot wall
        assert trapezoidal_integral(v, x[1] - x[0]) == pytest.approx(0, abs=1e-12)

    def test_taylor_green_decays_and_obeys_navier_and_stokes(self) -> None:
        flow = TaylorGreen(fluid=WATER, cell=0.02, speed=0.01, duration=30.0, shift=(0.004, 0.0), drift=0.0)
        x, y = np.array([0.003, 0.011]), np.array([0.007, 0.018])
        start, end = flow.velocity(x, y, 0.0)[0], flow.velocity(x, y, 1.0)[0]
        assert end / start == pytest.approx(np.exp(-2 * WATER.kinematic * (np.pi / 0.02) ** 2 * 30))
        assert _divergence(flow.velocity, x, y, 1e-6) == pytest.approx([0, 0], abs=1e-6)
        # vorticity: d(omega)/dt = nu laplace(omega) since the flow runs along lines of equal vorticity
        rate = (flow.velocity(x, y, 0.501)[0] - flow.velocity(x, y, 0.499)[0]) / (0.002 * 30)
        assert rate == pytest.approx(-2 * WATER.kinematic * flow.wave**2 * flow.velocity(x, y, 0.5)[0], rel=1e-4)

    def test_vortex_keeps_its_circulation_while_its_core_spreads(self) -> None:
        flow = Vortex(fluid=AIR, circulation=0.5, core=0.05, centre=(0.0, 0.0), viscosity=1e-3, duration=2.0, drift=0.0)
        assert 2 * np.pi * 2.0 * flow.swirl(one(2.0), 0.0)[0] == pytest.approx(0.5)
        r = np.linspace(0.001, 0.5, 5000)
        first, last = flow.swirl(r, 0.0), flow.swirl(r, 2.0)
        assert last.max() < first.max()
        assert r[last.argmax()] == pytest.approx(1.1209 * np.sqrt(0.05**2 + 4e-3 * 2), rel=1e-2)

    def test_cylinder_is_not_crossed_and_its_vortices_stand_still(self) -> None:
        flow = Cylinder(fluid=WATER, radius=0.1, speed=2.0, vortex_distance=1.8, seepage=0.0)
        angle = np.linspace(0, 2 * np.pi, 60)
        u, v = flow.velocity(0.1 * np.cos(angle), 0.1 * np.sin(angle), 1.0)
        assert np.abs(u * np.cos(angle) + v * np.sin(angle)).max() < 1e-9
        # a vortex turns evenly about its own centre, so the velocity there is what the others bring about
        at = flow.vortex_at
        assert flow.velocity(one(at.real), one(at.imag), 1.0) == (pytest.approx([0], abs=1e-9),) * 2
        plain = replace(flow, vortex_distance=0.0)
        assert plain.velocity(one(0), one(0.1), 1.0)[0][0] == pytest.approx(4.0)
        assert np.isnan(plain.velocity(one(0.05), one(0), 1.0)[0][0])

    def test_standing_vortices_mean_separation(self) -> None:
        cases = [make_cylinder(ParameterRng(1, attempt)) for attempt in range(16)]
        separated = [case for case in cases if case.answers["f-separation"]]
        assert 0 < len(separated) < len(cases)
        for case in cases:
            assert isinstance(case.facts, FlowFacts)
            assert case.answers["f-separation"] is (case.facts.backflow < -0.02)

    def test_mass_is_lost_only_where_a_leak_was_meant(self, forty: list[Case]) -> None:
        flows = [case.facts for case in forty if isinstance(case.facts, FlowFacts)]
        losses = np.array([1 - facts.outflow / facts.inflow for facts in flows])
        assert (np.abs(losses) < 1e-3).any()
        assert (losses > 0.03).any()
        assert ((np.abs(losses) < 1e-3) | (losses > 0.03)).all()


def _divergence(velocity, x: np.ndarray, y: np.ndarray, step: float) -> np.ndarray:
    across = velocity(x + step, y, 0.0)[0] - velocity(x - step, y, 0.0)[0]
    up = velocity(x, y + step, 0.0)[1] - velocity(x, y - step, 0.0)[1]
    return (across + up) / (2 * step)


@pytest.mark.slow
class TestPictures:
    @pytest.mark.parametrize("turned", [False, True])
    @pytest.mark.parametrize("mirrored", [False, True])
    def test_view_and_back(self, turned: bool, mirrored: bool) -> None:
        view = View(window=Window(0, 3, -1, 1), frame=Frame(10, 20, 410, 220), turned=turned, mirrored=mirrored)
        x, y = np.array([0.0, 3.0, 1.2]), np.array([-1.0, 1.0, 0.3])
        px, py = view.pixel(x, y)
        assert (px >= 10).all() and (px <= 410).all() and (py >= 20).all() and (py <= 220).all()
        assert view.plane(px, py) == (pytest.approx(x), pytest.approx(y))

    def test_ticks_are_round(self) -> None:
        assert round_ticks(0, 100, 8) == pytest.approx([0, 20, 40, 60, 80, 100])
        assert round_ticks(-0.3, 0.3, 8) == pytest.approx([-0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3])
        assert len(round_ticks(0, 37.7, 8)) <= 9

    def test_picture_shows_the_field(self, data: Path) -> None:
        """Far more saturated pixels than the thin lines of arrows and charts alone would give."""
        for path in data.glob("data/*/images/*.png"):
            with Image.open(path) as picture:
                pixels = np.asarray(picture.convert("RGB")).astype(int)
            vivid = (pixels.max(axis=2) - pixels.min(axis=2)) > 60
            assert vivid.mean() > 0.02, path.name


def test_a_candidate_that_diverges_gives_way_to_the_next() -> None:
    def diverges() -> Case:
        raise DivergedError("too fast")

    (case,) = balanced_cases(STRUCTURAL, 1, (3,))
    kinds = (Kind("wild", lambda draw: Candidate(case.answers, diverges if draw.chance(0.7) else lambda: case)),)
    assert list(balanced_cases(replace(STRUCTURAL, kinds=kinds), 3, (1,))) == [case] * 3
