"""The demo's output on the terminal: a line for each week, then tables and the cost."""

import os
import sys
import webbrowser
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.estimate import Undefined
from stratawatch.formatting import estimate_text, percent

if TYPE_CHECKING:  # it imports Prefect, and somebody waits for the first line
    from flows.demo_weeks import DemoResult, WeekResult
    from stratawatch.demo.comparison import ComparedEstimate
    from stratawatch.demo.world import SimulatedWorld

STYLES: Final[Mapping[str, str]] = {
    "OK": "green",
    "UNPROVEN": "cyan",
    "AT RISK": "yellow",
    "BREACH": "bold red",
    "BLIND": "magenta",
}

METRIC_NAMES: Final[Mapping[str, str]] = {"false_omission_rate": "false omission"}


class DemoOutput:
    """Prints to the terminal."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(highlight=False)

    def print_header(self, seed: int) -> None:
        """The first line."""
        self.console.rule(f"[bold]stratawatch demo[/bold], seed {seed}")

    @contextmanager
    def show_progress(self, what: str) -> Iterator[Callable[[str], None]]:
        """Show a spinner with this text and yield a function that shows the present step; no spinner in a log file."""
        if not self.console.is_terminal:
            yield lambda _now: None
            return
        with self.console.status(what) as status:
            yield lambda now: status.update(f"{what}: {now}")

    def print_world(self, world: "SimulatedWorld") -> None:
        """The world and its limits."""
        from stratawatch.demo.messages import PREVALENCE
        from stratawatch.demo.models import CLASSIFIERS
        from stratawatch.demo.week_files import BUDGET
        from stratawatch.demo.world import BREAK_WEEK, DEGRADED_CLASSIFIER, ITEMS, LIMIT_MARGIN, PRECISION_LOSS, WEEKS

        healthy = ", ".join(
            f"{name} {percent(world.healthy[name, 'precision'])} / {percent(world.healthy[name, 'recall'])}"
            for name in CLASSIFIERS
        )
        self.console.print(
            f"{ITEMS:,} messages a week for {WEEKS} weeks, {PREVALENCE:.0%} scams; "
            f"three classifiers and their majority vote.\n"
            f"Healthy precision / recall: {healthy}. Limits stand {100 * LIMIT_MARGIN:.0f} points lower.\n"
            f"From week {BREAK_WEEK} a flash sale in the north fools [bold]{DEGRADED_CLASSIFIER}[/bold] alone: "
            f"{100 * PRECISION_LOSS:.0f} points of its precision there. {BUDGET} labels a week.\n"
        )

    def print_week(self, week: "WeekResult") -> None:
        """Print the line of a week."""
        labels = week.labels
        counts = Counter(week.states.values())
        states = "  ".join(f"[{STYLES[state]}]{state} {counts[state]}[/]" for state in AlarmState if counts[state])
        self.console.print(
            f"week {week.number:>2}  {labels.used} of {labels.new} answered  {states}  [dim]{week.seconds:.1f} s[/dim]"
        )
        for notification in week.notifications:
            self.console.print(f"         [bold red]{notification.severity}[/]: {escape(notification.subject)}")

    def print_result(self, result: "DemoResult", seconds: float) -> tuple[str, ...]:
        """The scorecard, the truth, the cost, the page, the report; returns the promises that were not kept."""
        from stratawatch.demo.promises import broken_promises

        self.console.print(_scorecard(result))
        self.console.print()
        self.console.print(_broken_metric(result))
        self._count_intervals([one for week in result.weeks for one in week.comparisons])
        self._recall_over_four(result)
        self._cost(result)
        self._pages(result)
        blind_weeks = [week.number for week in result.weeks if AlarmState.BLIND in week.states.values()]
        unproven = {week.number: sum(state != AlarmState.OK for state in week.states.values()) for week in result.weeks}
        broken = broken_promises([page for page, _ in result.pages], blind_weeks, unproven, result.recall_over_four)
        for sentence in broken:
            self.console.print(f"[bold red]promise broken:[/] {escape(sentence)}")
        if not broken:
            kept = (
                "the break was paged in time, no healthy classifier ever was, no week was BLIND, "
                "after a month healthy limits were proven to be kept, and four weeks together know recall well"
            )
            self.console.print(f"[bold green]promises kept:[/] {kept}")
        where = escape(str(_relative_path(result.report))) if result.report else "none was written"
        self.console.print(f"report: [bold]{where}[/bold]", soft_wrap=True)
        self.console.print(f"run: {seconds:.0f} s")
        return broken

    def print_mistakes(self, config: Path) -> None:
        """What people saw of the newest week's false calls of the classifier that broke; and how to see the rest."""
        from stratawatch.cli.mistakes import mistakes
        from stratawatch.demo.week_files import PANEL
        from stratawatch.demo.world import DEGRADED_CLASSIFIER

        command = f"stratawatch mistakes {PANEL} --classifier {DEGRADED_CLASSIFIER} --side called"
        self.console.print(
            f"\n[bold]What did it get wrong?[/bold]  [dim]{command} --config {config}[/dim]", soft_wrap=True
        )
        mistakes(PANEL, DEGRADED_CLASSIFIER, config, side="called")
        self.console.print(
            f"\n[bold]Look at all of it as pages:[/bold]  [dim].venv/bin/stratawatch web --config {config}[/dim]",
            soft_wrap=True,
        )

    def open_report(self, report: Path) -> None:
        """Show the report in a browser, where a person sits before a screen."""
        has_screen = sys.platform in ("darwin", "win32") or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ
        if self.console.is_terminal and has_screen:
            webbrowser.open(report.resolve().as_uri())

    def _count_intervals(self, compared: "list[ComparedEstimate]") -> None:
        overall = [one.contains_truth for one in compared if one.estimate.segment is None]
        regions = [one.contains_truth for one in compared if one.estimate.segment is not None]
        self.console.print(
            f"\nTruth inside its 95% interval: {sum(overall)} of {len(overall)} times, "
            f"{sum(regions)} of {len(regions)} times for single regions."
        )

    def _recall_over_four(self, result: "DemoResult") -> None:
        if isinstance(result.recall_over_four, Undefined):
            return  # a broken promise says why
        recalls = [one.interval for one in result.weeks[-1].overall if one.estimate.metric == "recall"]
        alone = max((one.half_width for one in recalls if one), default=None)
        beside = "" if alone is None else f"; the last one alone to ±{100 * alone:.1f}"
        self.console.print(f"Four weeks together know recall to ±{100 * result.recall_over_four:.1f} points{beside}.")

    def _cost(self, result: "DemoResult") -> None:
        costs = [week.cost for week in result.weeks if week.cost]
        labels = sum(week.labels.new for week in result.weeks)
        separate, shared = sum(cost.separate for cost in costs), sum(cost.shared for cost in costs)
        self.console.print(
            f"[bold]{labels:,} labels[/bold] of {len(result.weeks)} weeks. Plain random sampling for the same widths: "
            f"{separate:,} ({separate / labels:.1f} times as many) with a sample for each classifier and metric, "
            f"{shared:,} ({shared / labels:.1f} times) with one sample for all."
        )

    def _pages(self, result: "DemoResult") -> None:
        from stratawatch.adapters.alerts.alert_text import link_lines

        for page, notification in result.pages:
            self.console.rule(f"[bold red]the page of week {page.week}[/]", align="left")
            self.console.print(f"[bold]{escape(notification.subject)}[/bold]\n{escape(notification.body)}")
            for line in link_lines(notification):
                self.console.print(escape(line))
            self.console.print(f"[dim]{escape(notification.dedup_key)}[/dim]")
        if result.pages:
            self.console.rule()


