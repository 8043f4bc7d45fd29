"""One item is erased: it is nowhere any more, no estimate changes, and no backup brings it back."""

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select

from stratawatch.adapters.erasure_list import ErasureList
from stratawatch.adapters.queues.folder import FolderQueue
from stratawatch.adapters.store.tables import METADATA
from stratawatch.engine.alarms.alarm_streams import watched_streams
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.evidence.window_evidence import evidence_rows
from stratawatch.engine.labels.erase_item import about_item, erase_again, erase_item
from stratawatch.engine.labels.gold_items import gold_counts, keep_gold
from stratawatch.engine.labels.item_keys import keys_of_items
from stratawatch.engine.labels.labelled_cycle import load_labelled_cycle
from stratawatch.engine.labels.queue_identity import require_queue
from stratawatch.engine.lease import hold_lease, panel_lease_name
from stratawatch.engine.model.erasure import item_digest, name_of_erased
from stratawatch.engine.model.gold import GoldItem
from stratawatch.engine.model.label_events import LabelEvent
from stratawatch.engine.model.quarantined_row import QuarantinedRow
from stratawatch.engine.model.states import BatchState, CycleState
from stratawatch.engine.model.truth import TruthStatement
from stratawatch.errors import LeaseHeld
from tests.support.fakes import spec
from tests.support.scenario import Scenario, cycle_of, label_cycle, open_all, relabel
from tests.support.store.backups import PostgresBackups


@pytest.fixture
def labelled(store) -> Scenario:
    scenario = Scenario.around(store)
    scenario.produce(0)
    label_cycle(scenario)
    return scenario


@pytest.fixture
def listed(tmp_path) -> ErasureList:
    return ErasureList(tmp_path / "erasures.jsonl")


def drawn(scenario: Scenario, cycle: int = 1):
    """An item that was drawn and answered."""
    with scenario.ports.store.begin() as tx:
        return min(tx.rounds.draws(cycle), key=lambda draw: draw.item)


def erase(scenario: Scenario, listed: ErasureList, item: str, ports=None):
    before = {(one.panel, one.digest) for one in listed.read()}
    return erase_item(ports or scenario.ports, [scenario.panel.name], item, before, listed.add, "request 4711")


def everything(scenario: Scenario) -> str:
    """All that the store holds."""
    with scenario.ports.store.begin() as tx:
        return str([tx._sql.execute(select(table)).all() for table in METADATA.tables.values()])


def about(scenario: Scenario, item: str):
    with scenario.ports.store.begin() as tx:
        return about_item(tx, scenario.panel.name, item)


def estimated(scenario: Scenario, cycle: int = 1):
    """The estimates of a cycle, computed anew from what the store holds."""
    with scenario.ports.store.begin() as tx:
        labelled = load_labelled_cycle(tx, scenario.panel, cycle)
        metrics = ("precision", "recall", "false_omission_rate")
        found = labelled.design.estimate(labelled.ledger, labelled.drawn, confidence=0.95, metrics=metrics, segments=())
        return found, tx.estimates.latest(cycle)


def evidence(scenario: Scenario, cycle: int = 1):
    """The evidence of a cycle, as it is kept and made anew, and by which rule it was judged."""
    with scenario.ports.store.begin() as tx:
        labelled, limits = load_labelled_cycle(tx, scenario.panel, cycle), watched_streams(scenario.panel)
        kept, rule = tx.evidence.of_cycle(cycle), tx.evidence.rule_of(cycle)
        assert kept
        return kept, rule, evidence_rows(tx, scenario.panel, tx.cycles.get(cycle), labelled, limits, 1)


