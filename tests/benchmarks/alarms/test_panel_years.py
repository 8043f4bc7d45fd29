"""Rules for alarms on weeks that are written down: what pages, whom it names, and how long a loss takes."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.alarms.frozen_weeks import Weeks
from benchmarks.alarms.panel_years import MOST, after_loss, evidence_rule, false_pages, upper_rate, window_rule
from stratawatch.core.alarms.evidence.e_detector import evidence_of


def weeks(log_e, outside, value=None) -> Weeks:
    """Weeks whose intervals are two points wide on both sides of a value, which is the limit if none is given."""
    value = np.zeros(np.asarray(outside).shape) if value is None else np.asarray(value, dtype=float)
    return Weeks(np.asarray(log_e, dtype=float), {0.99: np.asarray(outside)}, value, value - 0.02, value + 0.02)


QUIET = weeks(np.full((1, 2, 3), -0.1), [[False, False]])
LOST = weeks([[[-0.1] * 3, [1.0] * 3]], [[False, False]])
LOSERS = np.array([False, True])


def test_evidence_pages_in_the_week_in_which_the_fold_reaches_the_threshold():
    order = np.zeros((1, 12), dtype=np.int64)
    found, first, _ = evidence_rule(100.0, None)(LOST, order)
    week = int(found[0].argmax())
    gathered = [evidence_of(np.repeat(LOST.log_e[:, stream], week + 1, axis=0)) for stream in (0, 1)]
    before = [evidence_of(np.repeat(LOST.log_e[:, stream], week, axis=0)) for stream in (0, 1)]
    assert sum(before) < 100 <= sum(gathered)
    assert first[0, week] == 1
    assert not found[0, week + 1]  # all began anew


def test_a_window_outside_pages_by_itself_and_so_many_in_a_row():
    outside = np.array([[False, False], [False, True]])
    found = weeks(np.zeros((2, 2, 3)), outside)
    order = np.array([[0, 1, 1, 0, 1]])
    assert window_rule(0.99)(found, order)[0].tolist() == [[False, True, True, False, True]]
    assert window_rule(0.99, in_a_row=2)(found, order)[0].tolist() == [[False, False, True, False, False]]
    assert evidence_rule(1e9, 0.99)(found, order)[0].tolist() == [[False, True, True, False, True]]


def test_without_news_nobody_is_paged_and_a_loss_takes_all_weeks():
    rng = np.random.default_rng(1)
    assert false_pages(window_rule(0.99), QUIET, 20, rng)[0] == 0
    found = after_loss(window_rule(0.99), QUIET, [QUIET], 20, rng)
    assert (found.mean_wait, found.names_loser(LOSERS)) == (MOST, 0.0)


def test_a_loss_is_paged_after_as_many_weeks_as_the_fold_takes_and_names_the_loser():
    rule = evidence_rule(100.0, None)
    found = after_loss(rule, QUIET, [LOST], 20, np.random.default_rng(1))
    assert found.names_loser(LOSERS) == 1.0
    assert found.mean_wait == pytest.approx(4, abs=1)


def test_a_gradual_loss_shows_one_week_of_each_stage_and_stays_at_the_last():
    found = after_loss(window_rule(0.99), QUIET, [QUIET, QUIET, LOST], 5, np.random.default_rng(1))
    assert found.order[:, 10:13].tolist() == [[1, 2, 3]] * 5
    assert found.order.shape == (5, 10 + MOST)
    assert (found.order[:, 13:] == 3).all()


def test_the_upper_bound_of_a_rate_is_that_of_a_poisson_law():
    # P(0 pages) = exp(-rate x years) = .05 and P(at most 3) = .05, from tables
    assert upper_rate(0, 10) == pytest.approx(2.9957 / 10, abs=1e-4)
    assert upper_rate(3, 1) == pytest.approx(7.7537, abs=1e-4)


def test_labels_follow_recall_once_there_is_evidence_until_its_page():
    plain, elsewhere, followed = (
        weeks([[[first] * 3, [second] * 3]], [[False, False]]) for first, second in ((-0.1, 1), (0, 0), (-0.1, 50))
    )
    order = np.zeros((1, 12), dtype=np.int64)
    suspect = next(week for week in range(12) if evidence_of(np.full((week + 1, 3), 1.0)) >= 25)
    both = replace(plain, followed=(elsewhere, followed))
    found, first, design = evidence_rule(1e9, None, follow=True)(both, order)
    assert design[0].tolist()[: suspect + 3] == [0] * (suspect + 1) + [2, 0]
    assert found[0].argmax() == suspect + 1
    assert first[0, suspect + 1] == 1
    assert found[0].tolist()[suspect + 2 : 2 * suspect + 4] == [False] * (suspect + 1) + [True]
    assert not evidence_rule(1e9, None)(both, order)[0].any()


def test_weeks_follow_one_another_with_those_of_their_designs():
    both = replace(QUIET, followed=(LOST,))
    later = both.then(both.repeated(3))
    assert len(later.log_e) == 4
    assert later.followed[0].log_e[3].tolist() == LOST.log_e[0].tolist()
