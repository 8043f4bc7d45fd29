"""Charts of what scores mean and of cut-offs: what their titles claim, and that they draw what they hold."""

import re
from dataclasses import replace

from stratawatch.core.alarms.cut_offs import CutOff, CutOffChoice, LimitLine
from stratawatch.core.alarms.moved import ValueInterval
from stratawatch.core.alarms.score_groups import GroupReading, ScoreGroup
from stratawatch.engine.evidence.score_curves import ScoreCurve
from stratawatch.report.cut_off_chart import cut_off_svg
from stratawatch.report.score_chart import range_text, score_svg, score_title


def around(value, half=0.05):
    return ValueInterval(value, value - half, value + half)


def reading(value, share=0.5):
    return GroupReading(share, None if value is None else around(value), 0 if value is None else 50)


def curve(*groups):
    """A curve of groups with these shares of positives, before and now."""
    edges = [place / len(groups) for place in range(len(groups) + 1)]
    made = (
        ScoreGroup(low, high, reading(before), reading(now))
        for low, high, (before, now) in zip(edges, edges[1:], groups, strict=False)
    )
    return ScoreCurve("nb", (4, 2), tuple(made))


def at(score, precision, recall, calls):
    return CutOff(score, around(precision), around(recall), around(precision), ValueInterval(calls, calls, calls), 50)


CHOICE = CutOffChoice("nb", LimitLine("precision", 0.79), 0.95, at(None, 0.7, 0.75, 900.0), (at(0.6, 0.8, 0.6, 700.0),))


class TestScoreTitle:
    def test_names_the_group_that_changed_most_beyond_chance(self):
        said = score_title(curve((0.1, 0.1), (0.9, 0.6)))
        assert said == "Of items that nb scores 0.50 to 1, 60% are positive; before it began 90% were"

    def test_says_that_none_did_where_intervals_overlap(self):
        assert score_title(curve((0.1, 0.12), (0.9, 0.88))).startswith("No group of nb's scores means another share")

    def test_does_not_say_so_where_too_little_is_known(self):
        assert score_title(curve((0.1, None), (None, 0.6))).startswith("Too few labels tell what scores of nb mean")

    def test_tells_scores_near_1_apart(self):
        near = ScoreGroup(0.9961, 0.99976, reading(0.5), reading(0.5))
        assert range_text(near) == "0.9961 to 0.99976"


def test_each_known_share_is_drawn_with_its_interval():
    drawn = score_svg(curve((0.1, 0.1), (0.9, None)))
    calm, hit = (re.search(rf'd="([^"]+)" class="{look}"', drawn)[1] for look in ("calm", "hit"))
    assert (calm.count("V"), hit.count("V")) == (2, 1)
    assert drawn == score_svg(curve((0.1, 0.1), (0.9, None)))


class TestCutOffs:
    def test_in_use_and_suggested_are_named_and_the_limit_is_drawn(self):
        drawn = cut_off_svg(CHOICE)
        assert drawn.count("suggested") == drawn.count("in use") == 1
        assert 'class="limit"' in drawn

    def test_a_limit_of_another_metric_is_not_drawn_on_their_scale(self):
        other = replace(CHOICE, limit=LimitLine("false_omission_rate", 0.02, is_floor=False))
        assert 'class="limit"' not in cut_off_svg(other)

    def test_none_is_suggested_where_none_holds(self):
        assert "suggested" not in cut_off_svg(replace(CHOICE, limit=LimitLine("precision", 0.99)))
