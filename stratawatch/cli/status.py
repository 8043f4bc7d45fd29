"""stratawatch status: states, open cycles, incidents and unanswered batches, within half a second."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from stratawatch.cli.options import DEFAULT_CONFIG, ConfigOption, JsonOption, NowOption, moment
from stratawatch.cli.output import (
    SET_ASIDE,
    WAITING,
    print_json,
    print_line,
    time_text,
    waiting_text,
    window_text,
)
from stratawatch.cli.refused_windows import show_refused
from stratawatch.cli.status_batches import unplanned_text
from stratawatch.cli.status_document import age, shared_budget, status_document, status_rows
from stratawatch.cli.status_judgements import show_judgements, show_truth
from stratawatch.cli.status_silences import show_incidents
from stratawatch.cli.status_streams import show_panel
from stratawatch.engine.model.cycle_commands import cycle_command, retire_advice
from stratawatch.formatting import count_text

READ_LATELY = 7 * 24 * 3600
"""Seconds for which the end of an advance says that a configuration can be read that nobody has changed since."""


def status(config: ConfigOption = DEFAULT_CONFIG, json: JsonOption = False, now: NowOption = None) -> None:
    """Where everything stands: states, open cycles, open incidents, unanswered batches.

    \b
    Examples:
      stratawatch status
      stratawatch status --json | jq '.incidents | length'
      stratawatch status --now 2026-03-16T08:00:00Z    in a trial on old files
    """
    from stratawatch.config.store_address import read_panel_names, read_pauses, shares_budget

    rows = status_rows(config)
    document = status_document(rows, read_panel_names(config), moment(now) or datetime.now(UTC), read_pauses(config))
    if shares_budget(config):
        document["shared_budget"] = shared_budget(rows)
    document["configuration_problems"] = _configuration_problems(config, document["last_advance"])
    if json:
        print_json(document)
    else:
        _show(document, is_simulated=now is not None)


def _configuration_problems(config: Path, last: Mapping[str, Any] | None) -> list[str]:
    """What is wrong with the configuration, so that no advance can start.

    Reading all of it takes longer than everything else here, so it is left out where an advance of the last days read
    it as it is.
    """
    changed_at = datetime.fromtimestamp(config.stat().st_mtime, UTC)
    if last is not None and changed_at < last["finished_at"] and 0 <= last["age_seconds"] < READ_LATELY:
        return []
    from stratawatch.config.loading import load_configuration
    from stratawatch.config.problems import ConfigProblems
    from stratawatch.errors import StratawatchError

    try:
        load_configuration(config)
    except ConfigProblems as several:
        return [str(problem) for problem in several.problems]
    except StratawatchError as trouble:
        return [str(trouble)]
    return []


def _show(document: Mapping[str, Any], *, is_simulated: bool) -> None:
    problems = document["configuration_problems"]
    if problems:
        print_line(f"! No advance can start: {count_text(len(problems), 'problem')} in the configuration")
        for problem in problems:
            print_line(problem, indent="  ")
    if not document["panels"]:
        print_line(
            "Nothing has run yet. `stratawatch open` opens a cycle for every window that is over; "
            "a new panel with several needs --all or --newest N."
        )
        _show_labels(document)
        return
    _show_last_advance(document, is_simulated=is_simulated)
    for panel in document["panels"]:
        show_panel(panel, [row for row in document["streams"] if row["panel"] == panel["panel"]])
    for left in document["left_panels"]:
        number = count_text(left["cycles"], "cycle")
        incidents = f", {count_text(left['incidents'], 'incident')} open" if left["incidents"] else ""
        decided = f"to {left['decision']}, as decided" if left["decision"] else "undecided"
        print_line(f"! panel {left['panel']} is not configured any more; {number} under way{incidents}, {decided}")
        if not left["decision"]:
            print_line(f"  {retire_advice(left['panel'])}")
    _show_shared_budget(document.get("shared_budget"))
    _show_cycles(document["cycles"])
    show_refused(document["refused"])
    show_incidents(document["incidents"], document["silences"])
    _show_batches(document)
    _show_labels(document)
    show_judgements(document)
    show_truth(document)
    for row in document["undelivered"]:
        word = "waiting" if row["state"] == "pending" else "given up"
        print_line(
            f"! {count_text(row['notifications'], 'notification')} for '{row['channel']}' {word} since "
            f"{time_text(row['oldest'])}: {row['last_error']}"
        )
    if document["undelivered"]:
        print_line("  `stratawatch alerts list --undelivered` lists them")


def _show_last_advance(document: Mapping[str, Any], *, is_simulated: bool) -> None:
    last, now = document["last_advance"], document["now"]
    if last is None:
        print_line("No advance has ended yet")
        return
    finished, good = last["finished_at"], last["good_at"]
    if is_simulated:  # advances end by the clock of the machine
        print_line(f"Last advance ended at {time_text(finished)}")
    elif finished > now:
        print_line(f"! The last advance ended at {time_text(finished)}, which is not yet: is the clock right?")
        return
    else:
        since = f", the last good one {age(now - good)} ago" if good else ", none was good yet"
        print_line(f"Last advance {age(now - finished)} ago{'' if good == finished else since}")
    for trouble in last["troubles"]:
        print_line(f"! {trouble}", indent="  ")


def _show_labels(document: Mapping[str, Any]) -> None:
    """Labels that do not count, or not yet, and batches whose labels will wait."""
    if document["unplanned_batches"]:
        print_line(f"! {unplanned_text(document['unplanned_batches'])}")
    _show_waiting(document["waiting_labels"], document["now"])
    _show_set_aside(document["set_aside"])


def _show_waiting(waiting: Mapping[str, Any], now: datetime) -> None:
    if waiting["labels"]:
        print_line(f"! {waiting_text(**waiting)} ({age(now - waiting['since'])})")
        print_line(f"  {WAITING} lists them")


def _show_set_aside(reasons: Sequence[Mapping[str, Any]]) -> None:
    """Labels of the last days that did not count, by reason."""
    if reasons:
        from stratawatch.adapters.status_queries import SET_ASIDE_DAYS

        number = count_text(sum(row["labels"] for row in reasons), "label")
        several = "; ".join(f"{row['labels']:,}: {row['reason']}, as in {row['origin']}" for row in reasons)
        print_line(f"! {number} set aside in the last {SET_ASIDE_DAYS} days ({several})")
        print_line(f"  {SET_ASIDE} lists them")


def _show_shared_budget(budget: Mapping[str, Any] | None) -> None:
    if budget:
        print_line()
        print_line(f"Shared budget: {budget['sentence']}")
        for share in budget["windows"]:
            print_line(share["sentence"], indent="  ")


def _show_cycles(cycles: Sequence[Mapping[str, Any]]) -> None:
    print_line()
    print_line(count_text(len(cycles), "open cycle") if cycles else "No open cycles")
    for cycle in cycles:
        print_line(f"{cycle['id']} {cycle['panel']}, {window_text(cycle)}: {cycle['state']}", indent="  ")
        print_line(f"waits for {cycle['waits_for']}", indent="    ")
        if cycle["last_error"]:
            print_line(cycle["last_error"], indent="    ")
        for warning in cycle["warnings"]:
            print_line(f"! {warning}", indent="    ")


def _show_batches(document: Mapping[str, Any]) -> None:
    oldest, now = document["oldest_unanswered_batch"], document["now"]
    print_line()
    if oldest is None:
        print_line("No batch waits for answers")
    else:
        since = oldest["waiting_since"]
        print_line(f"Oldest unanswered batch: {oldest['key']}, out since {time_text(since)} ({age(now - since)})")
    for batch in document["batches"]:
        if batch["away"]:
            how = {"lost": "is lost: the label queue lost it twice", "withdrawn": "was withdrawn from the label queue"}
            print_line(f"! batch {batch['key']} {how[batch['away']]}; nobody is asked")
            print_line(f"  `{cycle_command('resend', batch['cycle'])}` asks again")
        if batch["state"] == "failed":
            print_line(f"! batch {batch['key']} could not be sent: {batch['last_error']}")
            print_line(f"  `{cycle_command('resend', batch['cycle'])}` sends it again")
