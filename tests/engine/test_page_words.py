"""What a notification says besides its number: where it leads, and how the panel's other metrics are."""

import re
from dataclasses import replace

from stratawatch.core.alarms.alarm_states import AlarmState, BlindCause, Judgement
from stratawatch.core.goals import Limit
from stratawatch.engine.alarms.acknowledgements import acknowledge_incident
from stratawatch.engine.alarms.notifications import notify_breach
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.evidence.duration import LookedAt, duration
from stratawatch.engine.model.alarm_records import Incident, StreamKey
from stratawatch.engine.model.idempotency_keys import item_key, question_wording
from stratawatch.engine.model.panel_links import PanelLinks
from stratawatch.engine.model.panel_spec import CallCosts, Window
from stratawatch.report.view import build
from tests.support.fakes import MONDAY, WEEK, spec, unusable
from tests.support.scenario import cycle_of, label_cycle, label_weeks, open_all, relabel

KEPT = Limit("precision", floor=0.5, classifiers=("lr",))
LINKS = PanelLinks("spam team", "https://wiki.example.org/spam", "https://reports.example.org/spam/latest.html")


def miss(scenario, period):
    """Label a week in which a fifth of what lr passes is true as well; returns how many it misses."""
    scenario.produce(period, size=1000)
    rows, start = scenario.source.windows, MONDAY + period * WEEK
    passed = [row for row in rows[start] if row.scores[0] < 0.5]
    hidden = {row.item for row in passed[::5]}
    rows[start] = [replace(row, truth=row.truth or row.item in hidden) for row in rows[start]]
    question = question_wording(scenario.panel.question, scenario.panel.guideline, None)
    scenario.queue.truth |= {item_key("spam", item, question): True for item in hidden}
    scenario.clock.moment = start + WEEK
    label_cycle(scenario)
    return sum(row.truth for row in rows[start] if row.scores[0] < 0.5)


def linked(scenario):
    scenario.ports = replace(scenario.ports, links={"spam": LINKS, "ham": PanelLinks(owner="ham team")})
    return scenario


class TestLinks:
    def test_are_facts_of_a_page_and_of_its_end(self, make_scenario):
        scenario = linked(make_scenario(spec(budget=400)))
        scenario.produce(0, quality=0.2)
        label_cycle(scenario)
        relabel(scenario, "yes")
        assert [notification.severity for notification in scenario.channel.received][:2] == ["page", "resolved"]
        for notification in scenario.channel.received:
            assert LINKS.facts.items() <= notification.facts.items()

    def test_of_a_reminder_and_an_end_are_those_of_their_day(self, make_scenario):
        scenario = linked(make_scenario(spec(budget=400, limits=(KEPT,))))
        label_weeks(scenario, 0, size=1000, quality=0.2)
        scenario.ports = replace(scenario.ports, links={"spam": PanelLinks("new team", LINKS.runbook)})
        label_weeks(scenario, 1, size=1000, quality=0.2)
        label_weeks(scenario, 2, size=1000, quality=2.0)
        page, reminder, end = scenario.channel.received
        assert page.facts["owner"] == "spam team"
        for one in (reminder, end):
            assert (one.facts["owner"], one.facts["runbook"]) == ("new team", LINKS.runbook)
            assert "report_url" not in one.facts

    def test_are_facts_of_a_panel_that_is_blind(self, scenario):
        linked(scenario)
        open_all(scenario)
        scenario.source.troubles = [unusable()]
        advance(scenario.ports)
        (notification,) = scenario.channel.received
        assert LINKS.facts.items() <= notification.facts.items()

    def test_that_are_not_said_are_no_facts(self, make_scenario):
        scenario = make_scenario(spec(budget=400), 0, quality=0.2)
        relabel(scenario, "yes")
        assert not LINKS.facts.keys() & scenario.channel.received[0].facts.keys()


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
            notify_breach(
                tx,
                scenario.ports,
                cycle,
                incident,
                judgements[key],
                states={one: said.state for one, said in judgements.items()},
            )
            (row,) = tx.outbox.about(["k"])
        assert row.body.splitlines()[3:6] == [
            "Cannot be seen (BLIND): false omission rate of lr.",
            "Not proven either way (UNPROVEN): recall of 5 classifiers.",
            "Fine, proven (OK): precision of rf.",
        ]


