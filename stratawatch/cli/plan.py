"""stratawatch plan: how many labels the goals need, and which items a cycle would ask for. Nothing is written."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stratawatch.cli.expected_pages import page_document
from stratawatch.cli.goal_needs_text import all_goals_text, source_text, stopping_text
from stratawatch.cli.half_width_table import show_curve
from stratawatch.cli.limit_outlooks import show_limits
from stratawatch.cli.options import (
    DEFAULT_CONFIG,
    ConfigOption,
    JsonOption,
    MethodOption,
    NowOption,
    chosen_panels,
    moment,
)
from stratawatch.cli.output import print_documents, print_line, stream_in_words, stream_text, window_text
from stratawatch.cli.pictures import write_picture
from stratawatch.cli.planned_items import show_planned_items, width_text
from stratawatch.cli.progress_bar import shown_progress
from stratawatch.cli.table_output import show_rows
from stratawatch.cli.window_option import newest_window
from stratawatch.engine.model.forecast_record import record_document
from stratawatch.engine.model.limit_outlook import outlook_document
from stratawatch.errors import StratawatchError
from stratawatch.formatting import count_text, percent

if TYPE_CHECKING:
    from stratawatch.core.designs.budget_forecasts import BudgetPoint
    from stratawatch.core.plan import HalfWidthRange
    from stratawatch.engine.cycle.label_needs import LabelNeeds
    from stratawatch.engine.model.panel_spec import PanelSpec, Window
    from stratawatch.wiring import Installation

OutOption = Annotated[
    Path | None, typer.Option("--out", help="Write the curve as a picture, .svg or .png.", metavar="FILE")
]


def plan(
    panel: Annotated[str | None, typer.Argument(help="The panel; all of them without.", metavar="[PANEL]")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say which items a cycle would ask about.")] = False,
    every: Annotated[bool, typer.Option("--all", help="Every metric's intervals, not only where goals are.")] = False,
    by_method: MethodOption = False,
    out: OutOption = None,
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    now: NowOption = None,
) -> None:
    """How many labels do I need? Counts the newest complete window; nothing is stored.

    Says how many labels each goal needs, how many all goals need together, and how narrow intervals other budgets would
    buy, predicted from earlier labels or, without enough of them, from scores alone.

    \b
    Examples:
      stratawatch plan
      stratawatch plan toxicity --out curve.svg
      stratawatch plan --dry-run toxicity
      stratawatch plan --dry-run --method toxicity    stratum by stratum
    """
    from stratawatch.wiring import build

    installation = build(config, moment(now), only_reading=True)
    names = chosen_panels(panel, list(installation.panels))
    panels = [installation.panels[name] for name in names]
    if out is not None and (dry_run or len(panels) > 1):
        expected = "no --dry-run beside it" if dry_run else f"one panel: {', '.join(names)}"
        raise StratawatchError("--out draws one panel's curve", expected=expected)
    found = plan_documents(installation, panels, out, dry_run=dry_run)
    if dry_run:
        print_documents("plans", found, partial(_show_planned, by_method=by_method), json=json)
    else:
        print_documents("outlooks", found, partial(show_outlook, every=every, by_method=by_method), json=json)
    if out is not None and not json:
        print_line()
        print_line(f"wrote {out}")


def plan_documents(
    installation: "Installation", panels: Sequence["PanelSpec"], out: Path | None = None, *, dry_run: bool = False
) -> list[dict[str, Any]]:
    """What is said of each panel, as JSON values: how many labels it needs, or whom a cycle would ask."""
    from stratawatch.engine.labels.vote_costs import with_item_budget

    with shown_progress():
        votes = [_further_votes(installation, spec) for spec in panels]
        shares = [further + (spec.gold_share or 0.0) for spec, further in zip(panels, votes, strict=True)]
        paid = [with_item_budget(spec, share) for spec, share in zip(panels, shares, strict=True)]
        found = [_preview(installation, spec) if dry_run else _outlook(installation, spec, out) for spec in paid]
    for document, spec, further in zip(found, panels, votes, strict=True):
        document["question_change"] = _question_change(installation, spec)
        document["second_votes"] = _second_votes(spec, further)
        document["gold"] = _gold(spec, document["budget"])
    return found


def _further_votes(installation: "Installation", spec: "PanelSpec") -> float:
    from stratawatch.engine.labels.vote_costs import further_votes

    with installation.ports.store.begin() as tx:
        return further_votes(tx, spec)


def _gold(spec: "PanelSpec", items: int) -> dict[str, Any] | None:
    """What gold items take of the budget, where `items` are what it leaves for others; None without them."""
    if spec.gold_share is None:
        return None
    return {"gold_share": spec.gold_share, "budget": spec.budget, "gold_items": round(items * spec.gold_share)}


def _second_votes(spec: "PanelSpec", share: float) -> dict[str, Any] | None:
    """What second and third votes take of the budget; None without them."""
    if spec.second_votes is None:
        return None
    return {"rule": spec.second_votes, "budget": spec.budget, "votes_an_item": 1 + share}


def _show_second_votes(document: dict[str, Any]) -> None:
    found = document["second_votes"]
    if found is not None:
        paid = f"a budget of {found['budget']:,} votes pays for {count_text(document['budget'], 'item')}"
        print_line(f"Second votes ({found['rule']}): an item takes {found['votes_an_item']:.2f} votes, so that {paid}.")


def _show_gold(document: dict[str, Any]) -> None:
    found = document["gold"]
    if found is not None:
        number = count_text(found["gold_items"], "gold item")
        print_line(f"Gold: of a budget of {found['budget']:,} labels at most {number} whose truth is known.")


def _question_change(installation: "Installation", spec: "PanelSpec") -> str | None:
    """What the next cycle asks anew because the panel's question changed."""
    from stratawatch.cli.changed_questions import question_notice

    with installation.ports.store.begin() as tx:
        notice = question_notice(tx, spec, installation.ports.clock.now())
    return None if notice is None else notice.sentence


