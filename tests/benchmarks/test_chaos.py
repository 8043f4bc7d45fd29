"""The chaos benchmark's own parts: a referee that sees nothing proves nothing."""

import json
import os
import signal
from collections import Counter
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest

import stratawatch.engine
from benchmarks.chaos.__main__ import quick_kills
from benchmarks.chaos.annotator import NOBODY_ASKED, in_folder
from benchmarks.chaos.children import Ending, forked, in_child
from benchmarks.chaos.databases import PostgresDatabases
from benchmarks.chaos.faulter import Faulter
from benchmarks.chaos.faults import ALWAYS_CROSSED, FAULTS, Fault, Meeting
from benchmarks.chaos.fuse import Fuse, Orders, _guarded
from benchmarks.chaos.installation import PlayedStory
from benchmarks.chaos.killer import COMMIT_POINTS, Killer, commit_sites, untried
from benchmarks.chaos.snapshot import _plain, conclusions, differences
from benchmarks.chaos.tally import Tally
from benchmarks.chaos.verdicts import queue_coverage, queue_writes
from benchmarks.chaos.votes import COLLEAGUES, with_votes
from benchmarks.chaos.world import PLAIN, TROUBLED, ticks, write_world
from tests.support.programs import environment, run

ENGINE = Path(stratawatch.engine.__file__).parent


class TestCommitSites:
    def test_every_commit_of_the_engine_is_listed(self):
        lines = sum(file.read_text().count(".commit()") for file in ENGINE.rglob("*.py"))
        assert len(commit_sites(ENGINE)) == lines >= COMMIT_POINTS

    def test_a_site_is_named_by_its_path_in_the_engine_however_deep_it_lies(self, tmp_path):
        (tmp_path / "cycle" / "rounds").mkdir(parents=True)
        for place in ("plan", "cycle/plan", "cycle/rounds/plan"):
            (tmp_path / f"{place}.py").write_text("def keep(tx):\n    tx.commit()\n")
        assert commit_sites(tmp_path) == {"plan.keep:2", "cycle/plan.keep:2", "cycle/rounds/plan.keep:2"}

    def test_a_quick_run_may_kill_at_every_commit_point(self):
        assert quick_kills() > len(commit_sites(ENGINE))

    def test_a_site_counts_as_tried_only_by_a_death_at_its_commit(self):
        kills = Counter({"a.f:1 before commit": 1, "b.g:2 after link": 1, "timer": 3})
        assert untried(["a.f:1", "b.g:2"], kills) == ["b.g:2"]


class TestKiller:
    crossed = ("a.f:1 before commit", "a.f:1 after commit", "b.g:2 before commit", "b.g:2 after commit")

    def killer(self, wanted=10, *, both_sides=True):
        return Killer.at(self.crossed, Random(1), wanted, both_sides=both_sides)  # noqa: S311 - kills, not secrets

    def test_untried_points_come_first(self):
        assert self.killer().orders(self.crossed, 1.0, 0).targets == frozenset(self.crossed)

    def test_one_side_of_each_site_where_kills_are_few(self):
        targets = self.killer(both_sides=False).targets
        assert sorted(point.split()[0] for point in targets) == ["a.f:1", "b.g:2"]

    def test_then_anywhere_by_point_or_by_clock_and_never_beyond_the_moment(self):
        killer = self.killer(10_000)
        killer.targets.clear()
        orders = [killer.orders(self.crossed, 2.0, 0) for _ in range(300)]
        assert {order.at for order in orders if order.after is None} == {1, 2, 3, 4}
        timed = [order.after for order in orders if order.after is not None]
        assert timed
        assert 0 <= min(timed) < max(timed) <= 2.0

    def test_kills_are_kept_for_untried_points_of_later_moments(self):
        killer = self.killer(wanted=len(self.crossed))
        assert killer.orders(("c.h:3 before commit",), 1.0, 0) == Orders()
        killer.wanted += 1
        assert killer.orders(("c.h:3 before commit",), 1.0, 0) != Orders()

    def test_enough_is_enough_and_every_moment_ends(self):
        killer = self.killer(wanted=1)
        assert killer.orders(self.crossed, 1.0, killer.most_a_tick) == Orders()
        killer.note(self.crossed[0])
        assert killer.orders(self.crossed, 1.0, 0) == Orders()
        assert self.crossed[0] not in killer.targets


