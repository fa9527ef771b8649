"""One graded sample as pages show it: the pages differ in layout, not in content.

reader   `SampleReader`: samples, journal and saved replies of a run by position
view     `SampleView`: all that a page shows of one sample (`load_sample`)
media    images with overlays of truth and reply, texts, and drawings of the suite
texts    text from outside: truncated, with hidden characters made visible
"""
