"""The demo's second scene: two weeks of the same production, studied as one would in a notebook, without flows."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.table import Table

from stratawatch import Goal, Study, change_of_studies
from stratawatch.demo.messages import REGIONS
from stratawatch.demo.models import CLASSIFIERS, MAJORITY_VOTE
from stratawatch.demo.true_values import TrueValues
from stratawatch.demo.week_files import BUDGET
from stratawatch.demo.world import BREAK_WEEK, DEGRADED_CLASSIFIER, ITEMS, SimulatedWeek, SimulatedWorld, build_world
from stratawatch.formatting import estimate_text, percent, signed_points

if TYPE_CHECKING:
    import pandas as pd

    from stratawatch.study.estimate_rows import StudyEstimate

HEALTHY_WEEK: Final = 1
GOALS: Final = (Goal("precision", 0.04), Goal("recall", 0.06))
COLUMNS: Final[Mapping[str, tuple[str | None, str]]] = {
    name: (None if name == MAJORITY_VOTE else f"score_{name}", f"says_{name}") for name in CLASSIFIERS
}
PICTURE: Final = "study.png"
_METRICS: Final = ("precision", "recall")


@dataclass(frozen=True)
class LabelledWeek:
    """A week's study whose labels are all there, beside the true values."""

    week: SimulatedWeek
    study: Study
    rounds: tuple[int, ...]

    @property
    def truth(self) -> TrueValues:
        """What is true of every item, which nobody knows outside a simulation."""
        return self.week.true_values()


class Notebook:
    """The cells of a notebook, each printed before it runs."""

    def __init__(self, seed: int, folder: Path, console: Console | None = None, items: int = ITEMS) -> None:
        self._seed, self._folder, self._items = seed, folder, items
        self._console = console or Console(highlight=False)
        self._inside: list[bool] = []

    def play(self) -> int:
        """Run all cells; 0 only where the break shows."""
        start, console = monotonic(), self._console
        console.rule(f"[bold]stratawatch demo, in a notebook[/bold], seed {self._seed}")
        world = build_world(self._seed)
        healthy = self._cold_study(world)
        broken = self._goals_study(world, healthy)
        change = self._change(healthy, broken)
        self._compare(broken)
        self._plot(broken)
        held = sum(self._inside)
        console.print(
            f"Truth inside its 95% interval: {held} of {len(self._inside)} times. run: {monotonic() - start:.0f} s"
        )
        if change.high is None or change.high >= 0:
            console.print(f"[bold red]promise broken:[/] the fall of {DEGRADED_CLASSIFIER} does not show")
            return 1
        return 0

    def _cold_study(self, world: SimulatedWorld) -> LabelledWeek:
        """A budget and no history."""
        week = world.week(HEALTHY_WEEK, self._items)
        self._cell(
            f'classifiers = {{"logistic": ("score_logistic", "says_logistic"), ..., "vote": (None, "says_vote")}}\n'
            f'study = Study(week_{week.number}, item="item", classifiers=classifiers, budget={BUDGET})\n'
            "while items := study.ask():\n"
            "    study.tell({item: what_people_said(item) for item in items})"
        )
        labelled = _labelled(
            week, Study(_frame(week), item="item", classifiers=COLUMNS, budget=BUDGET, seed=self._seed)
        )
        asked = " and then ".join(map(str, labelled.rounds))
        self._console.print(f"{len(week.truth):,} messages; people were asked about {asked} of them.\n")
        self._estimates(labelled, "study.estimates()")
        return labelled

    def _goals_study(self, world: SimulatedWorld, before: LabelledWeek) -> LabelledWeek:
        """Goals and a history, in the week of the break."""
        week = world.week(BREAK_WEEK, self._items)
        goals = ", ".join(f'Goal("{one.metric}", {one.margin})' for one in GOALS)
        self._cell(
            f"goals = [{goals}]\n"
            f'later = Study(week_{week.number}, item="item", classifiers=classifiers, goals=goals, '
            'segments=["region"], history=study.history())'
        )
        study = Study(
            _frame(week),
            item="item",
            classifiers=COLUMNS,
            goals=GOALS,
            seed=self._seed,
            segments=["region"],
            history=before.study.history(),
        )
        labelled = _labelled(week, study)
        states = [row.state for row in study.estimates(_METRICS) if row.segment is None]
        self._console.print(
            f"The goals took {study.labels_new:,} labels; {states.count('held')} of {len(states)} hold.\n"
        )
        self._estimates(labelled, "later.estimates()")
        self._regions(labelled)
        return labelled

    def _change(self, before: LabelledWeek, after: LabelledWeek) -> "StudyEstimate":
        self._cell(f'change_of_studies([study], [later]).of("{DEGRADED_CLASSIFIER}", "precision")')
        found = change_of_studies([before.study], [after.study], ["precision"]).of(DEGRADED_CLASSIFIER, "precision")
        was, now = (one.truth[DEGRADED_CLASSIFIER, "precision"] for one in (before, after))
        self._console.print(f"{_text(found, is_change=True)}; in truth {signed_points(now - was)}\n")
        self._count(found, now - was)
        return found

    def _compare(self, labelled: LabelledWeek) -> None:
        self._cell(f'later.compare("trees", "{DEGRADED_CLASSIFIER}", "precision")')
        found = labelled.study.compare("trees", DEGRADED_CLASSIFIER, "precision")
        truth = labelled.truth["trees", "precision"] - labelled.truth[DEGRADED_CLASSIFIER, "precision"]
        self._console.print(f"{_text(found, is_change=True)}; in truth {signed_points(truth)}\n")
        self._count(found, truth)

    def _plot(self, labelled: LabelledWeek) -> None:
        self._cell("later.plot()")
        picture = self._folder / PICTURE
        labelled.study.plot().save(picture)
        self._console.print(f"picture: [bold]{picture}[/bold]\n", soft_wrap=True)

    def _estimates(self, labelled: LabelledWeek, code: str) -> None:
        self._cell(code)
        table = _table("classifier", "metric", "estimate", "truth", "inside", "labels")
        truth = labelled.truth
        for row in labelled.study.estimates(_METRICS):
            if row.segment is None:
                true = truth[row.classifier, row.metric]
                table.add_row(row.classifier, row.metric, *self._beside(row, true), str(row.labels_used))
        self._console.print(table)
        self._console.print()

    def _regions(self, labelled: LabelledWeek) -> None:
        self._cell(f'later.estimates(["precision"])  # of {DEGRADED_CLASSIFIER}, by region')
        table = _table("region", "estimate", "truth", "inside")
        rows = {
            row.segment: row for row in labelled.study.estimates(["precision"]) if row.classifier == DEGRADED_CLASSIFIER
        }
        for region in REGIONS:
            row, truth = rows[f"region={region}"], labelled.week.true_values(region)
            table.add_row(region, *self._beside(row, truth[DEGRADED_CLASSIFIER, "precision"]))
        self._console.print(table)
        self._console.print()

    def _beside(self, row: "StudyEstimate", truth: float) -> tuple[str, str, str]:
        """The cells of an estimate, of the truth, and of whether the interval holds it."""
        inside = self._count(row, truth)
        return _text(row), percent(truth), "[green]yes[/]" if inside else "[red]no[/]"

    def _count(self, row: "StudyEstimate", truth: float) -> bool:
        is_inside = row.low is not None and row.high is not None and row.low <= truth <= row.high
        self._inside.append(is_inside)
        return is_inside

    def _cell(self, code: str) -> None:
        for mark, line in zip(_marks(), code.splitlines(), strict=False):
            self._console.print(f"{mark} {line}", style="cyan", markup=False, soft_wrap=True)


