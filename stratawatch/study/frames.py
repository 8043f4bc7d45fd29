"""Frames of pandas, pyarrow and polars, read column by column and never copied as a whole."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np

from stratawatch.answer_words import yes_or_no
from stratawatch.core.population import Counts, Floats
from stratawatch.errors import StratawatchError

_PART: Final = 50_000
"""Values that are Python objects at one time."""


class Column(Protocol):
    """One column of a frame; null, NA and NaN are None in lists and NaN in numbers."""

    def __len__(self) -> int:
        """The number of rows."""
        ...

    def numbers(self) -> Floats:
        """The column as doubles. Raises ValueError (or a library's kind of it) where it holds something else."""
        ...

    def part(self, start: int, stop: int) -> list[Any]:
        """The plain Python values of rows start to stop."""
        ...

    def at(self, rows: Counts) -> list[Any]:
        """The plain Python values of some rows."""
        ...


@dataclass(frozen=True)
class Frame:
    """A table whose columns are read by name."""

    names: tuple[str, ...]
    rows: int
    read: Callable[[str], Column]

    def column(self, name: str, role: str) -> Column:
        """A column by its name; `role` says in an error what the column is for."""
        if name not in self.names:
            shown = ", ".join(map(repr, self.names[:12])) + (", ..." if len(self.names) > 12 else "")
            raise StratawatchError(f"the frame has no column {name!r}, {role}", expected=f"one of {shown or 'none'}")
        if self.names.count(name) > 1:
            raise StratawatchError(f"the frame has {self.names.count(name)} columns {name!r}", expected="one")
        return self.read(name)

    def flags(self, name: str, role: str) -> Floats:
        """A column of yes and no as 1 and 0, NaN where there is none. Numbers stay as they are, anything else is 2."""
        column = self.column(name, role)
        try:
            return self.numbers(name, role)
        except StratawatchError:  # text, perhaps
            found = np.empty(self.rows)
            for start in range(0, self.rows, _PART):
                values = column.part(start, min(start + _PART, self.rows))
                found[start : start + len(values)] = [_flag(value) for value in values]
            return found

    def numbers(self, name: str, role: str) -> Floats:
        """A column of numbers, NaN where there is none."""
        column = self.column(name, role)
        try:
            return column.numbers()
        except Exception as trouble:
            first = (str(trouble).strip().splitlines() or [type(trouble).__name__])[0]
            raise StratawatchError(f"column {name!r}, {role}, is not made of numbers", got=first[:120]) from trouble


@dataclass(frozen=True)
class _Pandas:
    series: Any

    def __len__(self) -> int:
        return len(self.series)

    def numbers(self) -> Floats:
        if self.series.dtype.kind in "mM":
            raise ValueError(f"{self.series.dtype} values")
        return np.asarray(self.series.to_numpy(dtype=np.float64, na_value=np.nan), dtype=np.float64)

    def part(self, start: int, stop: int) -> list[Any]:
        return self._plain(self.series.iloc[start:stop])

    def at(self, rows: Counts) -> list[Any]:
        return self._plain(self.series.iloc[rows])

    @staticmethod
    def _plain(series: Any) -> list[Any]:
        values: list[Any] = series.tolist()
        missing = series.isna().to_numpy()
        if missing.any():
            return [None if no else value for value, no in zip(values, missing.tolist(), strict=True)]
        return values


@dataclass(frozen=True)
class _Arrow:
    array: Any

    def __len__(self) -> int:
        return len(self.array)

    def numbers(self) -> Floats:
        return np.asarray(self.array.cast("double").to_numpy(), dtype=np.float64)

    def part(self, start: int, stop: int) -> list[Any]:
        return _without_nan(self.array.slice(start, stop - start).to_pylist())

    def at(self, rows: Counts) -> list[Any]:
        return _without_nan(self.array.take(rows).to_pylist())


@dataclass(frozen=True)
class _Polars:
    series: Any

    def __len__(self) -> int:
        return len(self.series)

    def numbers(self) -> Floats:
        import polars as pl

        return np.asarray(self.series.cast(pl.Float64).to_numpy(), dtype=np.float64)

    def part(self, start: int, stop: int) -> list[Any]:
        return _without_nan(self.series.slice(start, stop - start).to_list())

    def at(self, rows: Counts) -> list[Any]:
        return _without_nan(self.series.gather(rows).to_list())


def _flag(value: Any) -> float:
    said = yes_or_no(value)
    return np.nan if value is None else 2.0 if said is None else float(said)


def _without_nan(values: list[Any]) -> list[Any]:
    if float in set(map(type, values)):
        return [None if isinstance(value, float) and value != value else value for value in values]  # noqa: PLR0124
    return values


_KINDS: Final[Mapping[tuple[str, str], Callable[[Any], Frame]]] = {
    ("pandas", "DataFrame"): lambda frame: Frame(tuple(frame.columns), len(frame), lambda name: _Pandas(frame[name])),
    ("pyarrow", "Table"): lambda frame: Frame(
        tuple(frame.column_names), frame.num_rows, lambda name: _Arrow(frame.column(name))
    ),
    ("polars", "DataFrame"): lambda frame: Frame(
        tuple(frame.columns), frame.height, lambda name: _Polars(frame.get_column(name))
    ),
}


def is_frame(value: object) -> bool:
    """Whether a value is a frame that can be opened."""
    return _opener(value) is not None


def _opener(frame: object) -> Callable[[Any], Frame] | None:
    kinds = ((kind.__module__.partition(".")[0], kind.__name__) for kind in type(frame).__mro__)
    return next((_KINDS[kind] for kind in kinds if kind in _KINDS), None)


def open_frame(frame: object) -> Frame:
    """A pandas, pyarrow or polars frame as columns by name, without importing the library that it comes from."""
    opened = _opener(frame)
    if opened is not None:
        return opened(frame)
    lazy = type(frame).__name__ == "LazyFrame"
    raise StratawatchError(
        "the frame cannot be read",
        expected="a pandas DataFrame, a pyarrow Table or a polars DataFrame",
        got=f"{type(frame).__module__.partition('.')[0]} {type(frame).__name__}",
        hint="call its collect() first" if lazy else "",
    )
