"""Plots: Matplotlib files for papers (`draw`) and SVG charts for pages (`page_charts`), from one `prepare`."""
