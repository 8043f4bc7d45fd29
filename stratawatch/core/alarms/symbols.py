"""Every alarm state's sign and urgency, by its word. Kept free of NumPy: `stratawatch status` reads this."""

from collections.abc import Mapping
from typing import Final

SYMBOLS: Final[Mapping[str, str]] = {"OK": "✓", "UNPROVEN": "○", "AT RISK": "▲", "BREACH": "✖", "BLIND": "?"}
"""A sign before the word of a state; the word always stands beside it."""
URGENCY: Final = ("BREACH", "BLIND", "AT RISK", "UNPROVEN", "OK")
"""What needs attention first."""
