"""The solver of solids against textbooks: each test names the formula or the figure that it is held to."""

from __future__ import annotations

import numpy as np
import pytest

from sightline.suites.simulation.solvers.solids.elasticity import (
    Elastic,
    SupportCondition,
    pressure_load,
    strain_at_points,
    stress_at_points,
    traction_load,
)
from sightline.suites.simulation.solvers.solids.elements import make_space, recover_nodal_values
from sightline.suites.simulation.solvers.solids.interpolation import interpolate
from sightline.suites.simulation.solvers.solids.mesh import (
    Array,
    Mesh,
    bar,
    bracket,
    disc,
    graded_nodes,
    half_ring,
    join_blocks,
    notched_bar,
    plate_with_hole,
    ruled_block,
)
from sightline.suites.simulation.solvers.solids.plasticity import (
    NewtonState,
    Plastic,
    PlasticProblem,
    initial_state,
    radial_return,
    solve_load_step,
    unloaded_state,
)
from sightline.suites.simulation.solvers.solids.statics import (
    Iteration,
    Problem,
    conjugate_gradients,
    direct_solver,
    linear_buckling_factor,
    make_problem,
    make_torsion_problem,
    resultant,
    shear_at_points,
    strut_factor,
    torque_from_stress_function,
)

STEEL = Elastic(young=210e9, poisson=0.3, expansion=12e-6, thickness=0.05)


def left(mesh: Mesh) -> np.ndarray:
    low = mesh.points[:, 0].min()
    return mesh.edge(lambda x, y: x < low + 1e-9)


def right(mesh: Mesh) -> np.ndarray:
    high = mesh.points[:, 0].max()
    return mesh.edge(lambda x, y: x > high - 1e-9)


def wall(mesh: Mesh, edges: np.ndarray) -> tuple[SupportCondition, SupportCondition]:
    return SupportCondition(name="wall", edges=edges, axis=0), SupportCondition(
        name="wall", edges=edges, axis=1, on_average=True
    )


def clamped(mesh: Mesh, elastic: Elastic = STEEL) -> Problem:
    return make_problem(make_space(mesh), elastic, wall(mesh, left(mesh)))


def cold(problem: Problem) -> Array:
    return np.zeros(len(problem.space.mesh.points))


def pulled(problem: Problem, stress: float = 1.0) -> Array:
    mesh = problem.space.mesh
    return traction_load(mesh, right(mesh), problem.elastic.thickness, lambda x, y: (stress + 0 * x, 0 * y))


def sheared(problem: Problem, force: float) -> Array:
    """A parabola of shear on the right end, as beam theory has it."""
    mesh, depth = problem.space.mesh, np.ptp(problem.space.mesh.points[:, 1])
    peak = 1.5 * force / (depth * problem.elastic.thickness)
    return traction_load(
        mesh, right(mesh), problem.elastic.thickness, lambda x, y: (0 * x, peak * (1 - 4 * y**2 / depth**2))
    )


def node_at(mesh: Mesh, x: float, y: float) -> int:
    return int(np.hypot(mesh.points[:, 0] - x, mesh.points[:, 1] - y).argmin())


