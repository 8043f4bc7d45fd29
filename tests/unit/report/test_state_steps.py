"""What to do about each state: on the page, and in docs/runbook.md."""

from dataclasses import replace
from pathlib import Path

from stratawatch.core.alarms.alarm_states import URGENCY, AlarmState
from stratawatch.engine.model.panel_links import STEPS_ANCHOR, PanelLinks
from stratawatch.report import build
from stratawatch.report.page import panel_page
from stratawatch.report.state_steps import STEPS, steps_of
from tests.support.report_quarter import NOW, Memory, quarter, spec

RUNBOOK = Path(__file__).parents[3] / "docs" / "runbook.md"


def test_every_state_has_steps_and_a_part_of_the_runbook():
    parts = [line.removeprefix("## ") for line in RUNBOOK.read_text(encoding="utf-8").splitlines() if line[:3] == "## "]
    assert set(STEPS) == set(AlarmState)
    assert set(parts) == {*(state.value for state in AlarmState), "RESOLVED"}


def test_each_part_of_the_runbook_says_the_four_things():
    for part in RUNBOOK.read_text(encoding="utf-8").split("\n## ")[1:]:
        for said in ("**It claims**", "**Look first", "**Do", "**It ends**"):
            assert said in part, (part[:20], said)


def test_commands_have_the_panels_name_as_a_shell_reads_it():
    one = dict(steps_of("my panel"))[AlarmState.UNPROVEN]
    assert one.first == ("stratawatch plan 'my panel'",)


def steps_section(store) -> str:
    return panel_page(build(store, store.panel, NOW)).partition(f'<section id="{STEPS_ANCHOR}">')[2]


def test_the_page_has_those_of_every_state_the_most_urgent_first_and_opens_its_own():
    """An alert of Wednesday leads to Monday's page, whose states may be others."""
    store = quarter()
    section = steps_section(store).partition("</section>")[0]
    parts = section.split("<details")[1:]
    assert [STEPS[AlarmState(word)].do in part for word, part in zip(URGENCY, parts, strict=True)] == [True] * 5
    present = build(store, store.panel, NOW).present
    assert 0 < len(present) < len(URGENCY)
    assert [part.startswith(" open") for part in parts] == [AlarmState(word) in present for word in URGENCY]


def test_the_page_has_them_before_anything_was_judged():
    section = steps_section(Memory(spec()))
    assert section.count("<details>") >= len(URGENCY)
    assert STEPS[AlarmState.BREACH].do in section


def test_a_runbook_on_the_page_itself_is_no_lead():
    store = quarter()
    page = "https://reports.example.org/toxicity/latest.html"
    links = PanelLinks(owner="team", runbook=f"{page}#{STEPS_ANCHOR}", report_url=page)
    assert [lead.name for lead in replace(build(store, store.panel, NOW), links=links).leads] == ["Owner"]
