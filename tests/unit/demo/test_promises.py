import pytest

from stratawatch.core.estimate import Undefined
from stratawatch.demo.promises import PagedMetric, break_was_paged, broken_promises, false_pages

FOUND = PagedMetric("logistic", "precision", 7)


class TestDetected:
    @pytest.mark.parametrize(("week", "found"), [(6, False), (7, True), (8, True), (9, False)])
    def test_within_two_cycles(self, week, found):
        assert break_was_paged([PagedMetric("logistic", "precision", week)]) is found

    def test_another_metric_or_classifier_is_not_the_break(self):
        assert not break_was_paged(
            [
                PagedMetric("logistic", "recall", 7),
                PagedMetric("trees", "precision", 7),
                PagedMetric("vote", "precision", 7),
            ]
        )


class TestFalsePages:
    def test_are_those_of_the_classifiers_that_nothing_happened_to(self):
        pages = [
            FOUND,
            PagedMetric("vote", "precision", 7),
            PagedMetric("trees", "recall", 2),
            PagedMetric("bayes", "precision", 9),
        ]
        assert [page.classifier for page in false_pages(pages)] == ["trees", "bayes"]


class TestBrokenPromises:
    def test_none_when_the_break_was_paged_and_nobody_else(self):
        assert broken_promises([FOUND], [], {1: 6, 4: 2, 5: 1, 6: 0, 7: 3}, 0.04) == ()

    def test_says_which_week_was_blind(self):
        assert broken_promises([FOUND], [9], {}, 0.04) == ("labels told too little of a metric: BLIND in week 9",)

    def test_says_in_which_week_too_little_was_proven(self):
        said = ("2 of the limits were not proven to be kept in week 5",)
        assert broken_promises([FOUND], [], {5: 2, 6: 1}, 0.04) == said

    def test_says_that_four_weeks_together_know_recall_too_little(self):
        assert broken_promises([FOUND], [], {}, 0.043) == ()
        assert broken_promises([FOUND], [], {}, 0.0432) == (
            "four weeks together know recall to ±4.32 points, not to ±4.30",
        )

    def test_says_why_four_weeks_together_do_not_tell_recall(self):
        assert broken_promises([FOUND], [], {}, Undefined("no labels")) == (
            "four weeks together do not tell recall: no labels",
        )

    def test_says_what_was_missed_and_who_was_wronged(self):
        missed, wronged = sorted(
            broken_promises([PagedMetric("trees", "recall", 2)], [], {}, 0.04), key=len, reverse=True
        )
        assert missed == "the lost precision of logistic was not paged in week 7 or 8"
        assert wronged == "a healthy classifier was paged: recall of trees in week 2"
