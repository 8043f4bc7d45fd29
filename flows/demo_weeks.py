"""The demo's production: a week of messages, the flows on simulated time, the annotator in between."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final

from prefect.client.orchestration import get_client

from flows.advance_cycles import advance_cycles
from flows.open_cycles import open_cycles
from flows.weekly_report import weekly_report
from stratawatch.adapters.checks import gx_runner
from stratawatch.adapters.store import migrate
from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.alarms.reading_lengths import FEW
from stratawatch.core.estimate import Estimate, Undefined
from stratawatch.demo.annotator import Annotator
from stratawatch.demo.comparison import ComparedEstimate, compare_with_truth
from stratawatch.demo.configuration import write_configuration
from stratawatch.demo.messages import Booleans
from stratawatch.demo.promises import PagedMetric
from stratawatch.demo.week_files import PANEL, parse_message, week_start, write_week
from stratawatch.demo.world import ITEMS, WEEKS, SimulatedWeek, SimulatedWorld, build_world
from stratawatch.engine.evidence.newest_together import NewestTogether, newest_together
from stratawatch.engine.model.alarm_records import Notification, StreamKey
from stratawatch.formatting import count_text
from stratawatch.report.costs import plain_cost
from stratawatch.report.label_counts import count_labels
from stratawatch.report.table_rows import Cost, LabelOutcomes
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
    """What one week gave: its labels, its estimates beside the truth, its states and what was sent."""

    number: int
    labels: LabelOutcomes
    cost: Cost | None
    comparisons: tuple[ComparedEstimate, ...]
    states: Mapping[StreamKey, AlarmState]
    notifications: tuple[Notification, ...]
    seconds: float

    @property
    def overall(self) -> tuple[ComparedEstimate, ...]:
        """The estimates over all regions."""
        return tuple(one for one in self.comparisons if one.estimate.segment is None)

    def state_of(self, estimate: Estimate) -> AlarmState | None:
        """The state of the limit that an estimate over all regions has; None where it has none."""
        return self.states.get(StreamKey(PANEL, estimate.classifier, estimate.metric))


@dataclass(frozen=True)
class DemoResult:
    """The results of all weeks, and every page that was sent with what it was about."""

    world: SimulatedWorld
    weeks: tuple[WeekResult, ...]
    pages: tuple[tuple[PagedMetric, Notification], ...]
    report: Path | None
    recall_over_four: float | Undefined  # the greatest half-width of recall over the last four weeks together


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
    _beside: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1))
    _ahead: dict[int, Future[tuple[SimulatedWeek, Path]]] = field(default_factory=dict)

    @classmethod
    def build(cls, folder: Path, seed: int, items: int = ITEMS, queue: str = "folder") -> "SimulatedProduction":
        """Build the world and set up the installation, while Prefect's server starts on the other core."""
        with ThreadPoolExecutor(1) as beside:
            awake = beside.submit(_wake_prefect)
            world = build_world(seed)
            migrate(f"sqlite:///{folder / 'stratawatch.db'}")
            production = cls(world, write_configuration(world, folder, queue), items, queue)
            production._score_ahead(1)
            gx_runner.library()  # the first window would wait for its import
            awake.result()
        return production

    @property
    def weeks(self) -> Iterator[int]:
        """The weeks, in order."""
        yield from range(1, WEEKS + 1)

    def run_week(self, number: int, say: ReportStep) -> WeekResult:
        """Log a week's predictions, open its cycle, advance three times while somebody labels, write the report."""
        start = monotonic()
        now = week_start(number + 1) + LATE
        say(f"{self.items:,} messages are scored and logged")
        week, file = self._scored(number)
        file.replace(self._folder("predictions") / file.name)
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
        return DemoResult(self.world, tuple(self.finished), tuple(pages), self.report, self._recall_over_four())

    def _recall_over_four(self) -> float | Undefined:
        with self._installation().ports.store.begin() as tx:
            together = newest_together(tx, PANEL, FEW, (None,))
        return widest_recall(together)

    def _scored(self, number: int) -> tuple[SimulatedWeek, Path]:
        """A week of scored messages with its file; those of the next one are scored on the other core meanwhile."""
        self._score_ahead(number)
        self._score_ahead(number + 1)
        return self._ahead.pop(number).result()

    def _score_ahead(self, number: int) -> None:
        if number not in self._ahead and number <= WEEKS:
            self._ahead[number] = self._beside.submit(self._score, number)

    def _score(self, number: int) -> tuple[SimulatedWeek, Path]:
        week = self.world.week(number, self.items)
        return week, write_week(week, self._folder("not-logged-yet"))

    def _folder(self, name: str) -> Path:
        folder = self.config.parent / name
        folder.mkdir(exist_ok=True)
        return folder

    def _is_scam(self, text: str) -> bool:
        week, number = parse_message(text)
        return bool(self.truth[week][number])

    def _installation(self, now: datetime | None = None) -> Installation:
        return build(self.config, now, only_reading=True)

    def _look_back(self, week: SimulatedWeek, now: datetime, start: float) -> WeekResult:
        installation = self._installation(now)
        with installation.ports.store.begin() as tx:
            cycle = tx.cycles.find(panel=PANEL, newest=1)[0]
            spec, atoms = tx.panels.get(cycle.panel_version), tx.cycles.atoms(cycle.id)
            labels, revision = count_labels(tx, spec, cycle), tx.estimates.latest(cycle.id)
            estimates = revision.estimates if revision else ()
            states = tx.alarms.of_cycle(cycle.id)
            sent = [one for one in tx.outbox.all() if one.created_at >= week_start(week.number + 1)]
        return WeekResult(
            number=week.number,
            labels=labels,
            cost=plain_cost(spec, atoms, estimates, labels),
            comparisons=compare_with_truth(week, estimates),
            states={state.key: state.state for state in states},
            notifications=tuple(sent),
            seconds=monotonic() - start,
        )


def widest_recall(together: Sequence[NewestTogether]) -> float | Undefined:
    """The greatest half-width of recall over four weeks; why there is none where some classifier's cannot be told."""
    weeks = min((len(part.newest) for part in together), default=0)
    if weeks < FEW:
        return Undefined(f"only {count_text(weeks, 'week')} can be counted together")
    widths = []
    for one in (one for part in together for one in part.estimates if one.metric == "recall"):
        if isinstance(one.result, Undefined):
            return one.result
        widths.append(one.result.half_width)
    return max(widths)


def _wake_prefect() -> None:
    """The first client starts the server that all flow runs will talk to."""
    with get_client(sync_client=True) as client:
        client.hello()


def _page(installation: Installation, notification: Notification) -> PagedMetric:
    with installation.ports.store.begin() as tx:
        week = tx.cycles.get(notification.facts["cycle"]).period + 1
    return PagedMetric(notification.facts["classifier"], notification.facts["metric"], week)
