"""Overrides from the environment: STRATAWATCH_STORE__URL, STRATAWATCH_PANELS__TOXICITY__BUDGET."""

import os
from typing import Any, Final, cast

from pydantic_settings import BaseSettings, EnvSettingsSource, SettingsError

from stratawatch.config.problems import Place, Problem, nearest_or_all
from stratawatch.config.renamed_keys import renamed_place
from stratawatch.config.settings import Settings
from stratawatch.settings.references import EnvironmentText

PREFIX: Final = "STRATAWATCH_"
DELIMITER: Final = "__"


def read_overrides() -> tuple[dict[str, Any], list[Problem]]:
    """What the environment overrides, and the variables that mean nothing."""
    problems = [_unknown(name) for name in _variables() if _section(name) not in Settings.model_fields]
    try:
        # Of the class only the fields are read.
        fields = cast("type[BaseSettings]", Settings)
        found = EnvSettingsSource(fields, env_prefix=PREFIX, env_nested_delimiter=DELIMITER, env_ignore_empty=True)()
    except SettingsError as trouble:
        text = str(trouble)
        problems.append(Problem((), "an override is not JSON", got=text, hint="lists and tables are written as JSON"))
        return {}, problems
    return _marked(found), problems


def variable_of(place: Place) -> str | None:
    """The environment variable that set a key, if one did."""
    key = _name(place)
    candidates = [
        name
        for name in _variables(nested=False)
        if any(key == sets or key.startswith(sets + DELIMITER) for sets in (name, _new_name(name)))
    ]
    return max(candidates, key=len) if candidates else None


def merged(file: dict[str, Any], overrides: dict[str, Any]) -> dict[str, Any]:
    """The file's tables with the environment's values laid over them; a list replaces the whole list."""
    result = dict(file)
    for key, value in overrides.items():
        below = result.get(key)
        result[key] = merged(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return result


def _name(place: Place) -> str:
    keys = []
    for part in place:
        if isinstance(part, int):
            break
        keys.append(part.upper())
    return PREFIX + DELIMITER.join(keys)


def _new_name(variable: str) -> str:
    """The variable that would set the same key under its new name."""
    return _name(renamed_place(tuple(variable[len(PREFIX) :].lower().split(DELIMITER))))


def _variables(*, nested: bool = True) -> list[str]:
    """Variables of ours that look like overrides; STRATAWATCH_CONFIG and the like have no key below a section."""
    ours = [name for name in os.environ if name.upper().startswith(PREFIX) and os.environ[name]]
    if nested:
        return [name for name in ours if DELIMITER in name]
    return [name for name in ours if DELIMITER in name or _section(name) in Settings.model_fields]


def _section(name: str) -> str:
    return name[len(PREFIX) :].split(DELIMITER, maxsplit=1)[0].lower()


def _unknown(name: str) -> Problem:
    hint = nearest_or_all(_section(name), Settings.model_fields)
    return Problem((), f"there is no section '{_section(name)}'", hint=hint, variable=name)


def _marked(value: Any) -> Any:
    """Texts from the environment are marked, because a secret may stand there as it is."""
    if isinstance(value, dict):
        return {key: _marked(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_marked(inner) for inner in value]
    return EnvironmentText(value) if isinstance(value, str) else value
