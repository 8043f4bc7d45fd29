"""Records as rows of a table and back, by the names that fields and columns share."""

from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from sqlalchemy import Result, Row, Table

from stratawatch.adapters.store.json_codec import field_types

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Record = TypeVar("Record", bound="DataclassInstance")


def row_of(record: "DataclassInstance", table: Table, **others: Any) -> dict[str, Any]:
    """The record's fields that are columns of the table, and the `others`; an id is given by the database."""
    shared = {name: _storable(getattr(record, name)) for name in _shared_names(type(record), table)}
    return {**shared, **others}


def record_of(kind: type[Record], row: Row[Any], **others: Any) -> Record:
    """The record of a row: a column of the same name for each field that is not among the `others`."""
    values = {
        name: getattr(row, name) if member is None else member(getattr(row, name))
        for name, member in _fields(kind)
        if name not in others
    }
    return kind(**values, **others)


def records_of(kind: type[Record], rows: Result[Any], **others: Any) -> Iterator[Record]:
    """The records of all rows, as `record_of` makes them; the columns are looked up once, not for each row."""
    make = record_maker(kind, rows.keys(), **others)
    return (make(row) for row in rows)


def record_maker(kind: type[Record], columns: Iterable[str], **others: Any) -> Callable[[Row[Any]], Record]:
    """What makes the record of a row with these columns; a window has thousands of rows."""
    places = {name: place for place, name in enumerate((*columns, *others))}  # the others stand in for columns
    constants, fields = tuple(others.values()), _fields(kind)
    values_of = itemgetter(*(places[name] for name, _ in fields))
    members = [(place, one) for place, (name, one) in enumerate(fields) if one is not None and name not in others]

    def make(row: Row[Any]) -> Record:
        return kind(*values_of((*row, *constants)))

    def make_with_members(row: Row[Any]) -> Record:
        values = list(values_of((*row, *constants)))
        for place, member in members:
            values[place] = member(values[place])
        return kind(*values)

    return make_with_members if members else make


@cache
def _fields(kind: type["DataclassInstance"]) -> tuple[tuple[str, type[Enum] | None], ...]:
    """The fields by name, each with the enumeration of which its values are members, if any."""
    return tuple(
        (name, hint if isinstance(hint, type) and issubclass(hint, Enum) else None)
        for name, hint in field_types(kind).items()
    )


@cache
def _shared_names(kind: type["DataclassInstance"], table: Table) -> tuple[str, ...]:
    return tuple(name for name in field_types(kind) if name in table.c and name != "id")


def _storable(value: Any) -> Any:
    """The value as every driver takes it: they know neither enumerations nor NumPy's numbers."""
    if isinstance(value, Enum):
        return value.value
    return value.item() if isinstance(value, np.generic) else value
