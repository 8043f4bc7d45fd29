"""Small worlds to begin from: a panel, a cycle, a frozen cycle, a planned round."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.goals import Goal, Limit
from stratawatch.core.plan import Plan
from stratawatch.core.population import Atom, Segment
from stratawatch.engine.model import idempotency_keys
from stratawatch.engine.model.alarm_records import Incident, Notification, StreamKey
from stratawatch.engine.model.cycle_facts import CandidateItem, DrawnItem, FrozenCycle, Revision
from stratawatch.engine.model.idempotency_keys import batch_key, item_key_without_question
from stratawatch.engine.model.input_profile import InputProfile
from stratawatch.engine.model.label_events import LabelEvent, LabelTask, NewBatch
from stratawatch.engine.model.panel_spec import ClassifierSpec, Columns, PanelSpec, Window, WindowRule

MONDAY = datetime(2026, 1, 5, tzinfo=UTC)
WEEK = timedelta(days=7)
NOW = datetime(2026, 2, 2, 9, 30, 15, 123456, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
COUNTRY = Segment("country", "de")


def spec(name="spam", **changes):
    facts = {
        "name": name,
        "question": "Is it spam?",
        "guideline": "Spam is what nobody asked for.",
        "seed": "s1",
        "classifiers": (
            ClassifierSpec("lr", "score_lr", cut_off=0.5),
            ClassifierSpec("svm", "margin", "margin", call="flagged"),
        ),
        "columns": Columns("id", "at", payload=("text",), segments=("country",), cluster="customer"),
        "windows": WindowRule(MONDAY, WEEK, timedelta(hours=1, microseconds=5)),
        "goals": (Goal("precision", 0.03), Goal("recall", 0.05, classifiers=("lr",))),
        "limits": (Limit("precision", floor=0.8), Limit("false_omission_rate", ceiling=0.02, segment=COUNTRY)),
        "budget": 900,
        "deadline": timedelta(days=3),
    }
    return PanelSpec(**(facts | changes))


def window(period=0):
    return Window(MONDAY + period * WEEK, MONDAY + (period + 1) * WEEK)


PROFILE = InputProfile(
    rows=1000,
    bad_rows=1,
    null_items=0,
    first_time=MONDAY,
    last_time=None,
    columns={"lr": {"nulls": 0, "invalid": 1, "positives": 60, "score_nulls": 0, "score_invalid": 1}},
)

ATOMS = (
    Atom("10", 512, 1023, 60, 0.875, {COUNTRY: 20, Segment("country", "fr"): 40}, prior_rate=0.8125),
    Atom("0-", 0, 511, 939, None, {}, stratum=1),
)


def candidate(name, atom=0, **changes):
    facts = {
        "item": name,
        "atom": atom,
        "digest": f"{abs(hash_of(name)):032x}",
        "pattern": ATOMS[atom].pattern,
        "bin": ATOMS[atom].first_bin,
        "time": MONDAY + MINUTE,
        "payload": {"text": f"text of {name}"},
        "segments": {"country": "de", "language": None},
    }
    return CandidateItem(**(facts | changes))


def hash_of(name):
    return int(item_key_without_question("digest", name)[:32], 16)


def frozen(items=("a", "b", "c"), **changes):
    facts = {
        "atoms": ATOMS,
        "candidates": tuple(candidate(name, atom=i % 2) for i, name in enumerate(items)),
        "profile": PROFILE,
        "source_version": {"files": ["p.parquet"]},
        "docs": "spam/w0.html",
        "bad_rows": (),
    }
    return FrozenCycle(**(facts | changes))


QUESTION = "is it"
"""The key of the question that is asked, unless a test asks another."""


def item_key(panel, name, question=QUESTION):
    return idempotency_keys.item_key(panel, name, question)


def draws(items=("a", "b", "c"), panel="spam", question_key=QUESTION, **changes):
    facts = {"question_key": question_key} | changes
    return tuple(
        DrawnItem(name, item_key(panel, name, question_key), i % 2, f"{hash_of(name):032x}", 0.05, **facts)
        for i, name in enumerate(items)
    )


PLAN = Plan((2, 1), {("lr", "precision"): 0.031, ("svm", "recall"): float("inf")}, "two-phase", exhausted=(1,))


def open_cycle(tx, period=0, panel="spam"):
    version = tx.panels.save(spec(panel), NOW)
    return tx.cycles.open(panel, version, period, window(period), NOW)


def frozen_cycle(tx, period=0, panel="spam", items=("a", "b", "c")):
    cycle = open_cycle(tx, period, panel)
    tx.cycles.freeze(cycle, frozen(items), NOW + 3 * timedelta(days=1))
    return cycle


@dataclass(frozen=True)
class Planned:
    cycle: int
    round: int
    batch: int


def planned_round(tx, period=0, panel="spam", items=("a", "b", "c")):
    cycle = frozen_cycle(tx, period, panel, items)
    tasks = tuple(LabelTask(item_key(panel, name), {"text": name}) for name in items)
    batch = NewBatch(batch_key(panel, period, 1, 1, items), "Is it?", "It is if.", tasks, QUESTION)
    number = tx.rounds.add(cycle, PLAN, draws(items, panel), [batch], NOW)
    return Planned(cycle, number, tx.rounds.batches(round_id=number)[0].id)


def said(item, event_id, value="yes", annotator="ann", minutes=0, panel="spam", source="folder"):
    return LabelEvent(source, event_id, item_key(panel, item), annotator, value, NOW + minutes * MINUTE)


def estimate(metric="precision", segment=None, result=None, classifier="lr"):
    known = result or IntervalEstimate(0.8125, 0.75, 0.875, 120.5)
    return Estimate(classifier, metric, segment, known, 42, "ff-mid", 0.95)


UNKNOWN = Undefined("it calls no item positive")


def revision(cycle, number=1, mark=0, estimates=None):
    return Revision(cycle, number, f"print{number}", mark, NOW, (estimate(),) if estimates is None else estimates)


STREAM = StreamKey("spam", "lr", "precision")


def incident(cycle, kind, key=STREAM):
    return Incident(0, key, kind, f"stratawatch:{key}:{kind}", cycle, NOW)


def notification(key="page-1", **changes):
    facts = {
        "key": key,
        "dedup_key": f"stratawatch:{key}",
        "channel": "console",
        "severity": "page",
        "subject": "BREACH",
        "body": "71% is below 80%",
        "facts": {"value": 0.71},
        "created_at": NOW,
    }
    return Notification(**(facts | changes))
