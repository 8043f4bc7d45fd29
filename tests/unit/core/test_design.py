from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratawatch.core.design import Design, pool_sizes
from stratawatch.core.ledger import Ledger
from stratawatch.core.population import Atom, Segment
from stratawatch.core.results import Goal, Known, Undefined
from stratawatch.errors import StratawatchError
from tests.unit.core.town import Town, two_classifiers


@pytest.fixture(scope="module")
def town():
    return two_classifiers()


def outcome(estimates, classifier, metric, segment=None):
    (found,) = [e for e in estimates if (e.classifier, e.metric, e.segment) == (classifier, metric, segment)]
    return found.outcome


class TestPools:
    def test_hold_three_times_the_planned_labels_and_at_least_thirty(self, town):
        everything = two_classifiers(budget=10_000)
        wanted = pool_sizes(town.atoms, ("a", "b"), (), 300)
        assert all(size >= min(30, atom.size) for size, atom in zip(wanted, town.atoms, strict=True))
        assert sum(wanted) >= 3 * 300 - 3
        assert sum(pool_sizes(everything.atoms, ("a", "b"), (), 10_000)) == 6000

    def test_are_capped_by_the_items_and_by_the_budget(self):
        atoms = (Atom("0", 0, 9, 12, 0.01), Atom("1", 600, 700, 10_000, 0.7))
        assert pool_sizes(atoms, ("a",), (), 20) == (12, 20)

    def test_items_that_nobody_judged_get_no_pool(self):
        atoms = (Atom("-", -1, -1, 500, None), Atom("1", 600, 700, 500, 0.7))
        assert pool_sizes(atoms, ("a",), (), 40)[0] == 0


class TestPlan:
    def test_spends_the_labels_and_says_what_they_buy(self, town):
        plan = town.design.plan((), 120, Ledger({}), (), phase="first")
        assert plan.labels == 120
        assert set(plan.half_widths) == {(c, m) for c in "ab" for m in ("precision", "recall", "false_omission_rate")}
        assert plan.method == "sum_of_squares, first phase"
        assert plan.exhausted == ()

    def test_more_labels_buy_narrower_intervals(self, town):
        few, many = (town.design.plan((), n, Ledger({}), (), phase="first").half_widths for n in (100, 300))
        assert all(many[key] < few[key] for key in few)

    def test_expects_about_the_half_widths_that_come(self, town):
        ledger, drawn = town.labelled()
        plan = town.design.plan((), 300, ledger, drawn, phase="second")
        for estimate in town.design.estimate(ledger, drawn):
            expected = plan.half_widths[estimate.classifier, estimate.metric]
            assert estimate.outcome.half_width == pytest.approx(expected, rel=0.35)

    def test_the_second_phase_never_falls_below_what_is_drawn(self, town):
        first = town.design.plan((), 120, Ledger({}), (), phase="first")
        drawn = town.drawn(first)
        second = town.design.plan((), 300, town.ledger(drawn), drawn, phase="second")
        assert all(after >= before for before, after in zip(first.totals, second.totals, strict=True))
        assert second.labels == 300

    def test_a_tight_goal_gets_more_labels_than_a_loose_one(self, town):
        def positives(goals):
            plan = town.design.plan(goals, 150, Ledger({}), (), phase="first")
            return sum(n for n, atom in zip(plan.totals, town.atoms, strict=True) if "1" in atom.pattern)

        tight = [Goal("precision", 0.02), Goal("recall", 0.2)]
        loose = [Goal("precision", 0.2), Goal("recall", 0.02)]
        assert positives(tight) > positives(loose)

    def test_names_atoms_whose_pool_is_exhausted_and_spends_their_labels_elsewhere(self, town):
        pool = town.design.candidates
        kept = [i for i, atom in enumerate(pool.atoms.tolist()) if atom != 0 or i == pool.atoms.tolist().index(0)]
        small = replace(
            pool,
            items=tuple(pool.items[i] for i in kept),
            atoms=pool.atoms[kept],
            digests=tuple(pool.digests[i] for i in kept),
            segments={"region": tuple(pool.segments["region"][i] for i in kept)},
        )
        plan = Design(("a", "b"), town.atoms, small).plan((), 120, Ledger({}), (), phase="first")
        assert plan.exhausted == (0,)
        assert plan.totals[0] == 1
        assert plan.labels == 120

    def test_inclusion_is_drawn_over_items(self, town):
        plan = town.design.plan((), 120, Ledger({}), (), phase="first")
        expected = [n / atom.size for n, atom in zip(plan.totals, town.atoms, strict=True)]
        assert town.design.inclusion(plan) == tuple(expected)


