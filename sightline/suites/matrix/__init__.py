"""Capability matrix suite: perception, understanding, reasoning and action, each at four levels."""
