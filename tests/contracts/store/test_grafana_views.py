"""Every query of the dashboard for Grafana, put to PostgreSQL as Grafana does, by a user with a reader's rights."""

import json
import re
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
from psycopg.rows import dict_row

from stratawatch.adapters.store import migrate, open_store
from stratawatch.cli.grants import statements
from stratawatch.core.alarms.alarm_states import URGENCY, AlarmState
from stratawatch.core.estimate import IntervalEstimate
from stratawatch.core.goals import Limit
from stratawatch.core.population import Segment
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.model.alarm_records import StreamKey, StreamState
from stratawatch.engine.model.states import CycleState, Entity
from stratawatch.report.budget_chart import COLOURS
from tests.support.fakes import MONDAY, WEEK, spec, unreachable
from tests.support.scenario import Scenario, label_cycle, open_all
from tests.support.store.examples import (
    NOW,
    PLAN,
    draws,
    estimate,
    frozen_cycle,
    incident,
    notification,
    open_cycle,
    planned_round,
    revision,
    said,
)

pytestmark = pytest.mark.postgres

ROOT = Path(__file__).parents[3]
DASHBOARD = json.loads((ROOT / "deployments/grafana/store_views.json").read_text(encoding="utf-8"))
VIEWS = re.findall(r"^## `(\w+)`$", (ROOT / "docs/views.md").read_text(encoding="utf-8"), re.MULTILINE)
PANELS = {panel["title"]: panel for panel in DASHBOARD["panels"]}
(STATES, UNACKNOWLEDGED, ESTIMATES, INCIDENTS, WINDOWS, LABELS, BATCHES, NOTIFICATIONS, ADVANCE) = PANELS
OF_ALL_PANELS = (NOTIFICATIONS, ADVANCE)
"""What belongs to no panel, so that the menu does not change it."""
QUOTED = """it's "spam'); DROP VIEW open_cycles; --"""
BOTH = ["spam", QUOTED]
ALWAYS = (datetime(2026, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC))
READER, NARROW = "grafana", "grafana_views"
"""A user with the rights of `stratawatch grants reader`, and one who may read the documented views alone."""
SHARES = {"value", "low", "high", "answered_share"}


@dataclass(frozen=True)
class GrafanaUser:
    """Who asks what the dashboard asks: a store that something happened in, and the address at which it is read."""

    scenario: Scenario
    address: str

    def ask(self, title, panels=BOTH, times=ALWAYS):
        """The rows of a panel of the dashboard."""
        (target,) = PANELS[title]["targets"]
        return self.rows(expanded(target["rawSql"], panels, times))

    def rows(self, sql):
        """What one statement finds; a second one behind it is a failure."""
        with psycopg.connect(self.address, row_factory=dict_row, autocommit=True) as connection:
            connection.execute("SET TimeZone = 'America/New_York'")  # days are UTC's wherever the server stands
            cursor = connection.execute(sql)
            found = cursor.fetchall()
            assert not cursor.nextset(), sql
            return found


def expanded(sql, panels, times=ALWAYS):
    """The query that the server gets: variables are replaced first, then macros, each as Grafana documents it."""
    assert set(re.findall(r"\$\{.*?\}|\$\w+", sql)) <= {"${panel:sqlstring}", "$__timeFilter"}, "nothing else is known"
    start, end = (f"{one:%Y-%m-%dT%H:%M:%SZ}" for one in times)
    chosen_panels = ",".join("'" + name.replace("'", "''") + "'" for name in panels)
    filled = sql.replace("${panel:sqlstring}", chosen_panels)
    return re.sub(r"\$__timeFilter\((\w+)\)", rf"\1 BETWEEN '{start}' AND '{end}'", filled)


@pytest.fixture(scope="module")
def grafana(new_postgres):
    """Two panels, the second with an awkward name: judged, told, asked, failed."""
    url = new_postgres()
    migrate(url)
    server = url.replace("+psycopg", "")
    store = open_store(url)
    scenario = judged_and_half_asked(store)
    with store.begin() as tx:
        awkward_panel(tx)
        tx.commit()
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(f"CREATE ROLE {READER} LOGIN")
        admin.execute(statements("reader", user=READER, schema="public"))
        admin.execute(f"CREATE ROLE {NARROW} LOGIN")
        admin.execute(f"GRANT SELECT ON {', '.join(VIEWS)} TO {NARROW}")
        yield GrafanaUser(scenario, server.replace("//postgres:", f"//{READER}:"))
        store.dispose()
        admin.execute(f"DROP OWNED BY {READER}, {NARROW} CASCADE")
        admin.execute(f"DROP ROLE {READER}, {NARROW}")


