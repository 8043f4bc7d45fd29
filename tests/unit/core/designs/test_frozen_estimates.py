from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratawatch.core.designs.label_error import side_shares
from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.core.population import Segment
from stratawatch.core.verdicts import VerdictsByItem
from stratawatch.errors import StratawatchError
from tests.support.hypothesis_examples import examples
from tests.support.labelled_population import LabelledPopulation, two_classifiers


@pytest.fixture(scope="module")
def population():
    return two_classifiers()


def outcome(estimates, classifier, metric, segment=None):
    (found,) = [e for e in estimates if (e.classifier, e.metric, e.segment) == (classifier, metric, segment)]
    return found.result


class TestEstimate:
    def test_gives_every_classifier_metric_and_segment_once(self, population):
        ledger, drawn = population.labelled()
        found = population.design.estimate(ledger, drawn, segments=(population.north, population.south))
        keys = {(e.classifier, e.metric, e.segment) for e in found}
        assert len(keys) == len(found) == 2 * 3 * 3

    def test_metrics_can_be_chosen(self, population):
        ledger, drawn = population.labelled()
        found = population.design.estimate(ledger, drawn, metrics=("recall",))
        assert [(e.classifier, e.metric) for e in found] == [("a", "recall"), ("b", "recall")]

    def test_one_label_serves_every_classifier(self, population):
        ledger, drawn = population.labelled()
        used = {e.classifier: e.labels_used for e in population.design.estimate(ledger, drawn, metrics=("recall",))}
        assert used == {"a": 300, "b": 300}

    def test_hand_arithmetic(self):
        """Pattern 1: 40 items, 4 labels, 3 yes. Pattern 0: 60 items, 6 labels, 1 yes.

        Precision 3/4; FOR 1/6; recall 30/(30 + 10) = 3/4.
        """
        population = LabelledPopulation(
            ["1"] * 40 + ["0"] * 60, [0.9] * 40 + [0.1] * 60, [True] * 100, 10, names=("a",)
        )
        pool = population.design.candidates
        ones = [
            item for item, atom in zip(pool.items, pool.atoms, strict=True) if population.atoms[atom].pattern == "1"
        ][:4]
        zeros = [
            item for item, atom in zip(pool.items, pool.atoms, strict=True) if population.atoms[atom].pattern == "0"
        ][:6]
        ledger = VerdictsByItem(
            {**dict.fromkeys(ones[:3] + zeros[:1], "yes"), **dict.fromkeys(ones[3:] + zeros[1:], "no")}
        )
        found = population.design.estimate(ledger, {*ones, *zeros})
        assert outcome(found, "a", "precision").value == pytest.approx(3 / 4)
        assert outcome(found, "a", "false_omission_rate").value == pytest.approx(1 / 6)
        assert outcome(found, "a", "recall").value == pytest.approx(3 / 4)

    def test_more_confidence_widens_every_interval(self, population):
        ledger, drawn = population.labelled()
        usual = population.design.estimate(ledger, drawn)
        wide = population.design.estimate(ledger, drawn, confidence=0.999)
        assert all(w.result.half_width > u.result.half_width for u, w in zip(usual, wide, strict=True))
        assert {w.confidence for w in wide} == {0.999}

    def test_segments_weigh_back_to_the_whole(self, population):
        """Precision overall lies between its segments."""
        ledger, drawn = population.labelled()
        found = population.design.estimate(ledger, drawn, segments=(population.north, population.south))
        north, south = (outcome(found, "a", "precision", s).value for s in (population.north, population.south))
        assert min(north, south) - 0.02 < outcome(found, "a", "precision").value < max(north, south) + 0.02

    def test_verdicts_of_items_that_were_not_drawn_do_not_count(self, population):
        ledger, drawn = population.labelled()
        everyone = population.ledger(population.design.candidates.items)
        assert population.design.estimate(everyone, drawn) == population.design.estimate(ledger, drawn)

    @pytest.mark.parametrize("confidence", [0.0, 1.0, 95])
    def test_a_confidence_that_is_none_is_refused(self, population, confidence):
        with pytest.raises(StratawatchError, match="expected a number between 0 and 1"):
            population.design.estimate(VerdictsByItem({}), (), confidence=confidence)

    @settings(max_examples=examples(40), deadline=None)
    @given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.03, 0.5, 0.97, 1.0]), st.floats(0, 1))
    def test_whatever_people_answer_every_interval_holds_its_value(self, population, seed, yes, answering):
        rng = np.random.default_rng(seed)
        items = population.drawn(population.design.plan(population.survey, VerdictsByItem({}), (), ordinal=1))
        said = {item: "yes" if rng.random() < yes else "no" for item in sorted(items) if rng.random() < answering}
        for estimate in population.design.estimate(
            VerdictsByItem(said), items, segments=(population.north, Segment("region", "west"))
        ):
            if isinstance(estimate.result, IntervalEstimate):
                known = estimate.result
                assert 0 <= known.low <= known.value <= known.high <= 1
                assert known.n_eff >= 0
            else:
                assert estimate.result.reason
        plan = population.design.plan(population.survey, VerdictsByItem(said), items, ordinal=2)
        assert plan.labels == 300

    def test_a_draw_of_another_design_is_refused(self, population):
        with pytest.raises(StratawatchError, match="1 drawn items are not among the candidates; got 'stranger'"):
            population.design.estimate(VerdictsByItem({}), {"stranger"})

    def test_a_segment_column_that_was_not_kept_is_named(self, population):
        ledger, drawn = population.labelled()
        with pytest.raises(StratawatchError, match="no segment column 'language'; expected one of region"):
            population.design.estimate(ledger, drawn, segments=(Segment("language", "de"),))

    def test_a_segment_without_items_is_untold_in_words(self, population):
        ledger, drawn = population.labelled()
        found = population.design.estimate(ledger, drawn, segments=(Segment("region", "west"),))
        assert outcome(found, "a", "recall", Segment("region", "west")) == Undefined("it judged no item in region=west")