class TestElasticity:
    @pytest.mark.parametrize("is_plane_strain", [False, True])
    def test_patch_of_skewed_elements_bears_a_uniform_strain_exactly(self, is_plane_strain: bool) -> None:
        """The patch test (Irons): linear displacements on the rim must give them everywhere."""
        corners = np.array([[[0.0, 0.0], [0.1, 0.9]], [[1.2, -0.2], [1.0, 1.1]]])
        s = graded_nodes(4)
        block = ruled_block(
            ruled_block(corners[:1, 0], corners[1:, 0], s)[0],
            ruled_block(corners[:1, 1], corners[1:, 1], s)[0],
            graded_nodes(3, 1.4),
        )
        elastic = Elastic(young=7.0, poisson=0.25, is_plane_strain=is_plane_strain)
        space = make_space(join_blocks([block]))
        problem = make_problem(space, elastic, ())
        x, y = space.mesh.points.T
        exact = np.stack([0.02 * x + 0.01 * y, -0.005 * x + 0.03 * y], axis=1).ravel()
        rim = np.unique(space.mesh.rim)
        fixed = np.zeros(space.size, dtype=bool)
        fixed[2 * rim] = fixed[2 * rim + 1] = True
        matrix = problem.body.toarray()
        inner = np.linalg.solve(matrix[~fixed][:, ~fixed], -matrix[~fixed][:, fixed] @ exact[fixed])
        assert inner == pytest.approx(exact[~fixed], abs=1e-14)
        stress = stress_at_points(space, elastic, exact, np.zeros(len(x)))
        assert stress == pytest.approx(np.broadcast_to(elastic.matrix @ [0.02, 0.03, 0.005], stress.shape))
        assert recover_nodal_values(space, stress) == pytest.approx(np.broadcast_to(stress[0, 0], (len(x), 3)))

    def test_cantilever_bends_as_timoshenko_says(self) -> None:
        """Tip: F L^3 / (3 E I) + F L / (k G A), k = 5/6 (Timoshenko, Strength of Materials I)."""
        length, depth, force = 1.0, 0.2, -1000.0
        problem = clamped(bar(length, depth, 8))
        load = sheared(problem, force)
        moved = direct_solver(problem)(load, cold(problem))
        inertia, area, shear = 0.05 * depth**3 / 12, 0.05 * depth, STEEL.young / 2.6
        tip = force * length**3 / (3 * STEEL.young * inertia) + 1.2 * force * length / (shear * area)
        assert moved[2 * node_at(problem.space.mesh, length, 0.0) + 1] == pytest.approx(tip, rel=0.01)
        reaction = problem.reactions(moved, load, cold(problem))
        assert reaction == pytest.approx([0, -force, -force * length], abs=1e-6)
        stress = problem.nodal_stress(moved, cold(problem))
        middle = node_at(problem.space.mesh, length / 2, depth / 2)
        assert stress[middle, 0] == pytest.approx(-force * length / 2 * depth / 2 / inertia, rel=0.01)

    @pytest.mark.parametrize("is_plane_strain", [False, True])
    def test_ring_under_pressure_is_lame(self, is_plane_strain: bool) -> None:
        """Stresses and bore displacement of Lame's thick cylinder (Timoshenko & Goodier, Theory of Elasticity, 28)."""
        a, b, p = 0.1, 0.2, 50e6
        elastic = Elastic(young=210e9, poisson=0.3, thickness=0.02, is_plane_strain=is_plane_strain)
        mesh = half_ring(a, b, 6)
        cut = left(mesh)
        supports = wall(mesh, cut)
        problem = make_problem(make_space(mesh), elastic, supports)
        bore = mesh.edge(lambda x, y: np.hypot(x, y) < a * 1.0001)
        load = pressure_load(mesh, bore, 0.02, lambda x, y: p + 0 * x)
        assert resultant(problem, load) == pytest.approx([2 * a * p * 0.02, 0, 0], abs=1e-3 * a * p * 0.02)
        moved = direct_solver(problem)(load, cold(problem))
        at = node_at(mesh, a, 0.0)
        stress = problem.nodal_stress(moved, cold(problem))[at]
        hoop = p * (a**2 + b**2) / (b**2 - a**2)
        assert stress[1] == pytest.approx(hoop, rel=0.01)
        assert stress[0] == pytest.approx(-p, rel=0.02)
        axial = 0.3 * (hoop - p) if is_plane_strain else 0.0
        assert moved[2 * at] == pytest.approx(a / 210e9 * (hoop + 0.3 * p - 0.3 * axial), rel=0.01)
        assert problem.reactions(moved, load, cold(problem))[0] == pytest.approx(-2 * a * p * 0.02, rel=1e-4)

    def test_hole_triples_the_stress(self) -> None:
        """Kirsch: 3 at the hole of an infinite plate; a/W = 0.05 adds under one per cent (Howland)."""
        problem = clamped(plate_with_hole(3.0, 2.0, 0.1, 12))
        moved = direct_solver(problem)(pulled(problem), cold(problem))
        stress = problem.nodal_stress(moved, cold(problem))
        mesh = problem.space.mesh
        assert stress[node_at(mesh, 0.0, 0.1), 0] == pytest.approx(3.0, rel=0.03)
        assert stress[node_at(mesh, 0.1, 0.0), 1] == pytest.approx(-1.0, rel=0.05)

    @pytest.mark.parametrize(("share", "net"), [(0.2, 2.51), (0.4, 2.25)])
    def test_hole_in_a_strip_of_finite_width(self, share: float, net: float) -> None:
        """K_t on the net section, by Heywood: 2 + (1 - d/W)^3; Peterson's chart has 2.51 and 2.24."""
        problem = clamped(plate_with_hole(4.0, 1.0, share, 12))
        moved = direct_solver(problem)(pulled(problem), cold(problem))
        peak = problem.nodal_stress(moved, cold(problem))[:, 0].max()
        assert peak * (1 - share) == pytest.approx(net, rel=0.03)

    @pytest.mark.parametrize("q", [0.1, 0.2, 0.4])
    def test_opposite_notches(self, q: float) -> None:
        """K_t of opposite half-round notches on the net section, after Peterson (chart 2.4) as fitted by Roark.

        Roark, Formulas for Stress and Strain, table 17.1, two U-notches, h/r = 1; q is both depths over the bar's.
        """
        problem = clamped(notched_bar(8.0, 2.0, q, 32, both_sides=True))
        moved = direct_solver(problem)(pulled(problem), cold(problem))
        peak = problem.nodal_stress(moved, cold(problem))[:, 0].max()
        assert peak * (1 - q) == pytest.approx(3.065 - 3.370 * q + 0.647 * q**2 + 0.658 * q**3, rel=0.05)

    def test_edge_notch_under_tension(self) -> None:
        """A shallow half-round notch in a wide edge: 3.065 (Ling; Peterson, 2.3.1); its bar also bends a little."""
        problem = clamped(notched_bar(8.0, 2.0, 0.04, 32, both_sides=False))
        moved = direct_solver(problem)(pulled(problem), cold(problem))
        peak = problem.nodal_stress(moved, cold(problem))[:, 0].max()
        assert peak == pytest.approx(3.065, rel=0.05)

    def test_heated_strip_between_walls_and_free(self) -> None:
        """-E alpha dT where both ends are held; nothing where one is free."""
        mesh = bar(1.0, 0.1, 4)
        space, heating = make_space(mesh), np.full(len(mesh.points), 80.0)
        held = make_problem(
            space, STEEL, (*wall(mesh, left(mesh)), SupportCondition(name="far", edges=right(mesh), axis=0))
        )
        nothing = np.zeros(space.size)
        stress = held.nodal_stress(direct_solver(held)(nothing, heating), heating)
        assert stress[:, 0] == pytest.approx(-210e9 * 12e-6 * 80, rel=1e-9)
        assert np.abs(stress[:, 1:]).max() < 1.0
        free = make_problem(space, STEEL, wall(mesh, left(mesh)))
        moved = direct_solver(free)(nothing, heating)
        assert np.abs(free.nodal_stress(moved, heating)).max() < 1.0
        assert moved[2 * node_at(mesh, 1.0, 0.0)] == pytest.approx(12e-6 * 80, rel=1e-9)

    def test_plane_strain_grows_more_and_presses_across(self) -> None:
        """Growth in the plane is (1 + nu) alpha dT where the slice can't grow across (Timoshenko & Goodier, 150)."""
        mesh = bar(1.0, 0.1, 4)
        elastic = Elastic(young=210e9, poisson=0.3, expansion=12e-6, is_plane_strain=True)
        problem, heating = clamped(mesh, elastic), np.full(len(mesh.points), 80.0)
        moved = direct_solver(problem)(np.zeros(problem.space.size), heating)
        assert moved[2 * node_at(mesh, 1.0, 0.0)] == pytest.approx(1.3 * 12e-6 * 80, rel=1e-9)

    def test_hot_bore_of_a_ring(self) -> None:
        """Hoop stress at the bore for a logarithmic temperature, plane stress (Timoshenko & Goodier, 151)."""
        a, b, hot = 0.1, 0.2, 60.0
        mesh = half_ring(a, b, 8)
        problem = make_problem(make_space(mesh), STEEL, wall(mesh, left(mesh)))
        heating = hot * np.log(b / np.hypot(*mesh.points.T)) / np.log(b / a)
        moved = direct_solver(problem)(np.zeros(problem.space.size), heating)
        ratio = np.log(b / a)
        hoop = 210e9 * 12e-6 * hot / (2 * ratio) * (1 - 2 * b**2 / (b**2 - a**2) * ratio)
        assert problem.nodal_stress(moved, heating)[node_at(mesh, a, 0.0), 1] == pytest.approx(hoop, rel=0.02)

    def test_reactions_answer_the_loads_of_a_bracket(self) -> None:
        mesh = bracket(0.5, 0.4, 0.08, 0.03, 8)
        top = mesh.edge(lambda x, y: y > 0.4 - 1e-9)
        supports = (
            SupportCondition(name="top", edges=top, axis=1),
            SupportCondition(name="top", edges=top, axis=0, on_average=True),
        )
        problem = make_problem(make_space(mesh), STEEL, supports)
        load = traction_load(mesh, right(mesh), 0.05, lambda x, y: (2e6 + 0 * x, -3e6 + 0 * x))
        moved = direct_solver(problem)(load, cold(problem))
        applied = resultant(problem, load)
        assert applied[:2] == pytest.approx([2e6 * 0.004, -3e6 * 0.004])
        assert problem.reactions(moved, load, cold(problem)) == pytest.approx(-applied, rel=1e-6)

    def test_a_spring_gives_way_by_force_over_stiffness(self) -> None:
        mesh = bar(1.0, 0.1, 4)
        edges = left(mesh)
        soft = (
            SupportCondition(name="wall", edges=edges, axis=0, spring=5e7),
            SupportCondition(name="wall", edges=edges, axis=1, on_average=True, spring=2e6),
        )
        problem = make_problem(make_space(mesh), STEEL, soft)
        load = pulled(problem, 1e6) + sheared(problem, 10.0)
        moved = direct_solver(problem)(load, cold(problem))
        nodes = np.unique(edges)
        assert moved[2 * node_at(mesh, 0.0, 0.0)] == pytest.approx(1e6 * 0.005 / 5e7, rel=1e-3)
        assert moved[2 * nodes + 1].mean() == pytest.approx(10.0 / 2e6, rel=0.05)
        assert problem.reactions(moved, load, cold(problem)) == pytest.approx(-resultant(problem, load), rel=1e-6)

    def test_mirrored_loads_give_mirrored_fields(self) -> None:
        problem = clamped(plate_with_hole(3.0, 2.0, 0.6, 8))
        mesh = problem.space.mesh
        moved = direct_solver(problem)(pulled(problem), cold(problem)).reshape(-1, 2)
        order = np.lexsort(np.round(mesh.points, 6).T)
        mirrored = np.lexsort(np.round(mesh.points * [1, -1], 6).T)
        assert moved[order] == pytest.approx(moved[mirrored] * [1, -1], abs=1e-9 * np.abs(moved).max())

    def test_displacement_converges_with_the_third_power(self) -> None:
        """Quadratic elements: the error of the displacement falls by 2^3 where elements halve (Strang & Fix)."""
        a, b = 1.0, 2.0
        elastic = Elastic(young=1.0, poisson=0.3)
        errors = []
        for fine in (2, 4, 8):
            mesh = half_ring(a, b, fine)
            problem = make_problem(make_space(mesh), elastic, wall(mesh, left(mesh)))
            bore = mesh.edge(lambda x, y: np.hypot(x, y) < 1.001 * a)
            load = pressure_load(mesh, bore, 1.0, lambda x, y: 1 + 0 * x)
            moved = direct_solver(problem)(load, cold(problem))
            x, y = mesh.points.T
            r = np.hypot(x, y)
            radial = a**2 / (b**2 - a**2) * (0.7 * r + 1.3 * b**2 / r)
            exact = np.stack([radial * x / r, radial * y / r], axis=1).ravel()
            errors.append(float(np.sqrt(np.mean((moved - exact) ** 2))))
        rates = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
        assert rates.min() > 2.7

    def test_conjugate_gradients_reach_the_direct_solution(self) -> None:
        problem = clamped(bar(1.0, 0.2, 6))
        load = sheared(problem, -1e3)
        forces = problem.freedoms.T @ load
        sizes: list[float] = []

        def keep(state: Iteration) -> bool:
            sizes.append(float(np.linalg.norm(state.residual) / np.linalg.norm(forces)))
            return sizes[-1] > 1e-9

        found = conjugate_gradients(problem.reduced, forces, np.zeros_like(forces), 5000, keep)
        exact = direct_solver(problem)(load, cold(problem))
        assert problem.freedoms @ found.solution == pytest.approx(exact, abs=1e-7 * np.abs(exact).max())
        true = forces - problem.reduced @ found.solution
        assert np.linalg.norm(true) / np.linalg.norm(forces) == pytest.approx(sizes[-1], rel=0.1)

    def test_an_early_stop_leaves_the_reactions_short_by_the_residual(self) -> None:
        problem = clamped(bar(1.0, 0.2, 6))
        load = pulled(problem, 1e6)
        forces = problem.freedoms.T @ load
        start = 0.8 * (problem.freedoms.T @ direct_solver(problem)(load, cold(problem)))
        found = conjugate_gradients(problem.reduced, forces, start, 3, lambda state: True)
        reaction = problem.reactions(problem.freedoms @ found.solution, load, cold(problem))
        assert 0.02 < 1 + reaction[0] / resultant(problem, load)[0] < 0.3

    def test_values_between_nodes(self) -> None:
        mesh = plate_with_hole(3.0, 2.0, 0.5, 6)
        points = np.array([[0.0, 0.0], [2.9, 1.9], [0.0, 0.51], [3.0, 2.0], [3.1, 0.0], [-3.0, -2.0], [0.4, 0.2]])
        linear = mesh.points @ np.array([2.0, -1.0])
        found = interpolate(mesh, mesh.points, linear, points)
        assert np.isnan(found) == pytest.approx([True, False, False, False, True, False, True])
        inside = ~np.isnan(found)
        assert found[inside] == pytest.approx((points @ np.array([2.0, -1.0]))[inside])