class TestFuse:
    def test_a_process_dies_by_sigkill_at_its_point_and_not_before(self, tmp_path):
        log = tmp_path / "log"

        def work():
            fuse = Fuse(log, Orders(targets=frozenset({"c"})))
            for point in "abcd":
                fuse.cross(point)

        status = forked(work, tmp_path / "result")
        assert os.WTERMSIG(status) == signal.SIGKILL
        assert log.read_text().split() == ["a", "b", "c"]

    def test_the_n_th_point_kills(self, tmp_path):
        log = tmp_path / "log"
        status = forked(lambda: [Fuse(log, Orders(at=1)).cross("a")], tmp_path / "result")
        assert os.WTERMSIG(status) == signal.SIGKILL

    def test_a_point_is_named_by_our_own_nearest_line_and_others_calls_have_none(self, tmp_path):
        fuse = Fuse(tmp_path / "log")
        done = []
        here = _guarded(lambda: done.append(1), "commit", f"{os.sep}tests{os.sep}", lambda: fuse)
        elsewhere = _guarded(lambda: done.append(2), "commit", "/nowhere/", lambda: fuse)
        here()
        elsewhere()
        before, after = (tmp_path / "log").read_text().splitlines()
        name = "benchmarks/test_chaos.test_a_point_is_named_by_our_own_nearest_line_and_others_calls_have_none:"
        assert before.startswith(name)
        assert before.endswith(" before commit")
        assert after.endswith(" after commit")
        assert done == [1, 2]

    def test_a_child_that_fails_by_itself_is_not_taken_for_a_kill(self, tmp_path):
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            in_child(lambda: 1 / 0, tmp_path)