class TestCompare:
    def test_is_the_difference_of_the_estimates(self, population):
        ledger, drawn = population.labelled()
        found = population.design.estimate(ledger, drawn, metrics=("precision",))
        one, two = (outcome(found, name, "precision").value for name in "ab")
        told = population.design.compare(ledger, drawn, "a", "b", "precision").result
        assert told.value == pytest.approx(one - two)
        assert told.low < told.value < told.high

    def test_turned_round_it_changes_its_sign(self, population):
        ledger, drawn = population.labelled()
        there, back = (
            population.design.compare(ledger, drawn, *pair, "recall").result for pair in (("a", "b"), ("b", "a"))
        )
        assert (there.low, there.value, there.high) == pytest.approx((-back.high, -back.value, -back.low))

    def test_a_confidence_that_is_none_is_refused(self, population):
        with pytest.raises(StratawatchError, match="expected a number between 0 and 1"):
            population.design.compare(VerdictsByItem({}), (), "a", "b", "precision", 95)


class TestAuxiliary:
    """The second letter is a helper's; the last atom is of items that only the helper looked at."""

    population = LabelledPopulation(
        ["11"] * 40 + ["00"] * 60 + ["-1"] * 20,
        [0.9] * 40 + [0.1] * 60 + [0.6] * 20,
        [True] * 30 + [False] * 70 + [True] * 20,
        200,
        names=("a",),
    )

    def test_is_never_estimated(self):
        ledger, drawn = self.population.labelled()
        assert {e.classifier for e in self.population.design.estimate(ledger, drawn)} == {"a"}

    def test_items_that_it_alone_looked_at_are_not_drawn(self):
        """All 100 others are: precision 30/40 and recall 30/30 are known exactly."""
        ledger, drawn = self.population.labelled()
        assert len(drawn) == 100
        found = self.population.design.estimate(ledger, drawn)
        precision, recall = outcome(found, "a", "precision"), outcome(found, "a", "recall")
        assert (precision.low, precision.high) == pytest.approx((0.75, 0.75))
        assert (recall.low, recall.high) == pytest.approx((1, 1))


