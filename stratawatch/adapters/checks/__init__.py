"""Whether the input is fit to be judged: one adapter a kind, loaded when it is used."""

from typing import Final

REGISTRY: Final[dict[str, str]] = {
    "builtin": "stratawatch.adapters.checks.builtin_check:BuiltinCheck",
    "great_expectations": "stratawatch.adapters.checks.great_expectations_check:GreatExpectationsCheck",
}
"""Kind of check -> module:class."""
