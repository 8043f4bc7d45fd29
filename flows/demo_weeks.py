"""The demo's production: a week of messages, the flows on simulated time, the annotator in between."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final

from prefect.client.orchestration import get_client

from flows.advance_cycles import advance_cycles
from flows.open_cycles import open_cycles
from flows.weekly_report import weekly_report
from stratawatch.adapters.store import migrate
from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.demo.annotator import Annotator
from stratawatch.demo.comparison import ComparedEstimate, compare_with_truth
from stratawatch.demo.configuration import write_configuration
from stratawatch.demo.messages import Booleans
from stratawatch.demo.promises import PagedMetric
from stratawatch.demo.week_files import PANEL, parse_message, week_start, write_week
from stratawatch.demo.world import ITEMS, WEEKS, SimulatedWeek, SimulatedWorld, build_world
from stratawatch.engine.model.alarm_records import Notification
from stratawatch.report.view import build as build_view
from stratawatch.report.view_models import PanelView
from stratawatch.wiring import Installation, build

if TYPE_CHECKING:
    from flows.demo_label_studio import StudioAnnotator
    from flows.demo_page import PageAnnotator

LATE: Final = timedelta(hours=3)
"""After the end of the window and its lateness."""
FIRST_ANSWERS: Final = timedelta(hours=20)
LAST_ANSWERS: Final = timedelta(hours=44)
REPORT: Final = timedelta(hours=48)

ReportStep = Callable[[str], None]


@dataclass(frozen=True)
class WeekResult:
    """What one week gave: its estimates beside the truth, its states and what was sent."""

    number: int
    view: PanelView
    comparisons: tuple[ComparedEstimate, ...]
    states: tuple[AlarmState, ...]
    notifications: tuple[Notification, ...]
    seconds: float


@dataclass(frozen=True)
class DemoResult:
    """The results of all weeks, and every page that was sent with what it was about."""

    world: SimulatedWorld
    weeks: tuple[WeekResult, ...]
    pages: tuple[tuple[PagedMetric, Notification], ...]
    report: Path | None


@dataclass
class SimulatedProduction:
    """A simulated world and an ordinary installation, which share files and nothing else."""

    world: SimulatedWorld
    config: Path
    items: int = ITEMS
    queue: str = "folder"
    truth: dict[int, Booleans] = field(default_factory=dict)
    finished: list[WeekResult] = field(default_factory=list)
    report: Path | None = None

    @classmethod
    def build(cls, folder: Path, seed: int, items: int = ITEMS, queue: str = "folder") -> "SimulatedProduction":
        """Build the world and set up the installation, while Prefect's server starts on the other core."""
        with ThreadPoolExecutor(1) as beside:
            awake = beside.submit(_wake_prefect)
            world = build_world(seed)
            migrate(f"sqlite:///{folder / 'stratawatch.db'}")
            awake.result()
        return cls(world, write_configuration(world, folder, queue), items, queue)

    @property
    def weeks(self) -> Iterator[int]:
        """The weeks, in order."""
        yield from range(1, WEEKS + 1)

    def run_week(self, number: int, say: ReportStep) -> WeekResult:
        """Log a week's predictions, open its cycle, advance three times while somebody labels, write the report."""
        start = monotonic()
        now = week_start(number + 1) + LATE
        say(f"{self.items:,} messages are scored and logged")
        week = self.world.week(number, self.items)
        write_week(week, self.config.parent / "predictions")
        self.truth[number] = week.truth
        say("the window opens, is checked, frozen and planned")
        open_cycles(str(self.config), now)
        advance_cycles(str(self.config), now)
        for answers in (FIRST_ANSWERS, LAST_ANSWERS):
            answered = self.annotator.answer(now + answers)
            say(f"{answered} messages were labelled; collecting")
            advance_cycles(str(self.config), now + answers + timedelta(minutes=5))
        say("writing the report")
        self.report = weekly_report(str(self.config), now + REPORT)
        self.finished.append(self._look_back(week, now + REPORT, start))
        return self.finished[-1]

    @property
    def annotator(self) -> "Annotator | PageAnnotator | StudioAnnotator":
        """The annotator, who shares the queue with the product and nothing else."""
        root = self.config.parent / "queue"
        by_files = Annotator(root, "ana", self._is_scam)
        if self.queue == "folder":
            return by_files
        if self.queue == "page":
            from flows.demo_page import PageAnnotator

            return PageAnnotator(root, by_files)
        from flows.demo_label_studio import StudioAnnotator

        return StudioAnnotator(root, by_files)

    def result(self) -> DemoResult:
        """All weeks, the pages that were sent, and the report."""
        pages = [
            (_page(self._installation(), one), one)
            for week in self.finished
            for one in week.notifications
            if one.severity == "page"
        ]
        return DemoResult(self.world, tuple(self.finished), tuple(pages), self.report)

    def _is_scam(self, text: str) -> bool:
        week, number = parse_message(text)
        return bool(self.truth[week][number])

    def _installation(self, now: datetime | None = None) -> Installation:
        return build(self.config, now, only_reading=True)

    def _look_back(self, week: SimulatedWeek, now: datetime, start: float) -> WeekResult:
        installation = self._installation(now)
        with installation.ports.store.begin() as tx:
            cycle = tx.cycles.find(panel=PANEL, newest=1)[0]
            revision = tx.estimates.latest(cycle.id)
            states = tx.alarms.of_cycle(cycle.id)
            sent = [one for one in tx.outbox.all() if one.created_at >= week_start(week.number + 1)]
        return WeekResult(
            number=week.number,
            view=build_view(installation.ports.store, installation.panels[PANEL], now),
            comparisons=compare_with_truth(week, revision.estimates if revision else ()),
            states=tuple(state.state for state in states),
            notifications=tuple(sent),
            seconds=monotonic() - start,
        )


def _wake_prefect() -> None:
    """The first client starts the server that all flow runs will talk to."""
    with get_client(sync_client=True) as client:
        client.hello()


def _page(installation: Installation, notification: Notification) -> PagedMetric:
    with installation.ports.store.begin() as tx:
        week = tx.cycles.get(notification.facts["cycle"]).period + 1
    return PagedMetric(notification.facts["classifier"], notification.facts["metric"], week)
