"""The flow solvers against textbook values and laws."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from sightline.suites.simulation.solvers.flows.duct import Duct, cell_faces, solve_duct
from sightline.suites.simulation.solvers.flows.flow_domain import (
    FLUID,
    Drain,
    FlowDomain,
    Patch,
    framed_grid,
    uniform_velocity,
)
from sightline.suites.simulation.solvers.flows.lattice_boltzmann import Schedule, Solution, TimeStepper, solve

# Ghia, Ghia and Shin, J. Comput. Phys. 48 (1982), tables I and II: u and v on the centre lines
GHIA_Y = (0.0547, 0.0625, 0.0703, 0.1016, 0.1719, 0.2813, 0.4531, 0.5, 0.6172, 0.7344, 0.8516, 0.9531, 0.9609, 0.9688)
GHIA_U = {
    100: np.array(
        (
            -0.03717,
            -0.04192,
            -0.04775,
            -0.06434,
            -0.10150,
            -0.15662,
            -0.21090,
            -0.20581,
            -0.13641,
            0.00332,
            0.23151,
            0.68717,
            0.73722,
            0.78871,
        )
    ),
    400: np.array(
        (
            -0.08186,
            -0.09266,
            -0.10338,
            -0.14612,
            -0.24299,
            -0.32726,
            -0.17119,
            -0.11477,
            0.02135,
            0.16256,
            0.29093,
            0.55892,
            0.61756,
            0.68439,
        )
    ),
}
GHIA_X = (0.0625, 0.0703, 0.0781, 0.0938, 0.1563, 0.2266, 0.2344, 0.5, 0.8047, 0.8594, 0.9063, 0.9453, 0.9531, 0.9609)
GHIA_V = {
    100: np.array(
        (
            0.09233,
            0.10091,
            0.10890,
            0.12317,
            0.16077,
            0.17507,
            0.17527,
            0.05454,
            -0.24533,
            -0.22445,
            -0.16914,
            -0.10313,
            -0.08864,
            -0.07391,
        )
    ),
    400: np.array(
        (
            0.18360,
            0.19713,
            0.20920,
            0.22965,
            0.28124,
            0.30203,
            0.30174,
            0.05186,
            -0.38598,
            -0.44993,
            -0.23827,
            -0.22847,
            -0.19254,
            -0.15663,
        )
    ),
}


def cavity(cells: int, reynolds: float, speed: float = 0.1) -> FlowDomain:
    return FlowDomain(
        patch=framed_grid(cells, cells, 0, 0, 0, 1),
        patches=(Patch(), Patch(velocity=uniform_velocity(speed))),
        viscosity=speed * cells / reynolds,
    )


def channel(length: int, gap: int, viscosity: float, mean: float = 0.05) -> FlowDomain:
    def parabola(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        s = (y - 0.5) / gap
        return 6 * mean * s * (1 - s), np.zeros_like(x)

    return FlowDomain(
        patch=framed_grid(length, gap, 1, 2, 0, 0),
        patches=(Patch(), Patch(velocity=parabola), Patch(is_open=True)),
        viscosity=viscosity,
    )


def with_cylinder(flow_domain: FlowDomain, diameter: float, x: float, y: float) -> FlowDomain:
    rows, columns = np.indices(flow_domain.patch.shape).astype(float)
    distance = np.hypot(columns - x, rows - y) - diameter / 2
    return replace(
        flow_domain,
        patch=np.where(distance < 0, len(flow_domain.patches), flow_domain.patch),
        patches=(*flow_domain.patches, Patch()),
        distance=distance,
    )


def heated_box(cells: int, rayleigh: float, prandtl: float = 0.71, speed: float = 0.1) -> FlowDomain:
    return FlowDomain(
        patch=framed_grid(cells, cells, 0, 1, 2, 2),
        patches=(Patch(warmth=0.5), Patch(warmth=-0.5), Patch()),
        viscosity=speed * cells * float(np.sqrt(prandtl / rayleigh)),
        prandtl=prandtl,
        is_heated=True,
        gravity=(0.0, speed**2 / cells),
    )


def centre_line_misses(
    flow_domain: FlowDomain, solution: Solution, reynolds: int, speed: float = 0.1
) -> tuple[float, float]:
    cells = flow_domain.size[0]
    at, middle = (np.arange(cells) + 0.5) / cells, cells // 2
    last = solution.last
    u = last.u[1:-1, middle : middle + 2].mean(axis=1) / speed
    v = last.v[middle : middle + 2, 1:-1].mean(axis=0) / speed
    miss_u = np.abs(np.interp(GHIA_Y, at, u) - GHIA_U[reynolds]).max()
    # the published v at Re 400 and x = 0.9063 is a known misprint: its neighbours are both far lower
    kept = np.array(GHIA_X) != 0.9063
    miss_v = np.abs(np.interp(GHIA_X, at, v) - GHIA_V[reynolds])[kept].max()
    return float(miss_u), float(miss_v)


class TestLattice:
    @pytest.mark.slow
    def test_poiseuille_profile_and_pressure(self) -> None:
        gap, mean, viscosity = 24, 0.05, 0.1
        last = solve(channel(72, gap, viscosity), Schedule(every=200, most=12000, ramp=200, stop_at=1e-4)).last
        s = (np.arange(gap) + 0.5) / gap
        assert last.u[1:-1, 54] == pytest.approx(6 * mean * s * (1 - s), abs=0.01 * 1.5 * mean)
        gradient = (last.pressure[1:-1, 60].mean() - last.pressure[1:-1, 40].mean()) / 20
        assert gradient == pytest.approx(-12 * viscosity * mean / gap**2, rel=0.02)

    def test_error_of_poiseuille_falls_with_the_square_of_the_cell(self) -> None:
        misses = []
        for gap in (6, 12, 24):
            flow_domain = channel(3 * gap, gap, 0.1, mean=0.6 / gap)
            last = solve(flow_domain, Schedule(every=200, most=12000, ramp=100, stop_at=3e-5)).last
            s = (np.arange(gap) + 0.5) / gap
            misses.append(np.abs(last.u[1:-1, 2 * gap] / (0.6 / gap) - 6 * s * (1 - s)).max())
        assert misses[1] < misses[0] / 3
        assert misses[2] < misses[1] / 3

    def test_cavity_at_reynolds_100(self) -> None:
        flow_domain = cavity(64, 100)
        misses = centre_line_misses(
            flow_domain, solve(flow_domain, Schedule(every=500, most=20000, ramp=200, stop_at=1e-3)), 100
        )
        assert max(misses) < 0.02

    @pytest.mark.slow
    def test_cavity_at_reynolds_400(self) -> None:
        flow_domain = cavity(96, 400)
        misses = centre_line_misses(
            flow_domain, solve(flow_domain, Schedule(every=500, most=40000, ramp=200, stop_at=1e-3)), 400
        )
        assert max(misses) < 0.02

    @pytest.mark.slow
    def test_heat_through_the_side_heated_box(self) -> None:
        """De Vahl Davis, Int. J. Numer. Meth. Fluids 3 (1983) at Ra 1e4: Nusselt number and highest speeds."""
        cells = 48
        flow_domain = heated_box(cells, 1e4)
        last = solve(flow_domain, Schedule(every=500, most=20000, stop_at=1e-3)).last
        assert 2 * cells * np.mean(0.5 - last.warmth[1:-1, 1]) == pytest.approx(2.243, rel=0.02)
        diffusivity = flow_domain.viscosity / flow_domain.prandtl
        assert last.u[:, cells // 2].max() * cells / diffusivity == pytest.approx(16.178, rel=0.02)
        assert last.v[cells // 2].max() * cells / diffusivity == pytest.approx(19.617, rel=0.02)

    def test_heat_without_gravity_is_conducted(self) -> None:
        flow_domain = replace(heated_box(16, 1e4), gravity=(0.0, 0.0))
        last = solve(flow_domain, Schedule(every=500, most=8000, stop_at=1e-5)).last
        expected = 0.5 - (np.arange(16) + 0.5) / 16
        assert np.abs(last.warmth[1:-1, 1:-1] - expected).max() < 1e-3

    @pytest.mark.slow
    def test_strouhal_number_of_the_cylinder(self) -> None:
        """Williamson, Phys. Fluids 31 (1988): 0.164 at Re 100; a wide tank keeps the blockage below 7 %."""
        diameter, speed = 14, 0.1
        stream = FlowDomain(
            patch=framed_grid(20 * diameter, 15 * diameter, 0, 1, 2, 2),
            patches=(
                Patch(velocity=uniform_velocity(speed)),
                Patch(is_open=True),
                Patch(velocity=uniform_velocity(speed)),
            ),
            viscosity=speed * diameter / 100,
            calm=1.0,  # as the generator has it wherever there is so little viscosity
        )
        stepper = TimeStepper(with_cylinder(stream, diameter, 6 * diameter, 7.55 * diameter), ramp=300)
        stepper.advance(8400)
        trace = []
        while len(trace) < 700:
            stepper.advance(10)
            trace.append(stepper.snapshot().v[round(7.5 * diameter), round(8.5 * diameter)])
        wave = np.array(trace) - np.mean(trace)
        rises = np.flatnonzero((wave[:-1] < 0) & (wave[1:] >= 0))
        assert np.abs(wave).max() > 0.2 * speed
        strouhal = diameter / speed / (10 * np.diff(rises).mean())
        assert strouhal == pytest.approx(0.164, rel=0.1)

    def test_mass_through_an_open_box_is_kept_and_a_drain_takes_its_rate(self) -> None:
        flow_domain = with_cylinder(channel(90, 30, 0.05), 8, 25, 15.5)
        schedule = Schedule(every=300, most=12000, ramp=200, stop_at=3e-4)
        last = solve(flow_domain, schedule).last
        assert last.u[1:-1, 90].sum() == pytest.approx(last.u[1:-1, 1].sum(), rel=2e-3)
        cells = np.flatnonzero(np.arange(flow_domain.patch.size) % 92 == 60)[10:20]
        drained = solve(replace(flow_domain, drain=Drain(cells=cells, rate=0.02)), schedule).last
        lost = drained.u[1:-1, 1].sum() - drained.u[1:-1, 90].sum()
        assert lost == pytest.approx(0.2, rel=0.02)

    def test_mass_of_a_closed_box_is_kept(self) -> None:
        stepper = TimeStepper(cavity(24, 100), ramp=50)
        stepper.advance(1500)
        density = 3 * stepper.snapshot().pressure[1:-1, 1:-1]
        assert abs(density.mean()) < 1e-6

    def test_a_mirrored_tank_gives_the_mirrored_flow(self) -> None:
        flow_domain = with_cylinder(channel(80, 31, 0.08), 9, 25, 16)
        last = solve(flow_domain, Schedule(every=300, most=6000, ramp=200)).last
        fluid = flow_domain.patch == FLUID
        assert np.abs(last.u - last.u[::-1])[fluid].max() < 1e-4 * 0.05
        assert np.abs(last.v + last.v[::-1])[fluid].max() < 1e-4 * 0.05

    def test_a_slipping_wall_lets_the_fluid_along_and_nothing_through(self) -> None:
        flow_domain = channel(60, 20, 0.1)
        slippery = replace(
            flow_domain, patch=framed_grid(60, 20, 1, 2, 0, 3), patches=(*flow_domain.patches, Patch(slip=0.8))
        )
        held, loose = (
            solve(each, Schedule(every=300, most=9000, ramp=200, stop_at=3e-4)) for each in (flow_domain, slippery)
        )
        assert loose.last.u[20, 40] > 1.5 * held.last.u[20, 40]
        x, y = loose.links
        top = (y > 20) & (x > 20) & (x < 50)
        assert loose.wall_velocity[0][top].min() > 0.1 * 0.05
        assert np.abs(loose.wall_velocity[1][top]).max() == 0

    def test_eddy_viscosity_is_the_squared_mixing_length_times_the_shear(self) -> None:
        flow_domain = replace(channel(90, 30, 0.004), calm=1.0)
        away = np.minimum(np.arange(32) - 0.5, 30.5 - np.arange(32)).clip(0)
        length = np.minimum(0.41 * away, 0.09 * 15)
        schedule = Schedule(every=400, most=8000, ramp=300)
        plain = solve(flow_domain, schedule).last
        mixed = solve(replace(flow_domain, mixing=np.repeat(length[:, None], 92, axis=1)), schedule).last
        shear = np.abs(np.gradient(mixed.u[:, 70]))
        expected = (length**2 * shear)[6:-6]
        assert np.abs(mixed.eddy[6:-6, 70] - expected).max() < 0.03 * expected.max()
        assert mixed.u[1, 80] > 1.4 * plain.u[1, 80]
        assert plain.eddy[1:-1, 80].max() < 1e-6

    def test_the_same_tank_gives_the_same_bytes(self) -> None:
        first, second = (TimeStepper(heated_box(20, 1e4), ramp=10) for _ in range(2))
        for stepper in (first, second):
            stepper.advance(300)
        assert first.snapshot().u.tobytes() == second.snapshot().u.tobytes()
        assert first.snapshot().warmth.tobytes() == second.snapshot().warmth.tobytes()

    @pytest.mark.slow
    def test_flow_over_a_step_comes_back_to_the_wall(self) -> None:
        """Erturk, Computers & Fluids 37 (2008): 2.922 and 4.982 step heights at Re 100 and 200, expansion by 2."""
        step, mean = 20, 0.06
        for reynolds, expected in ((100, 2.922), (200, 4.982)):
            flow_domain = channel(14 * step, 2 * step, 2 * step * mean / reynolds, mean)
            patch = flow_domain.patch.copy()
            patch[: step + 1, : 3 * step + 1] = 0

            def parabola(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
                s = np.clip((y - 0.5) / step - 1, 0, 1)
                return 6 * mean * s * (1 - s), np.zeros_like(x)

            patches = (flow_domain.patches[0], Patch(velocity=parabola), flow_domain.patches[2])
            solution = solve(
                replace(flow_domain, patch=patch, patches=patches),
                Schedule(every=500, most=30000, ramp=500, stop_at=2e-3),
            )
            near = solution.last.u[1, 3 * step + 1 : -1]
            turn = int(np.flatnonzero(near < 0)[-1])
            place = turn + 0.5 + near[turn] / (near[turn] - near[turn + 1])
            assert place / step == pytest.approx(expected, rel=0.05)


class TestDuct:
    @pytest.mark.parametrize(("is_pipe", "peak", "loss", "entry"), [(False, 1.5, 12, 0.044), (True, 2.0, 32, 0.0565)])
    def test_laminar_duct(self, is_pipe: bool, peak: float, loss: float, entry: float) -> None:
        """Peak, Poiseuille's pressure loss, and the length to 99 % of the peak over Re (White, Viscous Fluid Flow)."""
        reynolds = 100.0
        flow = solve_duct(Duct(viscosity=1 / reynolds, length=20, is_pipe=is_pipe), 60, 1e-7)
        assert flow.u[-1].max() == pytest.approx(peak, rel=0.01)
        assert -flow.pressure_gradient[-1] * reynolds == pytest.approx(loss, rel=0.01)
        middle = flow.u[:, 0 if is_pipe else flow.y.size // 2]
        assert np.interp(0.99 * peak, middle, flow.x) / reynolds == pytest.approx(entry, rel=0.03)

    @pytest.mark.parametrize("reynolds", [1e4, 1e5])
    def test_turbulent_pipe_loses_pressure_as_blasius_found(self, reynolds: float) -> None:
        duct = Duct(viscosity=1 / reynolds, length=60, is_pipe=True, has_closure=True)
        flow = solve_duct(duct, 80, 1e-5)
        assert -2 * flow.pressure_gradient[-1] == pytest.approx(0.316 * reynolds**-0.25, rel=0.05)

    @pytest.mark.parametrize("is_pipe", [False, True])
    def test_porous_stretch_takes_its_share_through_the_wall(self, is_pipe: bool) -> None:
        duct = Duct(viscosity=0.01, length=10, is_pipe=is_pipe, leak=(0.4, 0.7, 0.2))
        flow = solve_duct(duct, 60, 1e-6)
        edges = cell_faces(duct)
        area = np.pi * np.diff(edges**2) if is_pipe else np.diff(edges)
        assert (flow.u[-1] * area).sum() == pytest.approx(0.8 * area.sum())
        middle = duct.stations * 11 // 20
        assert flow.v[middle, -1] == pytest.approx(flow.seepage[middle], rel=0.05)
        assert abs(flow.v[middle, 0]) < 0.02 * flow.seepage[middle]

    def test_slip_length(self) -> None:
        """Plane flow with slip length b at one wall: the wall's speed is 6 b / (1 + 4 b) of the mean."""
        flow = solve_duct(Duct(viscosity=0.02, length=20, slip=0.05), 80, 1e-7)
        assert flow.wall_speed[-1] == pytest.approx(6 * 0.05 / (1 + 4 * 0.05), rel=0.02)

    def test_sweeps_draw_together(self) -> None:
        residuals = solve_duct(Duct(viscosity=0.01, length=10), 12).residuals
        assert residuals.shape == (2, 12)
        assert (residuals[:, -1] < 1e-4 * residuals[:, 0]).all()
