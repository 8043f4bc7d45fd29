"""Two windows that share items, over every draw of both: with numbers of each window E is at most 1 on average.

The second window knows the labels of the first. It is planned by them, expects rates that follow them, and of yes and
no not the same share stayed. With permanent numbers the same labels break the promise.
"""

from collections import defaultdict
from itertools import permutations

import numpy as np

from stratawatch.core.alarms.evidence.e_values import window_e_values
from tests.support.small_windows import answer, answers, at_the_truth, draws, floor, window

METRICS = ("precision", "recall", "false_omission_rate")
FIRST = window(["1", "0"], [0.7, 0.2], [0, 1], ["1100", "001"], prior=[0.6, 0.3])
STAYED = {"0-0": "0-0", "0-1": "0-1", "1-0": "1-0", "1-2": "1-1"}
"""Ids of the second window's items that were in the first one, and their ids there; a no stayed, and three left."""


def second(labels):
    """The second window: rates and the numbers of labels by stratum follow those of the first one."""
    yes = sum(one.verdict == "yes" for one in labels)
    design, truth = window(["1", "0"], [0.7, 0.2], [0, 1], ["1100", "0100"], prior=[0.3 + 0.2 * yes, 0.1 + 0.1 * yes])
    return design, truth, (2, 2) if yes > 1 else (3, 1)


def factors(design, rounds, tests):
    """E by test and loss, over all rounds."""
    found = defaultdict(float)
    for one in window_e_values(design, rounds, tests):
        found[one.test, one.loss] += one.log_e
    return {key: float(np.exp(log_e)) for key, log_e in found.items()}


def known(truth, items):
    return [answer(item, "yes" if truth[item] else "no", bets=False, answered_before=True) for item in sorted(items)]


def limits(design, truth):
    return [test for test in at_the_truth(design, truth) if test.metric in METRICS]


class TestNumbersOfEachWindow:
    def test_whatever_the_first_window_drew_the_second_one_bets_fairly(self):
        (design, truth), products, count = FIRST, defaultdict(float), 0
        tests = limits(design, truth)
        for drawn in draws(design, (2, 1)):
            count += 1
            labels = answers(truth, drawn)
            before = factors(design, [labels], tests)
            other, its_truth, numbers = second(labels)
            has_label = {item for item, was in STAYED.items() if was in drawn}
            its_tests, means = limits(other, its_truth), defaultdict(float)
            every = list(draws(other, numbers))
            for again in every:
                new = [item for item in again if item not in has_label]
                rounds = [[*known(its_truth, has_label), *answers(its_truth, new)]]
                found = factors(other, rounds, its_tests)
                for key in found.keys() | before.keys():
                    means[key] += found.get(key, 1.0) / len(every)
            assert max(means.values()) <= 1 + 1e-12
            for key, mean in means.items():
                products[key] += before.get(key, 1.0) * mean
        assert count == 18
        assert max(products.values()) / count <= 1 + 1e-12
        assert min(value for (_, loss), value in products.items() if loss == 0.03) / count > 0.85

    def test_a_second_round_is_fair_as_well(self):
        """Its labels go where the first round's answers sent them; one that was drawn by neither is known to both."""
        design, truth = window(["1", "0"], [0.7, 0.2], [0, 1], ["11000", "0100"], prior=[0.5, 0.3])
        has_label, tests, means, weight = {"0-1", "1-0"}, limits(design, truth), defaultdict(float), 0.0
        for first in draws(design, (2, 1)):
            numbers = (1, 1) if any(truth[item] for item in first) else (2, 1)
            after = list(draws(design, numbers, without=first))
            for more in after:
                weight += 1 / len(after)
                new = [answers(truth, [item for item in each if item not in has_label]) for each in (first, more)]
                for key, value in factors(design, [[*known(truth, has_label), *new[0]], new[1]], tests).items():
                    means[key] += (value - 1) / len(after)
        assert 1 + max(means.values()) / weight <= 1 + 1e-12


class TestPermanentNumbers:
    def test_first_uses_speak_of_newcomers_alone(self):
        """Two yes stayed and two no came: a yes that was not drawn has a large number, so that few of them are new."""
        design, truth = window(["1"], [0.5], [0], ["1100"], prior=[0.5])
        stayed, tests, found = ("0-0", "0-1", "gone", "went"), [floor()], []
        for order in permutations([*stayed, "0-2", "0-3"]):
            drawn = [item for item in order if item in stayed][:2]
            now = [item for item in order if item in truth][:2]
            rounds = [[*known(truth, truth.keys() & drawn), *answers(truth, [i for i in now if i not in drawn])]]
            found.append(factors(design, rounds, tests).get((0, 0.12), 1.0))
        assert len(found) == 720
        assert np.mean(found) > 1.1
