"""How long a flow run may take."""

from typing import Final

LONGEST_RUN: Final = 3600.0
"""Seconds. Nothing in a flow waits for people, so a run that takes longer hangs, and would hold its only slot."""
