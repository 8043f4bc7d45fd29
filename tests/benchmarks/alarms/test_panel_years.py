"""Rules for alarms on weeks that are written down: what pages, whom it names, and how long a loss takes."""

import numpy as np
import pytest

from benchmarks.alarms.frozen_weeks import Weeks
from benchmarks.alarms.panel_years import MOST, delay, evidence_rule, false_pages, window_rule
from stratawatch.core.alarms.evidence.e_detector import evidence_of

QUIET = Weeks(np.full((1, 1, 2, 3), -0.1), {0.99: np.array([[[False, False]]])})
LOST = Weeks(np.array([[[[-0.1] * 3, [1.0] * 3]]]), {0.99: np.array([[[False, False]]])})
LOSERS = np.array([False, True])


def test_evidence_pages_in_the_week_in_which_the_fold_reaches_the_threshold():
    order = np.zeros((1, 12), dtype=np.int64)
    found, first = evidence_rule(100.0, None)(LOST, order)
    week = int(found[0].argmax())
    gathered = [evidence_of(np.repeat(LOST.log_e[0][:, stream], week + 1, axis=0)) for stream in (0, 1)]
    before = [evidence_of(np.repeat(LOST.log_e[0][:, stream], week, axis=0)) for stream in (0, 1)]
    assert sum(before) < 100 <= sum(gathered)
    assert first[0, week] == 1
    assert not found[0, week + 1]  # all began anew


def test_a_window_outside_pages_by_itself_and_so_many_in_a_row():
    outside = np.array([[[False, False], [False, True]]])
    weeks = Weeks(np.zeros((1, 2, 2, 3)), {0.99: outside})
    order = np.array([[0, 1, 1, 0, 1]])
    assert window_rule(0.99)(weeks, order)[0].tolist() == [[False, True, True, False, True]]
    assert window_rule(0.99, in_a_row=2)(weeks, order)[0].tolist() == [[False, False, True, False, False]]
    assert evidence_rule(1e9, 0.99)(weeks, order)[0].tolist() == [[False, True, True, False, True]]


def test_without_news_nobody_is_paged_and_a_loss_takes_all_weeks():
    rng = np.random.default_rng(1)
    assert false_pages(window_rule(0.99), QUIET, 20, rng)[0] == 0
    found = delay(window_rule(0.99), QUIET, QUIET, LOSERS, 20, rng)
    assert (found.weeks, found.names_loser) == (MOST, 0.0)


def test_a_loss_is_paged_after_as_many_weeks_as_the_fold_takes_and_names_the_loser():
    rule = evidence_rule(100.0, None)
    found = delay(rule, QUIET, LOST, LOSERS, 20, np.random.default_rng(1))
    assert found.names_loser == 1.0
    assert found.weeks == pytest.approx(4, abs=1)


def test_labels_follow_the_leader_from_evidence_of_twenty_on_until_its_page():
    plain, on_the_second = [[-0.1] * 3, [1.0] * 3], [[-0.1] * 3, [50.0] * 3]
    elsewhere = [[0.0] * 3, [0.0] * 3]
    nothing = np.zeros((3, 1, 2), dtype=np.bool_)
    weeks = Weeks(np.array([[plain], [elsewhere], [on_the_second]]), {0.99: nothing})
    order = np.zeros((1, 12), dtype=np.int64)
    suspect = next(week for week in range(12) if evidence_of(np.full((week + 1, 3), 1.0)) >= 20)
    found, first = evidence_rule(1e9, None, follow=True)(weeks, order)
    assert found[0].argmax() == suspect + 1
    assert first[0, suspect + 1] == 1
    assert found[0].tolist()[suspect + 2 : 2 * suspect + 4] == [False] * (suspect + 1) + [True]
    assert not evidence_rule(1e9, None)(weeks, order)[0].any()


def test_weeks_of_designs_are_joined_by_design_and_by_time():
    both = Weeks.of_designs([QUIET, LOST])
    assert both.log_e.shape == (2, 1, 2, 3)
    later = both.then(both.repeated(3))
    assert later.number == 4
    assert later.log_e[1, 3].tolist() == LOST.log_e[0, 0].tolist()
    assert later.outside[0.99].shape == (2, 4, 2)
