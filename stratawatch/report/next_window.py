"""What the next window's labels are expected to tell, beside what this one told and what is wanted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from stratawatch.engine.cycle.frozen_budgets import FrozenBudgets
from stratawatch.formatting import count, count_text
from stratawatch.report.budget_page import BudgetPage, BudgetRow, budget_page

MOST_ROWS: Final = 12


@dataclass(frozen=True)
class ExpectedWidth:
    """A goal: half-widths in this window, expected in the next one (from, to), and wanted; None where not known."""

    classifier: str
    metric: str
    now: float | None
    expected: tuple[float, float] | None
    wanted: float


@dataclass(frozen=True)
class NextWindow:
    """The goals that are farthest from what is wanted, how many more there are, and what all of them take."""

    labels: int
    rows: tuple[ExpectedWidth, ...]
    more: int
    sentence: str


def next_window(widths: Mapping[tuple[str, str], float], budgets: FrozenBudgets | None) -> NextWindow | None:
    """What the panel's own budget is expected to buy; None without goals, or before the first window was frozen.

    `widths` are the half-widths of the scorecard, by classifier and metric.
    """
    if budgets is None or not budgets.points:
        return None
    page = budget_page(budgets)
    goals = [row for row in page.rows if row.margin is not None]
    if not goals:
        return None
    goals.sort(key=lambda row: -((row.widths[page.own] or float("inf")) / (row.margin or 1.0)))
    ranges = budgets.points[page.own].ranges
    rows = tuple(
        ExpectedWidth(
            row.classifier,
            row.metric,
            widths.get((row.classifier, row.metric)),
            (found.low, found.high) if (found := ranges.get((row.classifier, row.metric))) else None,
            row.margin or 0.0,
        )
        for row in goals[:MOST_ROWS]
    )
    return NextWindow(page.labels[page.own], rows, len(goals) - len(rows), _sentence(page, goals))


def _sentence(page: BudgetPage, goals: Sequence[BudgetRow]) -> str:
    """How many goals the budget is expected to hold, and which budget holds all."""
    held = sum(row.is_held(page.own) for row in goals)
    reached = f"{held} of {count_text(len(goals), 'goal')}"
    of = f"{count(page.labels[page.own])} labels are expected to reach {reached}"
    if held == len(goals):
        return f"{of}."
    unknown = sum(not any(row.widths) for row in goals)
    if unknown:
        return f"{of}; of {count(unknown)} nothing can be said."
    enough = next((n for place, n in enumerate(page.labels) if all(row.is_held(place) for row in goals)), None)
    if enough is None:
        return f"{of}; all of them take more than {count(page.labels[-1])}."
    return f"{of}; about {count(enough)} would reach all."
