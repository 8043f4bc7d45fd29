"""stratawatch baseline: measure what metrics are, list what was measured."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stratawatch.cli.options import DEFAULT_CONFIG, ByOption, ConfigOption, JsonOption, NowOption, existing_name, moment
from stratawatch.cli.output import print_json, print_line, stream_in_words, stream_text, time_text, value_text
from stratawatch.cli.table_output import show_rows
from stratawatch.formatting import count_text

if TYPE_CHECKING:
    from stratawatch.engine.baselines.baselines_from_labels import BaselineItemReader
    from stratawatch.engine.model.stored_baseline import StoredBaseline
    from stratawatch.wiring import Installation

app = typer.Typer(
    help="""Baselines: what metrics were, so that limits with `max_drop` can tell how far they fell.

\b
Examples:
  stratawatch baseline measure toxicity
  stratawatch baseline measure toxicity --file labels/july.csv
  stratawatch baseline list toxicity
""",
    no_args_is_help=True,
    rich_markup_mode=None,
)

FileOption = Annotated[
    Path | None,
    typer.Option("--file", help="Labelled predictions, .parquet or .csv, instead of past windows.", metavar="FILE"),
]
OfOption = Annotated[list[str] | None, typer.Option("--of", help="Only this classifier.", metavar="NAME")]


@app.command("measure", short_help="Measure a panel's metrics.")
def measure(
    panel: Annotated[str, typer.Argument(help="The panel.", metavar="PANEL")],
    file: FileOption = None,
    label: Annotated[
        str | None, typer.Option("--label", help="The file's column of labels; 'label' without.", metavar="COLUMN")
    ] = None,
    of: OfOption = None,
    windows: Annotated[
        int | None, typer.Option("--windows", help="How many of the newest judged windows (8).", metavar="N")
    ] = None,
    called: Annotated[
        float | None,
        typer.Option("--called", help="Items called yes, where labels were drawn from them separately.", metavar="N"),
    ] = None,
    passed: Annotated[
        float | None,
        typer.Option(
            "--passed", help="Items not called yes, where labels were drawn from them separately.", metavar="N"
        ),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option("--from", help="For windows from then on; else the first not judged yet.", metavar="TIME"),
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", help="For windows before; else until further notice.", metavar="TIME")
    ] = None,
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    now: NowOption = None,
    by: ByOption = None,
) -> None:
    """Measure what a panel's metrics are and keep that, with its interval, for windows to come.

    Without --file from the estimates of judged windows. With it from labelled items, drawn at random from
    what the classifiers met: columns as the panel names them, and the label (yes or no). Where labels were drawn
    separately from the items that one classifier called yes and from the others, --called and --passed say how many
    items these were. Measuring the same again changes nothing.

    \b
    Examples:
      stratawatch baseline measure toxicity --windows 12
      stratawatch baseline measure toxicity --file labels/july.csv --of lr
      stratawatch baseline measure toxicity --file apart.csv --of lr \\
        --called 1200 --passed 98000
    """
    from stratawatch.engine.baselines.baselines_from_labels import side_sizes
    from stratawatch.engine.baselines.current_baselines import current_baselines
    from stratawatch.engine.baselines.measure_baseline import BaselineRequest, measure_baseline
    from stratawatch.wiring import build

    installation = build(config, moment(now), only_reading=True, by=by)
    spec = installation.panels[existing_name(panel, list(installation.panels), "panel")]
    request = BaselineRequest(
        of=tuple(of or ()),
        windows=windows,
        sides=side_sizes(called, passed),
        valid_from=moment(since, "--from"),
        valid_until=moment(until, "--until"),
    )
    found = measure_baseline(installation.ports, spec, request, _labels(installation, panel, file, label))
    with installation.ports.store.begin() as tx:
        rows = [
            {
                **_row(one),
                "new": new,
                "in_force": one.same_evidence(current_baselines(tx, spec, one.valid_from)[one.key]),
            }
            for some, new in ((found.new, True), (found.unchanged, False))
            for one in some
        ]
    undefined = [
        {"classifier": key.classifier, "metric": key.metric, "segment": key.segment, "why": why}
        for key, why in found.undefined.items()
    ]
    if json:
        print_json(
            {"panel": panel, "baselines": rows, "undefined": undefined, "untold": undefined, "notes": found.notes}
        )
    else:
        _show_measured(rows, undefined)
        for note in found.notes:
            print_line(f"Note: {note}")


@app.command("list", short_help="What was measured, and what is in force.")
def list_(
    panel: Annotated[str, typer.Argument(help="The panel.", metavar="PANEL")],
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    now: NowOption = None,
) -> None:
    """Every baseline of a panel, in the order in which they were measured.

    In force is, of those whose dates hold the moment, the newest measured one of a classifier that says yes by the same
    rule as today.

    \b
    Examples:
      stratawatch baseline list toxicity
      stratawatch baseline list toxicity --json
    """
    from stratawatch.engine.baselines.current_baselines import current_baselines
    from stratawatch.wiring import build

    installation = build(config, moment(now), only_reading=True)
    spec = installation.panels[existing_name(panel, list(installation.panels), "panel")]
    with installation.ports.store.begin() as tx:
        at = installation.ports.clock.now()
        used = set(current_baselines(tx, spec, at, measured_by=at).values())
        rows = [{**_row(one), "in_force": one in used} for one in tx.baselines.of(panel)]
    if json:
        print_json({"panel": panel, "baselines": rows})
    elif rows:
        show_rows([_cells(row) for row in rows], how_to_read=_how_to_read(rows[0]), numbers=("rests on",))
    else:
        print_line(f"There is no baseline of {panel} yet. `stratawatch baseline measure {panel}` measures one.")


def _labels(
    installation: "Installation", panel: str, file: Path | None, label: str | None
) -> "BaselineItemReader | None":
    """The labelled predictions of a file, named from the current folder; it must lie in the configuration's folder."""
    from stratawatch.wiring import labelled_predictions

    return labelled_predictions(installation.configuration, panel, str(file.resolve()) if file else None, label)


