"""Known answers: what labels of items say, computed again from the items themselves."""

import numpy as np
import pytest

from stratawatch.core.cells import Cells
from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.core.estimation.wilson import wilson_interval
from stratawatch.core.labelled_sample import FOLDS, LabelledSample
from stratawatch.core.population import Census
from stratawatch.errors import StratawatchError
from stratawatch.literature.tripathi.false_omission import false_omission_rate
from stratawatch.literature.tripathi.recycled_estimates import RecycledEstimates
from stratawatch.literature.tripathi.recycling_options import RecyclingOptions
from stratawatch.literature.tripathi.sequences import ClassifierSequences
from tests.support.tripathi_cycle import NAMES, design_of, drawn, estimates_of, pattern_of, survey

ALONE = Census(("a",), ("0", "0", "1"), np.array([200, 400, 900]), np.array([50_000, 9_000, 40_000]))


def labels(design, share=3) -> dict[str, str]:
    """Every third item or so is a yes, whoever looks at it."""
    return {item: "yes" if int(item[1:]) * 7919 % 10 < share else "no" for item in drawn(design)}


def sequence_of(design, place) -> list[str]:
    """The items of a classifier's sequence, with repeats, found by sorting the pools by hand."""
    sequences = ClassifierSequences(design.cells, design.survey, RecyclingOptions(**design.survey.options))
    draw, numbered = sequences.draw, []
    rows = sorted(range(len(design.candidates)), key=lambda row: design.candidates.digests[row])
    for pattern, total in zip(draw.patterns.names, draw.totals.tolist(), strict=True):
        mine = [row for row in rows if design.atoms[int(design.candidates.atoms[row])].pattern[:3] == pattern]
        numbered += [design.candidates.items[row] for row in mine[:total]]
    return [numbered[number] for number in draw.items_of(place).tolist()]


@pytest.mark.parametrize("parent", ["", "b"])
def test_precision_is_the_share_of_yes_in_the_sequence_repeats_counted(parent):
    design = design_of(survey(500, parent=parent))
    says = labels(design)
    found = estimates_of(design, says)
    for place, name in enumerate(NAMES):
        sequence = sequence_of(design, place)
        assert all(pattern_of(design, item)[place] == "1" for item in sequence)
        assert found[name, "precision"].result.value == pytest.approx(
            np.mean([says[item] == "yes" for item in sequence])
        )
        assert found[name, "precision"].labels_used == len(set(sequence)) < len(sequence)


def test_a_single_classifier_is_a_plain_sample_with_wilsons_interval():
    design = design_of(survey(400), ALONE)
    says = labels(design)
    called = [item for item in says if pattern_of(design, item) == "1"]
    yes = sum(says[item] == "yes" for item in called)
    one = estimates_of(design, says)["a", "precision"].result
    assert len(called) == 200  # no item of 40,000 came twice
    low, high = wilson_interval(np.array(yes / 200), np.array(200), 0.95)
    assert (one.value, one.low, one.high, one.n_eff) == pytest.approx((yes / 200, float(low), float(high), 200))


def test_the_parents_false_omission_rate_is_the_stratified_share():
    design = design_of(survey(400), ALONE)
    says = labels(design)
    strata = sorted({atom.stratum for atom in design.atoms if atom.pattern == "0"})
    homes = {item: design.atoms[int(design.candidates.atoms[int(item[1:])])].stratum for item in says}
    mine = [[says[item] == "yes" for item in says if homes[item] == stratum] for stratum in strata]
    sizes = np.array([sum(atom.size for atom in design.atoms if atom.stratum == stratum) for stratum in strata])
    expected = false_omission_rate(
        sizes, np.array([len(each) for each in mine]), np.array([sum(each) for each in mine])
    )
    one = estimates_of(design, says)["a", "false_omission_rate"]
    assert one.result == expected
    assert one.labels_used == 200


def test_recall_and_false_omission_follow_from_totals():
    design = design_of(survey(600, parent="a"))
    found = estimates_of(design, labels(design))
    cells = design.cells
    called, passed = cells.sizes @ cells.positive, cells.sizes @ cells.negative
    p = [found[name, "precision"].result.value for name in NAMES]
    all_ = p[0] * called[0] + found["a", "false_omission_rate"].result.value * passed[0]
    assert found["a", "recall"].result.value == pytest.approx(p[0] * called[0] / all_)
    # b and c judged items that a did not.
    for name in "bc":
        for metric in ("recall", "false_omission_rate"):
            assert found[name, metric].result == Undefined("60 items were judged by only one of it and the parent")


