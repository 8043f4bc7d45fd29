"""stratawatch labels gold: bring in items whose truth is known, and see what people made of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stratawatch.cli.options import (
    DEFAULT_CONFIG,
    ByOption,
    ConfigOption,
    JsonOption,
    PanelOption,
    ReasonOption,
    chosen_panels,
)
from stratawatch.cli.output import print_json, print_line
from stratawatch.cli.table_output import show_rows
from stratawatch.errors import StratawatchError
from stratawatch.formatting import count_text

if TYPE_CHECKING:
    from stratawatch.engine.model.gold import GoldCounts
    from stratawatch.engine.model.panel_spec import PanelSpec
    from stratawatch.engine.ports import Ports
    from stratawatch.engine.ports.transaction import Transaction


def gold(
    file: Annotated[Path | None, typer.Argument(help="A .jsonl or .csv file.", metavar="[FILE]")] = None,
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    panel: PanelOption = None,
    by: ByOption = None,
    why: ReasonOption = "",
) -> None:
    """Items whose truth is known: bring them in from a file, and see how often labels of them err.

    A line has an item, its value (yes or no; retract takes it out again) and every payload column of the panel. With
    `gold_share` in the panel so many of them are mixed into each round, and nobody can tell them from the others.
    `stratawatch estimates` then has corrected values beside the others. Bringing the same lines again changes nothing.

    \b
    Examples:
      stratawatch labels gold gold.csv --panel toxicity
      stratawatch labels gold                           what people made of them
    """
    from stratawatch.wiring import build

    installation = build(config, only_reading=True, by=by)
    names = chosen_panels(panel, list(installation.panels))
    if file is not None and len(names) != 1:
        raise StratawatchError("say which panel the gold items are for", expected=f"--panel {'|'.join(names)}")
    specs = [installation.panels[name] for name in names]
    brought = _bring(installation.ports, specs[0], file, why) if file is not None else {}
    with installation.ports.store.begin() as tx:
        found = [_found(tx, spec) for spec in specs]
    if json:
        print_json({"brought": brought or None, "panels": found})
        return
    if brought:
        print_line(f"{count_text(brought['changed'], 'gold item')} new or changed, {brought['removed']:,} taken out")
    for one in found:
        _show(one)


def _bring(ports: "Ports", spec: "PanelSpec", file: Path, why: str) -> dict[str, Any]:
    from stratawatch.cli.label_files import read_gold
    from stratawatch.engine.labels.gold_items import keep_gold

    items, removed = read_gold(file, spec.columns.payload)
    kept = keep_gold(ports, spec, items, removed, why)
    return {"panel": spec.name, "changed": kept.changed, "removed": kept.removed}


def _found(tx: "Transaction", spec: "PanelSpec") -> dict[str, Any]:
    """The gold items of today's question, and what was said of them up to the newest cycle."""
    from stratawatch.engine.labels.gold_items import gold_counts, gold_of_annotators
    from stratawatch.engine.model.gold import GoldCounts

    items = tx.gold.items(spec.name, tx.panels.question_key(spec))
    newest = tx.cycles.find(panel=spec.name, newest=1)
    by_annotator = gold_of_annotators(tx, spec, newest[0]) if newest else {}
    return {
        "panel": spec.name,
        "gold_share": spec.gold_share,
        "items": {truth: sum(one.truth == truth for one in items) for truth in ("yes", "no")},
        **gold_numbers(gold_counts(tx, spec, newest[0]) if newest else GoldCounts()),
        "annotators": [{"name": name, **gold_numbers(counts)} for name, counts in by_annotator.items()],
    }


def gold_numbers(counts: "GoldCounts") -> dict[str, Any]:
    """The counts, and sensitivity and specificity with their intervals, as JSON; None where they are not known."""
    from stratawatch.core.estimate import Undefined

    answers, names = counts.answers, ("sensitivity", "specificity")
    ends = [None, None] if isinstance(answers, Undefined) else [list(one) for one in answers.ends(0.95)]
    numbers = ("asked", "positives", "said_yes", "negatives", "said_no", "undecided")
    return {**{name: getattr(counts, name) for name in numbers}, **dict(zip(names, ends, strict=True))}


def _show(found: dict[str, Any]) -> None:
    items = found["items"]
    there = f"{count_text(sum(items.values()), 'gold item')}, {items['yes']:,} yes and {items['no']:,} no"
    share = found["gold_share"]
    asked = f"{100 * share:g} are asked for every 100 others" if share else "nobody is asked for them: set gold_share"
    print_line(f"{found['panel']}: {there}; {asked}")
    rows = [{"name": "all verdicts", **found}, *found["annotators"]] if found["asked"] else []
    right = (
        f"{found['said_yes']:,} of {found['positives']:,} positives and {found['said_no']:,} of {found['negatives']:,}"
    )
    how_to_read = f"of the gold items that were asked, all verdicts together got {right} negatives right"
    numbers = ("asked", "sensitivity", "specificity")
    show_rows([_cells(row) for row in rows], how_to_read=how_to_read, numbers=numbers)


def _cells(row: dict[str, Any]) -> dict[str, str]:
    return {
        "annotator": row["name"],
        "asked": f"{row['asked']:,}",
        "positives": f"{row['said_yes']:,} of {row['positives']:,}",
        "negatives": f"{row['said_no']:,} of {row['negatives']:,}",
        **{name: ends_text(row[name]) for name in ("sensitivity", "specificity")},
    }


def ends_text(ends: Sequence[float] | None) -> str:
    """A share with the ends of its interval."""
    return "" if ends is None else "{:.1%} ({:.1%} to {:.1%})".format(*ends)
