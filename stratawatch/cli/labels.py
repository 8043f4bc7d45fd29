"""stratawatch labels: export, import, the list of ever-drawn items, and which place is the queue."""

import sys
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from stratawatch.cli.options import (
    DEFAULT_CONFIG,
    ByOption,
    ConfigOption,
    JsonOption,
    PanelOption,
    ReasonOption,
    chosen_panels,
    existing_name,
)
from stratawatch.cli.output import print_json, print_line, time_text
from stratawatch.errors import StratawatchError
from stratawatch.formatting import count_text

if TYPE_CHECKING:
    from stratawatch.engine.model.label_events import LabelEvent
    from stratawatch.engine.ports.transaction import Transaction

app = typer.Typer(
    help="""Labels: take them out, bring them in, list the items that were ever drawn, say which place is the queue.

\b
Examples:
  stratawatch labels export --to labels.csv
  stratawatch labels import labels.jsonl --panel toxicity
  stratawatch labels drawn --to drawn.csv     keep these items out of training
  stratawatch labels adopt-queue              after the queue was moved
""",
    no_args_is_help=True,
    rich_markup_mode=None,
)

ToOption = Annotated[
    Path | None, typer.Option("--to", help="Write .csv or .jsonl instead of lines on standard output.", metavar="FILE")
]

_USUAL: Final = 0o666
_OWNER_ALONE: Final = 0o600
"""The mode of a new file that has what labellers saw in it; others have ids, which training jobs read."""


@app.command("export", short_help="Every label event.")
def export(
    config: ConfigOption = DEFAULT_CONFIG, json: JsonOption = False, panel: PanelOption = None, to: ToOption = None
) -> None:
    """Every label event, in order of arrival: who said what about which item, and when.

    With what labellers saw, what classifiers said and the item's stratum and weight, of the newest window that drew it.

    \b
    Examples:
      stratawatch labels export > labels.jsonl
      stratawatch labels export --panel toxicity --to labels.csv
    """
    from stratawatch.wiring import build

    installation = build(config, only_reading=True)
    with installation.ports.store.begin() as tx:
        rows = [row for name in _panels(tx, panel) for row in _events(tx, name)]
    _put(rows, to, json, "labels", mode=_OWNER_ALONE)


@app.command("drawn", short_help="Every item ever drawn.")
def drawn(
    config: ConfigOption = DEFAULT_CONFIG, json: JsonOption = False, panel: PanelOption = None, to: ToOption = None
) -> None:
    """Every item ever drawn. Training on drawn items biases every later estimate: keep them out.

    \b
    Examples:
      stratawatch labels drawn --panel toxicity --to drawn.csv
      stratawatch labels drawn --json
    """
    from stratawatch.wiring import build

    installation = build(config, only_reading=True)
    with installation.ports.store.begin() as tx:
        rows = [
            {"panel": name, "item": item, "first_drawn_at": at.isoformat()}
            for name in _panels(tx, panel)
            for item, at in tx.rounds.ever_drawn(name)
        ]
    _put(rows, to, json, "drawn")


@app.command("waiting", short_help="Labels of items not drawn yet.")
def waiting(config: ConfigOption = DEFAULT_CONFIG, json: JsonOption = False, to: ToOption = None) -> None:
    """Labels that wait until their item is drawn, in order of arrival: by hand, of another store, or before a restore.

    \b
    Examples:
      stratawatch labels waiting
      stratawatch labels waiting --to waiting.csv
    """
    from stratawatch.wiring import build

    installation = build(config, only_reading=True)
    with installation.ports.store.begin() as tx:
        events = tx.labels.waiting_events()
        if json or to is not None:
            _put([_event(event) for event in events], to, json, "waiting")
        elif events:
            from stratawatch.cli.waiting_labels import show_waiting

            show_waiting(tx, events)
        else:
            print_line("No label waits.")


@app.command("set-aside", short_help="Labels that could not count.")
def set_aside(
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    newest: Annotated[int, typer.Option("--newest", min=1, help="How many files and reasons.", metavar="N")] = 20,
) -> None:
    """Labels that could not be read or whose date cannot be right: by file and reason, the newest last.

    \b
    Examples:
      stratawatch labels set-aside
      stratawatch labels set-aside --json | jq '.set_aside[].lines'
    """
    from stratawatch.wiring import build

    with build(config, only_reading=True).ports.store.begin() as tx:
        found = tx.cycles.labels_set_aside(newest)
    rows = [
        {"at": at, "origin": row.key, "reason": row.reason, "count": 1, "lines": [], **row.content} for at, row in found
    ]
    if json:
        print_json({"set_aside": rows})
        return
    if not rows:
        print_line("No label was set aside.")
    for row in rows:
        print_line(f"{time_text(row['at'])}  {row['origin']}: {count_text(row['count'], 'label')}, {row['reason']}")
        for line in row["lines"]:
            print_line(", ".join(f"{name} {value}" for name, value in line.items()), indent="    ")


