"""One installation of fakes around a real store, and its ordinary cycles: opened, advanced, answered, judged."""

import shutil
from copy import copy
from dataclasses import dataclass, fields
from pathlib import Path
from tempfile import TemporaryDirectory

from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.cycle.open_cycles import open_cycles
from stratawatch.engine.model.idempotency_keys import item_key, question_wording
from stratawatch.engine.model.label_events import LabelEvent
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.survey_of_panel import max_rounds
from stratawatch.engine.ports import Ports
from tests.support.fakes import (
    MONDAY,
    WEEK,
    FakeChannel,
    FakeCheck,
    FakeQueue,
    FakeSource,
    ManualClock,
    production,
    spec,
)
from tests.support.stores import empty_store, opened_store


@dataclass
class Scenario:
    """One installation of fakes around a real store."""

    ports: Ports
    clock: ManualClock
    source: FakeSource
    check: FakeCheck
    queue: FakeQueue
    channel: FakeChannel
    panel: PanelSpec
    url: str = ""
    """The address of the store, for a test that reads it by it."""
    cycles: tuple[int, ...] = ()
    """Those that it had from its beginning, where it does not begin empty."""

    @classmethod
    def around(cls, store, panel: PanelSpec | None = None, source: FakeSource | None = None) -> "Scenario":
        """New fakes around a store."""
        panel, source = panel or spec(), source or FakeSource()
        check, queue, channel, clock = FakeCheck(), FakeQueue({}), FakeChannel(), ManualClock()
        ports = Ports(store, clock, {panel.name: source}, check, queue, {channel.name: channel})
        return cls(ports, clock, source, check, queue, channel, panel)

    def produce(self, period: int, *, quality: float = 0.85, size: int = 3000) -> None:
        """Predictions of one window."""
        rows = list(production(period, size, quality))
        self.source.windows[MONDAY + period * WEEK] = rows
        question = question_wording(self.panel.question, self.panel.guideline, self.panel.guideline_version)
        self.queue.truth |= {item_key(self.panel.name, row.item, question): row.truth for row in rows}


def new_scenario(path: Path, panel: PanelSpec | None = None) -> Scenario:
    """Fakes around an empty store in this file, the first window full of predictions and over."""
    made = Scenario.around(empty_store(path), panel)
    made.produce(0)
    return made


def open_all(scenario: Scenario) -> tuple[int, ...]:
    return open_cycles(scenario.ports, {scenario.panel.name: scenario.panel})


def label_cycle(scenario: Scenario, *, channels_fail: bool = False) -> int:
    """Open, advance and answer until everything is judged; returns the cycle."""
    (cycle,) = open_all(scenario)
    work_on(scenario, max(max_rounds(scenario.panel), 2) + 1, channels_fail=channels_fail)
    return cycle


def work_on(scenario: Scenario, hours: int, *, channels_fail: bool = False) -> None:
    """Advance every hour without trouble, but that channels may fail, and answer what was asked."""
    for _ in range(hours):
        scenario.clock.advance(hours=1)
        troubles = advance(scenario.ports).troubles
        assert [one for one in troubles if not (channels_fail and one.startswith("notify: "))] == []
        scenario.queue.answer(scenario.clock.now())


def label_weeks(scenario: Scenario, *periods: int, size: int = 3000, quality: float = 0.85) -> list[int]:
    """Label a cycle of each of these windows; returns their ids."""
    cycles = []
    for period in periods:
        scenario.produce(period, size=size, quality=quality)
        scenario.clock.moment = MONDAY + (period + 1) * WEEK
        cycles.append(label_cycle(scenario))
    return cycles


_LABELLED: dict[str, tuple[TemporaryDirectory, Scenario]] = {}


def labelled_scenario(path: Path, panel: PanelSpec, *periods: int, **rows: float) -> Scenario:
    """A scenario in this file after `label_weeks`; they are played once, and what they left is copied."""
    key = repr((panel, periods, rows))
    if key not in _LABELLED:
        folder = TemporaryDirectory(prefix="stratawatch-")
        _LABELLED[key] = folder, new_scenario(Path(folder.name) / "store.db", panel)
        _LABELLED[key][1].cycles = tuple(label_weeks(_LABELLED[key][1], *periods, **rows))
        _LABELLED[key][1].ports.store.dispose()
    folder, played = _LABELLED[key]
    shutil.copy(Path(folder.name) / "store.db", path)
    made = Scenario.around(opened_store(path), panel, _copy(played.source))
    made.clock.moment, made.cycles = played.clock.moment, played.cycles
    for name in ("check", "queue", "channel"):
        vars(getattr(made, name)).update(vars(_copy(getattr(played, name))))
    return made


def _copy(fake):
    """A fake that holds the same, in lists and mappings of its own."""
    return type(fake)(**{one.name: copy(getattr(fake, one.name)) for one in fields(fake)})


def only_cycle(scenario: Scenario) -> int:
    """The one cycle that there is."""
    with scenario.ports.store.begin() as tx:
        (cycle,) = tx.cycles.find()
    return cycle.id


def cycle_of(scenario: Scenario, number: int):
    with scenario.ports.store.begin() as tx:
        return tx.cycles.get(number)


def relabel(scenario: Scenario, value: str, annotator: str = "ann", **later: float) -> None:
    """The annotator changes every answer, perhaps under another spelling of the name."""
    scenario.clock.advance(**(later or {"hours": 1}))
    now = scenario.clock.now()
    scenario.queue.said += [
        LabelEvent("fake", f"{now.isoformat()}:{key}", key, annotator, value, now) for key in scenario.queue.asked()
    ]
    advance(scenario.ports)


def severities(scenario: Scenario) -> list[str]:
    """What the channel was sent, in order."""
    return [notification.severity for notification in scenario.channel.received]
