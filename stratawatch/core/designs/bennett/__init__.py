"""Bennett and Carvalho's rounds as a design: what to cut, what to draw and when to stop, and how to read it."""

from stratawatch.core.designs.bennett.design import Bennett

__all__ = ["Bennett"]
