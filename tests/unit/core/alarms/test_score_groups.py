"""Groups of scores: about as many labels each, shares that add up, nothing told of few labels."""

from dataclasses import replace

import numpy as np
import pytest

from stratawatch.core.alarms.moved import LabelledWindow
from stratawatch.core.alarms.score_groups import FEWEST_LABELS, MOST_GROUPS, score_groups
from stratawatch.core.alarms.scored_labels import ScoredWindow
from stratawatch.core.designs.frozen import FrozenDesign
from stratawatch.core.population import Atom, Candidates
from stratawatch.core.score_bins import own_bins_of
from stratawatch.core.verdicts import VerdictsByItem

SCORES = np.linspace(0.01, 0.99, 200)
SIZES = (9_000, 1_000)
"""Items that are passed and that are called, of which a hundred each are labelled."""


@pytest.fixture
def window():
    """Labels of a classifier whose score means what it says, cut at one half."""
    names = tuple(f"i{place}" for place in range(len(SCORES)))
    strata = (SCORES >= 0.5).astype(int)
    candidates = Candidates(names, strata, tuple(format(place, "032x") for place in range(len(names))), {})
    atoms = tuple(Atom(str(h), 0, 1023, SIZES[h], 0.25 + h / 2, {}, h) for h in (0, 1))
    verdicts = {name: "yes" if score > 0.5 else "no" for name, score in zip(names, SCORES.tolist(), strict=True)}
    labelled = LabelledWindow(FrozenDesign(("a",), atoms, candidates), VerdictsByItem(verdicts), names)
    bins = own_bins_of(SCORES)
    return ScoredWindow(labelled, {name: int(bin_) for name, bin_ in zip(names, bins, strict=True)})


def test_hold_about_as_many_labels_each(window):
    groups = score_groups([window], [window], "a")
    assert len(groups) == MOST_GROUPS
    assert sum(group.now.labels for group in groups) == len(SCORES)
    assert all(len(SCORES) / MOST_GROUPS * 0.7 < group.now.labels < len(SCORES) / MOST_GROUPS * 1.4 for group in groups)
    assert [group.high for group in groups[:-1]] == [group.low for group in groups[1:]]


def test_items_count_by_what_their_stratum_stands_for(window):
    groups = score_groups([window], [window], "a")
    below = sum(group.now.share for group in groups if group.high <= 0.5)
    assert below == pytest.approx(SIZES[0] / sum(SIZES), abs=0.02)
    assert sum(group.before.share for group in groups) == pytest.approx(1)


def test_positives_are_those_of_the_labels(window):
    values = [group.now.positives for group in score_groups([window], [window], "a")]
    assert (values[0].value, values[-1].value) == pytest.approx((0, 1))
    assert all(one.low <= one.value <= one.high for one in values)
    assert values[0].high > 0
    assert values[-1].low < 1


def test_of_few_labels_nothing_is_told(window):
    few = {name: bin_ for place, (name, bin_) in enumerate(window.bins.items()) if place % 40 == 0}
    groups = score_groups([window], [replace(window, bins=few)], "a")
    assert all(group.now.labels < FEWEST_LABELS and group.now.positives is None for group in groups)
    assert all(group.before.positives is not None for group in groups)


def test_without_scores_or_windows_there_are_none(window):
    assert score_groups([replace(window, bins={})], [replace(window, bins={})], "a") == ()
    assert score_groups([], [window], "a") == ()


def test_one_score_for_all_makes_no_groups(window):
    alike = replace(window, bins=dict.fromkeys(window.bins, 100))
    assert score_groups([alike], [alike], "a") == ()
