"""Errors of votes from their disagreement: against the truth, by hand, and where they cannot be told."""

from itertools import product

import numpy as np
import pytest

from stratawatch.core.estimate import Undefined
from stratawatch.core.estimation.vote_errors import FEWEST_ITEMS, majority_rate, vote_errors
from tests.support.seed import random_seed


def answers(seed, items, share, rates, *, by_rule=False):
    """Answers of annotators of these (sensitivity, specificity), and the truth; by the rule of second votes if asked."""
    rng = np.random.default_rng(seed)
    truth = rng.random(items) < share
    said = {}
    for i, positive in enumerate(truth):
        words = {}
        for j, (se, sp) in enumerate(rates):
            if by_rule and j and list(words.values()) not in (["yes"], ["yes", "no"]):
                break
            words[f"a{j}"] = "yes" if rng.random() < (se if positive else 1 - sp) else "no"
        said[f"i{i}"] = words
    return said, truth


@pytest.mark.parametrize(("se", "sp"), list(product((0.9, 0.98), (0.95, 0.98))))
def test_the_pool_is_found_without_gold(se, sp):
    for seed in (1, random_seed("vote errors")):
        said, _ = answers(seed, 6000, 0.2, [(se, sp)] * 3)
        found = vote_errors(said)
        # The length of a 95% interval is four standard errors.
        assert abs(found.sensitivity[0] - se) < found.sensitivity[2] - found.sensitivity[1] < 0.07
        assert abs(found.specificity[0] - sp) < found.specificity[2] - found.specificity[1]
        assert found.items == 6000


def test_ends_hold_the_truth_as_often_as_they_say():
    held = 0
    for seed in range(60):
        said, _ = answers(seed, 500, 0.3, [(0.9, 0.95)] * 3)
        found = vote_errors(said)
        held += found.sensitivity[1] <= 0.9 <= found.sensitivity[2]
    assert held >= 52  # 57 are expected; fewer than 52 come once in a hundred of such runs


def test_wrong_majorities_are_as_many_as_there_are():
    said, truth = answers(3, 20_000, 0.3, [(0.95, 0.95)] * 3)
    wrong = np.mean(
        [
            (2 * sum(word == "yes" for word in words.values()) > 3) != positive
            for words, positive in zip(said.values(), truth, strict=True)
        ]
    )
    assert vote_errors(said).wrong_majorities == pytest.approx(wrong, abs=0.002)
    assert wrong == pytest.approx(1 - majority_rate(0.95, 3), abs=0.002)


def test_annotators_are_told_apart():
    rates = [(0.95, 0.99), (0.95, 0.99), (0.7, 0.99), (0.95, 0.9)]
    said, _ = answers(5, 4000, 0.3, rates)
    found = {one.annotator: one for one in vote_errors(said).annotators}
    for j, (se, sp) in enumerate(rates):
        assert found[f"a{j}"].sensitivity[0] == pytest.approx(se, abs=0.03)
        assert found[f"a{j}"].specificity[0] == pytest.approx(sp, abs=0.02)
        assert found[f"a{j}"].answers == 4000


def test_votes_that_were_asked_for_on_account_of_the_first_tell_the_same():
    said, _ = answers(7, 20_000, 0.3, [(0.9, 0.9)] * 3, by_rule=True)
    found = vote_errors(said)
    assert found.sensitivity[0] == pytest.approx(0.9, abs=0.04)
    assert found.specificity[0] == pytest.approx(0.9, abs=0.02)


def test_the_order_of_items_and_people_changes_nothing():
    said, _ = answers(9, 400, 0.3, [(0.9, 0.95)] * 3)
    turned = {key: dict(reversed(words.items())) for key, words in reversed(said.items())}
    one, other = vote_errors(said), vote_errors(turned)
    assert one.sensitivity == other.sensitivity
    assert one.annotators[0].sensitivity == pytest.approx(other.annotators[0].sensitivity, abs=1e-6)


def test_few_items_with_three_answers_cannot_tell():
    said, _ = answers(1, 400, 0.3, [(0.9, 0.95)] * 2)
    said |= {f"x{i}": {"a": "yes", "b": "yes", "c": "yes"} for i in range(FEWEST_ITEMS - 1)}
    assert isinstance(vote_errors(said), Undefined)
    assert vote_errors({}).reason.startswith("0 items")


def test_without_any_disagreement_nothing_is_wrong():
    said = {f"i{i}": dict.fromkeys("abc", "yes" if i % 3 else "no") for i in range(90)}
    found = vote_errors(said)
    assert found.wrong_majorities == pytest.approx(0, abs=1e-6)
    assert found.sensitivity[0] > 0.999


@pytest.mark.parametrize("votes", [1, 3, 5, 7])
def test_a_majority_is_counted_over_all_ways_to_vote(votes):
    rate = 0.8
    by_hand = sum(
        np.prod([rate if says else 1 - rate for says in way])
        for way in product((True, False), repeat=votes)
        if 2 * sum(way) > votes
    )
    assert majority_rate(rate, votes) == pytest.approx(by_hand)
