"""A column that is compared with the value that means yes gives what the equivalent column of booleans gives."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import sqlglot
from sqlglot import exp

from stratawatch.adapters.sources.long_tables import statements_for
from stratawatch.adapters.sources.sql_source import SqlSource
from stratawatch.core.population import NO_BIN, Atom
from stratawatch.engine.model.panel_spec import ClassifierSpec, PanelSpec
from stratawatch.errors import InputRefused
from tests.support.predictions import golden_draw as golden
from tests.support.predictions.backends import PARAMS, items
from tests.support.predictions.decisions import BLOCK, DECISIONS, decided
from tests.support.predictions.long_golden import LONG_GOLDEN, turned
from tests.support.predictions.panels import WINDOW, panel
from tests.support.predictions.tables import Table

Make = Callable[[Table], SqlSource]
TYPED = [one for one in PARAMS if one.id != "files-csv"]
"""All of CSV is text."""


def answers(source: SqlSource, spec: PanelSpec) -> tuple[Any, ...]:
    """All that a design learns of a window, and what is drawn."""
    counted, (atoms, quotas) = source.census(spec, WINDOW), golden.atoms()
    segments = {key: list(n) for key, n in counted.census.segments.items()}
    cells = (counted.census.patterns, counted.census.bins.tolist(), counted.census.counts.tolist())
    return cells, segments, replace(counted.profile, kinds={}), source.candidates(spec, WINDOW, atoms, quotas)


@pytest.fixture(scope="module")
def read_before() -> dict[Any, tuple[Any, ...]]:
    """What each kind of source answered about the table of booleans."""
    return {}


@pytest.fixture
def booleans(request: pytest.FixtureRequest, made: Make, read_before: dict[Any, tuple[Any, ...]]) -> tuple[Any, ...]:
    """What this kind of source answers about the table of booleans; it is asked once."""
    kind = request.node.callspec.params["made"]
    if kind not in read_before:
        read_before[kind] = answers(made(golden.table()), golden.PANEL)
    return read_before[kind]


class TestEquivalence:
    @pytest.mark.parametrize("name", DECISIONS)
    def test_counts_profile_and_draw_are_those_of_booleans(
        self, made: Make, booleans: tuple[Any, ...], name: str
    ) -> None:
        assert answers(made(decided(golden.table(), name)), by_value(golden.PANEL, name)) == booleans

    @pytest.mark.parametrize("name", ["text", "number"])
    def test_in_a_long_table_too(self, made: Make, booleans: tuple[Any, ...], name: str) -> None:
        found = answers(made(decided(turned(golden.table()), name, "call")), by_value(LONG_GOLDEN, name))
        assert found == booleans

    def test_the_newest_row_stands_as_it_does_with_booleans(self, made: Make) -> None:
        latest, table = replace(golden.PANEL, duplicates="latest"), golden.table()
        twice = {key: (kind, [*values, *values[::-1][:500]]) for key, (kind, values) in table.items()}
        found = answers(made(decided(twice, "text")), by_value(latest, "text"))
        assert found == answers(made(twice), latest)


class TestValues:
    SPEC = panel((ClassifierSpec("gate", "score", call="flag", call_yes=BLOCK),))

    def letters(self, made: Make, values: list[Any]) -> dict[str, str]:
        """What each row says; its id is its place."""
        source = made({**items(*map(str, range(len(values)))), "flag": ("VARCHAR", values)})
        atoms = [Atom(one, NO_BIN, 1023, len(values), None, stratum=k) for k, one in enumerate("01-")]
        found = source.candidates(self.SPEC, WINDOW, atoms, [len(values)] * len(atoms))
        return {one.item: one.pattern for one in found}

    def test_any_other_value_is_negative_and_null_no_call(self, made: Make) -> None:
        others = [BLOCK.upper(), f"{BLOCK} ", f" {BLOCK}", BLOCK[:-1], "1", "true", "yes", "%", "ïo", "NaN"]
        found = self.letters(made, [BLOCK, None, *others])
        assert found == {"0": "1", "1": "-", **{str(k): "0" for k in range(2, 2 + len(others))}}

    def test_no_text_is_unreadable(self, made: Make) -> None:
        profile = made(items(*"abc", flag="2")).census(self.SPEC, WINDOW).profile
        assert (profile.bad_rows, profile.columns["gate"]["positives"]) == (0, 0)

    @pytest.mark.parametrize("made", TYPED, indirect=True)
    def test_of_numbers_nan_is_no_call_and_an_infinity_a_bad_row(self, made: Make) -> None:
        table = {**items(*"abcd"), "flag": ("DOUBLE", [2.0, float("nan"), float("inf"), 1.0])}
        found = made(table).census(panel((replace(self.SPEC.classifiers[0], call_yes="2"),)), WINDOW)
        assert (found.census.patterns, found.profile.columns["gate"]["invalid"]) == (("-", "0", "1"), 1)
        assert {one.reason for one in found.bad_rows} == {"the call of 'gate' in 'flag' is not a finite number"}

    @pytest.mark.parametrize("made", TYPED, indirect=True)
    def test_a_column_of_another_type_is_refused_with_what_to_do(self, made: Make) -> None:
        source = made({**items("a"), "flag": ("BOOLEAN", [True])})
        with pytest.raises(InputRefused, match=r"cannot be the call .* or remove it: booleans, and 0 and 1"):
            source.census(self.SPEC, WINDOW)
        (problem,) = source.describe(self.SPEC).problems
        assert problem.column.key == ("classifiers", "gate", "call")


@pytest.mark.parametrize("dialect", golden.DIALECTS)
def test_the_value_is_one_literal_in_every_dialect(dialect: str) -> None:
    types = {**golden.TYPES, "is_lr": "VARCHAR"}
    statements = statements_for(by_value(golden.PANEL, "text"), '"rows"', types, dialect)
    (parsed,) = sqlglot.parse(statements.census(WINDOW), dialect=dialect)
    assert parsed is not None
    assert BLOCK in {one.this for one in parsed.find_all(exp.Literal)}


def by_value(spec: PanelSpec, name: str) -> PanelSpec:
    """The panel whose first classifier reads the decisions."""
    first, *others = spec.classifiers
    return replace(spec, classifiers=(replace(first, call_yes=DECISIONS[name][1]), *others))
