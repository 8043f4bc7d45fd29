"""The dashboard on a desk and on a telephone: nothing is cut off, axe finds nothing serious, and no script is needed."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

WIDTHS = {1440: 900, 390: 844}
SHOTS = Path(__file__).parents[3] / "live-out" / "dashboard"
"""Where screenshots are kept for people to look at; git ignores it."""
PAGES = {
    "panels": "/",
    "panel": "/panels/spam",
    "classifier": "/panels/spam/classifiers/lr",
    "mistakes": "/panels/spam/mistakes",
    "plan": "/panels/spam/plan",
    "cycle": "/cycles/1",
    "incidents": "/incidents",
    "incident": "/incidents/1",
    "audit": "/audit",
    "refused": "/nothing",
    "report": "/panels/spam/report",
}


@pytest.fixture
def visit(browser, served):
    """A tab of an admin, and what it should not have done."""
    contexts = []

    def open_tab(width, **options):
        context = browser.new_context(viewport={"width": width, "height": WIDTHS[width]}, **options)
        contexts.append(context)
        tab, wrong = context.new_page(), []
        tab.on("console", lambda line: wrong.append(line.text) if line.type == "error" else None)
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        away = lambda request: None if request.url.startswith(served.address) else wrong.append(request.url)  # noqa: E731
        context.on("request", away)
        tab.goto(served.link("admin"))
        return tab, wrong

    yield open_tab
    for context in contexts:
        context.close()


@pytest.mark.parametrize(("width", "by"), [(1440, "light"), (390, "light"), (390, "dark")])
def test_every_page_fits_and_can_be_read_by_everybody(served, visit, width, by):
    SHOTS.mkdir(parents=True, exist_ok=True)
    tab, wrong = visit(width, color_scheme=by)
    for name, path in PAGES.items():
        tab.goto(served.address + path)
        tab.screenshot(path=SHOTS / f"{name}-{width}-{by}.png", full_page=True)
        assert tab.evaluate("document.documentElement.scrollWidth") <= width, name
        found = Axe().run(tab).response["violations"]
        serious = [rule for rule in found if rule["impact"] in {"serious", "critical"}]
        assert [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in serious] == [], name
    assert [line for line in wrong if "404" not in line] == []


def test_an_incident_is_acknowledged_without_script_by_the_keyboard_alone(served, visit):
    tab, _ = visit(390, java_script_enabled=False)
    tab.goto(f"{served.address}/incidents/1")
    tab.focus("#ack-why")
    tab.keyboard.type("rolling back")
    tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/incidents/1?note=acknowledged")
    assert "You look after it now." in tab.content()
    (told,) = [one for one in served.home.json("alerts", "list")["incidents"] if one["id"] == 1]
    assert (told["acknowledged_by"], told["acknowledged_why"]) == ("admin-ann", "rolling back")


def test_the_slider_asks_for_another_budget(served, visit):
    tab, _ = visit(1440, java_script_enabled=False)
    tab.goto(f"{served.address}/panels/spam/plan")
    tab.focus("#labels")
    tab.keyboard.press("End")
    tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/plan?labels=*")
    assert tab.locator("th.chosen a").last.inner_text() == tab.locator("thead th a").last.inner_text()
