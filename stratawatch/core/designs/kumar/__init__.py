"""Kumar and Raj's strata as a design: what to cut, what to draw, and how to read it."""

from stratawatch.core.designs.kumar.design import Kumar

__all__ = ["Kumar"]
