"""A quarter in the life of a panel, and a store in memory that answers what a report asks for."""

from collections import defaultdict
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.goals import Goal, Limit
from stratawatch.core.population import Atom, Segment
from stratawatch.engine.model.alarm_records import Incident, Notification, StreamKey, StreamState
from stratawatch.engine.model.cycle_facts import Cycle, DrawnItem, Revision, Transition
from stratawatch.engine.model.input_profile import InputProfile
from stratawatch.engine.model.label_events import Batch, LabelEvent, LabelTask
from stratawatch.engine.model.panel_spec import ClassifierSpec, Columns, PanelSpec, Window, WindowRule
from stratawatch.engine.model.states import BatchState, CycleState
from stratawatch.engine.model.stored_baseline import StoredBaseline

MONDAY = datetime(2026, 1, 5, tzinfo=UTC)
WEEK = timedelta(days=7)
NOW = MONDAY + 11 * WEEK + timedelta(hours=7)
REGIONS = (Segment("region", "north"), Segment("region", "south"))


def spec(**changes) -> PanelSpec:
    names = ("lr", "nb", "gbt", "vote")
    facts = {
        "name": "toxicity",
        "question": "Is this message toxic?",
        "guideline": "Toxic is what drives people out of a conversation.",
        "seed": "s1",
        "classifiers": tuple(ClassifierSpec(name, f"score_{name}", call=f"pred_{name}") for name in names),
        "columns": Columns("id", "at", payload=("text",), segments=("region",)),
        "windows": WindowRule(MONDAY, WEEK),
        "goals": (Goal("precision", 0.03), Goal("recall", 0.05)),
        "limits": (Limit("precision", floor=0.78), Limit("recall", floor=0.62)),
        "budget": 900,
        "deadline": timedelta(days=3),
        "source": "predictions/*.parquet",
    }
    return PanelSpec(**(facts | changes))


def stream(classifier="nb", metric="precision", segment=None, panel="toxicity") -> StreamKey:
    return StreamKey(panel, classifier, metric, segment)


def known(value: float, half: float, n: float = 400) -> IntervalEstimate:
    return IntervalEstimate(value, max(0.0, value - half), min(1.0, value + half), n)


def estimate(classifier, metric, outcome, segment=None, labels=240, confidence=0.95) -> Estimate:
    return Estimate(classifier, metric, segment, outcome, labels, "stratified, small-count", confidence)


def window(period: int) -> Window:
    return Window(MONDAY + period * WEEK, MONDAY + (period + 1) * WEEK)


def input_profile(rows, bad_rows=0, warnings=()):
    """What was counted of a window, as far as reports show it."""
    return InputProfile(rows, bad_rows, 0, None, None, {}, warnings=tuple(warnings))


def cycle(period: int, state: CycleState = CycleState.JUDGED, **changes) -> Cycle:
    opened = window(period).end
    facts = {
        "id": period + 1,
        "panel": "toxicity",
        "panel_version": 1,
        "period": period,
        "window": window(period),
        "state": state,
        "opened_at": opened,
        "deadline_at": opened + timedelta(days=3),
        "docs": f"checks/toxicity/p{period:05d}/index.html",
        "profile": input_profile(100_000),
    }
    return Cycle(**(facts | changes))


