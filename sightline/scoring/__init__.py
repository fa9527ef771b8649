"""Scoring: parsers, scorers, metrics, the evaluator, engines, the grades table."""
