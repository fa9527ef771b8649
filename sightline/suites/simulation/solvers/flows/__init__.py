"""Flow solvers: a lattice-Boltzmann method for plane flows with heat, and a marching scheme for channels and pipes.

flow_domain        grid, boundary patches, viscosity, turbulence closure, gravity
boundary_links     boundary conditions on the lattice links that cross walls and openings
lattice_boltzmann  time steps, snapshots, stopping criterion, residual history
duct               developing flow between plates or in a pipe, by implicit sweeps
kernels            Numba kernels
"""
