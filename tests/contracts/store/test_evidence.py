"""Evidence in the store: appended once, read as of the newest revision, from the last restart of each stream on."""

from dataclasses import replace

import pytest

from stratawatch.engine.model.evidence_records import EvidenceRestart, EvidenceRow, JudgementRule
from stratawatch.errors import StaleState
from tests.support.store.examples import MINUTE, NOW, STREAM, open_cycle

RECALL = replace(STREAM, metric="recall")
SEGMENT = replace(STREAM, segment="country=" + "é\0" * 2000)


def bet(cycle, revision=1, key=STREAM, **changes):
    facts = {"end": "floor", "ordinal": 1, "loss": 0.03, "limit": 0.8, "stake": 1.5, "log_e": -0.25, "labels": 40}
    return EvidenceRow(key, cycle_id=cycle, revision=revision, **(facts | changes))


def restart(cycle, key=None, why="paged"):
    return EvidenceRestart("spam", key, cycle, why, NOW)


class TestAdd:
    def test_keeps_everything(self, store):
        with store.begin() as tx:
            cycle = open_cycle(tx)
            rows = (
                bet(cycle),
                bet(cycle, key=SEGMENT),
                bet(cycle, end="max_drop", sign=-1, point=12, limit=0.1, log_e=1e-300),
                bet(cycle, loss=0.0, stake=0.0, log_e=0.0, labels=0),
                bet(cycle, ordinal=2, log_e=float("-inf")),
            )
            tx.evidence.add(rows)
            assert tx.evidence.of_cycle(cycle) == rows

    def test_appends_each_bet_once(self, store):
        with store.begin() as tx:
            cycle = open_cycle(tx)
            tx.evidence.add([bet(cycle)])
            with pytest.raises(StaleState, match="written by someone else"):
                tx.evidence.add([bet(cycle, stake=2.0)])

    @pytest.mark.parametrize(
        "other",
        [
            {"revision": 2},
            {"key": RECALL},
            {"key": SEGMENT},
            {"end": "max_drop"},
            {"ordinal": 2},
            {"loss": 0.06},
            {"sign": -1},
            {"point": 1},
        ],
        ids=str,
    )
    def test_takes_bets_that_differ_in_anything_that_names_them(self, store, other):
        with store.begin() as tx:
            cycle = open_cycle(tx)
            tx.evidence.add([bet(cycle)])
            tx.evidence.add([bet(cycle, **other)])
            assert len(tx.evidence.of_panel("spam")) == (1 if "revision" in other else 2)

    def test_takes_none_at_all(self, store):
        with store.begin() as tx:
            tx.evidence.add([])
            assert tx.evidence.of_cycle(open_cycle(tx)) == ()


class TestOfPanel:
    def test_is_the_newest_revision_of_each_window_oldest_window_first(self, store):
        with store.begin() as tx:
            late, early = open_cycle(tx, 1), open_cycle(tx, 0)
            tx.evidence.add([bet(late), bet(late, loss=0.06)])
            tx.evidence.add([bet(early), bet(early, key=RECALL)])
            tx.evidence.add([bet(late, 3, log_e=0.5)])
            expected = (bet(early), bet(early, key=RECALL), bet(late, 3, log_e=0.5))
            assert tx.evidence.of_panel("spam") == expected
            assert tx.evidence.of_panel("spam", after_period=0) == expected[2:]
            assert tx.evidence.of_panel("spam", after_period=1) == ()
            assert tx.evidence.of_cycle(late) == expected[2:]

    def test_leaves_out_other_panels_and_windows_that_were_replaced(self, store):
        with store.begin() as tx:
            cycle, other = open_cycle(tx), open_cycle(tx, panel="other")
            tx.evidence.add([bet(cycle), bet(other, key=replace(STREAM, panel="other"))])
            assert tx.evidence.of_panel("spam") == (bet(cycle),)
            tx.cycles.replace(cycle, "corrected")
            again = open_cycle(tx)
            assert tx.evidence.of_panel("spam") == ()
            tx.evidence.add([bet(again, stake=9.0)])
            assert tx.evidence.of_panel("spam") == (bet(again, stake=9.0),)
            assert tx.evidence.of_cycle(cycle) == (bet(cycle),)


