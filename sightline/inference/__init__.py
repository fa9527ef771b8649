"""Inference: concurrency limiter, retries, load balancing, budget, cache, journal, batch API."""
