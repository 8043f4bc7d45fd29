"""The user's expectations as rules of a suite, whose frame must have the columns that they ask for."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from html import escape, unescape
from typing import Any, Final

from stratawatch.adapters.checks.own_suites import OwnExpectation, OwnSuite, known_types
from stratawatch.adapters.checks.rules import Rule, Suite
from stratawatch.errors import ConfigError, ConfigErrors

_ONE: Final = ("column", "column_A", "column_B")
_SEVERAL: Final = ("column_list",)
_SHOWN: Final = 100


def extended(suite: Suite, own: Iterable[OwnSuite], panel: str) -> Suite:
    """The suite with the expectations that are meant for its frame and this panel. Raises ConfigErrors."""
    rules, faults = own_rules(suite, own, panel)
    if faults:
        raise ConfigErrors(faults)
    return replace(suite, rules=(*suite.rules, *rules))


def own_rules(suite: Suite, own: Iterable[OwnSuite], panel: str) -> tuple[list[Rule], list[ConfigError]]:
    """Those expectations as rules, and what is wrong with those that ask for columns the frame does not have."""
    rules: list[Rule] = []
    faults: list[ConfigError] = []
    for one in own:
        if one.frame == suite.name and (not one.panels or panel in one.panels):
            for expectation in one.expectations:
                try:
                    rules.append(_rule(expectation, suite))
                except ConfigError as fault:
                    faults.append(fault)
    return rules, faults


def for_nobody(own: Iterable[OwnSuite], panels: Collection[str]) -> Iterator[ConfigError]:
    """Suites for a panel that there is not: they would never be asked."""
    for one in own:
        for name in one.panels:
            if name not in panels:
                yield ConfigError(f"{one.origin} is for the panel '{name}'", expected=" or ".join(sorted(panels)))


def asked_columns(rule: Rule) -> Iterator[str]:
    """The columns of the frame that a rule asks for."""
    yield from (rule.arguments[key] for key in _ONE if key in rule.arguments)
    for key in _SEVERAL:
        yield from rule.arguments.get(key, ())


def _rule(expectation: OwnExpectation, suite: Suite) -> Rule:
    arguments = {key: _columns(key, value, expectation, suite) for key, value in expectation.kwargs.items()}
    return Rule(
        known_types()[expectation.type],
        arguments,
        expectation.sentence or _sentence(expectation),
        expectation.severity,
        expectation.place,
    )


def _columns(key: str, value: Any, expectation: OwnExpectation, suite: Suite) -> Any:
    if key in _ONE:
        return _column(value, expectation, suite)
    return [_column(one, expectation, suite) for one in value] if key in _SEVERAL and isinstance(value, list) else value


def _column(name: Any, expectation: OwnExpectation, suite: Suite) -> str:
    """The frame's column; its names are kept as pages may show them."""
    found = escape(str(name))
    if found not in suite.frame:
        known = [unescape(one) for one in suite.frame]
        near = get_close_matches(str(name), known, n=1)
        hint = f"did you mean '{near[0]}'?" if near else ""
        raise ConfigError(
            f"{expectation.place} asks for the column '{name}', which the frame '{suite.name}' does not have",
            expected=", ".join(known),
            hint=hint,
        )
    return found


def _sentence(expectation: OwnExpectation) -> str:
    words = expectation.type.removeprefix("expect_").replace("_", " ")
    given = ", ".join(_given(expectation.kwargs))
    return f"{words} ({given}) does not hold" if given else f"{words} does not hold"


def _given(kwargs: Mapping[str, Any]) -> Iterator[str]:
    for key, value in kwargs.items():
        text = repr(value)
        yield f"{key} {text if len(text) <= _SHOWN else text[:_SHOWN] + '...'}"
