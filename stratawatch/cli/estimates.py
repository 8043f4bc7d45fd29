"""stratawatch estimates: the estimates of every classifier, with intervals."""

from collections import defaultdict
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stratawatch.cli.corrections import (
    correction_columns,
    correction_row,
    correction_text,
    corrections_of_cycles,
    disagreements_of_panels,
    show_corrections,
    show_disagreements,
)
from stratawatch.cli.estimate_files import check_ending, write_estimates
from stratawatch.cli.interval_methods import show_method
from stratawatch.cli.missing_answers import (
    bounds_columns,
    bounds_text,
    missing_of_cycles,
    missing_row,
    show_missing,
)
from stratawatch.cli.options import (
    DEFAULT_CONFIG,
    ConfigOption,
    JsonOption,
    MethodOption,
    PanelOption,
    chosen_panels,
    existing_name,
    stored_panel,
)
from stratawatch.cli.output import (
    print_error,
    print_json,
    print_line,
    state_text,
    stream_in_words,
    stream_text,
    time_text,
    value_text,
    window_text,
)
from stratawatch.cli.status_streams import show_reasons
from stratawatch.cli.table_output import show_rows
from stratawatch.cli.windows_together import show_together, together_rows
from stratawatch.core.alarms.alarm_states import MEANINGS, URGENCY
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.limit_outlook import outlook_document, outlooks_with_pauses
from stratawatch.errors import StratawatchError
from stratawatch.formatting import confidence_text, count, count_text, estimate_in_words, truth_text

if TYPE_CHECKING:
    from stratawatch.core.estimate import Estimate
    from stratawatch.engine.labels.corrected_estimates import CorrectedCycle
    from stratawatch.engine.labels.missing_answers import MissingAnswers
    from stratawatch.engine.model.alarm_records import StreamState
    from stratawatch.engine.model.cycle_facts import Cycle, Revision
    from stratawatch.engine.model.pauses import Pauses
    from stratawatch.engine.ports.transaction import Transaction
    from stratawatch.wiring import Installation


def estimates(
    named: Annotated[str | None, typer.Argument(help="Only this panel.", metavar="[PANEL]")] = None,
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    panel: PanelOption = None,
    classifier: Annotated[
        str | None, typer.Option("--classifier", help="Only this classifier.", metavar="NAME")
    ] = None,
    metric: Annotated[str | None, typer.Option("--metric", help="Only this metric.", metavar="NAME")] = None,
    segments: Annotated[
        bool, typer.Option("--segments", help="Every segment too, not only those with limits.")
    ] = False,
    minus: Annotated[
        str | None, typer.Option("--minus", help="With --classifier: less that of this one.", metavar="NAME")
    ] = None,
    history: Annotated[bool, typer.Option("--history", help="All windows, not only the newest.")] = False,
    together: Annotated[
        int | None, typer.Option("--together", help="So many of the newest windows as one.", metavar="N", min=1)
    ] = None,
    change: Annotated[bool, typer.Option("--change", help="With --together: less as many windows before.")] = False,
    by_method: MethodOption = False,
    to: Annotated[
        Path | None, typer.Option("--to", help="Write .csv, .jsonl or .parquet instead of a table.", metavar="FILE")
    ] = None,
) -> None:
    """Estimates of every classifier: value, interval, state and labels used.

    \b
    Examples:
      stratawatch estimates toxicity
      stratawatch estimates --metric precision --history
      stratawatch estimates --classifier new --minus old       their difference
      stratawatch estimates --together 4            the last four windows as one
      stratawatch estimates --together 4 --change   less the four before
      stratawatch estimates --method                how each number was counted
      stratawatch estimates --json --segments > estimates.json
      stratawatch estimates --history --to estimates.parquet
    """
    from stratawatch.wiring import build

    _check_options(to, together, is_json=json, is_change=change, is_of_windows=history or minus is not None)
    installation = build(config, only_reading=True)
    panel = _one_panel(installation, named, panel)
    if together is not None:
        with installation.ports.store.begin() as tx:
            names = chosen_panels(panel, list(tx.panels.latest()))
            rows, left_out = together_rows(tx, names, together, is_change=change, with_segments=segments)
        rows = _chosen(rows, classifier, metric)
        if json:
            print_json({"together": rows})
        elif to is not None:
            _put(to, rows)
        else:
            show_together(rows, by_method=by_method)
        for name, trouble in left_out.items():
            print_error(f"stratawatch: {name}: {trouble}")
        return
    document, outlooks = _of_windows(installation, panel, classifier, minus, history=history)
    rows = _chosen(document["estimates"], f"{classifier} - {minus}" if minus else classifier, metric)
    rows = [row for row in rows if segments or row["segment"] is None or row["state"] is not None]
    if json:
        print_json({**document, "estimates": rows})
    elif to is not None:
        _put(to, rows)
    else:
        _show([{**row, "outlooks": outlooks.get(_key(row), [])} for row in rows], by_method=by_method)
        show_missing(document["missing_answers"], by_method=by_method)
        show_corrections(document["label_errors"])
        show_disagreements(document["disagreement"])
        for one in document["truth"]:
            print_line(truth_text(**one))


