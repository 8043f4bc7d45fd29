"""stratawatch mistakes: the labelled items that a classifier got wrong, with what people saw of them."""

import sys
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from stratawatch.cli.labelled_rows import item_columns, score_columns
from stratawatch.cli.options import DEFAULT_CONFIG, ConfigOption, JsonOption, existing_name, stored_panel
from stratawatch.cli.output import print_json, print_line, time_text, window_text
from stratawatch.cli.table_output import show_rows
from stratawatch.cli.window_option import WindowOption, window_holding
from stratawatch.errors import StratawatchError
from stratawatch.formatting import count, count_text

if TYPE_CHECKING:
    from stratawatch.engine.labels.labelled_items import LabelledItem
    from stratawatch.engine.model.cycle_facts import Cycle
    from stratawatch.engine.model.panel_spec import PanelSpec
    from stratawatch.engine.ports.transaction import Transaction

SHOWN: Final = 20
"""Items that a person is shown without asking for all."""
_SMALL: Final = 10
"""Weights below it are told with a decimal."""


def mistakes(
    panel: Annotated[str, typer.Argument(help="The panel.", metavar="PANEL")],
    classifier: Annotated[str, typer.Option("--classifier", help="Whose mistakes.", metavar="NAME")],
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    side: Annotated[
        str | None, typer.Option("--side", help="Only what it called, or what it passed.", metavar="called|passed")
    ] = None,
    segment: Annotated[
        str | None, typer.Option("--segment", help="Only in this segment, as country=de.", metavar="COLUMN=VALUE")
    ] = None,
    window: WindowOption = None,
    newest: Annotated[int, typer.Option("--newest", min=1, help="How many judged windows.", metavar="N")] = 1,
    every: Annotated[bool, typer.Option("--all", help="Everything, not only the heaviest.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV to standard output, and nothing else.")] = False,
) -> None:
    """The labelled items that a classifier got wrong, those first that stand for most items.

    They are what it called positive and people said no to, and what it passed and they said yes to, with what
    labellers saw: read again from the source where the store has forgotten it. It goes nowhere but here.

    \b
    Examples:
      stratawatch mistakes spam --classifier lr
      stratawatch mistakes spam --classifier lr --side called --segment lang=de
      stratawatch mistakes spam --classifier lr --newest 4 --csv > mistakes.csv
    """
    from stratawatch.cli.csv_cells import write_csv
    from stratawatch.cli.progress_bar import shown_progress
    from stratawatch.engine.labels.labelled_items import WRONG, labelled_items, with_payload
    from stratawatch.wiring import build

    if json and csv:
        raise StratawatchError("--json and --csv do not go together")
    if window is not None and newest != 1:
        raise StratawatchError("--window and --newest do not go together", hint="--window names one window")
    if side is not None:
        existing_name(side, list(WRONG), "side")
    installation = build(config, only_reading=True)
    ports = installation.ports
    with ports.store.begin() as tx:
        spec = tx.panels.latest()[stored_panel(panel, list(tx.panels.latest()), installation.panels)]
        drawn = [labelled_items(tx, cycle) for cycle in _cycles(tx, spec, window, newest)]
    _require_names(spec, drawn, classifier, segment)
    labelled = [[one for one in items if _counts(one, classifier, segment)] for items in drawn]
    with shown_progress():
        wrong = [with_payload(ports, _mistakes(items, classifier, side)) for items in labelled]
    heaviest = sorted(chain(*wrong), key=lambda one: (-(one.weight or 0), one.item.item))
    rows = [_row(one, classifier) for one in heaviest]
    windows = [_window(items, classifier) for items in labelled if items]
    if json:
        print_json({"panel": panel, "classifier": classifier, "windows": windows, "mistakes": rows})
    elif csv:
        write_csv(sys.stdout, rows)
    else:
        _show(panel, classifier, windows, rows, most=len(rows) if every else SHOWN)


def _cycles(tx: "Transaction", spec: "PanelSpec", window: str | None, newest: int) -> list["Cycle"]:
    """The newest judged cycles of a panel, or that of the window that was named."""
    if window is None:
        return [cycle for cycle, _ in tx.estimates.history(spec.name, newest=newest)]
    period, named = window_holding(spec, window)
    found = tx.cycles.find(panel=spec.name, before=period + 1, newest=1)
    if not found or found[0].period != period:
        raise StratawatchError(f"nothing was drawn from window {named} of panel '{spec.name}'", got=window)
    return list(found)


