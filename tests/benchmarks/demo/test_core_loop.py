"""The benchmark's way through the core must be the engine's way: same census, exact draws, rounds, history, budget."""

from collections import Counter

import numpy as np
import pytest

from benchmarks.demo_worlds_loop import Memory, count, label, pool, run_world, spec_of, watch
from stratawatch.core.designs.frozen import FrozenDesign, pool_sizes
from stratawatch.core.history.past_labels import NO_HISTORY
from stratawatch.core.score_bins import bins_of
from stratawatch.core.stratification.stratify import stratify
from stratawatch.demo.models import CLASSIFIERS
from stratawatch.engine.model.survey_of_panel import survey_of_panel


@pytest.fixture(scope="module")
def spec(world):
    return spec_of(world)


@pytest.fixture(scope="module")
def week(world):
    return world.week(1, items=20_000)


@pytest.fixture(scope="module")
def design(week, spec):
    cells = count(week)
    atoms = stratify(cells.census, survey_of_panel(spec))
    wanted = pool_sizes(atoms, CLASSIFIERS, survey_of_panel(spec))
    return FrozenDesign(CLASSIFIERS, atoms, pool(week, cells, atoms, wanted, np.random.default_rng(1)))


def pattern(week, item: int) -> str:
    return "".join("1" if call else "0" for call in week.calls[item])


class TestCount:
    def test_counts_pattern_and_bin_of_every_item(self, week):
        census = count(week).census
        bins = bins_of(week.scores.mean(axis=1))
        expected = Counter((pattern(week, item), int(bins[item])) for item in range(len(week.truth)))
        counted = dict(
            zip(zip(census.patterns, census.bins.tolist(), strict=True), census.counts.tolist(), strict=True)
        )
        assert counted == expected

    def test_the_regions_add_up_to_everything(self, week):
        census = count(week).census
        assert np.array_equal(sum(census.segments.values()), census.counts)


class TestPool:
    def test_every_item_lies_in_its_atom(self, week, design):
        bins = bins_of(week.scores.mean(axis=1))
        for item, number in zip(design.candidates.items, design.candidates.atoms.tolist(), strict=True):
            atom = design.atoms[number]
            assert pattern(week, int(item)) == atom.pattern
            assert atom.first_bin <= bins[int(item)] <= atom.last_bin

    def test_holds_the_smallest_numbers_of_the_stratum(self, week, design):
        everything = tuple(design.cells.stratum_sizes.astype(int).tolist())
        whole = pool(week, count(week), design.atoms, everything, np.random.default_rng(1))
        few, all_of_stratum = (digests_of(one, design.cells.strata, 0) for one in (design.candidates, whole))
        assert len(few) < len(all_of_stratum) == everything[0]
        assert few == all_of_stratum[: len(few)]


def digests_of(candidates, strata, stratum):
    home = strata[candidates.atoms]
    return sorted(digest for digest, at in zip(candidates.digests, home.tolist(), strict=True) if at == stratum)


class TestLabel:
    def test_draws_the_whole_budget_and_passes_on_about_one_in_a_hundred(self, week, spec, design):
        rounds, ledger = label(design, spec, week, NO_HISTORY)
        drawn = frozenset().union(*rounds)
        assert len(drawn) == spec.budget == 900
        assert set(ledger.verdicts) == drawn
        assert sum(verdict == "unresolved" for verdict in ledger.verdicts.values()) < 30

    def test_verdicts_are_the_truth(self, week, spec, design):
        _, ledger = label(design, spec, week, NO_HISTORY)
        said = {item: verdict == "yes" for item, verdict in ledger.verdicts.items() if verdict != "unresolved"}
        assert all(week.truth[int(item)] == yes for item, yes in said.items())


class TestWatch:
    def test_tells_every_metric_overall_and_in_each_region_and_judges_those_with_a_limit(self, world, spec, week):
        told = list(watch(world, spec, week, Memory()))
        assert len(told) == 4 * 3 * (1 + 3)
        judged = {one.stream for one in told if one.state is not None}
        assert judged == set(world.floors)

    def test_the_same_world_is_told_the_same(self, world, spec, week):
        assert list(watch(world, spec, week, Memory())) == list(watch(world, spec, week, Memory()))


class TestMemory:
    def test_has_the_answers_of_the_weeks_before_and_the_items_they_stand_for(self, world, spec, week):
        memory = Memory()
        assert memory.before(1) is NO_HISTORY
        list(watch(world, spec, week, memory))
        history = memory.before(3)
        assert set(history.ages.tolist()) == {2}
        assert 870 < len(history) <= 900
        assert history.weights.sum() == pytest.approx(len(week.truth) * len(history) / 900, rel=0.05)
        assert 0 < history.positive.mean() < 1
        called = np.array(["1" in pattern for pattern in history.patterns])
        assert history.scores[called].mean() > history.scores[~called].mean()


class TestRunWorld:
    def test_watches_ten_weeks_and_is_never_blind(self):
        told = run_world(5)
        assert {one.compared.week for one in told} == set(range(1, 11))
        # BLIND begins at three margins, of 5 points for recall
        assert max(one.compared.interval.half_width for one in told if one.state) < 0.15
