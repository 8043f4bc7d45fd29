import json
from dataclasses import replace

import numpy as np
import pytest

from stratawatch.core.history.past_labels import NO_HISTORY
from stratawatch.errors import StratawatchError
from stratawatch.study.study_columns import columns_from_arguments
from stratawatch.study.study_history import MOST_PERIODS, PastLabel, StudyHistory


def label(item="i1", period=1, pattern="10", z=0.25, verdict="yes", weight=2.5):
    return PastLabel(item, period, pattern, z, verdict, weight)


def history(*rows, auxiliary=()):
    return StudyHistory(("lr", "vote"), auxiliary, rows)


class TestStudyHistory:
    def test_the_latest_verdict_of_an_item_counts(self):
        rows = [label(period=2, verdict="no"), label(period=1), label("i2")]
        assert history(*rows).verdicts() == {"i1": "no", "i2": "yes"}

    def test_a_period_follows_the_others(self):
        longer = history(label()).followed_by([label("i2", period=2)])
        assert [row.item for row in longer.rows] == ["i1", "i2"]
        assert (longer.period, history().period) == (2, 0)

    def test_periods_that_are_too_old_are_dropped(self):
        chain = history()
        for period in range(1, MOST_PERIODS + 3):
            chain = chain.followed_by([label(f"i{period}", period)])
        assert {row.period for row in chain.rows} == set(range(3, MOST_PERIODS + 3))

    def test_periods_that_were_counted_keep_the_part_that_is_called(self):
        longer = history(label()).followed_by([label("i2", period=2)], 0.25).followed_by([label("i3", 3)], 0.5)
        assert longer.called == {2: 0.25, 3: 0.5}
        assert longer.as_history(5, [False] * 3).called == {3: 0.25, 2: 0.5}
        assert longer.followed_by([label("i4", MOST_PERIODS + 2)]).called == {3: 0.5}

    def test_a_period_without_a_label_is_none_and_not_counted(self):
        assert history(label()).followed_by([], 0.25).called == {}

    def test_as_history_of_a_later_period(self):
        rows = [label(), label("i2", period=2, z=None, verdict="no")]
        seen = history(*rows).as_history(4, [True, False])
        assert seen.ages.tolist() == [3, 2]
        assert seen.patterns == ("10", "10")
        assert seen.scores.tolist() == [0.25, pytest.approx(np.nan, nan_ok=True)]
        assert seen.positive.tolist() == [True, False]
        assert seen.weights.tolist() == [2.5, 2.5]
        assert seen.drawable.tolist() == [True, False]
        assert seen.ratios == {}

    def test_periods_with_a_long_past_say_how_well_the_model_foretold(self):
        rng = np.random.default_rng(3)
        rows = [
            label(f"{period}-{i}", period, "10" if z > 0.5 else "00", z, "yes" if rng.random() < z else "no")
            for period in (1, 2)
            for i, z in enumerate(rng.random(300).round(2).tolist())
        ]
        seen = history(*rows).as_history(3, [False] * len(rows))
        assert set(seen.ratios) == {1}
        assert 0.5 < seen.ratios[1]["recall"] < 2

    def test_without_rows_it_is_no_history(self):
        assert history().as_history(1, []) is NO_HISTORY

    def test_to_frame_has_a_row_a_label(self):
        frame = history(label(z=None)).to_frame()
        assert list(frame.columns) == ["item", "period", "pattern", "z", "verdict", "weight"]
        assert frame["z"].isna().all()


class TestJson:
    def test_there_and_back(self):
        before = history(label(), label("i2", z=None), auxiliary=("judge",))
        before = replace(before, called={1: 0.25})
        assert StudyHistory.from_json(before.to_json()) == before
        json.loads(before.to_json(), parse_constant=pytest.fail)

    def test_a_text_of_before_counted_no_calls(self):
        document = history(label()).as_document()
        del document["called"]
        assert StudyHistory.from_json(json.dumps(document)).called == {}

    @pytest.mark.parametrize(
        ("text", "what"),
        [
            ("[", "the text is not JSON"),
            (3, "the text is not JSON"),
            (None, "the text is not JSON"),
            ("{}", "something else"),
            ("[]", "something else"),
        ],
    )
    def test_other_text_is_refused(self, text, what):
        with pytest.raises(StratawatchError, match=f"{what}; expected stratawatch study history 1; got"):
            StudyHistory.from_json(text)

    @pytest.mark.parametrize("key", ["rows", "classifiers", "auxiliary"])
    def test_a_text_that_lacks_something_is_refused(self, key):
        document = history(label()).as_document()
        del document[key]
        with pytest.raises(StratawatchError) as caught:
            StudyHistory.from_json(json.dumps(document))
        assert str(caught.value) == (
            f"the text lacks '{key}'; expected a whole stratawatch study history 1; give it as to_json() wrote it"
        )

    def test_so_is_one_with_half_a_row(self):
        document = {**history(label()).as_document(), "rows": [["i1", 1]]}
        with pytest.raises(StratawatchError, match="the text is damaged; expected a whole stratawatch study history 1"):
            StudyHistory.from_json(json.dumps(document))


class TestOfPanel:
    def test_the_same_names_are_the_same_panel(self):
        panel = columns_from_arguments("id", {"lr": (None, "p"), "vote": (None, "q")}, ["judge"], [], None)
        assert history(auxiliary=("judge",)).of_panel(panel) == history(auxiliary=("judge",))

    def test_letters_follow_the_order_of_the_panel(self):
        panel = columns_from_arguments("id", {"vote": (None, "q"), "lr": (None, "p")}, ["old", "judge"], [], None)
        theirs = history(label(pattern="1-0!"), auxiliary=("judge", "old"))
        assert theirs.of_panel(panel) == StudyHistory(("vote", "lr"), ("old", "judge"), (label(pattern="-1!0"),))

    def test_a_classifier_that_became_a_helper_is_another_panel(self):
        panel = columns_from_arguments("id", {"lr": (None, "p")}, ["vote"], [], None)
        with pytest.raises(StratawatchError, match="belongs to another panel"):
            history().of_panel(panel)

    def test_another_panel_is_refused(self):
        panel = columns_from_arguments("id", {"lr": (None, "p")}, [], [], None)
        with pytest.raises(StratawatchError) as caught:
            history(auxiliary=("judge",)).of_panel(panel)
        assert str(caught.value) == (
            "the history belongs to another panel; expected classifiers lr; got classifiers lr, vote with auxiliary "
            "judge; a new model, version or cut-off begins a history of its own"
        )