class TestDraw:
    def test_takes_the_smallest_digests_of_every_atom(self, town):
        plan = town.design.plan((), 120, Ledger({}), (), phase="first")
        pool, drawn = town.design.candidates, town.design.draw(plan)
        for atom, total in enumerate(plan.totals):
            digests = sorted(pool.digests[i] for i in np.flatnonzero(pool.atoms == atom))
            assert [pool.digests[i] for i in drawn if pool.atoms[i] == atom] == digests[:total]

    def test_a_larger_plan_only_adds_items(self, town):
        small, large = (town.design.plan((), n, Ledger({}), (), phase="first") for n in (120, 121))
        grown = replace(small, totals=tuple(max(a, b) for a, b in zip(small.totals, large.totals, strict=True)))
        assert set(town.design.draw(small)) <= set(town.design.draw(grown))

    def test_does_not_depend_on_the_order_of_the_pool(self, town):
        pool = town.design.candidates
        turned = list(reversed(range(len(pool))))
        backwards = replace(
            pool,
            items=tuple(pool.items[i] for i in turned),
            atoms=pool.atoms[turned],
            digests=tuple(pool.digests[i] for i in turned),
            segments={"region": tuple(pool.segments["region"][i] for i in turned)},
        )
        other = Design(("a", "b"), town.atoms, backwards)
        plan = town.design.plan((), 120, Ledger({}), (), phase="first")
        assert [other.candidates.items[i] for i in other.draw(plan)] == [pool.items[i] for i in town.design.draw(plan)]

    def test_a_plan_beyond_the_pool_is_refused(self, town):
        plan = town.design.plan((), 120, Ledger({}), (), phase="first")
        with pytest.raises(StratawatchError, match="the pool of atom 0 is exhausted; expected 99999 candidates"):
            town.design.draw(replace(plan, totals=(99999, *plan.totals[1:])))


class TestEstimate:
    def test_gives_every_classifier_metric_and_segment_once(self, town):
        ledger, drawn = town.labelled()
        found = town.design.estimate(ledger, drawn, segments=(town.north, town.south))
        keys = {(e.classifier, e.metric, e.segment) for e in found}
        assert len(keys) == len(found) == 2 * 3 * 3

    def test_metrics_can_be_chosen(self, town):
        ledger, drawn = town.labelled()
        found = town.design.estimate(ledger, drawn, metrics=("recall",))
        assert [(e.classifier, e.metric) for e in found] == [("a", "recall"), ("b", "recall")]

    def test_one_label_serves_every_classifier(self, town):
        ledger, drawn = town.labelled()
        used = {e.classifier: e.labels_used for e in town.design.estimate(ledger, drawn, metrics=("recall",))}
        assert used == {"a": 300, "b": 300}

    def test_hand_arithmetic(self):
        """Pattern 1: 40 items, 4 labels, 3 yes. Pattern 0: 60 items, 6 labels, 1 yes.

        Precision 3/4; FOR 1/6; recall 30/(30 + 10) = 3/4.
        """
        town = Town(["1"] * 40 + ["0"] * 60, [0.9] * 40 + [0.1] * 60, [True] * 100, 10, names=("a",))
        pool = town.design.candidates
        ones = [item for item, atom in zip(pool.items, pool.atoms, strict=True) if town.atoms[atom].pattern == "1"][:4]
        zeros = [item for item, atom in zip(pool.items, pool.atoms, strict=True) if town.atoms[atom].pattern == "0"][:6]
        ledger = Ledger({**dict.fromkeys(ones[:3] + zeros[:1], "yes"), **dict.fromkeys(ones[3:] + zeros[1:], "no")})
        found = town.design.estimate(ledger, {*ones, *zeros})
        assert outcome(found, "a", "precision").value == pytest.approx(3 / 4)
        assert outcome(found, "a", "false_omission_rate").value == pytest.approx(1 / 6)
        assert outcome(found, "a", "recall").value == pytest.approx(3 / 4)

    def test_more_confidence_widens_every_interval(self, town):
        ledger, drawn = town.labelled()
        usual = town.design.estimate(ledger, drawn)
        wide = town.design.estimate(ledger, drawn, confidence=0.999)
        assert all(w.outcome.half_width > u.outcome.half_width for u, w in zip(usual, wide, strict=True))
        assert {w.confidence for w in wide} == {0.999}

    def test_segments_weigh_back_to_the_whole(self, town):
        """Precision overall lies between its segments."""
        ledger, drawn = town.labelled()
        found = town.design.estimate(ledger, drawn, segments=(town.north, town.south))
        north, south = (outcome(found, "a", "precision", s).value for s in (town.north, town.south))
        assert min(north, south) - 0.02 < outcome(found, "a", "precision").value < max(north, south) + 0.02

    def test_verdicts_of_items_that_were_not_drawn_do_not_count(self, town):
        ledger, drawn = town.labelled()
        everyone = town.ledger(town.design.candidates.items)
        assert town.design.estimate(everyone, drawn) == town.design.estimate(ledger, drawn)

    @pytest.mark.parametrize("confidence", [0.0, 1.0, 95])
    def test_a_confidence_that_is_none_is_refused(self, town, confidence):
        with pytest.raises(StratawatchError, match="expected a number between 0 and 1"):
            town.design.estimate(Ledger({}), (), confidence=confidence)

    @settings(max_examples=40, deadline=None)
    @given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.03, 0.5, 0.97, 1.0]), st.floats(0, 1))
    def test_whatever_people_answer_every_interval_holds_its_value(self, town, seed, yes, answering):
        rng = np.random.default_rng(seed)
        first = town.drawn(town.design.plan((), 120, Ledger({}), (), phase="first"))
        said = {item: "yes" if rng.random() < yes else "no" for item in sorted(first) if rng.random() < answering}
        for estimate in town.design.estimate(Ledger(said), first, segments=(town.north, Segment("region", "west"))):
            if isinstance(estimate.outcome, Known):
                known = estimate.outcome
                assert 0 <= known.low <= known.value <= known.high <= 1
                assert known.n_eff >= 0
            else:
                assert estimate.outcome.reason
        plan = town.design.plan((), 300, Ledger(said), first, phase="second")
        assert plan.labels == 300

    def test_a_draw_of_another_design_is_refused(self, town):
        with pytest.raises(StratawatchError, match="1 drawn items are not among the candidates; got 'stranger'"):
            town.design.estimate(Ledger({}), {"stranger"})

    def test_a_segment_column_that_was_not_kept_is_named(self, town):
        ledger, drawn = town.labelled()
        with pytest.raises(StratawatchError, match="no segment column 'language'; expected one of region"):
            town.design.estimate(ledger, drawn, segments=(Segment("language", "de"),))

    def test_a_segment_without_items_is_untold_in_words(self, town):
        ledger, drawn = town.labelled()
        found = town.design.estimate(ledger, drawn, segments=(Segment("region", "west"),))
        assert outcome(found, "a", "recall", Segment("region", "west")) == Undefined("it judged no item in region=west")