def judged_and_half_asked(store):
    """A week with a breach, of which no channel wants to hear, and one whose labels came by half."""
    limits = (
        Limit("precision", floor=0.99, classifiers=("lr",)),
        Limit("precision", floor=0.2, classifiers=("rf",)),
        Limit("precision", floor=0.5, segment=Segment("country", "AT")),
        Limit("recall", floor=0.6),
    )
    scenario = Scenario.around(store, spec(limits=limits))
    scenario.channel.troubles = [unreachable() for _ in range(99)]
    scenario.produce(0)
    label_cycle(scenario, channels_fail=True)
    scenario.produce(1)
    scenario.clock.moment = MONDAY + 2 * WEEK
    open_all(scenario)
    for _ in range(2):
        scenario.clock.advance(hours=1)
        advance(scenario.ports)
        scenario.queue.answer(scenario.clock.now(), only=lambda key: key < "8")
    return scenario


def awkward_panel(tx):
    """What the other panel has not: two annotators, words that do not count, a failed step, an unsent batch."""
    planned = planned_round(tx, panel=QUOTED)
    tx.cycles.count_failure(planned.cycle, "the disk is full")
    known = IntervalEstimate(0.5, 0.25, 0.75, 9.0)
    first = (estimate(result=known), estimate("recall"), estimate("false_omission_rate"))
    tx.estimates.add(revision(planned.cycle, 1, estimates=first))
    tx.estimates.add(revision(planned.cycle, 2, estimates=(estimate("recall", result=known),)))
    refused = open_cycle(tx, 1, QUOTED)
    tx.move(Entity.CYCLE, refused, CycleState.OPEN, CycleState.REFUSED, at=NOW, why="no rows")
    judge(tx, planned.cycle, "precision", AlarmState.BREACH, "below")
    judge(tx, planned.cycle, "recall", AlarmState.BREACH, "of the revision before")
    judge(tx, refused, "false_omission_rate", AlarmState.BLIND, "of the window after")
    judge(tx, planned.cycle, "precision", AlarmState.UNPROVEN, "nothing to see", "svm")
    opened = tx.alarms.open_incident(incident(planned.cycle, AlarmState.BREACH, StreamKey(QUOTED, "lr", "precision")))
    tx.alarms.acknowledge_incident(opened, NOW, "ann", "it is the new model")
    same_items = frozen_cycle(tx, panel="echo")
    tx.rounds.add(same_items, PLAN, draws(panel=QUOTED), [], NOW)
    words = [("a", "no"), ("a", "yes"), ("b", "skip"), ("c", "yes"), ("c", "retract")]
    tx.labels.add(
        [said(item, f"{number}", word, "ann", number, QUOTED) for number, (item, word) in enumerate(words)], NOW
    )
    tx.labels.add([said("b", "late", "no", "bob", panel=QUOTED)], NOW)
    tx.outbox.add(notification(channel="mail"))
    (given_up,) = (one for one in tx.outbox.undelivered() if one.channel == "mail")
    tx.outbox.put_back(given_up.id, "no such address", None)


def judge(tx, cycle, metric, state, reason, classifier="lr"):
    tx.alarms.add_states([StreamState(StreamKey(QUOTED, classifier, metric), cycle, 1, state, reason, NOW)])


def chosen(rows, *columns):
    return [tuple(row[column] for column in columns) for row in rows]


