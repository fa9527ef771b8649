"""What everything else builds on: records, interfaces, errors, registry, settings."""
