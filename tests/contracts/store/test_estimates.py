from dataclasses import replace
from datetime import timedelta

import pytest

from stratawatch.core.estimate import IntervalEstimate
from stratawatch.core.population import Segment
from stratawatch.errors import StaleState, StratawatchError
from tests.support.store.examples import (
    COUNTRY,
    NOW,
    UNKNOWN,
    estimate,
    item_key,
    open_cycle,
    planned_round,
    revision,
    said,
)


class TestAdd:
    def test_keeps_estimates_exactly_and_in_their_order(self, store):
        estimates = (
            estimate("recall", result=IntervalEstimate(1 / 3, 0.1 + 0.2, 1.0, float("inf"))),
            estimate("precision", segment=Segment("a=b", "c\0=d")),
            estimate("precision", result=UNKNOWN),
        )
        with store.begin() as tx:
            cycle = open_cycle(tx)
            tx.estimates.add(revision(cycle, estimates=estimates, mark=17))
            assert tx.estimates.latest(cycle) == revision(cycle, estimates=estimates, mark=17)

    def test_keeps_the_design_effect_or_that_none_is_known(self, store):
        estimates = (replace(estimate("recall"), deff=1 / 3), estimate("precision"))
        with store.begin() as tx:
            cycle = open_cycle(tx)
            tx.estimates.add(revision(cycle, estimates=estimates))
            assert [one.deff for one in tx.estimates.latest(cycle).estimates] == [1 / 3, None]

    def test_refuses_a_number_that_is_taken(self, store):
        with store.begin() as tx:
            cycle = open_cycle(tx)
            tx.estimates.add(revision(cycle))
            with pytest.raises(StaleState, match="revision 1 of cycle"):
                tx.estimates.add(revision(cycle))

    @pytest.mark.parametrize("segment", [None, COUNTRY])
    def test_refuses_the_same_stream_twice_in_a_revision(self, store, segment):
        with store.begin() as tx:
            cycle = open_cycle(tx)
            with pytest.raises(StaleState):
                tx.estimates.add(revision(cycle, estimates=(estimate(segment=segment), estimate(segment=segment))))

    def test_refuses_a_number_that_is_none(self, store):
        broken = estimate(result=IntervalEstimate(0.5, float("nan"), 0.6, 10.0))
        with store.begin() as tx:
            cycle = open_cycle(tx)
            with pytest.raises(StratawatchError, match="precision of lr is not a number"):
                tx.estimates.add(revision(cycle, estimates=(broken,)))

    def test_takes_segments_too_long_for_an_index(self, store):
        long = (estimate(segment=Segment("c", "v" * 10_000)), estimate(segment=Segment("c", "v" * 10_001)))
        with store.begin() as tx:
            cycle = open_cycle(tx)
            tx.estimates.add(revision(cycle, estimates=long))
            assert tx.estimates.latest(cycle).estimates == long


class TestLatest:
    def test_is_none_before_the_first(self, store):
        with store.begin() as tx:
            assert tx.estimates.latest(open_cycle(tx)) is None

    def test_is_the_highest_number_and_never_another_cycles(self, store):
        with store.begin() as tx:
            cycle, other = open_cycle(tx, 0), open_cycle(tx, 1)
            for each in (revision(cycle, 1), revision(cycle, 2, estimates=()), revision(other, 3)):
                tx.estimates.add(each)
            assert tx.estimates.latest(cycle) == revision(cycle, 2, estimates=())

    def test_is_the_newest_that_had_been_made_by_a_moment(self, store):
        hour = timedelta(hours=1)
        with store.begin() as tx:
            cycle = open_cycle(tx)
            made = [replace(revision(cycle, number), at=NOW + number * hour) for number in (1, 2)]
            for each in made:
                tx.estimates.add(each)
            assert [tx.estimates.latest(cycle, NOW + hours * hour) for hours in (0, 1, 2)] == [None, *made]


