"""The queue is recognised by the id that it and the store keep: on every database."""

from dataclasses import replace
from datetime import timedelta

import pytest

from stratawatch.adapters.queues.folder import MARKER, FolderQueue
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.labels.queue_identity import WARN_AFTER, adopt_queue, inspect_queue, require_queue
from stratawatch.engine.model.states import BatchState
from stratawatch.errors import StratawatchError, Unreachable
from tests.support.scenario import Scenario, open_all


@pytest.fixture
def played(store, tmp_path):
    """A scenario with a queue in a folder, its first window over."""
    scenario = Scenario.around(store)
    scenario.produce(0)
    scenario.ports = replace(scenario.ports, queue=FolderQueue(tmp_path / "queue"))
    return scenario


@pytest.fixture
def sent(played):
    """The same after its first batches went out."""
    open_all(played)
    assert advance(played.ports).troubles == ()
    return played


def unmount(root):
    root.rename(root.with_name("elsewhere"))
    root.mkdir()


def mount(root):
    root.rmdir()
    root.with_name("elsewhere").rename(root)


def batches(scenario):
    with scenario.ports.store.begin() as tx:
        return tx.rounds.batches()


def forget_the_mark(scenario, root):
    """As it was before queues were marked."""
    (root / MARKER).unlink()
    with scenario.ports.store.begin() as tx:
        tx.labels.save_cursor("identity of folder", {}, scenario.clock.now())
        tx.commit()


class TestFirstLook:
    def test_a_new_queue_is_marked(self, played, tmp_path):
        require_queue(played.ports)
        assert (tmp_path / "queue" / MARKER).exists()
        require_queue(played.ports)

    def test_a_root_that_is_changed_before_anything_was_sent_is_marked_too(self, played, tmp_path):
        require_queue(played.ports)
        moved = replace(played.ports, queue=FolderQueue(tmp_path / "other"))
        require_queue(moved)
        assert (tmp_path / "other" / MARKER).exists()

    @pytest.mark.parametrize("moved", [False, True])
    def test_a_folder_that_vanishes_before_anything_was_sent_is_not_made_anew(self, played, tmp_path, moved):
        require_queue(played.ports)
        if moved:
            (tmp_path / "queue").rename(tmp_path / "other")
            played.ports = replace(played.ports, queue=FolderQueue(tmp_path / "other"))
            require_queue(played.ports)
        root = tmp_path / ("other" if moved else "queue")
        root.rename(tmp_path / "elsewhere")
        with pytest.raises(Unreachable, match="adopt-queue"):
            require_queue(played.ports)
        assert not root.exists()

    def test_a_queue_of_before_the_marks_is_known_by_its_batches(self, sent, tmp_path):
        forget_the_mark(sent, tmp_path / "queue")
        inspect_queue(sent.ports.store, sent.ports.queue)
        assert not (tmp_path / "queue" / MARKER).exists()
        assert advance(sent.ports).troubles == ()
        assert (tmp_path / "queue" / MARKER).exists()

    def test_an_empty_folder_in_its_place_is_not(self, sent, tmp_path):
        forget_the_mark(sent, tmp_path / "queue")
        unmount(tmp_path / "queue")
        with pytest.raises(Unreachable, match="adopt-queue"):
            require_queue(sent.ports)

    def test_a_folder_with_batches_of_another_installation_is_not(self, played, tmp_path):
        (tmp_path / "queue" / "out").mkdir(parents=True)
        (tmp_path / "queue" / "out" / "theirs-p00000-r1-b1.jsonl").write_text("")
        with pytest.raises(Unreachable, match="not the one that was used before"):
            require_queue(played.ports)

    def test_a_folder_with_the_mark_of_another_installation_is_not(self, played, tmp_path):
        FolderQueue(tmp_path / "queue").adopt("theirs")
        with pytest.raises(Unreachable, match="mark of another installation"):
            require_queue(played.ports)

    def test_what_was_killed_while_marking_is_ended_by_the_next_look(self, sent, tmp_path, monkeypatch):
        forget_the_mark(sent, tmp_path / "queue")

        def killed(_queue, _identity):
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(FolderQueue, "adopt", killed)
            with pytest.raises(KeyboardInterrupt):
                require_queue(sent.ports)
        require_queue(sent.ports)
        unmount(tmp_path / "queue")
        with pytest.raises(Unreachable):
            require_queue(sent.ports)


class TestVanishedFolder:
    def test_the_advance_goes_on_and_nothing_is_created_or_lost(self, sent, tmp_path):
        root = tmp_path / "queue"
        unmount(root)
        sent.produce(1)
        sent.clock.advance(days=7)
        open_all(sent)
        troubles = advance(sent.ports).troubles
        assert list(root.iterdir()) == []
        assert any("adopt-queue" in sentence for sentence in troubles)
        waiting = [batch for batch in batches(sent) if batch.state == BatchState.PLANNED]
        assert waiting
        assert all(batch.attempts == 0 for batch in waiting)
        mount(root)
        assert advance(sent.ports).troubles == ()
        out = {path.stem for path in (root / "out").iterdir()}
        assert {batch.key for batch in waiting} <= out

    def test_a_folder_that_is_gone_altogether_is_not_created(self, sent, tmp_path):
        (tmp_path / "queue").rename(tmp_path / "elsewhere")
        assert advance(sent.ports).troubles
        assert not (tmp_path / "queue").exists()

    def test_people_are_told_once_of_an_absence_that_lasts_and_again_of_the_next(self, sent, tmp_path):
        for _ in range(2):
            unmount(tmp_path / "queue")
            for _ in range(4):
                advance(sent.ports)
                sent.clock.moment += WARN_AFTER
            mount(tmp_path / "queue")
            advance(sent.ports)
        away = [one for one in sent.channel.received if one.subject == "The label queue is away"]
        assert len(away) == 2
        assert "adopt-queue" in away[0].body

    def test_nobody_is_told_of_a_short_one(self, sent, tmp_path):
        for _ in range(3):
            unmount(tmp_path / "queue")
            advance(sent.ports)
            mount(tmp_path / "queue")
            sent.clock.moment += timedelta(minutes=20)
            advance(sent.ports)
        assert sent.channel.received == []


class TestAdopting:
    def test_a_moved_folder_is_the_queue_from_then_on(self, sent, tmp_path):
        moved = replace(sent.ports, queue=FolderQueue(tmp_path / "new"))
        with pytest.raises(StratawatchError):
            require_queue(moved)
        adopted = adopt_queue(moved)
        assert adopted.before == ""
        assert adopted.missing == tuple(sorted(batch.key for batch in batches(sent)))
        require_queue(moved)

    def test_a_copy_of_the_folder_needs_no_command(self, sent, tmp_path):
        (tmp_path / "queue").rename(tmp_path / "new")
        require_queue(replace(sent.ports, queue=FolderQueue(tmp_path / "new")))

    def test_it_names_the_mark_that_was_there(self, sent, tmp_path):
        FolderQueue(tmp_path / "queue").adopt("theirs")
        assert adopt_queue(sent.ports).before == "theirs"
        require_queue(sent.ports)
