"""Flow solvers: a lattice-Boltzmann method for plane flows with heat, and a marching scheme for channels and pipes.

tank            what is to be computed: cells, patches of boundary, viscosity, closure, gravity
links           how boundaries are met by the populations that come from them
march           time steps, residuals, snapshots
duct            developing flow between plates or in a pipe, by implicit sweeps
*_kernels       the compiled loops
"""