class TestNonResponse:
    def test_no_labels_at_all_are_no_information(self, population):
        _, drawn = population.labelled()
        assert all(isinstance(e.result, Undefined) for e in population.design.estimate(VerdictsByItem({}), drawn))
        assert all(e.labels_used == 0 for e in population.design.estimate(VerdictsByItem({}), drawn))

    def test_missing_answers_are_reweighted_and_widen_the_interval(self, population):
        ledger, drawn = population.labelled()
        half = VerdictsByItem({item: verdict for item, verdict in ledger.verdicts.items() if int(item[1:]) % 2})
        full, fewer = population.design.estimate(ledger, drawn), population.design.estimate(half, drawn)
        assert all(f.result.half_width > e.result.half_width for e, f in zip(full, fewer, strict=True))
        assert all(abs(f.result.value - e.result.value) < 0.2 for e, f in zip(full, fewer, strict=True))

    def test_unresolved_is_no_answer(self, population):
        ledger, drawn = population.labelled()
        gone = {item for item in ledger.verdicts if int(item[1:]) % 2}
        unresolved = VerdictsByItem({i: "unresolved" if i in gone else v for i, v in ledger.verdicts.items()})
        missing = VerdictsByItem({i: v for i, v in ledger.verdicts.items() if i not in gone})
        assert population.design.estimate(unresolved, drawn) == population.design.estimate(missing, drawn)

    def test_a_silent_pattern_of_more_than_a_tenth_blinds_the_metrics_that_need_it(self, population):
        ledger, drawn = population.labelled()
        heard = {i: v for i, v in ledger.verdicts.items() if population.patterns[int(i[1:])] != "11"}
        found = population.design.estimate(VerdictsByItem(heard), drawn)
        assert isinstance(outcome(found, "a", "precision"), Undefined)
        assert "groups without a label" in outcome(found, "a", "precision").reason
        assert isinstance(outcome(found, "a", "false_omission_rate"), IntervalEstimate)


class TestDegenerate:
    def population(self, letters, labels, budget=60):
        scores = [0.9 if "1" in letter else 0.1 for letter in letters]
        return LabelledPopulation(letters, scores, labels, budget, names=("a",))

    def metrics(self, population):
        ledger, drawn = population.labelled()
        found = population.design.estimate(ledger, drawn)
        return [outcome(found, "a", name) for name in ("precision", "recall", "false_omission_rate")]

    def test_nothing_is_called_positive(self):
        precision, recall, rate = self.metrics(self.population(["0"] * 500, [i % 10 == 0 for i in range(500)]))
        assert precision == Undefined("it calls no item positive")
        assert (recall.value, recall.low, recall.high) == (0, 0, 0)
        assert rate.low < 0.1 < rate.high

    def test_everything_is_called_positive(self):
        precision, recall, rate = self.metrics(self.population(["1"] * 500, [i % 10 != 0 for i in range(500)]))
        assert precision.low < 0.9 < precision.high
        assert (recall.value, recall.low, recall.high) == (1, 1, 1)
        assert rate == Undefined("it calls no item negative")

    def test_all_labels_yes(self):
        precision, recall, rate = self.metrics(self.population(["1"] * 100 + ["0"] * 400, [True] * 500))
        assert precision.value == precision.high == 1.0
        assert precision.low < 0.97
        assert rate.value == rate.high == 1.0
        assert recall.value == pytest.approx(0.2)

    def test_all_labels_no(self):
        precision, recall, rate = self.metrics(self.population(["1"] * 100 + ["0"] * 400, [False] * 500))
        assert precision.value == precision.low == 0.0
        assert 0.02 < precision.high < 0.5
        assert 0 < rate.high < 0.5
        assert isinstance(recall, Undefined)
        assert recall.reason == "no positive among the 60 labels"

    def test_one_item(self):
        precision, recall, rate = self.metrics(self.population(["1"], [True], budget=1))
        assert (precision.value, precision.low, precision.high) == (1, 1, 1)
        assert (recall.value, recall.low, recall.high) == (1, 1, 1)
        assert isinstance(rate, Undefined)

    def test_a_census_is_exact(self):
        labels = [i % 3 == 0 for i in range(40)]
        precision, recall, rate = self.metrics(self.population(["1"] * 10 + ["0"] * 30, labels, budget=100))
        assert (precision.low, precision.value, precision.high) == pytest.approx((0.4, 0.4, 0.4))
        assert (recall.low, recall.value, recall.high) == pytest.approx((4 / 14, 4 / 14, 4 / 14))
        assert (rate.low, rate.value, rate.high) == pytest.approx((1 / 3, 1 / 3, 1 / 3))
        assert (precision.n_eff, rate.n_eff) == (10, 30)

    def test_a_census_with_one_skipped_item_is_not_exact(self):
        population = self.population(["1"] * 10 + ["0"] * 30, [True] * 10 + [False] * 30, budget=100)
        ledger, drawn = population.labelled(lambda item, verdict: "unresolved" if item == "i0" else verdict)
        precision = outcome(population.design.estimate(ledger, drawn), "a", "precision")
        assert precision.high == 1.0
        assert precision.low == pytest.approx(0.9)

    def test_observed_labels_bound_the_interval(self):
        """9 of 10 positives seen, none negative: precision cannot be below .9."""
        population = self.population(["1"] * 10 + ["0"] * 3000, [True] * 10 + [False] * 3000, budget=40)
        ledger, drawn = population.labelled()
        estimate = outcome(population.design.estimate(ledger, drawn), "a", "precision")
        seen = sum(verdict == "yes" for verdict in ledger.verdicts.values())
        assert estimate.low >= seen / 10

    def test_a_classifier_that_never_said_anything(self):
        population = LabelledPopulation(
            ["1-"] * 50 + ["0-"] * 50, [0.9] * 50 + [0.1] * 50, [True] * 50 + [False] * 50, 40
        )
        ledger, drawn = population.labelled()
        found = population.design.estimate(ledger, drawn)
        assert outcome(found, "b", "precision") == Undefined("it calls no item positive")
        assert outcome(found, "b", "recall") == Undefined("it judged no item")
        assert outcome(found, "a", "precision").value == 1.0

    def test_recall_counts_only_items_the_classifier_judged(self):
        """b judged 50 items with 25 positives, all found; 50 positives it never saw are no misses."""
        letters = ["11"] * 25 + ["00"] * 25 + ["1-"] * 50
        labels = [True] * 25 + [False] * 25 + [True] * 50
        population = LabelledPopulation(letters, [0.9 if "1" in letter else 0.1 for letter in letters], labels, 100)
        ledger, drawn = population.labelled()
        recall = outcome(population.design.estimate(ledger, drawn), "b", "recall")
        assert (recall.value, recall.low, recall.high) == (1, 1, 1)


