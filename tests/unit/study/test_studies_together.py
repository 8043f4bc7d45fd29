"""Several studies as one, and the change between them."""

import pytest

from stratawatch.errors import StratawatchError
from stratawatch.study import StudyHistory, change_of_studies, pool_studies
from tests.support.study_frames import CLASSIFIERS, StudyData

STUDY_DATA = StudyData()


def study(**facts):
    made = STUDY_DATA.study(**({"budget": 300} | facts))
    STUDY_DATA.answer(made)
    return made


@pytest.fixture(scope="module")
def first():
    return study()


@pytest.fixture(scope="module")
def second(first):
    """The same items again a week later: labels are used again, and there are 100 more."""
    return study(budget=100, history=StudyHistory.from_json(first.history().to_json()))


class TestPoolStudies:
    def test_of_one_study_are_its_estimates(self, first):
        for one, alone in zip(pool_studies([first]), first.estimates(), strict=True):
            assert (one.classifier, one.metric, one.segment) == (alone.classifier, alone.metric, alone.segment)
            assert (one.value, one.low, one.high) == pytest.approx((alone.value, alone.low, alone.high))

    def test_of_the_same_labels_know_no_more_than_one(self, first):
        """Twice the study is twice its totals, and the same labels."""
        one, twice = (pool_studies([first] * times).of("lr", "precision") for times in (1, 2))
        assert twice.value == pytest.approx(one.value)
        assert twice.half_width == pytest.approx(one.half_width, rel=0.1)

    def test_a_study_without_a_label_is_a_gap(self, first):
        silent = STUDY_DATA.study(budget=300)
        silent.tell(dict.fromkeys(silent.ask()))
        for one, alone in zip(pool_studies([first, silent]), pool_studies([first]), strict=True):
            assert (one.value, one.low, one.high) == (alone.value, alone.low, alone.high)
        with pytest.raises(StratawatchError, match="no study with labels"):
            pool_studies([silent])

    def test_of_other_seeds_know_more(self, first):
        other = study(seed=12345)
        both, one = pool_studies([first, other]).of("lr", "precision"), pool_studies([first]).of("lr", "precision")
        assert both.half_width == pytest.approx(one.half_width / 2**0.5, rel=0.2)

    def test_do_not_mind_the_order_of_classifiers(self, first):
        swapped = study(classifiers={name: CLASSIFIERS[name] for name in reversed(CLASSIFIERS)})
        one = pool_studies([swapped, first]).of("lr", "recall")
        two = pool_studies([first, swapped]).of("lr", "recall")
        assert (one.value, one.low, one.high) == pytest.approx((two.value, two.low, two.high))

    def test_segments_may_be_known_to_some(self, first):
        rows = pool_studies([study(segments=["region"]), first])
        segment = next(row.segment for row in rows if row.segment)
        assert rows.of("lr", "precision", segment).labels_used < rows.of("lr", "precision").labels_used

    @pytest.mark.parametrize(
        ("studies", "words"),
        [
            ([], "there is no study"),
            ([{}, {"classifiers": dict([next(iter(CLASSIFIERS.items()))])}], "studies of other classifiers"),
            ([{}, {"design": "srs"}], "the labels of a study cannot be counted together"),
        ],
    )
    def test_refuse_what_cannot_be_one(self, studies, words):
        with pytest.raises(StratawatchError, match=words):
            pool_studies([study(**facts) for facts in studies])


class TestChangeOfStudies:
    def test_is_the_difference_and_shared_labels_do_not_widen_it(self, first, second):
        found = change_of_studies([first], [second]).of("lr", "recall")
        was, now = (one.estimates().of("lr", "recall") for one in (first, second))
        assert found.value == pytest.approx(now.value - was.value)
        assert found.low < found.value < found.high
        assert found.half_width < max(was.half_width, now.half_width)

    def test_needs_both(self, first):
        with pytest.raises(StratawatchError, match="from some studies to others"):
            change_of_studies([], [first])
