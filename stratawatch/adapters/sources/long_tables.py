"""Tables with a row for each item and classifier, read as if they had a row for each item.

Of a window's rows those that share an item become one: each classifier's columns hold what its row says, and are NULL
where it has none. Two rows of one item by one classifier are copies of it, which the input check refuses.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from stratawatch.adapters.sources import window_times
from stratawatch.adapters.sources.column_types import kind_of
from stratawatch.adapters.sources.dialects import SOURCE
from stratawatch.adapters.sources.quoting import identifier, text
from stratawatch.adapters.sources.statements import INDENT, Statements, bytes_of, template
from stratawatch.engine.model.panel_spec import AuxiliarySpec, ClassifierSpec, Columns, PanelSpec, Window

_COPIES = "rows of the item"
_CALL = "CASE WHEN {said} THEN 1 WHEN NOT {said} THEN 0 END"
"""A boolean as a number: not every engine knows the largest of booleans."""


def statements_for(panel: PanelSpec, relation: str, types: Mapping[str, str], dialect: str = SOURCE) -> Statements:
    """The queries for a panel's layout."""
    layout = Statements if panel.columns.classifier is None else LongStatements
    return layout(panel, relation, types, dialect)


@dataclass(frozen=True)
class LongStatements(Statements):
    """The queries on a long table: those of a wide one, on the window's rows turned."""

    @property
    def gathers(self) -> bool:
        """Turning rows is most of the work, and would be done twice all the same."""
        return False

    def census(self, window: Window) -> str:
        """Count the window's items."""
        return self._wide(window).census(window)

    def candidates(self, window: Window) -> str:
        """Fetch items."""
        return self._wide(window, payload=True).candidates(window)

    def bad_rows(self, window: Window) -> str:
        """Show some items that the census left out."""
        return self._wide(window).bad_rows(window)

    def rows(self, window: Window) -> str:
        """Count the items dated inside a window."""
        return self._wide(window).rows(window)

    def given_names(self) -> tuple[str, ...]:
        """The columns that `bad_rows` shows, each with its classifier."""
        shown = {
            _turned_name(i, role): f"{one.name}: {column}"
            for i, one in enumerate(_speakers(self.panel), 1)
            for role, column in _read_by(one)
        }
        return tuple(shown[name] for _, name in Statements(_wide_panel(self.panel), "", {})._given())  # noqa: SLF001

    def _wide(self, window: Window, *, payload: bool = False) -> Statements:
        turned = _Turned(self.panel, self.types, payload=payload)
        columns = self.panel.columns
        relation = template("long").substitute(
            times=INDENT.join(window_times.times(columns, self.types)),
            named=INDENT.join(turned.named()),
            population=self.relation,
            speakers=", ".join(text(_called(one)) for one in _speakers(self.panel)),
            within=window_times.within(columns, self.types, window),
            together=INDENT.join(f"{expression} AS {identifier(name)}" for name, expression, _ in turned.together()),
            alone=INDENT.join(f"{expression} AS {identifier(name)}" for name, expression, _ in turned.alone()),
        )
        types = {name: kind for name, _, kind in turned.together()}
        return Statements(_wide_panel(self.panel), relation, types, self.dialect, copies=_COPIES)


@dataclass(frozen=True)
class _Turned:
    """The columns of the turned table: name, expression over the rows of an item, type."""

    panel: PanelSpec
    types: Mapping[str, str]
    payload: bool

    def named(self) -> Iterator[str]:
        """The source's columns by names of our own."""
        columns = self.panel.columns
        yield f"{identifier(columns.item)} AS item_given"
        yield f"{identifier(columns.time)} AS time_given"
        if columns.ingested is not None:
            yield f"{identifier(columns.ingested)} AS arrived_given"
        yield f"{bytes_of(identifier(str(columns.classifier)))} AS speaker"
        for i, name in enumerate(self._said(), 1):
            yield f"{identifier(name)} AS said_{i}"
        for i, name in enumerate(self._kept(), 1):
            yield f"{bytes_of(identifier(name))} AS kept_{i}"

    def together(self) -> Iterator[tuple[str, str, str]]:
        """What a row of the turned table has, of the rows of an item."""
        yield from self._all("MIN({})", "MAX({})", self._most())

    def alone(self) -> Iterator[tuple[str, str, str]]:
        """The same of a single row."""
        yield from self._all("{}", "{}", "1")

    def _all(self, least: str, largest: str, copies: str) -> Iterator[tuple[str, str, str]]:
        columns, said = self.panel.columns, {name: f"said_{i}" for i, name in enumerate(self._said(), 1)}
        yield columns.item, "item", "VARCHAR"
        yield columns.time, least.format("time"), "TIMESTAMP"
        if columns.ingested is not None:
            yield columns.ingested, least.format("arrived"), "TIMESTAMP"
        for position, one in enumerate(_speakers(self.panel), 1):
            mine = f"CASE WHEN speaker = {text(_called(one))} THEN {{}} END"
            for role, name in _read_by(one):
                flag = kind_of(self.types[name]) == "flag"
                value = _CALL.format(said=said[name]) if flag else said[name]
                kind = "INTEGER" if flag else self.types[name]
                yield _turned_name(position, role), largest.format(mine.format(value)), kind
        for i, name in enumerate(self._kept(), 1):
            if name not in (columns.item, columns.time, columns.ingested):
                yield name, least.format(f"kept_{i}"), "VARCHAR"
        yield _COPIES, copies, "BIGINT"

    def _most(self) -> str:
        """How many rows the classifier with the most of them has."""
        spoken = [f"COUNT(CASE WHEN speaker = {text(_called(one))} THEN 1 END)" for one in _speakers(self.panel)]
        return spoken[0] if len(spoken) == 1 else f"GREATEST({', '.join(spoken)})"

    def _said(self) -> list[str]:
        return list(dict.fromkeys(name for one in _speakers(self.panel) for _, name in _read_by(one)))

    def _kept(self) -> list[str]:
        columns = self.panel.columns
        shown = (*columns.payload, *([columns.cluster] if columns.cluster else [])) if self.payload else ()
        return list(dict.fromkeys((*columns.segments, *shown)))


def _wide_panel(panel: PanelSpec) -> PanelSpec:
    """The panel as it reads the turned table."""

    def turned(position: int, one: ClassifierSpec) -> ClassifierSpec:
        names = {role: _turned_name(position, role) for role, _ in _read_by(one)}
        return replace(one, score=names.get("score"), call=names.get("call"))

    columns: Columns = replace(panel.columns, classifier=None)
    many = tuple(turned(i, one) for i, one in enumerate(panel.classifiers, 1))
    helpers = tuple(
        replace(one, score=_turned_name(i, "score")) for i, one in enumerate(panel.auxiliary, len(many) + 1)
    )
    return replace(panel, columns=columns, classifiers=many, auxiliary=helpers)


def _speakers(panel: PanelSpec) -> tuple[ClassifierSpec | AuxiliarySpec, ...]:
    return (*panel.classifiers, *panel.auxiliary)


def _turned_name(position: int, role: str) -> str:
    """By position, because PostgreSQL cuts names after 63 bytes and would mix up long ones."""
    return f"{role} of {position}"


def _called(one: ClassifierSpec | AuxiliarySpec) -> str:
    return one.called or one.name


def _read_by(one: ClassifierSpec | AuxiliarySpec) -> tuple[tuple[str, str], ...]:
    """What the columns of one speaker are for, and their names."""
    given = (("score", one.score), ("call", one.call if isinstance(one, ClassifierSpec) else None))
    return tuple((role, name) for role, name in given if name is not None)
