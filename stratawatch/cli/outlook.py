"""How many labels a panel needs: goals in a table, half-widths against budgets as a curve."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from stratawatch.cli.listing import show_rows
from stratawatch.cli.pictures import write_picture
from stratawatch.cli.printing import count_text, percent, say, window_text

if TYPE_CHECKING:
    from stratawatch.engine.outlook import Outlook, Step
    from stratawatch.engine.records import PanelSpec, Window


def outlook_document(spec: "PanelSpec", window: "Window", period: int, found: "Outlook") -> dict[str, Any]:
    """An outlook as plain values."""
    return {
        "panel": spec.name,
        "period": period,
        "window_start": window.start,
        "window_end": window.end,
        "items": found.items,
        "budget": spec.budget,
        "stop_rule": spec.stop_rule,
        "spend": spec.stop_rule,  # its name in the version before
        "from": "history" if found.from_history else "scores",
        "past_labels": found.past_labels,
        "labels_for_all_goals": found.together,
        "stop": None if found.stop is None else _point(found.stop),
        "goals": [
            {
                "classifier": wish.classifier,
                "metric": wish.metric,
                "margin": wish.margin,
                "half_width": wish.half_width,
                "labels_alone": wish.labels,
            }
            for wish in found.wishes
        ],
        "curve": [_point(step) for step in found.curve],
    }


def show_outlook(document: dict[str, Any], *, every: bool = False) -> None:
    """Print an outlook for a person; `every` metric, or those that goals ask for."""
    say(f"{document['panel']}, window {window_text(document)}: {count_text(document['items'], 'item')}")
    say(_source(document))
    say()
    together = document["labels_for_all_goals"]
    verdict = "suffices" if together <= document["budget"] else "does not suffice"
    say(f"All goals together need {count_text(together, 'label')}; the budget of {document['budget']:,} {verdict}.")
    if document["stop"] is not None:
        say(_stopping(document))
    asked = document["budget"] if document["stop"] is None else document["stop"]["labels"]
    cells = [_goal_cells(goal, asked, document["budget"]) for goal in document["goals"]]
    show_rows(cells, numbers=[key for key in cells[0] if key not in ("goal", "remark")])
    _show_curve(document, every=every)


def draw_outlook(path: Path, spec: "PanelSpec", found: "Outlook") -> None:
    """Write the curve as a picture."""
    from stratawatch.report.curves import draw_curves

    write_picture(path, lambda place: draw_curves(place, spec.name, spec.budget, found))


def _point(step: "Step") -> dict[str, Any]:
    widths = [
        {"classifier": classifier, "metric": metric, "half_width": half_width}
        for (classifier, metric), half_width in step.half_widths.items()
    ]
    return {"labels": step.labels, "half_widths": widths}


def _source(document: dict[str, Any]) -> str:
    past = count_text(document["past_labels"], "past label")
    if document["from"] == "history":
        return f"Foretold from {past}."
    return (
        f"Foretold from scores alone; {past} are too few." if document["past_labels"] else "Foretold from scores alone."
    )


def _stopping(document: dict[str, Any]) -> str:
    """Where a cycle would stop that has spend = "goals"."""
    labels = document["stop"]["labels"]
    near = "at its budget of" if labels >= document["budget"] else "near"
    pilot = "" if document["from"] == "history" else " Without a history it begins with a pilot."
    stop = f"such a cycle would stop {near} {count_text(labels, 'label')}, with these half-widths."
    return f'With spend = "goals" {stop}{pilot}'


def _name(row: dict[str, Any]) -> str:
    return f"{row['classifier']} {_words(row['metric'])}"


def _words(metric: str) -> str:
    return metric.replace("_", " ")


def _goal_cells(goal: dict[str, Any], asked: int, budget: int) -> dict[str, str]:
    width = goal["half_width"]
    return {
        "goal": _name(goal),
        "margin": f"±{percent(goal['margin'])}",
        f"with {count_text(asked, 'label')}": "cannot be told" if width is None else f"±{percent(width)}",
        "labels for it alone": f"{goal['labels_alone']:,}",
        "remark": "" if goal["labels_alone"] <= budget else "above the budget",
    }


def _show_curve(document: dict[str, Any], *, every: bool) -> None:
    """A table a metric."""
    curve = document["curve"]
    metrics = list(dict.fromkeys(row["metric"] for step in reversed(curve) for row in step["half_widths"]))
    asked = {goal["metric"] for goal in document["goals"]}
    shown = [metric for metric in metrics if every or metric in asked]
    for metric in shown:
        say()
        say(f"Half-widths of {_words(metric)} to expect with so many labels")
        show_rows(_curve_cells(curve, metric), numbers=[f"{step['labels']:,}" for step in curve])
    if len(shown) < len(metrics):
        others = ", ".join(_words(metric) for metric in metrics if metric not in shown)
        say()
        say(f"No goal asks for {others}; --all shows every metric")


def _curve_cells(curve: list[dict[str, Any]], metric: str) -> list[dict[str, str]]:
    """A row a classifier, a column a budget."""
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
