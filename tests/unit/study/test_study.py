"""The whole face: asking, telling, reading."""

import numpy as np
import pandas as pd
import pytest

from stratawatch.core.goals import Goal
from stratawatch.core.metrics import METRICS
from stratawatch.errors import PlanImpossible, StratawatchError
from stratawatch.study import Study
from tests.support.study_frames import CLASSIFIERS, FRAMES, StudyData

STUDY_DATA = StudyData()


@pytest.fixture
def study() -> Study:
    return STUDY_DATA.study(budget=120)


class TestAsking:
    def test_a_budget_is_spent_in_two_rounds_and_not_a_label_more(self, study):
        batches = STUDY_DATA.answer(study)
        assert [len(batch) for batch in batches] == [48, 72]
        assert len({item for batch in batches for item in batch}) == 120 == study.labels_new
        assert study.done

    def test_a_small_budget_is_one_round(self):
        assert [len(batch) for batch in STUDY_DATA.answer(STUDY_DATA.study(budget=39))] == [39]

    def test_without_a_budget_goals_decide(self):
        study = STUDY_DATA.study(goals=[Goal("precision", 0.08), Goal("recall", 0.1)])
        batches = STUDY_DATA.answer(study)
        assert 1 <= len(batches) <= 3
        for row in study.estimates(["precision", "recall"]):
            assert row.half_width < 1.2 * row.margin

    def test_asking_again_gives_the_same_open_items(self, study):
        batch = study.ask()
        assert study.ask() == batch
        study.tell(dict.fromkeys(batch[:20], True))
        assert study.ask() == batch[20:]

    def test_nothing_is_asked_when_it_is_done(self, study):
        STUDY_DATA.answer(study)
        assert study.ask() == [] == study.ask()

    def test_the_order_reveals_neither_stratum_nor_random_number(self, study):
        batch = study.ask()
        scores = dict(zip(STUDY_DATA.columns["item_id"], STUDY_DATA.columns["score_lr"], strict=True))
        assert abs(np.corrcoef(np.arange(len(batch)), [scores[item] for item in batch])[0, 1]) < 0.35
        heads = dict(zip(STUDY_DATA.columns["item_id"], study._population.items.prefixes.tolist(), strict=True))
        assert abs(np.corrcoef(np.arange(len(batch)), [heads[item] for item in batch])[0, 1]) < 0.35

    def test_the_seed_decides_and_may_be_a_number_or_text(self):
        first, second, other = (STUDY_DATA.study(budget=60, seed=seed).ask() for seed in (7, "7", 8))
        assert first == second
        assert set(first) != set(other)

    @pytest.mark.parametrize("kind", FRAMES)
    def test_every_kind_of_frame_asks_the_same(self, study, kind):
        assert STUDY_DATA.study(frame=STUDY_DATA.frame(kind), budget=120).ask() == study.ask()

    def test_whole_numbers_come_back_as_whole_numbers(self):
        study = STUDY_DATA.study(frame=STUDY_DATA.frame(item_id=list(range(4000))), budget=60)
        batch = study.ask()
        assert all(type(item) is int for item in batch)
        study.tell({np.int64(item): True for item in batch})
        assert study.ask()

    def test_items_that_nobody_judged_are_not_asked(self):
        calls = pd.Series(STUDY_DATA.columns["pred_lr"], dtype=object)
        calls[:2000] = None
        votes = pd.Series(STUDY_DATA.columns["pred_vote"], dtype=object)
        votes[:2000] = None
        study = STUDY_DATA.study(frame=STUDY_DATA.frame(pred_lr=calls, pred_vote=votes), budget=120)
        asked = [item for batch in STUDY_DATA.answer(study) for item in batch]
        assert min(int(item[1:]) for item in asked) >= 2000