def test_an_item_without_an_answer_is_left_out():
    design = design_of(survey(500, parent="b"))
    says = labels(design)
    silent = set(list(says)[::4])
    found = estimates_of(design, {item: None if item in silent else word for item, word in says.items()})
    for place, name in enumerate(NAMES):
        kept = [says[item] == "yes" for item in sequence_of(design, place) if item not in silent]
        assert found[name, "precision"].result.value == pytest.approx(np.mean(kept))


def test_no_labels_are_no_information():
    design = design_of(survey(300, parent="a"))
    found = estimates_of(design, dict.fromkeys(drawn(design)))
    assert all(isinstance(one.result, Undefined) for one in found.values())
    assert found["a", "precision"].result.reason == "no label among the 260 items it calls positive"
    assert found["a", "false_omission_rate"].result.reason.startswith("no label among the 1,155 items it calls")
    assert found["a", "recall"].result == found["a", "precision"].result
    assert found["b", "recall"].result.reason.startswith("no label among the")


def test_without_a_share_for_omissions_there_is_no_recall():
    design = design_of(survey(300, parent="a", omission_share=0.0))
    found = estimates_of(design, labels(design))
    assert isinstance(found["a", "precision"].result, IntervalEstimate)
    assert "in groups without a label" in found["a", "false_omission_rate"].result.reason
    assert "the false-omission rate of the parent is not known" in found["a", "recall"].result.reason


def test_where_every_item_has_its_answer_the_value_is_exact():
    design = design_of(survey(300, parent="b"))
    says = {item: "yes" if row % 4 else "no" for row, item in enumerate(design.candidates.items)}
    found = estimates_of(design, says)
    for place, name in enumerate(NAMES):
        calls = {item: pattern_of(design, item)[place] for item in says}
        yes = {call: sum(says[i] == "yes" for i in says if calls[i] == call) for call in "01"}
        items = {call: sum(calls[i] == call for i in says) for call in "01"}
        exact = {
            "precision": (yes["1"] / items["1"], items["1"]),
            "recall": (yes["1"] / (yes["0"] + yes["1"]), items["0"] + items["1"]),
            "false_omission_rate": (yes["0"] / items["0"], items["0"]),
        }
        for metric, (value, n) in exact.items():
            assert found[name, metric].result == IntervalEstimate(value, value, value, n)
            assert found[name, metric].method == "all items are labelled"


def test_more_labels_than_were_planned_do_no_harm():
    """An item that another version of the dice had drawn is a label of its stratum, and in no sequence."""
    design = design_of(survey(300, parent="b"))
    says = labels(design)
    more = {**says, **{item: "yes" for item in design.candidates.items if pattern_of(design, item) == "1111"}}
    one, other = estimates_of(design, says)["b", "precision"], estimates_of(design, more)["b", "precision"]
    assert other.labels_used == one.labels_used
    assert other.result.value >= one.result.value


def test_what_is_impossible_is_clipped_and_a_note_says_so():
    """b finds whatever there is; its own sample and the parent's strata need not agree on how much that is."""
    census = Census(("a", "b"), ("00", "01", "11"), np.array([300, 520, 900]), np.array([4000, 300, 700]))
    clipped = []
    for seed in "abcdefgh":
        design = design_of(survey(300, parent="a", seed=seed), census)
        says = {
            item: "yes" if pattern_of(design, item)[1] == "1" and row % 2 else "no"
            for row, item in enumerate(drawn(design))
        }
        recall = estimates_of(design, says)["b", "recall"]
        assert recall.result.low <= recall.result.value <= recall.result.high <= 1
        if "was clipped to 1" in recall.method:
            clipped.append(recall.result.value)
    assert 0 < len(clipped) < 8
    assert set(clipped) == {1.0}


def test_counts_without_items_are_refused():
    design = design_of()
    nothing = np.zeros((FOLDS, len(design.atoms)))
    sequences = ClassifierSequences(Cells.of_atoms(NAMES, design.atoms), design.survey, RecyclingOptions())
    with pytest.raises(StratawatchError, match="recycled samples are read item by item"):
        RecycledEstimates.of_labels(
            sequences, LabelledSample(np.zeros(design.cells.stratum_count, dtype=np.int64), nothing, nothing), 0.95
        )
