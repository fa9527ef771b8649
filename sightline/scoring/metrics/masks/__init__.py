"""Segmentation: masks of polygons against the true ones, as a whole or one by one."""
