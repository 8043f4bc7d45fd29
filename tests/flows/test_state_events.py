"""Which moves are sent to Prefect: every one, whenever its transaction was committed, and none for ever again."""

from datetime import timedelta
from unittest.mock import MagicMock

import httpx
import pytest
from sqlalchemy.exc import OperationalError

from flows import state_events
from flows.state_events import OLDEST, OVERLAP
from stratawatch.adapters.store.tables import transitions
from stratawatch.errors import Unreachable

MINUTE = timedelta(minutes=1)


@pytest.fixture
def log(make_scenario, monkeypatch):
    monkeypatch.setattr(state_events, "get_client", lambda **_: MagicMock())
    return Log(make_scenario())


class Log:
    """The log of a store without cycles."""

    def __init__(self, scenario):
        self.ports, self.clock = scenario.ports, scenario.clock

    def add(self, number, ago):
        line = {"entity": "cycle", "entity_id": number, "old_state": "open", "new_state": "frozen", "why": ""}
        with self.ports.store.begin() as tx:
            tx._sql.execute(transitions.insert().values(id=number, at=self.clock.now() - ago, **line))
            tx.commit()

    def cursor(self, **changes):
        with self.ports.store.begin() as tx:
            if changes:
                tx.labels.save_cursor(state_events.CURSOR, changes, self.clock.now())
                tx.commit()
            return tx.labels.cursor(state_events.CURSOR)

    def send(self):
        return state_events._send(self.ports)


def test_a_move_that_was_committed_after_a_later_one_is_sent(log):
    """PostgreSQL gives out numbers before the commit."""
    log.add(101, ago=MINUTE)
    assert log.send() == 1
    log.add(100, ago=5 * MINUTE)
    assert (log.send(), log.send()) == (1, 0)


def test_moves_that_a_server_keeps_no_more_are_not_sent(log):
    log.add(1, ago=OLDEST + MINUTE)
    log.add(2, ago=OLDEST - MINUTE)
    assert log.send() == 1


def test_the_store_keeps_the_ids_of_the_last_minutes_only(log):
    log.add(1, ago=3 * OVERLAP)
    log.add(2, ago=MINUTE)
    assert log.send() == 2
    assert len(log.cursor()["sent"]) == 1


def test_a_clock_that_stood_in_the_future_hides_no_move(log):
    log.add(1, ago=-timedelta(days=400))
    assert log.send() == 1
    log.add(2, ago=MINUTE)
    assert (log.send(), log.send()) == (1, 0)


def test_an_upgraded_store_sends_what_came_after_its_mark(log):
    log.cursor(mark=1)
    log.add(1, ago=MINUTE)
    log.add(2, ago=MINUTE)
    assert (log.send(), log.send()) == (1, 0)


@pytest.mark.parametrize(
    "trouble",
    [httpx.ConnectError("away"), OperationalError("", {}, Exception("locked")), Unreachable("the store is away")],
    ids=lambda trouble: type(trouble).__name__,
)
def test_what_cannot_be_sent_while_something_is_away_is_sent_by_the_next_run(log, monkeypatch, trouble):
    said = MagicMock()
    monkeypatch.setattr(state_events, "get_run_logger", lambda: said)
    log.add(1, ago=MINUTE)
    with monkeypatch.context() as away:
        away.setattr(state_events, "get_client", MagicMock(side_effect=trouble))
        assert state_events.send_state_events(log.ports) == 0
    assert said.warning.call_count == 1
    assert state_events.send_state_events(log.ports) == 1


def test_a_bug_is_seen(log, monkeypatch):
    monkeypatch.setattr(state_events, "_event", lambda _: {}["event"])
    log.add(1, ago=MINUTE)
    with pytest.raises(KeyError):
        state_events.send_state_events(log.ports)
