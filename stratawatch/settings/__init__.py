"""Values of the configuration, for adapters' settings as for the configuration's own: types, secrets, paths, addresses."""
