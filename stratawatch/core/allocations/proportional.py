"""Proportional allocation: every item is as likely as any other."""

from stratawatch.core.population import Floats


def proportional(sizes: Floats, rates: Floats, importance: Floats) -> Floats:  # noqa: ARG001 - one shape for all
    """n_a proportional to N_a."""
    return sizes