class TestHistory:
    """A budget is spent on items whose rates earlier labels taught: intervals of everything follow these."""

    @pytest.fixture(scope="class")
    def taught(self):
        population = two_classifiers(budget=900)
        labels = population.labels.astype(float)
        rates = np.bincount(population.atom_of, labels) / np.bincount(population.atom_of)
        atoms = tuple(
            replace(atom, prior_rate=float(np.clip(rate, 0.001, 0.999)))
            for atom, rate in zip(population.atoms, rates, strict=True)
        )
        return population, replace(population.design, atoms=atoms, survey=population.survey), population.labelled()

    def estimates(self, taught, design=None, **choices):
        _, usual, (ledger, drawn) = taught
        return (design or usual).estimate(ledger, drawn, **choices)

    def test_has_a_part_in_intervals(self, taught):
        found, alone = self.estimates(taught), self.estimates(taught, borrow=False)
        precisions = [(one, other) for one, other in zip(found, alone, strict=True) if one.metric == "precision"]
        for one, other in precisions:
            assert one.method == f"{other.method}, variance with history"
            assert one.result.value == other.result.value
            assert one.result.half_width != other.result.half_width

    def test_has_none_in_pages_and_segments(self, taught):
        population = taught[0]
        for confidence in (0.96, 0.999):
            alone = self.estimates(taught, confidence=confidence, borrow=False)
            assert self.estimates(taught, confidence=confidence) == alone
        assert not any("history" in one.method for one in self.estimates(taught, borrow=False))
        inside = [one for one in self.estimates(taught, segments=(population.north, population.south)) if one.segment]
        alone = self.estimates(taught, segments=(population.north, population.south), borrow=False)
        assert inside == [one for one in alone if one.segment]

    def test_has_none_where_answers_are_assumed(self, taught):
        _, _, (ledger, drawn) = taught
        missing = min(drawn)
        rest = VerdictsByItem({item: said for item, said in ledger.verdicts.items() if item != missing})
        found = [taught[1].estimate(rest, drawn, assumed={missing: "yes"}, borrow=some) for some in (True, False)]
        assert found[0] == found[1]

    def test_has_none_in_corrections(self, taught):
        _, design, (ledger, drawn) = taught
        shares = side_shares(design, ledger, drawn, confidence=0.95)
        found = design.estimate(ledger, drawn, metrics=("precision",))
        assert not any("history" in one.method for one in shares)
        assert any("history" in one.method for one in found)

    def test_may_be_said_of_a_design(self, taught):
        design = taught[1]
        assert design.intervals_have_history
        assert not taught[0].design.intervals_have_history
        assert not replace(design, survey=replace(design.survey, stop_at_goals=True)).intervals_have_history

    @pytest.mark.parametrize("changes", [{"stop_at_goals": True}, {"variance": "labels"}])
    def test_has_none_where_goals_decide_or_labels_alone_are_asked_for(self, taught, changes):
        design = replace(taught[1], survey=replace(taught[1].survey, **changes))
        assert self.estimates(taught, design) == self.estimates(taught, design, borrow=False)
