"""Read the user's expectations: JSON files beside the configuration."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import util
from pathlib import Path
from typing import Any, Final, Literal, get_args

from stratawatch.errors import ConfigError, ConfigErrors
from stratawatch.extras import MissingExtra
from stratawatch.formatting import did_you_mean

FrameName = Literal["profile", "candidates"]
_SUITE: Final = frozenset({"frame", "panels", "expectations"})
_EXPECTATION: Final = frozenset({"type", "kwargs", "severity", "sentence"})
# Keys that Great Expectations writes into its files; they change nothing here.
_ITS_OWN: Final = frozenset({"name", "id", "meta", "notes", "description", "rendered_content"})
_SEVERITIES: Final = ("critical", "warning")
_CODE: Final = frozenset({"row_condition", "condition_parser"})
# Types that the library cannot validate on a frame: those for databases, and one under an old name.
_ELSEWHERE: Final = frozenset(
    {
        "expect_query_results_to_match_comparison",
        "expect_table_row_count_to_equal_other_table",
        "expect_column_values_to_match_like_pattern",
        "expect_column_values_to_match_like_pattern_list",
        "expect_column_values_to_not_match_like_pattern",
        "expect_column_values_to_not_match_like_pattern_list",
        "expect_multicolumn_values_to_be_unique",
    }
)
_IMPORTED: Final = re.compile(r"^from \.(expect_\w+) import \(?\s*(Expect\w+)", re.MULTILINE)


@dataclass(frozen=True)
class UserExpectation:
    """One expectation; `place` is where it stands, for people."""

    place: str
    type: str
    kwargs: Mapping[str, Any]
    severity: Literal["critical", "warning"] = "critical"
    sentence: str = ""


@dataclass(frozen=True)
class UserSuite:
    """Expectations on one frame, for some panels or, without names, for all."""

    origin: str
    frame: FrameName
    panels: tuple[str, ...]
    expectations: tuple[UserExpectation, ...]


def read_suites(folder: Path | None) -> tuple[UserSuite, ...]:
    """The suites of a folder, in the order of their names. Raises ConfigErrors."""
    suites, faults = collect_suites(folder)
    if faults:
        raise ConfigErrors(faults)
    return tuple(suites)


def collect_suites(folder: Path | None) -> tuple[list[UserSuite], list[ConfigError]]:
    """The suites of `read_suites` that are valid, and an error for everything that is wrong with the others."""
    suites: list[UserSuite] = []
    faults: list[ConfigError] = []
    for path in sorted(folder.glob("*.json")) if folder is not None else ():
        try:
            suite, wrong = parse_suite(_document(path), f"{path.parent.name}/{path.name}")
        except ConfigError as fault:
            faults.append(fault)
            continue
        suites += [suite] if suite else []
        faults += wrong
    return suites, faults


@cache
def installed_types() -> Mapping[str, str]:
    """The installed library's expectations and their classes, parsed from its source: importing it takes seconds."""
    found = util.find_spec("great_expectations")
    if found is None or found.origin is None:
        raise MissingExtra("checks", ("great_expectations",))
    listing = Path(found.origin).parent / "expectations" / "core" / "__init__.py"
    names = _IMPORTED.findall(listing.read_text(encoding="utf-8"))
    return {kind: name for kind, name in names if kind not in _ELSEWHERE}


def _document(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as trouble:
        raise ConfigError(f"'{path}' cannot be read", got=str(trouble)) from trouble
    except json.JSONDecodeError as trouble:
        raise ConfigError(f"'{path}' is not JSON", got=f"{trouble.msg} in line {trouble.lineno}") from trouble


def parse_suite(document: Any, origin: str) -> tuple[UserSuite | None, list[ConfigError]]:
    """A suite of the valid expectations, or None without a valid frame and panels; and an error for every mistake."""
    if not isinstance(document, Mapping):
        return None, [ConfigError(f"{origin} is not a suite of expectations", expected="an object of JSON")]
    faults = [*_unknown_keys(document, _SUITE, origin), *_of_expectations(document, origin)]
    meant = list(_of_whom(document, origin))
    right: list[UserExpectation] = []
    listed = document.get("expectations")
    for number, one in enumerate(listed if isinstance(listed, list) else (), 1):
        place = f"{origin}, expectation {number}"
        wrong = list(_faults(one, place))
        faults += wrong
        right += [] if wrong else [_expectation(one, place)]
    if meant:
        return None, [*meant, *faults]
    return UserSuite(origin, document["frame"], tuple(document.get("panels") or ()), tuple(right)), faults


def _of_whom(document: Mapping[str, Any], origin: str) -> Iterator[ConfigError]:
    frame, panels = document.get("frame"), document.get("panels")
    if frame not in get_args(FrameName):
        yield ConfigError(f"'frame' of {origin} is not known", expected="profile or candidates", got=str(frame))
    if panels is not None and not (isinstance(panels, list) and all(isinstance(one, str) for one in panels)):
        yield ConfigError(f"'panels' of {origin} is not right", expected="a list of names of panels")


def _of_expectations(document: Mapping[str, Any], origin: str) -> Iterator[ConfigError]:
    listed = document.get("expectations")
    if not isinstance(listed, list) or not listed:
        yield ConfigError(f"{origin} has no expectations", expected='"expectations": [{"type": ..., "kwargs": {...}}]')


def _expectation(document: Mapping[str, Any], place: str) -> UserExpectation:
    severity, sentence = document.get("severity", "critical"), document.get("sentence", "")
    return UserExpectation(place, document["type"], dict(document.get("kwargs", {})), severity, sentence)


def _faults(document: Any, place: str) -> Iterator[ConfigError]:
    if not isinstance(document, Mapping):
        yield ConfigError(f"{place} is not right", expected='{"type": ..., "kwargs": {...}}')
        return
    yield from _unknown_keys(document, _EXPECTATION, place)
    yield from _of_type(str(document.get("type", "")), place)
    kwargs, severity = document.get("kwargs", {}), document.get("severity", "critical")
    if not isinstance(kwargs, Mapping):
        yield ConfigError(f"'kwargs' of {place} is not right", expected="an object of JSON")
    elif code := sorted(_CODE & set(kwargs)):
        yield ConfigError(f"'{code[0]}' of {place} would be run as code", hint="write an expectation without it")
    if severity not in _SEVERITIES:
        yield ConfigError(f"'severity' of {place} is not known", expected=" or ".join(_SEVERITIES), got=str(severity))
    if not isinstance(document.get("sentence", ""), str):
        yield ConfigError(f"'sentence' of {place} is not a text")


def _of_type(kind: str, place: str) -> Iterator[ConfigError]:
    if kind in _ELSEWHERE:
        hint = f"ask '{kind.replace('like_pattern', 'regex')}'" if "like" in kind else ""
        yield ConfigError(f"{place} has the type '{kind}', which cannot be asked here", hint=hint)
    elif kind not in installed_types():
        hint = did_you_mean(kind, sorted(installed_types()), "greatexpectations.io/expectations lists them")
        yield ConfigError(f"{place} has the unknown type '{kind}'", hint=hint)


def _unknown_keys(document: Mapping[str, Any], keys: frozenset[str], place: str) -> Iterator[ConfigError]:
    for key in document:
        if key not in keys | _ITS_OWN:
            hint = did_you_mean(str(key), sorted(keys))
            yield ConfigError(f"{place} has the unknown key '{key}'", expected=", ".join(sorted(keys)), hint=hint)
