"""What pydantic found, in words: the place, the wrong value and a remedy."""

import re
from collections.abc import Mapping
from typing import Any, Final, get_args

from pydantic import BaseModel, ValidationError

from stratawatch.adapters.adapter_settings import AdapterSettings
from stratawatch.config.problems import Place, Problem, nearest_or_all
from stratawatch.config.settings import Settings
from stratawatch.formatting import did_you_mean

_TYPES: Final[Mapping[str, str]] = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "string_type": "text in quotes",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
    "datetime_type": "a moment such as 2026-01-05T00:00:00Z",
}
_PERCENT: Final = 100
_POINTS: Final = ("margin", "max_drop")
"""Keys of shares that are differences of two."""
_BOUNDS: Final[Mapping[str, str]] = {
    "greater_than_equal": "at least {ge}",
    "greater_than": "more than {gt}",
    "less_than_equal": "at most {le}",
    "less_than": "less than {lt}",
    "too_short": "at least {min_length} entry",
}


def shape_problems(trouble: ValidationError, data: Mapping[str, Any]) -> list[Problem]:
    """Every error of a validation as a problem."""
    # The library has no stable type for the entries; they are plain dicts of these keys.
    return [_problem(dict(error), data) for error in trouble.errors(include_url=False)]


def _problem(error: dict[str, Any], data: Mapping[str, Any]) -> Problem:
    place, is_key = _place(error["loc"])
    kind, context, got = error["type"], error.get("ctx", {}), "" if is_key else _got(error)
    name = f"'{place[-1]}'" if place and isinstance(place[-1], str) else "this"
    hint = ""
    match kind:
        case "extra_forbidden":
            hint = nearest_or_all(str(place[-1]), _keys_of(place[:-1], data))
            return Problem(place, f"there is no key {name}", hint=hint)
        case "missing":
            what, got, expected = "is missing", "", ""
        case "value_error":
            what, expected = str(context["error"]), ""
            got = "" if isinstance(error["input"], Mapping) else got  # of a whole table the sentence says it all
        case "literal_error":
            return _unknown_word(place, context["expected"], error["input"])
        case "union_tag_invalid":
            return _unknown_word((*place, "kind"), context["expected_tags"], context["tag"])
        case _ if kind in _BOUNDS:
            what, expected = "is out of its range", _BOUNDS[kind].format(**context)
            hint = _as_share(place, context, error["input"])
        case _ if kind in _TYPES:
            what, expected, hint = "has the wrong type", _TYPES[kind], _without_percent_sign(error["input"])
        case _:
            what, expected = f"is not right: {error['msg']}", ""
    return Problem(place, f"{name} {what}", expected, got, hint)


def _as_share(place: Place, bounds: Mapping[str, Any], found: object) -> str:
    """How a share is written, where it seems to be given in percent; else nothing."""
    most = bounds.get("lt", bounds.get("le"))
    if not isinstance(most, int | float) or most > 1 or not isinstance(found, int | float):
        return ""  # of a length of time the bound is a text
    if not most < found <= _PERCENT or found / _PERCENT > most:
        return ""
    unit = f" {'point' if found == 1 else 'points'}" if place[-1] in _POINTS else "%"
    return f"write {found / _PERCENT:g} for {found:g}{unit}"


def _without_percent_sign(found: object) -> str:
    """How a share is written that was written as a text; else nothing.

    >>> _without_percent_sign("2.5 %")
    "write 0.025 for '2.5 %'"
    """
    share = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*%\s*", found) if isinstance(found, str) else None
    return f"write {float(share[1]) / _PERCENT:g} for {found!r}" if share else ""


def _unknown_word(place: Place, choices: str, found: object) -> Problem:
    words = [word.strip("' ") for word in choices.replace(" or ", ",").split(",")]
    hint = did_you_mean(str(found).lower(), sorted(words))
    return Problem(place, f"'{place[-1]}' is not known", " or ".join(words), str(found)[:80], hint)


def _place(loc: tuple[Any, ...]) -> tuple[Place, bool]:
    """A key's path, and whether the key itself is what is wrong: the library marks that behind the path."""
    return (loc[: loc.index("[key]")], True) if "[key]" in loc else (loc, False)


def _below(data: Any, part: str | int) -> Any:
    if isinstance(data, Mapping):
        return data.get(part)
    if isinstance(data, list) and isinstance(part, int) and part < len(data):
        return data[part]
    return None


def _got(error: Mapping[str, Any]) -> str:
    """The wrong value, unless it may be a secret or a whole table."""
    value = error["input"]
    if {"password", "token", "headers", "url", "remote"} & set(error["loc"]):
        return ""
    if isinstance(value, dict | list | BaseModel):
        return "a table" if isinstance(value, dict) else "a list"
    text = str(value) if hasattr(value, "isoformat") else repr(str(value)) if isinstance(value, str) else repr(value)
    if isinstance(value, bool):
        text = text.lower()
    return text if len(text) <= 80 else f"{text[:77]}..."


def _keys_of(place: Place, data: Any) -> set[str]:
    """The keys that a table may have."""
    model: Any = Settings
    for part in place:
        data = _below(data, part)
        is_table = isinstance(model, type) and issubclass(model, BaseModel)
        model = model.model_fields[part].annotation if is_table else get_args(model)[-1]
        if isinstance(model, type) and issubclass(model, AdapterSettings):
            model = model.of_kind(model.kind_of(data) or next(iter(model.registry)))
    return set(model.model_fields)
