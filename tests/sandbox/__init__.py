"""Running untrusted programs."""
