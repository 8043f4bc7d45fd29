"""From what a table holds to a configuration for it."""
