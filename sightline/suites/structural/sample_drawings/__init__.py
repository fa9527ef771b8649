"""Truth and reply as drawings for people, with the wrong parts in red.

faults     the diagnosis' problems as parts of either model
ink        parts of a model on a sheet: in a colour, or as dashed ghosts
writing    sizes of loads and dimensions, where there is room for them
portrait   a model as a drawing
answers    what the loads do to it: moments or bar forces, and the deflected shape
compose    all drawings of a sample: the suite's hook
"""
