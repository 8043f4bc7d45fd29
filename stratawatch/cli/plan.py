"""stratawatch plan: what the newest complete window would ask people. Nothing is written."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from stratawatch.cli.listing import show_rows
from stratawatch.cli.options import DEFAULT_CONFIG, ConfigOption, JsonOption, NowOption, known, moment
from stratawatch.cli.printing import count_text, percent, print_json, say, window_text
from stratawatch.errors import StratawatchError

if TYPE_CHECKING:
    from stratawatch.engine.records import PanelSpec
    from stratawatch.wiring import House


def plan(
    panel: Annotated[str | None, typer.Argument(help="The panel; all of them without.", metavar="[PANEL]")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be asked; write nothing.")] = False,
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    now: NowOption = None,
) -> None:
    """Count the newest complete window and plan its labels, without writing anything.

    A cycle plans in two rounds, the second with the answers of the first; this shows the whole budget planned at
    once, from scores alone.

    \b
    Examples:
      stratawatch plan --dry-run
      stratawatch plan --dry-run toxicity --json
    """
    from stratawatch.wiring import build

    if not dry_run:
        raise StratawatchError(
            "`plan` only shows what would be asked", hint="add --dry-run; `stratawatch advance` plans and sends"
        )
    house = build(config, moment(now), only_reading=True)
    names = [known(panel, list(house.panels), "panel")] if panel else list(house.panels)
    plans = [_preview(house, house.panels[name]) for name in names]
    if json:
        print_json({"plans": plans})
        return
    for document in plans:
        _show(document)


def _preview(house: "House", spec: "PanelSpec") -> dict[str, Any]:
    from stratawatch.engine.preview import preview
    from stratawatch.engine.strata import strata_of
    from stratawatch.engine.windows import newest_complete, window_of

    period = newest_complete(spec.windows, house.ports.clock.now())
    if period < 0:
        first = window_of(spec.windows, 0)
        raise StratawatchError(f"panel '{spec.name}' has no complete window yet", hint=f"the first is {first}")
    window = window_of(spec.windows, period)
    previewed = preview(house.ports, spec, window, period)
    planned, strata = previewed.plan, strata_of(previewed.atoms)
    if not strata:
        raise StratawatchError(
            f"panel '{spec.name}' has no predictions in its newest window {window}",
            hint="a cycle on it would be refused",
        )
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
    goals = [goal for goal in spec.goals if goal.metric == metric and (not goal.of or classifier in goal.of)]
    return goals[0].margin if goals else None


def _show(document: dict[str, Any]) -> None:
    say(f"{document['panel']}, window {window_text(document)}: {count_text(document['items'], 'item')}")
    asked = f"{count_text(document['labels'], 'label')} of a budget of {document['budget']:,}"
    known = document["past_labels"]
    say(f"{asked}, planned from {count_text(known, 'past label') if known else 'scores alone'}")
    say()
    order = ", ".join(document["classifiers"])
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
