"""HTTP scoring service with a JSON API."""
