"""What a notification says besides its number: where it leads, and how the panel's other metrics are."""

import re
from dataclasses import replace

from stratawatch.core.alarms.alarm_states import AlarmState, BlindCause, Judgement
from stratawatch.core.goals import Limit
from stratawatch.engine.alarms.notifications import notify_breach
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.model.alarm_records import Incident, StreamKey
from stratawatch.engine.model.panel_links import PanelLinks
from tests.support.fakes import MONDAY, spec, unusable
from tests.support.scenario import cycle_of, label_cycle, label_weeks, open_all, relabel

KEPT = Limit("precision", floor=0.5, classifiers=("lr",))
LINKS = PanelLinks("spam team", "https://wiki.example.org/spam", "https://reports.example.org/spam/latest.html")


def linked(scenario):
    scenario.ports = replace(scenario.ports, links={"spam": LINKS, "ham": PanelLinks(owner="ham team")})
    return scenario


class TestLinks:
    def test_are_facts_of_a_page_and_of_its_end(self, make_scenario):
        scenario = linked(make_scenario(spec(budget=400)))
        scenario.produce(0, quality=0.2)
        label_cycle(scenario)
        relabel(scenario, "yes")
        assert [told.severity for told in scenario.channel.told][:2] == ["page", "resolved"]
        for told in scenario.channel.told:
            assert LINKS.facts.items() <= told.facts.items()

    def test_are_facts_of_a_panel_that_is_blind(self, scenario):
        linked(scenario)
        open_all(scenario)
        scenario.source.troubles = [unusable()]
        advance(scenario.ports)
        (told,) = scenario.channel.told
        assert LINKS.facts.items() <= told.facts.items()

    def test_that_are_not_said_are_no_facts(self, make_scenario):
        scenario = make_scenario(spec(budget=400), 0, quality=0.2)
        relabel(scenario, "yes")
        assert not LINKS.facts.keys() & scenario.channel.told[0].facts.keys()


class TestOthers:
    def test_are_told_the_worst_first_and_many_as_a_number(self, scenario):
        cycle = cycle_of(scenario, label_cycle(scenario))
        key = StreamKey("spam", "lr", "precision")
        states = {
            key: AlarmState.BREACH,
            StreamKey("spam", "rf", "precision"): AlarmState.OK,
            StreamKey("spam", "lr", "false_omission_rate"): AlarmState.BLIND,
            StreamKey(
                "spam", "lr", "precision", "country=DE"
            ): AlarmState.BREACH,  # its segments have lines of their own
            **{StreamKey("spam", f"m{number}", "recall"): AlarmState.UNPROVEN for number in range(5)},
        }
        judgements = {
            stream: Judgement(state, "why", BlindCause.FEW_LABELS if state == AlarmState.BLIND else None)
            for stream, state in states.items()
        }
        incident = Incident(1, key, AlarmState.BREACH, "k", cycle.id, MONDAY)
        with scenario.ports.store.begin() as tx:
            notify_breach(tx, scenario.ports, cycle, incident, judgements[key], judgements=judgements)
            (row,) = tx.outbox.about(["k"])
        assert row.body.splitlines()[3:6] == [
            "BLIND (cannot see): false omission rate of lr",
            "UNPROVEN (inside so far, not proven): recall of 5 classifiers",
            "OK (inside its limit): precision of rf",
        ]


class TestWhatItCosts:
    def test_is_told_in_a_reminder_and_in_all_at_the_end_with_why_and_how_long(self, make_scenario):
        scenario = make_scenario(spec(budget=400, limits=(KEPT, Limit("recall", floor=0.1, classifiers=("rf",)))))
        label_weeks(scenario, 0, size=1000)
        label_weeks(scenario, 1, 2, 3, size=1000, quality=0.2)
        label_weeks(scenario, 4, size=1000, quality=2.0)
        page, *_, second, end = [
            one for one in scenario.channel.told if one.dedup_key.endswith(":precision:all:breach:1.1")
        ]
        assert "So far" not in page.body
        cost = r"about (\d+) more wrong flags than usual \((\d+) to (\d+)\) in 3 windows\."
        said = re.search(
            r"Harm: about (\d+) wrong flags \((\d+) to (\d+)\) among (\d+) flags of this window; usually (\d+)\. So far "
            + cost,
            second.body,
        )
        wrong, low, high, flags, usual, more, least, most = map(int, said.groups())
        assert low <= wrong <= high <= flags
        assert least <= more <= most
        assert abs(more - 3 * (wrong - usual)) < wrong  # three windows alike
        why, lasted, harm, *others = end.body.splitlines()
        assert "is proven at or above the floor of 50" in why
        assert lasted == "It lasted for 3 windows, 2026-01-12 to 2026-02-02."
        assert re.fullmatch(f"Harm: {cost}", harm).groups() == tuple(map(str, (more, least, most)))
        assert any("precision of lr" in line for line in others)
        assert end.facts["reason"] == why

    def test_is_nothing_where_other_labels_took_the_page_back(self, make_scenario):
        scenario = make_scenario(spec(budget=400), 0, quality=0.2)
        relabel(scenario, "yes")
        end = scenario.channel.told[1]
        assert "It was about the window of 2026-01-05, which other labels put inside." in end.body
        assert "Harm" not in end.body
