"""A simulated production: a world whose truth is known, so that what the product says can be checked."""
