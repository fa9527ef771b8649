"""One graded sample as people look at it, for pages of any kind: pages differ in how they lay out, not in what is told.

reader     a sample of a run, read again from its data set, with what the journal holds of it
shown      all that is told of one sample: `load_sample`
plates     its media: pictures with shapes over them, texts, or a word why not
pictures   bytes that a browser may have, and only from the data set itself
overlays   truth and reply as shapes over a picture: `overlay_svg`
drawings   what a suite draws of truth and reply itself
prompts    what was asked, part by part
texts      other people's text: cut where it is endless, with nothing hidden in it
"""
