from datetime import timedelta

import pytest

from stratawatch.engine.model.panel_spec import Window
from stratawatch.engine.model.quarantined_row import QuarantinedRow
from stratawatch.engine.model.states import CycleState, Entity
from stratawatch.errors import StaleState, StratawatchError
from tests.support.store.examples import MONDAY, NOW, WEEK, frozen, frozen_cycle, open_cycle, spec, window


class TestOpen:
    def test_keeps_the_window_and_begins_open(self, store):
        with store.begin() as tx:
            cycle = tx.cycles.get(open_cycle(tx, period=3))
        assert (cycle.panel, cycle.period, cycle.window, cycle.state) == ("spam", 3, window(3), CycleState.OPEN)
        assert (cycle.opened_at, cycle.deadline_at, cycle.failures, cycle.reason) == (NOW, None, 0, "")
        assert (cycle.profile, cycle.source_version, cycle.docs) == (None, {}, None)

    def test_opens_a_window_once(self, store):
        with store.begin() as tx:
            assert open_cycle(tx) is not None
            assert open_cycle(tx) is None
            assert len(tx.cycles.find()) == 1

    def test_opens_the_same_window_for_another_panel(self, store):
        with store.begin() as tx:
            assert open_cycle(tx, panel="a") != open_cycle(tx, panel="b")

    def test_refuses_one_window_under_two_periods(self, store):
        with store.begin() as tx:
            open_cycle(tx, period=0)
            version = tx.panels.save(spec(), NOW)
            with pytest.raises(StaleState, match="under another period"):
                tx.cycles.open("spam", version, 1, window(0), NOW)

    def test_takes_windows_in_any_zone_and_returns_utc(self, store):
        from zoneinfo import ZoneInfo

        zone = ZoneInfo("Asia/Kolkata")
        there = Window(MONDAY.astimezone(zone), (MONDAY + WEEK).astimezone(zone))
        with store.begin() as tx:
            cycle = tx.cycles.get(tx.cycles.open("spam", tx.panels.save(spec(), NOW), 0, there, NOW))
        assert cycle.window == window(0)
        assert cycle.window.start.utcoffset() == timedelta(0)


class TestGet:
    def test_says_that_a_cycle_is_not_there(self, store):
        with store.begin() as tx, pytest.raises(StratawatchError, match="no cycle 12"):
            tx.cycles.get(12)


class TestFind:
    def test_has_the_oldest_window_first_whatever_the_order_of_opening(self, store):
        with store.begin() as tx:
            for period in (2, 0, 1):
                open_cycle(tx, period)
            assert [cycle.period for cycle in tx.cycles.find()] == [0, 1, 2]

    def test_keeps_the_last_so_many_windows_in_order(self, store):
        with store.begin() as tx:
            for period in range(4):
                open_cycle(tx, period)
            assert [cycle.period for cycle in tx.cycles.find(newest=2)] == [2, 3]

    def test_selects_by_panel_and_by_state(self, store):
        with store.begin() as tx:
            first, _ = open_cycle(tx, 0), open_cycle(tx, 0, panel="other")
            tx.move(Entity.CYCLE, first, CycleState.OPEN, CycleState.CANCELLED, at=NOW, why="x")
            assert [c.id for c in tx.cycles.find(panel="spam")] == [first]
            assert [c.panel for c in tx.cycles.find(states=[CycleState.OPEN])] == ["other"]
            assert tx.cycles.find(panel="spam", states=[CycleState.OPEN]) == ()
            assert tx.cycles.find(states=[]) == ()


class TestReplace:
    def test_frees_the_window_and_keeps_the_cycle(self, store):
        with store.begin() as tx:
            old = open_cycle(tx, period=1)
            tx.cycles.replace(old, "corrected")
            new = open_cycle(tx, period=1)
            assert new not in (None, old)
            assert (tx.cycles.get(old).is_replaced, tx.cycles.get(old).window) == (True, window(1))
            assert [one.id for one in tx.cycles.find()] == [new]
            assert [one.id for one in tx.cycles.find(replaced=True)] == [old]
            assert [one.id for one in tx.cycles.earlier_runs(tx.cycles.get(new))] == [old]
            assert tx.cycles.earlier_runs(tx.cycles.get(old)) == ()
            assert open_cycle(tx, period=1) is None

    def test_leaves_a_backfilled_window_one(self, store):
        with store.begin() as tx:
            later, earlier = open_cycle(tx, period=1), open_cycle(tx, period=0)
            tx.cycles.replace(later, "corrected")
            new = open_cycle(tx, period=1)
            assert tx.cycles.is_backfilled(tx.cycles.get(earlier))
            assert not tx.cycles.is_backfilled(tx.cycles.get(new))


class TestFailures:
    def test_count_up_and_are_forgotten_when_the_cycle_moves_on(self, store):
        with store.begin() as tx:
            cycle = open_cycle(tx)
            assert [tx.cycles.count_failure(cycle, "down"), tx.cycles.count_failure(cycle, "still down")] == [1, 2]
            assert tx.cycles.get(cycle).last_error == "still down"
            tx.move(Entity.CYCLE, cycle, CycleState.OPEN, CycleState.CANCELLED, at=NOW, why="moved on")
            assert (tx.cycles.get(cycle).failures, tx.cycles.get(cycle).last_error) == (0, "")

    def test_of_a_cycle_that_is_not_there_raise(self, store):
        with store.begin() as tx, pytest.raises(StratawatchError, match="no cycle 3"):
            tx.cycles.count_failure(3, "x")