class TestWhatItCosts:
    def test_is_told_in_a_reminder_and_in_all_at_the_end_with_why_and_how_long(self, make_scenario):
        scenario = make_scenario(spec(budget=400, limits=(KEPT, Limit("recall", floor=0.1, classifiers=("rf",)))))
        label_weeks(scenario, 0, size=1000)
        label_weeks(scenario, 1, 2, 3, size=1000, quality=0.2)
        label_weeks(scenario, 4, size=1000, quality=2.0)
        page, *_, second, end = [
            one for one in scenario.channel.received if one.dedup_key.endswith(":precision:all:breach:1.1")
        ]
        assert "So far" not in page.body
        cost = r"about (\d+) more wrong flags than usual \((\d+) to (\d+)\) in 3 weeks\."
        said = re.search(
            r"Harm: about (\d+) wrong flags \((\d+) to (\d+)\) this week, of (\d+) flags; a usual week has (\d+)\. So far "
            + cost,
            second.body,
        )
        sure = r"Sure: yes, proven\. All of this week's interval, [\d.]+% to [\d.]+%, is outside the 50% allowed\."
        assert re.search(sure, second.body)
        weeks = re.search(r"Still on: yes, in week 3 of it; .* \((.+) wrong\)\.", second.body)
        assert len(weeks[1].split(", ")) == 3
        wrong, low, high, flags, usual, more, least, most = map(int, said.groups())
        assert low <= wrong <= high <= flags
        assert least <= more <= most
        assert abs(more - 3 * (wrong - usual)) < wrong  # three windows alike
        now, before, lasted, harm, left, over, *others = end.body.splitlines()
        paged = re.match(r"Now: (.+%) of its flags are wrong (\(.+\)), at most", page.body)
        assert before == f"Before: {paged[1]} wrong {paged[2]} in the week of 2026-01-12, which was paged."
        why = over.removeprefix("It is over: precision ")
        assert "is proven at or above the floor of 50" in why
        share = float(re.match(r"Now: (.+)% of its flags are wrong \(.+\), at most 50% allowed\.", now)[1])
        told = re.fullmatch(r"RESOLVED: lr \(spam\): (.+)% of its flags are wrong, at most 50% allowed", end.subject)
        assert abs(float(told[1]) - share) < 0.5
        assert lasted == "It lasted for 3 weeks (2026-01-12 to 2026-02-02)."
        assert re.fullmatch(f"Harm: {cost}", harm).groups() == tuple(map(str, (more, least, most)))
        assert left == "Left to do: put right what the wrong flags of that time did."
        assert any("precision of lr" in line for line in others)
        assert end.facts["reason"] == why

    def test_does_not_count_a_week_after_it_and_names_who_looked_after_it(self, make_scenario):
        scenario = make_scenario(spec(budget=400, limits=(KEPT,)), 0, size=1000)
        label_weeks(scenario, 1, 2, size=1000, quality=0.2)
        acknowledge_incident(replace(scenario.ports, by="ann"), 1, "rolling back")
        label_weeks(scenario, 3, size=1000, quality=1.1)
        label_weeks(scenario, 4, size=1000, quality=2.0)
        end = scenario.channel.received[-1]
        _, before, cared, lasted, harm, *_ = end.body.splitlines()
        assert end.severity == "resolved"
        assert before.endswith(" in the week of 2026-01-12, which was paged.")
        assert cared == "Looked after by ann since 2026-01-26 03:00 +00:00: rolling back."
        assert lasted.startswith("It lasted for 2 weeks (2026-01-12 to 2026-01-26), at most 3 ")
        assert harm.endswith(" in 2 weeks.")

    def test_is_told_in_money_too_where_the_cost_of_one_is_known(self, make_scenario):
        costs = CallCosts("EUR", wrong_flag=2.5)
        scenario = make_scenario(spec(budget=400, limits=(KEPT,), costs=costs), 0, size=1000)
        label_weeks(scenario, 1, 2, 3, size=1000, quality=0.2)
        label_weeks(scenario, 4, size=1000, quality=2.0)
        *_, second, end = [
            one for one in scenario.channel.received if one.dedup_key.endswith(":precision:all:breach:1.1")
        ]
        more = r"about ([\d,]+) EUR more than usual \(([\d,]+) to ([\d,]+)\) in 3 weeks\."
        said = re.search(
            r"Harm: about (\d+) wrong flags \((\d+) to (\d+)\) this week, .*\n"
            r"Cost: about ([\d,]+) EUR this week \(([\d,]+) to ([\d,]+)\), at 2\.5 each; a usual week has ([\d,]+)\. So far "
            + more,
            second.body,
        )
        numbers = [float(number.replace(",", "")) for number in said.groups()]
        for wrong, cost in zip(numbers[:3], numbers[3:6], strict=True):
            assert abs(cost - 2.5 * wrong) <= 5  # both are told with three digits
        assert numbers[8] <= numbers[7] <= numbers[9]
        assert re.search(f"Cost: {more}", end.body).groups() == said.groups()[7:]

    def test_of_calls_whose_cost_nobody_said_is_told_in_calls(self, make_scenario):
        scenario = make_scenario(spec(budget=400, limits=(KEPT,), costs=CallCosts("EUR", miss=40.0)), 0, size=1000)
        label_weeks(scenario, 1, size=1000, quality=0.2)
        assert "Harm: about" in scenario.channel.received[0].body
        assert "EUR" not in scenario.channel.received[0].body

    def test_weeks_that_look_fine_and_are_not_proven_are_not_told_as_certain(self, make_scenario):
        scenario = make_scenario(spec(budget=400, limits=(KEPT,)), 0, size=1000)
        label_weeks(scenario, 1, size=1000, quality=0.2)
        with scenario.ports.store.begin() as tx:
            (incident,) = tx.alarms.incidents()
            paged = tx.cycles.get(incident.cycle_id)
            weeks = [paged.window.start + number * WEEK for number in range(5)]
            over = replace(paged, window=Window(weeks[4], weeks[4] + WEEK))

            def said(**later):
                return duration(tx, scenario.panel, incident, over, LookedAt(**later)).sentence(scenario.panel.windows)

            assert said(outside=weeks[1:4]) == "It lasted for 4 weeks (2026-01-12 to 2026-02-09)."
            assert said() == "It lasted for at least 1 week, most likely 4 (2026-01-12 to 2026-02-09)."
            assert said(fine=weeks[2:4], outside=weeks[1:2]) == (
                "It lasted for 2 weeks (2026-01-12 to 2026-01-26), at most 4 (2026-01-12 to 2026-02-09)."
            )
            # A week that looks fine before one that does not is a part of it.
            assert said(fine=[weeks[1], weeks[3]], outside=[weeks[2]]) == (
                "It lasted for 3 weeks (2026-01-12 to 2026-02-02), at most 4 (2026-01-12 to 2026-02-09)."
            )
            sooner = replace(paged, window=Window(weeks[0], weeks[1]))
            assert duration(tx, scenario.panel, incident, sooner, LookedAt()) is None

    def test_weeks_that_it_may_have_begun_in_are_not_told_as_certain(self, make_scenario):
        """About five points: no single week of 150 labels proves that before the third."""
        limit = Limit("precision", floor=0.66, classifiers=("rf",))
        scenario = make_scenario(spec(budget=150, limits=(limit,)), 0, 1, 2)
        (page,) = scenario.channel.received
        since, first, last = re.search(
            r"the week of (\S+), most likely \(90% sure: (\S+) to (\S+)\)", page.body
        ).groups()
        with scenario.ports.store.begin() as tx:
            (incident,) = tx.alarms.incidents()
            paged = tx.cycles.get(incident.cycle_id)
            over = replace(paged, window=Window(paged.window.end, paged.window.end + WEEK))
            found = duration(tx, scenario.panel, incident, over, LookedAt())
            told = [f"{one:%Y-%m-%d}" for one in (found.first, found.likely, found.last)]
            assert told == [first, since, last]
            assert found.first < found.last
            assert re.fullmatch(r"It lasted for .+; 90% sure\.", found.sentence(scenario.panel.windows))
            # Without the window in which it began nothing is known but the page.
            bare = duration(tx, scenario.panel, replace(incident, since=None), over, LookedAt())
            assert (bare.first, bare.last, bare.over) == (paged.window.start, paged.window.start, paged.window.end)

    def test_a_limit_that_was_never_kept_is_no_change_to_look_for(self, make_scenario):
        """Two weeks far below a floor that is set before the third."""
        scenario = make_scenario(spec(limits=()), 0, 1, quality=0.2)
        scenario.panel = replace(scenario.panel, limits=(Limit("precision", floor=0.8, classifiers=("lr",)),))
        label_weeks(scenario, 2, quality=0.2)
        (page,) = scenario.channel.received
        assert "\nSince: before the week of 2026-01-19; it was outside its limit then too.\n" in page.body
        assert "\n2. See what lr gets wrong (stratawatch mistakes spam --classifier lr), and whether" in page.body

    def test_a_week_that_looks_fine_is_not_told_as_broken(self, make_scenario):
        near = Limit("precision", floor=0.47, classifiers=("lr",))
        scenario = make_scenario(spec(limits=(near,)), 0, quality=0.2)
        label_weeks(scenario, 1)
        _, reminder = scenario.channel.received
        now = r"\d\d% of its flags are wrong, at most 53% allowed"
        assert re.fullmatch(rf"NOT YET PROVEN OVER, week 2: lr \(spam\): {now}", reminder.subject)
        sure = (
            "Sure: not yet. This week by itself looks fine; it ends once that is proven and the last 2 weeks together "
        )
        assert f"{sure}are inside." in reminder.body
        assert "Where: " not in reminder.body
        headline = build(scenario.ports.store, scenario.panel, scenario.clock.now()).headline
        assert headline.state == AlarmState.BREACH
        assert headline.sentence.endswith(
            "% of its flags are wrong, at most 53% allowed; inside again so far, not proven yet."
        )

    def test_of_recall_is_in_misses(self, make_scenario):
        """From week 2 on a fifth of what lr passes is true: it misses them, and its flags are as right as before."""
        kept = Limit("recall", floor=0.3, classifiers=("lr",))
        scenario = make_scenario(spec(budget=400, limits=(kept,)), 0, 1, size=1000)
        missed = [miss(scenario, period) for period in (2, 3)]
        page, reminder = scenario.channel.received
        said = re.search(
            r"Harm: about (\d+) misses \((\d+) to (\d+)\) this week, of (\d+) items that it passed; a usual week has (\d+)\.",
            page.body,
        )
        number, low, high, passed, usual = map(int, said.groups())
        assert low <= number <= high
        assert low <= missed[0] <= high
        assert missed[0] < passed < 1000
        assert usual < low
        more, least, most = map(
            int,
            re.search(
                r"So far about (\d+) more misses than usual \((\d+) to (\d+)\) in 2 weeks\.", reminder.body
            ).groups(),
        )
        assert least <= more <= most
        assert abs(more - sum(missed) + 2 * usual) < most - least
        assert re.match(r"lr \(spam\): \d+% of what it should flag is missed, usually \d+%", page.subject)
        assert re.match(
            r"Now: .*% of what it should flag is missed \(.*\), at most 70% allowed; usually .*%\.", page.body
        )

        shown = build(scenario.ports.store, scenario.panel, scenario.clock.now()).headline
        assert f"STILL BROKEN, week 2: {shown.sentence}" == f"{reminder.subject}."
        told = [*map(str, shown.told)]
        assert {*told} & {*reminder.body.splitlines()} >= {*reminder.body.splitlines()[:4]}
        assert [line.name for line in shown.told if line.command == "stratawatch alerts ack 1"] == ["Do first"]
        assert not [line for line in told if "confidence" in line]
        assert [line.split(": ")[0] for line in told[:3]] == ["Now", "Since", "Still on"]
        assert shown.deeper[-1].startswith("Proof: recall of lr ")

    def test_is_nothing_where_other_labels_took_the_page_back(self, make_scenario):
        scenario = make_scenario(spec(budget=400), 0, quality=0.2)
        relabel(scenario, "yes")
        end = scenario.channel.received[1]
        assert "It was about the week of 2026-01-05, which other labels put inside." in end.body
        assert "Before" not in end.body
        assert "Harm" not in end.body