def _show_question_change(document: dict[str, Any]) -> None:
    if document["question_change"] is not None:
        print_line(f"Note: {document['question_change']}.")


def _outlook(installation: "Installation", spec: "PanelSpec", out: Path | None) -> dict[str, Any]:
    from stratawatch.engine.cycle.label_needs import label_needs

    period, window = newest_window(installation, spec)
    found = label_needs(installation.ports, spec, window, period)
    if not found.items:
        raise _empty(installation, spec, period, window)
    if out is not None:
        _draw_outlook(out, spec, found)
    return _outlook_document(spec, window, period, found)


def _outlook_document(spec: "PanelSpec", window: "Window", period: int, found: "LabelNeeds") -> dict[str, Any]:
    """The forecast as JSON values."""
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
        "has_scores": spec.has_scores,
        "past_labels": found.past_labels,
        "labels_for_all_goals": found.together,
        "labels_if_scores_say_nothing": found.without_scores,
        "budget_shared_with": found.budget_shared_with,
        "budget_for_all_goals": found.budget_for_all_goals,
        "stop": None if found.stop is None else _point(found.stop),
        "goals": [
            {
                "classifier": goal.classifier,
                "metric": goal.metric,
                "margin": goal.margin,
                "half_width": goal.half_width,
                **_range_document(goal.range),
                "labels_alone": goal.labels,
            }
            for goal in found.goals
        ],
        "curve": [_point(step) for step in found.curve],
        "record": None if found.record is None else record_document(found.record),
        "limits": [{**outlook_document(one), "cycle": one.cycle} for one in found.limits],
    }


def _show_planned(document: dict[str, Any], *, by_method: bool) -> None:
    show_planned_items(document, (_show_second_votes, _show_gold, _show_question_change), by_method=by_method)


def show_outlook(document: dict[str, Any], *, every: bool = False, by_method: bool = False) -> None:
    """Print an outlook for a person; `every` metric, or those that goals ask for; `by_method` adds how it is made."""
    print_line(f"{document['panel']}, window {window_text(document)}: {count_text(document['items'], 'item')}")
    print_line(source_text(document))
    if document["record"] is not None:
        print_line(document["record"]["sentence"])
    _show_second_votes(document)
    _show_gold(document)
    _show_question_change(document)
    print_line()
    print_line(all_goals_text(document))
    if document["stop"] is not None:
        print_line(stopping_text(document))
    asked = document["budget"] if document["stop"] is None else document["stop"]["labels"]
    cells = [_goal_cells(goal, asked, document["budget"]) for goal in document["goals"]]
    first = document["goals"][0]
    how_to_read = _goal_in_words(first, cells[0], asked)
    show_rows(cells, how_to_read=how_to_read, numbers=[key for key in cells[0] if key not in ("goal", "remark")])
    show_limits(document["limits"])
    show_curve(document, every=every)
    if by_method:
        _show_method(document)


def _goal_in_words(goal: dict[str, Any], cells: dict[str, str], asked: int) -> str:
    """A goal's row in a sentence."""
    shall = f"the {stream_in_words(goal)} shall be known to {cells['margin']}"
    width, labels = width_text(goal), count_text(asked, "label")
    expected = f"{labels} are expected to give {width}" if "±" in width else f"with {labels} it would be so: {width}"
    return f"{shall}; {expected}, and {cells['labels for it alone']} would do for it alone"