class TestRestarts:
    def test_let_streams_begin_after_their_window_each_or_all(self, store):
        with store.begin() as tx:
            weeks = [open_cycle(tx, week) for week in range(4)]
            for week in weeks:
                tx.evidence.add([bet(week), bet(week, key=RECALL), bet(week, key=SEGMENT)])
            assert tx.evidence.since_restarts("spam") == tx.evidence.of_panel("spam")
            assert tx.evidence.restart(restart(weeks[2], SEGMENT, "resolved"))
            assert tx.evidence.restart(restart(weeks[0], why="paged by evidence"))
            assert tx.evidence.restart(restart(weeks[1], RECALL, "another floor"))
            expected = [
                bet(weeks[1]),
                *(bet(weeks[2], key=key) for key in (STREAM, RECALL)),
                *(bet(weeks[3], key=key) for key in (STREAM, RECALL, SEGMENT)),
            ]
            assert list(tx.evidence.since_restarts("spam")) == expected
            assert [(one.key, one.why) for one in tx.evidence.restarts("spam")] == [
                (None, "paged by evidence"),
                (RECALL, "another floor"),
                (SEGMENT, "resolved"),
            ]
            assert tx.evidence.restarts("other") == tx.evidence.since_restarts("other") == ()

    def test_leave_bets_on_baselines_apart_which_growth_reads_across_them(self, store):
        with store.begin() as tx:
            weeks = [open_cycle(tx, week) for week in range(3)]
            grown = [bet(week, end="max_drop", sign=-1, point=4) for week in weeks]
            for week, row in zip(weeks, grown, strict=True):
                tx.evidence.add([bet(week, end="max_drop", point=4), row])
            tx.evidence.restart(restart(weeks[1]))
            assert tx.evidence.since_restarts("spam") == (bet(weeks[2], end="max_drop", point=4),)
            second = tx.cycles.get(weeks[1]).window.start
            assert tx.evidence.growth("spam", second) == tuple(grown[1:])
            assert tx.evidence.growth("other", second) == ()

    def test_are_kept_once_with_their_first_reason(self, store):
        with store.begin() as tx:
            cycle = open_cycle(tx)
            for key in (None, STREAM, SEGMENT):
                assert tx.evidence.restart(restart(cycle, key))
                assert not tx.evidence.restart(replace(restart(cycle, key, "anything else"), at=NOW + MINUTE))
            assert tx.evidence.restarts("spam") == tuple(restart(cycle, key) for key in (None, STREAM, SEGMENT))

    def test_hold_for_a_window_that_is_run_again(self, store):
        with store.begin() as tx:
            cycle, later = open_cycle(tx, 0), open_cycle(tx, 1)
            tx.evidence.restart(restart(cycle))
            tx.cycles.replace(cycle, "corrected")
            again = open_cycle(tx, 0)
            tx.evidence.add([bet(again)])
            tx.evidence.add([bet(later)])
            assert tx.evidence.since_restarts("spam") == (bet(later),)


class TestRules:
    def test_of_a_window_is_that_of_its_first_judgement(self, store):
        with store.begin() as tx:
            late, early = open_cycle(tx, 1), open_cycle(tx, 0)
            first = JudgementRule(late, "window", 0.42, "42% of recall's items were there before")
            assert tx.evidence.keep_rule(first) == first
            assert tx.evidence.keep_rule(JudgementRule(late, "evidence", 0.0)) == first
            assert tx.evidence.rule_of(late) == first
            assert tx.evidence.rule_of(early) is None
            tx.evidence.keep_rule(JudgementRule(early, "evidence", 0.01))
            assert [rule.cycle_id for rule in tx.evidence.rules("spam")] == [early, late]
            assert tx.evidence.rules("other") == ()

    def test_of_windows_that_were_replaced_are_left_out(self, store):
        with store.begin() as tx:
            cycle = open_cycle(tx)
            tx.evidence.keep_rule(JudgementRule(cycle, "evidence", 0.0))
            tx.cycles.replace(cycle, "corrected")
            assert tx.evidence.rules("spam") == ()
            assert tx.evidence.rule_of(cycle) == JudgementRule(cycle, "evidence", 0.0)
