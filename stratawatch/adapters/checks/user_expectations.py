"""The user's expectations as rules of a suite, whose frame must have the columns that they name."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from html import escape, unescape
from typing import Any, Final

from stratawatch.adapters.checks.input_rules import InputRule, Suite
from stratawatch.adapters.checks.user_suites import UserExpectation, UserSuite, installed_types
from stratawatch.errors import ConfigError, ConfigErrors
from stratawatch.formatting import did_you_mean, shortened

_ONE: Final = ("column", "column_A", "column_B")
_SEVERAL: Final = ("column_list",)
_SHOWN: Final = 100


def extended(suite: Suite, own: Iterable[UserSuite], panel: str) -> Suite:
    """The suite with the expectations that are meant for its frame and this panel.

    Raises ConfigErrors with all that name a column which the frame does not have.
    """
    rules: list[InputRule] = []
    faults: list[ConfigError] = []
    for one in own:
        if one.frame == suite.name and (not one.panels or panel in one.panels):
            for expectation in one.expectations:
                try:
                    rules.append(_rule(expectation, suite))
                except ConfigError as fault:
                    faults.append(fault)
    if faults:
        raise ConfigErrors(faults)
    return replace(suite, rules=(*suite.rules, *rules))


def suites_of_missing_panels(own: Iterable[UserSuite], panels: Collection[str]) -> Iterator[ConfigError]:
    """An error for each suite that names a panel which does not exist: it would never be validated."""
    for one in own:
        for name in one.panels:
            if name not in panels:
                yield ConfigError(f"{one.origin} is for the panel '{name}'", expected=" or ".join(sorted(panels)))


def asked_columns(rule: InputRule) -> Iterator[str]:
    """The columns of the frame that a rule names."""
    yield from (rule.arguments[key] for key in _ONE if key in rule.arguments)
    for key in _SEVERAL:
        yield from rule.arguments.get(key, ())


def _rule(expectation: UserExpectation, suite: Suite) -> InputRule:
    arguments = {key: _columns(key, value, expectation, suite) for key, value in expectation.kwargs.items()}
    return InputRule(
        installed_types()[expectation.type],
        arguments,
        expectation.sentence or _sentence(expectation),
        expectation.severity,
        expectation.place,
    )


def _columns(key: str, value: Any, expectation: UserExpectation, suite: Suite) -> Any:
    if key in _ONE:
        return _column(value, expectation, suite)
    return [_column(one, expectation, suite) for one in value] if key in _SEVERAL and isinstance(value, list) else value


def _column(name: Any, expectation: UserExpectation, suite: Suite) -> str:
    """The frame's column of this name; a frame's columns are escaped, as pages show them."""
    found = escape(str(name))
    if found not in suite.frame:
        names = [unescape(one) for one in suite.frame]
        raise ConfigError(
            f"{expectation.place} asks for the column '{name}', which the frame '{suite.name}' does not have",
            expected=", ".join(names),
            hint=did_you_mean(str(name), names),
        )
    return found


def _sentence(expectation: UserExpectation) -> str:
    words = expectation.type.removeprefix("expect_").replace("_", " ")
    given = ", ".join(_given(expectation.kwargs))
    return f"{words} ({given}) does not hold" if given else f"{words} does not hold"


def _given(kwargs: Mapping[str, Any]) -> Iterator[str]:
    for key, value in kwargs.items():
        yield f"{key} {shortened(repr(value), _SHOWN)}"
