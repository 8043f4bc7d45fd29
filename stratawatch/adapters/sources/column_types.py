"""The columns of a source: which there must be, and what kind of value each one holds."""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Final, Literal

from stratawatch.adapters.sources.quoting import NUMBER
from stratawatch.engine.model.panel_spec import PanelSpec, RequiredColumn, Role
from stratawatch.engine.ports import ColumnProblem
from stratawatch.errors import InputRefused
from stratawatch.formatting import did_you_mean

Kind = Literal["flag", "number", "text", "moment", "zoned", "other"]

_KINDS: Final[tuple[tuple[str, Kind], ...]] = (
    (r"BOOLEAN", "flag"),
    (r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DECIMAL.*|NUMERIC.*|FLOAT|REAL|DOUBLE( PRECISION)?|\"?NULL\"?", "number"),
    (r"VARCHAR.*|TEXT|CHAR.*|ENUM.*|UUID", "text"),
    (r"TIMESTAMP.* WITH TIME ZONE|TIMESTAMPTZ.*", "zoned"),
    (r"TIMESTAMP.*|DATE", "moment"),
)


_MEND: Final = "correct the name, or add the column to the export"
_ANYTHING: Final[tuple[Kind, ...]] = ("flag", "number", "text", "moment", "zoned", "other")
_A_TIME: Final[tuple[Kind, ...]] = ("moment", "zoned", "text")
KINDS_OF_ROLE: Final[Mapping[Role, tuple[Kind, ...]]] = {
    "item": ("number", "text", "flag", "moment", "zoned"),
    "time": _A_TIME,
    "ingested": _A_TIME,
    "partition": ("moment", "zoned", "text", "number"),
    "classifier": ("text", "number"),
    "score": ("number", "text"),
    "call": ("flag", "number", "text"),
    "auxiliary": ("number", "text"),
    "segment": _ANYTHING,
    "payload": _ANYTHING,
    "cluster": _ANYTHING,
    "label": ("flag", "number", "text"),
}
"""The kinds of value that a column may hold, by what the panel reads it for."""


def kind_of(type_name: str) -> Kind:
    """The kind of value that a column of an SQL type holds."""
    if type_name.endswith("]"):  # a list of anything
        return "other"
    for pattern, kind in _KINDS:
        if re.fullmatch(pattern, type_name.upper()):
            return kind
    return "other"


def column_problems(panel: PanelSpec, types: Mapping[str, str]) -> Iterator[ColumnProblem]:
    """The columns that are missing or cannot hold what they should, each once."""
    reported: set[str] = set()
    taken = {role.column for role in panel.column_roles()}
    for role in panel.column_roles():
        error = _column_error(role, f"{role.purpose} of panel '{panel.name}'", types, "the source", taken)
        if error is not None and role.column not in reported:
            reported.add(role.column)
            yield ColumnProblem(role, error)


def require(role: RequiredColumn, types: Mapping[str, str], *, where: str) -> None:
    """Refuse the input when this column is missing or cannot hold what it should."""
    error = _column_error(role, role.purpose, types, where)
    if error is not None:
        raise error


def _kinds(role: RequiredColumn) -> tuple[Kind, ...]:
    if role.call_yes is None:
        return KINDS_OF_ROLE[role.role]
    return ("text", "number") if NUMBER.fullmatch(role.call_yes) else ("text",)


def _column_error(
    role: RequiredColumn, purpose_if_missing: str, types: Mapping[str, str], where: str, taken: Collection[str] = ()
) -> InputRefused | None:
    """What is wrong with a column; of a missing one the purpose is told in full. What is `taken` nobody means."""
    name, kinds = role.column, _kinds(role)
    if name not in types:
        _require_delimiter(types, where)
        return InputRefused(
            f"column {name!r} ({purpose_if_missing}) is missing in {where}",
            got="the columns " + list_names(types),
            hint=did_you_mean(name, [one for one in types if one not in taken], _MEND),
        )
    if kind_of(types[name]) in kinds:
        return None
    compared = "" if role.call_yes is None else f" with call_yes = {role.call_yes!r}"
    return InputRefused(
        f"column {name!r} cannot be {role.purpose}{compared}",
        expected=" or ".join(_KIND_NAMES[kind] for kind in kinds),
        got=types[name],
        hint="write call_yes as the column has it, or remove it: booleans, and 0 and 1, are read without"
        if compared
        else f"give the source an export or a view in which it is {_KIND_NAMES[kinds[0]]}",
    )


def _require_delimiter(types: Mapping[str, str], where: str) -> None:
    """Refuse a CSV file that was read with another delimiter: it has one column, and every other one is missing."""
    (name, *others) = types or [""]
    marks = Counter(re.findall(r"[;,|\t]", name)).most_common(1)
    if marks and not others:
        raise InputRefused(
            f"the columns of {where} look like one line of a CSV file",
            got=repr(name),
            hint=f"set the source's delimiter: delimiter = {json.dumps(marks[0][0])}",
        )


_KIND_NAMES: Final[dict[Kind, str]] = {
    "flag": "a boolean",
    "number": "a number",
    "text": "a text",
    "moment": "a timestamp",
    "zoned": "a timestamp with time zone",
    "other": "anything",
}
_LISTED: Final = 40


def list_names(columns: Collection[str]) -> str:
    """The names of columns as text, the first forty of them."""
    names = [repr(name) for name in list(columns)[:_LISTED]]
    rest = len(columns) - len(names)
    return ", ".join(names) + (f" and {rest} more" if rest else "")
