"""What people did by hand is kept, with the deed or not at all: on every database."""

from dataclasses import replace

import pytest
from sqlalchemy import delete, update
from sqlalchemy.exc import DBAPIError

from stratawatch.adapters.store.tables import audit
from stratawatch.engine.alarms.alert_actions import resend_failed, resend_notification
from stratawatch.engine.cycle.left_panels import retire_panel
from stratawatch.engine.cycle.operator_actions import cancel_cycle, reopen_cycle
from stratawatch.engine.labels.import_labels import HandLabel, import_labels
from stratawatch.engine.labels.queue_identity import adopt_queue
from stratawatch.errors import StratawatchError
from tests.support.scenario import Scenario, open_all
from tests.support.store.examples import notification


@pytest.fixture
def scenario(store):
    made = Scenario.around(store)
    made.ports = replace(made.ports, by="kim")
    open_all(made)
    return made


def entries(scenario, since=None):
    with scenario.ports.store.begin() as tx:
        return [(one.by, one.action, one.subject, one.why) for one in tx.audit.entries(since)]


def test_says_who_did_what_and_why(scenario):
    with scenario.ports.store.begin() as tx:
        tx.outbox.add(notification("n1", channel="ops"))
        tx.commit()
    resend_notification(scenario.ports, 1, "nobody saw it")
    assert resend_failed(scenario.ports) == ()
    import_labels(scenario.ports, "spam", [HandLabel("m-1", "yes", "ann")], why="by phone")
    import_labels(scenario.ports, "spam", [HandLabel("m-1", "yes", "ann")])
    adopt_queue(scenario.ports, "moved")
    cancel_cycle(scenario.ports, 1, "wrong export")
    retire_panel(scenario.ports, "spam", (), "cancel", "a trial")
    assert entries(scenario) == [
        ("kim", "resent", "notification 1 to ops", "nobody saw it"),
        ("kim", "imported", "1 label for spam", "by phone"),
        ("kim", "adopted", "the label queue in the fake", "moved"),
        ("kim", "cancelled", "cycle 1 of spam", "wrong export"),
        ("kim", "retired", "panel spam (cancel)", "a trial"),
    ]
    with scenario.ports.store.begin() as tx:
        last = tx.audit.entries()[-1].at
    assert len(entries(scenario, last)) == 1


def test_what_could_not_be_done_is_not_in_it(scenario):
    cancel_cycle(scenario.ports, 1, "wrong export")
    for again in (cancel_cycle, reopen_cycle):
        with pytest.raises(StratawatchError):
            again(scenario.ports, 1, "again")
    assert len(entries(scenario)) == 1


@pytest.mark.parametrize("change", [update(audit).values(by="nobody"), delete(audit)])
def test_it_is_only_added_to(scenario, change):
    cancel_cycle(scenario.ports, 1, "wrong export")
    with pytest.raises(DBAPIError, match="only ever added to"), scenario.ports.store._engine.begin() as sql:
        sql.execute(change)
    assert len(entries(scenario)) == 1
