from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.core.designs.frozen import FrozenDesign, stratify_for_survey
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.estimation.cluster_variance import (
    ClusterAdjustment,
    _widened_difference,
    _widened_on_arcsine_scale,
)
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.estimation.replication.replicated_estimate import t_quantile
from stratawatch.core.estimation.wilson import wilson_interval
from stratawatch.core.goals import SurveySpec
from stratawatch.core.metrics import METRICS
from stratawatch.core.population import Candidates, Census
from stratawatch.core.verdicts import VerdictsByItem


def clustered(design: FrozenDesign, name) -> FrozenDesign:
    """The same design, its items in the clusters that `name` gives them."""
    named = tuple(name(item) for item in design.candidates.items)
    return replace(design, candidates=replace(design.candidates, clusters=named))


def widths(estimates) -> np.ndarray:
    return np.array([one.result.half_width for one in estimates])


class TestAlone:
    @pytest.mark.parametrize("name", [lambda item: item, lambda item: None], ids=["every item its own", "none named"])
    def test_nothing_changes(self, population, told, name):
        segments = (population.north, population.south)
        before = population.design.estimate(*told, metrics=tuple(METRICS), segments=segments)
        after = clustered(population.design, name).estimate(*told, metrics=tuple(METRICS), segments=segments)
        assert [one.result for one in after] == [one.result for one in before]
        assert {one.deff for one in after} == {1.0}
        assert {one.deff for one in before} == {None}

    def test_nor_does_a_comparison(self, population, told):
        before = population.design.compare(*told, "a", "b", "recall")
        after = clustered(population.design, lambda item: item).compare(*told, "a", "b", "recall")
        assert after.result == before.result


def doubled(copies: int) -> tuple[FrozenDesign, VerdictsByItem]:
    """A window of 4,000 scored items; 200 of them drawn and labelled, each `copies` times over."""
    census = Census(("a",), ("0", "1"), np.array([200, 800]), np.array([2000, 2000]))
    survey = SurveySpec(budget=400 * copies)
    atoms = stratify_for_survey(census, survey)
    rng = np.random.default_rng(3)
    rows = [(atom, one, copy) for atom in range(2) for one in range(200) for copy in range(copies)]
    yes = {(atom, one): bool(rng.random() < (0.1, 0.8)[atom]) for atom in range(2) for one in range(200)}
    items = tuple(f"{atom}-{one}-{copy}" for atom, one, copy in rows)
    digests = tuple(f"{number:032x}" for number in rng.permutation(len(items)).tolist())
    pool = Candidates(items, np.array([atom for atom, _, _ in rows]), digests, clusters=tuple(i[:-2] for i in items))
    said = {item: "yes" if yes[row[:2]] else "no" for item, row in zip(items, rows, strict=True)}
    return FrozenDesign(("a",), atoms, pool, survey), VerdictsByItem(said)


class TestCopies:
    def test_of_every_item_make_an_effect_of_nearly_two(self):
        design, ledger = doubled(2)
        for one in design.estimate(ledger, ledger.verdicts):
            assert one.deff == pytest.approx(2, abs=0.03)

    def test_count_as_one_label_each(self):
        """Twice 400 labels know what 400 know without 1 - f: their 1 - f is .8, that of 400 is .9."""
        once, twice = doubled(1), doubled(2)
        plain = replace(once[0], candidates=replace(once[0].candidates, clusters=None))
        few = plain.estimate(once[1], once[1].verdicts)
        many = twice[0].estimate(twice[1], twice[1].verdicts)
        for a, b in zip(few, many, strict=True):
            assert b.result.half_width == pytest.approx(a.result.half_width / 0.9**0.5, rel=0.03)
            assert b.result.n_eff == pytest.approx(a.result.n_eff * 0.9, rel=0.05)

    def test_widen_a_difference_too(self, population, told):
        pairs = clustered(population.design, lambda item: f"{int(item[1:]) // 40}")
        assert pairs.compare(*told, "a", "b", "recall").deff is not None
        same = pairs.compare(*told, "a", "a", "recall").result
        assert (same.low, same.high) == (0.0, 0.0)


