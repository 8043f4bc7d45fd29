"""Queries of everyday commands find their rows by an index among 104 weeks of 50 classifiers: on every database."""

import itertools
import re
from contextlib import contextmanager

import pytest
from sqlalchemy import event, text

from stratawatch.adapters.status_queries import queries
from stratawatch.adapters.store import open_store
from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.estimate import Estimate, IntervalEstimate
from stratawatch.core.goals import Limit
from stratawatch.engine.model.alarm_records import StreamKey, StreamState
from stratawatch.engine.model.cycle_facts import Revision
from stratawatch.engine.model.evidence_records import EvidenceRestart, EvidenceRow, JudgementRule
from stratawatch.engine.model.panel_spec import ClassifierSpec
from stratawatch.engine.model.states import ACTIVE_CYCLES, BatchState, CycleState, Entity
from tests.support.store.examples import MINUTE, NOW, PLAN, draws, frozen, item_key, said, spec, window
from tests.support.store.repeated_cycle import repeat_cycle

WEEKS, CLASSIFIERS = 104, 50
GROWING = [
    "alarm_states",
    "atom_segments",
    "atoms",
    "batches",
    "candidates",
    "draws",
    "estimates",
    "evidence",
    "evidence_restarts",
    "incidents",
    "judgement_rules",
    "label_events",
    "notifications",
    "quarantine",
    "revisions",
    "rounds",
    "transitions",
]
READ_WHOLE = {"streams": {"alarm_states"}, "incidents": {"alarm_states"}, "current_states": {"alarm_states"}}
"""The newest judgement of every stream is found in one pass over all judgements: 10,400 rows."""


@pytest.fixture
def filled(store_url):
    """A store with a judged cycle a week."""
    store = open_store(store_url)
    names = [f"model_{number:02d}" for number in range(CLASSIFIERS)]
    panel = spec(classifiers=tuple(ClassifierSpec(n, n, cut_off=0.5) for n in names), limits=(Limit("precision", 0.5),))
    items = [f"i{number}" for number in range(30)]
    with store.begin() as tx:
        cycle = tx.cycles.open("spam", tx.panels.save(panel, NOW), 0, window(), NOW)
        tx.cycles.freeze(cycle, frozen(items), NOW)
        tx.rounds.add(cycle, PLAN, draws(items), [], NOW)
        tx.labels.add([said(item, f"e{item}") for item in items], NOW)
        found = [
            Estimate(name, metric, None, IntervalEstimate(0.8, 0.7, 0.9, 50.0), 30, "m", 0.95)
            for name in names
            for metric in ("precision", "recall")
        ]
        tx.estimates.add(Revision(cycle, 1, "f", tx.labels.newest_event_id(), NOW, tuple(found)))
        keys = [StreamKey("spam", estimate.classifier, estimate.metric) for estimate in found]
        tx.alarms.add_states([StreamState(key, cycle, 1, AlarmState.OK, "fine", NOW) for key in keys])
        facts = {"ordinal": 1, "limit": 0.5, "stake": 1.0, "log_e": 0.1, "labels": 30}
        bets = [EvidenceRow(key, "floor", cycle, 1, loss=loss, **facts) for key in keys for loss in (0.03, 0.06, 0.12)]
        tx.evidence.add(bets)
        tx.evidence.restart(EvidenceRestart("spam", None, cycle, "paged", NOW))
        tx.evidence.keep_rule(JudgementRule(cycle, "evidence", 0.01))
        moves = [CycleState.OPEN, CycleState.FROZEN, CycleState.LABELLING, CycleState.SETTLED, CycleState.JUDGED]
        for old, new in itertools.pairwise(moves):
            tx.move(Entity.CYCLE, cycle, old, new, at=NOW, why="")
        tx.commit()
    repeat_cycle(store._engine, WEEKS)
    yield store
    store.dispose()


@contextmanager
def statements(engine):
    """The statements that are sent meanwhile, with their parameters."""
    sent = []
    listen = lambda _c, _cursor, statement, values, *_: sent.append((statement, values))  # noqa: E731
    event.listen(engine, "before_cursor_execute", listen)
    yield sent
    event.remove(engine, "before_cursor_execute", listen)


def read_whole(sql, statement, values):
    """The tables that a statement reads from end to end, as far as they grow with the years."""
    if sql.dialect.name == "sqlite":
        plan = [row[3] for row in sql.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)]
        found = [re.match(r"SCAN (\w+)(?! USING)$", line) for line in plan]
    else:
        plan = [row[0] for row in sql.exec_driver_sql(f"EXPLAIN {statement}", values)]
        found = [re.search(r"Seq Scan on (\w+)", line) for line in plan]
    names = {match[1] for match in found if match}
    aliases = dict(re.findall(r"\b(?:FROM|JOIN) (\w+) AS (\w+)", statement))
    by_alias = {alias: table for table, alias in aliases.items()}
    return {by_alias.get(name, name) for name in names} & set(GROWING)