def traces(scenario: Scenario, draw) -> None:
    """Rows about an item in all places where one can be."""
    at, panel = scenario.clock.now(), scenario.panel.name
    with scenario.ports.store.begin() as tx:
        line = {"file": "a.jsonl", "line": 3, "text": f'{{"item": "{draw.item}", "note": "I know him"}}'}
        other = {"file": "a.jsonl", "line": 4, "text": "junk"}
        counted = QuarantinedRow("label", "a.jsonl", "no value", {"count": 2, "lines": [line, other]})
        truth = QuarantinedRow("label", "appeals", "in the future", {"count": 1, "lines": [{"key": draw.item}]})
        tx.cycles.quarantine(None, [counted, truth], at)
        tx.cycles.quarantine(1, [QuarantinedRow("prediction", draw.item, "twice", {"copies": 2})], at)
        tx.truth.add([TruthStatement(panel, draw.item, "yes", "appeals", at)], at)
        tx.commit()


def test_an_erased_item_is_nowhere_and_no_estimate_changes(labelled, listed):
    draw = drawn(labelled)
    traces(labelled, draw)
    kept = about(labelled, draw.item)
    sizes = {name: len(rows) for name, rows in kept.items()}
    expected = {
        "candidates": 1,
        "draws": 1,
        "gold": 0,
        "gold_asked": 0,
        "labels": 1,
        "waiting": 0,
        "truth": 1,
        "batches": 1,
        "set_aside": 3,
    }
    assert sizes == expected
    assert kept["labels"][0]["annotator"] == "ann"
    assert kept["batches"][0]["payload"] == {"text": f"text of {draw.item}"}
    before = estimated(labelled), evidence(labelled)
    done = erase(labelled, listed, draw.item)
    assert draw.item not in everything(labelled)
    assert draw.item not in listed.path.read_text()
    assert (estimated(labelled), evidence(labelled)) == before
    assert done.counts["draws"] == done.counts["tasks"] == done.counts["statements of truth"] == 1
    after = about(labelled, draw.item)
    same = ("digest", "inclusion", "atom", "item_key", "first_use", "bets")
    assert draw.bets is True
    assert [after["draws"][0][name] for name in same] == [getattr(draw, name) for name in same]
    assert after["labels"] == kept["labels"]
    assert after["truth"][0]["item"] == after["candidates"][0]["item"] == name_of_erased(draw.item)
    assert "junk" in everything(labelled)


def test_an_erased_gold_item_is_nowhere_and_counts_no_more(store, listed):
    panel = spec(gold_share=0.2)
    scenario = Scenario.around(store, panel)
    scenario.produce(0)
    gold = [GoldItem(f"secret-{i}", "no", {"text": f"words of secret-{i}"}) for i in range(6)]
    keep_gold(scenario.ports, panel, gold, (), "")
    open_all(scenario)
    for _ in range(3):
        scenario.clock.advance(hours=1)
        advance(scenario.ports)
        keys = {task.item_key: False for batch in scenario.queue.published.values() for task in batch.tasks}
        scenario.queue.truth = keys | scenario.queue.truth
        scenario.queue.answer(scenario.clock.now())
    kept = about(scenario, "secret-3")
    assert len(kept["gold"]) == 1
    assert len(kept["labels"]) == len(kept["batches"]) == len(kept["gold_asked"]) > 0
    before = _gold(scenario)
    done = erase(scenario, listed, "secret-3")
    assert done.counts["gold items"] == 1
    assert done.counts["tasks"] == len(kept["batches"])
    assert "secret-3" not in everything(scenario)
    assert "secret-2" in everything(scenario)
    assert _gold(scenario).asked == before.asked - len(kept["gold_asked"])
    assert about(scenario, "secret-3")["labels"] == kept["labels"]


def _gold(scenario):
    with scenario.ports.store.begin() as tx:
        return gold_counts(tx, scenario.panel, tx.cycles.get(1))


def test_an_erasure_is_noted_once_by_its_digest(labelled, listed):
    item = drawn(labelled).item
    done = erase(labelled, listed, item)
    store, lines = everything(labelled), listed.path.read_text()
    again = erase(labelled, listed, item)
    assert not any(again.counts.values())
    assert (everything(labelled), listed.path.read_text()) == (store, lines)
    with labelled.ports.store.begin() as tx:
        (entry,) = tx.audit.entries()
    assert (entry.action, entry.why) == ("erased", "request 4711")
    assert entry.subject == f"item {done.digest[:16]} of spam: 1 candidates, 1 draws, 1 tasks"