class TestStability:
    @pytest.mark.parametrize(("far_end", "effective"), [("free", 2.0), ("guided", 1.0), ("clamped", 0.5)])
    def test_columns_buckle_at_the_load_of_euler(self, far_end: str, effective: float) -> None:
        """P = pi^2 E I / (k L)^2, with the shear of a slender column left out (Timoshenko & Gere, 2.1)."""
        length, depth = 1.0, 0.025
        mesh = bar(length, depth, 2)
        supports = wall(mesh, left(mesh))
        if far_end != "free":
            # a guided end stays plane and upright; a clamped one stays at its height as well
            supports = (*supports, *wall(mesh, right(mesh))[1:]) if far_end == "clamped" else supports
        problem = make_problem(make_space(mesh), STEEL, supports)
        stiff = _with_plane_end(problem) if far_end != "free" else problem
        force = STEEL.thickness * depth * 1e6
        factor = linear_buckling_factor(stiff, *_pushed(stiff))
        euler = np.pi**2 * STEEL.young * STEEL.thickness * depth**3 / 12 / (effective * length) ** 2
        assert factor * force == pytest.approx(euler, rel=0.01)

    def test_tension_never_buckles(self) -> None:
        problem = clamped(bar(1.0, 0.05, 2))
        moved = direct_solver(problem)(pulled(problem, 1e6), cold(problem))
        assert linear_buckling_factor(problem, moved, cold(problem)) == np.inf

    @pytest.mark.parametrize(("both_clamped", "effective"), [(False, 2.0), (True, 0.5)])
    def test_struts(self, both_clamped: bool, effective: float) -> None:
        """Euler's two cases, for the beam that stands for buckling out of the plane."""
        factor = strut_factor(2.0, np.full(24, 7.0), np.full(24, 1.0), both_clamped=both_clamped)
        assert factor == pytest.approx(np.pi**2 * 7.0 / (effective * 2.0) ** 2, rel=1e-4)
        assert strut_factor(2.0, np.full(24, 7.0), np.full(24, -1.0), both_clamped=both_clamped) == np.inf


