"""Tables with a row for each item and classifier, read as if they had a row for each item.

Of a window's rows those that share an item become one: each classifier's columns hold the values of its row, and are
NULL where it has none. Two rows of one item by one classifier are copies of it, which the input check refuses.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from stratawatch.adapters.sources import window_times
from stratawatch.adapters.sources.column_types import kind_of
from stratawatch.adapters.sources.quoting import identifier, text
from stratawatch.adapters.sources.statements import INDENT, SOURCE, Statements, bytewise_text, template
from stratawatch.engine.model.panel_spec import AuxiliarySpec, ClassifierSpec, Columns, PanelSpec, Window

_COPIES = "rows of the item"
# A boolean as a number: not every engine knows the largest of booleans.
_AS_NUMBER = "CASE WHEN {value} THEN 1 WHEN NOT {value} THEN 0 END"


def statements_for(panel: PanelSpec, relation: str, types: Mapping[str, str], dialect: str = SOURCE) -> Statements:
    """The queries for a panel's layout: of rows that are items, or that are items by classifier."""
    layout = Statements if panel.columns.classifier is None else LongStatements
    return layout(panel, relation, types, dialect)


@dataclass(frozen=True)
class LongStatements(Statements):
    """The queries on a long table: those of a wide one, on the window's rows pivoted."""

    @property
    def allows_single_scan(self) -> bool:
        """Never: pivoting is most of the work, and a single scan would still do it twice."""
        return False

    def census(self, window: Window) -> str:
        """Count the window's items."""
        return self._wide(window).census(window)

    def candidates(self, window: Window) -> str:
        """Fetch the items with the smallest digests."""
        return self._wide(window, drawing=True).candidates(window)

    def items_by_id(self, window: Window) -> str:
        """Fetch the items with these ids."""
        return self._wide(window).items_by_id(window)

    def shown_by_id(self, window: Window) -> str:
        """Fetch the same items with what labellers are shown of them, and the cluster."""
        return self._wide(window, drawing=True).shown_by_id(window)

    def bad_rows(self, window: Window) -> str:
        """Show some items that the census left out."""
        return self._wide(window).bad_rows(window)

    def row_count(self, window: Window) -> str:
        """Count the items dated inside a window."""
        return self._wide(window).row_count(window)

    def bad_row_columns(self) -> tuple[str, ...]:
        """The columns that `bad_rows` shows, each with its classifier."""
        name_of = {
            _pivoted_name(i, role): f"{one.name}: {column}"
            for i, one in enumerate(_scorers(self.panel), 1)
            for role, column in _columns_of(one)
        }
        pivoted = Statements(_wide_panel(self.panel), "", {}).bad_row_columns()
        return tuple(name_of[name] for name in pivoted)

    def _wide(self, window: Window, *, drawing: bool = False) -> Statements:
        pivot = _Pivot(self.panel, self.types, drawing=drawing)
        columns = self.panel.columns
        relation = template("pivoted").substitute(
            times=INDENT.join(window_times.time_columns(columns, self.types)),
            renamed=INDENT.join(pivot.renamed()),
            population=window_times.in_partitions(self.relation, columns, self.types, window),
            scorers=", ".join(text(_name_in_table(one)) for one in _scorers(self.panel)),
            in_window=window_times.in_window(columns, self.types, window),
            grouped=INDENT.join(
                f"{expression} AS {identifier(name)}" for name, expression, _ in pivot.of_grouped_rows()
            ),
            single=INDENT.join(f"{expression} AS {identifier(name)}" for name, expression, _ in pivot.of_single_rows()),
        )
        types = {name: kind for name, _, kind in pivot.of_grouped_rows()}
        return Statements(_wide_panel(self.panel), relation, types, self.dialect, copies=_COPIES)