def _check_options(
    to: Path | None, together: int | None, *, is_json: bool, is_change: bool, is_of_windows: bool
) -> None:
    if to is not None:
        if is_json:
            raise StratawatchError("--json and --to do not go together", hint="--to FILE.jsonl writes JSON lines")
        check_ending(to)
    if is_change and together is None:
        raise StratawatchError(
            "--change needs --together", hint="--together 1 is the change from one window to the next"
        )
    if together is not None and is_of_windows:
        raise StratawatchError("--together is of the newest windows", expected="no --history and no --minus beside it")


def _of_windows(
    installation: "Installation", panel: str | None, classifier: str | None, minus: str | None, *, history: bool
) -> tuple[dict[str, Any], dict[tuple[int, StreamKey], list[dict[str, Any]]]]:
    """The document of `--json` with every row of the windows, and how streams stand at the ends of their limits."""
    with installation.ports.store.begin() as tx:
        panels = chosen_panels(panel, list(tx.panels.latest()))
        found = [
            one
            for name in panels
            for one in tx.estimates.history(name, newest=None if history else 1, replaced=history)
        ]
        if minus is not None:
            if classifier is None:
                raise StratawatchError(
                    "--minus needs --classifier", hint="say which classifier's metrics it is taken from"
                )
            found = [(cycle, _differences(tx, cycle, revision, classifier, minus)) for cycle, revision in found]
        shadows = installation.ports.paused.shadows
        missing = {} if minus else missing_of_cycles(tx, found, every=history)
        corrected = {} if minus else corrections_of_cycles(tx, found)
        rows = [
            {**row, "shadow": (row["panel"], row["classifier"]) in shadows}
            for cycle, revision in found
            for row in _cycle_rows(tx, cycle, revision, missing.get(cycle.id), corrected.get(cycle.id))
        ]
        outlooks = {} if history or minus else _outlooks(tx, panels, installation.ports.paused)
        return {
            "estimates": rows,
            "truth": [asdict(one) for one in tx.truth.counts() if one.panel in panels],
            "missing_answers": [missing_row(cycle, missing[cycle.id]) for cycle, _ in found if cycle.id in missing],
            "label_errors": [correction_row(cycle, corrected[cycle.id]) for cycle, _ in found if cycle.id in corrected],
            "disagreement": [] if minus else disagreements_of_panels(tx, panels),
        }, outlooks


def _put(to: Path, rows: list[dict[str, Any]]) -> None:
    write_estimates(to, rows)
    print_line(f"wrote {count_text(len(rows), 'estimate')} to {to}")


def _one_panel(installation: "Installation", named: str | None, option: str | None) -> str | None:
    """The panel that was named either way, if one was; it must have an opened window."""
    if None not in (named, option) and named != option:
        raise StratawatchError("two panels are named", expected="PANEL or --panel", got=f"{named} and {option}")
    panel = named or option
    with installation.ports.store.begin() as tx:
        stored = list(tx.panels.latest())
    return None if panel is None else stored_panel(panel, stored, installation.panels)


def _chosen(rows: list[dict[str, Any]], classifier: str | None, metric: str | None) -> list[dict[str, Any]]:
    """The rows of a classifier and a metric; of every one where none is named."""
    for kind, name in (("classifier", classifier), ("metric", metric)):
        if name is not None:
            existing_name(name, sorted({row[kind] for row in rows}), kind)
            rows = [row for row in rows if row[kind] == name]
    return rows


def _differences(tx: "Transaction", cycle: "Cycle", revision: "Revision", first: str, second: str) -> "Revision":
    """The revision with the metrics of one classifier less those of another, where its cycle has both."""
    from dataclasses import replace

    from stratawatch.engine.labels.labelled_cycle import load_labelled_cycle

    spec = tx.panels.get(cycle.panel_version)
    if not {first, second} <= {one.name for one in spec.classifiers}:
        return replace(revision, estimates=())
    labelled = load_labelled_cycle(tx, spec, cycle.id)
    metrics = dict.fromkeys(one.metric for one in revision.estimates if one.classifier == first)
    level = spec.confidence
    compare = labelled.design.compare
    found = [compare(labelled.ledger, labelled.drawn, first, second, metric, level) for metric in metrics]
    return replace(revision, estimates=tuple(found))


def _cycle_rows(
    tx: "Transaction",
    cycle: "Cycle",
    revision: "Revision",
    missing: "MissingAnswers | None",
    corrected: "CorrectedCycle | None",
) -> list[dict[str, Any]]:
    judged = {
        (state.key.classifier, state.key.metric, state.key.segment): state for state in tx.alarms.of_cycle(cycle.id)
    }
    rows = []
    without_errors = corrected.estimates if corrected else [None] * len(revision.estimates)
    for estimate, found in zip(revision.estimates, without_errors, strict=True):
        segment = str(estimate.segment) if estimate.segment else None
        state = judged.get((estimate.classifier, estimate.metric, segment))
        row = _row(cycle, revision, estimate, state)
        bounds = bounds_columns(missing.of(estimate) if missing else None)
        rows.append({**row, **bounds, **correction_columns(found)})
    return rows