@dataclass
class Memory:
    """What the store holds; tests write into it directly."""

    panel: PanelSpec
    cycles: list[Cycle] = field(default_factory=list)
    revisions: dict[int, Revision] = field(default_factory=dict)
    states: dict[int, list[StreamState]] = field(default_factory=lambda: defaultdict(list))
    draws: dict[int, list[DrawnItem]] = field(default_factory=lambda: defaultdict(list))
    batches: dict[int, list[Batch]] = field(default_factory=lambda: defaultdict(list))
    events: list[LabelEvent] = field(default_factory=list)
    incidents: list[Incident] = field(default_factory=list)
    notifications: list[Notification] = field(default_factory=list)
    moves: list[Transition] = field(default_factory=list)
    atoms: tuple[Atom, ...] = ()
    baselines: list[StoredBaseline] = field(default_factory=list)

    @contextmanager
    def begin(self):
        yield SimpleNamespace(
            panels=SimpleNamespace(get=lambda _: self.panel, latest=lambda: {self.panel.name: self.panel}),
            cycles=SimpleNamespace(
                # Its windows have no candidates: who asks for judged ones alone, to compare them, gets none.
                find=lambda *, panel, replaced=False, states=(), newest=None: tuple(
                    c for c in self.cycles if c.panel == panel and c.is_replaced == replaced and not states
                ),
                earlier_runs=lambda cycle: tuple(
                    c for c in self.cycles if c.window == cycle.window and c.is_replaced and c.id < cycle.id
                ),
                get=lambda cycle_id: next(c for c in self.cycles if c.id == cycle_id),
                atoms=lambda _: self.atoms,
                transitions=lambda entity, entity_id: tuple(
                    m for m in self.moves if (m.entity, m.entity_id) == (entity, entity_id)
                ),
            ),
            rounds=SimpleNamespace(
                draws=lambda cycle_id: tuple(self.draws[cycle_id]),
                batches=lambda *, cycle_id: tuple(self.batches[cycle_id]),
            ),
            labels=SimpleNamespace(of_items=self.of_items, cursor=lambda _: {}),
            estimates=SimpleNamespace(latest=self.revisions.get),
            evidence=SimpleNamespace(rule_of=lambda _cycle: None),
            alarms=SimpleNamespace(
                of_cycle=lambda cycle_id: tuple(self.states[cycle_id]),
                incidents=lambda *, panel: tuple(i for i in self.incidents if i.key.panel == panel),
            ),
            baselines=SimpleNamespace(in_force=self.in_force),
            outbox=SimpleNamespace(all=lambda *, newest: tuple(self.notifications[-newest:])),
            truth=SimpleNamespace(counts=lambda: (), warnings=lambda _: ()),
        )

    def of_items(self, keys: Sequence[str], question_key: str) -> tuple[LabelEvent, ...]:
        """Every answer to this question on these items."""
        asked = set(keys)
        answers = (event for event in self.events if event.question_key == question_key)
        return tuple(event for event in answers if event.item_key in asked)

    def in_force(self, panel: str, at: datetime, measured_by: datetime | None = None) -> tuple[StoredBaseline, ...]:
        """As the store has it, of one baseline a stream at a time."""
        return tuple(
            b
            for b in self.baselines
            if b.key.panel == panel and b.valid_from <= at and (b.valid_until is None or at < b.valid_until)
            if measured_by is None or b.measured_at <= measured_by
        )

    def label(self, one: Cycle, asked: int, yes: int = 0, no: int = 0, skip: int = 0, reused: int = 0) -> None:
        """Draw items for a cycle in one sent batch, and let people answer the first of them."""
        keys = [f"k{one.id}-{i}" for i in range(asked + reused)]
        for i, key in enumerate(keys):
            self.draws[one.id].append(DrawnItem(f"i{key}", key, 0, f"{i:032x}", 0.1, reused=i >= asked))
        tasks = tuple(LabelTask(key, {"text": "secret words"}) for key in keys[:asked])
        state = BatchState.SENT if yes + no + skip < asked else BatchState.CLOSED
        self.batches[one.id].append(Batch(one.id, one.id, f"b{one.id}", state, 1, "?", "", tasks))
        said = ["yes"] * yes + ["no"] * no + ["skip"] * skip
        answered = [*zip(keys, said, strict=False), *((key, "no") for key in keys[asked:])]
        self.events += [LabelEvent("folder", f"e-{key}", key, "ann", word, one.opened_at) for key, word in answered]

    def judge(self, one: Cycle, estimates, states=(), number: int = 1) -> None:
        """Keep a revision and its states."""
        at = one.opened_at + timedelta(days=2)
        self.cycles.append(one)
        self.revisions[one.id] = Revision(one.id, number, "f", 1, at, tuple(estimates))
        self.states[one.id] = [StreamState(key, one.id, number, state, why, at) for key, state, why in states]

    def refuse(self, one: Cycle, why: str, keys=()) -> None:
        """Keep a refused cycle with its BLIND states."""
        self.cycles.append(replace(one, state=CycleState.REFUSED, reason=why))
        said = f"the window was refused: {why}"
        self.states[one.id] = [StreamState(k, one.id, 0, AlarmState.BLIND, said, one.opened_at) for k in keys]


HEALTHY = {
    "lr": (0.861, 0.731, 0.0171),
    "nb": (0.834, 0.702, 0.0192),
    "gbt": (0.884, 0.774, 0.0143),
    "vote": (0.902, 0.741, 0.0165),
}
METRICS = ("precision", "recall", "false_omission_rate")
HALVES = {"precision": 0.031, "recall": 0.047, "false_omission_rate": 0.0034}
WOBBLE = (0.3, -0.5, 0.8, -0.2, 0.1, -0.9, 0.6, -0.4, 0.2, 0.5, -0.1)