def test_an_item_that_the_store_does_not_know_is_listed_for_older_backups(labelled, listed):
    for _ in range(2):
        assert not any(erase(labelled, listed, "gone").counts.values())
    assert len(listed.read()) == 1


def test_labels_that_wait_for_an_erased_item_go(labelled, listed):
    with labelled.ports.store.begin() as tx:
        item = next(one.item for one in tx.cycles.candidates(1) if one.item not in {d.item for d in tx.rounds.draws(1)})
    key = next(key for key in labelled.queue.truth if key in _keys(labelled, item))
    with labelled.ports.store.begin() as tx:
        tx.labels.add([LabelEvent("fake", "e", key, "bob", "yes", labelled.clock.now())], labelled.clock.now())
        tx.commit()
    assert len(about(labelled, item)["waiting"]) == 1
    assert erase(labelled, listed, item).counts["waiting labels"] == 1


def _keys(scenario, item):
    with scenario.ports.store.begin() as tx:
        return set(keys_of_items(tx, "spam", tx.panels.question_key(scenario.panel), [item]).values())


def test_items_of_a_cluster_stay_together_under_a_name_that_says_nothing(labelled, listed):
    item = drawn(labelled).item
    with labelled.ports.store.begin() as tx:
        tx._sql.exec_driver_sql("UPDATE candidates SET cluster = 'user ' || (position / 3)")
        tx.commit()
    clusters = [one.cluster for one in _candidates(labelled)]
    before = estimated(labelled)
    erase(labelled, listed, item)
    renamed = [one.cluster for one in _candidates(labelled)]
    assert len(set(zip(clusters, renamed, strict=True))) == len(set(clusters)) == len(set(renamed))
    assert sum(old != new for old, new in zip(clusters, renamed, strict=True)) == 3
    assert estimated(labelled) == before


def _candidates(scenario):
    with scenario.ports.store.begin() as tx:
        return tx.cycles.candidates(1)


def test_a_late_label_is_judged_as_before(labelled, listed):
    erase(labelled, listed, drawn(labelled).item)
    relabel(labelled, "no")
    assert estimated(labelled)[1].number == 2


@pytest.fixture
def asked(store, tmp_path) -> Scenario:
    """A cycle whose first batches are out, in a folder."""
    scenario = Scenario.around(store)
    scenario.ports = replace(scenario.ports, queue=FolderQueue(tmp_path / "queue"))
    scenario.produce(0)
    require_queue(scenario.ports)
    open_all(scenario)
    advance(scenario.ports)
    return scenario


def test_of_an_open_cycle_nobody_is_asked_any_more_and_the_answer_is_missing(asked, listed, tmp_path):
    draw = drawn(asked)
    assert erase(asked, listed, draw.item).away == ""
    files = b"".join(path.read_bytes() for path in (tmp_path / "queue").rglob("*") if path.is_file())
    assert draw.item.encode() not in files
    assert draw.item_key.encode() not in files
    assert draw.item not in everything(asked)
    assert advance(asked.ports).troubles == ()
    for _ in range(3):
        _answer_all(asked)
        asked.clock.advance(days=1)
        assert advance(asked.ports).troubles == ()
    assert cycle_of(asked, 1).state == CycleState.JUDGED
    with asked.ports.store.begin() as tx:
        labelled = load_labelled_cycle(tx, asked.panel, 1)
    assert {d.item for d in labelled.draws if d.item_key not in labelled.verdicts} == {name_of_erased(draw.item)}


