"""Counts what was lost and what was done twice: against the files, the annotator's own book and the receiver's log."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from benchmarks.chaos.annotator import Statement
from benchmarks.chaos.places import Place
from benchmarks.chaos.votes import further
from benchmarks.chaos.world import PANEL
from stratawatch.engine.labels.reconcile_queue import UNPLANNED
from stratawatch.engine.model.alarm_records import Incident, Notification
from stratawatch.engine.model.label_events import LabelEvent, LabelTask
from stratawatch.engine.model.states import BatchState, Entity
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction

Post = tuple[str, str, str, str, str]
"""Channel, dedup key, event, subject, body."""
Outage = tuple[datetime, datetime]
"""From when on the receiver is out of order, and when it is back."""

EVENTS: Final = ("trigger", "resolve")
UPDATE: Final = "update"
_OTHERS: Final = {"resolved": "resolve", "update": UPDATE}
"""The events of severities that begin nothing."""
LOST_PLAN: Final = "queue:lost plan"
NEVER_SENT: Final = (BatchState.PLANNED, BatchState.FAILED)


@dataclass(frozen=True)
class Tally:
    """Counts that must be zero."""

    items_lost: int
    items_dispatched_twice: int
    labels_lost: int
    labels_counted_twice: int
    votes_lost: int
    votes_asked_twice: int
    alerts_lost: int
    alerts_told_twice: int
    alerts_left_open: int
    answers_to_other_questions: int
    alerts: tuple[str, ...] = ()
    """Of each alert that was lost, told twice or left open: what it says of itself."""
    votes: tuple[int, int] = (0, 0)
    """Second and third votes that people were asked for."""

    def counts(self) -> dict[str, int]:
        """By name."""
        return {name: value for name, value in asdict(self).items() if name not in ("alerts", "votes")}


def tally(
    ports: Ports,
    place: Place,
    said: Counter[Statement],
    posts: Mapping[Post, int],
    *,
    forgot: bool = False,
    outages: Sequence[Outage] = (),
) -> Tally:
    """Compare the store with the world outside.

    A store that `forgot` what it had done since a backup may have planned and told otherwise: batches that it names as
    those of a lost plan, or as sent before its restore and not planned since, and labels that wait for their draw are
    not lost, and what it tells again may be worded anew. Nobody is asked about batches that it does not know and that
    were put away. A reminder of a course that was forgotten may be none of those that it sends now (ADR 46); the same
    words twice are too much.
    A batch that it has not sent since may be there from before, and one whose labels all wait need never be sent. A
    channel that did not answer may have taken what is tried again, once. What began and ended within one of the
    `outages` of the receiver need not be told (ADR 26); who heard of a beginning must hear of its end.
    """
    with ports.store.begin() as tx:
        batches = tx.rounds.batches()
        was_sent = {move.entity_id for move in tx.cycles.transitions(Entity.BATCH) if move.new == BatchState.SENT}
        several = (*tx.labels.of_panel(PANEL), *gold_answers(tx))
        events = [event for _, event in several if event.source == ports.queue.name]
        waiting = tx.labels.waiting_events() if forgot else ()
        notices = tx.outbox.all()
        incidents = tx.alarms.incidents(panel=PANEL)
        named = tx.labels.cursor(UNPLANNED).get("keys", ())
    there = {
        b.key for b in batches if b.state == BatchState.SENT or (b.state == BatchState.CLOSED and b.id in was_sent)
    }
    not_there = {b.key for b in batches if b.state in NEVER_SENT and not forgot}
    sent = _items(b.tasks for b in batches if b.key in there)
    may_be_there = _items(b.tasks for b in batches if b.key not in there | not_there)
    keys_there = {batch.key for batch in batches}
    is_told = any(LOST_PLAN in n.key for n in notices)
    found = [
        (name, batch, key)
        for name, batch, key in place.lines()
        if not forgot or batch in keys_there or (name == "out" and not is_told and batch not in named)
    ]
    lines, votes = Counter(key for _, _, key in found), further(found)
    votes_sent = further(("", b.key, task.item_key) for b in batches if b.key in there for task in b.tasks)
    kept, kept_waiting = _statements(events), _statements(waiting)
    asked = {(task.item_key, batch.question_key) for batch in batches for task in batch.tasks}
    keys = {key for key, _ in asked}
    left_open = _left_open(notices, incidents, posts)
    told = _posts(n for n in notices if n.state == "sent")
    may_be_told = _posts(n for n in notices if n.state == "pending" and n.unconfirmed)
    heard_twice = Counter(posts) - told - may_be_told
    if forgot:
        again = Counter({post: 1 for post, number in posts.items() if post[2] == UPDATE and number > 1}) & heard_twice
        told, may_be_told, posts = _unworded(told), _unworded(may_be_told), _unworded(posts)
        posts = Counter({post: number for post, number in posts.items() if post in told})
        others = Counter({post: number for post, number in posts.items() if post[2] != UPDATE})
        heard_twice = again + (others - told - may_be_told)
    unheard = told - Counter(posts)
    waiting_alerts = [n for n in notices if n.state != "sent" and not _is_over_unheard(n, incidents, outages)]
    return Tally(
        items_lost=(sent - lines).total(),
        items_dispatched_twice=(lines - sent - may_be_there).total(),
        labels_lost=(said - kept - kept_waiting).total(),
        labels_counted_twice=(kept - said).total(),
        votes_lost=(votes_sent - votes).total(),
        votes_asked_twice=votes.total() - len(votes),
        alerts_lost=unheard.total() + len(waiting_alerts),
        alerts_told_twice=heard_twice.total(),
        alerts_left_open=len(left_open),
        answers_to_other_questions=sum(
            e.item_key in keys and (e.item_key, e.question_key) not in asked for e in events
        ),
        alerts=(
            *(f"not posted {number}: {post}" for post, number in unheard.items()),
            *(f"posted twice {number}: {post}" for post, number in heard_twice.items()),
            *(f"{n.state}: {n}" for n in waiting_alerts),
            *(f"left open: {post}" for post in left_open),
        ),
        votes=(sum(vote == 2 for _, _, vote in votes), sum(vote == 3 for _, _, vote in votes)),
    )


def gold_answers(tx: Transaction) -> list[tuple[str, LabelEvent]]:
    """The gold items that people were asked about with each answer to them."""
    latest = tx.panels.latest()
    if PANEL not in latest:
        return []
    question = tx.panels.question_key(latest[PANEL])
    items = {ask.item_key: ask.item for ask in tx.gold.asked(PANEL, question, datetime.max.replace(tzinfo=UTC))}
    return [(items[event.item_key], event) for event in tx.labels.of_items(sorted(items), question)]


def posts_of(log: Path, run: str) -> Counter[Post]:
    """What the receiver accepted in one run."""
    if not log.exists():
        return Counter()
    posts = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    return Counter(
        ("deputy" if p["run"].endswith("/deputy") else "ops", p["dedup_key"], p["event"], p["subject"], p["body"])
        for p in posts
        if p["run"] in (f"/{run}", f"/{run}/deputy")
    )


def _statements(events: Iterable[LabelEvent]) -> Counter[Statement]:
    return Counter((e.item_key, e.annotator, e.value, e.at.isoformat()) for e in events)


def _posts(notices: Iterable[Notification]) -> Counter[Post]:
    return Counter((n.channel, n.dedup_key, _event(n.severity), n.subject, n.body) for n in notices)


def _is_over_unheard(notice: Notification, incidents: Sequence[Incident], outages: Sequence[Outage]) -> bool:
    """Whether it was given up: what it tells of began and ended in an outage, or it is an update and later word went.

    Later word is a newer update, or the end.
    """
    if notice.severity == "update":
        return notice.state == "superseded"
    ends = [incident.resolved_at for incident in incidents if incident.dedup_key == notice.dedup_key]
    return notice.state == "superseded" and any(
        start <= notice.created_at and ends and all(end is not None and end < back for end in ends)
        for start, back in outages
    )


def _left_open(
    notices: Sequence[Notification], incidents: Sequence[Incident], posts: Mapping[Post, int]
) -> list[tuple[str, str]]:
    """Channel and key of what the receiver heard begin, and not end, though it did."""
    still = {incident.dedup_key for incident in incidents if incident.resolved_at is None}
    over = {incident.dedup_key for incident in incidents} - still
    known = {(n.channel, n.dedup_key) for n in notices if n.dedup_key in over}
    heard = {event: {(channel, key) for channel, key, what, *_ in posts if what == event} for event in EVENTS}
    return sorted((known & heard["trigger"]) - heard["resolve"])


def _unworded(posts: Mapping[Post, int]) -> Counter[Post]:
    found = Counter[Post]()
    for (channel, dedup_key, event, _, _), number in posts.items():
        found[channel, dedup_key, event, "", ""] += number
    return found


def _items(batches: Iterable[Iterable[LabelTask]]) -> Counter[str]:
    return Counter(task.item_key for tasks in batches for task in tasks)


def _event(severity: str) -> str:
    return _OTHERS.get(severity, "trigger")