class TestAnnotator:
    def play(self, root):
        out = root / "out"
        out.mkdir(parents=True)
        tasks = [{"batch": "b", "key": f"k{i}", "payload": {"text": f"buy {i}"}} for i in range(60)]
        (out / "b.jsonl").write_text("".join(json.dumps(line) + "\n" for line in [{"batch": "b"}, *tasks]))
        annotator = in_folder(root)
        for tick in ticks((PLAIN[0],)):
            annotator.act(tick)
        return annotator, (root / "in" / "ann-0.jsonl").read_text()

    def test_further_votes_are_given_by_others_each_once_and_never_the_first_one(self, tmp_path):
        out = tmp_path / "out"
        out.mkdir()
        for batch in ("spam-p00000-r1-b1-aa", "spam-p00000-r1-v2-bb", "spam-p00000-r1-v3-cc"):
            lines = [{"batch": batch}, *({"batch": batch, "key": f"k{i}", "payload": {"text": "buy"}} for i in (1, 2))]
            (out / f"{batch}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        annotator = in_folder(tmp_path)
        annotator.colleagues = COLLEAGUES
        for tick in ticks(with_votes((PLAIN[0],))):
            annotator.act(tick)
        assert {(key, who) for key, who, _, _ in annotator.said if who != "ann"} == {
            (key, who) for key in ("k1", "k2") for who in ("ben", "cid")
        }

    def test_moments_for_votes_follow_those_at_which_a_round_has_all_answers(self):
        assert [step for step, _ in with_votes((PLAIN[0],))[0]].count("votes") == 4
        assert with_votes((PLAIN[1],)) == (PLAIN[1],)

    def test_it_says_the_same_every_time(self, tmp_path):
        assert self.play(tmp_path / "a")[1] == self.play(tmp_path / "b")[1]

    def test_its_book_holds_exactly_what_it_wrote_about_what_was_asked(self, tmp_path):
        annotator, text = self.play(tmp_path)
        lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
        written = {
            (line["key"], line["annotator"], line["value"], line["at"]) for line in lines if line["key"] != NOBODY_ASKED
        }
        assert written == set(annotator.said)
        assert set(annotator.said.values()) == {1}
        assert set(annotator.answers) == {f"k{i}" for i in range(60)}

    def test_a_line_is_torn_between_two_moments(self, tmp_path):
        out = tmp_path / "out"
        out.mkdir()
        tasks = [{"key": f"k{i}", "payload": {"text": "hello"}} for i in range(60)]
        (out / "b.jsonl").write_text("".join(json.dumps(line) + "\n" for line in tasks))
        annotator = in_folder(tmp_path)
        annotator.act(ticks((PLAIN[0],))[0])
        assert not (tmp_path / "in" / "ann-0.jsonl").read_text().endswith("\n")


SILENT = Fault("silent", lambda scene: nullcontext(Meeting()), "it is {n} times wrong")
LASTS = Fault("lasts", lambda scene: nullcontext(Meeting(broken=["wrote"])), lasting=True)


class FakeRunner:
    def __init__(self, *sentences):
        self.sentences = frozenset(sentences)

    def meet(self, *_):
        return Ending("", (), 0.1, self.sentences)


class TestFaulter:
    scene = SimpleNamespace(crossed=("p",), tick=ticks((PLAIN[0],))[0], config=None, number=7)

    def faulter(self, wanted=9, **how):
        return Faulter(Random(1), wanted, kinds=[SILENT, LASTS], **how)  # noqa: S311 - faults, not secrets

    def test_the_rarest_kind_comes_first_and_lasting_ones_only_where_they_may(self):
        faulter = self.faulter()
        faulter.inflicted["silent"] = 1
        assert faulter.draw(self.scene) is LASTS
        assert self.faulter(lasting=False).draw(self.scene) is SILENT

    def test_enough_is_enough(self):
        assert self.faulter(0).draw(self.scene) is None

    def test_not_before_each_kind_of_its_own_came_often_enough(self):
        faulter = self.faulter(1, lasting=False, of_each=2)
        faulter.inflicted.update(silent=1, another=5)
        assert not faulter.done
        assert faulter.number(self.scene) >= 1
        assert faulter.draw(self.scene) is SILENT
        faulter.inflicted["silent"] = 2
        assert faulter.done

    def test_what_people_were_not_told_is_noted(self):
        faulter = self.faulter()
        faulter.inflict(SILENT, self.scene, FakeRunner("all is well"))
        faulter.inflict(SILENT, self.scene, FakeRunner("advance: it is 7 times wrong"))
        assert faulter.untold == ["silent at 0 ask: ['all is well']"]
        assert (faulter.inflicted["silent"], faulter.broken, faulter.off_course) == (2, [], False)

    def test_what_the_product_must_not_have_done_is_noted(self):
        faulter = self.faulter()
        faulter.inflict(LASTS, self.scene, FakeRunner())
        assert (faulter.broken, faulter.off_course) == (["lasts at 0 ask: wrote"], True)

    def test_a_broken_promise_is_noted_with_its_faults(self):
        faulter = self.faulter()
        faulter.check(["silent", "lasts"], self.scene, lambda: Tally(0, 0, 5, 0, 0, 0, 3, 0, 2, 0))
        assert faulter.broken == ["labels_lost 5 at 0 ask after silent, lasts"]

    @pytest.mark.parametrize(
        ("kind", "point"),
        [
            ("source hangs", "cycle/freeze_cycle.freeze_cycle:1"),
            ("receiver drips", "alarms/send_notifications._hand_over:1"),
        ],
    )
    def test_what_needs_a_hand_first_is_met_where_none_is_needed(self, kind, point):
        fault = next(fault for fault in FAULTS if fault.kind == kind)
        scenes = [
            SimpleNamespace(crosses=point.startswith, on_course=True, tick=SimpleNamespace(step=step))
            for step in ("ask", "reopen", "retire")
        ]
        assert [fault.possible(scene) for scene in scenes] == [True, False, False]

    @pytest.mark.parametrize("kind", ["queue emptied", "queue unmounted"])
    def test_a_queue_is_taken_away_from_a_restored_store_too(self, tmp_path, kind):
        fault = next(fault for fault in FAULTS if fault.kind == kind)
        scene = SimpleNamespace(folder=tmp_path, off_course=True, tick=SimpleNamespace(period=0, step="ask"))
        assert not fault.possible(scene)
        (tmp_path / "queue" / "out").mkdir(parents=True)
        assert fault.possible(scene)

    def test_a_clock_that_fell_back_is_not_doubted_where_a_person_may_have_trusted_it(self, tmp_path):
        fault = next(fault for fault in FAULTS if fault.kind == "clock back")

        def possible(period, step, *, off_course):
            tick = SimpleNamespace(period=period, step=step)
            return fault.possible(SimpleNamespace(tick=tick, off_course=off_course, folder=tmp_path, inbox=tmp_path))

        assert possible(2, "trust", off_course=True)
        assert possible(1, "ask", off_course=True)
        assert possible(3, "backfill", off_course=False)
        assert not possible(3, "backfill", off_course=True)
        # Who was killed and says again that the clock is right trusts all that was written in between.
        assert not possible(2, "adopt", off_course=False)

    def test_a_server_is_stopped_where_every_process_comes_by(self, tmp_path):
        server = PostgresDatabases(tmp_path, None)
        scene = SimpleNamespace(crossed=("p",) * 500, rng=Random(1), databases=server)  # noqa: S311 - no secrets
        stops = next(fault for fault in FAULTS if fault.kind == "PostgreSQL stops in the middle")
        places = {next(stops.inflict(scene).gen).orders.at for _ in range(500)}
        assert places == set(range(1, ALWAYS_CROSSED + 1))

    def test_every_kind_has_its_own_name(self):
        assert len({fault.kind for fault in FAULTS}) == len(FAULTS)


class TestSnapshot:
    def test_what_is_missing_added_or_out_of_order_is_a_difference(self):
        one = {"draws": ["a", "b"], "moves": ["x", "y"]}
        assert differences(one, one) == []
        assert len(differences(one, {"draws": ["a"], "moves": ["x", "y"]})) == 1
        assert len(differences(one, {"draws": ["a", "b", "b"], "moves": ["x", "y"]})) == 1
        assert differences(one, {"draws": ["a", "b"], "moves": ["y", "x"]}) == ["moves: another order"]

    def test_conclusions_leave_out_how_many_had_answered_when_the_deadline_passed(self):
        subjects = {key: [] for key in ("atoms", "candidates", "labels", "current", "incidents", "baselines")}
        lines = [f"spam 1 judged deadline passed; {n} of 233 drawn items have a verdict" for n in (118, 119)]
        one, other = (conclusions({**subjects, "cycles": [line]}) for line in lines)
        assert differences(one, other) == []
        assert differences(one, conclusions({**subjects, "cycles": [lines[0].replace("233", "232")]}))

    def test_only_numbers_folders_and_deadlines_of_a_run_are_made_alike(self):
        line = "cycle 7: no files in /x/y; deadline 2026-01-22 06:11 +00:00 passed; 32 of 48"
        plain = _plain(line, Path("/x/y"), {7: 2})
        assert plain == "cycle of period 2: no files in <folder>; deadline passed; 32 of 48"


PUBLISHER = """
import sys
from pathlib import Path
from benchmarks.chaos.fuse import Fuse, Orders, install
from benchmarks.chaos.local_bucket import keep_buckets_in_folders
from stratawatch.adapters.store import migrate
from stratawatch.wiring import build
from tests.support.batches import batch
fuse = Fuse(Path(sys.argv[2]), Orders(at=4))
install(lambda: fuse)
keep_buckets_in_folders()
migrate(sys.argv[3])
queue = build(Path(sys.argv[1])).ports.queue
queue.adopt("ours")
queue.publish(batch("b"))
"""


class TestWorld:
    def test_the_same_seed_writes_the_same_predictions(self, tmp_path):
        for name in ("a", "b"):
            (tmp_path / name).mkdir()
            write_world(tmp_path / name, 7, "sqlite:///s.db")
        files = [sorted(p.read_bytes() for p in (tmp_path / n / "predictions").iterdir()) for n in ("a", "b")]
        assert files[0] == files[1]

    def test_time_never_goes_back_and_leaves_room_for_killed_processes(self):
        for story in (PLAIN, TROUBLED):
            moments = [tick.at for tick in ticks(story)]
            gaps = [(b - a).total_seconds() for a, b in pairwise(moments)]
            assert min(gaps) >= 15 * 11 * 60

    def test_a_bucket_lies_in_a_folder_and_processes_die_on_both_sides_of_a_write_to_it(self, tmp_path):
        store = f"sqlite:///{tmp_path}/s.db"
        config = write_world(tmp_path, 7, store, "bucket")
        hooks = environment({"CHAOS_HOOK": "https://a.example", "CHAOS_DEPUTY": "https://b.example"})
        run("-c", PUBLISHER, config, tmp_path / "log", store, env=hooks, status=-signal.SIGKILL)
        crossed = (tmp_path / "log").read_text().splitlines()
        assert [point.split(":")[0] for point in crossed] == ["bucket.adopt"] * 2 + ["bucket.publish"] * 2
        assert [point.split(" ", 1)[1] for point in crossed] == ["before put", "after put"] * 2
        assert [file.name for file in (tmp_path / "queue" / "out").iterdir()] == ["b.jsonl"]
        points = queue_writes(PlayedStory((Ending("", tuple(crossed), 0.1),), {}, None))
        assert points == set(crossed)
        assert [verdict.value for verdict in queue_coverage(points, Counter(crossed[1:]))] == [4, 1]
