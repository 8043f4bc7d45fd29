"""Tables of results that read well in a notebook and turn into a pandas frame."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, get_type_hints, overload

from stratawatch.study.notebook_html import WARNING_SIGN, html_table

if TYPE_CHECKING:
    import pandas as pd
    from _typeshed import DataclassInstance

    RowType = TypeVar("RowType", bound=DataclassInstance)
else:
    RowType = TypeVar("RowType")

# Words that a cell shows of a list.
_NAMED: Final = 3


class ResultTable(Sequence[RowType], Generic[RowType]):
    """A list of dataclass rows that prints as a table and turns into a pandas frame."""

    def __init__(self, rows: Sequence[RowType]) -> None:
        self._rows = tuple(rows)

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> RowType: ...
    @overload
    def __getitem__(self, index: slice) -> "ResultTable[RowType]": ...
    def __getitem__(self, index: int | slice) -> "RowType | ResultTable[RowType]":
        """A row, or some of them."""
        return type(self)(self._rows[index]) if isinstance(index, slice) else self._rows[index]

    def __iter__(self) -> Iterator[RowType]:
        return iter(self._rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ResultTable) and self._rows == other._rows

    def __hash__(self) -> int:
        return hash(self._rows)

    def __repr__(self) -> str:
        if not self._rows:
            return "no rows"
        return "\n".join([text_table(*self._cells), *(f"\n{WARNING_SIGN} {warning}" for warning in self.warnings)])

    def to_frame(self) -> "pd.DataFrame":
        """The rows as a pandas frame, to filter, compare and plot; what is not known is missing there (NaN).

        A column of numbers is one of floats whatever is known, so that frames of two weeks fit together. What a reader
        should know is in the frame's `attrs["warnings"]`, which pandas loses where frames are joined.
        """
        import pandas as pd

        frame = pd.DataFrame([asdict(row) for row in self._rows])
        kinds = get_type_hints(type(self._rows[0])) if self._rows else {}
        frame = frame.astype({name: "float64" for name, kind in kinds.items() if kind in (float, float | None)})
        frame.attrs["warnings"] = list(self.warnings)
        return frame

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences that a reader of the table should know."""
        return ()

    @property
    def how_to_read(self) -> str:
        """The first row that tells something as a sentence; empty where rows have no sentence."""
        return next((words for row in self._rows if (words := getattr(row, "in_words", ""))), "")

    def to_html(self, warnings: Sequence[str] = ()) -> str:
        """The table as HTML, with how to read it and a row for each warning; columns that say nothing are left out."""
        every = tuple(dict.fromkeys([*self.warnings, *warnings]))
        if not self._rows:
            return html_table([], [["no rows"]], every)
        names, rows = self._cells
        kept = _kept_columns(names, rows)
        return html_table([names[i] for i in kept], [[row[i] for i in kept] for row in rows], every, self.how_to_read)

    def _repr_html_(self) -> str:
        return self.to_html()

    @property
    def _cells(self) -> tuple[list[str], list[list[str]]]:
        names = [one.name for one in fields(self._rows[0])]
        return names, [[_shown(getattr(row, name)) for name in names] for row in self._rows]


def text_table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns side by side, numbers to the right; a column that says nothing is left out.

    >>> print(text_table(["who", "n", "gone"], [["lr", "12", ""], ["vote", "7", ""]]))
    who    n
    lr    12
    vote   7
    """
    kept = _kept_columns(names, rows)
    lines = [[names[i] for i in kept], *([row[i] for i in kept] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    right = [all(_is_number(line[i]) for line in lines[1:]) for i, _ in enumerate(kept)]
    return "\n".join(
        "  ".join(
            cell.rjust(w) if r else cell.ljust(w) for cell, w, r in zip(line, widths, right, strict=True)
        ).rstrip()
        for line in lines
    )


def _kept_columns(names: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """The places of the columns in which some row says something."""
    return [i for i, _ in enumerate(names) if any(row[i] for row in rows)]


def _is_number(cell: str) -> bool:
    return not cell or cell.replace(",", "").replace(".", "", 1).lstrip("-").isdigit()


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3f}" if abs(value) < 10 else f"{value:,.0f}"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, tuple):
        more = f" and {len(value) - _NAMED} more" if len(value) > _NAMED else ""
        return ", ".join(map(str, value[:_NAMED])) + more
    return str(value)