class TestNonResponse:
    def test_no_labels_at_all_are_no_information(self, town):
        _, drawn = town.labelled()
        assert all(isinstance(e.outcome, Undefined) for e in town.design.estimate(Ledger({}), drawn))
        assert all(e.labels_used == 0 for e in town.design.estimate(Ledger({}), drawn))

    def test_missing_answers_are_reweighted_and_widen_the_interval(self, town):
        ledger, drawn = town.labelled()
        half = Ledger({item: verdict for item, verdict in ledger.verdicts.items() if int(item[1:]) % 2})
        full, fewer = town.design.estimate(ledger, drawn), town.design.estimate(half, drawn)
        assert all(f.outcome.half_width > e.outcome.half_width for e, f in zip(full, fewer, strict=True))
        assert all(abs(f.outcome.value - e.outcome.value) < 0.2 for e, f in zip(full, fewer, strict=True))

    def test_unresolved_is_no_answer(self, town):
        ledger, drawn = town.labelled()
        gone = {item for item in ledger.verdicts if int(item[1:]) % 2}
        unresolved = Ledger({i: "unresolved" if i in gone else v for i, v in ledger.verdicts.items()})
        missing = Ledger({i: v for i, v in ledger.verdicts.items() if i not in gone})
        assert town.design.estimate(unresolved, drawn) == town.design.estimate(missing, drawn)

    def test_a_silent_pattern_of_more_than_a_tenth_blinds_the_metrics_that_need_it(self, town):
        ledger, drawn = town.labelled()
        heard = {i: v for i, v in ledger.verdicts.items() if town.patterns[int(i[1:])] != "11"}
        found = town.design.estimate(Ledger(heard), drawn)
        assert isinstance(outcome(found, "a", "precision"), Undefined)
        assert "strata without a label" in outcome(found, "a", "precision").reason
        assert isinstance(outcome(found, "a", "false_omission_rate"), Known)


