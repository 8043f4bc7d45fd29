"""Worst-case bounds: by hand, and against every way in which missing answers could have come out."""

from itertools import product

import numpy as np
import pytest

from stratawatch.core.designs.frozen import FrozenDesign
from stratawatch.core.designs.missing_bounds import MissingBounds, blind_reason, missing_bounds
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.estimation.missing_answers import MissingLean
from stratawatch.core.goals import SurveySpec
from stratawatch.core.metrics import METRICS
from stratawatch.core.population import Atom, Candidates, Segment
from stratawatch.core.verdicts import VerdictsByItem

NORTH = Segment("region", "north")
LEAN = MissingLean("answers are missing more often where the score is high", 0.001)


def drawn_by_hand() -> tuple[FrozenDesign, VerdictsByItem, list[str]]:
    """4 of 40 items called positive, and 5 of 1000 called negative; one answer of each is missing."""
    atoms = (Atom("1", 900, 999, 40, 0.9, stratum=0), Atom("0", 0, 99, 1000, 0.1, stratum=1))
    items = tuple(f"a{i}" for i in range(4)) + tuple(f"b{i}" for i in range(5))
    places = np.array([0] * 4 + [1] * 5)
    candidates = Candidates(items, places, tuple(f"{i:032x}" for i in range(9)))
    said = dict(zip(items, ["yes", "yes", "no", "unresolved", "yes", "no", "no", "no"], strict=False))
    return FrozenDesign(("lr",), atoms, candidates), VerdictsByItem(said), list(items)


def mixed(design: str) -> tuple[FrozenDesign, VerdictsByItem, list[str], list[str]]:
    """Two classifiers, strata that mix their patterns, and six missing answers."""
    rng = np.random.default_rng(11)
    patterns, sizes = ("11", "10", "01", "00", "00"), (60, 50, 40, 300, 900)
    atoms = tuple(
        Atom(pattern, 800 - 150 * i, 849 - 150 * i, size, 0.8 - 0.15 * i, {NORTH: size // 3}, stratum)
        for i, (pattern, size, stratum) in enumerate(
            zip(patterns, sizes, (0, 0, 1, 1, 2) if design == "joint" else (0,) * 5, strict=True)
        )
    )
    places = np.repeat(np.arange(5), (14, 10, 9, 16, 30))
    items = [f"i{i}" for i in range(len(places))]
    regions = tuple("north" if rng.random() < 0.4 else None for _ in items)
    said = {
        item: "yes" if rng.random() < 0.9 - 0.2 * place else "no" for item, place in zip(items, places, strict=True)
    }
    missing = items[3:36:6]
    for item in missing:
        del said[item]
    candidates = Candidates(tuple(items), places, tuple(f"{i:032x}" for i in range(len(items))), {"region": regions})
    survey = SurveySpec(design=design, budget=len(items))
    return FrozenDesign(("lr", "vote"), atoms, candidates, survey), VerdictsByItem(said), items, missing


def test_bounds_by_hand() -> None:
    design, ledger, drawn = drawn_by_hand()
    found = design.estimate(ledger, drawn, metrics=["precision", "recall", "false_omission_rate"])
    precision, recall, for_ = missing_bounds(design, ledger, drawn, found)
    # Each answer stands for 10 items called positive, or for 200 called negative.
    assert (precision.lowest, precision.highest) == pytest.approx((0.5, 0.75))
    assert (for_.lowest, for_.highest) == pytest.approx((0.2, 0.4))
    assert (recall.lowest, recall.highest) == pytest.approx((20 / 420, 30 / 230))
    assert (precision.missing, precision.drawn, recall.missing, recall.drawn) == (1, 4, 2, 9)


@pytest.mark.parametrize("design", ["joint", "srs"])
def test_bounds_are_the_worst_of_all_ways(design: str) -> None:
    frozen, ledger, drawn, missing = mixed(design)
    asked = {"metrics": list(METRICS), "segments": [NORTH]}
    found = frozen.estimate(ledger, drawn, **asked)
    bounds = missing_bounds(frozen, ledger, drawn, found)
    ways = [
        frozen.estimate(ledger, drawn, **asked, assumed=dict(zip(missing, said, strict=True)))
        for said in product(("yes", "no"), repeat=len(missing))
    ]
    assert len(ways) == 2**6
    for place, (one, around) in enumerate(zip(found, bounds, strict=True)):
        outcomes = [way[place].result for way in ways]
        if around is None:
            assert one.segment == NORTH or isinstance(one.result, Undefined)
            continue
        assert around.lowest == pytest.approx(min(o.value for o in outcomes), abs=1e-12)
        assert around.highest == pytest.approx(max(o.value for o in outcomes), abs=1e-12)
        assert around.low <= min(o.low for o in outcomes) + 1e-12
        assert around.high >= max(o.high for o in outcomes) - 1e-12
    assert sum(around is not None for around in bounds) >= 2 * len(METRICS)


def test_models_do_not_learn_from_assumed_answers() -> None:
    """Each answer weighs the same whatever the others say: else four ways would not hold the worst."""
    frozen, ledger, drawn, missing = mixed("joint")

    def positives(said: str, others: str) -> float:
        assumed = dict.fromkeys(missing, others) | {missing[0]: said}
        return frozen.estimate(ledger, drawn, metrics=["prevalence"], assumed=assumed)[0].result.value

    steps = [positives("yes", others) - positives("no", others) for others in ("yes", "no")]
    assert steps[0] == pytest.approx(steps[1], abs=1e-12)
    assert steps[0] > 0


def test_no_bounds_where_every_answer_came() -> None:
    design, ledger, drawn = drawn_by_hand()
    full = VerdictsByItem({**ledger.verdicts, "a3": "no", "b4": "no"})
    found = design.estimate(full, drawn)
    assert missing_bounds(design, full, drawn, found) == (None, None, None)
    part = VerdictsByItem({**full.verdicts, "b4": "unresolved"})
    precision, recall, for_ = missing_bounds(design, part, drawn, design.estimate(part, drawn))
    assert precision is None
    assert recall is not None
    assert for_ is not None


def test_a_metric_without_a_value_has_no_bounds() -> None:
    design, _, drawn = drawn_by_hand()
    nothing = VerdictsByItem({})
    found = [Estimate("lr", "precision", None, Undefined("no labels"), 0, "", 0.95)]
    assert missing_bounds(design, nothing, drawn, found) == (None,)


def test_blind_only_where_missing_answers_lean_and_matter() -> None:
    interval = IntervalEstimate(0.8, 0.75, 0.85, 100)
    far, near = MissingBounds(0.5, 0.9, 0.45, 0.95, 20, 50), MissingBounds(0.79, 0.81, 0.74, 0.86, 1, 50)
    assert far.share_of_span(interval) == pytest.approx(0.8)
    assert "20 of 50 that are missing here it may be 45.0% to 95.0%" in blind_reason(far, interval, LEAN)
    assert blind_reason(far, interval, None) == blind_reason(near, interval, LEAN) == ""
    assert blind_reason(None, interval, LEAN) == ""


def test_blind_where_most_answers_are_missing_though_they_lean_on_nothing() -> None:
    interval = IntervalEstimate(0.8, 0.75, 0.85, 100)
    half, most = (MissingBounds(0.2, 0.9, 0.15, 0.95, missing, 50) for missing in (25, 26))
    assert blind_reason(half, interval, None) == ""
    assert blind_reason(most, interval, None).startswith("most answers are missing; with the 26 of 50")