def everyday(tx):
    """What `estimates`, labels, alarms, `open` and advances ask, by name."""
    some = [item_key("spam", f"i{number}") for number in range(3)]
    yield "panels", tx.panels.latest
    yield "history", lambda: tx.estimates.history("spam", newest=1)
    yield "in_periods", lambda: tx.estimates.in_periods("spam", 88, 99, ["precision"], [None])
    yield "latest", lambda: tx.estimates.latest(9)
    yield "outdated", lambda: tx.estimates.outdated(tx.labels.newest_event_id() - 3)
    yield "of_cycle", lambda: tx.alarms.of_cycle(9)
    yield "current_states", lambda: tx.alarms.current_states("spam")
    yield "incidents", lambda: tx.alarms.incidents(panel="spam", only_open=True)
    yield "incidents_of", lambda: tx.alarms.incidents_of("k")
    yield "claim", lambda: tx.outbox.claim("me", NOW, NOW + MINUTE, 10)
    yield "about", lambda: tx.outbox.about(["k"])
    yield "undelivered", tx.outbox.undelivered
    yield "evidence of one", lambda: tx.evidence.of_cycle(9)
    yield "evidence", lambda: tx.evidence.since_restarts("spam")
    yield "evidence after", lambda: tx.evidence.of_panel("spam", after_period=90)
    yield "growth", lambda: tx.evidence.growth("spam", NOW - 60 * 24 * 60 * MINUTE)
    yield "restarts", lambda: tx.evidence.restarts("spam")
    yield "rules", lambda: tx.evidence.rules("spam")
    yield "drawn before", lambda: tx.rounds.drawn_in_earlier_windows(9, some)
    yield "bets", lambda: tx.rounds.fix_bets(9, dict.fromkeys(some, (True, True)))
    yield "pools", lambda: tx.cycles.items_of_earlier_pools(9, NOW - 60 * 24 * 60 * MINUTE)
    yield "new labels", lambda: tx.labels.add([said("i1", "new")], NOW)
    yield "of_items", lambda: tx.labels.of_items(some, "is it")
    yield "labelled", lambda: tx.labels.on_drawn_items("is it", NOW, NOW - 60 * MINUTE)
    yield "labelled before", lambda: tx.cycles.labelled_before(9)
    yield "drawn candidates", lambda: tx.cycles.drawn_candidates(9)
    yield "earliest_times", lambda: tx.labels.earliest_times(some)
    yield "keys_drawn", lambda: tx.rounds.keys_drawn(some, "is it")
    yield "past_draws", lambda: tx.labels.past_draws([9, 10], NOW + 60 * MINUTE, "is it")
    yield "active", lambda: tx.cycles.find(states=ACTIVE_CYCLES)
    yield "batches", lambda: tx.rounds.batches(states=[BatchState.PLANNED])
    yield "moves", lambda: tx.cycles.transitions(Entity.CYCLE, after=tx.cycles.newest_transition())
    yield "moves of one", lambda: tx.cycles.transitions(Entity.CYCLE, 9)
    yield "newest_commit", tx.newest_commit
    yield "quarantined", lambda: tx.cycles.quarantined(9)
    yield "undrawn payload", lambda: tx.retention.cycles_with_undrawn_payload(20)
    yield "payload", lambda: tx.retention.cycles_with_payload(NOW, 20)
    yield "bad rows", lambda: tx.retention.drop_bad_rows(NOW - 60 * MINUTE)
    yield "waiting labels", lambda: tx.retention.drop_waiting_labels(NOW - 60 * MINUTE)


def test_no_everyday_query_reads_years_from_end_to_end(filled):
    with filled.begin() as tx:
        asked = [(name, query, ()) for name, query in queries(tx._sql.dialect.name, "2026-01-01").items()]
        for name, ask in everyday(tx):
            with statements(filled._engine) as sent:
                ask()
            asked += [(name, *one) for one in sent if not one[0].startswith(("SET", "BEGIN"))]
        if (
            tx._sql.dialect.name == "postgresql"
        ):  # it reads small tables whole though it need not: is there another way?
            tx._sql.execute(text("SET LOCAL enable_seqscan = off"))
        whole = {}
        for name, statement, values in asked:
            tables = read_whole(tx._sql, statement, values) - READ_WHOLE.get(name, set())
            if tables:
                whole[name] = tables
        assert whole == {}


def test_the_newest_cycles_are_found_without_sorting_all(filled):
    with filled.begin() as tx, statements(filled._engine) as sent:
        (newest,) = tx.cycles.find(panel="spam", newest=1)
        (judged,) = tx.cycles.find(panel="spam", states=[CycleState.JUDGED], newest=1)
        before = tx.cycles.find(panel="spam", before=newest.period, newest=10)
        assert newest == judged
        assert [cycle.period for cycle in before] == list(range(newest.period - 10, newest.period))
        if tx._sql.dialect.name == "sqlite":
            for statement, values in [one for one in sent if one[0].startswith("SELECT cycles")]:
                plan = [row[3] for row in tx._sql.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)]
                assert not any("TEMP B-TREE" in step for step in plan)


def test_evidence_of_before_a_restart_of_the_panel_is_not_read(filled):
    """Windows after it are looked up one by one, though what came before may be years."""
    with filled.begin() as tx:
        before, newest = tx.cycles.find(panel="spam", newest=2)
        assert len(tx.evidence.since_restarts("spam")) == (WEEKS - 1) * CLASSIFIERS * 2 * 3
        tx.evidence.restart(EvidenceRestart("spam", None, before.id, "paged", NOW))
        with statements(filled._engine) as sent:
            assert {row.cycle_id for row in tx.evidence.since_restarts("spam")} == {newest.id}
        _, (statement, values) = sent  # the restarts are read first, and then all evidence at once
        if tx._sql.dialect.name == "postgresql":
            tx._sql.execute(text("ANALYZE"))
            plan = [row[0] for row in tx._sql.exec_driver_sql(f"EXPLAIN {statement}", values)]
            assert any("Index Scan using uq_evidence_bet on evidence " in line for line in plan)
        assert read_whole(tx._sql, statement, values) == set()
