"""A store that is lost and replaced by a backup: labels received since count, and nobody waits for ever or is asked again."""

from dataclasses import replace

import pytest

from stratawatch.adapters.queues.folder import FolderQueue
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.cycle.freeze_cycle import freeze_cycle
from stratawatch.engine.cycle.operator_actions import rerun_cycle
from stratawatch.engine.cycle.plan_round import plan_round
from stratawatch.engine.cycle.settle_cycle import settle_cycle
from stratawatch.engine.labels.collect_labels import collect_labels
from stratawatch.engine.labels.queue_identity import adopt_queue, require_queue
from stratawatch.engine.labels.reconcile_queue import UNPLANNED
from stratawatch.engine.model.states import CycleState
from tests.support.deliveries import states
from tests.support.fakes import unreachable
from tests.support.scenario import Scenario, only_cycle, open_all, relabel, severities, work_on
from tests.support.store.backups import SqliteBackups


@pytest.fixture
def scenario(backups):
    """The ordinary scenario around that store."""
    made = Scenario.around(backups.open())
    made.produce(0)
    require_queue(made.ports)  # as `init` does
    return made


def answer_some(scenario):
    scenario.queue.answer(scenario.clock.now(), only=lambda key: key < "8")
    advance(scenario.ports)


def answer_and_advance(scenario):
    scenario.queue.answer(scenario.clock.now())
    advance(scenario.ports)


def answer_and_settle(scenario):
    scenario.queue.answer(scenario.clock.now())
    collect_labels(scenario.ports)
    settle_cycle(scenario.ports, only_cycle(scenario))


MOVES = {
    "open": open_all,
    "frozen": lambda scenario: freeze_cycle(scenario.ports, only_cycle(scenario)),
    "planned": lambda scenario: plan_round(scenario.ports, only_cycle(scenario)),
    "sent": lambda scenario: advance(scenario.ports),
    "labelling": answer_some,
    "second round": answer_and_advance,
    "settled": answer_and_settle,
    "judged": lambda scenario: advance(scenario.ports),
}
"""What brings the first cycle from one state into the next."""


def play(scenario, until):
    """Bring the cycle into this state, with an hour before every move."""
    for state, move in MOVES.items():
        scenario.clock.advance(hours=1)
        move(scenario)
        if state == until:
            return


def lose_and_restore(scenario, backups):
    """Lose the store, and put the backup in its place."""
    scenario.ports = replace(scenario.ports, store=backups.lose_and_restore())


def advance_alone(scenario, times=4):
    """Advance every hour while nobody answers anything."""
    for _ in range(times):
        scenario.clock.advance(hours=1)
        assert advance(scenario.ports).troubles == ()


def facts_of(scenario):
    """What the store knows in the end: the cycle's state, its draws, every label and the estimates."""
    with scenario.ports.store.begin() as tx:
        (cycle,) = tx.cycles.find()
        revision = tx.estimates.latest(cycle.id)
        events = sorted(tx.labels.of_panel("spam"), key=lambda pair: pair[1].event_id)
        return cycle.state, tx.rounds.draws(cycle.id), events, revision and (revision.fingerprint, revision.estimates)


@pytest.mark.parametrize("state", MOVES)
def test_labels_received_after_the_backup_count(scenario, backups, state):
    play(scenario, state)
    backups.keep()
    work_on(scenario, 3)
    before, asked = facts_of(scenario), scenario.queue.asked()
    assert before[0] == CycleState.JUDGED
    assert len(before[2]) == len(asked) == 120
    lose_and_restore(scenario, backups)
    advance_alone(scenario)
    assert facts_of(scenario) == before
    assert scenario.queue.asked() == asked


@pytest.mark.parametrize("state", ["frozen", "labelling", "second round"])
def test_they_count_when_the_deadline_has_passed_too(scenario, backups, state):
    play(scenario, state)
    backups.keep()
    work_on(scenario, 3)
    before = facts_of(scenario)
    lose_and_restore(scenario, backups)
    scenario.clock.advance(days=10)
    advance_alone(scenario)
    assert facts_of(scenario) == before


def flipped(event, number, at):
    """The same annotator's other word on that item."""
    value = {"yes": "no", "no": "yes"}[event.value]
    return replace(event, event_id=f"correction-{number}", value=value, at=at)


def kept_ids(scenario):
    """The event ids in the ledger, and those in the inbox."""
    with scenario.ports.store.begin() as tx:
        ledger = [event.event_id for _, event in tx.labels.of_panel("spam")]
        return sorted(ledger), sorted(event.event_id for event in tx.labels.waiting_events())


