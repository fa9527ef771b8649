"""Plane solids by finite elements: nine-node quadrilaterals, with scikit-fem and SciPy."""
