from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.core.history.model_trust import model_is_trusted, with_variance_ratios
from stratawatch.core.history.past_labels import NO_HISTORY
from stratawatch.core.tuning import BORROWED
from tests.support.past_labels import curve, drawn, past, together


def ratios(*values, metric="precision"):
    """A history without labels whose periods had these ratios, the oldest first."""
    return past(1, [], [], [], ratios={len(values) - i: {metric: value} for i, value in enumerate(values)})


def test_auxiliary_scores_are_not_judged():
    """A judge's letters tell the model, but nobody reports the judge's precision."""
    rng = np.random.default_rng(3)
    made = together([drawn(curve(0, 1), rng, (1, 2), 400)])
    judged = replace(made, patterns=tuple(f"{pattern}{'10'[i % 2]}" for i, pattern in enumerate(made.patterns)))
    told = with_variance_ratios(replace(judged, classifiers=2)).ratios[1]
    mistaken = with_variance_ratios(judged).ratios[1]
    assert told.keys() == {"precision", "recall"}
    assert told != mistaken


class TestTrusted:
    def test_starts_trusting(self):
        assert model_is_trusted(NO_HISTORY)
        assert model_is_trusted(ratios(1.0))

    @pytest.mark.parametrize(("ratio", "trust"), [(2.39, True), (2.41, False), (0.1, True)])
    def test_doubts_above_one_and_a_fifth(self, ratio, trust):
        """R = (r + 6)/(1 + 6) after one period: 1.2 at r = 2.4."""
        assert model_is_trusted(ratios(ratio)) is trust

    def test_variances_are_borrowed_from_what_plans_would_doubt(self):
        """R = (r + 6)/7 after one period: 1.64 at 5.5, 2.73 at 13.1, which later periods take down to 1.5 in time."""
        assert model_is_trusted(ratios(5.5), BORROWED)
        assert not model_is_trusted(ratios(13.1), BORROWED)
        assert not model_is_trusted(ratios(13.1, 1.0), BORROWED)
        assert model_is_trusted(ratios(13.1, *[0.2] * 7), BORROWED)

    def test_many_slightly_bad_periods_are_doubted_too(self):
        """R = (1.3 w + 6)/(w + 6) with w = 1 + .96 + ...: 1.2 at w = 12, passed in the 17th period."""
        assert model_is_trusted(ratios(*[1.3] * 16))
        assert not model_is_trusted(ratios(*[1.3] * 17))

    def test_the_worse_of_both_metrics_decides(self):
        both = past(1, [], [], [], ratios={1: {"precision": 0.2, "recall": 2.5}})
        assert not model_is_trusted(both)

    def test_trust_comes_back_at_one_and_a_tenth_and_not_before(self):
        """After 2.5 and k periods of 1, R - 1 = 1.5 x .96^k/(w + 6): .181, .156, .136, .120, .107, then .096."""
        assert not model_is_trusted(ratios(2.5))
        assert [model_is_trusted(ratios(2.5, *[1.0] * k)) for k in range(1, 8)] == [False] * 5 + [True] * 2

    def test_the_same_figure_leaves_trust_where_trust_was(self):
        """R = 1 + 1.5 x .96/7.96 = 1.18 after doubt, R = 1 + 1.43/7.96 = 1.18 without any."""
        assert not model_is_trusted(ratios(2.5, 1.0))
        assert model_is_trusted(ratios(1.0, 2.43))

    def test_old_periods_fade(self):
        assert model_is_trusted(ratios(4.0, *[1.0] * 30))
        assert not model_is_trusted(ratios(*[1.0] * 30, 9.0))

    @given(st.lists(st.floats(0, 1.1), max_size=40))
    def test_ratios_up_to_one_and_a_tenth_never_raise_doubt(self, values):
        assert model_is_trusted(ratios(*values))