def test_a_second_plan_that_differs_from_the_first_is_asked_as_another_batch(scenario, backups):
    """Corrections that came after the second round was planned are there before it is planned again."""
    play(scenario, "sent")
    backups.keep()
    answer_and_advance(scenario)
    first_plan = set(scenario.queue.published)
    first_round = list(scenario.queue.said)
    scenario.queue.answer(scenario.clock.now())
    scenario.queue.said += [flipped(event, n, scenario.clock.now()) for n, event in enumerate(first_round)]
    lose_and_restore(scenario, backups)
    work_on(scenario, 3)
    assert facts_of(scenario)[0] == CycleState.JUDGED
    assert set(scenario.queue.published) > first_plan
    ledger, inbox = kept_ids(scenario)
    assert sorted([*ledger, *inbox]) == sorted(event.event_id for event in scenario.queue.said)
    assert 0 < len(inbox) < 60
    received = [notification for notification in scenario.channel.received if "lost plan" in notification.subject]
    assert len(received) == 1
    assert any(key in received[0].body for key in first_plan if "-r2-" in key)
    with scenario.ports.store.begin() as tx:
        drawn = {draw.item_key for draw in tx.rounds.draws(only_cycle(scenario))}
        assert drawn.isdisjoint(event.item_key for event in tx.labels.waiting_events())


def test_a_window_that_was_opened_after_the_backup_is_opened_again(scenario, backups):
    backups.keep()
    open_all(scenario)
    work_on(scenario, 3)
    asked = scenario.queue.asked()
    lose_and_restore(scenario, backups)
    scenario.clock.advance(days=1)
    open_all(scenario)
    advance_alone(scenario)
    state, draws, events, _ = facts_of(scenario)
    assert (state, len(draws), len(events)) == (CycleState.JUDGED, 120, 120)
    assert scenario.queue.asked() == asked


def unplanned(scenario):
    """The batches in the queue that the store names as sent before it was restored."""
    with scenario.ports.store.begin() as tx:
        return set(tx.labels.cursor(UNPLANNED).get("keys", ()))


def test_batches_sent_since_the_backup_are_named_until_their_round_is_planned(scenario, backups):
    backups.keep()
    open_all(scenario)
    advance(scenario.ports)
    assert unplanned(scenario) == set()
    sent = set(scenario.queue.published)
    lose_and_restore(scenario, backups)
    advance_alone(scenario, 2)
    assert unplanned(scenario) == sent != set()
    assert scenario.channel.received == []
    scenario.queue.answer(scenario.clock.now())
    advance_alone(scenario, 1)
    assert kept_ids(scenario) == ([], sorted(event.event_id for event in scenario.queue.said))
    open_all(scenario)
    work_on(scenario, 5)
    state, draws, events, _ = facts_of(scenario)
    assert (state, len(draws), len(events)) == (CycleState.JUDGED, 120, 120)
    assert unplanned(scenario) == set()


def test_batches_of_a_rerun_that_the_backup_does_not_know_are_named_until_it_is_done_again(scenario, backups):
    play(scenario, "judged")
    backups.keep()
    (begin, rows), *_ = scenario.source.windows.items()
    scenario.source.windows[begin] = [replace(row, scores=row.scores[::-1]) for row in rows]

    def rerun():
        rerun_cycle(scenario.ports, only_cycle(scenario), "the columns were swapped", scenario.panel)

    rerun()
    first = set(scenario.queue.published)
    advance(scenario.ports)
    sent = set(scenario.queue.published) - first
    lose_and_restore(scenario, backups)
    advance_alone(scenario, 2)
    assert unplanned(scenario) == sent != set()
    assert scenario.channel.received == []
    rerun()
    advance(scenario.ports)
    assert set(scenario.queue.published) - first == sent
    work_on(scenario, 3)
    assert facts_of(scenario)[0] == CycleState.JUDGED
    assert unplanned(scenario) == set()
    assert len(scenario.queue.asked()) == len(set(scenario.queue.asked()))


@pytest.mark.parametrize("how", ["planned otherwise", "taken out"])
def test_they_are_not_named_for_ever(scenario, backups, how):
    backups.keep()
    open_all(scenario)
    advance(scenario.ports)
    (key,) = scenario.queue.published
    lose_and_restore(scenario, backups)
    other = key[:-8] + "0" * 8
    scenario.queue.published[other] = replace(scenario.queue.published[key], key=other)
    advance_alone(scenario, 1)
    assert unplanned(scenario) == {key, other}
    if how == "taken out":
        scenario.queue.published.clear()
    else:
        open_all(scenario)
    advance_alone(scenario, 1)
    assert unplanned(scenario) == set()
    assert len(scenario.channel.received) == (how == "planned otherwise")


