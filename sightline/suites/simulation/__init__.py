"""True/false questions on simulation images, videos and reports, after the SeeSim question set."""
