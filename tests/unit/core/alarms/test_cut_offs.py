import numpy as np
import pytest

from stratawatch.core.alarms.cut_offs import (
    MOST_CUT_OFFS,
    CutOffChoice,
    LimitLine,
    ScoredWindow,
    choose_cut_off,
    directions,
)
from stratawatch.core.alarms.moved import LabelledWindow, ValueInterval
from stratawatch.core.designs.frozen import FrozenDesign
from stratawatch.core.estimate import Undefined
from stratawatch.core.metrics import METRICS
from stratawatch.core.population import Atom, Candidates
from stratawatch.core.score_bins import own_bins_of
from stratawatch.core.verdicts import VerdictsByItem
from stratawatch.errors import StratawatchError

# Items by score: how many there are, and how many of them are positive. At .5 and above they are called.
SCORES = {
    0.93: (100, 98),
    0.82: (100, 90),
    0.71: (100, 70),
    0.62: (100, 62),
    0.53: (100, 40),
    0.4: (200, 30),
    0.1: (700, 7),
}
IN_USE = 0.5


def scored_window(scores=SCORES, unlabelled=()) -> ScoredWindow:
    """Every item is in the pool and drawn; items of the `unlabelled` scores have no answer."""
    rows = [(score, n < yes) for score, (items, yes) in scores.items() for n in range(items)]
    called = np.array([score >= IN_USE for score, _ in rows])
    atoms = tuple(
        Atom(pattern, 0, 1023, int(is_in.sum()), 0.5, {}, stratum)
        for stratum, (pattern, is_in) in enumerate([("1", called), ("0", ~called)])
        if is_in.any()
    )
    items = tuple(f"i{number}" for number in range(len(rows)))
    homes = np.where(called, 0, len(atoms) - 1)
    candidates = Candidates(items, homes, tuple(format(number, "032x") for number in range(len(rows))))
    verdicts = {
        item: "yes" if yes else "no" for item, (score, yes) in zip(items, rows, strict=True) if score not in unlabelled
    }
    bins = own_bins_of([score for score, _ in rows])
    labelled = LabelledWindow(FrozenDesign(("a",), atoms, candidates), VerdictsByItem(verdicts), items)
    return ScoredWindow(labelled, dict(zip(items, bins.tolist(), strict=True)))


def choice(limit: LimitLine, *windows: ScoredWindow, in_use: float | None = IN_USE) -> CutOffChoice:
    found = choose_cut_off(windows or [scored_window()], "a", limit, in_use=in_use)
    assert isinstance(found, CutOffChoice)
    return found


class TestHigher:
    def test_wholly_labelled_it_is_counting(self):
        """360 of 500 calls are right; above .6 it is 320 of 400, above .7 258 of 300, above
        .8 188 of 200. 397 items are positive."""
        found = choice(LimitLine("precision", 0.85))
        assert (found.in_use.precision.value, found.in_use.recall.value) == pytest.approx((360 / 500, 360 / 397))
        assert [(one.calls.value, round(one.precision.value, 3)) for one in found.others] == [
            (400, 0.8),
            (300, 0.86),
            (200, 0.94),
        ]
        assert found.suggested is not None
        assert found.suggested.calls.value == 300
        assert found.suggested.recall.value == pytest.approx(258 / 397)
        assert found.suggested.value == found.suggested.precision
        assert 0.62 < found.suggested.score <= 0.71

    def test_with_every_label_nothing_is_uncertain(self):
        for one in choice(LimitLine("precision", 0.85)).others:
            assert one.precision.half_width == pytest.approx(0, abs=1e-6)

    def test_the_cut_off_in_use_may_hold_the_limit_itself(self):
        found = choice(LimitLine("precision", 0.7))
        assert found.suggested == found.in_use
        assert found.in_use.score is None

    def test_nothing_is_suggested_where_nothing_holds(self):
        assert choice(LimitLine("precision", 0.99)).suggested is None

    def test_windows_are_added_up_and_calls_are_those_of_one(self):
        found = choice(LimitLine("precision", 0.85), scored_window(), scored_window())
        assert found.in_use.calls.value == 500
        assert found.suggested.calls.value == 300

    def test_an_unknown_cut_off_is_found_by_volume(self):
        assert choice(LimitLine("precision", 0.85), in_use=None) == choice(LimitLine("precision", 0.85))


