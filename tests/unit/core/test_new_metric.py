"""A metric is one entry: a toy that nothing else has heard of runs through the whole program, by every design."""

from dataclasses import replace

import numpy as np
import pytest

from stratawatch.adapters.store import SqlStore
from stratawatch.config.loading import load_configuration
from stratawatch.config.problems import ConfigProblems
from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.baselines.labelled import labelled_baselines
from stratawatch.core.designs import DESIGNS, design_named, design_of
from stratawatch.core.goals import Goal, Limit
from stratawatch.core.metrics import METRICS, REPORTED, RatioMetric
from stratawatch.engine.cycle.judge_cycle import wanted_margin
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.panel_spec import Columns
from stratawatch.engine.model.survey_of_panel import survey_of_panel
from stratawatch.report.page import panel_page
from stratawatch.report.view import build
from tests.support.configurations import RIGHT
from tests.support.fakes import FakeSource, spec
from tests.support.scenario import Scenario, label_cycle
from tests.support.study_frames import StudyData

NAME = "wrong_alarm_share"  # of no real metric: an entry of METRICS must not hide it
assert NAME not in METRICS

WRONG_ALARM_SHARE = RatioMetric(
    NAME, "wrong-alarm share", (0, 1, 0, 0), (1, 1, 0, 0), default_margin=0.04, lower_is_better=True
)
OPTIONS = {"kumar": {"strata": 3}, "bennett": {"per_bin": 200, "bins": 2}}
BUDGETS = {"joint": 200, "bennett": 400}
"""Enough for a proof in two rounds; 1,500 where none is given."""
STUDY_DATA = StudyData()


class Neighbours(FakeSource):
    """Customers of three items in a row."""

    def candidates(self, panel, window, atoms, wanted):
        found = super().candidates(panel, window, atoms, wanted)
        if panel.columns.cluster is None:
            return found
        return tuple(replace(one, cluster=f"c{int(one.item[-5:]) // 3}") for one in found)


CLUSTERED = pytest.mark.parametrize("clustered", [False, True], ids=["items alone", "items of customers"])


@pytest.fixture(autouse=True, scope="module")
def _registered():
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(METRICS, NAME, WRONG_ALARM_SHARE)
        yield


class TestConfiguration:
    LIMIT = f'[[panels.spam.limits]]\nmetric = "{NAME}"\n'

    def loaded(self, tmp_path, limit):
        path = tmp_path / "stratawatch.toml"
        path.write_text(RIGHT + self.LIMIT + limit, encoding="utf-8")
        return load_configuration(path)

    def test_takes_its_limit_in_its_direction(self, tmp_path):
        limits = self.loaded(tmp_path, "ceiling = 0.3\n").panels["spam"].limits
        assert (limits[-1].metric, limits[-1].ceiling) == (NAME, 0.3)

    def test_refuses_the_other_direction(self, tmp_path):
        with pytest.raises(ConfigProblems, match=f"a floor is no limit of {NAME}; expected a ceiling"):
            self.loaded(tmp_path, "floor = 0.3\n")

    def test_names_it_among_those_that_are_known(self, tmp_path):
        with pytest.raises(ConfigProblems, match=f"'metric' is not known; expected precision or recall or .*{NAME}"):
            self.loaded(tmp_path, 'ceiling = 0.3\n[[panels.spam.goals]]\nmetric = "f7"\nmargin = 0.1\n')

    def test_its_drops_have_a_baseline(self, tmp_path):
        limits = self.loaded(tmp_path, "max_drop = 0.1\n").panels["spam"].limits
        assert (limits[-1].metric, limits[-1].max_drop) == (NAME, 0.1)

    def test_is_the_share_that_kumar_asks_about(self):
        assert (
            design_named("kumar", {"share": NAME})
            .unsupported_reason(NAME, "b", ("a", "b"))
            .endswith("items that a calls positive")
        )
        assert design_named("kumar", {"share": NAME}).unsupported_reason("precision", "a", ("a", "b")) == ""


def test_labelled_items_make_a_baseline_of_it():
    calls, truth = np.arange(100) < 50, np.arange(100) % 5 == 0
    (found,) = labelled_baselines(calls, truth, metrics=[NAME])
    (precision,) = labelled_baselines(calls, truth, metrics=["precision"])
    assert (found.interval_at().value, found.interval_at().low) == pytest.approx(
        (0.8, 1 - precision.interval_at().high)
    )