class TestWithRatios:
    def test_a_calibrated_model_has_ratios_near_one(self):
        found = with_variance_ratios(drawn(curve(), np.random.default_rng(1), ages=(1, 2), each=4000)).ratios
        assert set(found) == {1}
        assert found[1]["precision"] == pytest.approx(1, abs=0.12)
        assert found[1]["recall"] == pytest.approx(1, abs=0.12)

    @pytest.mark.parametrize("wrong", [curve(-3.5), curve(2.5, 0.3), curve(-0.5, -1.2)])
    def test_a_model_that_no_longer_holds_has_ratios_well_above_one(self, wrong):
        """Prevalence fell, scores lost their meaning, scores were turned round."""
        rng = np.random.default_rng(2)
        was, now = drawn(curve(), rng, ages=(2, 3), each=2000), drawn(wrong, rng, each=2000)
        assert max(with_variance_ratios(together([was, now])).ratios[1].values()) > 1.5

    def test_every_period_with_a_usable_past_gets_one(self):
        """Periods of 150 labels: the oldest has no past, the one after it 150, the third has 300."""
        found = with_variance_ratios(drawn(curve(), np.random.default_rng(3), ages=(1, 2, 3, 4), each=150)).ratios
        assert set(found) == {1, 2}

    def test_a_period_is_judged_by_the_periods_before_it_alone(self):
        rng = np.random.default_rng(4)
        before = drawn(curve(), rng, ages=(2, 3), each=300)
        later = with_variance_ratios(together([before, drawn(curve(3.0, -2.0), rng, each=300)])).ratios
        assert later[2] == with_variance_ratios(before).ratios[2]

    def test_ages_count_from_the_period_that_is_judged(self):
        """The past of age 31 is one period old when age 30 is judged."""
        history = drawn(curve(), np.random.default_rng(5), ages=(30, 31), each=300)
        assert set(with_variance_ratios(history).ratios) == {30}

    def test_ratios_that_exist_are_kept(self):
        history = drawn(curve(), np.random.default_rng(6), ages=(1, 2, 3), each=300)
        kept = {2: {"precision": 7.0, "recall": 8.0}}
        found = with_variance_ratios(together([history], ratios=kept)).ratios
        assert found[2] == kept[2]
        assert found[1] == with_variance_ratios(history).ratios[1]
        assert set(found) == {1, 2}

    def test_labels_are_handed_on_unchanged(self):
        history = drawn(curve(), np.random.default_rng(7), ages=(1, 2), each=300)
        again = with_variance_ratios(history)
        assert again.positive is history.positive
        assert again.patterns == history.patterns
        assert history.ratios == {}

    def test_without_labels_there_is_nothing_to_judge(self):
        assert with_variance_ratios(NO_HISTORY).ratios == {}

    def test_a_coin_surprises_as_much_as_expected_whatever_falls(self):
        """m = 1/2: (y - m)^2 = 1/4 = m (1 - m) for every label."""
        half = [i % 2 == 0 for i in range(1000)]
        was = past(2, ["1", "1", "0", "0"] * 250, 0.5, np.tile([True, False, True, False], 250))
        now = past(1, ["1"] * 1000 + ["0"] * 1000, 0.5, half + [True] * 1000)
        found = with_variance_ratios(together([was, now])).ratios[1]
        assert found["precision"] == pytest.approx(1, abs=1e-3)
        assert found["recall"] == pytest.approx(1, abs=1e-3)

    def test_one_mistake_among_a_hundred_sure_ones_is_no_verdict(self):
        """m is taken as .99 at most: (.99^2 + 99 x .01^2)/(100 x .99 x .01) = .99/.99 = 1."""
        was = past(2, ["1"] * 4000 + ["0"] * 4000, [0.9999] * 4000 + [0.5] * 4000, [True] * 4000 + [True, False] * 2000)
        now = past(
            1, ["1"] * 100 + ["0"] * 100, [0.9999] * 100 + [0.5] * 100, [False] + [True] * 99 + [True, False] * 50
        )
        assert with_variance_ratios(together([was, now])).ratios[1]["precision"] == pytest.approx(1.0, abs=0.01)

    def test_a_label_counts_with_the_square_of_its_weight(self):
        """m = 1/10: a no surprises by .01/.09 = 1/9, a yes by .81/.09 = 9; (9 x 3^2 + 1/9)/(3^2 + 1) = 8.11."""
        was = past(2, ["1"] * 2000 + ["0"] * 2000, 0.5, [i % 10 == 0 for i in range(4000)])
        now = past(1, ["1", "1", "0", "0"], 0.5, [True, False, True, False], weights=[3, 1, 1, 1])
        assert with_variance_ratios(together([was, now])).ratios[1]["precision"] == pytest.approx(8.11, rel=0.01)

    def test_a_classifier_that_calls_nothing_positive_leaves_the_verdict_to_the_others(self):
        one = drawn(curve(), np.random.default_rng(8), ages=(1, 2), each=400)
        silent = past(one.ages, [pattern[0] + "0" for pattern in one.patterns], one.scores, one.positive)
        assert set(with_variance_ratios(silent).ratios[1]) == {"precision", "recall"}

    @pytest.mark.parametrize(("letter", "said"), [("0", True), ("1", False)])
    def test_a_period_without_a_call_or_without_a_yes_is_left_out(self, letter, said):
        """Nothing called positive has no precision, nothing found has no recall."""
        was = past(2, ["1", "0"] * 300, 0.5, [True, False] * 300)
        assert 1 not in with_variance_ratios(together([was, past(1, [letter] * 50, 0.5, said)])).ratios