def _scorecard(result: "DemoResult") -> Table:
    week, floors = result.weeks[-1], result.world.floors
    table = _table(f"scorecard of week {week.number}, beside the true values")
    _columns(
        table,
        classifier="left",
        metric="left",
        estimate="right",
        truth="right",
        inside="left",
        limit="right",
        state="left",
    )
    for one in week.overall:
        classifier, metric = one.estimate.classifier, one.estimate.metric
        floor, interval = floors.get((classifier, metric)), one.interval
        limit = "" if floor is None else percent(floor, interval.half_width if interval else None)
        name = METRIC_NAMES.get(metric, metric)
        table.add_row(classifier, name, *_beside_truth(one), limit, _styled(week.state_of(one.estimate)))
    return table


def _broken_metric(result: "DemoResult") -> Table:
    from stratawatch.demo.world import DEGRADED_CLASSIFIER

    table = _table(f"precision of {DEGRADED_CLASSIFIER}, week by week")
    _columns(table, week="right", estimate="right", truth="right", inside="left", state="left")
    for week in result.weeks:
        (compared,) = (
            one
            for one in week.overall
            if (one.estimate.classifier, one.estimate.metric) == (DEGRADED_CLASSIFIER, "precision")
        )
        table.add_row(str(week.number), *_beside_truth(compared), _styled(week.state_of(compared.estimate)))
    return table


def _beside_truth(compared: "ComparedEstimate") -> tuple[str, str, str]:
    """The cells of an estimate with its interval, of the truth, and of whether the interval contains it."""
    interval = compared.interval
    if interval is None:
        return "undefined", percent(compared.truth), ""
    inside = "[green]yes[/]" if compared.contains_truth else "[red]no[/]"
    return (
        estimate_text(interval.value, interval.low, interval.high),
        percent(compared.truth, interval.half_width),
        inside,
    )


def _styled(state: AlarmState | None) -> str:
    return f"[{STYLES[state]}]{state}[/]" if state else ""


def _columns(table: Table, **sides: Literal["left", "right"]) -> None:
    for name, side in sides.items():
        table.add_column(name, justify=side, no_wrap=True)


def _table(title: str) -> Table:
    return Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, padding=(0, 2, 0, 0))


def _relative_path(path: Path) -> Path:
    """The path relative to the current folder, where it lies below it."""
    here = Path.cwd()
    return path.resolve().relative_to(here) if path.resolve().is_relative_to(here) else path