@CLUSTERED
@pytest.mark.parametrize("design", DESIGNS)
class TestEveryDesign:
    """A study by each design: the toy is precision turned over, for every classifier that the design serves."""

    def study(self, design, clustered, **settings):
        customers = [f"c{row // 20}" for row in range(len(STUDY_DATA.labels))]
        frame = STUDY_DATA.frame(customer=customers)
        options = OPTIONS.get(design, {})
        cluster = "customer" if clustered else None
        return STUDY_DATA.study(frame=frame, budget=200, design=design, options=options, cluster=cluster, **settings)

    def test_is_planned(self, design, clustered):
        plan = self.study(design, clustered, goals=(Goal(NAME, 0.2, classifiers=("lr",)),)).plan()
        planned = {(one.classifier, one.metric): one for one in plan.expected}
        found, precision = (planned["lr", metric] for metric in (NAME, "precision"))
        assert found.guess == pytest.approx(1 - precision.guess)
        assert found.half_width == pytest.approx(precision.half_width)

    def test_is_estimated_wherever_precision_is(self, design, clustered):
        study = self.study(design, clustered, segments=["region"])
        STUDY_DATA.answer(study)
        unsupported = design_named(design, OPTIONS.get(design)).unsupported_reason
        assert unsupported(NAME, "lr", ("lr", "vote")) == ""
        rows = study.estimates([NAME, "precision"])
        for row in (row for row in rows if row.metric == NAME):
            other = rows.of(row.classifier, "precision", row.segment)
            if other.value is None:
                assert row.reason == other.reason.replace("precision of vote:", "wrong-alarm share of vote:")
            else:
                assert (row.value, row.low, row.high) == pytest.approx((1 - other.value, 1 - other.high, 1 - other.low))
                assert (row.deff, row.n_eff) == pytest.approx((other.deff, other.n_eff))


def served(design):
    kind = design_named(design, OPTIONS.get(design))
    return tuple(name for name in ("lr", "rf") if not kind.unsupported_reason(NAME, name, ("lr", "rf")))


@pytest.fixture(
    scope="module",
    params=[(design, clustered) for design in DESIGNS for clustered in (False, True)],
    ids=lambda param: f"{param[0]}, {'items of customers' if param[1] else 'items alone'}",
)
def scenario(tmp_path_factory, request):
    """A judged week of a panel with a goal and a limit for the toy; almost all positive calls are wrong."""
    design, clustered = request.param
    columns = Columns("id", "at", payload=("text",), segments=("country",), cluster="customer" if clustered else None)
    panel = spec(
        budget=BUDGETS.get(design, 1500),
        goals=(Goal(NAME, 0.05, classifiers=("lr",)),),
        limits=(Limit(NAME, ceiling=0.5, classifiers=served(design)),),
        design=design,
        options=OPTIONS.get(design, {}),
        columns=columns,
    )
    store = SqlStore(f"sqlite:///{tmp_path_factory.mktemp('scenario') / 'scenario.db'}", create=True)
    scenario = Scenario.around(store, panel, Neighbours())
    scenario.produce(0, quality=0.1)
    label_cycle(scenario)
    yield scenario
    store.dispose()


class TestLoop:
    def test_is_estimated_beside_the_others(self, scenario):
        with scenario.ports.store.begin() as tx:
            revision = tx.estimates.latest(1)
        whole = {(e.classifier, e.metric): e.result for e in revision.estimates if e.segment is None}
        assert {metric for _, metric in whole} == {*REPORTED, NAME}
        assert whole["lr", NAME].value == pytest.approx(1 - whole["lr", "precision"].value)

    def test_is_judged_against_its_ceiling(self, scenario):
        with scenario.ports.store.begin() as tx:
            states = {state.key: state.state for state in tx.alarms.of_cycle(1)}
        assert states == {StreamKey("spam", name, NAME): AlarmState.BREACH for name in served(scenario.panel.design)}

    def test_a_page_shows_the_segments_where_it_is_largest_first(self, scenario):
        page = next(one for one in scenario.channel.received if one.severity == "page" and "lr" in one.subject)
        shares = [line.split(": ")[1].split("%")[0] for line in page.body.splitlines() if "country=" in line]
        assert len(shares) == (2 if design_of(survey_of_panel(scenario.panel)).estimates_segments else 0)
        assert sorted(shares, key=float, reverse=True) == shares

    def test_has_its_own_margin_where_no_goal_names_one(self, scenario):
        assert wanted_margin(scenario.panel, StreamKey("spam", "lr", NAME)) == 0.05
        assert wanted_margin(scenario.panel, StreamKey("spam", "rf", NAME)) == 0.04

    def test_is_on_the_report_in_its_words_after_the_older_ones_and_with_its_cost(self, scenario):
        view = build(scenario.ports.store, scenario.panel, scenario.clock.now())
        assert [score.metric for score in view.scores[:4]] == [*REPORTED, NAME]
        if scenario.panel.design != "srs":  # which is what costs are compared with
            assert [(need.classifier, need.metric) for need in view.cost.needs] == [("lr", NAME)]
            assert view.cost.separate < view.cost.shared
        assert "Wrong-alarm share" in panel_page(view)


def test_the_toy_itself_is_a_metric():
    gradient = METRICS[NAME].gradient(np.array([True]), np.array([False]), np.array([10.0]), np.array([0.5]))
    assert gradient.tolist() == [-0.1]