def _with_plane_end(problem: Problem) -> Problem:
    """Springs that keep the right end plane and upright, and let it move along x as a whole."""
    from msgspec.structs import replace
    from scipy import sparse

    mesh = problem.space.mesh
    nodes = 2 * np.unique(right(mesh))
    even = np.eye(nodes.size) - 1 / nodes.size
    rows, columns = np.repeat(nodes, nodes.size), np.tile(nodes, nodes.size)
    size = problem.space.size
    stiff = 1e3 * STEEL.young * STEEL.thickness * sparse.coo_matrix((even.ravel(), (rows, columns)), shape=(size, size))
    return replace(problem, springs=(problem.springs + stiff).tocsc())


def _pushed(problem: Problem) -> tuple[Array, Array]:
    return direct_solver(problem)(pulled(problem, -1e6), cold(problem)), cold(problem)


class TestPlasticity:
    LAW = Plastic(elastic=STEEL, yield_strength=250e6, hardening=210e9 / 49)
    """Young's modulus beyond yield is a fiftieth."""

    def test_a_point_under_shear_yields_by_von_mises(self) -> None:
        """Yield in shear at 1/sqrt(3) of that in tension; the stress comes back to the cylinder."""
        shear = 210e9 / 2.6
        limit = 250e6 / np.sqrt(3) / shear
        for factor, flows in ((0.99, False), (1.5, True)):
            answer = radial_return(self.LAW, initial_state((1,)), np.array([[0.0, 0.0, factor * limit]]), np.zeros(1))
            assert (answer.flow.equivalent[0] > 0) == flows
            sx, sy, sz, txy = answer.flow.stress[0]
            assert sz == pytest.approx(0, abs=1.0)
            mises = np.sqrt(sx**2 - sx * sy + sy**2 + 3 * txy**2)
            grown = 250e6 + self.LAW.hardening * answer.flow.equivalent[0]
            assert mises == pytest.approx(grown if flows else 0.99 * 250e6, rel=1e-9)

    def test_tangent_is_the_derivative(self) -> None:
        rng = np.random.default_rng(1)
        strain = 3e-3 * rng.standard_normal((20, 3))
        answer = radial_return(self.LAW, initial_state((20,)), strain, np.zeros(20))
        for k in range(3):
            step = np.zeros(3)
            step[k] = 1e-8
            up, down = (
                radial_return(self.LAW, initial_state((20,)), strain + side * step, np.zeros(20)).flow.stress
                for side in (1, -1)
            )
            slope = (up - down)[:, [0, 1, 3]] / 2e-8
            assert slope == pytest.approx(answer.tangent[:, :, k], abs=1e-4 * 210e9)

    def test_a_bar_follows_the_bilinear_law(self) -> None:
        problem = clamped(bar(1.0, 0.1, 2))
        task = _task(problem, self.LAW, pulled(problem, 300e6))
        step, _ = _marched(task, (0.5, 0.9, 1.0))
        tip = step.displacement[2 * node_at(problem.space.mesh, 1.0, 0.0)]
        assert tip == pytest.approx(250e6 / 210e9 + 50e6 / (210e9 / 50), rel=1e-6)
        assert step.flow.stress[..., 0] == pytest.approx(300e6, rel=1e-6)

    def test_a_heated_bar_between_walls_flows_as_a_strain_gives(self) -> None:
        mesh = bar(1.0, 0.1, 2)
        supports = (*wall(mesh, left(mesh)), SupportCondition(name="far", edges=right(mesh), axis=0))
        problem = make_problem(make_space(mesh), STEEL, supports)
        task = _task(problem, self.LAW, np.zeros(problem.space.size), np.full(len(mesh.points), 150.0))
        step, _ = _marched(task, (0.5, 1.0))
        forced = 12e-6 * 150
        expected = 250e6 + (forced - 250e6 / 210e9) * 210e9 / 50
        assert step.flow.stress[..., 0] == pytest.approx(-expected, rel=1e-6)

    def test_newton_is_quadratic_and_loads_are_borne(self) -> None:
        problem = clamped(plate_with_hole(2.0, 1.0, 0.3, 8))
        task = _task(problem, self.LAW, pulled(problem, 120e6))
        step, sizes = _marched(task, (0.6, 1.0))
        assert step.flow.equivalent.max() > 1e-4
        last = [size for size in sizes[-5:] if size > 1e-13]
        assert last[-1] < 10 * last[-2] ** 1.5
        missing = problem.freedoms.T @ step.residual
        assert np.abs(missing).max() < 1e-6 * np.abs(task.load).max()
        assert resultant(problem, step.residual)[0] == pytest.approx(resultant(problem, task.load)[0], rel=1e-8)

    def test_pressurised_ring_first_yields_at_the_bore(self) -> None:
        """Plane stress, Lame's stresses at the bore put into von Mises: p (sqrt(3 b^4 + a^4)) / (b^2 - a^2) = yield."""
        a, b = 0.1, 0.2
        limit = 250e6 * (b**2 - a**2) / np.sqrt(3 * b**4 + a**4)
        elastic = Elastic(young=210e9, poisson=0.3, thickness=0.05)
        law = Plastic(elastic=elastic, yield_strength=250e6, hardening=1e9)
        for factor, flows in ((0.98, False), (1.04, True)):
            task, _ = _ring(a, b, law, factor * limit)
            step, _ = _marched(task, (1.0,))
            assert (step.flow.equivalent.max() > 0) == flows

    @pytest.mark.slow
    def test_pressurised_ring_collapses_at_the_plastic_limit(self) -> None:
        """Plane strain, no hardening to speak of: 2 / sqrt(3) yield ln(b/a) (Hill, The Mathematical Theory, V.2)."""
        a, b = 0.1, 0.2
        limit = 2 / np.sqrt(3) * 250e6 * np.log(b / a)
        elastic = Elastic(young=210e9, poisson=0.3, thickness=1.0, is_plane_strain=True)
        law = Plastic(elastic=elastic, yield_strength=250e6, hardening=210e9 / 1e4)
        task, problem = _ring(a, b, law, 1.1 * limit)
        bore = 2 * node_at(problem.space.mesh, a, 0.0)
        step, moved = unloaded_state(task), []
        shares = np.array([0.6, 0.7, 0.8, 0.85, 0.88, 0.9, 0.92, 0.95, 0.98, 1.03]) / 1.1
        for share in shares:
            step = solve_load_step(task, step, float(share), 1.0, _until(task, 1e-8))
            moved.append(float(step.displacement[bore]))
        # through the wall: all of it flows at the limit, and what is beyond is borne by the trace of hardening alone
        rates = np.diff(moved) / np.diff(shares)
        assert rates[-1] > 50 * rates[0]
        flowing = [k for k, rate in enumerate(rates) if rate > 10 * rates[0]]
        assert shares[flowing[0] + 1] * 1.1 == pytest.approx(1.0, abs=0.04)


