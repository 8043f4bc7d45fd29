"""Krippendorff's alpha, its interval, and each annotator against the others."""

from itertools import combinations

import numpy as np
import pytest

from stratawatch.core.estimate import Undefined
from stratawatch.core.estimation.agreement import (
    AnnotatorAgreement,
    agreement,
    annotator_agreements,
    latest_answers,
    latest_skips,
)


def said(rows):
    """Answers by item from texts such as "yn.": one letter an annotator, a dot where there is none."""
    word = {"y": "yes", "n": "no"}
    return {f"i{i}": {f"a{j}": word[one] for j, one in enumerate(row) if one != "."} for i, row in enumerate(rows)}


def alpha_by_pairs(answers):
    """The definition: every pair of answers to one item, weighted by the item's answers, against all pairs."""
    items = [list(words.values()) for words in answers.values() if len(words) > 1]
    everything = [one for words in items for one in words]
    observed = sum(2 * sum(a != b for a, b in combinations(words, 2)) / (len(words) - 1) for words in items) / len(
        everything
    )
    expected = 2 * sum(a != b for a, b in combinations(everything, 2)) / (len(everything) * (len(everything) - 1))
    return 1 - observed / expected


class TestAlpha:
    def test_is_krippendorffs_definition_with_answers_missing(self, rng):
        for _ in range(20):
            rows = ["".join(rng.choice(list("yn."), size=4, p=[0.4, 0.4, 0.2])) for _ in range(40)]
            assert agreement(said(rows)).alpha == pytest.approx(alpha_by_pairs(said(rows)))

    def test_leaves_items_with_one_answer_out(self):
        rows = ["yy", "nn", "yn", "ny", "nn"] * 4
        found = agreement(said([*rows, "y.", ".n"]))
        assert found == agreement(said(rows))
        assert (found.items, found.answers) == (20, 40)

    @pytest.mark.parametrize(
        ("rows", "reason"),
        [(["yn"] * 9, "9 items have two answers"), (["yy"] * 30, "every answer is the same"), (["y."] * 99, "0 items")],
    )
    def test_is_undefined_where_it_says_nothing(self, rows, reason):
        found = agreement(said(rows))
        assert isinstance(found, Undefined)
        assert reason in found.reason


class TestInterval:
    def test_holds_alpha_and_narrows_with_items(self):
        rows = ["yy"] * 4 + ["nn"] * 14 + ["yn", "ny"]
        few, many = agreement(said(rows * 4)), agreement(said(rows * 64))
        assert few.low < few.alpha < few.high <= 1
        assert 3.6 < (few.high - few.low) / (many.high - many.low) < 5

    def test_is_wider_at_a_higher_confidence(self):
        rows = said((["yy"] * 4 + ["nn"] * 14 + ["yn", "ny"]) * 3)
        low, high = agreement(rows, 0.8), agreement(rows, 0.99)
        assert high.low < low.low < low.high < high.high

    def test_without_any_disagreement_ends_below_one_by_what_would_not_surprise(self):
        found = agreement(said(["yy"] * 50 + ["nn"] * 50))
        assert (found.alpha, found.high) == (1, 1)
        share = 1 - 0.025 ** (1 / 100)  # of disagreeing items, none in a hundred of which does not surprise
        assert found.low == pytest.approx(1 - share / (2 * 0.5 * 0.5 * 200 / 199), abs=1e-9)

    def test_with_one_disagreement_lies_below_that_of_none(self):
        none, one = agreement(said(["yy"] * 50 + ["nn"] * 50)), agreement(said(["yy"] * 50 + ["nn"] * 49 + ["yn"]))
        assert one.low < none.low
        assert one.low < one.alpha < one.high < 1

    def test_of_answers_by_chance_reaches_below_nothing_and_never_below_minus_one(self):
        found = agreement(said(["yn"] * 30))
        assert -1 <= found.low <= found.alpha < 0


class TestEachAnnotator:
    def test_is_compared_with_the_others_on_the_same_items(self):
        answers = said(["yy.", "yn.", "nnn", "..y"])
        assert annotator_agreements(answers) == (
            AnnotatorAgreement("a0", yes=2, no=1, pairs=4, agreeing=3),
            AnnotatorAgreement("a1", yes=1, no=2, pairs=4, agreeing=3),
            AnnotatorAgreement("a2", yes=1, no=1, pairs=2, agreeing=2),
        )

    def test_has_skips_beside_answers_also_where_nothing_else_was_said(self):
        found = annotator_agreements(said(["yy"]), {"a1": 2, "zoe": 1})
        assert [(one.annotator, one.yes, one.skips) for one in found] == [("a0", 1, 0), ("a1", 1, 2), ("zoe", 0, 1)]


class TestLatestSkips:
    def test_are_those_that_stand(self):
        events = [
            *(("i1", "ann", "skip"), ("i1", "ann", "yes"), ("i2", "ann", "yes"), ("i2", "ann", "skip")),
            *(("i3", "ann", "skip"), ("i3", "bob", "skip"), ("i4", "bob", "skip"), ("i4", "bob", "retract")),
        ]
        assert latest_skips(events) == {"ann": 2, "bob": 1}


class TestLatestAnswers:
    def test_are_the_last_words_that_stand(self):
        events = [
            *(("i1", "ann", "yes"), ("i1", "bob", "no"), ("i1", "ann", "no")),
            *(("i2", "ann", "yes"), ("i2", "ann", "skip"), ("i3", "bob", "no"), ("i3", "bob", "retract")),
        ]
        assert latest_answers(events) == {"i1": {"ann": "no", "bob": "no"}, "i2": {}, "i3": {}}


@pytest.fixture
def rng():
    return np.random.default_rng(7)
