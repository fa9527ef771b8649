"""Asking by the Batch API: requests are handed in as files, and their replies come hours later as files.

course      what a sample is asked next, from the journal alone
parts       files of requests, and where each one is on its way
results     files of results, read with care
driver      the rounds: write, hand in, look, take
"""
