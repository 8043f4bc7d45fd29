"""What would prove a stream inside its limit, and what would page: kept when a window is judged, and shown."""

from dataclasses import replace

import pytest

from stratawatch.adapters.status_queries import read_status
from stratawatch.cli.status_streams import show_panel
from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.designs.budget_forecasts import BudgetPoint
from stratawatch.core.goals import Limit
from stratawatch.engine.cycle.labels_to_prove import with_labels_to_prove
from stratawatch.engine.evidence.limit_outlooks import KEPT, kept_outlooks
from stratawatch.engine.model.limit_outlook import outlook_document, outlooks_from
from stratawatch.engine.model.pauses import Pauses
from stratawatch.report import build, write_reports
from stratawatch.report.page import panel_page
from tests.support.drops import PANEL as DROPS
from tests.support.drops import measure
from tests.support.fakes import MONDAY, WEEK, spec
from tests.support.scenario import label_weeks, labelled_scenario, only_cycle, open_all, work_on

FLOOR = Limit("precision", floor=0.4, classifiers=("lr",))
PANEL = spec(budget=200, limits=(FLOOR,))


@pytest.fixture
def judged(make_scenario):
    return make_scenario(PANEL, 0)


def outlooks(scenario, panel=PANEL):
    with scenario.ports.store.begin() as tx:
        return kept_outlooks(tx, panel)


class TestAfterAJudgement:
    def test_each_end_has_one_that_agrees_with_the_state(self, judged):
        (found,), cycle = outlooks(judged), only_cycle(judged)
        with judged.ports.store.begin() as tx:
            state, revision = tx.alarms.of_cycle(cycle)[-1], tx.estimates.latest(cycle)
            asked = [draw for draw in tx.rounds.draws(cycle) if not draw.reused]
        named = [one for one in revision.estimates if (one.classifier, one.metric) == ("lr", "precision")]
        (estimate,) = [one for one in named if one.segment is None]
        assert (found.state, found.value) == (state.state, estimate.result.value)
        assert found.state in (AlarmState.OK, AlarmState.UNPROVEN)
        assert found.labels == len(asked)
        assert 0 < found.page_value < 0.4

    def test_a_limit_that_was_changed_since_has_none(self, judged):
        assert outlooks(judged, spec(budget=200, limits=(Limit("precision", floor=0.3, classifiers=("lr",)),))) == ()

    def test_status_reads_them_without_the_engine(self, tmp_path):
        played = labelled_scenario(tmp_path / "store.db", PANEL, 0)
        (row,) = read_status(f"sqlite:///{tmp_path / 'store.db'}")["limit_outlooks"]
        assert outlooks_from(row["position"]) == outlooks(played) != ()

    def test_the_report_says_them(self, judged):
        (found,) = outlooks(judged)
        view = build(judged.ports.store, PANEL, judged.clock.now())
        (score,) = [one for one in view.scores if one.outlooks]
        text = panel_page(view)
        if found.state == AlarmState.OK:
            assert (score.page_values, score.ways_out) == ((("", found.page_value),), ())
            assert f"page {100 * found.page_value:.1f}%" in text
        else:
            assert f"ne week alone would page near {100 * found.page_value:.1f}%" in score.ways_out[0]
            assert score.ways_out[0].replace("`stratawatch plan`", "<code>stratawatch plan</code>") in text


class TestOnThePage:
    """Beside a metric that is OK the page says where one window alone would page."""

    def page(self, judged, *outlooks):
        view = build(judged.ports.store, PANEL, judged.clock.now())
        scores = tuple(
            replace(one, state=AlarmState.OK, outlooks=outlooks) if one.outlooks else one for one in view.scores
        )
        return panel_page(replace(view, scores=scores))

    def test_several_windows_page_sooner_only_where_they_add_up(self, judged):
        (found,) = outlooks(judged)
        alone, together = (self.page(judged, replace(found, page_value=0.3, adds_up=each)) for each in (False, True))
        assert "one window alone would page" in alone
        assert "page sooner" not in alone
        assert "several windows beyond the limit page sooner." in together

    def test_each_of_two_ends_has_its_name(self, judged):
        (floor,) = outlooks(judged)
        text = self.page(judged, replace(floor, page_value=0.3), replace(floor, end="ceiling", page_value=0.9))
        assert "page 30.0% (floor)" in text
        assert "page 90.0% (ceiling)" in text

    def test_of_a_shadow_nothing_is_said_of_pages(self, judged, tmp_path):
        shadows = Pauses(shadows=frozenset({("spam", "lr")}))
        now = judged.clock.now()
        (paging,) = write_reports(judged.ports.store, {"spam": PANEL}, tmp_path, now).views
        (quiet,) = write_reports(judged.ports.store, {"spam": PANEL}, tmp_path, now, paused=shadows).views
        said = [[out.pages_people for one in view.scores for out in one.outlooks] for view in (paging, quiet)]
        assert said == [[True], [False]]


