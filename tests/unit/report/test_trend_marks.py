"""What was changed in the windows of a trend: deployments, and classifiers that are configured otherwise."""

import re
from dataclasses import replace
from datetime import timedelta
from importlib.resources import files

import pytest

from stratawatch.engine.model.panel_links import Deployment, PanelLinks
from stratawatch.engine.model.panel_spec import ClassifierSpec
from stratawatch.report.page import panel_page
from stratawatch.report.report_data import read_data
from stratawatch.report.trend_chart import trend_svg
from stratawatch.report.trends import with_deployments
from stratawatch.report.view import assemble
from stratawatch.report.view_models import Mark
from tests.support.report_quarter import NOW, Memory, cycle, estimate, known, spec

NB = ClassifierSpec("nb", "score_nb", cut_off=0.5)
LR = ClassifierSpec("lr", "score_lr", cut_off=0.5)
WEEKS = 3


def facts(*classifiers_of_weeks):
    """A window for each set of classifiers, with an estimate of each of them."""
    memory = Memory(spec(classifiers=classifiers_of_weeks[-1]))
    for week, classifiers in enumerate(classifiers_of_weeks):
        memory.judge(cycle(week), [estimate(one.name, "precision", known(0.8, 0.02)) for one in classifiers])
    found = read_data(memory, memory.panel, WEEKS)
    specs = [replace(memory.panel, classifiers=one) for one in classifiers_of_weeks]
    return replace(found, cycles=tuple(replace(c, spec=s) for c, s in zip(found.cycles, specs, strict=True)))


def marks(view, name="nb"):
    return next(trend.marks for trend in view.trends if (trend.classifier, trend.metric) == (name, "precision"))


def of_weeks(*classifiers_of_weeks):
    return assemble(facts(*classifiers_of_weeks), NOW)


@pytest.fixture
def calm():
    return of_weeks(*[(NB, LR)] * WEEKS)


class TestChangedClassifiers:
    def test_nothing_is_marked_while_nothing_changes(self, calm):
        assert [trend.marks for trend in calm.trends] == [()] * len(calm.trends)

    def test_a_cut_off_is_marked_with_both_numbers_in_the_window_that_has_the_new_one(self):
        view = of_weeks((NB, LR), (replace(NB, cut_off=0.625), LR), (replace(NB, cut_off=0.625), LR))
        assert marks(view) == (Mark(1, "2026-01-12: its cut-off went from 0.5 to 0.625"),)
        assert marks(view, "lr") == ()

    def test_a_cut_off_that_came_is_told_from_none(self):
        view = of_weeks((replace(NB, cut_off=None, call="pred"),), (replace(NB, call=None),))
        assert marks(view) == (Mark(1, "2026-01-12: its cut-off went from none to 0.5"),)

    def test_other_columns_are_marked(self):
        view = of_weeks((NB,), (NB,), (replace(NB, score="score_nb_v2"),))
        assert marks(view) == (Mark(2, "2026-01-19: its score or its call is read in another way"),)

    def test_a_classifier_that_joins_is_marked(self):
        assert marks(of_weeks((LR,), (LR, NB))) == (Mark(1, "2026-01-12: joined the panel"),)


class TestDeployments:
    def deployed(self, view, days, classifier=""):
        one = Deployment(cycle(0).window.start + timedelta(days=days), "model 2.1", classifier)
        return replace(view, trends=with_deployments(view.trends, (one,)))

    @pytest.mark.parametrize(("days", "place"), [(0, 0), (6.99, 0), (7, 1), (20, 2)])
    def test_are_marked_in_the_window_that_they_fall_into(self, calm, days, place):
        (mark,) = marks(self.deployed(calm, days))
        assert mark.place == place
        assert mark.text.endswith(": model 2.1")

    @pytest.mark.parametrize("days", [-1, 21, 400])
    def test_outside_of_the_windows_are_not_marked(self, calm, days):
        assert self.deployed(calm, days).trends == calm.trends

    def test_of_one_classifier_are_marked_on_it_alone_and_of_none_on_all(self, calm):
        assert [marks(self.deployed(calm, 8, "nb"), name) != () for name in ("nb", "lr")] == [True, False]
        assert [marks(self.deployed(calm, 8), name) != () for name in ("nb", "lr")] == [True, True]

    def test_stand_with_changes_in_the_order_of_windows(self):
        view = of_weeks((NB,), (NB,), (replace(NB, score="score_nb_v2"),))
        assert [mark.place for mark in marks(self.deployed(view, 8))] == [1, 2]

    def test_are_named_once_on_the_page_and_escaped(self, calm):
        start = cycle(1).window.start
        links = PanelLinks(deployments=(Deployment(start, "<b>2.1\n\x1b[0m", "nb"),))
        view = replace(calm, trends=with_deployments(calm.trends, links.deployments), links=links)
        page = panel_page(view)
        assert page.count("2026-01-12: &lt;b&gt;2.1") == 1
        assert "<b>2.1" not in page
        assert "\x1b" not in page
        assert "something was changed" in page
        assert "something was changed" not in panel_page(calm)

    def test_are_a_sign_in_each_chart_of_the_classifier(self, calm):
        pictures = {trend.classifier: trend_svg(trend) for trend in self.deployed(calm, 8, "nb").trends}
        signs = {name: re.findall(r'<path [^>]*class="(changed?)"', picture) for name, picture in pictures.items()}
        assert signs == {"nb": ["changed", "change"], "lr": []}
        sheet = files("stratawatch.report").joinpath("page.css").read_text(encoding="utf-8")
        assert all(f".chart .{look} {{" in sheet for look in signs["nb"])

    def test_several_in_one_window_are_one_sign(self, calm):
        one = self.deployed(self.deployed(calm, 8, "nb"), 9, "nb")
        assert len(marks(one)) == 2
        (picture,) = [trend_svg(trend) for trend in one.trends if trend.classifier == "nb"]
        assert len(re.findall(r"m-3\.4-4\.5", picture)) == 1
