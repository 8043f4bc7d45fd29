"""stratawatch cycles: list, show, cancel and reopen cycles, and send their batches again."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stratawatch.cli.bad_rows import bad_row_facts, fault_rows, print_bad_row, print_faults
from stratawatch.cli.options import (
    DEFAULT_CONFIG,
    ByOption,
    ConfigOption,
    JsonOption,
    NowOption,
    PanelOption,
    WhyOption,
    existing_name,
    moment,
)
from stratawatch.cli.output import print_json, print_line, time_text, window_text
from stratawatch.cli.table_output import show_rows
from stratawatch.engine.model.cycle_commands import cycle_command
from stratawatch.errors import StratawatchError
from stratawatch.formatting import count_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from stratawatch.engine.model.cycle_facts import Cycle, Transition
    from stratawatch.engine.model.quarantined_row import QuarantinedRow
    from stratawatch.engine.ports.transaction import Transaction

app = typer.Typer(
    help="""Cycles: the work on one window of one panel.

\b
Examples:
  stratawatch cycles                       the newest 20
  stratawatch cycles --state refused
  stratawatch cycles show 12               with every move it made
  stratawatch cycles cancel 12 --why "wrong export"
  stratawatch cycles reopen 12 --why "export mended"
  stratawatch cycles rerun 12 --why "scores corrected"
