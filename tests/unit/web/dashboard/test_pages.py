"""What the dashboard's pages say: the same as the command line, escaped, and nothing that is not there."""

import html
import re
import shutil
import sqlite3
from dataclasses import replace

import pytest

from stratawatch.core.designs.budget_forecasts import BudgetPoint
from stratawatch.core.goals import Goal
from stratawatch.engine.cycle.frozen_budgets import FrozenBudgets
from stratawatch.formatting import percent
from stratawatch.report.budget_page import budget_page
from tests.support.fakes import spec
from tests.unit.web.dashboard.conftest import PEOPLE, Dashboard, form_key


def text_of(answer):
    """What a person reads of a page."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.text)).split())


@pytest.fixture
def viewer(dashboard):
    return dashboard.browser("viewer")


@pytest.fixture
def operator(dashboard):
    return dashboard.browser("operator")


class TestPanels:
    def test_say_what_status_and_report_say(self, dashboard, viewer):
        shown = text_of(viewer.get("/dashboard/"))
        assert shown.startswith("Panels · stratawatch stratawatch Panels Incidents last advance 2")
        assert "1 panel: 1 BREACH" in shown
        sentence = dashboard.program("viewer").get("/dashboard/api/panels").json()["panels"][0]["sentence"]
        assert sentence in shown
        assert "nobody looks after" in shown

    def test_lead_to_classifiers_cycles_and_incidents(self, viewer):
        found, seen = ["/dashboard/"], set()
        while found:
            path = found.pop()
            if path in seen or path.startswith(("http", "mailto")):
                continue
            seen.add(path)
            answer = viewer.get(path)
            assert answer.status_code == 200, path
            if not path.endswith(("/report", ".css")):
                links = [html.unescape(link) for link in re.findall(r'href="([^"]+)"', answer.text)]
                found += [path.partition("?")[0] + link if link.startswith("?") else link for link in links]
        assert {"/dashboard/panels/spam/classifiers/lr", "/dashboard/cycles/1", "/dashboard/incidents/1"} <= seen

    def test_estimates_are_those_of_the_command(self, dashboard, viewer):
        shown = text_of(viewer.get("/dashboard/panels/spam"))
        for row in dashboard.home.json("estimates", "spam")["estimates"]:
            if row["segment"] is None and row["value"] is not None:
                assert percent(row["value"], (row["high"] - row["low"]) / 2) in shown, row


class TestCycle:
    def test_counts_labels_and_mistakes_of_the_classifier_that_is_chosen(self, viewer):
        shown = text_of(viewer.get("/dashboard/cycles/1?classifier=rf"))
        assert "drawn 60" in shown
        assert "answered yes or no 60" in shown
        assert "where rf is wrong" in shown
        totals = re.findall(r"(\d+) of (\d+) wrong", shown)
        assert sum(int(answered) for _, answered in totals) == 60

    def test_a_name_that_is_not_there_is_said(self, viewer):
        for asked in ("cycles/1?classifier={}", "panels/spam/mistakes?classifier={}", "panels/spam/mistakes?side={}"):
            for name in ("none", "<script>", "lr%00", "x" * 5000):
                answer = viewer.get(f"/dashboard/{asked.format(name)}")
                assert answer.status_code == 404
                assert "<script>" not in answer.text
                assert len(answer.text) < 2000
        assert viewer.get("/dashboard/panels/spam/mistakes?segment=country=XX").status_code == 404

    @pytest.mark.parametrize(
        "path",
        ["cycles/99", "cycles/" + "9" * 5000, "incidents/" + "9" * 10, "cycles/-1", "cycles/x", "cycles/1%0A", "%0Ax"],
    )
    def test_that_is_not_there_is_said(self, viewer, path):
        answer = viewer.get(f"/dashboard/{path}")
        assert answer.status_code == 404
        assert "There is no such page" in answer.text


class TestIncident:
    def test_is_acknowledged_by_who_presses_the_button(self, dashboard, operator):
        number = dashboard.incident()
        page = f"/dashboard/incidents/{number}"
        data = {"form_key": form_key(operator.get(page)), "why": "rolling <b>back</b>"}
        answer = operator.post(f"{page}/acknowledge", data=data)
        assert answer.headers["location"] == f"{page}?note=acknowledged"
        shown = operator.get(answer.headers["location"])
        assert "You look after it now." in shown.text
        assert "rolling &lt;b&gt;back&lt;/b&gt;" in shown.text
        assert "operator-ann, since" in text_of(shown)
        assert "I look after it" not in shown.text
        (told,) = [
            one
            for one in dashboard.home.json("alerts", "show", str(number))["history"]
            if one["what"] == "acknowledged"
        ]
        assert told["text"] == "by operator-ann: rolling <b>back</b>"

    def test_is_silenced_with_an_end_and_a_reason(self, dashboard, operator):
        number = dashboard.incident()
        page = f"/dashboard/incidents/{number}"
        key = form_key(operator.get(page))
        for wrong, status in (({"length": "99d", "why": "x"}, 400), ({"length": "8h", "why": " "}, 400), ({}, 400)):
            assert operator.post(f"{page}/silence", data={"form_key": key, **wrong}).status_code == status
        assert (
            operator.post(f"{page}/silence", data={"form_key": key, "length": "8h", "why": "y" * 501}).status_code
            == 413
        )
        assert dashboard.home.json("alerts", "silences")["silences"] == []
        done = operator.post(f"{page}/silence", data={"form_key": key, "length": "2d", "why": "known"})
        assert done.status_code == 303
        (kept,) = dashboard.home.json("alerts", "silences")["silences"]
        assert (kept["by"], kept["reason"]) == ("operator-ann", "known")
        assert (kept["classifier"] is not None, kept["metric"] is not None) == (True, True)
        assert "Nobody is told of it until" in text_of(operator.get(page))

    def test_whoever_comes_second_is_told_who_was_first(self, dashboard):
        page = f"/dashboard/incidents/{dashboard.incident()}"
        browsers = {role: dashboard.browser(role) for role in ("operator", "admin")}
        keys = {role: form_key(browser.get(page)) for role, browser in browsers.items()}
        for role, browser in browsers.items():
            sent = browser.post(f"{page}/acknowledge", data={"form_key": keys[role], "why": role})
            shown = browser.get(sent.headers["location"])
            assert ("You look after it now." in shown.text) == (role == "operator")
            assert ("operator-ann looks after it already" in shown.text) == (role == "admin")

    def test_an_address_alone_confirms_nothing(self, dashboard, viewer):
        page = f"/dashboard/incidents/{dashboard.incident()}"
        for note in ("acknowledged", "silent", "<b>"):
            assert 'role="status"' not in viewer.get(f"{page}?note={note}").text

    def test_it_is_silenced_once_and_for_a_reason_that_can_be_read(self, dashboard, operator):
        page = f"/dashboard/incidents/{dashboard.incident()}"
        key = form_key(operator.get(page))
        for why in ("", " ", "\0", "\u200b", "..."):
            sent = operator.post(f"{page}/silence", data={"form_key": key, "length": "8h", "why": why})
            assert (sent.status_code, "--why" in sent.text) == (400, False)
        for status in (303, 409):
            sent = operator.post(f"{page}/silence", data={"form_key": key, "length": "8h", "why": "known"})
            assert sent.status_code == status
        assert len(dashboard.home.json("alerts", "silences")["silences"]) == 1

    def test_that_is_over_cannot_be_silenced(self, dashboard, operator):
        """By a form that was open when it ended."""
        page = f"/dashboard/incidents/{dashboard.incident()}"
        key = form_key(operator.get(page))
        with sqlite3.connect(dashboard.home.folder / "stratawatch.db") as store:
            store.execute("UPDATE incidents SET resolved_at = opened_at")
        sent = operator.post(f"{page}/silence", data={"form_key": key, "length": "30d", "why": "known"})
        assert sent.status_code == 409
        assert "it is over" in sent.text
        assert dashboard.home.json("alerts", "silences")["silences"] == []

    def test_a_viewer_is_shown_no_buttons(self, dashboard, viewer):
        shown = viewer.get(f"/dashboard/incidents/{dashboard.incident()}")
        assert "takes the role operator" in shown.text
        assert "<select" not in shown.text

    def test_what_the_command_line_changes_is_shown_at_once(self, dashboard, viewer):
        number = dashboard.incident()
        page = f"/dashboard/incidents/{number}"
        assert "<strong>Nobody.</strong>" in viewer.get(page).text
        dashboard.home.run("alerts", "ack", str(number), "--by", "cli-ann")
        dashboard.forget()
        assert "cli-ann, since" in text_of(viewer.get(page))


class TestMistakes:
    def test_payload_is_for_annotators(self, dashboard, viewer):
        path = "/dashboard/panels/spam/mistakes?classifier=lr"
        seen = dashboard.home.json("mistakes", "spam", "--classifier", "lr")["mistakes"]
        assert seen
        for role in ("viewer", "annotator"):
            shown = dashboard.browser(role).get(path)
            assert all(row["item"] in shown.text for row in seen[:20])
            assert [row["payload"]["text"] in shown.text for row in seen[:20]] == [role == "annotator"] * len(seen[:20])
        assert "takes the role annotator" in viewer.get(path).text

    def test_counts_are_those_of_the_command(self, dashboard, viewer):
        (window,) = dashboard.home.json("mistakes", "spam", "--classifier", "rf")["windows"]
        shown = text_of(viewer.get("/dashboard/panels/spam/mistakes?classifier=rf"))
        assert f"it called {window['called']['labelled']} labelled items, {window['called']['wrong']} of them" in shown
        assert f"it passed {window['passed']['labelled']} labelled items, {window['passed']['wrong']} of them" in shown

    def test_a_side_and_a_segment_are_chosen(self, viewer):
        shown = viewer.get("/dashboard/panels/spam/mistakes?classifier=lr&side=called&segment=country=DE")
        assert '<option value="called" selected>' in shown.text
        assert "<option selected>country=DE</option>" in shown.text
        assert ">passed<" not in shown.text


class TestPlan:
    def test_shows_what_budgets_around_the_panels_own_buy(self, viewer):
        shown = text_of(viewer.get("/dashboard/panels/spam/plan"))
        assert "Its budget was 60 labels" in shown
        assert "60 labels are expected to hold" in shown
        assert "Precision of lr ±10" in shown

    def test_goals_that_no_budget_holds_are_named(self):
        points = tuple(
            BudgetPoint(labels, {("lr", "precision"): 3 / labels, ("lr", "recall"): 9 / labels}) for labels in (40, 80)
        )
        goals = tuple(Goal(metric, 0.05, classifiers=("lr",)) for metric in ("precision", "recall"))
        found = FrozenBudgets(None, replace(spec(), goals=goals, budget=80), points, 0)
        page = budget_page(found)
        assert [(row.classifier, row.metric) for row in page.never_held] == [("lr", "recall")]
        assert page.held == (1, 2)
        assert budget_page(found, 50).held == (0, 2)

    def test_the_nearest_budget_is_looked_at(self, viewer):
        shown = viewer.get("/dashboard/panels/spam/plan?labels=1000000").text
        most = re.findall(r'\?labels=(\d+)"', shown)[-1]
        assert f"<strong>{int(most):,} labels</strong>" in shown
        for odd in ("x", "-5", "1e9", "٣", "9" * 5000):
            assert viewer.get(f"/dashboard/panels/spam/plan?labels={odd}").status_code == 200


def test_a_panel_without_a_window_has_its_pages(fresh):
    fresh.configure(more=PEOPLE)
    viewer = Dashboard(fresh).browser("viewer")
    said = {
        "/": "Nothing is judged yet",
        "/panels/spam": "No window has been opened yet.",
        "/panels/spam/mistakes": "No window of this panel is judged yet.",
        "/panels/spam/plan": "Nothing can be planned before a window is frozen",
        "/incidents": "There was never an incident.",
    }
    for path, words in said.items():
        assert words in text_of(viewer.get(f"/dashboard{path}")), path


def test_silences_are_shown_where_there_is_no_incident_too(dashboard, viewer):
    dashboard.home.run("alerts", "silence", "spam", "--for", "2d", "--why", "a <b>move</b>", "--classifier", "rf")
    shown = viewer.get("/dashboard/panels/spam").text
    assert "Nobody is told of" in shown
    assert "a &lt;b&gt;move&lt;/b&gt;" in shown
    assert "1 silence." in text_of(viewer.get("/dashboard/"))


class TestTrouble:
    def test_another_store_in_its_place_is_read_and_written(self, dashboard, operator):
        number, folder = dashboard.incident(), dashboard.home.folder
        page = f"/dashboard/incidents/{number}"
        key = form_key(operator.get(page))
        for path in list(folder.glob("stratawatch.db*")):
            shutil.copy(path, folder / f"copy-{path.name}")
            path.rename(folder / f"former-{path.name}")
        for path in list(folder.glob("copy-stratawatch.db*")):
            path.rename(folder / path.name.removeprefix("copy-"))
        sent = operator.post(f"{page}/silence", data={"form_key": key, "length": "8h", "why": "known"})
        assert sent.status_code == 303
        assert len(dashboard.home.json("alerts", "silences")["silences"]) == 1
        dashboard.home.run("alerts", "ack", str(number), "--by", "cli-ann")
        dashboard.forget()
        assert "cli-ann, since" in text_of(operator.get(page))

    def test_a_store_that_is_away_is_said_without_its_address(self, dashboard, viewer):
        assert viewer.get("/dashboard/").status_code == 200
        dashboard.forget()
        (dashboard.home.folder / "stratawatch.db").unlink()
        for path in ("/", "/incidents", "/api/panels"):
            answer = viewer.get(f"/dashboard{path}")
            assert answer.status_code == 503
            assert str(dashboard.home.folder) not in answer.text

    def test_an_unknown_panel_or_classifier_is_said_and_escaped(self, viewer):
        for path in ("panels/%3Cb%3E", "panels/none/plan", "panels/none/report", "panels/none/mistakes"):
            answer = viewer.get(f"/dashboard/{path}")
            assert answer.status_code == 404
            assert "<b>" not in answer.text
        assert viewer.get("/dashboard/panels/spam/classifiers/none").status_code == 404