class TestClusters:
    def test_never_narrow_an_interval(self, population, told):
        metrics = tuple(METRICS)
        before = population.design.estimate(*told, metrics=metrics)
        for size in (3, 30, 300, 2000):
            after = clustered(population.design, lambda item, size=size: str(int(item[1:]) // size))
            assert bool((widths(after.estimate(*told, metrics=metrics)) >= widths(before) - 1e-12).all())

    def test_by_what_was_said_they_cost_most(self, population, told):
        """Customers whose items are all yes or all no, 15 items each, against customers of any 15 items."""
        ledger, drawn = told
        order = sorted(drawn, key=lambda item: ledger.verdicts[item])
        alike = {item: str(place // 15) for place, item in enumerate(order)}
        mixed = {item: str(place // 15) for place, item in enumerate(sorted(drawn))}
        effects = [
            clustered(population.design, lambda item, of=of: of.get(item)).estimate(ledger, drawn)[0].deff
            for of in (alike, mixed)
        ]
        assert effects[0] > 3
        assert effects[1] < 1.8

    def test_are_the_same_however_many_columns_are_read_at_once(self, population, told, monkeypatch):
        design = clustered(population.design, lambda item: str(int(item[1:]) // 30))
        wanted = {"metrics": tuple(METRICS), "segments": (population.north, population.south)}
        at_once = design.estimate(*told, **wanted)
        monkeypatch.setattr("stratawatch.core.estimation.cluster_variance._AT_ONCE", 2000)
        assert design.estimate(*told, **wanted) == at_once

    def test_all_of_one_are_no_information(self, population, told):
        for one in clustered(population.design, lambda _: "c").estimate(*told):
            assert one.result == Undefined(
                "all labels that tell it are of one cluster: they say nothing about how clusters differ"
            )

    def test_a_segment_that_is_one_cluster_is_no_information_and_the_whole_is(self, population, told):
        where = dict(
            zip(population.design.candidates.items, population.design.candidates.segments["region"], strict=True)
        )
        of = clustered(population.design, lambda item: "all" if where[item] == "north" else str(int(item[1:]) // 30))
        found = of.estimate(*told, metrics=("precision",), segments=(population.north,))
        assert [isinstance(one.result, IntervalEstimate) for one in found] == [True, True, False, False]

    def test_labels_that_agree_count_as_one_a_cluster(self, population):
        _, drawn = population.labelled()
        three = clustered(
            population.design, lambda item: str(sorted(drawn).index(item) // 3) if item in drawn else None
        )
        (found,) = [
            one
            for one in three.estimate(VerdictsByItem(dict.fromkeys(drawn, "yes")), drawn, metrics=("prevalence",))
            if one.classifier == "a"
        ]
        assert found.deff == pytest.approx(3)

    def test_one_side_that_agrees_is_enough_where_it_moves_the_metric(self, population, told):
        """Everything that b calls negative is no: what recall does not know is how many positives lie there."""
        ledger, drawn = told
        pool = population.design.candidates
        passed = {
            item
            for item, atom in zip(pool.items, pool.atoms.tolist(), strict=True)
            if population.atoms[atom].pattern[1] == "0"
        }
        said = {item: "no" if item in passed else verdict for item, verdict in ledger.verdicts.items()}
        order = sorted(item for item in drawn if item in passed)
        three = clustered(population.design, lambda item: str(order.index(item) // 3) if item in order else None)
        found = {one.classifier: one.deff for one in three.estimate(VerdictsByItem(said), drawn, metrics=("recall",))}
        assert found["b"] == pytest.approx(3, abs=0.02)

    def test_across_strata_or_inside_leave_different_degrees(self, population, told):
        """Few clusters: the interval takes Student's t, so that three are wider than their design effect."""
        three = clustered(population.design, lambda item: str(int(item[1:]) % 3)).estimate(*told)
        for one, before in zip(three, population.design.estimate(*told), strict=True):
            least = (t_quantile(2, 0.95) / normal_quantile(0.95)) * before.result.half_width
            assert one.result.half_width > 0.75 * least

    def test_a_window_that_is_labelled_wholly_is_exact(self):
        design, ledger = doubled(1)
        census = Census(("a",), ("0", "1"), np.array([200, 800]), np.array([200, 200]))
        atoms = stratify_for_survey(census, SurveySpec(budget=400))
        whole = replace(design, atoms=atoms, candidates=replace(design.candidates, clusters=("x", "y") * 200))
        for one in whole.estimate(ledger, ledger.verdicts):
            assert one.result.low == one.result.high

    def test_without_labels_there_is_nothing_to_widen(self, population):
        found = clustered(population.design, lambda item: "c").estimate(VerdictsByItem({}), ())
        assert all(isinstance(one.result, Undefined) for one in found)


class TestWidened:
    def of(self, value, low, high):
        return Estimate("a", "precision", None, IntervalEstimate(value, low, high, 100.0), 100, "", 0.95)

    @pytest.mark.parametrize("yes", [0, 2, 25, 50, 90])
    def test_is_nearly_wilson_with_fewer_labels(self, yes):
        many, few = (wilson_interval(np.array(yes / 100), np.array(n), 0.95) for n in (100.0, 50.0))
        low, high = _widened_on_arcsine_scale(
            IntervalEstimate(yes / 100, float(many[0]), float(many[1]), 100.0), 2**0.5
        )
        assert (low, high) == pytest.approx((float(few[0]), float(few[1])), abs=0.012)

    def test_an_effect_below_one_is_one(self):
        found = ClusterAdjustment(0.4, 0.0, 10_000_000.0).widen(self.of(0.8, 0.7, 0.9), _widened_on_arcsine_scale)
        assert found.result.low == pytest.approx(0.7)
        assert (found.deff, found.result.n_eff) == (0.4, 100.0)

    def test_what_was_taken_off_for_this_window_comes_back(self):
        v = (0.1 / normal_quantile(0.95)) ** 2
        found = ClusterAdjustment(1.5, 0.5 * v, 10_000_000.0).widen(self.of(0.5, 0.4, 0.6), _widened_on_arcsine_scale)
        assert found.result.n_eff == pytest.approx(50)

    @given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(1, 9))
    def test_ends_stay_in_order_and_in_range(self, one, two, three, by):
        low, value, high = sorted((one, two, three))
        wider = _widened_on_arcsine_scale(IntervalEstimate(value, low, high, 1.0), by)
        assert 0 <= wider[0] <= low <= value <= high <= wider[1] <= 1
        wider = _widened_difference(IntervalEstimate(value - 0.5, low - 0.5, high - 0.5, 1.0), by)
        assert -1 <= wider[0] <= low - 0.5 + 1e-12
        assert high - 0.5 - 1e-12 <= wider[1] <= 1
