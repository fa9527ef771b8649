"""The plots of a report page as SVG: a few kilobytes each, in the page's own colours, without Matplotlib."""
