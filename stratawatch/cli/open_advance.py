"""stratawatch open and advance: one run of the engine without an orchestrator, for cron or by hand."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from shlex import quote
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from stratawatch.cli.asked_questions import asked_questions, asked_text
from stratawatch.cli.options import (
    DEFAULT_CONFIG,
    ByOption,
    ConfigOption,
    JsonOption,
    NowOption,
    existing_name,
    moment,
)
from stratawatch.cli.output import SET_ASIDE, WAITING, print_error, print_json, print_line, waiting_text, window_text
from stratawatch.cli.outstanding_answers import outstanding_answers
from stratawatch.cli.progress_bar import shown_progress
from stratawatch.cli.refused_windows import refused_rows, show_refused
from stratawatch.cli.unread_files import unread_files, unread_text
from stratawatch.engine.model.states import CycleState, Entity
from stratawatch.errors import StratawatchError
from stratawatch.formatting import count_text

_STEPS: Final[Mapping[str, Callable[[int], str]]] = {
    "settle": lambda number: f"labels of {count_text(number, 'window')}",
    "freeze": lambda number: f"{count_text(number, 'window')} to read",
    "plan": lambda number: f"{count_text(number, 'window')} to plan",
    "dispatch": lambda number: f"{count_text(number, 'batch', 'batches')} to send",
    "judge": lambda number: f"{count_text(number, 'window')} to judge",
}
"""What an advance looked at in each of its steps."""

if TYPE_CHECKING:
    from stratawatch.engine.cycle.unopened_windows import UnopenedWindows
    from stratawatch.engine.model.cycle_facts import Cycle
    from stratawatch.wiring import Installation


def open_cycles(
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    now: NowOption = None,
    trust_clock: Annotated[
        bool, typer.Option("--trust-clock", help="Go on although the machine's clock was doubted.")
    ] = False,
    every: Annotated[
        bool, typer.Option("--all", help="Open all windows that are over, also of a panel that begins.")
    ] = False,
    newest: Annotated[
        int | None, typer.Option("--newest", min=1, help="Begin a panel with its newest windows only.", metavar="N")
    ] = None,
    by: ByOption = None,
) -> None:
    """Open a cycle for every window that is over, oldest first, the past included.

    Where a panel has no cycle yet and several windows are over, say --all or --newest, as each asks people for labels.
    Doing it twice changes nothing. A machine's clock that stands before the store's newest commit, or more than a
    window beyond the newest row, opens nothing.

    \b
    Examples:
      stratawatch open
      stratawatch open --now 2026-03-02T06:00:00+00:00
      stratawatch open --newest 1        a new panel begins with its last window
    """
    from stratawatch.engine.cycle.clock_check import require_sound_clock
    from stratawatch.engine.cycle.open_cycles import open_cycles as open_due
    from stratawatch.engine.cycle.past_windows import past_windows
    from stratawatch.wiring import build

    if every and newest is not None:
        raise StratawatchError("--all and --newest do not go together")
    installation = build(config, moment(now), by=by)
    undecided = () if every or newest else past_windows(installation.ports, installation.panels)
    if undecided and not trust_clock:  # a clock that cannot be right counts windows wrongly
        require_sound_clock(installation.ports, installation.panels)
    others = {name: spec for name, spec in installation.panels.items() if name not in {p.panel for p in undecided}}
    opened = open_due(installation.ports, others, trusted=trust_clock, most=newest)
    with installation.ports.store.begin() as tx:
        cycles = [tx.cycles.get(number) for number in opened]
    rows = [{"id": c.id, "panel": c.panel, "window_start": c.window.start, "window_end": c.window.end} for c in cycles]
    faults = _faults(installation, cycles)
    if json:
        print_json({"opened": rows, "undecided": [asdict(one) for one in undecided], "faults": faults})
    else:
        if not rows and not undecided:
            print_line("No window is over that has no cycle yet.")
        for row in rows:
            print_line(f"opened cycle {row['id']}: {row['panel']}, {window_text(row)}")
        for found in faults:
            print_line(f"! {found['sentence']}")
            print_line(
                f"  mend the input before the next advance (`stratawatch check`), or after it: {found['command']}"
            )
    if undecided:
        raise StratawatchError(
            "; ".join(one.sentence for one in undecided),
            hint="say --all, or --newest N for the newest of them; `stratawatch backfill` opens others later",
        )


def _faults(installation: "Installation", cycles: "Sequence[Cycle]") -> list[dict[str, Any]]:
    """What a cheap look finds that the cycles just opened will be refused for; `check` and `advance` look at all."""
    from stratawatch.engine.input.first_faults import LONGEST_LOOKS, first_faults
    from stratawatch.engine.model.cycle_commands import cycle_command

    found, until = [], monotonic() + LONGEST_LOOKS
    for cycle in cycles:
        spec = installation.panels[cycle.panel]
        several = first_faults(installation.ports, spec, cycle.window, until - monotonic())
        if several:
            sentence = f"the window of cycle {cycle.id} will be refused: {'; '.join(several)}"
            row = {"cycle": cycle.id, "panel": cycle.panel, "faults": [*several], "sentence": sentence}
            found.append({**row, "command": cycle_command("reopen", cycle.id)})
    return found


def advance(
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    now: NowOption = None,
    panel: Annotated[
        list[str] | None, typer.Option("--panel", "-p", help="Only this panel; may be repeated.", metavar="NAME")
    ] = None,
) -> None:
    """Take every step that is due, once: read labels, freeze, plan, dispatch, settle, judge, notify.

    It does not wait for labels. Several at the same time share the panels out. Run it every few minutes.
    Exit status 1 when a window was refused, 2 when a step could not be done.

    \b
    Examples:
      */5 * * * *  cd /srv/watch && stratawatch advance       (crontab)
      stratawatch advance --panel spam --panel scam
    """
    from stratawatch.engine.cycle.advance import advance as advance_once
    from stratawatch.engine.cycle.unopened_windows import unopened_windows
    from stratawatch.wiring import build

    installation = build(config, moment(now))
    store = installation.ports.store
    with store.begin() as tx:
        before = tx.cycles.newest_transition()
        names = {*installation.panels, *tx.panels.latest()} if panel else set()
    chosen = [existing_name(name, sorted(names), "panel") for name in panel] if panel else None
    with shown_progress():
        done = advance_once(installation.ports, panels=chosen)
    with store.begin() as tx:
        waiting, moves = tx.labels.waiting(), tx.cycles.transitions(Entity.CYCLE, after=before)
        asked = asked_questions(tx, installation.ports.queue.where, before, done.batches)
        panels = {name: spec for name, spec in installation.panels.items() if not chosen or name in chosen}
        refused = refused_rows(tx, [name for name in panels if name not in installation.ports.paused.panels])
    unopened = unopened_windows(installation.ports, panels)
    moved = [
        {"cycle": move.entity_id, "from": move.old, "to": move.new, "why": move.why}
        for move in moves
        if move.entity_id in done.cycles
    ]
    labels = asdict(done.collected)
    labels["known"] = labels.pop("repeated")  # as readers of the JSON call it
    labels |= {"waiting": waiting.events, "waiting_items": waiting.items, "waiting_since": waiting.since}
    _print(
        {
            "skipped": [*done.skipped],
            "labels": labels,
            "steps": dict(done.steps),
            "sent": done.sent,
            "asked": asked,
            "waits": outstanding_answers(config, installation.ports.clock.now(), panels),
            "moved": moved,
            "refused": refused,
            "unopened": [_unopened(one, now) for one in unopened],
            "unread_files": [*unread_files(installation.ports.queue)],
            "troubles": [*done.troubles],
        },
        json,
    )
    if done.troubles:
        raise typer.Exit(2)
    if any(move["to"] == CycleState.REFUSED for move in moved):
        raise typer.Exit(1)


def _unopened(one: "UnopenedWindows", now: str | None) -> dict[str, Any]:
    """A row with what opens them, at the moment that this advance was told it is.

    A new panel with several is not begun before somebody says with how many; the newest asks for the fewest labels.
    """
    command = f"stratawatch open --now {quote(now)}" if now else "stratawatch open"
    command += " --newest 1" if one.is_new and one.windows > 1 else ""
    return {"panel": one.panel, "windows": one.windows, "sentence": one.sentence, "command": command}


def _print(document: dict[str, Any], json: bool) -> None:
    if json:
        print_json(document)
    else:
        for sentence in document["skipped"]:
            print_line(sentence)
        _print_labels(document["labels"])
        print_line(_steps_text(document["steps"]))
        for move in document["moved"]:
            print_line(f"cycle {move['cycle']}: {move['from']} -> {move['to']}: {move['why']}")
        for row in document["asked"]:
            print_line(asked_text(row))
        for row in document["waits"]:
            if row["panel"] not in [one["panel"] for one in document["asked"]]:
                print_line(row["sentence"])
        show_refused(document["refused"], told=[move["cycle"] for move in document["moved"]])
        for row in document["unopened"]:
            print_line(f"{row['sentence']}: `{row['command']}`")
        if document["unread_files"]:
            print_line(f"! {unread_text(document['unread_files'])}")
        print_line(f"sent: {count_text(document['sent'], 'notification')}")
    for trouble in document["troubles"]:
        print_error(f"stratawatch: {trouble}")


def _steps_text(steps: Mapping[str, int]) -> str:
    """What was due, by how many.

    >>> _steps_text({"settle": 0, "freeze": 1, "dispatch": 2})
    'looked at: 1 window to read, 2 batches to send'
    >>> _steps_text({"settle": 0})
    'nothing was due'
    """
    due = [_STEPS[step](number) for step, number in steps.items() if number]
    return f"looked at: {', '.join(due)}" if due else "nothing was due"


def _print_labels(labels: dict[str, Any]) -> None:
    """What came, and where to look for what did not count."""
    new = f"{labels['new']:,} new" + (f", {labels['known']:,} known already" if labels["known"] else "")
    print_line(f"labels: {new}, {labels['unknown']:,} for unknown items, {labels['rejected']:,} rejected")
    if labels["misdated"]:
        print_line(f"{count_text(labels['misdated'], 'label')} set aside: dated before the draw or in the future")
    if labels["rejected"] or labels["misdated"]:
        print_line(f"  the first that did not count: {labels['reason']} ({labels['origin']})")
        print_line(f"  {SET_ASIDE} lists what was rejected or set aside")
    if labels["waiting"]:
        print_line(waiting_text(labels["waiting"], labels["waiting_items"], labels["waiting_since"]))
        print_line(f"  {WAITING} lists them")
