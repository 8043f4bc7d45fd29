"""The tasks of a run, and a very short run."""

import json

import numpy as np

from benchmarks.coverage import tasks
from benchmarks.coverage.__main__ import run
from benchmarks.coverage.simulation import Task, simulate
from benchmarks.coverage.singles import SINGLES
from benchmarks.coverage.tasks import FIXED, GROUPS, LABELS, SECOND, tasks_of
from benchmarks.shape import as_json, parse


class TestTasks:
    def test_fixed_and_fresh_have_every_number_of_labels(self):
        found = list(tasks_of(1, 10, GROUPS))
        for group in ("fixed", "fresh"):
            assert sum(task.group == group for task in found) == len(FIXED) * len(LABELS)

    def test_populations_of_a_second_period_are_among_the_fixed_ones(self):
        assert set(SECOND) <= {family.name for family in FIXED}
        persisting = list(tasks_of(1, 10, ["75% persist"]))
        assert {task.persisting for task in persisting} == {0.75}
        assert len(persisting) == 2 * len(SECOND)

    def test_a_seed_moves_fresh_populations_only(self):
        one, other = (list(tasks_of(seed, 10, ["fixed", "fresh"])) for seed in (1, 2))
        assert [a.family == b.family for a, b in zip(one, other, strict=True)] == [
            task.group == "fixed" for task in one
        ]

    def test_labels_of_a_fixed_population_differ_from_seed_to_seed(self):
        one, other = (next(iter(tasks_of(seed, 30, ["fixed"]))) for seed in (1, 2))
        assert simulate(one).half_width != simulate(other).half_width


class TestSimulate:
    def test_a_population_is_the_same_for_every_number_of_labels(self):
        few, many = (simulate(Task("fixed", SINGLES[0], labels, 20, (1, 0), 5)) for labels in (100, 1000))
        assert few.half_width > 2 * many.half_width
        assert few.random > many.random

    def test_intervals_hold_the_truth_in_most_runs(self):
        """Of 3 x 60 intervals at 95%, fewer than 156 would come about once in a million series."""
        found = simulate(Task("fixed", SINGLES[0], 300, 60, (1, 0), 5))
        held = [tally.held for tally in found.tallies if tally.metric in ("precision", "recall", "false_omission_rate")]
        assert sum(held) >= 156


def test_a_short_run_has_rows_and_verdicts(tmp_path, monkeypatch):
    monkeypatch.setattr(tasks, "LABELS", (100,))
    options = parse("coverage", ["--json", str(tmp_path / "c.json")])
    options.given.runs, options.given.groups, options.given.workers = 2, ["fixed"], 1
    result = run(options)
    shape = json.loads(json.dumps(as_json("coverage", options, {}, result)))
    assert {row["population"] for row in shape["rows"] if "population" in row} == {family.name for family in FIXED}
    assert any("mean coverage" in verdict["name"] for verdict in shape["verdicts"])
    assert np.isfinite([verdict["value"] for verdict in shape["verdicts"]]).all()