class TestEveryQuery:
    @pytest.mark.parametrize("title", PANELS)
    def test_finds_rows_of_both_panels_and_of_each(self, grafana, title):
        assert grafana.ask(title), f"{title} shows nothing"
        for panel in BOTH:
            assert grafana.ask(title, [panel]), f"{title} shows nothing of {panel}"

    @pytest.mark.parametrize(
        "title", [title for title in PANELS if title not in (*OF_ALL_PANELS, UNACKNOWLEDGED, LABELS)]
    )
    def test_finds_rows_of_no_other_panel(self, grafana, title):
        for panel in BOTH:
            assert {row["panel"] for row in grafana.ask(title, [panel])} == {panel}
        assert grafana.ask(title, ["nobody's' OR '1' = '1"]) == []

    @pytest.mark.parametrize("title", PANELS)
    def test_has_the_columns_that_are_formatted_and_formats_every_share(self, grafana, title):
        columns = set(grafana.ask(title)[0])
        overrides = PANELS[title]["fieldConfig"]["overrides"]
        assert {one["matcher"]["id"] for one in overrides} <= {"byName"}
        assert {one["matcher"]["options"] for one in overrides} <= columns
        shares = {
            one["matcher"]["options"]
            for one in overrides
            if {"id": "unit", "value": "percentunit"} in one["properties"]
        }
        assert shares == columns & SHARES

    @pytest.mark.parametrize("title", PANELS)
    def test_needs_the_documented_views_and_no_table(self, grafana, title):
        narrow = GrafanaUser(grafana.scenario, grafana.address.replace(f"//{READER}:", f"//{NARROW}:"))
        assert narrow.ask(title)
        assert narrow.rows("SELECT current_user AS me") == [{"me": NARROW}]

    def test_can_be_put_by_a_reader_who_may_change_nothing(self, grafana):
        assert grafana.rows("SELECT current_user AS me") == [{"me": READER}]
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            grafana.rows("UPDATE cycles SET failures = 0 RETURNING id")


class TestRows:
    """What a few of them show is what the store itself says."""

    def test_states_are_those_that_matter_with_the_worst_first(self, grafana):
        with grafana.scenario.ports.store.begin() as tx:
            known = [one for panel in BOTH for one in tx.alarms.current_states(panel)]
        expected = [
            (str(one.state), one.key.panel, one.key.classifier, one.key.metric, str(one.key.segment or "all items"))
            for one in known
            if one.state not in (AlarmState.OK, AlarmState.UNPROVEN)
        ]
        assert {one.state for one in known} == set(AlarmState)
        found = chosen(grafana.ask(STATES), "state", "panel", "classifier", "metric", "segment")
        assert sorted(found) == sorted(expected)
        assert [row[0] for row in found] == sorted((row[0] for row in found), key=URGENCY.index)
        assert {row[0] for row in found} == {"BREACH", "BLIND", "AT RISK"}

    def test_estimates_are_the_newest_each_once_with_its_limit_or_why_there_is_none(self, grafana):
        with grafana.scenario.ports.store.begin() as tx:
            ((_, newest),) = tx.estimates.history("spam", newest=1)
        found = grafana.ask(ESTIMATES, ["spam"])
        expected = {
            (one.classifier, one.metric, str(one.segment or "all items")): getattr(one.result, "value", None)
            for one in newest.estimates
        }
        assert {(row["classifier"], row["metric"], row["segment"]): row["value"] for row in found} == expected
        assert len(found) == len(expected)
        reasons = {(row["classifier"], row["metric"], row["segment"]): row["reason"] for row in found}
        assert "below the floor of 99.0%" in reasons["lr", "precision", "all items"]
        assert reasons["rf", "recall", "country=AT"] == "it judged no item in country=AT"
        assert reasons["lr", "false_omission_rate", "all items"] is None

    def test_reasons_are_of_the_judgement_that_was_made_from_the_estimate(self, grafana):
        found = chosen(grafana.ask(ESTIMATES, [QUOTED]), "metric", "value", "reason")
        assert found == [("false_omission_rate", 0.8125, None), ("precision", 0.5, "below"), ("recall", 0.5, None)]

    def test_labels_are_counted_by_the_day_that_they_were_said_on(self, grafana):
        expected = Counter((f"{event.at:%Y-%m-%d}", event.annotator) for event in grafana.scenario.queue.said)
        assert len(expected) == 2
        assert labels(grafana, ["spam"]) == expected
        assert labels(grafana, [QUOTED]) == {("2026-02-02", "ann"): 1, ("2026-02-02", "bob"): 1}
        assert labels(grafana, BOTH) == expected | labels(grafana, [QUOTED])

    def test_a_label_counts_once_where_two_panels_ask_about_an_item(self, grafana):
        rows = grafana.rows("SELECT DISTINCT panel FROM label_ledger WHERE annotator = 'bob'")
        assert {row["panel"] for row in rows} == {QUOTED, "echo"}
        assert labels(grafana, [QUOTED, "echo"]) == labels(grafana, [QUOTED])

    def test_labels_are_those_of_the_time_that_is_looked_at_in_its_order(self, grafana):
        february = (datetime(2026, 2, 1, tzinfo=UTC), ALWAYS[1])
        assert {row["time"].month for row in grafana.ask(LABELS, times=february)} == {2}
        times = [row["time"] for row in grafana.ask(LABELS)]
        assert times == sorted(times)

    def test_windows_begin_with_the_one_that_fails(self, grafana):
        failing, asked = grafana.ask(WINDOWS)
        assert (failing["panel"], failing["failures"], failing["last_error"]) == (QUOTED, 1, "the disk is full")
        assert (asked["panel"], asked["failures"], asked["state"]) == ("spam", 0, "labelling")
        assert 0 < asked["answered"] < asked["drawn"]
        assert asked["answered_share"] == asked["answered"] / asked["drawn"]

    def test_incidents_are_all_that_are_open_and_the_number_is_of_those_nobody_took(self, grafana):
        with grafana.scenario.ports.store.begin() as tx:
            known = tx.alarms.incidents(only_open=True)
        found = grafana.ask(INCIDENTS)
        assert {row["incident"] for row in found} == {one.id for one in known}
        assert [row["acknowledged_by"] for row in found if row["acknowledged_at"]] == ["ann"]
        assert grafana.ask(UNACKNOWLEDGED) == [{"incidents": len(known) - 1}]
        assert grafana.ask(UNACKNOWLEDGED, [QUOTED]) == [{"incidents": 0}]

    def test_batches_notifications_and_the_last_advance_say_what_fails(self, grafana):
        assert chosen(grafana.ask(BATCHES), "panel", "state", "batches") == [
            (QUOTED, "planned", 1),
            ("spam", "sent", 1),
        ]
        given_up, tried = grafana.ask(NOTIFICATIONS)
        assert (given_up["channel"], given_up["state"]) == ("mail", "failed")
        assert given_up["last_error"] == "no such address"
        assert (tried["channel"], tried["state"], tried["notifications"]) == ("channel", "pending", 2)
        (ran,) = grafana.ask(ADVANCE)
        assert "the channel 'channel' did not take" in ran["troubles"]
        assert 0 <= ran["since_good"] < 3600


