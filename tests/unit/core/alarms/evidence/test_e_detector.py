"""Evidence over windows: the fold, and the threshold with its promise."""

from math import exp

import numpy as np
import pytest

from stratawatch.core.alarms.evidence.e_detector import evidence_of, log_e_by_bet, page_threshold


def folded(log_e):
    """M <- (M + 1) E by hand, and the mean over bets."""
    bets = np.zeros(log_e.shape[1])
    for row in log_e:
        bets = (bets + 1) * np.exp(row)
    return float(bets.mean())


class TestEvidence:
    def test_is_the_fold(self):
        log_e = np.random.default_rng(3).normal(0, 0.5, (20, 3))
        assert evidence_of(log_e) == pytest.approx(folded(log_e))

    def test_windows_that_say_nothing_add_one_each(self):
        assert evidence_of(np.zeros((7, 3))) == pytest.approx(7)

    @pytest.mark.parametrize("shape", [(0, 3), (4, 0)])
    def test_without_windows_or_bets_it_is_nothing(self, shape):
        assert evidence_of(np.zeros(shape)) == 0

    def test_never_overflows(self):
        assert evidence_of(np.full((3000, 2), 50.0)) == pytest.approx(1e290)
        assert 0 <= evidence_of(np.full((3000, 2), -50.0)) < 1e-20

    def test_is_a_window_more_a_window_on_average_while_all_is_well(self):
        """Bets whose E is 1 on average: after 30 windows the mean of M is 30, up to its own error."""
        rng = np.random.default_rng(8)
        e = rng.choice([0.8, 1.2], size=(4000, 30, 1))
        found = np.array([evidence_of(np.log(run)) for run in e])
        assert found.mean() == pytest.approx(30, abs=4 * found.std() / len(found) ** 0.5)


class TestBets:
    def test_are_those_of_the_first_window_that_made_any(self):
        table = log_e_by_bet([{}, {0.03: 0.1}, {0.03: 0.2, 0.25: 9.0}, {}])
        assert table.tolist() == [[0.0], [0.1], [0.2], [0.0]]

    def test_without_any_there_is_no_evidence(self):
        assert evidence_of(log_e_by_bet([{}, {}])) == 0


class TestThreshold:
    def test_is_what_luck_reaches_four_fifths_of_the_promised_times(self):
        assert page_threshold(8, 52, 1) == pytest.approx(8 * 52 / 0.8)
        assert page_threshold(8, 52, 2) == page_threshold(8, 52, 1) / 2

    def test_keeps_the_promise_whatever_the_streams_have_in_common(self):
        """Four ends that move as one, all at their limits: at most .8 pages a year, by far more runs than chance needs."""
        rng, threshold, pages, years = np.random.default_rng(5), page_threshold(4, 52, 1), 0, 400
        for _ in range(years):
            m = 0.0
            for _ in range(52):
                z = rng.normal()
                m = (m + 1) * exp(0.6 * z - 0.18)
                if 4 * m >= threshold:
                    pages, m = pages + 1, 0.0
        assert pages / years <= 0.8 + 3 * (0.8 / years) ** 0.5
