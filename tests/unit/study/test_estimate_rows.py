from dataclasses import replace

import pytest

from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.goals import Goal
from stratawatch.core.population import Segment
from stratawatch.errors import StratawatchError
from stratawatch.study.estimate_rows import StudyEstimates, goal_margins, study_estimates

KNOWN = IntervalEstimate(0.8, 0.76, 0.84, 90.0)
MARGINS = {("lr", "precision"): 0.05, ("lr", "recall"): 0.03, ("vote", "precision"): 0.05}


def estimate(classifier="lr", metric="precision", result=KNOWN, segment=None):
    return Estimate(classifier, metric, segment, result, 100, "logit", 0.95)


class TestAsRows:
    def test_every_part_of_an_estimate_is_there(self):
        [row] = study_estimates([estimate()], MARGINS, "; look 2")
        assert (row.classifier, row.metric, row.segment) == ("lr", "precision", None)
        assert (row.value, row.low, row.high, row.n_eff, row.labels_used) == (0.8, 0.76, 0.84, 90.0, 100)
        assert (row.state, row.margin, row.method, row.reason) == ("held", 0.05, "logit; look 2", None)
        assert row.half_width == pytest.approx(0.04)

    @pytest.mark.parametrize(
        ("metric", "state"), [("precision", "held"), ("recall", "short"), ("false_omission_rate", "known")]
    )
    def test_the_state_says_whether_the_goal_is_held(self, metric, state):
        assert study_estimates([estimate(metric=metric)], MARGINS)[0].state == state

    def test_what_is_not_known_has_no_number_but_a_reason(self):
        [row] = study_estimates([estimate(result=Undefined("no label yet"))], MARGINS)
        assert (row.value, row.low, row.high, row.n_eff, row.half_width) == (None,) * 5
        assert (row.state, row.reason, row.margin) == ("undefined", "no label yet", 0.05)

    def test_a_segment_has_no_goal(self):
        [row] = study_estimates([estimate(segment=Segment("country", "DE"))], MARGINS)
        assert (row.segment, row.state, row.margin) == ("country=DE", "known", None)


class TestOf:
    def test_finds_one(self):
        rows = study_estimates([estimate(), estimate("vote"), estimate(segment=Segment("country", "DE"))], MARGINS)
        assert rows.of("vote", "precision").classifier == "vote"
        assert rows.of("lr", "precision", "country=DE").segment == "country=DE"

    def test_says_when_there_is_none(self):
        with pytest.raises(StratawatchError, match="there is no estimate of 'f1' of 'lr' in country=DE"):
            study_estimates([estimate()], MARGINS).of("lr", "f1", "country=DE")

    @pytest.mark.parametrize(
        ("asked", "hint"),
        [
            (("lr2", "precision"), "did you mean 'lr'?"),
            (("lr", "precison"), "did you mean 'precision'?"),
            (("lr", "f1"), 'ask for it: estimates(metrics=["f1"])'),
            (("lr", "precision", "DE"), "did you mean 'country=DE'?"),
            (("lr", "precision", "country=De"), "did you mean 'country=DE'?"),
            (("vote", "recall"), ""),
        ],
    )
    def test_names_what_there_is_and_what_was_meant(self, asked, hint):
        given = [estimate(), estimate("vote"), estimate(metric="recall"), estimate(segment=Segment("country", "DE"))]
        with pytest.raises(StratawatchError) as refused:
            study_estimates(given, MARGINS).of(*asked)
        assert refused.value.hint == hint
        assert refused.value.expected == "classifiers lr, vote; metrics precision, recall; segments country=DE"


class TestToFrame:
    def test_has_the_half_width_beside_the_interval(self):
        frame = study_estimates([estimate(), estimate(result=Undefined("no label yet"))], MARGINS).to_frame()
        assert list(frame.columns[4:7]) == ["low", "high", "half_width"]
        assert frame["half_width"].tolist() == pytest.approx([0.04, float("nan")], nan_ok=True)

    def test_says_what_a_reader_should_know(self):
        row = replace(study_estimates([estimate()], MARGINS)[0], missing=0.2)
        table = StudyEstimates([row])
        assert table.to_frame().attrs["warnings"] == list(table.warnings) != []
        assert repr(table).endswith(f"\n\n⚠ {table.warnings[0]}")


class TestMarginsOf:
    def test_the_narrowest_goal_counts(self):
        goals = [Goal("precision", 0.05), Goal("precision", 0.03, ("lr",)), Goal("precision", 0.04, ("lr",))]
        assert goal_margins(goals, ("lr", "vote")) == {("lr", "precision"): 0.03, ("vote", "precision"): 0.05}
