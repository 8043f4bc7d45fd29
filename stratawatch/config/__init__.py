"""The only reader of files and environment: one stratawatch.toml, overrides from the environment, secret references."""