def _marks() -> Iterator[str]:
    yield ">>>"
    while True:
        yield "..."


def _labelled(week: SimulatedWeek, study: Study) -> LabelledWeek:
    """The study, every item that it asks about answered truly."""
    rounds, truth = [], dict(zip(_names(week), week.truth.tolist(), strict=True))
    while items := study.ask():
        study.tell({item: truth[item] for item in items})
        rounds.append(len(items))
    return LabelledWeek(week, study, tuple(rounds))


def _frame(week: SimulatedWeek) -> "pd.DataFrame":
    """What production logged of a week: a row a message."""
    import numpy as np
    import pandas as pd

    columns: dict[str, Any] = {"item": _names(week), "region": np.array(REGIONS)[week.region]}
    scores = (name for name in CLASSIFIERS if name != MAJORITY_VOTE)
    columns |= {f"score_{name}": week.scores[:, column] for column, name in enumerate(scores)}
    columns |= {f"says_{name}": week.calls[:, column] for column, name in enumerate(CLASSIFIERS)}
    return pd.DataFrame(columns)


def _names(week: SimulatedWeek) -> list[str]:
    """The id of every message: no other week has one of them, or its label would count there too."""
    return [f"w{week.number:02d}-{number:06d}" for number in range(len(week.truth))]


def _text(row: "StudyEstimate", *, is_change: bool = False) -> str:
    if row.value is None or row.low is None or row.high is None:
        return f"cannot tell: {row.reason}"
    if is_change:
        return f"{signed_points(row.value)} ({signed_points(row.low)} to {signed_points(row.high)}, 95%)"
    return estimate_text(row.value, row.low, row.high)


def _table(*names: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in names:
        table.add_column(name, justify="right" if name in ("estimate", "truth", "labels") else "left", no_wrap=True)
    return table
