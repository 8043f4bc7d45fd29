"""Records as JSON documents and back, by their declared types: a new field cannot be forgotten."""

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import cache, partial
from math import isfinite
from types import UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints
from uuid import UUID

from stratawatch.core.plan import CycleForecast, HalfWidthRange, Plan
from stratawatch.errors import StratawatchError

_SCALARS: Final[dict[type, Callable[[Any], Any]]] = {
    str: str,
    bool: bool,
    int: int,
    float: float,
    datetime: datetime.fromisoformat,
    timedelta: lambda seconds: timedelta(seconds=seconds),
}
# Fields that came after panels were stored: with these values a panel keeps its fingerprint, and so its version.
_LEFT_OUT: Final[Mapping[str, Any]] = {
    "alarms": "evidence",
    "call_yes": None,
    "costs": None,
    "focus": True,
    "gold_share": None,
    "guideline_version": None,
    "max_missing_score_share": None,
    "partition": None,
    "random_numbers": "permanent",
    "rounds": 3,
    "same_items_as": None,
    "second_votes": None,
}


def dumps(value: Any) -> str:
    """JSON text that both databases take; NaN and the infinities, which JSON lacks, become words."""
    try:
        return _ENCODER.encode(value)
    except ValueError:
        return _ENCODER.encode(_finite(value))


def as_document(value: Any) -> Any:
    """A record as plain JSON values: times in ISO form, durations in seconds."""
    if is_dataclass(value) and not isinstance(value, type):
        values = {name: (getattr(value, name), hint) for name, hint in field_types(type(value)).items()}
        return {
            name: _declared(one, hint)
            for name, (one, hint) in values.items()
            if name not in _LEFT_OUT or one != _LEFT_OUT[name]
        }
    if isinstance(value, tuple | list):
        return [as_document(each) for each in value]
    if isinstance(value, Mapping):
        return {str(key): as_document(each) for key, each in value.items()}
    return _plain(value) if isinstance(value, datetime | timedelta) else value


def from_document(hint: Any, value: Any) -> Any:
    """The value of a declared type that `as_document` wrote."""
    return _reader(hint)(value)


@cache
def _reader(hint: Any) -> Callable[[Any], Any]:
    """What reads documents of a declared type; made once, since the profile of one window has hundreds of values."""
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        inner = [each for each in get_args(hint) if each is not type(None)]
        # Of several scalars the value itself says which it is: JSON keeps them apart.
        one = _as_it_is if len(inner) > 1 else _reader(inner[0])
        return lambda value: None if value is None else one(value)
    if origin is tuple:
        one = _reader(get_args(hint)[0])
        return lambda value: tuple(map(one, value))
    if origin is Literal or hint is Any:
        return _as_it_is
    if origin is not None and issubclass(origin, Mapping):
        one = _reader(get_args(hint)[1])
        return lambda value: {key: one(each) for key, each in value.items()}
    return partial(_record, hint) if is_dataclass(hint) else _SCALARS[hint]


def _as_it_is(value: Any) -> Any:
    return value


def plan_document(plan: Plan) -> dict[str, Any]:
    """A plan as JSON; its half-widths have keys of two parts."""
    document = {
        "totals": list(plan.totals),
        "half_widths": [[*key, width] for key, width in plan.half_widths.items()],
        "method": plan.method,
        "exhausted": list(plan.exhausted),
    }
    return document if plan.forecast is None else {**document, "forecast": _forecast_document(plan.forecast)}


def plan_from(document: Mapping[str, Any]) -> Plan:
    """The plan that `plan_document` wrote; earlier versions wrote no forecast."""
    return Plan(
        totals=tuple(document["totals"]),
        half_widths={(classifier, metric): float(width) for classifier, metric, width in document["half_widths"]},
        method=document["method"],
        exhausted=tuple(document["exhausted"]),
        forecast=_forecast_from(document["forecast"]) if "forecast" in document else None,
    )


def _forecast_document(forecast: CycleForecast) -> dict[str, Any]:
    """A cycle's forecast: of each range its low end, what the plan counted on, and its high end."""
    ranges = forecast.ranges.items()
    return {
        "labels": forecast.labels,
        "ranges": [[*key, one.low, forecast.half_widths[key], one.high] for key, one in ranges],
    }


def _forecast_from(document: Mapping[str, Any]) -> CycleForecast:
    rows = [
        ((classifier, metric), low, expected, high) for classifier, metric, low, expected, high in document["ranges"]
    ]
    return CycleForecast(
        labels=document["labels"],
        half_widths={key: float(expected) for key, _, expected, _ in rows},
        ranges={key: HalfWidthRange(float(low), float(high)) for key, low, _, high in rows},
    )


@cache
def field_types(record: type[Any]) -> dict[str, Any]:
    """The declared type of every field of a record."""
    hints = get_type_hints(record)
    return {field.name: hints[field.name] for field in fields(record)}


def _declared(value: Any, hint: Any) -> Any:
    """A float that was written as an int is the same value, so it must give the same text."""
    if isinstance(value, int) and (hint is float or float in get_args(hint)):
        return float(value)
    return as_document(value)


def _record(hint: Any, value: Mapping[str, Any]) -> Any:
    hints = field_types(hint)
    required = {field.name for field in fields(hint) if field.default is field.default_factory is MISSING}
    wrong = sorted((set(value) - set(hints)) | (required - set(value)))
    if wrong:
        raise StratawatchError(
            f"a stored {hint.__name__} does not fit this program",
            expected=", ".join(hints),
            got=f"unknown or missing: {', '.join(wrong)}",
            hint="run the version of stratawatch that wrote it, or newer",
        )
    return hint(**{name: from_document(hints[name], each) for name, each in value.items()})


def _plain(value: Any) -> Any:
    """What json cannot write by itself, as it may come from a source's columns."""
    for kind, plain in _PLAIN.items():
        if isinstance(value, kind):
            return plain(value)
    if hasattr(value, "item"):  # a numpy scalar, without importing numpy
        return value.item()
    raise TypeError(f"no JSON form for {type(value).__name__}")


def _seconds(value: timedelta) -> float:
    """Whole seconds as an int, which is how people write them."""
    return value.total_seconds() if value.microseconds else int(value.total_seconds())


def _moment(value: datetime) -> str:
    return (value if value.tzinfo is None else value.astimezone(UTC)).isoformat()


_PLAIN: Final[dict[type, Callable[[Any], Any]]] = {
    timedelta: _seconds,
    datetime: _moment,  # before date, which it is a kind of
    date: date.isoformat,
    time: time.isoformat,
    Decimal: str,
    UUID: str,
    bytes: bytes.hex,
    Mapping: dict,
}


_ENCODER: Final = json.JSONEncoder(default=_plain, allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not isfinite(value):
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(value)]
    if isinstance(value, Mapping):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return value