@dataclass(frozen=True)
class _Pivot:
    """The columns of the pivoted table: name, expression over the rows of an item, type."""

    panel: PanelSpec
    types: Mapping[str, str]
    drawing: bool

    def renamed(self) -> Iterator[str]:
        """The source's columns under names of our own."""
        columns = self.panel.columns
        yield f"{identifier(columns.item)} AS item_given"
        yield f"{identifier(columns.time)} AS time_given"
        if columns.ingested is not None:
            yield f"{identifier(columns.ingested)} AS arrived_given"
        yield f"{bytewise_text(identifier(str(columns.classifier)))} AS scorer"
        for i, name in enumerate(self._value_columns(), 1):
            yield f"{identifier(name)} AS value_{i}"
        for i, name in enumerate(self._attributes(), 1):
            yield f"{bytewise_text(identifier(name))} AS attribute_{i}"

    def of_grouped_rows(self) -> Iterator[tuple[str, str, str]]:
        """The columns where the rows of an item are grouped."""
        yield from self._columns("MIN({})", "MAX({})", self._copies())

    def of_single_rows(self) -> Iterator[tuple[str, str, str]]:
        """The columns where every row stays a row."""
        yield from self._columns("{}", "{}", "1")

    def _columns(self, smallest: str, largest: str, copies: str) -> Iterator[tuple[str, str, str]]:
        columns, values = self.panel.columns, {name: f"value_{i}" for i, name in enumerate(self._value_columns(), 1)}
        yield columns.item, "item", "VARCHAR"
        yield columns.time, smallest.format("time"), "TIMESTAMP"
        if columns.ingested is not None:
            yield columns.ingested, smallest.format("arrived"), "TIMESTAMP"
        for position, one in enumerate(_scorers(self.panel), 1):
            of_scorer = f"CASE WHEN scorer = {text(_name_in_table(one))} THEN {{}} END"
            for role, name in _columns_of(one):
                is_boolean = kind_of(self.types[name]) == "flag"
                value = _AS_NUMBER.format(value=values[name]) if is_boolean else values[name]
                kind = "INTEGER" if is_boolean else self.types[name]
                yield _pivoted_name(position, role), largest.format(of_scorer.format(value)), kind
        for i, name in enumerate(self._attributes(), 1):
            if name not in (columns.item, columns.time, columns.ingested):
                yield name, smallest.format(f"attribute_{i}"), "VARCHAR"
        yield _COPIES, copies, "BIGINT"

    def _copies(self) -> str:
        """The number of rows of the classifier that has the most of them."""
        counts = [f"COUNT(CASE WHEN scorer = {text(_name_in_table(one))} THEN 1 END)" for one in _scorers(self.panel)]
        return counts[0] if len(counts) == 1 else f"GREATEST({', '.join(counts)})"

    def _value_columns(self) -> list[str]:
        return list(dict.fromkeys(name for one in _scorers(self.panel) for _, name in _columns_of(one)))

    def _attributes(self) -> list[str]:
        columns = self.panel.columns
        drawn = (*columns.payload, *([columns.cluster] if columns.cluster else [])) if self.drawing else ()
        return list(dict.fromkeys((*columns.segments, *drawn)))


def _wide_panel(panel: PanelSpec) -> PanelSpec:
    """The panel as it reads the pivoted table."""

    def pivoted(position: int, one: ClassifierSpec) -> ClassifierSpec:
        names = {role: _pivoted_name(position, role) for role, _ in _columns_of(one)}
        return replace(one, score=names.get("score"), call=names.get("call"))

    columns: Columns = replace(panel.columns, classifier=None, partition=None)
    classifiers = tuple(pivoted(i, one) for i, one in enumerate(panel.classifiers, 1))
    auxiliary = tuple(
        replace(one, score=_pivoted_name(i, "score")) for i, one in enumerate(panel.auxiliary, len(classifiers) + 1)
    )
    return replace(panel, columns=columns, classifiers=classifiers, auxiliary=auxiliary)


def _scorers(panel: PanelSpec) -> tuple[ClassifierSpec | AuxiliarySpec, ...]:
    return (*panel.classifiers, *panel.auxiliary)


def _pivoted_name(position: int, role: str) -> str:
    """Name a pivoted column by its position: PostgreSQL cuts names after 63 bytes and would mix up long ones."""
    return f"{role} of {position}"


def _name_in_table(one: ClassifierSpec | AuxiliarySpec) -> str:
    """The value of the classifier column in the rows of one scorer."""
    return one.called or one.name


def _columns_of(one: ClassifierSpec | AuxiliarySpec) -> tuple[tuple[str, str], ...]:
    """What the columns of one scorer are for, and their names."""
    given = (("score", one.score), ("call", one.call if isinstance(one, ClassifierSpec) else None))
    return tuple((role, name) for role, name in given if name is not None)