def labels(grafana, panels):
    rows = grafana.ask(LABELS, panels)
    return Counter({(f"{row['time'].astimezone(UTC):%Y-%m-%d}", row["metric"]): row["labels"] for row in rows})


class TestTheDashboard:
    def test_offers_the_panels_that_there_are(self, grafana):
        (menu,) = (one for one in DASHBOARD["templating"]["list"] if one["name"] == "panel")
        assert menu["query"] == menu["definition"]
        assert {row["panel"] for row in grafana.rows(menu["query"])} == {*BOTH, "echo"}

    def test_asks_the_database_that_was_chosen_and_nothing_else(self):
        (source,) = (one for one in DASHBOARD["templating"]["list"] if one["type"] == "datasource")
        (menu,) = (one for one in DASHBOARD["templating"]["list"] if one["type"] == "query")
        asked = [menu, *PANELS.values(), *(target for panel in PANELS.values() for target in panel["targets"])]
        expected = {"type": source["query"], "uid": f"${{{source['name']}}}"}
        assert [one["datasource"] for one in asked] == [expected] * len(asked)

    def test_has_colours_that_everybody_can_tell_apart(self):
        assert set(re.findall(r"#\w{6}", json.dumps(DASHBOARD))) <= set(COLOURS)
        assert not re.search(r'"(?:fixedColor|color)": "(?!#|transparent)', json.dumps(DASHBOARD))

    def test_lies_in_a_grid_without_overlaps(self):
        places = [
            (x, y)
            for panel in DASHBOARD["panels"]
            for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
            for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
        ]
        assert len(places) == len(set(places))
        assert {x for x, _ in places} == set(range(24))