class TestDegenerate:
    def town(self, letters, labels, budget=60):
        scores = [0.9 if "1" in letter else 0.1 for letter in letters]
        return Town(letters, scores, labels, budget, names=("a",))

    def metrics(self, town):
        ledger, drawn = town.labelled()
        found = town.design.estimate(ledger, drawn)
        return [outcome(found, "a", name) for name in ("precision", "recall", "false_omission_rate")]

    def test_nothing_is_called_positive(self):
        precision, recall, rate = self.metrics(self.town(["0"] * 500, [i % 10 == 0 for i in range(500)]))
        assert precision == Undefined("it calls no item positive")
        assert (recall.value, recall.low, recall.high) == (0, 0, 0)
        assert rate.low < 0.1 < rate.high

    def test_everything_is_called_positive(self):
        precision, recall, rate = self.metrics(self.town(["1"] * 500, [i % 10 != 0 for i in range(500)]))
        assert precision.low < 0.9 < precision.high
        assert (recall.value, recall.low, recall.high) == (1, 1, 1)
        assert rate == Undefined("it calls no item negative")

    def test_all_labels_yes(self):
        precision, recall, rate = self.metrics(self.town(["1"] * 100 + ["0"] * 400, [True] * 500))
        assert precision.value == precision.high == 1.0
        assert precision.low < 0.97
        assert rate.value == rate.high == 1.0
        assert recall.value == pytest.approx(0.2)

    def test_all_labels_no(self):
        precision, recall, rate = self.metrics(self.town(["1"] * 100 + ["0"] * 400, [False] * 500))
        assert precision.value == precision.low == 0.0
        assert 0.02 < precision.high < 0.5
        assert 0 < rate.high < 0.5
        assert isinstance(recall, Undefined)
        assert recall.reason == "no positive among the 60 labels"

    def test_one_item(self):
        precision, recall, rate = self.metrics(self.town(["1"], [True], budget=1))
        assert (precision.value, precision.low, precision.high) == (1, 1, 1)
        assert (recall.value, recall.low, recall.high) == (1, 1, 1)
        assert isinstance(rate, Undefined)

    def test_a_census_is_exact(self):
        labels = [i % 3 == 0 for i in range(40)]
        precision, recall, rate = self.metrics(self.town(["1"] * 10 + ["0"] * 30, labels, budget=100))
        assert (precision.low, precision.value, precision.high) == pytest.approx((0.4, 0.4, 0.4))
        assert (recall.low, recall.value, recall.high) == pytest.approx((4 / 14, 4 / 14, 4 / 14))
        assert (rate.low, rate.value, rate.high) == pytest.approx((1 / 3, 1 / 3, 1 / 3))
        assert (precision.n_eff, rate.n_eff) == (10, 30)

    def test_a_census_with_one_skipped_item_is_not_exact(self):
        town = self.town(["1"] * 10 + ["0"] * 30, [True] * 10 + [False] * 30, budget=100)
        ledger, drawn = town.labelled(lambda item, verdict: "unresolved" if item == "i0" else verdict)
        precision = outcome(town.design.estimate(ledger, drawn), "a", "precision")
        assert precision.high == 1.0
        assert precision.low == pytest.approx(0.9)

    def test_observed_labels_bound_the_interval(self):
        """9 of 10 positives seen, none negative: precision cannot be below .9."""
        town = self.town(["1"] * 10 + ["0"] * 3000, [True] * 10 + [False] * 3000, budget=40)
        ledger, drawn = town.labelled()
        estimate = outcome(town.design.estimate(ledger, drawn), "a", "precision")
        seen = sum(verdict == "yes" for verdict in ledger.verdicts.values())
        assert estimate.low >= seen / 10

    def test_a_classifier_that_never_said_anything(self):
        town = Town(["1-"] * 50 + ["0-"] * 50, [0.9] * 50 + [0.1] * 50, [True] * 50 + [False] * 50, 40)
        ledger, drawn = town.labelled()
        found = town.design.estimate(ledger, drawn)
        assert outcome(found, "b", "precision") == Undefined("it calls no item positive")
        assert outcome(found, "b", "recall") == Undefined("it judged no item")
        assert outcome(found, "a", "precision").value == 1.0

    def test_recall_counts_only_items_the_classifier_judged(self):
        """b judged 50 items with 25 positives, all found; 50 positives it never saw are no misses."""
        letters = ["11"] * 25 + ["00"] * 25 + ["1-"] * 50
        labels = [True] * 25 + [False] * 25 + [True] * 50
        town = Town(letters, [0.9 if "1" in letter else 0.1 for letter in letters], labels, 100)
        ledger, drawn = town.labelled()
        recall = outcome(town.design.estimate(ledger, drawn), "b", "recall")
        assert (recall.value, recall.low, recall.high) == (1, 1, 1)