class TestHistory:
    def test_has_the_newest_revision_of_every_cycle_oldest_window_first(self, store):
        with store.begin() as tx:
            late, early, bare, other = (
                open_cycle(tx, 2),
                open_cycle(tx, 0),
                open_cycle(tx, 1),
                open_cycle(tx, 0, "other"),
            )
            for each in (revision(late, 1), revision(early, 1), revision(early, 2), revision(other, 1)):
                tx.estimates.add(each)
            history = tx.estimates.history("spam")
            assert [(cycle.id, rev.number) for cycle, rev in history] == [(early, 2), (late, 1)]
            assert history[0] == (tx.cycles.get(early), revision(early, 2))
            assert bare not in {cycle.id for cycle, _ in history}

    def test_costs_two_queries_however_long_it_is(self, store):
        from sqlalchemy import event

        with store.begin() as tx:
            for period in range(10):
                tx.estimates.add(revision(open_cycle(tx, period)))
            statements = []
            event.listen(store._engine, "before_cursor_execute", lambda *args: statements.append(args[2]))
            assert len(tx.estimates.history("spam")) == 10
        assert len(statements) == 2


class TestInPeriods:
    def test_are_those_asked_for_of_the_newest_revision_oldest_window_first(self, store):
        some = (estimate("recall"), estimate("recall", segment=COUNTRY), estimate("precision"))
        with store.begin() as tx:
            cycles = [open_cycle(tx, period) for period in (2, 0, 1, 3)]
            for cycle in (*cycles, open_cycle(tx, 1, "other")):
                tx.estimates.add(revision(cycle, 1, estimates=some))
            newer = replace(estimate("recall"), labels_used=7)
            tx.estimates.add(revision(cycles[0], 2, estimates=(newer,)))
            found = tx.estimates.in_periods("spam", 1, 2, ["recall"], [None])
            assert [(one.period, one.cycle_id, one.estimate) for one in found] == [
                (1, cycles[2], some[0]),
                (2, cycles[0], newer),
            ]
            assert {one.panel_version for one in found} == {tx.cycles.get(cycles[0]).panel_version}
            with_segments = tx.estimates.in_periods("spam", 0, 0, ["recall", "precision"], [None, str(COUNTRY)])
            assert tuple(one.estimate for one in with_segments) == some

    def test_are_not_those_of_a_window_that_is_run_again(self, store):
        with store.begin() as tx:
            cycle = open_cycle(tx, 0)
            tx.estimates.add(revision(cycle))
            tx.cycles.replace(cycle, "corrected")
            assert tx.estimates.in_periods("spam", 0, 12, ["precision", "recall"], [None]) == ()


class TestOutdated:
    def test_names_cycles_with_an_event_newer_than_their_newest_revision(self, store):
        with store.begin() as tx:
            first, second = planned_round(tx, 0, items=("a",)).cycle, planned_round(tx, 1, items=("a", "b")).cycle
            tx.labels.add([said("a", "e1")], NOW)
            mark = tx.labels.newest_event_id()
            for cycle in (first, second):
                tx.estimates.add(revision(cycle, 1, mark=mark))
            assert tx.estimates.outdated() == ()
            tx.labels.add([said("b", "e2")], NOW)
            assert tx.estimates.outdated() == (second,)
            tx.labels.add([said("a", "e3")], NOW)
            assert tx.estimates.outdated() == (first, second)
            tx.estimates.add(revision(second, 2, mark=tx.labels.newest_event_id()))
            assert tx.estimates.outdated() == (first,)

    def test_leaves_cycles_alone_that_were_never_estimated(self, store):
        with store.begin() as tx:
            planned_round(tx)
            tx.labels.add([said("a", "e1")], NOW)
            assert tx.estimates.outdated() == ()

    def test_is_not_moved_by_another_panels_label_on_the_same_item(self, store):
        assert item_key("spam", "a") != item_key("other", "a")
        with store.begin() as tx:
            cycle, _ = planned_round(tx).cycle, planned_round(tx, panel="other")
            tx.estimates.add(revision(cycle))
            tx.labels.add([said("a", "e1", panel="other")], NOW)
            assert tx.estimates.outdated() == ()


class TestSeen:
    def test_brings_a_revision_up_to_date_without_another(self, store):
        with store.begin() as tx:
            cycle = planned_round(tx).cycle
            tx.estimates.add(revision(cycle))
            tx.labels.add([said("a", "e1")], NOW)
            tx.estimates.mark_read(cycle, 1, tx.labels.newest_event_id())
            assert tx.estimates.outdated() == ()
            assert tx.estimates.latest(cycle).number == 1

    def test_never_takes_a_mark_back(self, store):
        with store.begin() as tx:
            cycle = open_cycle(tx)
            tx.estimates.add(revision(cycle, mark=9))
            tx.estimates.mark_read(cycle, 1, 5)
            assert tx.estimates.latest(cycle).mark == 9
