"""The referee of the chaos benchmark: what it counts as lost or done twice, and what it may not."""

import json
from collections import Counter
from types import SimpleNamespace

import pytest

from benchmarks.chaos.places import FolderPlace
from benchmarks.chaos.tally import posts_of, tally
from benchmarks.chaos.world import PANEL
from stratawatch.engine.model.label_events import LabelTask
from stratawatch.engine.model.states import BatchState


class FakeStore:
    """Two batches, one of them withdrawn, two labels, one that waits, and an alert."""

    def __init__(
        self, question="q", batch="sent", moves=(), batch_key="b", unplanned=(), incidents=(), gold=(), **notice
    ):
        asked = LabelTask("k1", {}), LabelTask("k2", {})
        self.rounds = SimpleNamespace(
            batches=lambda: [
                SimpleNamespace(id=1, state=BatchState(batch), key=batch_key, question_key="q", tasks=asked),
                SimpleNamespace(
                    id=2, state=BatchState.CANCELLED, key="c", question_key="q", tasks=(LabelTask("k3", {}),)
                ),
            ]
        )
        self.cycles = SimpleNamespace(transitions=lambda _: [SimpleNamespace(entity_id=1, new=new) for new in moves])
        words = {"annotator": "ann", "at": SimpleNamespace(isoformat=lambda: "t")}
        event = SimpleNamespace(source="folder", item_key="k1", value="yes", question_key=question, **words)
        waiting = SimpleNamespace(item_key="k9", value="no", **words)
        self.labels = SimpleNamespace(
            of_panel=lambda _: [("i1", event)],
            waiting_events=lambda: [waiting],
            of_items=lambda keys, _: [
                SimpleNamespace(source="folder", item_key=key, value="yes", question_key="q", **words) for key in keys
            ],
            cursor=lambda _: {"keys": list(unplanned)},
        )
        self.panels = SimpleNamespace(latest=lambda: {PANEL: "panel"}, question_key=lambda _: "q")
        self.gold = SimpleNamespace(asked=lambda *_: [SimpleNamespace(item_key=key, item=key) for key in gold])
        self.alarms = SimpleNamespace(incidents=lambda **_: incidents)
        facts = {"key": "queue:lost plan:1", "dedup_key": "d", "severity": "page", "state": "sent", **notice}
        self.outbox = SimpleNamespace(all=lambda: [SimpleNamespace(channel="ops", subject="s", body="b", **facts)])

    def begin(self):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


SAID = Counter({("k1", "ann", "yes", "t"): 1})
POSTS = Counter({("ops", "d", "trigger", "s", "b"): 1})


