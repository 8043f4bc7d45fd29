"""Rules on weeks that are written down: the product's fallback and focus, and what it would be without."""

import pytest

from benchmarks.alarms.chain import SHARES, ChainWeek
from benchmarks.alarms.chain_rules import ALL_LABELS, FIRST_USE, INSTEAD, ONE_WINDOW, other_rules, product_rule
from stratawatch.core.goals import Focus

PRECISION, RECALL = ("lr", "precision"), ("lr", "recall")


def week(precision=0.0, recall=0.0, *, persists=0.0, every_label=0.0, outside=()) -> ChainWeek:
    """A week of two streams, each with one bet; `outside` are those that lie outside at every share."""
    return ChainWeek(
        truth={},
        estimates={},
        first_use={PRECISION: {0.03: precision}, RECALL: {0.03: recall}},
        all_labels={PRECISION: {0.03: every_label}, RECALL: {0.03: every_label}},
        outside={share: frozenset(outside) for share in SHARES},
        persists=persists,
        fresh=1.0,
        labels_new=300,
    )


def weeks_until(rule, one: ChainWeek) -> int:
    return next(number for number in range(1, 100) if rule.pages(one))


def test_the_leader_is_paged_where_both_streams_together_reach_the_threshold_and_all_begin_anew():
    # after n weeks at log E = log 2, M = 2 (2^n - 1); two such streams, against 2 x 52.18 / .8 = 130
    rule, rising = product_rule(), week(0.6931472, 0.6931471)
    assert weeks_until(rule, rising) == 6
    assert rule.pages(rising) == []
    assert product_rule().pages(week(8.0, 9.0)) == [RECALL]


def test_a_stream_outside_is_paged_by_itself_and_begins_anew_alone():
    rule = product_rule()
    rule.pages(week(4.0, 4.0))
    assert rule.pages(week(outside=[RECALL])) == [RECALL]
    assert rule.focus == Focus(*PRECISION)


@pytest.mark.parametrize(
    ("before", "then", "followed"),
    [((2.0, 1.8), (0.0, 0.1), RECALL), ((3.6, 0.0), (0.1, 0.0), PRECISION)],
    ids=["recall from a twentieth of a page's on", "precision from three tenths on"],
)
def test_labels_follow_a_stream_with_enough_evidence(before, then, followed):
    rule = product_rule()
    rule.pages(week(*before))
    assert rule.focus is None
    rule.pages(week(*then))
    assert rule.focus == Focus(*followed)


def test_labels_follow_the_stream_that_is_most_beyond_its_own():
    rule = product_rule()
    rule.pages(week(4.1, 3.0))
    assert rule.focus == Focus(*RECALL)


def test_where_items_stay_one_window_decides_and_evidence_stands_still():
    rule = product_rule()
    rule.pages(week(4.0, 0.0))
    assert rule.pages(week(9.0, 9.0, persists=0.06)) == []
    assert rule.pages(week(persists=0.06, outside=[RECALL])) == [RECALL]
    assert rule.focus == Focus(*PRECISION)
    assert not rule.falls_back_in(week(persists=0.05))


@pytest.mark.parametrize(("rule", "pages"), [(FIRST_USE, True), (ALL_LABELS, False), (ONE_WINDOW, False)])
def test_others_do_not_fall_back(rule, pages):
    assert bool(other_rules()[rule].pages(week(9.0, 9.0, persists=0.5))) is pages


def test_labels_that_were_used_before_bet_where_all_do():
    assert other_rules()[ALL_LABELS].pages(week(every_label=9.0)) == [PRECISION]
    assert pytest.approx(0.7) == INSTEAD
