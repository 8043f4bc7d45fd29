"""Values of a configuration: their types, secrets, paths and addresses. Adapters' settings are made of them too."""
