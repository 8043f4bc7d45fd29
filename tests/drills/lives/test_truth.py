"""Chargebacks steer plans and warn early, and touch not one estimate: the same story is played with and without them."""

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import event, select

from stratawatch.adapters.status_queries import read_status
from stratawatch.adapters.store import open_store
from stratawatch.adapters.store.tables import estimates, revisions
from stratawatch.core.goals import Limit
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.cycle.judge_cycle import judge_cycle
from stratawatch.engine.labels.labelled_cycle import load_labelled_cycle
from stratawatch.engine.model.panel_metrics import metrics_shown
from stratawatch.engine.model.truth import PolledTruth, TruthStatement
from stratawatch.report import write
from tests.support.fakes import MONDAY, WEEK, spec
from tests.support.scenario import Scenario, open_all, relabel, work_on

PANEL = spec(
    limits=(Limit("precision", floor=0.1, classifiers=("lr",)), Limit("false_omission_rate", ceiling=0.05)),
)
SIZE = 3000
CHARGEBACKS = 2000


@dataclass
class FakeTruth:
    """Says what a test lets it say."""

    name: str = "truth of spam in the fake"
    said: list[TruthStatement] = field(default_factory=list)

    def poll(self, cursor):
        start = int(cursor.get("at", 0))
        return PolledTruth(tuple(self.said[start:]), (), {"at": len(self.said)})


@pytest.fixture
def played(store_url, tmp_path, request):
    """Play the story in a store of its own: two thousand chargebacks come once the first week's items are drawn."""
    stores = []

    def play(*, chargebacks: bool):
        first = not stores
        url = store_url if first else _another(request, store_url, tmp_path)
        stores.append(open_store(url))
        scenario = Scenario.around(stores[-1], PANEL)
        scenario.url = url
        feed = FakeTruth()
        scenario.ports = replace(scenario.ports, truth=[feed])
        for week in (0, 1):
            scenario.produce(week, size=SIZE)
            scenario.clock.moment = MONDAY + (week + 1) * WEEK
            open_all(scenario)
            work_on(scenario, 1)
            if chargebacks and week == 0:
                feed.said += chargebacks_of(scenario)
            work_on(scenario, 2)
        return scenario

    yield play
    for one in stores:
        one.dispose()


def _another(request, url, tmp_path):
    if url.startswith("sqlite"):
        import shutil

        shutil.copy(request.getfixturevalue("migrated_sqlite"), tmp_path / "other.db")
        return f"sqlite:///{tmp_path}/other.db"
    from stratawatch.adapters.store.schema import migrate

    other = request.getfixturevalue("new_postgres")()
    migrate(other)
    return other


def chargebacks_of(scenario) -> list[TruthStatement]:
    """Two thousand items of a week that were called negative, not all of them rightly: some were labelled "no"."""
    at = scenario.clock.now() - timedelta(minutes=1)
    rows = [row for row in scenario.source.windows[MONDAY] if row.scores[0] < 0.5 and row.scores[1] < 0.6]
    calls = {"lr": False, "rf": False}
    return [
        TruthStatement("spam", row.item, "yes", "chargeback", at, MONDAY, calls)
        for row in sorted(rows, key=lambda row: not row.truth)[:CHARGEBACKS]
    ]


def estimates_in(scenario) -> list:
    """Every row of estimates and revisions, as the database has them."""
    queries = [select(table).order_by(*table.primary_key) for table in (revisions, estimates)]
    with scenario.ports.store.begin() as tx:
        return [tuple(row) for query in queries for row in tx._sql.execute(query)]


def test_two_thousand_touch_plans_and_warnings_and_not_one_estimate(played, tmp_path):
    plain, informed = played(chargebacks=False), played(chargebacks=True)
    plans_and_warnings(plain, informed)
    status_and_report(plain, informed, tmp_path / "reports")
    # What the plan that they moved has drawn gives the same numbers without them.
    before = estimates_in(informed)
    with informed.ports.store.begin() as tx:
        newest = tx.cycles.find()[-1]
        tx._sql.exec_driver_sql("DELETE FROM truth_statements")
        labelled, kept = load_labelled_cycle(tx, PANEL, newest.id), tx.estimates.latest(newest.id).estimates
        segments = tuple(dict.fromkeys(one.segment for one in kept if one.segment))
        asked = {"confidence": PANEL.confidence, "metrics": metrics_shown(PANEL), "segments": segments}
        assert labelled.design.estimate(labelled.ledger, labelled.drawn, **asked) == kept
    assert estimates_in(informed) == before


def plans_and_warnings(plain: Scenario, informed: Scenario) -> None:
    with plain.ports.store.begin() as tx, informed.ports.store.begin() as other:
        cycles = tx.cycles.find()
        assert [sum(c.statements for c in one.truth.counts()) for one in (tx, other)] == [0, CHARGEBACKS]
        assert tx.estimates.latest(cycles[0].id) == other.estimates.latest(cycles[0].id)
        totals = [one.rounds.of(cycles[1].id)[0].plan.totals for one in (tx, other)]
        assert totals[0] != totals[1]
        assert [len(one.truth.warnings("spam")) for one in (tx, other)] == [0, 2]
    received = [[one for one in each.channel.received if one.subject.startswith("TRUTH")] for each in (plain, informed)]
    assert [len(each) for each in received] == [0, 2]
    assert {one.severity for one in received[1]} == {"warning"}
    assert "2,000 items of " in received[1][0].body
    assert "(chargeback 2,000)" in received[1][0].body


def status_and_report(plain: Scenario, informed: Scenario, folder: Path) -> None:
    """Both say what came by itself, where it came, and nothing where it did not."""
    for number, scenario in enumerate((plain, informed)):
        store, now = scenario.ports.store, scenario.clock.now()
        page = write(store, {"spam": PANEL}, folder / str(number), now).read_text(encoding="utf-8")
        rows = read_status(scenario.url)["truth"]
        assert [(row["source"], row["statements"], row["yes"]) for row in rows] == [("chargeback", 2000, 2000)] * number
        assert ("chargeback" in page) == bool(number)


@contextmanager
def statements():
    """The SQL that is run meanwhile."""
    from sqlalchemy import Engine

    run = []

    def note(_connection, _cursor, sql, *_):
        run.append(sql)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield run
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def test_no_statement_that_judges_reads_them(labelled):
    """A late answer to every item is judged, and no table of truth is touched by that."""
    feed = FakeTruth()
    labelled.ports = replace(labelled.ports, truth=[feed])
    feed.said += [TruthStatement("spam", item, "yes", "chargeback", labelled.clock.now()) for item in drawn(labelled)]
    advance(labelled.ports)
    with labelled.ports.store.begin() as tx:
        assert tx.estimates.latest(1).number == 1
    labelled.ports = replace(labelled.ports, truth=[])
    with statements() as run:
        relabel(labelled, "no")
    assert not [sql for sql in run if "truth" in sql]
    with labelled.ports.store.begin() as tx:
        assert tx.estimates.latest(1).number == 2
    with statements() as run:
        judge_cycle(labelled.ports, 1)
    assert run
    assert not [sql for sql in run if "truth" in sql]


def drawn(scenario) -> list[str]:
    with scenario.ports.store.begin() as tx:
        return [draw.item for draw in tx.rounds.draws(1)]
