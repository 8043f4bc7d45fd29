"""The report in a browser, on a desk and on a telephone: nothing is cut off, and axe finds nothing serious."""

from dataclasses import replace
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.designs.missing_bounds import MissingBounds
from stratawatch.core.estimation.missing_answers import AnswerCounts
from stratawatch.report.page import index_page, panel_page
from stratawatch.report.table_rows import BoundsRow, CorrectedRow, LabelErrorsView, MissingView
from stratawatch.report.view import build
from tests.support.report_quarter import NOW, quarter

WIDTHS = {1440: 900, 390: 844}
SHOTS = Path(__file__).parents[3] / "live-out" / "report"
"""Where screenshots are kept for people to look at; git ignores it."""


def everything():
    """A page with all of its parts and a headline of each state."""
    memory = quarter()
    view = build(memory, memory.panel, NOW)
    estimated = [score for score in view.scores if score.estimate]
    bounds = tuple(
        BoundsRow(score.classifier, score.metric, score.estimate, MissingBounds(0.31, 0.92, 0.2, 0.97, 20, 200))
        for score in estimated
    )
    counts = tuple(AnswerCounts("lr", side, None, 200, 180, 12, 8, 0) for side in ("positive", "negative"))
    corrected = tuple(
        CorrectedRow(score.classifier, score.metric, "81.2% (79.0 to 83.4)", "84.0% (80.1 to 87.9)")
        for score in estimated
    )
    return replace(
        view,
        missing=MissingView("20 of 900 drawn items have no answer", True, bounds, counts),
        label_errors=LabelErrorsView("Annotators find 90% of the positives", corrected),
        disagreement="Annotators disagree about one item in ten.",
    )


@pytest.mark.parametrize(("width", "by"), [(1440, "light"), (390, "light"), (1440, "dark")])
@pytest.mark.parametrize("name", ["panel", "index"])
def test_axe_finds_nothing_serious_and_nothing_is_cut_off(browser, tmp_path, name, width, by):
    view = everything()
    states = [replace(view, headline=replace(view.headline, state=state)) for state in AlarmState]
    file = tmp_path / f"{name}.html"
    file.write_text(panel_page(view) if name == "panel" else index_page([(one, "a.html") for one in states]))
    size = {"width": width, "height": WIDTHS[width]}
    context = browser.new_context(viewport=size, bypass_csp=True, color_scheme=by)
    tab = context.new_page()
    tab.goto(file.as_uri())
    tab.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    SHOTS.mkdir(parents=True, exist_ok=True)
    tab.screenshot(path=SHOTS / f"{name}-{width}-{by}.png", full_page=True)
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    found = Axe().run(tab).response["violations"]
    context.close()
    serious = [rule for rule in found if rule["impact"] in {"serious", "critical"}]
    assert [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in serious] == []
