"""The rule of second votes: the rates of its verdicts by enumeration, and which vote is asked for next."""

from itertools import product

import numpy as np
import pytest

from stratawatch.core.second_votes import checked_verdict, next_vote, yes_rate


def verdict_of_three(said):
    """Ask as the rule does, of three people who would say this."""
    words = [said[0]]
    while (number := next_vote(words)) is not None:
        words.append(said[number - 1])
    return checked_verdict(words) if words[0] == "yes" else words[0]


@pytest.mark.parametrize("rate", [0.0, 0.02, 0.1, 0.5, 0.9, 0.98, 1.0])
def test_the_rate_of_yes_is_that_of_all_eight_ways_to_answer(rate):
    total = 0.0
    for said in product(("yes", "no"), repeat=3):
        chance = np.prod([rate if word == "yes" else 1 - rate for word in said])
        total += chance * (verdict_of_three(said) == "yes")
    assert yes_rate(np.array(rate), np.array(1.0)) == pytest.approx(total)
    assert yes_rate(np.array(rate), np.array(0.0)) == rate


@pytest.mark.parametrize("rate", [0.02, 0.3, 0.9])
def test_the_rate_where_other_votes_may_not_come_is_that_of_all_ways_too(rate):
    """A second vote comes with .8 and a third one with .5: then .4 of the first yeses have every vote they need."""
    total, came = 0.0, (1.0, 0.8, 0.5)
    for said in product(("yes", "no", None), repeat=3):
        if said[0] is None:
            continue
        chance, words = 1.0, []
        for vote, word in enumerate(said):
            chance *= 1 - came[vote] if word is None else came[vote] * (rate if word == "yes" else 1 - rate)
        for word in said:
            if word is None or (words and next_vote(words) is None):
                break
            words.append(word)
        total += chance * (words[0] == "yes" and checked_verdict(words) == "yes")
    assert yes_rate(np.array(rate), np.array(0.8 * 0.5)) == pytest.approx(total)


def test_the_rates_are_those_of_the_text_books_forms():
    se, sp = np.array(0.9), np.array(0.98)
    assert yes_rate(se, np.array(1.0)) == pytest.approx(se**2 * (2 - se))
    assert 1 - yes_rate(1 - sp, np.array(1.0)) == pytest.approx(1 - (1 - sp) ** 2 * (1 + sp))


def test_verdicts_of_positives_are_always_more_often_yes_than_those_of_negatives_where_votes_are():
    rates = yes_rate(np.linspace(0, 1, 101), np.array(0.7))
    assert (np.diff(rates) > 0).all()


@pytest.mark.parametrize(
    ("words", "number"),
    [
        (["yes"], 2),
        (["yes", "no"], 3),
        (["yes", "yes"], None),
        (["yes", "no", "no"], None),
        (["yes", "skip"], None),
        (["no"], None),
        (["skip"], None),
        ([], None),
    ],
)
def test_a_vote_is_asked_for_after_a_yes_and_on_disagreement_only(words, number):
    assert next_vote(words) == number


@pytest.mark.parametrize(
    ("words", "verdict"),
    [(["yes"], "yes"), (["yes", "skip"], "yes"), (["yes", "no", "skip"], "yes"), (["yes", "no", "no"], "no")],
)
def test_a_first_yes_stands_until_more_people_say_no(words, verdict):
    assert checked_verdict(words) == verdict
