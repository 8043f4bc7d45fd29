"""Every kind of drift, on real files: told, refused or passed over, as the panel wants it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, get_args

import duckdb
import pytest

from stratawatch.adapters.sources.duckdb_files import FilesSource
from stratawatch.adapters.sources.duckdb_session import DuckDBLimits
from stratawatch.engine.cycle.freeze_cycle import freeze_cycle
from stratawatch.engine.cycle.open_cycles import open_cycles
from stratawatch.engine.input.window_drift import Kind
from stratawatch.engine.model.drift_rule import DriftRule
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.states import CycleState, Entity
from stratawatch.engine.ports import Ports
from tests.support.fakes import MONDAY, WEEK, FakeChannel, FakeCheck, FakeQueue, ManualClock, spec
from tests.support.stores import empty_store

PANEL: Final = spec()
ARRIVAL: Final = replace(PANEL, columns=replace(PANEL.columns, ingested="loaded"))
FIRST: Final = {
    "id": "'i' || i",
    "at": "TIMESTAMP '2026-01-05' + INTERVAL (i) MINUTE",
    "loaded": "TIMESTAMP '2026-01-05' + INTERVAL (i) MINUTE",
    "text": "'text ' || i",
    "country": "CASE WHEN i % 3 = 0 THEN 'DE' ELSE 'FR' END",
    "score_lr": "((i * 7919) % 10007) / 10007.0",
    "score_rf": "((i * 104729) % 10009) / 10009.0",
}
"""Columns of the first window."""
SECOND: Final = FIRST | {
    "at": "TIMESTAMP '2026-01-12' + INTERVAL (i) MINUTE",
    "loaded": "TIMESTAMP '2026-01-12' + INTERVAL (i) MINUTE",
    "score_lr": "((i * 7907 + 5) % 10007) / 10007.0",
    "score_rf": "((i * 104723 + 7) % 10009) / 10009.0",
}
"""Of an ordinary second one."""


@dataclass(frozen=True)
class Case:
    """How the second window differs, and what is said of it."""

    said: str
    columns: Mapping[str, str]
    rows: int = 3000
    late: int = 0  # rows that the first window gets after it was read
    panel: PanelSpec = PANEL


CASES: Final[Mapping[str, Case]] = {
    "volume": Case("the window has 6,000 rows, the window before 3,000", {}, rows=6000),
    "silent": Case("classifier 'rf' made a call on 0% of the rows, before on 100%", {"score_rf": "NULL::DOUBLE"}),
    "scale": Case("they are more than ten times smaller", {"score_lr": f"{SECOND['score_lr']} / 50"}),
    "frozen": Case("the scores of 'lr' are those of the window", {"score_lr": FIRST["score_lr"]}),
    "types": Case("column 'id' holds numbers, before text", {"id": "i"}),
    "replay": Case(
        "every count of the window is that of the window", {name: FIRST[name] for name in ("score_lr", "score_rf")}
    ),
    "missed": Case("25 rows of the window before came after it was read", {}, late=25),
    "clock": Case(
        "100 of 3,000 rows are dated later than the window in which they arrived",
        {
            "at": "TIMESTAMP '2026-01-12' + INTERVAL (i) MINUTE + CASE WHEN i < 100 THEN INTERVAL 30 DAY ELSE INTERVAL 0 DAY END"
        },
        panel=ARRIVAL,
    ),
}
OTHERS: Final = (
    Case(
        "classifier 'rf' made a call on 50.0% of the rows",
        {"score_rf": f"CASE WHEN i % 2 = 0 THEN {SECOND['score_rf']} END"},
    ),
    Case("all 3,000 scores of 'lr' are 0.25", {"score_lr": "0.25"}),
    Case("the window has 1,500 rows, the window before 3,000", {}, rows=1500),
)
"""Second faces of the same kinds."""
Weeks = Callable[..., tuple[CycleState, str, list[str]]]


@pytest.fixture
def weeks(tmp_path: Path) -> Any:
    """A function that reads and judges the first window, then reads the second: its state, reason and warnings."""
    stores = []

    def read(case: Case, rule: DriftRule | None = None) -> tuple[CycleState, str, list[str]]:
        stores.append(empty_store(tmp_path / "store.db"))
        panel, clock = replace(case.panel, drift=rule or DriftRule()), ManualClock()
        source = FilesSource(tmp_path / "in", limits=DuckDBLimits(threads=1))
        ports = Ports(stores[0], clock, {panel.name: source}, FakeCheck(), FakeQueue({}), {"channel": FakeChannel()})
        _write(tmp_path / "in" / "first.parquet", FIRST, 3000)
        (first,) = open_cycles(ports, {panel.name: panel})
        assert freeze_cycle(ports, first) == CycleState.FROZEN
        _judge(ports, first)
        if case.late:
            _write(tmp_path / "in" / "late.parquet", FIRST | {"id": "'late' || i"}, case.late)
        else:
            (tmp_path / "in" / "first.parquet").unlink()
        _write(tmp_path / "in" / "second.parquet", {**SECOND, **case.columns}, case.rows)
        clock.moment = MONDAY + 2 * WEEK
        (second,) = open_cycles(ports, {panel.name: panel})
        freeze_cycle(ports, second)
        with ports.store.begin() as tx:
            found = tx.cycles.get(second)
        return found.state, found.reason, list(found.profile.warnings) if found.profile else []

    yield read
    for store in stores:
        store.dispose()


def _write(path: Path, columns: Mapping[str, str], rows: int) -> None:
    path.parent.mkdir(exist_ok=True)
    chosen = ", ".join(f'{expression} AS "{name}"' for name, expression in columns.items())
    duckdb.sql(f"SELECT {chosen} FROM range({rows}) AS t(i)").write_parquet(str(path))


def _judge(ports: Ports, cycle: int) -> None:
    way = (CycleState.FROZEN, CycleState.LABELLING, CycleState.SETTLED, CycleState.JUDGED)
    with ports.store.begin() as tx:
        for old, new in pairwise(way):
            tx.move(Entity.CYCLE, cycle, old, new, at=MONDAY + WEEK, why="a test")
        tx.commit()


def test_every_kind_is_told_here() -> None:
    assert set(CASES) == set(get_args(Kind))


def test_an_ordinary_window_is_told_nothing(weeks: Weeks) -> None:
    assert weeks(Case("", {})) == (CycleState.FROZEN, "", [])


@pytest.mark.parametrize("kind", CASES)
class TestEveryKind:
    def test_is_told_where_it_only_warns(self, weeks: Weeks, kind: str) -> None:
        state, _, warnings = weeks(CASES[kind], DriftRule(**{kind: "warn"}))
        assert state == CycleState.FROZEN
        (told,) = warnings
        assert CASES[kind].said in told

    def test_refuses_where_the_panel_says_so(self, weeks: Weeks, kind: str) -> None:
        state, reason, _ = weeks(CASES[kind], DriftRule(**{kind: "refuse"}))
        assert state == CycleState.REFUSED
        assert CASES[kind].said in reason
        assert f'set {kind} = "warn" in [panels.spam.drift]' in reason

    def test_is_passed_over_where_it_is_to_be_ignored(self, weeks: Weeks, kind: str) -> None:
        assert weeks(CASES[kind], DriftRule(**{kind: "ignore"})) == (CycleState.FROZEN, "", [])


@pytest.mark.parametrize("case", OTHERS, ids=lambda case: case.said)
def test_other_faces_are_told_too(weeks: Weeks, case: Case) -> None:
    _, _, warnings = weeks(case)
    assert [one for one in warnings if case.said in one]


def test_only_a_replayed_window_is_refused_unless_the_panel_says_so(weeks: Weeks) -> None:
    assert weeks(CASES["replay"])[0] == CycleState.REFUSED
    assert [kind for kind in CASES if getattr(DriftRule(), kind) == "refuse"] == ["replay"]
