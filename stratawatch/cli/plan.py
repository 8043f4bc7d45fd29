"""stratawatch plan: how many labels are needed, and what a cycle would ask. Nothing is written."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stratawatch.cli.listing import show_rows
from stratawatch.cli.options import DEFAULT_CONFIG, ConfigOption, JsonOption, NowOption, known, moment
from stratawatch.cli.outlook import draw_outlook, outlook_document, show_outlook
from stratawatch.cli.printing import count_text, percent, print_json, say, window_text
from stratawatch.cli.progress import shown_progress
from stratawatch.cli.windows import newest_window
from stratawatch.errors import StratawatchError

if TYPE_CHECKING:
    from stratawatch.engine.records import PanelSpec, Window
    from stratawatch.wiring import Installation

OutOption = Annotated[
    Path | None, typer.Option("--out", help="Write the curve as a picture, .svg or .png.", metavar="FILE")
]


def plan(
    panel: Annotated[str | None, typer.Argument(help="The panel; all of them without.", metavar="[PANEL]")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say whom a cycle would ask, stratum by stratum.")] = False,
    every: Annotated[bool, typer.Option("--all", help="Every metric's half-widths, not only where goals are.")] = False,
    out: OutOption = None,
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    now: NowOption = None,
) -> None:
    """How many labels do I need? Counts the newest complete window; nothing is planned for real.

    Says how many labels each goal needs, and all of them together, and what other budgets would buy, foretold from
    earlier labels or, without enough of them, from scores alone.

    \b
    Examples:
      stratawatch plan
      stratawatch plan toxicity --out curve.svg
      stratawatch plan --dry-run toxicity
    """
    from stratawatch.wiring import build

    installation = build(config, moment(now), only_reading=True)
    names = [known(panel, list(installation.panels), "panel")] if panel else list(installation.panels)
    panels = [installation.panels[name] for name in names]
    if out is not None and (dry_run or len(panels) > 1):
        expected = "no --dry-run beside it" if dry_run else f"one panel: {', '.join(names)}"
        raise StratawatchError("--out draws one panel's curve", expected=expected)
    with shown_progress():
        found = [_preview(installation, spec) if dry_run else _outlook(installation, spec, out) for spec in panels]
    if dry_run:
        _tell({"plans": found}, _show, json=json)
    else:
        _tell({"outlooks": found}, partial(show_outlook, every=every), json=json)
    if out is not None and not json:
        say()
        say(f"wrote {out}")


def _tell(document: dict[str, list[dict[str, Any]]], show: Callable[[dict[str, Any]], None], *, json: bool) -> None:
    if json:
        print_json(document)
        return
    (panels,) = document.values()
    for number, one in enumerate(panels):
        if number:
            say()
        show(one)


def _outlook(installation: "Installation", spec: "PanelSpec", out: Path | None) -> dict[str, Any]:
    from stratawatch.engine.outlook import outlook

    period, window = newest_window(installation, spec)
    found = outlook(installation.ports, spec, window, period)
    if not found.items:
        raise _empty(spec, window)
    if out is not None:
        draw_outlook(out, spec, found)
    return outlook_document(spec, window, period, found)


def _empty(spec: "PanelSpec", window: "Window") -> StratawatchError:
    return StratawatchError(
        f"panel '{spec.name}' has no predictions in its newest window {window}",
        hint="a cycle on it would be refused",
    )


def _preview(installation: "Installation", spec: "PanelSpec") -> dict[str, Any]:
    from stratawatch.engine.preview import preview
    from stratawatch.engine.strata import strata_of

    period, window = newest_window(installation, spec)
    previewed = preview(installation.ports, spec, window, period)
    planned, strata = previewed.plan, strata_of(previewed.atoms)
    if not strata:
        raise _empty(spec, window)
    return {
        "panel": spec.name,
        "period": period,
        "window_start": window.start,
        "window_end": window.end,
        "items": sum(stratum.items for stratum in strata),
        "labels": planned.labels,
        "budget": spec.budget,
        "method": planned.method,
        "past_labels": len(previewed.history),
        "classifiers": [classifier.name for classifier in spec.classifiers],
        "auxiliary": [helper.name for helper in spec.auxiliary],
        "strata": [
            {
                "stratum": number,
                "patterns": stratum.patterns,
                "mean_score": stratum.mean_score,
                "items": stratum.items,
                "labels": labels,
                "atoms": [
                    {"pattern": a.pattern, "first_bin": a.first_bin, "last_bin": a.last_bin, "items": a.size}
                    for a in stratum.atoms
                ],
            }
            for number, (stratum, labels) in enumerate(zip(strata, planned.totals, strict=True))
        ],
        "expected": [
            {"classifier": classifier, "metric": metric, "half_width": half_width, "margin": _margin(spec, *key)}
            for key, half_width in planned.half_widths.items()
            for classifier, metric in [key]
        ],
    }


def _margin(spec: "PanelSpec", classifier: str, metric: str) -> float | None:
    goals = [
        goal
        for goal in spec.goals
        if goal.metric == metric and (not goal.classifiers or classifier in goal.classifiers)
    ]
    return goals[0].margin if goals else None


def _show(document: dict[str, Any]) -> None:
    say(f"{document['panel']}, window {window_text(document)}: {count_text(document['items'], 'item')}")
    asked = f"{count_text(document['labels'], 'label')} of a budget of {document['budget']:,}"
    known = document["past_labels"]
    say(f"{asked}, planned from {count_text(known, 'past label') if known else 'scores alone'}")
    say()
    order = ", ".join([*document["classifiers"], *document["auxiliary"]])
    say(f"Strata; a pattern is what {order} say, in this order (1 yes, 0 no, - nothing)")
    show_rows([_stratum_cells(row) for row in document["strata"]], numbers=("items", "labels", "mean score"))
    say()
    say("Expected half-widths")
    show_rows([_expected_cells(row) for row in document["expected"]], numbers=("half-width", "margin"))


def _stratum_cells(row: dict[str, Any]) -> dict[str, str]:
    return {
        "patterns": row["patterns"],
        "mean score": "" if row["mean_score"] is None else f"{row['mean_score']:.3f}",
        "items": f"{row['items']:,}",
        "labels": f"{row['labels']:,}",
    }


def _expected_cells(row: dict[str, Any]) -> dict[str, str]:
    margin = row["margin"]
    return {
        "metric": f"{row['classifier']} {row['metric'].replace('_', ' ')}",
        "half-width": f"±{percent(row['half_width'])}",
        "margin": "" if margin is None else f"±{percent(margin)}",
        "remark": "wider than the margin" if margin is not None and row["half_width"] > margin else "",
    }
