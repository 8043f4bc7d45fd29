"""The intervals that budgets would give, as `plan` prints them."""

from typing import Any, Final

from stratawatch.cli.output import metric_text, print_line
from stratawatch.cli.planned_items import NOTHING
from stratawatch.cli.table_output import show_rows
from stratawatch.formatting import percent

_EXACT: Final = "exact"


def show_curve(document: dict[str, Any], *, every: bool) -> None:
    """Print a table of half-widths for each metric: of those with a goal, or of `every` one."""
    curve = document["curve"]
    metrics = list(dict.fromkeys(row["metric"] for step in reversed(curve) for row in step["half_widths"]))
    asked = {goal["metric"] for goal in document["goals"]}
    shown = [metric for metric in metrics if every or metric in asked]
    for metric in shown:
        print_line()
        print_line(f"Intervals of {metric_text(metric)} to expect, as ± by the number of labels")
        cells, numbers = _curve_cells(curve, metric), [f"{step['labels']:,}" for step in curve]
        show_rows(cells, how_to_read=_how_to_read(metric, cells[0]), numbers=numbers)
    if len(shown) < len(metrics):
        others = ", ".join(metric_text(metric) for metric in metrics if metric not in shown)
        print_line()
        print_line(f"No goal asks for {others}; --all shows every metric")


def _how_to_read(metric: str, cells: dict[str, str]) -> str:
    """A row in a sentence, by its first budget and its last one."""
    told = [(labels, width) for labels, width in cells.items() if labels != "labels" and width]
    reach = [
        f"with {labels} labels {'exactly' if width == _EXACT else f'to ±{width}'}"
        for labels, width in (told[:1] + told[1:][-1:])
    ]
    return f"the {metric_text(metric)} of {cells['labels']} would be known {', '.join(reach)}"


def _curve_cells(curve: list[dict[str, Any]], metric: str) -> list[dict[str, str]]:
    """The cells of one metric's table: a row for each classifier, a column for each budget."""
    by_budget = [
        (
            f"{step['labels']:,}",
            {row["classifier"]: row["half_width"] for row in step["half_widths"] if row["metric"] == metric},
        )
        for step in curve
    ]
    names = dict.fromkeys(name for _, widths in reversed(by_budget) for name in widths)
    return [
        {"labels": name, **{labels: _width(widths[name]) if name in widths else "" for labels, widths in by_budget}}
        for name in names
    ]


def _width(half_width: float) -> str:
    """As a percentage; nothing where every item is labelled."""
    return _EXACT if half_width < NOTHING else percent(half_width)
