"""Checks the program's own expectations without Great Expectations: with the same refusals, but no pages."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from stratawatch.adapters.checks.candidate_suite import candidate_suite, repeated_rows
from stratawatch.adapters.checks.input_rules import InputRule, Suite, check_report
from stratawatch.adapters.checks.profile_suite import profile_suite
from stratawatch.engine.model.cycle_facts import CandidateItem, CheckReport
from stratawatch.engine.model.input_profile import InputProfile
from stratawatch.engine.model.panel_spec import PanelSpec, Window
from stratawatch.engine.model.quarantined_row import QuarantinedRow
from stratawatch.extras import require


class BuiltinCheck:
    """Raises MissingExtra where there are expectations of the user's own, which only Great Expectations can check."""

    def __init__(self, suites_folder: Path) -> None:
        self._suites_folder = suites_folder

    def profile(self, panel: PanelSpec, window: Window, profile: InputProfile) -> CheckReport:
        """Check the one-row profile of the whole window."""
        return self._report(profile_suite(panel, window, profile))

    def candidates(self, panel: PanelSpec, window: Window, items: Sequence[CandidateItem]) -> CheckReport:
        """Check the candidates row by row, duplicates included."""
        return self._report(candidate_suite(panel, window, items), repeated_rows(items))

    def describe(self, panels: Sequence[PanelSpec]) -> Mapping[str, str]:  # noqa: ARG002 - it is the same for all
        """Say, for `check`, what is asked. Raises MissingExtra when the user added something."""
        self._refuse_suites()
        return {"expectations": "the program's own, without pages: great_expectations is not installed"}

    def _refuse_suites(self) -> None:
        if any(self._suites_folder.glob("*.json")):
            require("checks")

    def _report(self, suite: Suite, bad_rows: tuple[QuarantinedRow, ...] = ()) -> CheckReport:
        self._refuse_suites()
        failed = [rule for rule in suite.rules if not _holds(rule, suite.frame[rule.arguments["column"]])]
        return check_report(failed, bad_rows)


def _holds(rule: InputRule, values: Sequence[Any]) -> bool:
    """Whether a column fulfils a rule. As in the library, only the rule about missing values looks at them."""
    if rule.expectation == "ExpectColumnValuesToNotBeNull":
        return all(value is not None for value in values)
    given = {name: value for name, value in rule.arguments.items() if name != "column"}
    return _EXPECTATIONS[rule.expectation]([value for value in values if value is not None], **given)


def _between(values: Sequence[Any], min_value: Any = None, max_value: Any = None, *, strict_max: bool = False) -> bool:
    return all(
        (min_value is None or min_value <= value)
        and (max_value is None or (value < max_value if strict_max else value <= max_value))
        for value in values
    )


def _in_set(values: Sequence[Any], value_set: Sequence[Any]) -> bool:
    return all(value in value_set for value in values)


def _unique(values: Sequence[Any]) -> bool:
    return all(number == 1 for number in Counter(values).values())


def _match_regex(values: Sequence[Any], regex: str) -> bool:
    return all(re.search(regex, value) for value in values)


# The expectations of the program's own rules, under the names of Great Expectations' classes.
_EXPECTATIONS: Final[Mapping[str, Callable[..., bool]]] = {
    "ExpectColumnValuesToBeBetween": _between,
    "ExpectColumnValuesToBeInSet": _in_set,
    "ExpectColumnValuesToBeUnique": _unique,
    "ExpectColumnValuesToMatchRegex": _match_regex,
}
