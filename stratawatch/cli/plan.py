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
    from stratawatch.engine.plan import preview
    from stratawatch.engine.windows import newest_complete, window_of

    period = newest_complete(spec.windows, house.ports.clock.now())
    if period < 0:
        first = window_of(spec.windows, 0)
        raise StratawatchError(f"panel '{spec.name}' has no complete window yet", hint=f"the first is {first}")
    window = window_of(spec.windows, period)
    atoms, planned = preview(house.ports, spec, window)
    if not atoms:
        raise StratawatchError(
            f"panel '{spec.name}' has no predictions in its newest window {window}",
            hint="a cycle on it would be refused",
        )
    return {
        "panel": spec.name,
        "period": period,
        "window_start": window.start,
        "window_end": window.end,
        "items": sum(atom.size for atom in atoms),
        "labels": planned.labels,
        "budget": spec.budget,
        "method": planned.method,
        "classifiers": [classifier.name for classifier in spec.classifiers],
        "atoms": [
            {
                "atom": number,
                "pattern": atom.pattern,
                "first_bin": atom.first_bin,
                "last_bin": atom.last_bin,
                "mean_score": atom.mean_score,
                "items": atom.size,
                "labels": labels,
                "exhausted": number in planned.exhausted,
            }
            for number, (atom, labels) in enumerate(zip(atoms, planned.totals, strict=True))
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
    say(f"{asked}, planned by {document['method']}")
    say()
    say(f"Atoms; a pattern is what {', '.join(document['classifiers'])} say, in this order (1 yes, 0 no, - nothing)")
    show_rows([_atom_cells(atom) for atom in document["atoms"]], numbers=("items", "labels", "mean score"))
    say()
    say("Expected half-widths")
    show_rows([_expected_cells(row) for row in document["expected"]], numbers=("half-width", "margin"))


def _atom_cells(atom: dict[str, Any]) -> dict[str, str]:
    return {
        "pattern": atom["pattern"],
        "mean score": "" if atom["mean_score"] is None else f"{atom['mean_score']:.3f}",
        "items": f"{atom['items']:,}",
        "labels": f"{atom['labels']:,}",
        "remark": "exhausted" if atom["exhausted"] else "",
    }


def _expected_cells(row: dict[str, Any]) -> dict[str, str]:
    margin = row["margin"]
    return {
        "metric": f"{row['classifier']} {row['metric'].replace('_', ' ')}",
        "half-width": f"±{percent(row['half_width'])}",
        "margin": "" if margin is None else f"±{percent(margin)}",
        "remark": "wider than the margin" if margin is not None and row["half_width"] > margin else "",
    }
