"""Proportional allocation: every item is as likely as any other."""

from stratawatch.core.population import Floats


def proportional(sizes: Floats, needs: Floats, costs: Floats | None = None) -> Floats:  # noqa: ARG001 - one shape for all
    """n_h proportional to N_h, whatever a label costs."""
    return sizes