def test_labels_that_come_in_parts_after_the_restore_close_what_they_answer(scenario, backups):
    """Some answers were delivered before the store was lost, the others come afterwards."""
    play(scenario, "frozen")
    backups.keep()
    advance(scenario.ports)
    scenario.queue.answer(scenario.clock.now(), only=lambda key: key < "8")
    advance(scenario.ports)
    asked = scenario.queue.asked()
    lose_and_restore(scenario, backups)
    advance_alone(scenario, 2)
    assert scenario.queue.asked() == asked
    work_on(scenario, 3)
    state, draws, events, _ = facts_of(scenario)
    assert (state, len(draws), len(events)) == (CycleState.JUDGED, 120, 120)


def test_a_backup_older_than_the_queues_mark_says_so_until_a_person_adopts_the_queue(tmp_path):
    backups = SqliteBackups(tmp_path / "store.db")
    scenario = Scenario.around(backups.open())
    scenario.produce(0)
    open_all(scenario)
    backups.keep()
    work_on(scenario, 3)
    lose_and_restore(scenario, backups)
    assert "adopt-queue" in advance(scenario.ports).troubles[0]
    adopt_queue(scenario.ports)
    advance_alone(scenario)
    assert len(facts_of(scenario)[2]) == 120
    backups.dispose()


class TestTheQueueIsAwayAfterTheRestore:
    """The backup is from before the first send, so no batch says that there was a queue."""

    @pytest.fixture
    def root(self, tmp_path):
        return tmp_path / "queue"

    @pytest.fixture(params=["before it was marked", "marked"])
    def restored(self, request, backups, root):
        """A store that sent, was lost and came back without what it sent; the folder is moved away."""
        scenario = Scenario.around(backups.open())
        scenario.produce(0)
        scenario.ports = replace(scenario.ports, queue=FolderQueue(root))
        if request.param == "marked":
            require_queue(scenario.ports)
        backups.keep()
        open_all(scenario)
        assert advance(scenario.ports).troubles == ()
        lose_and_restore(scenario, backups)
        root.rename(root.with_name("elsewhere"))
        return scenario

    def refused(self, scenario):
        scenario.clock.advance(hours=1)
        open_all(scenario)
        troubles = advance(scenario.ports).troubles
        assert troubles
        assert all("adopt-queue" in sentence for sentence in troubles)

    def test_a_folder_that_is_missing_is_not_created(self, restored, root):
        self.refused(restored)
        assert not root.exists()

    def test_an_empty_folder_where_a_share_is_not_mounted_is_left_empty(self, restored, root):
        root.mkdir()
        self.refused(restored)
        assert list(root.iterdir()) == []

    def test_a_folder_of_another_installation_is_left_alone(self, restored, root):
        FolderQueue(root).adopt("theirs")
        self.refused(restored)
        assert FolderQueue(root).identity() == "theirs"
        assert list((root / "out").iterdir()) == []

    def test_a_folder_that_vanishes_after_it_was_adopted_is_not_created(self, restored, root):
        root.with_name("elsewhere").rename(root)
        adopt_queue(restored.ports)
        root.rename(root.with_name("elsewhere"))
        self.refused(restored)
        assert not root.exists()

    def test_a_folder_that_is_back_is_worked_with(self, restored, root):
        self.refused(restored)
        root.with_name("elsewhere").rename(root)
        adopt_queue(restored.ports)
        assert advance(restored.ports).troubles == ()


def test_an_end_is_told_to_a_channel_that_may_have_heard_of_the_beginning_before_the_restore(scenario, backups):
    play(scenario, "planned")
    backups.keep()
    scenario.queue.truth = dict.fromkeys(scenario.queue.truth, False)
    work_on(scenario, 3)
    assert severities(scenario) == ["page"]
    lose_and_restore(scenario, backups)
    scenario.channel.troubles = [unreachable() for _ in range(9)]
    for _ in range(3):
        scenario.clock.advance(hours=1)
        advance(scenario.ports)
    relabel(scenario, "yes")
    assert states(scenario)[0] == ("channel", "page", "superseded")
    scenario.channel.troubles.clear()
    work_on(scenario, 1)
    assert severities(scenario) == ["page", "resolved"]
