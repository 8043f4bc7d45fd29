"""Two periods: persisting items keep their random number, and their labels are free."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.coverage import persistence
from benchmarks.coverage.cycles import Frozen
from benchmarks.coverage.panels import Member, Panel
from benchmarks.coverage.persistence import Period, Queue, simulate_persisting
from benchmarks.coverage.simulation import Task
from stratawatch.core.goals import SurveySpec
from stratawatch.core.metrics import METRICS

FAMILY = Panel("p", 0.08, (Member(3, 0.7), Member(2.6, 0.9)), size=4000)
TASK = Task("50%", FAMILY, 300, 3, (1, 2), 5, 0.5)


@pytest.fixture
def period():
    return Period.of(TASK, FAMILY.items(np.random.default_rng(3), FAMILY.size))


class TestQueue:
    def test_the_items_with_the_smallest_numbers_of_a_stratum_come_first(self, period):
        frozen = Frozen.of(period.population, SurveySpec(budget=100))
        numbers = np.random.default_rng(4).random(FAMILY.size)
        queue = Queue.of(frozen, period, numbers)
        strata = frozen.cells.strata[frozen.home[period.population.rows]]
        for stratum in range(frozen.cells.stratum_count):
            members = np.flatnonzero(strata == stratum)
            wanted = members[np.argsort(numbers[members])][: frozen.pools[stratum]]
            assert queue.rows[queue.strata == stratum].tolist() == wanted.tolist()

    def test_kinds_tell_the_atom_and_the_label(self, period):
        frozen = Frozen.of(period.population, SurveySpec(budget=100))
        queue = Queue.of(frozen, period, np.random.default_rng(4).random(FAMILY.size))
        for row, kind in zip(queue.rows.tolist(), queue.kinds.tolist(), strict=True):
            assert frozen.atoms[kind // 2].pattern == period.items.patterns[row]
            assert kind % 2 == period.items.labels[row]


class TestTwoPeriods:
    @pytest.fixture(autouse=True)
    def small(self, monkeypatch):
        monkeypatch.setattr(persistence, "SIZE", 3000)

    def test_every_classifier_and_metric_is_scored(self):
        found = simulate_persisting(TASK)
        assert len(found.tallies) == 2 * len(METRICS)
        assert all(tally.runs == 3 for tally in found.tallies)

    def test_free_labels_make_intervals_narrower(self):
        none, most = (simulate_persisting(replace(TASK, persisting=share)) for share in (0.0, 0.75))
        assert most.half_width < 0.95 * none.half_width
