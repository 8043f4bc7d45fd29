"""Findings: verdicts that can fail, each for its own reason."""

import pytest

from benchmarks.coverage.findings import Found, rows, verdicts
from benchmarks.coverage.scores import Tally
from benchmarks.coverage.tails import Tails


def found(
    coverage=0.95, *, group="fixed", ranks=True, half_width=0.1, metric="recall", undefined=0.0, logit=0.0, error=0.0
):
    runs = 10_000
    defined = round(runs * (1 - undefined))
    held = round(coverage * defined)
    tails = Tails(defined, (defined - held) // 2, (defined - held + 1) // 2, 0.0, logit)
    tally = Tally(group, "p", 100, "c", metric, runs, defined, held, half_width, tails, error)
    return Found(group, "p", 100, ranks, has_history=False, rounds=2, tallies=(tally,), random=0.2, seconds=0.004)


def by_name(*members):
    return {verdict.name: verdict for verdict in verdicts(members)}


class TestVerdicts:
    def test_good_cells_pass(self):
        assert all(verdict.holds for verdict in verdicts([found()]) if verdict.kind == "must")

    def test_the_mean_is_over_cells(self):
        verdict = by_name(found(0.95), found(0.91))["fixed: mean coverage"]
        assert verdict.value == pytest.approx(0.93)
        assert not verdict.holds

    def test_one_failing_cell_fails(self):
        verdict = by_name(found(0.99), found(0.90))["fixed: cells surely below 0.925, of 2"]
        assert verdict.value == 1
        assert not verdict.holds

    def test_groups_are_judged_apart(self):
        names = by_name(found(0.99), found(0.90, group="fresh"))
        assert names["fixed: mean coverage"].holds
        assert not names["fresh: mean coverage"].holds

    def test_other_metrics_are_aims(self):
        names = by_name(found(), found(0.80, metric="f1"))
        assert names["fixed: cells surely below 0.925, of 1"].holds
        aim = names["fixed: cells surely below 0.925, other metrics, of 1"]
        assert (aim.kind, aim.holds) == ("aim", False)

    def test_a_ranking_population_must_be_narrower_than_random_labels(self):
        name = "widths surely not below random labels', of 1 that rank"
        assert by_name(found(half_width=0.19))[name].holds
        assert not by_name(found(half_width=0.2))[name].holds
        assert by_name(found(), found(half_width=0.3, ranks=False))[name].holds

    def test_a_width_is_no_verdict_within_its_error(self):
        name = "widths surely not below random labels', of 1 that rank"
        assert by_name(found(half_width=0.203, error=0.001))[name].value == 0
        assert by_name(found(half_width=0.204, error=0.001))[name].value == 1
        assert not by_name(found(half_width=0.203, error=0.001))[
            "largest width where scores rank, of random labels'"
        ].holds


class TestRows:
    def test_populations_metrics_lowest_cells_and_tails_are_four_tables(self):
        told = rows([found(0.95, undefined=0.25), found(0.90, logit=0.9)])
        assert {next(iter(row)) for row in told} == {"group", "metric", "lowest cells", "tails of"}
        assert told[0]["recall"] == pytest.approx(0.95, abs=1e-3)
        assert told[0]["undefined"] == pytest.approx(0.25)
        assert told[0]["of random"] == pytest.approx(0.5)
        lowest = [row for row in told if "lowest cells" in row]
        assert lowest[0]["coverage"] == pytest.approx(0.90)
        assert lowest[0]["fails"] == "yes"