""",
    invoke_without_command=True,
    rich_markup_mode=None,
)

CycleArgument = Annotated[int, typer.Argument(help="The cycle's number.", metavar="ID")]


@app.callback()
def list_cycles(
    ctx: typer.Context,
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    panel: PanelOption = None,
    state: Annotated[str | None, typer.Option("--state", help="Only cycles in this state.", metavar="STATE")] = None,
    newest: Annotated[int, typer.Option("--newest", min=1, help="How many.", metavar="N")] = 20,
) -> None:
    """List cycles, oldest window first."""
    if ctx.invoked_subcommand is not None:
        _options_follow(ctx)
        return
    from stratawatch.engine.model.states import CycleState
    from stratawatch.wiring import build

    installation = build(config, only_reading=True)
    states = [CycleState(existing_name(state, [s.value for s in CycleState], "state"))] if state else None
    with installation.ports.store.begin() as tx:
        if panel:
            existing_name(panel, list(tx.panels.latest()), "panel")
        found = [_facts(cycle) for cycle in tx.cycles.find(panel=panel, states=states, newest=newest)]
    if json:
        print_json({"cycles": found})
    elif found:
        first = found[0]
        told = f"cycle {first['id']} is the work on the window {window_text(first)} of {first['panel']}"
        how_to_read = f"{told}, and its state is '{first['state']}'"
        show_rows([_cells(row) for row in found], how_to_read=how_to_read, numbers=("id",))
    else:
        print_line(
            "There is no such cycle yet. `stratawatch open` opens one for every window that is over; "
            "a new panel with several needs --all or --newest N."
        )


def _options_follow(ctx: typer.Context) -> None:
    """Refuse options before the subcommand: they would be ignored, and another configuration might be changed."""
    given = [name for name in ctx.params if getattr(ctx.get_parameter_source(name), "name", "") == "COMMANDLINE"]
    if given:
        raise StratawatchError(
            f"--{given[0]} stands before '{ctx.invoked_subcommand}'",
            hint=f"write it after: stratawatch cycles {ctx.invoked_subcommand} ... --{given[0]} ...",
        )


@app.command("show", short_help="Show one cycle.")
def show(cycle: CycleArgument, config: ConfigOption = DEFAULT_CONFIG, json: JsonOption = False) -> None:
    """Show one cycle: its rounds and batches, rows set aside, every move it made."""
    from stratawatch.wiring import build

    installation = build(config, only_reading=True)
    with installation.ports.store.begin() as tx:
        document = _document(tx, tx.cycles.get(cycle))
    if json:
        print_json(document)
    else:
        _show(document)


@app.command("cancel", short_help="Cancel a cycle.")
def cancel(
    cycle: CycleArgument,
    why: WhyOption,
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    by: ByOption = None,
) -> None:
    """Cancel a cycle; its batches are withdrawn. Labels that came stay in the ledger.

    A window whose rerun is cancelled has no estimates that hold until it is run again.
    """
    from stratawatch.engine.cycle.operator_actions import cancel_cycle
    from stratawatch.wiring import build

    ports = build(config, by=by).ports
    cancel_cycle(ports, cycle, why)
    _done(json, cycle, "cancelled")
    with ports.store.begin() as tx:
        runs = [run.id for run in tx.cycles.earlier_runs(tx.cycles.get(cycle)) if run.state == "judged"]
    if runs and not json:
        print_line(f"its window, judged before as cycle {runs[-1]}, has no estimates that hold now:")
        print_line(f"`{cycle_command('rerun', cycle)}` reads it again")


@app.command("reopen", short_help="Open a refused window again.")
def reopen(
    cycle: CycleArgument,
    why: WhyOption,
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    now: NowOption = None,
    by: ByOption = None,
) -> None:
    """Open a refused window again, after its input or the configuration was mended.

    Nothing was drawn from it, so it is read under the present configuration.
    """
    from stratawatch.engine.cycle.operator_actions import reopen_cycle
    from stratawatch.wiring import build

    installation = build(config, moment(now), by=by)
    with installation.ports.store.begin() as tx:
        panel = tx.cycles.get(cycle).panel
    reopen_cycle(installation.ports, cycle, why, installation.panels.get(panel))
    _done(json, cycle, "open")


@app.command("rerun", short_help="Read a corrected window again.")
def rerun(
    cycle: CycleArgument,
    why: WhyOption,
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    now: NowOption = None,
    by: ByOption = None,
) -> None:
    """Read a judged window again whose predictions were corrected at the source. Its labels are used again.

    The former estimates stay: `stratawatch estimates --history`, and the report says before and after.
    """
    from stratawatch.engine.cycle.operator_actions import rerun_cycle
    from stratawatch.wiring import build

    installation = build(config, moment(now), by=by)
    with installation.ports.store.begin() as tx:
        panel = tx.cycles.get(cycle).panel
    spec = installation.panels[existing_name(panel, list(installation.panels), "panel")]
    new = rerun_cycle(installation.ports, cycle, why, spec)
    if json:
        print_json({"cycle": new, "replaces": cycle})
    else:
        print_line(f"cycle {new} replaces cycle {cycle} and is read at the next advance")


@app.command("resend", short_help="Send failed batches again.")
def resend(
    cycle: CycleArgument,
    why: WhyOption,
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    by: ByOption = None,
) -> None:
    """Send batches again that could not be sent."""
    from stratawatch.engine.cycle.operator_actions import resend_batches
    from stratawatch.wiring import build

    ports = build(config, by=by).ports
    with ports.store.begin() as tx:
        tx.cycles.get(cycle)
    number = resend_batches(ports, cycle, why)
    if json:
        print_json({"cycle": cycle, "batches": number})
    else:
        print_line(f"{count_text(number, 'batch', 'batches')} of cycle {cycle} will be sent at the next advance")


def _done(json: bool, cycle: int, state: str) -> None:
    if json:
        print_json({"cycle": cycle, "state": state})
    else:
        print_line(f"cycle {cycle} is {state}")


def _facts(cycle: "Cycle") -> dict[str, Any]:
    return {
        "id": cycle.id,
        "panel": cycle.panel,
        "period": None if cycle.is_replaced else cycle.period,
        "window_start": cycle.window.start,
        "window_end": cycle.window.end,
        "state": cycle.state.value,
        "opened_at": cycle.opened_at,
        "deadline_at": cycle.deadline_at,
        "failures": cycle.failures,
        "last_error": cycle.last_error,
        "reason": cycle.reason,
        "docs": cycle.docs,
    }


def _document(tx: "Transaction", cycle: "Cycle") -> dict[str, Any]:
    from stratawatch.engine.model.states import Entity

    rounds = tx.rounds.of(cycle.id)
    batches = tx.rounds.batches(cycle_id=cycle.id)
    moves = [*tx.cycles.transitions(Entity.CYCLE, cycle.id)]
    for entity, owned in ((Entity.ROUND, rounds), (Entity.BATCH, batches)):
        moves += [move for one in owned for move in tx.cycles.transitions(entity, one.id)]
    revision, aside = tx.estimates.latest(cycle.id), tx.cycles.quarantined(cycle.id)
    return {
        **_facts(cycle),
        "replaces": [one.id for one in tx.cycles.earlier_runs(cycle)],
        "profile": {} if cycle.profile is None else asdict(cycle.profile),
        "warnings": [] if cycle.profile is None else list(cycle.profile.warnings),
        "source_version": dict(cycle.source_version),
        "rounds": [
            {
                "id": one.id,
                "ordinal": one.ordinal,
                "state": one.state.value,
                "planned_at": one.planned_at,
                "labels": one.plan.labels,
                "drawn": len(tx.rounds.draws(cycle.id, one.id)),
            }
            for one in rounds
        ],
        "batches": [
            {"id": b.id, "key": b.key, "state": b.state.value, "attempts": b.attempts, "items": len(b.tasks)}
            for b in batches
        ],
        "revision": revision.number if revision else None,
        "faults": _faults(tx, cycle, aside),
        "set_aside": [{"kind": row.kind, "key": row.key, **bad_row_facts(row)} for row in aside],
        "moves": _moves(moves),
    }


def _faults(tx: "Transaction", cycle: "Cycle", aside: "Sequence[QuarantinedRow]") -> list[dict[str, Any]]:
    """The bad rows by reason; empty for a window that was not counted, as older programs did not count refused ones."""
    if cycle.profile is None:
        return []
    return fault_rows(tx.panels.get(cycle.panel_version), cycle.profile, aside)


def _moves(moves: "Iterable[Transition]") -> list[dict[str, Any]]:
    return [
        {"at": m.at, "entity": m.entity, "id": m.entity_id, "old": m.old, "new": m.new, "why": m.why}
        for m in sorted(moves, key=lambda move: move.at)
    ]


def _cells(row: dict[str, Any]) -> dict[str, str]:
    return {
        "id": str(row["id"]),
        "panel": row["panel"],
        "window": window_text(row),
        "state": row["state"],
        "deadline": time_text(row["deadline_at"]) if row["state"] in ("frozen", "labelling") else "",
    }


def _show(document: dict[str, Any]) -> None:
    print_line(f"Cycle {document['id']} of {document['panel']}, window {window_text(document)}: {document['state']}")
    for text in (document["reason"], document["last_error"]):
        if text:
            print_line(text, indent="  ")
    if document["replaces"]:
        print_line(f"replaces {', '.join(f'cycle {number}' for number in document['replaces'])}", indent="  ")
    if document["docs"]:
        print_line(f"input check: {document['docs']} (in the report folder)", indent="  ")
    for warning in document["warnings"]:
        print_line(f"! {warning}", indent="  ")
    for name in ("rounds", "batches"):
        _show_part(name, document[name])
    _show_set_aside(document)
    _show_part("moves", document["moves"])


def _show_set_aside(document: dict[str, Any]) -> None:
    if document["faults"]:
        print_line()
        print_faults(document["profile"]["bad_rows"], document["profile"]["rows"], document["faults"])
    if document["set_aside"]:
        print_line()
        print_line("Rows set aside, some of them")
        for row in document["set_aside"]:
            print_bad_row(row)


def _show_part(name: str, rows: list[dict[str, Any]]) -> None:
    if not rows:
        return
    print_line()
    print_line({"rounds": "Rounds", "batches": "Batches", "moves": "Moves"}[name])
    if name == "moves":
        for row in rows:
            print_line(
                f"{time_text(row['at'])}  {row['entity']} {row['id']}: {row['old']} -> {row['new']}", indent="  "
            )
            if row["why"]:
                print_line(row["why"], indent="    ")
        return
    shown = [
        {key: time_text(value) if key == "planned_at" else str(value) for key, value in row.items()} for row in rows
    ]
    first = rows[0]
    told = {
        "rounds": "round {ordinal} of this cycle counts on {labels} labels, and drew {drawn} items",
        "batches": "batch {id} holds {items} items; to send it took {attempts} attempts, and it is '{state}'",
    }
    numbers = ("id", "labels", "drawn", "attempts", "items")
    show_rows(shown, how_to_read=told[name].format(**first), numbers=numbers)
