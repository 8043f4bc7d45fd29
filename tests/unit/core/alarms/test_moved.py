import numpy as np
import pytest

from stratawatch.core.alarms.moved import LabelledWindow, MetricChange, SegmentChange, what_moved
from stratawatch.core.designs.frozen import FrozenDesign
from stratawatch.core.estimate import Undefined
from stratawatch.core.population import Atom, Candidates, Segment
from stratawatch.core.verdicts import VerdictsByItem
from stratawatch.errors import StratawatchError
from tests.support.labelled_population import two_classifiers

NORTH, SOUTH = Segment("region", "north"), Segment("region", "south")


def wholly_labelled(called: dict[str, tuple[int, int]], passed: int = 400) -> LabelledWindow:
    """One classifier that calls (right, wrong) items in each region, and passes others, all of which are no."""
    rows = [("1", region, "yes") for region, (right, _) in called.items() for _ in range(right)]
    rows += [("1", region, "no") for region, (_, wrong) in called.items() for _ in range(wrong)]
    rows += [("0", "north", "no")] * passed
    atoms = []
    for stratum, pattern in enumerate("10"):
        inside = [region for letter, region, _ in rows if letter == pattern]
        sizes = {Segment("region", name): inside.count(name) for name in ("north", "south")}
        atoms.append(Atom(pattern, 0, 1023, len(inside), 0.5, sizes, stratum))
    items = tuple(f"i{number}" for number in range(len(rows)))
    candidates = Candidates(
        items,
        np.array([0 if letter == "1" else 1 for letter, _, _ in rows]),
        tuple(format(number, "032x") for number in range(len(rows))),
        {"region": tuple(region for _, region, _ in rows)},
    )
    verdicts = {item: verdict for item, (_, _, verdict) in zip(items, rows, strict=True)}
    return LabelledWindow(FrozenDesign(("a",), tuple(atoms), candidates), VerdictsByItem(verdicts), items)


def part_of(change: MetricChange, kind: str, segment: Segment) -> float:
    return next((p.change.value for p in change.parts if (p.kind, p.domain.segment) == (kind, segment)), 0.0)


@pytest.fixture(scope="module")
def windows():
    made = []
    for seed in (1, 2, 3, 4):
        population = two_classifiers(seed=seed)
        ledger, drawn = population.labelled()
        made.append(LabelledWindow(population.design, ledger, drawn))
    return made


class TestWhollyLabelled:
    def test_the_parts_are_those_of_the_counts(self):
        """Of 200 calls 180 are right, then 140: all of it in the north, and certain, since every item has a label."""
        before = wholly_labelled({"north": (90, 10), "south": (90, 10)})
        after = wholly_labelled({"north": (50, 50), "south": (90, 10)})
        found = what_moved([before], [after], "a", "precision", (NORTH, SOUTH))
        assert found.before.value == pytest.approx(0.9)
        assert found.change.value == pytest.approx(-0.2)
        assert part_of(found, "rate", NORTH) == pytest.approx(-0.2)
        assert part_of(found, "rate", SOUTH) == pytest.approx(0, abs=1e-9)
        assert found.named_segments == {NORTH}
        north, south = found.segments
        assert (north.before.value, north.after.value) == pytest.approx((0.9, 0.5))
        assert south.change.value == pytest.approx(0)

    def test_more_of_a_bad_region_is_mix(self):
        before = wholly_labelled({"north": (90, 10), "south": (50, 50)}, passed=400)
        after = wholly_labelled({"north": (90, 10), "south": (150, 150)}, passed=200)
        found = what_moved([before], [after], "a", "precision", (NORTH, SOUTH))
        assert found.change.value == pytest.approx(0.6 - 0.7)
        assert part_of(found, "mix", SOUTH) == pytest.approx(-0.1)
        assert part_of(found, "rate", SOUTH) == pytest.approx(0, abs=1e-9)

    def test_several_windows_are_added_up(self):
        """90 and 70 of 100 calls each are 160 of 200."""
        windows = [wholly_labelled({"north": (right, 100 - right)}) for right in (90, 70)]
        after = wholly_labelled({"north": (60, 40)})
        found = what_moved(windows, [after], "a", "precision", (NORTH,))
        assert found.before.value == pytest.approx(0.8)
        assert found.change.value == pytest.approx(-0.2)


class TestSampled:
    @pytest.mark.parametrize("metric", ["precision", "recall", "false_omission_rate", "f1", "accuracy"])
    def test_parts_by_segment_and_by_side_sum_to_the_change(self, windows, metric):
        found = what_moved(windows[:2], windows[2:], "a", metric, (NORTH, SOUTH))
        by_side = sum(part.change.value for part in found.parts if part.domain.side is not None)
        by_region = sum(part.change.value for part in found.parts if part.domain.column == "region")
        assert by_side == pytest.approx(found.change.value, abs=1e-9)
        assert by_region == pytest.approx(found.change.value, abs=1e-9)

    def test_a_window_against_itself_has_not_moved(self, windows):
        found = what_moved(windows[:1], windows[:1], "b", "precision", (NORTH, SOUTH))
        assert found.change.value == 0
        assert not found.named

    def test_what_stands_first_explains_most_of_the_change(self, windows):
        found = what_moved(windows[:1], windows[1:2], "a", "precision", (NORTH, SOUTH))
        towards = [part.z * np.sign(found.change.value) for part in found.parts]
        assert towards == sorted(towards, reverse=True)

    def test_the_estimates_are_those_of_the_window(self, windows):
        found = what_moved(windows[:1], windows[1:2], "a", "recall", (NORTH,))
        for side, window in ((found.before, windows[0]), (found.after, windows[1])):
            (estimate,) = [
                one
                for one in window.design.estimate(window.ledger, window.drawn, metrics=["recall"])
                if one.classifier == "a"
            ]
            assert side.value == pytest.approx(estimate.result.value)
            assert side.low == pytest.approx(estimate.result.low, abs=0.06)
            assert side.high == pytest.approx(estimate.result.high, abs=0.06)

    def test_a_small_part_is_not_named_however_certain(self, windows):
        """Mix is counted, so that hardly any of it is an error; a tenth of a point is no explanation."""
        found = what_moved(windows[:1], windows[1:2], "a", "recall", (NORTH, SOUTH))
        small = [part for part in found.parts if abs(part.change.value) < 0.1 * abs(found.change.value)]
        assert any(part.change.excludes_zero for part in small)
        assert not any(part.is_named for part in small)

    def test_labels_inside_segments_are_counted(self, windows):
        found = what_moved(windows[:1], windows[1:2], "a", "precision", (NORTH, SOUTH))
        assert all(isinstance(one, SegmentChange) for one in found.segments)
        assert sum(one.labels for one in found.segments) == sum(len(one.ledger.verdicts) for one in windows[:2])


class TestRefusals:
    def test_nothing_called_is_undefined(self):
        nothing = wholly_labelled({"north": (0, 0)})
        something = wholly_labelled({"north": (5, 5)})
        found = what_moved([something], [nothing], "a", "precision", (NORTH,))
        assert found == Undefined("precision of 'a' is a share of nothing, before or after")

    @pytest.mark.parametrize("number", [0, 5])
    def test_one_to_four_windows(self, number):
        window = wholly_labelled({"north": (5, 5)})
        with pytest.raises(StratawatchError, match="1 to 4 windows"):
            what_moved([window] * number, [window], "a", "precision")