class TestExplain:
    def test_keeps_the_reason_and_does_not_drop_documents(self, store):
        with store.begin() as tx:
            cycle = frozen_cycle(tx)
            tx.cycles.explain(cycle, reason="no labels came")
            assert (tx.cycles.get(cycle).reason, tx.cycles.get(cycle).docs) == ("no labels came", "spam/w0.html")

    def test_keeps_the_profile_of_a_window_that_was_counted_and_drops_none(self, store):
        with store.begin() as tx:
            cycle = open_cycle(tx)
            tx.cycles.explain(cycle, reason="bad", profile=frozen().profile)
            tx.cycles.explain(cycle, reason="worse")
            assert tx.cycles.get(cycle).profile.bad_rows == frozen().profile.bad_rows == 1


class TestUnfreeze:
    def test_forgets_what_a_refusal_kept(self, store):
        with store.begin() as tx:
            cycle = open_cycle(tx)
            before = tx.cycles.get(cycle)
            tx.cycles.count_failure(cycle, "once")
            tx.cycles.explain(cycle, reason="bad", docs="d.html", profile=frozen().profile)
            tx.cycles.quarantine(cycle, [QuarantinedRow("prediction", "a", "NaN")], NOW)
            tx.move(Entity.CYCLE, cycle, CycleState.OPEN, CycleState.REFUSED, at=NOW, why="bad")
            tx.cycles.unfreeze(cycle)
            tx.move(Entity.CYCLE, cycle, CycleState.REFUSED, CycleState.OPEN, at=NOW, why="mended")
            assert tx.cycles.get(cycle) == before
            assert tx.cycles.quarantined(cycle) == ()

    def test_leaves_a_cycle_alone_whose_facts_are_frozen(self, store):
        with store.begin() as tx:
            cycle = frozen_cycle(tx)
            tx.move(Entity.CYCLE, cycle, CycleState.OPEN, CycleState.FROZEN, at=NOW, why="")
            with pytest.raises(StaleState, match="expected state refused; got state frozen"):
                tx.cycles.unfreeze(cycle)


class TestQuarantine:
    ROW = QuarantinedRow("prediction", "a", "score is NaN", {"score": "NaN"})

    def test_keeps_a_row_once_for_its_cycle(self, store):
        with store.begin() as tx:
            cycle = open_cycle(tx)
            tx.cycles.quarantine(cycle, [self.ROW, self.ROW], NOW)
            tx.cycles.quarantine(cycle, [self.ROW], NOW + WEEK)
            assert tx.cycles.quarantined(cycle) == (self.ROW,)

    def test_adds_up_rows_that_stand_for_many_labels(self, store):
        junk = [QuarantinedRow("label", "ann.jsonl", "rubbish", {"count": n, "lines": [n]}) for n in (3, 5)]
        other = QuarantinedRow("label", "ann.jsonl", "longer than 100 bytes", {"count": 2, "lines": []})
        with store.begin() as tx:
            tx.cycles.quarantine(None, junk[:1], NOW)
            tx.cycles.quarantine(None, [junk[1], other], NOW + WEEK)
            first, second = tx.cycles.quarantined()
        assert first.content == {"count": 8, "lines": [3]}
        assert second.content == {"count": 2, "lines": []}

    def test_tells_cycles_keys_kinds_and_reasons_apart(self, store):
        others = [
            QuarantinedRow("prediction", "b", "score is NaN"),
            QuarantinedRow("label", "a", "score is NaN"),
            QuarantinedRow("prediction", "a", ""),
        ]
        with store.begin() as tx:
            first, second = open_cycle(tx, 0), open_cycle(tx, 1)
            for cycle in (None, first, second):
                tx.cycles.quarantine(cycle, [self.ROW, *others], NOW)
            assert len(tx.cycles.quarantined()) == 12
            assert tx.cycles.quarantined(second) == (self.ROW, *others)

    def test_shows_the_newest_in_order_of_arrival(self, store):
        rows = [QuarantinedRow("label", str(i), "unknown") for i in range(5)]
        with store.begin() as tx:
            tx.cycles.quarantine(None, rows, NOW)
            assert tx.cycles.quarantined(newest=2) == tuple(rows[3:])

    def test_takes_keys_and_content_of_any_kind_and_length(self, store):
        row = QuarantinedRow(
            "label", "k\0" * 5000, "r" * 10_000, {"text": "\0\N{PILE OF POO}'\n", "score": float("nan")}
        )
        with store.begin() as tx:
            tx.cycles.quarantine(None, [row], NOW)
            (back,) = tx.cycles.quarantined()
        assert (back.key, back.reason) == (row.key, row.reason)
        assert back.content == {"text": "\0\N{PILE OF POO}'\n", "score": "NaN"}

    def test_holds_what_a_frozen_cycle_set_aside(self, store):
        with store.begin() as tx:
            cycle = open_cycle(tx)
            tx.cycles.freeze(cycle, frozen(bad_rows=(self.ROW,)), NOW)
            tx.cycles.quarantine(cycle, [self.ROW], NOW)
            assert tx.cycles.quarantined(cycle) == (self.ROW,)
