"""Input checks: the kinds that there are, each loaded when it is used."""

from typing import Final

REGISTRY: Final[dict[str, str]] = {
    "builtin": "stratawatch.adapters.checks.builtin_check:BuiltinCheck",
    "great_expectations": "stratawatch.adapters.checks.great_expectations_check:GreatExpectationsCheck",
}
"""Kind of check -> module:class."""