def _require_names(
    spec: "PanelSpec", drawn: Sequence[Sequence["LabelledItem"]], classifier: str, segment: str | None
) -> None:
    specs = [spec, *(items[0].spec for items in drawn if items)]
    existing_name(classifier, list(dict.fromkeys(one.name for each in specs for one in each.classifiers)), "classifier")
    if segment is not None:
        existing_name(segment, sorted({name for items in drawn for one in items for name in one.segments}), "segment")


def _counts(one: "LabelledItem", classifier: str, segment: str | None) -> bool:
    """Whether it is labelled, has a call of the classifier and lies in the segment that was named."""
    if one.verdict not in ("yes", "no") or classifier not in one.names:
        return False
    return one.side(classifier) is not None and (segment is None or segment in one.segments)


def _mistakes(items: Sequence["LabelledItem"], classifier: str, side: str | None) -> list["LabelledItem"]:
    return [one for one in items if one.is_mistake(classifier) and side in (None, one.side(classifier))]


def _window(items: Sequence["LabelledItem"], classifier: str) -> dict[str, Any]:
    """How many labels each side has in a window, and how many of them are mistakes."""
    called = Counter((one.side(classifier), one.is_mistake(classifier)) for one in items)
    cycle = items[0].cycle
    return {
        "cycle": cycle.id,
        "window_start": cycle.window.start,
        "window_end": cycle.window.end,
        **{
            side: {"labelled": called[side, True] + called[side, False], "wrong": called[side, True]}
            for side in ("called", "passed")
        },
    }


def _row(one: "LabelledItem", classifier: str) -> dict[str, Any]:
    agreeing = [answer for answer in one.answers if answer.value == one.verdict]
    return {
        "item": one.item.item,
        "side": one.side(classifier),
        "label": one.verdict,
        **score_columns(one.spec.classifiers[one.names.index(classifier)], one.score(classifier)),
        **item_columns(one),
        "annotators": ", ".join(answer.annotator for answer in agreeing),
        "labelled_at": max(answer.at for answer in agreeing),
        "answers": [
            {"annotator": answer.annotator, "value": answer.value, "at": answer.at.isoformat()}
            for answer in one.answers
        ],
        "payload_gap": one.payload_gap or None,
    }


def _show(
    panel: str, classifier: str, windows: Sequence[dict[str, Any]], rows: Sequence[dict[str, Any]], most: int
) -> None:
    if not windows:
        print_line("Nothing of that is labelled. `stratawatch status` says what the cycles wait for.")
        return
    for one in windows:
        sides = [
            f"{side} {count_text(one[side]['labelled'], 'labelled item')}, {one[side]['wrong']:,} of them wrongly"
            for side in ("called", "passed")
            if one[side]["labelled"]
        ]
        print_line(f"{panel}, window {window_text(one)}: {classifier} {'; it '.join(sides)}")
    if not rows:
        return
    print_line(
        "Weight: how many items of its window one stands for. Labels are not drawn evenly, so counts are no shares: "
        "`stratawatch estimates` has those. Scores are kept in steps."
    )
    print_line()
    cells = [_cells(row, several=len(windows) > 1) for row in rows[:most]]
    show_rows(cells, how_to_read=_how_to_read(rows[0], cells[0]), numbers=("weight", "stratum"))
    for gap, number in Counter(row["payload_gap"] for row in rows if row["payload_gap"]).items():
        print_line(f"What people saw of {count_text(number, 'item')} is not there: {gap}.")
    if len(rows) > most:
        print_line(f"{len(rows) - most:,} more with --all, --json or --csv")


def _how_to_read(row: dict[str, Any], cells: dict[str, str]) -> str:
    """A mistake in a sentence."""
    said = f"it {row['side']} the item {row['item']}, to which people said {row['label']}"
    return f"{said}; it stands for {cells['weight']} items of its window"


def _cells(row: dict[str, Any], *, several: bool) -> dict[str, str]:
    weight = row["weight"]
    return {
        "item": row["item"],
        **({"window": row["window_start"][:10]} if several else {}),
        "it": row["side"],
        "people": f"{row['label']}: {row['annotators']}",
        "at": time_text(row["labelled_at"]),
        "score": _score_text(row["score_low"], row["score_high"]) if row["score"] is not None else "",
        "weight": count(weight) if weight >= _SMALL else f"{weight:.1f}",
        "stratum": str(row["stratum"]),
        **{f"shown {name}": _shown(value) for name, value in row["payload"].items()},
    }


def _score_text(low: float | None, high: float | None) -> str:
    """The bin of a score; the outermost ones of a margin have no end on one side."""
    if low is None:
        return f"below {high:.4g}"
    return f"above {low:.4g}" if high is None else f"{low:.4g} to {high:.4g}"


def _shown(value: Any) -> str:
    import json

    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
