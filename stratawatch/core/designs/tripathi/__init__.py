"""Recycled samples as a design: what to cut, what to draw, and how to read it."""

from stratawatch.core.designs.tripathi.design import Tripathi

__all__ = ["Tripathi"]
