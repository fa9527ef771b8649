"""Grading in columns: texts of many samples of a task at once, the same for a million saved replies and for one."""