def _task(problem: Problem, law: Plastic, load: Array, heating: Array | None = None) -> PlasticProblem:
    return PlasticProblem(
        space=problem.space,
        law=law,
        freedoms=problem.freedoms,
        springs=problem.springs,
        load=load,
        heating=cold(problem) if heating is None else heating,
    )


def _ring(a: float, b: float, law: Plastic, pressure: float) -> tuple[PlasticProblem, Problem]:
    mesh = half_ring(a, b, 8)
    problem = make_problem(make_space(mesh), law.elastic, wall(mesh, left(mesh)))
    bore = mesh.edge(lambda x, y: np.hypot(x, y) < 1.001 * a)
    return _task(problem, law, pressure_load(mesh, bore, law.elastic.thickness, lambda x, y: pressure + 0 * x)), problem


def _until(task: PlasticProblem, tolerance: float, sizes: list[float] | None = None):
    scale = float(np.linalg.norm(task.freedoms.T @ task.load)) or 1e5
    count = 0

    def keep(step: NewtonState) -> bool:
        nonlocal count
        count += 1
        size = float(np.linalg.norm(task.freedoms.T @ step.residual)) / scale
        if sizes is not None:
            sizes.append(size)
        return size > tolerance and count < 40

    return keep


def _marched(task: PlasticProblem, shares: tuple[float, ...]) -> tuple[NewtonState, list[float]]:
    step, sizes = unloaded_state(task), []
    for share in shares:
        step = solve_load_step(task, step, share, 1.0, _until(task, 1e-10, sizes))
    assert sizes[-1] <= 1e-10
    return step, sizes