def _answer_all(scenario) -> None:
    with scenario.ports.store.begin() as tx:
        keys = [task.item_key for batch in tx.rounds.batches(cycle_id=1) for task in batch.tasks]
        events = [LabelEvent("by hand", f"e{key}", key, "ann", "yes", scenario.clock.now()) for key in keys]
        tx.labels.add(events, scenario.clock.now())
        tx.commit()


def test_no_further_vote_is_asked_for_about_an_erased_item(store, listed):
    scenario = Scenario.around(store, spec(second_votes="called_negative_yes", limits=()))
    scenario.produce(0)
    open_all(scenario)
    advance(scenario.ports)
    scenario.queue.answer(scenario.clock.now(), value="yes")
    advance(scenario.ports)
    (task,) = next(batch.tasks for batch in scenario.queue.published.values() if batch.vote > 1)
    with scenario.ports.store.begin() as tx:
        item = next(draw.item for draw in tx.rounds.draws(1) if draw.item_key == task.item_key)
    erase(scenario, listed, item)
    for _ in range(2):
        scenario.clock.advance(hours=1)
        assert advance(scenario.ports).troubles == ()
    assert all(task.payload for batch in scenario.queue.published.values() for task in batch.tasks)
    with scenario.ports.store.begin() as tx:
        open_ones = tx.rounds.batches(states=[BatchState.PLANNED, BatchState.SENT])
    assert task.item_key not in {one.item_key for batch in open_ones for one in batch.tasks}


def test_a_queue_that_is_away_is_told_by_the_next_advance(asked, listed, tmp_path):
    draw, place = drawn(asked), tmp_path / "queue"
    place.rename(tmp_path / "elsewhere")
    assert "is not there" in erase(asked, listed, draw.item).away
    assert draw.item not in everything(asked)
    (tmp_path / "elsewhere").rename(place)
    assert advance(asked.ports).troubles == ()
    assert all(draw.item.encode() not in path.read_bytes() for path in place.rglob("*") if path.is_file())


def test_a_worker_at_the_panel_is_waited_for(labelled, listed):
    with hold_lease(labelled.ports, panel_lease_name("spam")), pytest.raises(LeaseHeld):
        erase(labelled, listed, drawn(labelled).item)
    assert not listed.path.exists()


def test_what_comes_again_from_production_is_another_matter(labelled, listed):
    """A later window with the item is read as any other; the list does not touch what came after the erasure."""
    item = drawn(labelled).item
    erase(labelled, listed, item)
    labelled.clock.advance(hours=1)
    (entry,) = listed.read()
    with labelled.ports.store.begin() as tx:
        assert item not in tx.erasures.items("spam", entry.at)
        tx._sql.exec_driver_sql("UPDATE cycles SET opened_at = '2027-01-01 00:00:00'")
        tx._sql.exec_driver_sql("UPDATE candidates SET item = 'again' WHERE position = 0")
        tx.commit()
    again = replace(entry, digest=item_digest("again"))
    assert erase_again(labelled.ports, [again]).counts == {}
    assert any(erase_again(labelled.ports, [replace(again, at=entry.at + timedelta(days=3650))]).counts.values())


def test_a_backup_of_before_does_not_bring_the_item_back(backups, listed, tmp_path):
    scenario = Scenario.around(backups.open())
    scenario.produce(0)
    label_cycle(scenario)
    item = drawn(scenario).item
    backups.keep()
    scenario.ports = replace(
        scenario.ports, store=backups.open() if isinstance(backups, PostgresBackups) else scenario.ports.store
    )
    erase(scenario, listed, item)
    erased = estimated(scenario)
    backups.dispose()
    assert all(f"text of {item}".encode() not in file.read_bytes() for file in tmp_path.glob("store.db*"))
    scenario.ports = replace(scenario.ports, store=backups.lose_and_restore())
    assert item in everything(scenario)
    assert erase_again(scenario.ports, listed.read(), "after a restore").counts["draws"] == 1
    assert item not in everything(scenario)
    assert estimated(scenario) == erased
    assert erase_again(scenario.ports, listed.read()).counts == {}
