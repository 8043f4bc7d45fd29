"""A metric is one file and one line: a toy that nothing else has heard of runs through the whole program."""

import numpy as np
import pytest

from stratawatch.adapters.store import SqlStore
from stratawatch.config import load
from stratawatch.config.problems import ConfigProblems
from stratawatch.core.alarms.states import AlarmState
from stratawatch.core.estimation.metrics import METRICS, REPORTED
from stratawatch.core.estimation.metrics.precision import Precision
from stratawatch.core.estimation.side_intervals import mirrored
from stratawatch.core.goals import Goal, Limit
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.cycle.judge_cycle import margin_of
from stratawatch.engine.cycle.open_cycles import open_cycles
from stratawatch.engine.model.notification import StreamKey
from stratawatch.report.page import panel_page
from stratawatch.report.view import build
from tests.engine.town import FakeChannel, FakeCheck, FakeQueue, FakeSource, HandClock, Ports, Town, spec
from tests.unit.config.conftest import RIGHT

NAME = "false_discovery_rate"


class FalseDiscoveryRate(Precision):
    """1 - precision."""

    name = NAME
    words = "false-discovery rate"
    small_is_good = True
    default_margin = 0.04
    method = "one minus precision"

    def value(self, table):
        return 1 - super().value(table)

    def slopes(self, table):
        on_a, on_b = super().slopes(table)
        return -on_a, on_b

    def small_ends(self, reading):
        return mirrored(reading.called)


@pytest.fixture(autouse=True)
def _registered(monkeypatch):
    monkeypatch.setitem(METRICS, NAME, FalseDiscoveryRate())


class TestConfiguration:
    LIMIT = f'[[panels.spam.limits]]\nmetric = "{NAME}"\n'

    def loaded(self, tmp_path, limit):
        path = tmp_path / "stratawatch.toml"
        path.write_text(RIGHT + self.LIMIT + limit, encoding="utf-8")
        return load(path)

    def test_takes_its_limit_in_its_direction(self, tmp_path):
        limits = self.loaded(tmp_path, "ceiling = 0.3\n").panels["spam"].limits
        assert (limits[-1].metric, limits[-1].ceiling) == (NAME, 0.3)

    def test_refuses_the_other_direction(self, tmp_path):
        with pytest.raises(ConfigProblems, match=f"a floor is no limit of {NAME}; expected a ceiling"):
            self.loaded(tmp_path, "floor = 0.3\n")

    def test_names_it_among_those_that_are_known(self, tmp_path):
        with pytest.raises(ConfigProblems, match=f"'metric' is not known; expected precision or recall or .*{NAME}"):
            self.loaded(tmp_path, 'ceiling = 0.3\n[[panels.spam.goals]]\nmetric = "f7"\nmargin = 0.1\n')


@pytest.fixture
def town(tmp_path):
    """A judged week of a panel with a goal and a limit for the toy; almost all positive calls are wrong."""
    panel = spec(budget=200, goals=(Goal(NAME, 0.05, classifiers=("lr",)),), limits=(Limit(NAME, ceiling=0.5),))
    source, check, queue, desk, clock = FakeSource(), FakeCheck(), FakeQueue({}), FakeChannel(), HandClock()
    store = SqlStore(f"sqlite:///{tmp_path / 'town.db'}", create=True)
    ports = Ports(store, clock, {panel.name: source}, check, queue, {desk.name: desk})
    town = Town(ports, clock, source, check, queue, desk, panel)
    town.produce(0, quality=0.1)
    open_cycles(ports, {panel.name: panel})
    for _ in range(3):
        clock.pass_(hours=1)
        advance(ports)
        queue.answer(clock.now())
    yield town
    store.dispose()


class TestLoop:
    def test_is_estimated_beside_the_others(self, town):
        with town.ports.store.begin() as tx:
            revision = tx.estimates.latest(1)
        whole = {(e.classifier, e.metric): e.outcome for e in revision.estimates if e.segment is None}
        assert {metric for _, metric in whole} == {*REPORTED, NAME}
        assert whole["lr", NAME].value == pytest.approx(1 - whole["lr", "precision"].value)

    def test_is_judged_against_its_ceiling(self, town):
        with town.ports.store.begin() as tx:
            states = {state.key: state.state for state in tx.alarms.of_cycle(1)}
        assert states == {StreamKey("spam", name, NAME): AlarmState.BREACH for name in ("lr", "rf")}

    def test_a_page_shows_the_segments_where_it_is_largest_first(self, town):
        page = next(told for told in town.desk.told if told.severity == "page" and "lr" in told.subject)
        shares = [line.split(": ")[1].split("%")[0] for line in page.body.splitlines() if "country=" in line]
        assert len(shares) == 2
        assert float(shares[0]) >= float(shares[1])

    def test_has_its_own_margin_where_no_goal_names_one(self, town):
        assert margin_of(town.panel, StreamKey("spam", "lr", NAME)) == 0.05
        assert margin_of(town.panel, StreamKey("spam", "rf", NAME)) == 0.04

    def test_is_on_the_report_in_its_words_after_the_older_ones_and_with_its_cost(self, town):
        view = build(town.ports.store, town.panel, town.clock.now())
        assert [score.metric for score in view.scores[:4]] == [*REPORTED, NAME]
        assert [(need.classifier, need.metric) for need in view.cost.needs] == [("lr", NAME)]
        assert view.cost.separate < view.cost.shared
        assert "False-discovery rate" in panel_page(view)


def test_the_toy_itself_is_a_metric():
    gradient = METRICS[NAME].gradient(np.array([True]), np.array([False]), np.array([10.0]), np.array([0.5]))
    assert gradient.tolist() == [-0.1]
