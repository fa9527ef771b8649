"""Solvers whose fields the generator draws and measures: physics only, no pictures and no questions."""
