"""The half-widths that budgets would give, as `plan` prints them."""

from typing import Any

from stratawatch.cli.output import metric_text, print_line
from stratawatch.cli.table_output import show_rows
from stratawatch.formatting import percent


def show_curve(document: dict[str, Any], *, every: bool) -> None:
    """Print a table of half-widths for each metric: those with a goal, or `every` one."""
    curve = document["curve"]
    metrics = list(dict.fromkeys(row["metric"] for step in reversed(curve) for row in step["half_widths"]))
    asked = {goal["metric"] for goal in document["goals"]}
    shown = [metric for metric in metrics if every or metric in asked]
    for metric in shown:
        print_line()
        print_line(f"Half-widths of {metric_text(metric)} to expect with so many labels")
        show_rows(_curve_cells(curve, metric), numbers=[f"{step['labels']:,}" for step in curve])
    if len(shown) < len(metrics):
        others = ", ".join(metric_text(metric) for metric in metrics if metric not in shown)
        print_line()
        print_line(f"No goal asks for {others}; --all shows every metric")


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
        {"labels": name, **{labels: percent(widths[name]) if name in widths else "" for labels, widths in by_budget}}
        for name in names
    ]