def quarter() -> Memory:
    """Eleven weeks: one refused window, one classifier that breaks in week 7, one still recovering."""
    memory = Memory(spec(), atoms=_atoms())
    keys = [stream(name, metric) for name in HEALTHY for metric in METRICS[:2]]
    for period in range(10):
        one = cycle(period)
        if period == 3:
            memory.refuse(one, "column 'score_nb' is missing; expected 4 score columns; got 3", keys)
            continue
        memory.label(one, 900, yes=322, no=569, skip=9 if period != 9 else 4)
        memory.judge(one, _estimates(period), _states(period, keys), number=2 if period == 5 else 1)
    memory.cycles.append(cycle(10, CycleState.LABELLING))
    memory.label(memory.cycles[-1], 360, yes=61, no=80)
    memory.cycles[7] = replace(memory.cycles[7], profile=input_profile(100_000, 412))
    _tell(memory, keys)
    return memory


def _atoms() -> tuple[Atom, ...]:
    return (
        Atom("1111", 900, 1023, 3_600, 0.95),
        Atom("1101", 600, 899, 2_100, 0.8),
        Atom("0100", 400, 700, 1_500, 0.5),
        Atom("0000", 0, 399, 92_800, 0.02),
    )


def _estimates(period: int) -> list[Estimate]:
    made = []
    for place, (name, values) in enumerate(HEALTHY.items()):
        for metric, value in zip(METRICS, values, strict=True):
            moved = value + WOBBLE[(period + 3 * place) % 11] * HALVES[metric] * 0.6
            if name == "nb" and metric == "precision" and period >= 6:
                moved = 0.708 + WOBBLE[period] * 0.01
            made.append(estimate(name, metric, known(moved, HALVES[metric])))
            for region in REGIONS:
                low = name == "nb" and metric == "precision" and period >= 6 and region.value == "south"
                value_there = 0.581 if low else moved
                outcome = known(value_there, HALVES[metric] * 1.5, 190)
                if metric == "recall" and name == "vote" and region.value == "north":
                    outcome = Undefined("no yes among the 14 labels of this segment")
                made.append(estimate(name, metric, outcome, region, labels=118))
    return made


def _states(period: int, keys) -> list[tuple[StreamKey, AlarmState, str]]:
    states = []
    for key in keys:
        state, why = AlarmState.OK, "is proven inside its limit"
        if key.classifier == "nb" and key.metric == "precision" and period >= 6:
            state = AlarmState.BREACH
            why = "70.9% (67.8% to 74.0%, 95%) is proven below the floor of 78.0%; 236 labels"
        elif key.classifier == "nb" and key.metric == "recall" and period >= 7:
            state, why = (
                AlarmState.UNPROVEN,
                "69.4% (61.3% to 74.1%, 95%) is inside the floor of 62.0%, not proven; 318 labels",
            )
        elif key.classifier == "lr" and key.metric == "recall" and period == 5:
            state, why = (
                AlarmState.AT_RISK,
                "61.0% (57.2% to 66.6%, 95%) is below the floor of 62.0%, not proven; 318 labels",
            )
        states.append((key, state, why))
    return states


def _tell(memory: Memory, keys) -> None:
    refused, broke = cycle(3), cycle(6)
    for number, key in enumerate(keys[:2]):
        ended = cycle(4).opened_at + timedelta(days=2)
        memory.incidents.append(
            Incident(number + 1, key, AlarmState.BLIND, f"d{number}", refused.id, refused.opened_at, ended)
        )
    at = broke.opened_at + timedelta(days=2)
    memory.incidents.append(Incident(9, stream(), AlarmState.BREACH, "d9", broke.id, at))
    told = [
        ("warning", "BLIND: toxicity cannot tell 8 of its metrics", refused.opened_at),
        ("resolved", "RESOLVED: toxicity can tell again", cycle(4).opened_at + timedelta(days=2)),
        ("page", "BREACH: precision of nb (toxicity)", at),
    ]
    for number, (severity, subject, moment) in enumerate(told):
        memory.notifications.append(
            Notification(
                f"n{number}",
                f"stratawatch:toxicity:{number}",
                "console",
                severity,
                subject,
                "",
                {"panel": "toxicity"},
                moment,
                id=number,
                state="sent",
            )
        )
