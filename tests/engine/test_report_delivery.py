"""Word of a panel's report: written with the report, sent by an advance, once a week and to who asks for it."""

from dataclasses import replace

import pytest

from stratawatch.adapters.store.outbox import SqlOutbox
from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.goals import Limit
from stratawatch.engine.alarms.report_notices import PAGE, PICTURES, last_report
from stratawatch.engine.alarms.send_notifications import send_notifications
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.model.panel_links import PanelLinks
from stratawatch.engine.ports import ChannelRule
from stratawatch.report import build, deliver, write_reports
from stratawatch.report.delivery import report_notice
from tests.support.deaths import until_it_lives
from tests.support.deliveries import connect, outbox
from tests.support.fakes import FakeChannel, spec, unreachable, unusable
from tests.support.scenario import label_cycle, open_all
from tests.support.stores import opened_store

PANEL = spec(budget=60, limits=(Limit("precision", floor=0.4, classifiers=("lr",)),))
READ = ChannelRule(reports=True)
STEPS = ((SqlOutbox, "claim"), (FakeChannel, "send"), (SqlOutbox, "mark_sent"))
"""Before each of them somebody dies: nothing claimed, claimed, at the receiver and not marked, marked."""


@pytest.fixture
def scenario(make_scenario):
    made = make_scenario(PANEL)
    connect(made, made.channel, FakeChannel("other"), channel=READ)
    return made


@pytest.fixture
def report(scenario, tmp_path):
    """Writes the report and hands it to the outbox; says who is to be told."""

    def written(ports=None, *, with_pictures=False):
        ports, home = ports or scenario.ports, tmp_path / "reports"
        found = write_reports(ports.store, {"spam": PANEL}, home, ports.clock.now(), with_pictures=with_pictures)
        return deliver(ports, found.views, found.pages, tmp_path, found.pictures)

    return written


def received(scenario):
    return [one for one in scenario.channel.received if one.is_report]


class TestWhoIsTold:
    def test_is_who_asks_for_it_and_nobody_else(self, scenario, report):
        assert report() == {"spam": ("channel",)}
        send_notifications(scenario.ports)
        (word,) = received(scenario)
        assert word.dedup_key == "stratawatch:spam:report:2026-W03"
        assert word.facts[PAGE] == "reports/spam/2026-01-12.html"
        assert scenario.ports.channels["other"].received == []

    def test_is_nobody_where_no_channel_asks(self, scenario, report):
        connect(scenario, scenario.channel)
        assert report() == {}
        assert outbox(scenario) == ()


class TestOnceAWeek:
    def test_whoever_writes_it_how_often(self, scenario, report):
        assert report() == {"spam": ("channel",)}
        assert report() == {}
        scenario.clock.advance(days=3)
        assert report() == {}
        send_notifications(scenario.ports)
        send_notifications(scenario.ports)
        assert len(received(scenario)) == 1

    def test_again_in_the_next_week(self, scenario, report):
        report()
        scenario.clock.advance(days=7)
        assert report() == {"spam": ("channel",)}
        send_notifications(scenario.ports)
        assert [one.dedup_key[-3:] for one in received(scenario)] == ["W03", "W04"]

    def test_a_channel_that_comes_in_between_is_told_too(self, scenario, report):
        report()
        connect(scenario, scenario.channel, FakeChannel("late"), channel=READ, late=READ)
        assert report() == {"spam": ("late",)}

    def test_a_channel_that_was_away_gets_it_later(self, scenario, report):
        scenario.channel.troubles = [unreachable()]
        report()
        send_notifications(scenario.ports)
        assert received(scenario) == []
        scenario.clock.advance(minutes=10)
        send_notifications(scenario.ports)
        assert len(received(scenario)) == 1

    def test_though_whoever_sends_it_dies_at_every_step(self, scenario, report, tmp_path):
        """Written and not sent, or sent and not marked: the next advance finds it, and the key counts once."""
        report()
        scenario.ports.store.dispose()
        kept = tmp_path / "received"

        class KeptChannel(FakeChannel):
            """What it is sent outlives the process, as at a receiver that knows keys."""

            def send(self, notification):
                keys = kept.read_text().split("\n") if kept.exists() else []
                if notification.key not in keys:
                    kept.write_text("\n".join([*keys, notification.key]))
                return super().send(notification)

        connect(scenario, KeptChannel(), channel=READ)

        def once():
            ports = replace(scenario.ports, store=opened_store(tmp_path / "scenario0.db"))
            scenario.clock.advance(minutes=5)
            send_notifications(ports)

        assert until_it_lives(once, STEPS) == 4
        scenario.ports.store.dispose()
        assert [one.state for one in outbox(scenario)] == ["sent"]
        assert [key for key in kept.read_text().split("\n") if key] == [
            "stratawatch:spam:report:2026-W03|update|channel"
        ]