@app.command("import", short_help="Bring labels in by hand.")
def import_(
    file: Annotated[Path, typer.Argument(help="A .jsonl or .csv file.", metavar="FILE")],
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    panel: PanelOption = None,
    by: ByOption = None,
    why: ReasonOption = "",
) -> None:
    """Bring labels in by hand: item, value (yes, no, skip, retract), annotator, and the time if it is known.

    Importing the same lines again changes nothing. Labels of items that were never drawn were not chosen at random:
    they wait, and count once their item is drawn. A file with a bad line is not imported at all.

    \b
    Examples:
      stratawatch labels import answers.csv --panel toxicity
      echo '{"item": "m-17", "value": "yes", "annotator": "ann"}' > one.jsonl
    """
    from stratawatch.cli.label_files import read_labels
    from stratawatch.engine.labels.import_labels import import_labels
    from stratawatch.wiring import build

    installation = build(config, only_reading=True, by=by)
    labels = read_labels(file)
    with installation.ports.store.begin() as tx:
        names = list(tx.panels.latest())
    name = _opened_panel(panel, names, list(installation.panels))
    got = import_labels(installation.ports, name, labels, why=why)
    facts = {"panel": name, "lines": len(labels), "new": got.new, "unknown": got.unknown, "misdated": got.misdated}
    if json:
        print_json({**facts, "known_before": got.repeated})
        return
    print_line(f"{count_text(got.new, 'new label event')} of {count_text(len(labels), 'line')} for {name}")
    if got.repeated:
        print_line(f"{count_text(got.repeated, 'line')} known already")
    if got.unknown:
        print_line(f"{count_text(got.unknown, 'line')} for items that were not drawn: they count once their item is")
    if got.misdated:
        print_line(f"{count_text(got.misdated, 'line')} set aside: dated in the future")


def _opened_panel(panel: str | None, opened: list[str], configured: list[str]) -> str:
    """The panel that labels are for, which the store must know: it asked people, and so has the question."""
    if panel in opened or (panel is None and len(opened) == 1):
        return panel or opened[0]
    if panel in configured or (panel is None and not opened):
        who = f"panel '{panel}'" if panel else "no panel"
        raise StratawatchError(
            f"{who} has {'no' if panel else 'a'} window yet, so that nobody was asked what these labels answer",
            hint="run `stratawatch open` first, then import them again",
        )
    if panel is None:
        raise StratawatchError("say which panel the labels are for", expected=f"--panel {'|'.join(opened)}")
    return existing_name(panel, list(dict.fromkeys([*opened, *configured])), "panel")


@app.command("adopt-queue", short_help="Say that this is the label queue.")
def adopt_queue(
    config: ConfigOption = DEFAULT_CONFIG, json: JsonOption = False, by: ByOption = None, why: ReasonOption = ""
) -> None:
    """Say that the place in [queue] is the label queue from now on, after it was moved on purpose.

    It is marked with an id that the store keeps too, and created when it is not there. A place that is neither marked
    nor new is never used without this command: it may be where a share is not mounted.

    \b
    Example:
      stratawatch labels adopt-queue       after [queue] root was changed
    """
    from stratawatch.engine.labels.queue_identity import adopt_queue as adopt
    from stratawatch.wiring import build

    adopted = adopt(build(config, only_reading=True, by=by).ports, why)
    if json:
        print_json({"queue": adopted.where, "before": adopted.before or None, "identity": adopted.identity})
        return
    print_line(f"{adopted.where} is the label queue now, as {adopted.identity}")
    if adopted.before not in ("", adopted.identity):
        print_line(
            f"It was marked as {adopted.before}: an installation that used it under that mark stops and says so."
        )
    if not adopted.batches:
        print_line("It holds no batches. If some were ever sent, mount the share that holds them and adopt it instead.")
    if adopted.missing:
        number = count_text(len(adopted.missing), "batch", "batches")
        print_line(f"{number} that wait for answers are not in it, such as {adopted.missing[0]}")


def _panels(tx: "Transaction", panel: str | None) -> list[str]:
    return chosen_panels(panel, list(tx.panels.latest()))


def _events(tx: "Transaction", panel: str) -> Iterable[dict[str, Any]]:
    from stratawatch.cli.labelled_rows import calls_and_scores, item_columns
    from stratawatch.engine.labels.labelled_items import newest_draws

    drawn = newest_draws(tx, panel)
    for _, event in tx.labels.of_panel(panel):
        one = drawn[event.item_key]
        said = {"panel": panel, "item": one.item.item, **_event(event), "question_key": event.question_key}
        yield {**said, **item_columns(one), **calls_and_scores(one)}


def _event(event: "LabelEvent") -> dict[str, str]:
    return {
        "value": event.value,
        "annotator": event.annotator,
        "at": event.at.isoformat(),
        "source": event.source,
        "event_id": event.event_id,
        "item_key": event.item_key,
    }


def _put(rows: list[dict[str, Any]], to: Path | None, json: bool, name: str, *, mode: int = _USUAL) -> None:
    if json and to is not None:
        raise StratawatchError("--json and --to do not go together", hint="--to FILE.jsonl writes JSON lines")
    if json:
        print_json({name: rows})
    elif to is None:
        sys.stdout.writelines(_json_lines(rows))
    else:
        _write(to, rows, mode)
        print_line(f"wrote {count_text(len(rows), 'line')} to {to}")


def _write(path: Path, rows: list[dict[str, Any]], mode: int) -> None:
    import os

    from stratawatch.cli.csv_cells import write_csv

    if path.suffix.lower() not in (".csv", ".jsonl"):
        raise StratawatchError("the ending of --to says the format", expected=".csv or .jsonl", got=path.name)
    try:
        with open(path, "w", encoding="utf-8", newline="", opener=partial(os.open, mode=mode)) as handle:
            if path.suffix.lower() == ".jsonl":
                handle.writelines(_json_lines(rows))
            else:
                write_csv(handle, rows)
    except OSError as trouble:
        raise StratawatchError(f"{path} cannot be written", got=trouble.strerror or type(trouble).__name__) from None


def _json_lines(rows: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    import json

    return (json.dumps(row) + "\n" for row in rows)
