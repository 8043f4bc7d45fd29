"""What other budgets would buy, as a table of half-widths, with the one that somebody looks at beside today's."""

from dataclasses import dataclass

from stratawatch.core.designs.budget_forecasts import BudgetPoint
from stratawatch.engine.cycle.frozen_budgets import FrozenBudgets
from stratawatch.engine.model.panel_spec import PanelSpec


@dataclass(frozen=True)
class BudgetRow:
    """One metric of one classifier: what is wanted of it, and its half-width by budget; None where none can be told."""

    classifier: str
    metric: str
    margin: float | None
    widths: tuple[float | None, ...]

    def is_held(self, place: int) -> bool:
        """Whether the budget of this place is expected to hold what is wanted."""
        width = self.widths[place]
        return self.margin is None or (width is not None and width <= self.margin)


@dataclass(frozen=True)
class BudgetPage:
    """Budgets, the one that is looked at, and the panel's own."""

    budgets: FrozenBudgets
    rows: tuple[BudgetRow, ...]
    chosen: int
    own: int

    @property
    def labels(self) -> tuple[int, ...]:
        """The budgets."""
        return tuple(point.labels for point in self.budgets.points)

    @property
    def never_held(self) -> tuple[BudgetRow, ...]:
        """The goals that none of the budgets is expected to hold."""
        places = range(len(self.budgets.points))
        return tuple(row for row in self.rows if row.margin is not None and not any(map(row.is_held, places)))

    @property
    def held(self) -> tuple[int, int]:
        """How many goals the chosen budget is expected to hold, and how many there are."""
        wanted = [row for row in self.rows if row.margin is not None]
        return sum(row.is_held(self.chosen) for row in wanted), len(wanted)


def budget_page(found: FrozenBudgets, labels: int = 0) -> BudgetPage:
    """The page on the budget that is nearest to a number of labels; the panel's own without one."""
    points, spec = found.points, found.spec
    own = _nearest(points, spec.budget)
    rows = [row for row in _rows(points, spec) if row.margin is not None or any(row.widths)]
    rows.sort(key=lambda row: row.margin is None)
    return BudgetPage(found, tuple(rows), _nearest(points, labels) if labels else own, own)


def _nearest(points: tuple[BudgetPoint, ...], labels: int) -> int:
    return min(range(len(points)), key=lambda place: abs(points[place].labels - labels), default=0)


def _rows(points: tuple[BudgetPoint, ...], spec: PanelSpec) -> list[BudgetRow]:
    keys = dict.fromkeys(key for point in points for key in point.half_widths)
    margins = {
        (one.name, goal.metric): goal.margin for goal in spec.goals for one in spec.classifiers if goal.is_for(one.name)
    }
    return [
        BudgetRow(*key, margins.get(key), tuple(point.half_widths.get(key) for point in points))
        for key in dict.fromkeys([*margins, *keys])
    ]