def _key(row: dict[str, Any]) -> tuple[int, StreamKey]:
    return row["cycle"], StreamKey(row["panel"], row["classifier"], row["metric"], row["segment"])


def _outlooks(
    tx: "Transaction", panels: list[str], paused: "Pauses"
) -> dict[tuple[int, StreamKey], list[dict[str, Any]]]:
    """How the streams of the newest judged windows stand at the ends of their limits, as `status` shows it."""
    from stratawatch.engine.evidence.limit_outlooks import kept_outlooks

    specs, found = tx.panels.latest(), defaultdict(list)
    for one in outlooks_with_pauses((one for name in panels for one in kept_outlooks(tx, specs[name])), paused):
        found[one.cycle, one.key].append(outlook_document(one))
    return found


def _row(cycle: "Cycle", revision: "Revision", estimate: "Estimate", state: "StreamState | None") -> dict[str, Any]:
    from stratawatch.core.estimate import Undefined

    result = estimate.result
    return {
        "panel": cycle.panel,
        "cycle": cycle.id,
        "period": None if cycle.is_replaced else cycle.period,
        "window_start": cycle.window.start,
        "window_end": cycle.window.end,
        "revision": revision.number,
        "replaced": cycle.is_replaced,
        "estimated_at": revision.at,
        "classifier": estimate.classifier,
        "metric": estimate.metric,
        "segment": str(estimate.segment) if estimate.segment else None,
        **{name: getattr(result, name, None) for name in ("value", "low", "high", "half_width", "n_eff")},
        "undefined": result.reason if isinstance(result, Undefined) else None,
        "confidence": estimate.confidence,
        "labels_used": estimate.labels_used,
        "deff": estimate.deff,
        "method": estimate.method,
        "state": state.state.value if state else None,
        "reason": state.reason if state else None,
    }


def _show(rows: list[dict[str, Any]], *, by_method: bool) -> None:
    if not rows:
        print_line("Nothing is estimated yet. `stratawatch status` says what the cycles wait for.")
    cycles = list(dict.fromkeys(row["cycle"] for row in rows))
    for number in cycles:
        mine = [row for row in rows if row["cycle"] == number]
        first = mine[0]
        print_line(
            f"{first['panel']}, window {window_text(first)}: cycle {number}, revision {first['revision']}, "
            f"estimated {time_text(first['estimated_at'])}{', replaced' if first['replaced'] else ''}"
        )
        bounded = any(row["missing"] is not None for row in mine)
        corrected = any(correction_text(row) for row in mine)
        cells = [_cells(row, bounded=bounded, corrected=corrected, by_method=by_method) for row in mine]
        show_rows(cells, how_to_read=_how_to_read(mine), numbers=("labels", "n_eff", "deff"))
        if number == max(row["cycle"] for row in rows if row["panel"] == first["panel"]):
            show_reasons([row for row in mine if row["state"] not in (None, "OK")])
        if number != cycles[-1]:
            print_line()
    if rows:
        _show_notes(rows, by_method=by_method)


def _how_to_read(rows: list[dict[str, Any]]) -> str:
    """One of the rows in a sentence."""
    row = next((row for row in rows if row["value"] is not None), rows[0])
    if row["value"] is None:
        return f"the {stream_in_words(row)} cannot be told; why stands beside it"
    named = row["value"], row["low"], row["high"], row["confidence"], row["labels_used"]
    return estimate_in_words(stream_in_words(row), *named)


def _show_notes(rows: list[dict[str, Any]], *, by_method: bool) -> None:
    """Print below the rows the notes that hold for many of them, each once."""
    print_line()
    levels = " and ".join(confidence_text(level) for level in sorted({row["confidence"] for row in rows}))
    print_line(
        f"Intervals at {levels}; --method says how the numbers are made" if not by_method else f"Intervals at {levels}"
    )
    for state in sorted({row["state"] for row in rows if row["state"]}, key=URGENCY.index):
        print_line(f"{state_text(state)}: {MEANINGS[state]}")
    clustered = any(row["deff"] is not None for row in rows)
    if clustered and not by_method:
        print_line("Labels come in clusters, and intervals are as wide as that makes them")
    if by_method:
        show_method(rows)


def _cells(row: dict[str, Any], *, bounded: bool, corrected: bool, by_method: bool) -> dict[str, str]:
    right = {"without label errors": correction_text(row)} if corrected else {}
    worst = {"if missing answers were worst": bounds_text(row)} if bounded else {}
    how = {
        "n_eff": "" if row["n_eff"] is None else count(row["n_eff"]),
        "deff": "" if row["deff"] is None else f"{row['deff']:.2f}",
    }
    return {
        "metric": stream_text(row),
        "value": value_text(row) if row["undefined"] is None else f"undefined: {row['undefined']}",
        "state": state_text(row["state"], is_shadow=row["shadow"]),
        "labels": f"{row['labels_used']:,}",
        **(how if by_method else {}),
        **right,
        **worst,
    }