class TestLower:
    def test_recall_is_mended_by_calling_more(self):
        """360 of 397 are found; from .4 on 390 are."""
        found = choice(LimitLine("recall", 0.95))
        assert [one.calls.value for one in found.others] == [700]
        assert found.suggested.recall.value == pytest.approx(390 / 397)
        assert found.suggested.score <= 0.4

    def test_the_nearest_that_holds_is_suggested_not_the_lowest(self):
        assert choice(LimitLine("recall", 0.9)).suggested.score is None

    def test_a_ceiling(self):
        """37 of 900 items that are not called are positive; from .4 on 7 of 700."""
        found = choice(LimitLine("false_omission_rate", 0.02, is_floor=False))
        assert found.in_use.value.value == pytest.approx(37 / 900)
        assert found.suggested.value.value == pytest.approx(7 / 700)


class TestVolume:
    def test_the_pool_tells_it_with_an_interval(self):
        """Half of the items are in the pool; 400 of 500 calls are above .6, of the pool's 250 they are 200."""
        whole = scored_window()
        rows = np.arange(0, len(whole.labelled.design.candidates), 2)
        pool = whole.labelled.design.candidates
        half = Candidates(
            tuple(pool.items[row] for row in rows.tolist()),
            pool.atoms[rows],
            tuple(pool.digests[row] for row in rows.tolist()),
        )
        ledger = VerdictsByItem({item: whole.labelled.ledger.verdicts[item] for item in half.items})
        design = FrozenDesign(("a",), whole.labelled.design.atoms, half)
        found = choice(
            LimitLine("precision", 0.85), ScoredWindow(LabelledWindow(design, ledger, half.items), whole.bins)
        )
        assert found.in_use.calls == ValueInterval(500, 500, 500)
        assert found.others[0].calls.value == pytest.approx(400)
        assert found.others[0].calls.half_width == pytest.approx(1.96 * (500 * 250 * 0.2 * 0.8 / 250) ** 0.5, rel=0.02)

    def test_items_that_nobody_scored_are_never_called(self):
        window = scored_window()
        bins = {item: bin_ for item, bin_ in window.bins.items() if bin_ != own_bins_of([0.93])[0]}
        found = choice(LimitLine("precision", 0.85), ScoredWindow(window.labelled, bins))
        assert [one.calls.value for one in found.others] == [300, 200]


class TestDirections:
    def test_every_metric_that_depends_on_calls_has_one(self):
        told = {name: directions(metric) for name, metric in METRICS.items() if metric.depends_on_calls}
        assert told == {
            "precision": (True, False),
            "recall": (False, True),
            "false_omission_rate": (False, True),
            "f1": (True, True),
            "accuracy": (True, True),
            "specificity": (True, False),
            "negative_predictive_value": (False, True),
        }

    @pytest.mark.parametrize("metric", ["precision", "recall", "f1"])
    def test_at_most_eight(self, metric):
        scores = {round(float(score), 3): (20, 10) for score in np.linspace(0.01, 0.99, 50)}
        found = choice(LimitLine(metric, 0.9), scored_window(scores))
        assert len(found.others) + 1 <= MOST_CUT_OFFS
        assert len({one.calls.value for one in found.others}) == len(found.others)


class TestFewLabels:
    def test_a_cut_off_without_labels_is_left_out(self):
        found = choice(LimitLine("precision", 0.85), scored_window(unlabelled=(0.93, 0.82)))
        assert [one.calls.value for one in found.others] == [400, 300]

    def test_all_right_leaves_room_for_a_mistake(self):
        """20 labels of 100 calls, all of them right: precision is 1, and may well be .9."""
        window = scored_window({0.7: (100, 100), 0.2: (300, 0)})
        kept = {
            item: verdict for n, (item, verdict) in enumerate(window.labelled.ledger.verdicts.items()) if n % 5 == 0
        }
        labelled = LabelledWindow(window.labelled.design, VerdictsByItem(kept), tuple(kept))
        found = choice(LimitLine("precision", 0.85), ScoredWindow(labelled, window.bins))
        assert found.in_use.precision.value == 1
        assert 0.7 < found.in_use.precision.low < 0.95

    def test_no_call_and_no_label_are_reasons(self):
        nothing = scored_window({0.2: (10, 1)})
        assert choose_cut_off([nothing], "a", LimitLine("recall", 0.5)) == Undefined("'a' called nothing positive")
        unanswered = scored_window({0.7: (10, 9), 0.2: (10, 1)}, unlabelled=(0.7,))
        found = choose_cut_off([unanswered], "a", LimitLine("recall", 0.5))
        assert found == Undefined("too few labels among the calls of 'a'")

    def test_no_cut_off_changes_the_prevalence(self):
        found = choose_cut_off([scored_window()], "a", LimitLine("prevalence", 0.5, is_floor=False))
        assert found == Undefined("no cut-off changes prevalence")

    @pytest.mark.parametrize("number", [0, 5])
    def test_one_to_four_windows(self, number):
        with pytest.raises(StratawatchError, match="1 to 4 windows"):
            choose_cut_off([scored_window()] * number, "a", LimitLine("precision", 0.9))