class TestTelling:
    def test_none_is_an_answer_and_is_not_asked_again(self, study):
        batch = study.ask()
        study.tell(dict.fromkeys(batch[:10]))
        assert study.ask() == batch[10:]
        study.tell({item: STUDY_DATA.truth(item) for item in batch[10:]})
        assert not set(study.ask()) & set(batch)
        assert study.estimates().of("lr", "recall").labels_used == 38

    def test_the_same_again_is_no_trouble(self, study):
        batch = study.ask()
        for _ in range(2):
            study.tell(dict.fromkeys(batch, True))

    def test_a_series_does_as_well(self, study):
        batch = study.ask()
        study.tell(pd.Series([np.True_] * len(batch), index=batch))
        assert not set(study.ask()) & set(batch)

    def test_a_frame_of_what_was_answered_so_far(self, study):
        batch = study.ask()
        labels = ["Yes", "0", 1.0, "skip", None, *["false"] * (len(batch) - 5)]
        study.tell(pd.DataFrame({"label": labels, "item_id": batch}))
        assert study.ask() == [batch[4]]
        assert [study._progress.labels[item] for item in batch[:4]] == ["yes", "no", "yes", "unresolved"]

    def test_an_item_that_comes_twice_with_different_labels(self, study):
        batch = study.ask()
        with pytest.raises(StratawatchError, match="comes twice with different labels; expected True; got False"):
            study.tell(pd.Series(["yes", "no"], index=[batch[0], batch[0]]))
        assert study.ask() == batch

    def test_all_or_nothing(self, study):
        batch = study.ask()
        with pytest.raises(StratawatchError):
            study.tell({batch[0]: True, batch[1]: "maybe"})
        assert study.ask() == batch

    def test_an_unknown_item(self, study):
        study.ask()
        with pytest.raises(StratawatchError, match=r"item 'nobody' is unknown; expected an item of the last ask\(\)$"):
            study.tell({"nobody": True})

    def test_an_item_that_was_not_asked(self, study):
        asked = set(study.ask())
        other = next(item for item in STUDY_DATA.columns["item_id"] if item not in asked)
        with pytest.raises(
            StratawatchError, match=rf"item '{other}' was not asked about; expected an item of the last"
        ):
            study.tell({other: True})

    def test_anything_before_asking(self, study):
        with pytest.raises(StratawatchError, match="item 'i0' was not asked about"):
            study.tell({"i0": True})

    def test_another_value_for_the_same_item(self, study):
        item = study.ask()[0]
        study.tell({item: True})
        with pytest.raises(StratawatchError, match=rf"item '{item}' is labelled already; expected True; got False"):
            study.tell({item: False})
        assert study._progress.labels[item] == "yes"

    def test_unless_it_is_said_to_be_a_correction(self, study):
        item = study.ask()[0]
        study.tell({item: True})
        study.tell({item: False}, correct=True)
        assert study._progress.labels[item] == "no"