class TestTorsion:
    def test_square_and_rectangle(self) -> None:
        """Torsion constants and peak shear of a square and of 2 : 1 (Timoshenko & Goodier, 109: k1, k, k2)."""
        for height, k, k1, k2 in ((1.0, 0.675, 0.1406, 0.208), (2.0, 0.930, 0.229, 0.246)):
            space = make_space(bar(height, 1.0, 10))
            problem = make_torsion_problem(space)
            function = np.zeros(len(space.mesh.points))
            function[problem.inner] = np.linalg.solve(problem.stiffness.toarray(), problem.load)
            torque = torque_from_stress_function(space, function)
            assert torque == pytest.approx(k1 * height, rel=5e-3)
            shear = np.hypot(*recover_nodal_values(space, shear_at_points(space, function)).T)
            assert shear.max() == pytest.approx(k, rel=0.01)
            assert torque / shear.max() == pytest.approx(k2 * height, rel=0.01)

    def test_ellipse(self) -> None:
        """T = pi a^3 b^3 G theta / (a^2 + b^2), peak 2 T / (pi a b^2) at the near side (Saint-Venant)."""
        a, b = 2.0, 1.0
        space = make_space(disc(a, b, 8))
        problem = make_torsion_problem(space)
        function = np.zeros(len(space.mesh.points))
        function[problem.inner] = np.linalg.solve(problem.stiffness.toarray(), problem.load)
        torque = torque_from_stress_function(space, function)
        assert torque == pytest.approx(np.pi * a**3 * b**3 / (a**2 + b**2), rel=1e-3)
        shear = np.hypot(*recover_nodal_values(space, shear_at_points(space, function)).T)
        assert shear.max() == pytest.approx(2 * torque / (np.pi * a * b**2), rel=0.02)
        assert abs(space.mesh.points[shear.argmax()]) == pytest.approx([0, b], abs=0.01)


def test_strain_of_a_rotation_is_none() -> None:
    space = make_space(disc(2.0, 1.0, 4))
    x, y = space.mesh.points.T
    assert np.abs(strain_at_points(space, np.stack([-y, x], axis=1).ravel())).max() < 1e-12
