"""Expectations of the user's own, as tests write them."""

from typing import Any

from stratawatch.adapters.checks.user_suites import UserSuite, parse_suite
from stratawatch.errors import ConfigErrors


def suite_of(document: Any, origin: str) -> UserSuite:
    """One suite from its JSON values. Raises ConfigErrors."""
    suite, faults = parse_suite(document, origin)
    if suite is None or faults:
        raise ConfigErrors(faults)
    return suite