class TestTally:
    def count(self, tmp_path, lines, said=SAID, posts=POSTS, *, forgot=False, **store):
        for name, keys in lines.items():
            file = tmp_path / "queue" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(
                "".join(json.dumps(line) + "\n" for line in [{}, *({"key": k, "batch": file.stem} for k in keys)])
            )
        ports = SimpleNamespace(store=FakeStore(**store), queue=SimpleNamespace(name="folder"))
        counted = tally(ports, FolderPlace(tmp_path / "queue"), said, posts, forgot=forgot, outages=[(9, 12), (20, 22)])
        return {name: n for name, n in counted.counts().items() if n}

    def test_a_world_in_order_counts_nothing_whether_the_withdrawn_batch_is_out_or_not(self, tmp_path):
        assert self.count(tmp_path, {"out/a.jsonl": ["k1", "k2"]}) == {}
        assert self.count(tmp_path, {"cancelled/c.jsonl": ["k3"]}) == {}

    def test_an_item_in_two_files_was_dispatched_twice(self, tmp_path):
        files = {"out/a.jsonl": ["k1", "k2"], "out/b.jsonl": ["k2"]}
        assert self.count(tmp_path, files) == {"items_dispatched_twice": 1}

    def test_a_vote_that_is_asked_for_twice_or_nowhere_is_counted_by_itself_too(self, tmp_path):
        vote = "spam-p00000-r1-v2-0123456789abcdef"
        assert self.count(tmp_path, {f"done/{vote}.jsonl": ["k1", "k2"]}, batch_key=vote) == {}
        again = {"out/spam-p00000-r1-v2-fedcba9876543210.jsonl": ["k2"], f"done/{vote}.jsonl": ["k2"]}
        assert self.count(tmp_path, again, batch_key=vote) == {
            "items_lost": 1,
            "items_dispatched_twice": 1,
            "votes_lost": 1,
            "votes_asked_twice": 1,
        }

    def test_an_item_in_no_file_is_lost(self, tmp_path):
        assert self.count(tmp_path, {"out/a.jsonl": ["k1"]}) == {"items_lost": 1}

    def test_a_batch_that_was_closed_unsent_need_not_be_there_and_one_that_was_sent_must(self, tmp_path):
        assert self.count(tmp_path, {}, batch="closed") == {}
        assert self.count(tmp_path, {}, batch="closed", moves=["sent", "closed"]) == {"items_lost": 2}

    @pytest.mark.parametrize("batch", ["planned", "failed"])
    def test_an_unsent_batch_may_be_there_once_where_the_store_forgot_its_sending(self, tmp_path, batch):
        files = {"out/b.jsonl": ["k1", "k2"]}
        assert self.count(tmp_path, files, batch=batch) == {"items_dispatched_twice": 2}
        assert self.count(tmp_path, files, batch=batch, forgot=True) == {}
        assert self.count(tmp_path, {"done/b.jsonl": ["k1"]}, batch=batch, forgot=True) == {"items_dispatched_twice": 1}

    def test_a_channel_that_did_not_answer_may_have_taken_once_what_is_tried_again(self, tmp_path):
        files, waits = {"out/b.jsonl": ["k1", "k2"]}, {"state": "pending", "unconfirmed": True}
        assert self.count(tmp_path, files, **waits) == {"alerts_lost": 1}
        assert self.count(tmp_path, files, posts=POSTS + POSTS, **waits)["alerts_told_twice"] == 1
        assert self.count(tmp_path, files, state="pending", unconfirmed=False)["alerts_told_twice"] == 1

    def test_labels_are_counted_against_the_annotators_book(self, tmp_path):
        files = {"out/a.jsonl": ["k1", "k2"]}
        other = Counter({("k2", "ann", "no", "t"): 1})
        assert self.count(tmp_path, files, said=SAID + other) == {"labels_lost": 1}
        assert self.count(tmp_path, files, said=Counter()) == {"labels_counted_twice": 1}

    def test_answers_about_gold_items_are_counted_with_those_about_drawn_ones(self, tmp_path):
        files = {"out/a.jsonl": ["k1", "k2"]}
        about_gold = Counter({("k2", "ann", "yes", "t"): 1})
        assert self.count(tmp_path, files, said=SAID + about_gold) == {"labels_lost": 1}
        assert self.count(tmp_path, files, said=SAID + about_gold, gold=["k2"]) == {}
        assert self.count(tmp_path, files, gold=["k2"]) == {"labels_counted_twice": 1}

    def test_alerts_are_counted_against_the_receivers_log(self, tmp_path):
        files = {"out/a.jsonl": ["k1", "k2"]}
        assert self.count(tmp_path, files, posts=POSTS + POSTS) == {"alerts_told_twice": 1}
        assert self.count(tmp_path, files, posts=Counter()) == {"alerts_lost": 1}

    def test_an_answer_to_a_question_that_its_item_was_not_asked_is_found(self, tmp_path):
        files = {"out/b.jsonl": ["k1", "k2"]}
        assert self.count(tmp_path, files, question="another") == {"answers_to_other_questions": 1}

    def test_a_restored_store_may_name_lost_plans_keep_labels_waiting_and_word_alerts_anew(self, tmp_path):
        files = {"out/b.jsonl": ["k1", "k2"], "out/lost.jsonl": ["k2", "k9"]}
        said = SAID + Counter({("k9", "ann", "no", "t"): 1})
        posts = Counter({("ops", "d", "trigger", "s", "worded otherwise"): 1, ("deputy", "d", "trigger", "s", "b"): 1})
        assert self.count(tmp_path, files, said, posts, forgot=True) == {}
        assert self.count(tmp_path, files, said, POSTS + POSTS, forgot=True) == {"alerts_told_twice": 1}
        assert self.count(tmp_path, files, said + said, POSTS, forgot=True) == {"labels_lost": 2}

    def test_a_reminder_of_a_forgotten_course_is_no_second_word_unless_in_the_same_words(self, tmp_path):
        files = {"out/b.jsonl": ["k1", "k2"]}
        now, before = (Counter({("ops", "d", "update", words, "b"): 1}) for words in ("s", "still broken"))
        known = {"severity": "update", "posts": now + before}
        assert self.count(tmp_path, files, **known, forgot=True) == {}
        assert self.count(tmp_path, files, **known) == {"alerts_told_twice": 1}
        assert self.count(tmp_path, files, severity="update", posts=now + before + before, forgot=True) == {
            "alerts_told_twice": 1
        }

    def test_a_restored_store_that_has_not_planned_the_round_of_a_batch_names_it(self, tmp_path):
        files = {"out/b.jsonl": ["k1", "k2"], "out/p-p00001-r1-b1.jsonl": ["k7"]}
        assert self.count(tmp_path, files, key="other") == {"items_dispatched_twice": 1}
        assert self.count(tmp_path, files, key="other", forgot=True) == {"items_dispatched_twice": 1}
        assert self.count(tmp_path, files, key="other", forgot=True, unplanned=["p-p00001-r1-b1"]) == {}
        files = {"out/b-b1-0000000a.jsonl": ["k1", "k2"], "out/b-b2-0000000b.jsonl": ["k7"]}
        (tmp_path / "queue/out/b.jsonl").unlink()
        (tmp_path / "queue/out/p-p00001-r1-b1.jsonl").unlink()
        known = {"key": "other", "batch_key": "b-b1-0000000a", "forgot": True}
        assert self.count(tmp_path, files, **known) == {"items_dispatched_twice": 1}

    def test_nobody_is_asked_about_what_was_put_away_before_the_restore(self, tmp_path):
        """The round was planned again with other items; the batch of the lost plan had been withdrawn."""
        files = {"out/b-b1-0000000a.jsonl": ["k1", "k2"], "cancelled/b-b1-0000000b.jsonl": ["k7"]}
        known = {"key": "other", "batch_key": "b-b1-0000000a"}
        assert self.count(tmp_path, files, **known, forgot=True) == {}
        assert self.count(tmp_path, files, **known) == {"items_dispatched_twice": 1}

    @pytest.mark.parametrize(
        ("created", "ended", "state", "lost"),
        [
            *((9, 11, "superseded", 0), (9, 11, "pending", 1), (9, 11, "failed", 1)),
            *(
                (9, 12, "superseded", 1),
                (8, 11, "superseded", 1),
                (9, None, "superseded", 1),
                (11, 21, "superseded", 1),
            ),
        ],
    )
    def test_what_began_and_ended_in_one_outage_need_not_be_heard(self, tmp_path, created, ended, state, lost):
        files = {"out/b.jsonl": ["k1", "k2"]}
        notice = {"state": state, "unconfirmed": False, "created_at": created}
        for forgot in (False, True):
            incidents = [SimpleNamespace(dedup_key="d", resolved_at=ended)]
            counted = self.count(tmp_path, files, posts=Counter(), forgot=forgot, incidents=incidents, **notice)
            assert counted == ({"alerts_lost": 1} if lost else {})
        assert self.count(tmp_path, files, posts=Counter(), **notice) == {"alerts_lost": 1}, "it began nothing"

    def test_who_heard_of_a_beginning_must_hear_of_the_end(self, tmp_path):
        files = {"out/b.jsonl": ["k1", "k2"]}
        over, open_still = (
            SimpleNamespace(dedup_key="d", resolved_at=11),
            SimpleNamespace(dedup_key="d", resolved_at=None),
        )
        assert self.count(tmp_path, files, incidents=[over]) == {"alerts_left_open": 1}
        assert self.count(tmp_path, files, incidents=[over], forgot=True) == {"alerts_left_open": 1}
        assert self.count(tmp_path, files, incidents=[over, open_still]) == {}
        ended = Counter({("ops", "d", "resolve", "s", "b"): 1})
        assert self.count(tmp_path, files, incidents=[over], posts=POSTS + ended)["alerts_told_twice"] == 1

    def test_posts_of_another_run_are_not_ours(self, tmp_path):
        log = tmp_path / "posts.jsonl"
        post = {"dedup_key": "d", "event": "trigger", "subject": "s", "body": "b"}
        log.write_text("".join(json.dumps({"run": run, **post}) + "\n" for run in ("/one", "/two")))
        assert posts_of(log, "one") == POSTS
