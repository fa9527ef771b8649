"""Kinds of places: each a function that lays out grounds, roads and things by means of a builder."""
