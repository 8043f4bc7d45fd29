import numpy as np
import pytest

from stratawatch.core.labelled_sample import FOLDS, LabelCounts, LabelledSample, assign_folds, labelled_sample
from stratawatch.core.population import Candidates, Segment
from stratawatch.core.verdicts import VerdictsByItem
from stratawatch.errors import StratawatchError

STRATA = np.array([0, 0, 1])
"""Atoms 0 and 1 are drawn together."""


def candidates(items=30) -> Candidates:
    """Items "i0", "i1", ...: atoms 0, 1, 2 in turn; the even ones live in the north; later items have smaller digests."""
    return Candidates(
        items=tuple(f"i{i}" for i in range(items)),
        atoms=np.arange(items) % 3,
        digests=tuple(f"{items - i:05d}" for i in range(items)),
        segments={"region": tuple(None if i % 5 == 0 else ("north", "south")[i % 2] for i in range(items))},
    )


def told(known, drawn=None):
    ledger = VerdictsByItem(known)
    return labelled_sample(candidates(), STRATA, ledger, known if drawn is None else drawn)


class TestCounts:
    def test_draws_are_counted_by_stratum_and_answers_by_atom(self):
        found = told({"i0": "yes", "i1": "no", "i2": "yes", "i3": "unresolved"}, ["i0", "i1", "i2", "i3", "i4"])
        assert found.drawn.tolist() == [4, 1]
        assert found.labelled.sum(axis=0).tolist() == [1, 1, 1]
        assert found.positive.sum(axis=0).tolist() == [1, 0, 1]

    def test_verdicts_of_items_that_were_not_drawn_do_not_count(self):
        found = told({"i0": "yes", "i3": "yes"}, ["i0"])
        assert found.labelled.sum() == 1

    def test_items_of_another_design_are_refused(self):
        with pytest.raises(StratawatchError, match="1 drawn items are not among the candidates; got 'x'"):
            told({}, ["i0", "x"])


class TestFolds:
    def test_are_balanced_inside_every_stratum(self):
        found = told({f"i{i}": "no" for i in range(30)})
        by_stratum = np.stack([found.labelled[:, :2].sum(axis=1), found.labelled[:, 2]])
        assert by_stratum.tolist() == [[4] * FOLDS, [2] * FOLDS]

    def test_follow_the_order_of_the_draw(self):
        """Stratum 1 holds i2, i5, ..., i29; the last has the smallest digest, so fold (0 + 1) mod 5."""
        assert told({"i29": "no", "i2": "no"}).labelled[:, 2].tolist() == [0, 1, 1, 0, 0]

    def test_count_answered_items_only(self):
        assert told({"i29": "unresolved", "i2": "no"}).labelled[:, 2].tolist() == [0, 1, 0, 0, 0]

    def test_start_elsewhere_in_every_stratum(self):
        """One answer a stratum: they do not all lie in the first fold."""
        assert assign_folds(np.arange(7)).tolist() == [0, 1, 2, 3, 4, 0, 1]

    def test_of_nothing_are_nothing(self):
        assert assign_folds(np.array([], dtype=np.int64)).tolist() == []


class TestSegments:
    north = Segment("region", "north")

    def test_count_items_inside_alone(self):
        known = {"i0": "yes", "i2": "yes", "i4": "no", "i5": "yes", "i7": "no"}
        inside = told(known).inside(self.north)
        assert inside.labelled.sum(axis=0).tolist() == [0, 1, 1]
        assert inside.positive.sum(axis=0).tolist() == [0, 0, 1]

    def test_keep_the_folds_of_everything(self):
        found = told({f"i{i}": "no" for i in range(30)})
        inside, outside = found.inside(self.north), found.inside(Segment("region", "south"))
        assert (inside.labelled + outside.labelled <= found.labelled).all()

    def test_an_unknown_column_is_named_with_those_that_exist(self):
        with pytest.raises(StratawatchError, match="no segment column 'country'; expected one of region"):
            told({"i0": "yes"}).inside(Segment("country", "de"))

    def test_of_counts_are_those_that_were_given(self):
        answers = LabelCounts(np.ones((FOLDS, 3)), np.zeros((FOLDS, 3)))
        found = LabelledSample(
            np.array([10, 5]), 2 * answers.labelled, answers.positive, segments={self.north: answers}
        )
        assert found.inside(self.north) is answers
