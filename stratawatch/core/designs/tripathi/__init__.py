"""Recycled samples as a design: what to cut, what to draw, and how to read it."""