def _row(one: "StoredBaseline") -> dict[str, Any]:
    interval = one.estimate
    return {
        "classifier": one.key.classifier,
        "call": one.call,
        "cut_off": one.cut_off,
        "metric": one.key.metric,
        "segment": one.key.segment,
        "value": interval.value,
        "low": interval.low,
        "high": interval.high,
        "confidence": one.confidence,
        "n": one.n,
        "counted": f"{one.counted}s",
        "n_eff": interval.n_eff,
        "method": one.method,
        "seed": one.seed,
        "source": one.source,
        "valid_from": one.valid_from,
        "valid_until": one.valid_until,
        "measured_at": one.measured_at,
    }


def _show_measured(rows: Sequence[dict[str, Any]], undefined: Sequence[dict[str, Any]]) -> None:
    new = [row for row in rows if row["new"]]
    print_line(
        f"{count_text(len(new), 'new baseline')}, {len(rows) - len(new)} measured before; from {rows[0]['source']}"
    )
    for dates in dict.fromkeys(_dates(row) for row in rows if row["in_force"]):
        print_line(f"In force for windows {dates}")
    older = [stream_text(row) for row in rows if not row["in_force"]]
    if older:
        print_line(f"Not in force, as what was measured later is: {', '.join(older)}")
    print_line()
    show_rows([_measured_cells(row) for row in rows], how_to_read=_how_to_read(rows[0]), numbers=("rests on",))
    for row in undefined:
        print_line(f"None of {stream_text(row)}: {row['why']}")


def _how_to_read(row: dict[str, Any]) -> str:
    """A baseline in a sentence."""
    rests_on = count_text(row["n"], row["counted"].removesuffix("s"))
    was = f"the {stream_in_words(row)} was {value_text(row)}, from {rests_on}"
    return f"{was}; drops are measured from there"


def _dates(row: dict[str, Any]) -> str:
    until = f"until {time_text(row['valid_until'])}" if row["valid_until"] else "until further notice"
    return f"from {time_text(row['valid_from'])} {until}"


def _measured_cells(row: dict[str, Any]) -> dict[str, str]:
    return {
        "metric": stream_text(row),
        "baseline": value_text(row),
        "rests on": count_text(row["n"], row["counted"].removesuffix("s")),
        "remark": "" if row["new"] else f"of {row['measured_at']:%Y-%m-%d}",
    }


def _cells(row: dict[str, Any]) -> dict[str, str]:
    return {
        "metric": stream_text(row),
        "baseline": value_text(row),
        "rests on": count_text(row["n"], row["counted"].removesuffix("s")),
        "from": time_text(row["valid_from"])[:10],
        "until": time_text(row["valid_until"])[:10],
        "in use": "yes" if row["in_force"] else "",
    }