class TestWhatIsSaid:
    def lines(self, scenario, report):
        report()
        send_notifications(scenario.ports)
        return received(scenario)[-1].body.split("\n")

    def test_before_anything_was_judged(self, scenario, report):
        said = self.lines(scenario, report)
        assert said[:2] == ["No window has been opened yet.", "This is the first report that is sent."]
        assert said[-1] == "Page: reports/spam/2026-01-12.html"

    def test_what_is_waited_for(self, scenario, report):
        open_all(scenario)
        advance(scenario.ports)
        said = " ".join(self.lines(scenario, report))
        assert "is labelling, 0 of" in said

    def test_a_state_that_changed_and_a_week_without_anything(self, scenario, report):
        self.lines(scenario, report)
        label_cycle(scenario)
        scenario.clock.advance(days=7)
        (changed,) = [one for one in self.lines(scenario, report) if "since the report" in one]
        assert changed.startswith("Changed since the report of 2026-01-12: precision of lr not judged to ")
        scenario.clock.advance(days=7)
        said = self.lines(scenario, report)
        assert "No state changed since the report of 2026-01-19." in said

    def test_a_refused_window(self, scenario, report):
        scenario.source.troubles = [unusable()]
        open_all(scenario)
        advance(scenario.ports)
        said = self.lines(scenario, report)
        assert said[0] == "Newest window: the week of 2026-01-05 (UTC)."
        assert said[1].startswith("Nothing can be estimated of the newest window: its input was refused")
        assert received(scenario)[-1].subject.endswith(": BLIND")

    def test_with_a_link_no_path_is_named(self, scenario, report):
        links = {"spam": PanelLinks(report_url="https://reports.example.org/spam/latest.html")}
        scenario.ports = replace(scenario.ports, links=links)
        self.lines(scenario, report)
        assert received(scenario)[-1].facts["report_url"] == links["spam"].report_url


class TestPictures:
    def facts(self, scenario, report, **asked):
        report(**asked)
        send_notifications(scenario.ports)
        return received(scenario)[-1].facts

    def test_are_named_where_they_were_drawn(self, scenario, report, tmp_path):
        label_cycle(scenario)
        overview, *others = self.facts(scenario, report, with_pictures=True)[PICTURES]
        assert overview["file"].startswith("reports/spam/")
        assert overview["file"].endswith(".pictures/overview.png")
        assert (tmp_path / overview["file"]).is_file()
        assert "against their limits" in overview["finding"]
        assert len(others) <= 1

    def test_are_no_fact_where_nobody_asked_or_nothing_was_judged(self, scenario, report):
        assert PICTURES not in self.facts(scenario, report, with_pictures=True)
        label_cycle(scenario)
        scenario.clock.advance(days=7)
        assert PICTURES not in self.facts(scenario, report)


def test_what_is_not_proven_is_told_with_what_lacks(scenario):
    """It would be proven in so many windows; a fall of the last two is not hidden by that."""
    with scenario.ports.store.begin() as tx:
        before = last_report(tx, "spam", scenario.clock.now())
    label_cycle(scenario)
    view = build(scenario.ports.store, PANEL, scenario.clock.now())
    (judged,) = [one for one in view.scores if one.outlooks]
    facts = {"distance": 0.03, "windows_to_ok": 3, "labels": 300}
    steady, fell = (replace(judged.outlooks[0], **facts, fell_lately=each) for each in (False, True))

    def told(outlook):
        score = replace(judged, state=AlarmState.UNPROVEN, outlooks=(outlook,))
        return report_notice(replace(view, scores=(score,)), "reports/spam/latest.html", before).lines

    proof = "Not proven yet: precision of lr would be proven in about 3 more weeks of 300 labels"
    assert f"{proof}." in told(steady)
    assert f"{proof} (the last 2 weeks together are not inside)." in told(fell)
