"""Expectations of the user's own: JSON files beside the configuration, and functions of installed packages."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import util
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Final, Literal, cast, get_args

from stratawatch.errors import ConfigError

GROUP: Final = "stratawatch.checks"
"""Entry points of this group are functions that return suites, shaped like the files."""

FrameName = Literal["profile", "candidates"]
_SUITE: Final = frozenset({"frame", "panels", "expectations"})
_EXPECTATION: Final = frozenset({"type", "kwargs", "severity", "sentence"})
_ITS_OWN: Final = frozenset({"name", "id", "meta", "notes", "description", "rendered_content"})
"""Keys that Great Expectations writes into its files; they change nothing here."""
_SEVERITIES: Final = ("critical", "warning")
_CODE: Final = frozenset({"row_condition", "condition_parser"})
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
"""Types that the library asks of other data than a frame: of databases, or, of an old name, of nothing at all."""
_IMPORTED: Final = re.compile(r"^from \.(expect_\w+) import \(?\s*(Expect\w+)", re.MULTILINE)


@dataclass(frozen=True)
class OwnExpectation:
    """One expectation; `place` is where it stands, for people."""

    place: str
    type: str
    kwargs: Mapping[str, Any]
    severity: Literal["critical", "warning"] = "critical"
    sentence: str = ""


@dataclass(frozen=True)
class OwnSuite:
    """Expectations on one frame, for some panels or, without names, for all."""

    origin: str
    frame: FrameName
    panels: tuple[str, ...]
    expectations: tuple[OwnExpectation, ...]


def read_suites(folder: Path | None, plugins: Iterable[str] = ()) -> tuple[OwnSuite, ...]:
    """The suites of a folder, in the order of their names, then those of the named plugins. Raises ConfigError."""
    files = sorted(folder.glob("*.json")) if folder is not None else []
    suites = [suite_of(_document(path), f"{path.parent.name}/{path.name}") for path in files]
    for name in plugins:
        suites += [suite_of(one, f"plugin '{name}'") for one in _plugin(name)]
    return tuple(suites)


def suite_of(document: Any, origin: str) -> OwnSuite:
    """One suite from its JSON values."""
    if not isinstance(document, Mapping):
        raise ConfigError(f"{origin} is not a suite of expectations", expected="an object of JSON")
    _only(document, _SUITE, origin)
    frame, panels, listed = (document.get(key) for key in ("frame", "panels", "expectations"))
    if frame not in get_args(FrameName):
        raise ConfigError(f"'frame' of {origin} is not known", expected="profile or candidates", got=str(frame))
    if panels is not None and not (isinstance(panels, list) and all(isinstance(one, str) for one in panels)):
        raise ConfigError(f"'panels' of {origin} is not right", expected="a list of names of panels")
    if not isinstance(listed, list) or not listed:
        raise ConfigError(f"{origin} has no expectations", expected='"expectations": [{"type": ..., "kwargs": {...}}]')
    made = tuple(_expectation(one, f"{origin}, expectation {number}") for number, one in enumerate(listed, 1))
    return OwnSuite(origin, cast("FrameName", frame), tuple(panels or ()), made)


@cache
def known_types() -> Mapping[str, str]:
    """The installed library's expectations and their classes, told from its text: importing it takes seconds."""
    found = util.find_spec("great_expectations")
    if found is None or found.origin is None:
        raise ConfigError("great_expectations is not installed", hint="install stratawatch with all its requirements")
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


def _expectation(document: Any, place: str) -> OwnExpectation:
    if not isinstance(document, Mapping):
        raise ConfigError(f"{place} is not right", expected='{"type": ..., "kwargs": {...}}')
    _only(document, _EXPECTATION, place)
    kind, kwargs = str(document.get("type", "")), document.get("kwargs", {})
    severity, sentence = document.get("severity", "critical"), document.get("sentence", "")
    if kind in _ELSEWHERE:
        hint = f"ask '{kind.replace('like_pattern', 'regex')}'" if "like" in kind else ""
        raise ConfigError(f"{place} has the type '{kind}', which cannot be asked here", hint=hint)
    if kind not in known_types():
        near = get_close_matches(kind, sorted(known_types()), n=1)
        hint = f"did you mean '{near[0]}'?" if near else "greatexpectations.io/expectations lists them"
        raise ConfigError(f"{place} has the unknown type '{kind}'", hint=hint)
    if not isinstance(kwargs, Mapping):
        raise ConfigError(f"'kwargs' of {place} is not right", expected="an object of JSON")
    if code := sorted(_CODE & set(kwargs)):
        raise ConfigError(f"'{code[0]}' of {place} would be run as code", hint="write an expectation without it")
    if severity not in _SEVERITIES:
        raise ConfigError(f"'severity' of {place} is not known", expected=" or ".join(_SEVERITIES), got=str(severity))
    if not isinstance(sentence, str):
        raise ConfigError(f"'sentence' of {place} is not a text")
    return OwnExpectation(place, kind, dict(kwargs), severity, sentence)


def _only(document: Mapping[str, Any], keys: frozenset[str], place: str) -> None:
    for key in document:
        if key not in keys | _ITS_OWN:
            near = get_close_matches(str(key), sorted(keys), n=1)
            hint = f"did you mean '{near[0]}'?" if near else ""
            raise ConfigError(f"{place} has the unknown key '{key}'", expected=", ".join(sorted(keys)), hint=hint)


def _plugin(name: str) -> Iterable[Any]:
    """What an installed package offers under this name; nothing in the configuration's folder is ever run."""
    found = entry_points(group=GROUP, name=name)
    if not found:
        known = ", ".join(sorted(one.name for one in entry_points(group=GROUP)))
        hint = f"installed are: {known}" if known else f"install the package that declares it (group {GROUP})"
        raise ConfigError(f"there is no plugin of checks named '{name}'", hint=hint)
    try:
        made = next(iter(found)).load()()
        return list(made)
    except Exception as trouble:
        got = f"{type(trouble).__name__}: {trouble}"
        raise ConfigError(f"the plugin of checks '{name}' failed", got=got) from trouble
