"""Reports: tables, plots, one-file HTML, sample view."""