class TestEstimates:
    def test_before_any_label_everything_is_undefined_with_a_reason(self, study):
        for row in study.estimates():
            assert (row.state, row.value, row.labels_used) == ("undefined", None, 0)
            assert row.reason

    def test_three_metrics_of_every_classifier(self, study):
        STUDY_DATA.answer(study)
        found = [(row.classifier, row.metric, row.segment) for row in study.estimates()]
        metrics = ("precision", "recall", "false_omission_rate")
        assert found == [(name, metric, None) for name in CLASSIFIERS for metric in metrics]

    def test_all_of_them_on_request_and_inside_their_intervals(self, study):
        STUDY_DATA.answer(study)
        rows = study.estimates(metrics=list(METRICS))
        assert len(rows) == 2 * len(METRICS)
        for row in rows:
            assert 0 <= row.low <= row.value <= row.high <= 1

    def test_what_a_goal_is_for_is_told_unasked(self):
        study = STUDY_DATA.study(goals=[Goal("f1", 0.1, ["lr"]), Goal("recall", 0.2)])
        STUDY_DATA.answer(study)
        rows = study.estimates()
        assert [row.metric for row in rows] == ["precision", "recall", "false_omission_rate", "f1"] * 2
        assert rows.of("lr", "f1").state in ("held", "short")
        assert (rows.of("lr", "f1").margin, rows.of("vote", "f1").state) == (0.1, "known")
        assert {row.metric for row in study.estimates(["precision"])} == {"precision"}

    def test_one_metric_needs_no_list(self, study):
        STUDY_DATA.answer(study)
        assert [row.metric for row in study.estimates("f1")] == ["f1", "f1"]

    def test_an_unknown_metric(self, study):
        with pytest.raises(StratawatchError, match="there is no metric 'auc'; expected one of precision"):
            study.estimates(["auc"])

    def test_segments_are_reported_beside_the_whole(self):
        study = STUDY_DATA.study(budget=300, segments=["region"])
        STUDY_DATA.answer(study)
        rows = study.estimates()
        assert {row.segment for row in rows} == {None, "region=north", "region=south"}
        parts = [rows.of("lr", "precision", f"region={name}").labels_used for name in ("north", "south")]
        assert sum(parts) == rows.of("lr", "precision").labels_used

    def test_labels_of_everything_are_the_truth(self):
        study_data = StudyData(150)
        study = study_data.study(goals=[Goal("precision", 0.0001), Goal("recall", 0.0001)])
        study_data.answer(study)
        calls = study_data.columns["pred_lr"]
        row = study.estimates().of("lr", "precision")
        assert study.labels_new == 150
        assert (row.value, row.low, row.high) == pytest.approx([study_data.labels[calls].mean()] * 3)
        assert row.state == "held"

    def test_it_is_near_the_truth(self):
        study = STUDY_DATA.study(budget=900)
        STUDY_DATA.answer(study)
        for name, call in (("lr", "pred_lr"), ("vote", "pred_vote")):
            calls = STUDY_DATA.columns[call]
            truth = {
                "precision": STUDY_DATA.labels[calls].mean(),
                "recall": calls[STUDY_DATA.labels].mean(),
                "false_omission_rate": STUDY_DATA.labels[~calls].mean(),
            }
            for metric, value in truth.items():
                row = study.estimates().of(name, metric)
                assert row.low - 0.03 < value < row.high + 0.03


class TestCompare:
    def test_is_the_difference_of_the_two_and_narrower_than_its_parts(self):
        study = STUDY_DATA.study(budget=600)
        STUDY_DATA.answer(study)
        found, rows = study.compare("lr", "vote", "precision"), study.estimates()
        first, second = rows.of("lr", "precision"), rows.of("vote", "precision")
        assert found.classifier == "lr - vote"
        assert found.value == pytest.approx(first.value - second.value)
        assert found.low <= found.value <= found.high
        assert found.half_width < first.half_width + second.half_width
        truth = [STUDY_DATA.labels[STUDY_DATA.columns[call]].mean() for call in ("pred_lr", "pred_vote")]
        assert found.low - 0.02 < truth[0] - truth[1] < found.high + 0.02

    def test_a_classifier_does_not_differ_from_itself(self, study):
        STUDY_DATA.answer(study)
        found = study.compare("lr", "lr", "recall")
        assert (found.value, found.low, found.high, found.state) == (0, 0, 0, "known")

    def test_before_any_label_it_is_undefined(self, study):
        found = study.compare("lr", "vote", "recall")
        assert (found.value, found.state) == (None, "undefined")
        assert found.reason

    def test_an_unknown_classifier_or_metric(self, study):
        with pytest.raises(StratawatchError, match="there is no classifier 'svm'; expected one of lr, vote"):
            study.compare("lr", "svm", "recall")
        with pytest.raises(StratawatchError, match="there is no metric 'auc'"):
            study.compare("lr", "vote", "auc")


