"""Inference by the Batch API: requests are uploaded as files, and replies are downloaded as files hours later.

prompt_planner  the next prompt of a sample, from the journal alone
batch_files     files of requests and their state
transport       upload, submission, polling, download
results         defensive reading of result files
ingester        results into the journal
driver          the rounds: write, submit, poll, ingest
"""
