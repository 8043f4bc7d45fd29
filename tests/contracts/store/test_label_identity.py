"""A label file that is exported again says nothing new, whatever program kept its labels."""

import json
import os
from datetime import timedelta
from hashlib import sha256

import pytest

from stratawatch.engine.labels.labelled_cycle import verdicts_of
from stratawatch.engine.model.label_events import LabelEvent
from tests.support.batches import marked_queue
from tests.support.store.examples import MINUTE, NOW, QUESTION, item_key, planned_round

KEY = item_key("spam", "a")


def line(value, **more):
    return json.dumps({"key": KEY, "value": value, "annotator": "ann", **more}) + "\n"


class Desk:
    """A folder queue and the ledger that its labels go to."""

    def __init__(self, store, root):
        self.store, self.root, self.cursor, self.now = store, root, {}, NOW
        self.queue = marked_queue(root)
        with store.begin() as tx:
            planned_round(tx)
            tx.commit()

    def export(self, name, *lines):
        """Write a file anew, a minute after the last one, and read it; returns how many events were new."""
        self.now += MINUTE
        path = self.root / "in" / name
        path.write_text("".join(lines))
        os.utime(path, (self.now.timestamp(), self.now.timestamp()))
        polled = self.queue.poll(self.cursor)
        self.cursor = polled.cursor
        return self.keep(polled.events)

    def keep(self, events):
        with self.store.begin() as tx:
            new, _ = tx.labels.add(events, self.now)
            tx.commit()
        return new

    def verdict(self):
        with self.store.begin() as tx:
            return verdicts_of(tx.labels.of_items([KEY], QUESTION), 1).get(KEY)


@pytest.fixture
def desk(store, tmp_path):
    return Desk(store, tmp_path / "queue")


class TestAnExport:
    @pytest.mark.parametrize("name", ["first.jsonl", "again.jsonl"])
    def test_does_not_override_a_later_correction(self, desk, name):
        assert desk.export("first.jsonl", line("yes")) == 1
        assert desk.export("correction.jsonl", line("no")) == 1
        other = json.dumps({"key": item_key("spam", "b"), "value": "yes"}) + "\n"
        assert desk.export(name, other, line("yes")) == 1
        assert desk.verdict() == "no"

    def test_with_times_says_them_once(self, desk):
        said = [line("yes", at="2026-01-12T08:00:00+00:00"), line("no", at="2026-01-12T09:00:00+00:00")]
        assert desk.export("first.jsonl", *said) == 2
        assert desk.export("again.jsonl", *reversed(said)) == 0
        back = line("yes", at="2026-01-12T10:00:00+00:00")
        assert desk.export("again.jsonl", *said, back) == 1
        assert desk.verdict() == "yes"

    def test_of_the_last_answers_only_says_nothing_new(self, desk):
        assert desk.export("first.jsonl", line("no"), line("yes")) == 2
        assert desk.export("correction.jsonl", line("skip")) == 1
        assert desk.export("last.jsonl", line("yes")) == 0
        assert desk.verdict() == "unresolved"


class TestAnAnswerChangedBack:
    def test_counts(self, desk):
        assert desk.export("a.jsonl", line("yes"), line("no"), line("yes")) == 3
        assert desk.verdict() == "yes"

    def test_counts_when_the_file_grows(self, desk):
        said = [line("yes"), line("no"), line("yes"), line("no")]
        for end in range(1, 5):
            assert desk.export("a.jsonl", *said[:end]) == 1
        assert desk.verdict() == "no"


class TestEventsKeptByTheirLine:
    """As programs before schema 0008 kept them: under a hash of file, line and text."""

    @pytest.fixture
    def old(self, desk):
        def keep(*said):
            events = []
            for number, (value, at) in enumerate(said):
                made = sha256(f"first.jsonl {number} {value}".encode()).hexdigest()[:40]
                events.append(LabelEvent("folder", made, KEY, "ann", value, at))
            assert desk.keep(events) == len(events)

        return keep

    def test_are_not_counted_again(self, desk, old):
        old(("yes", NOW), ("no", NOW), ("yes", NOW))
        assert desk.export("again.jsonl", line("yes"), line("no"), line("yes")) == 0
        assert desk.export("again.jsonl", line("yes"), line("no"), line("yes"), line("no")) == 1
        assert desk.verdict() == "no"

    def test_are_not_counted_again_with_their_times(self, desk, old):
        old(("yes", NOW), ("no", NOW + MINUTE))
        assert desk.export("again.jsonl", line("yes", at=NOW.isoformat())) == 0
        assert desk.export("back.jsonl", line("yes", at=(NOW + timedelta(minutes=2)).isoformat())) == 1
        assert desk.verdict() == "yes"

    def test_do_not_stand_in_for_those_of_others(self, desk, old):
        old(("yes", NOW))
        assert desk.export("ben.jsonl", line("yes", annotator="ben")) == 1
        assert desk.export("own.jsonl", line("yes", event_id="e1")) == 1