class TestAuxiliary:
    def test_a_judge_guides_the_design_and_is_never_estimated(self):
        study = STUDY_DATA.study(budget=120, auxiliary=["judge"])
        STUDY_DATA.answer(study)
        assert {row.classifier for row in study.estimates()} == set(CLASSIFIERS)
        assert {len(row.patterns[0]) for row in study.plan().strata} == {3}

    @pytest.mark.parametrize("score", [0.5, 0.2])
    def test_one_that_always_says_the_same_changes_neither_plan_nor_guess(self, score):
        frame = STUDY_DATA.frame(judge=np.full(len(STUDY_DATA.labels), score))
        helped, alone = STUDY_DATA.study(frame=frame, budget=300, auxiliary=["judge"]), STUDY_DATA.study(budget=300)
        theirs, ours = helped.plan(), alone.plan()
        strata = [[(row.stratum, row.items, row.labels) for row in plan.strata] for plan in (theirs, ours)]
        assert strata[0] == strata[1]
        assert list(theirs.expected) == list(ours.expected)
        assert helped.ask() == alone.ask()

    def test_one_that_lies_leaves_the_guess_alone(self):
        lies = STUDY_DATA.frame(judge=1 - STUDY_DATA.columns["judge"])
        found = [
            [row.guess for row in STUDY_DATA.study(budget=300, **settings).plan().expected]
            for settings in ({}, {"frame": lies, "auxiliary": ["judge"]})
        ]
        assert found[1] == pytest.approx(found[0], rel=0.02)

    def test_one_that_lies_costs_no_truth(self):
        study = STUDY_DATA.study(
            frame=STUDY_DATA.frame(judge=1 - STUDY_DATA.columns["judge"]), budget=900, auxiliary=["judge"]
        )
        STUDY_DATA.answer(study)
        row = study.estimates().of("lr", "precision")
        assert row.low - 0.03 < STUDY_DATA.labels[STUDY_DATA.columns["pred_lr"]].mean() < row.high + 0.03


class TestWrongUse:
    """What only shows when the parts meet; the sentences of each part are tested with it."""

    @pytest.mark.parametrize(
        ("settings", "sentence"),
        [
            ({"item": "id"}, "the frame has no column 'id', the items"),
            ({"segments": ["country"]}, "the frame has no column 'country', a segment"),
            ({"auxiliary": ["llm"]}, "the frame has no column 'llm', the scores of 'llm'"),
            ({"budget": 1}, "a budget of 1 is below what any interval needs"),
            ({"goals": [Goal("precision", 0)]}, "the goal for precision is impossible"),
            ({"goals": [Goal("auc", 0.1)]}, "there is no metric 'auc'"),
            ({"score_kind": "logit"}, "the score_kind of 'lr' is 'logit'"),
            (
                {"history": "{}"},
                r"the history cannot be read; expected what an earlier study's history\(\) gave; got str",
            ),
            ({"frame": [1, 2]}, "the frame cannot be read"),
        ],
    )
    def test_one_clear_sentence(self, settings, sentence):
        with pytest.raises(StratawatchError, match=sentence) as caught:
            STUDY_DATA.study(**settings)
        assert "\n" not in str(caught.value)

    def test_margins_without_their_kind(self):
        frame = STUDY_DATA.frame(score_lr=STUDY_DATA.columns["score_lr"] * 8 - 4)
        with pytest.raises(
            StratawatchError, match=r"scores of 'lr' lie outside \[0, 1\].*say score_kind={'lr': 'margin'}"
        ):
            STUDY_DATA.study(frame=frame)
        assert STUDY_DATA.study(frame=frame, score_kind={"lr": "margin"}, budget=60).ask()

    def test_a_goal_that_no_label_can_reach(self):
        frame = STUDY_DATA.frame(pred_vote=[False] * 4000)
        with pytest.raises(PlanImpossible, match=r"precision of 'vote' cannot be known to plus-minus 0.03"):
            STUDY_DATA.study(frame=frame, goals=[Goal("precision", 0.03)])
        assert STUDY_DATA.study(frame=frame, budget=60).ask()


class TestRepr:
    def test_it_says_how_far_it_is(self, study):
        assert repr(study) == "Study of lr, vote: 4,000 items, 0 asked about, not begun"
        study.ask()
        assert repr(study) == "Study of lr, vote: 4,000 items, 48 asked about, 48 items open"
        STUDY_DATA.answer(study)
        assert repr(study) == "Study of lr, vote: 4,000 items, 120 asked about, done"
