"""Code inside the sandbox: a zygote process with preloaded libraries, and its children that run one program each.

Only the standard library is imported here, and nothing of Sightline: a bare interpreter finds the folder on its path as
the package `inside`. Model-written text is executed in `program.py` and nowhere else.
"""
