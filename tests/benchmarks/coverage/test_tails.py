"""Tails and leans: judged together by metric, history and rounds, and only what is sure fails."""

import pytest

from benchmarks.coverage.tails import TailCell, Tails, tail_rows, tail_verdicts


def cell(lean=0.0, above=0.025, below=0.025, *, runs=5000, logit=1.0, population="p", metric="recall", labels=300):
    tails = Tails(runs, round(above * runs), round(below * runs), lean, logit)
    return TailCell(metric, has_history=False, rounds=2, population=population, labels=labels, tails=tails)


def failing(*cells):
    return [one.name for one in tail_verdicts(cells) if not one.holds]


class TestVerdicts:
    def test_even_tails_hold(self):
        assert failing(cell(), cell(0.05, 0.03, 0.02, population="q")) == []

    def test_a_lean_of_all_cells_fails(self):
        """.14 is beyond .08 by four of its errors, 1/sqrt(5000) = .014; one population may lean by that."""
        assert failing(cell(0.14)) == ["recall, no history, 2 rounds: all cells surely lean beyond 0.08"]

    def test_a_population_that_leans_fails_where_the_others_balance_it(self):
        found = failing(cell(0.3, population="one"), cell(-0.3, population="other"))
        assert found == ["recall, no history, 2 rounds: populations surely beyond 0.15"]

    @pytest.mark.parametrize(("above", "below"), [(0.05, 0.02), (0.02, 0.05), (0.002, 0.025), (0.025, 0.0)])
    def test_a_tail_that_is_too_heavy_or_too_light_fails(self, above, below):
        assert failing(cell(0, above, below)) == ["recall, no history, 2 rounds: tails surely outside 0.015 to 0.035"]

    def test_few_runs_prove_nothing(self):
        assert failing(cell(0.3, 0.1, 0.0, runs=30)) == []

    def test_cells_of_the_same_runs_are_no_more_than_one(self):
        """.12 of nine cells is beyond .08 by eight errors if they were apart, and by 2.8 if they are the same."""
        assert failing(*(cell(0.12) for _ in range(9))) == []
        assert failing(*(cell(0.12, labels=number) for number in range(9))) != []

    def test_cells_that_the_small_count_rule_makes_have_no_part(self):
        assert failing(cell(), cell(0.9, 0.2, logit=0.5)) == []
        assert list(tail_verdicts([cell(logit=0.5)])) == []


def test_rows_are_by_metric_history_and_rounds():
    (precision, recall) = tail_rows([cell(0.02), cell(0.04, 0.03), cell(0.1, metric="precision")])
    assert (precision["tails of"], precision["cells"], precision["lean"]) == ("precision", 1, 0.1)
    assert (recall["cells"], recall["history"], recall["rounds"]) == (2, "no", 2)
    assert recall["lean"] == pytest.approx(0.03)
    assert recall["interval above"] == pytest.approx(0.0275)
    assert recall["+-"] == pytest.approx(1 / 5000**0.5)
