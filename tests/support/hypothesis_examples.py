"""How many examples a property is shown: some while one works, all in CI, many before a change of the core lands."""

from hypothesis import settings

SHARES = {"dev": 1 / 3, "ci": 1.0, "long": 10.0}
"""Of the examples that a test asks for, by hypothesis profile."""


def examples(number: int) -> int:
    """The number of examples in the profile of this run; `number` is that of CI."""
    return max(5, round(number * SHARES[settings.get_current_profile_name()]))