def test_status_says_in_the_sentence_that_the_last_windows_fell(judged, capsys):
    (found,) = outlooks(judged)
    facts = {"distance": 0.03, "windows_to_ok": 3, "fell_lately": True, "state": AlarmState.UNPROVEN}
    said = outlook_document(replace(found, **facts))
    row = {
        "classifier": "lr",
        "metric": "precision",
        "segment": None,
        "state": "UNPROVEN",
        "shadow": False,
        "in_newest_window": True,
    }
    row |= {"value": 0.5, "low": 0.4, "high": 0.6, "window_start": MONDAY, "window_end": MONDAY + WEEK}
    panel = {"panel": "spam", "cycles": 1, "newest_window_end": MONDAY + WEEK, "paused": ""}
    show_panel(panel, [row | {"outlooks": [said], "reason": "the judgement's"}])
    out = " ".join(capsys.readouterr().out.split())
    assert "so far, but the last 2 weeks together are not inside. Would be proven in about 3 more weeks" in out


class TestWhoseOutlooksAreKept:
    BOTH = spec(budget=200, limits=(Limit("precision", floor=0.4),))
    ONE = replace(BOTH, classifiers=BOTH.classifiers[:1])

    def names(self, make_scenario, **facts):
        made = make_scenario(self.BOTH)
        open_all(made)
        made.ports = replace(made.ports, **facts)
        work_on(made, 4)
        with made.ports.store.begin() as tx:
            return {one.key.classifier for one in outlooks_from(tx.labels.cursor(f"{KEPT}spam"))}

    def test_are_all_that_are_configured(self, make_scenario):
        assert self.names(make_scenario, configured={"spam": self.BOTH}) == {"lr", "rf"}

    def test_are_not_those_of_what_is_paused(self, make_scenario):
        assert self.names(make_scenario, paused=Pauses(classifiers=frozenset({("spam", "rf")}))) == {"lr"}

    def test_are_not_those_of_what_left(self, make_scenario):
        assert self.names(make_scenario, configured={"spam": self.ONE}) == {"lr"}


def test_after_a_new_baseline_a_drop_waits_for_its_first_window(make_scenario):
    scenario = make_scenario(DROPS, *range(4))
    measure(scenario)
    label_weeks(scenario, 4)
    assert [one.end for one in outlooks(scenario, DROPS)] == ["max_drop"]
    label_weeks(scenario, 5, quality=1.3)
    assert [one.end for one in outlooks(scenario, DROPS)] == ["max_drop"]
    scenario.clock.advance(hours=1)
    measure(scenario)
    assert outlooks(scenario, DROPS) == ()


def test_before_the_first_judgement_there_is_none(make_scenario):
    scenario = make_scenario(PANEL)
    assert outlooks(scenario) == ()


class TestLabelsToProve:
    CURVE = tuple(BudgetPoint(labels, {("lr", "precision"): (100 / labels) ** 0.5 / 10}) for labels in (100, 400, 1600))

    def planned(self, judged, half_width, **facts):
        (found,) = outlooks(judged)
        key = replace(found.key, **facts)
        (one,) = with_labels_to_prove([replace(found, key=key, half_width=half_width, windows_to_ok=2)], self.CURVE)
        return one.labels_to_prove

    def test_they_are_read_off_the_forecasts(self, judged):
        """Half-widths fall with the root of the labels: for a half of that of 100 labels, four times as many."""
        found = self.planned(judged, 0.0707)
        assert (found.labels, found.fewer_may_do) == (pytest.approx(200, abs=1), False)

    def test_of_the_smallest_budget_it_is_known_only_that_it_is_enough(self, judged):
        found = self.planned(judged, 0.2)
        assert (found.labels, found.fewer_may_do) == (100, True)

    def test_no_budget_of_the_curve_is_an_answer(self, judged):
        found = self.planned(judged, 0.01)
        assert (found.labels, found.most, found.unknown) == (None, 1600, "")

    def test_of_a_segment_nothing_is_forecast(self, judged):
        assert "segments" in self.planned(judged, 0.05, segment="country=DE").unknown

    def test_of_a_metric_without_a_forecast_nothing_is_known(self, judged):
        assert self.planned(judged, 0.05, metric="recall").unknown == "no interval is forecast of recall"

    def test_where_nothing_is_to_be_proven_nothing_is_planned(self, judged):
        assert self.planned(judged, None) is None