def _show_method(document: dict[str, Any]) -> None:
    """Print what the plan counts on within each range, and where its guesses are from."""
    print_line()
    print_line("How this was counted")
    guessed = "the rates that past labels show" if document["from"] == "history" else "the rates that scores promise"
    print_line(f"Half-widths are halves of intervals. The plan counts on {guessed}; a range holds other guesses too.")
    rows = [goal for goal in document["goals"] if goal["half_width"] is not None]
    if rows:
        cells = [
            {
                "goal": stream_text(row),
                "half-width counted on": f"±{percent(row['half_width'])}",
                "range": width_text(row),
            }
            for row in rows
        ]
        told = f"the plan counts on {cells[0]['half-width counted on']} for the {stream_in_words(rows[0])}"
        show_rows(cells, how_to_read=f"{told}, which may come out anywhere in the range", numbers=list(cells[0])[1:])
    if document["stop"] is not None and document["from"] != "history":
        print_line("The first round is a pilot: small, and spread by scores.")


def _draw_outlook(path: Path, spec: "PanelSpec", found: "LabelNeeds") -> None:
    """Write the curve as a picture."""
    from stratawatch.report.budget_chart import draw_curves

    write_picture(path, lambda place: draw_curves(place, spec.name, spec.budget, found))


def _point(step: "BudgetPoint") -> dict[str, Any]:
    widths = [
        {"classifier": classifier, "metric": metric, "half_width": half_width, **_range_document(step.ranges.get(key))}
        for key, half_width in step.half_widths.items()
        for classifier, metric in [key]
    ]
    return {"labels": step.labels, "half_widths": widths}


def _range_document(found: "HalfWidthRange | None") -> dict[str, float | None]:
    """The ends of a range, null where the design tells none."""
    low, high = (None, None) if found is None else (found.low, found.high)
    return {"half_width_low": low, "half_width_high": high}


def _goal_cells(goal: dict[str, Any], asked: int, budget: int) -> dict[str, str]:
    return {
        "goal": stream_text(goal),
        "margin": f"±{percent(goal['margin'])}",
        f"with {count_text(asked, 'label')}": width_text(goal),
        "labels for it alone": f"{goal['labels_alone']:,}",
        "remark": "" if goal["labels_alone"] <= budget else "above the budget",
    }


def _empty(installation: "Installation", spec: "PanelSpec", period: int, window: "Window") -> StratawatchError:
    """That the newest window is empty, with the moment at which the newest one with rows was the newest of all."""
    from stratawatch.engine.input.newest_rows import newest_period_with_rows
    from stratawatch.engine.model.windows import window_of_period

    what = f"panel '{spec.name}' has no predictions in its newest window {window}"
    earlier = newest_period_with_rows(installation.ports.sources[spec.name], spec, period)
    if earlier is None:
        return StratawatchError(what, hint="no earlier one has any: `stratawatch check` says what may be wrong")
    found = window_of_period(spec.windows, earlier)
    moment = (found.end + spec.windows.lateness).isoformat()
    return StratawatchError(what, hint=f"the newest with rows is {found}: `stratawatch plan --now {moment}` plans it")


def _preview(installation: "Installation", spec: "PanelSpec") -> dict[str, Any]:
    from stratawatch.core.stratification.stratum_atoms import atoms_by_stratum
    from stratawatch.engine.cycle.expected_pages import expected_pages, planned_window
    from stratawatch.engine.cycle.plan_preview import preview_plan
    from stratawatch.engine.evidence.focus import focus_text

    period, window = newest_window(installation, spec)
    previewed = preview_plan(installation.ports, spec, window, period)
    planned, strata = previewed.plan, atoms_by_stratum(previewed.atoms)
    if not strata:
        raise _empty(installation, spec, period, window)
    with installation.ports.store.begin() as tx:
        labelled = planned_window(spec, previewed.atoms, previewed.plan.totals)
        pages = expected_pages(tx, spec, labelled, window.start)
    return {
        "panel": spec.name,
        "period": period,
        "window_start": window.start,
        "window_end": window.end,
        "items": sum(stratum.items for stratum in strata),
        "labels": planned.labels,
        "labels_new": planned.labels_new,
        "budget": spec.budget,
        "method": planned.method,
        "looks_harder": planned.looks_harder,
        "has_scores": spec.has_scores,
        "past_labels": len(previewed.history),
        "classifiers": [classifier.name for classifier in spec.classifiers],
        "auxiliary": [helper.name for helper in spec.auxiliary],
        "strata": [
            {
                "stratum": number,
                "patterns": stratum.pattern_text,
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
            {
                "classifier": classifier,
                "metric": metric,
                "half_width": half_width,
                **_range_document(planned.ranges.get(key)),
                "margin": _margin(spec, *key),
            }
            for key, half_width in planned.half_widths.items()
            for classifier, metric in [key]
        ],
        "focus": None if previewed.focus is None else focus_text(previewed.focus),
        "random_numbers": None if previewed.not_reused is None else previewed.not_reused.text,
        "pages": [page_document(one) for one in pages],
    }


def _margin(spec: "PanelSpec", classifier: str, metric: str) -> float | None:
    return next((goal.margin for goal in spec.goals if goal.is_for(classifier, metric)), None)
