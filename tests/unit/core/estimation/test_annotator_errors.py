"""Errors of each annotator with intervals: against the truth, by hand, and where answers tell next to nothing."""

import numpy as np
import pytest

from stratawatch.core.estimation.annotator_errors import Pool, annotator_errors
from stratawatch.core.estimation.wilson import wilson_interval
from tests.support.seed import random_seed

RATES = ((0.95, 0.98), (0.95, 0.98), (0.95, 0.98), (0.7, 0.98), (0.95, 0.85))
POOL = Pool(0.3, 0.9, 0.046)
"""The share of positives, and the mean rates of yes."""


def answers(seed, items=300, *, people=3, by_rule=False):
    """Each item is put before some of the annotators in any order; by the rule of second votes if asked."""
    rng = np.random.default_rng(seed)
    said = {}
    for item in range(items):
        positive, words = rng.random() < POOL.share, {}
        for j in rng.permutation(len(RATES))[:people].tolist():
            if by_rule and words and list(words.values()) not in (["yes"], ["yes", "no"]):
                break
            rate = RATES[j][0] if positive else 1 - RATES[j][1]
            words[f"a{j}"] = "yes" if rng.random() < rate else "no"
        said[f"i{item}"] = words
    return said


def held(found):
    return [
        ends[1] <= rate <= ends[2]
        for one, rates in zip(found, RATES, strict=True)
        for ends, rate in zip((one.sensitivity, one.specificity), rates, strict=True)
    ]


@pytest.mark.parametrize("by_rule", [False, True], ids=["three answers", "second votes"])
def test_ends_hold_the_truth_as_often_as_they_say(by_rule):
    """Also of annotators who err much more often than the others do."""
    first = random_seed("annotator errors")
    shares = np.mean(
        [held(annotator_errors(answers(first + seed, by_rule=by_rule), POOL, 0.95)) for seed in range(50)], axis=0
    )
    assert shares.mean() > 0.92  # 500 intervals: a standard error of one point
    assert shares.min() >= 0.82  # 50 of each: fewer than 41 of 47.5 once in a thousand


def test_answers_to_items_of_known_truth_have_wilsons_interval():
    """Ten others who are hardly ever wrong tell the truth of each item; the eleventh is right about 45 of 50."""
    said = {
        f"i{i}": {**{f"a{j}": "yes" if i < 50 else "no" for j in range(10)}, "b": "yes" if i < 45 else "no"}
        for i in range(100)
    }
    found = annotator_errors(said, Pool(0.5, 0.9, 0.02), 0.95)[-1]
    assert (found.annotator, found.answers) == ("b", 100)
    assert found.sensitivity[0] == pytest.approx((45 + 9) / (50 + 10), abs=1e-4)
    ends = [float(end) for end in wilson_interval(np.array(0.9), np.array(50.0), 0.95)]
    assert found.sensitivity[1:] == pytest.approx(ends, abs=0.002)


def test_ends_are_wider_where_others_do_not_tell_the_truth():
    """Two annotators err about one item in ten each; with them are six who are right, or nobody."""
    words, turned = ["yes"] * 40 + ["no"] * 60, {"yes": "no", "no": "yes"}

    def said_of(others):
        return {
            f"i{i}": {
                "a": turned[word] if i % 10 == 7 else word,
                "b": turned[word] if i % 10 == 3 else word,
                **{f"c{j}": word for j in range(others)},
            }
            for i, word in enumerate(words)
        }

    sure, doubtful = (annotator_errors(said_of(others), Pool(0.4, 0.9, 0.1), 0.95)[1] for others in (6, 0))
    for of in ("sensitivity", "specificity"):
        narrow, wide = getattr(sure, of), getattr(doubtful, of)
        assert wide[2] - wide[1] > 1.3 * (narrow[2] - narrow[1])


def test_one_who_only_ever_answers_second_tells_nothing_of_the_negatives_that_others_pass():
    """He is asked where the first said yes. Nobody else answers those items, so that his yes may be right or wrong."""
    said = {f"i{i}": {"a": "yes", "b": "yes" if i % 2 else "no"} if i < 20 else {"a": "no"} for i in range(200)}
    a, b = annotator_errors(said, Pool(0.1, 0.9, 0.05), 0.95)
    assert b.specificity[2] - b.specificity[1] > 0.3
    assert (a.answers, b.answers) == (200, 20)
