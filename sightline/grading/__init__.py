"""From journal and truth to grades, metrics and logs; never asks."""
