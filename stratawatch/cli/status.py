"""stratawatch status: states, open cycles, incidents and unanswered batches, within half a second."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
from stratawatch.cli.refused_windows import show_refused, with_command
from stratawatch.cli.status_batches import batches_of, unplanned_batches, unplanned_text
from stratawatch.cli.status_judgements import forecast_records, show_judgements, show_truth
from stratawatch.cli.status_silences import (
    active_silences,
    incident_rows,
    show_incidents,
    silence_rows,
    undelivered_rows,
)
from stratawatch.cli.status_streams import show_panel
from stratawatch.core.alarms.alarm_states import URGENCY
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.cycle_commands import cycle_command, retire_advice
from stratawatch.engine.model.limit_outlook import LimitOutlook, outlook_document, outlooks_from, outlooks_with_pauses
from stratawatch.errors import Unreachable
from stratawatch.formatting import count_text

READ_LATELY = 7 * 24 * 3600
"""Seconds for which the end of an advance says that a configuration can be read that nobody has changed since."""

if TYPE_CHECKING:
    from stratawatch.adapters.status_queries import StatusRows
    from stratawatch.engine.model.pauses import Pauses


def status(config: ConfigOption = DEFAULT_CONFIG, json: JsonOption = False, now: NowOption = None) -> None:
    """Where everything stands: states, open cycles, open incidents, unanswered batches.

    \b
    Examples:
      stratawatch status
      stratawatch status --json | jq '.incidents | length'
      stratawatch status --now 2026-03-16T08:00:00Z    in a trial on old files
    """
    from stratawatch.config.store_address import read_panel_names, read_pauses, shares_budget

    rows = _read(config)
    document = _document(rows, read_panel_names(config), moment(now) or datetime.now(UTC), read_pauses(config))
    if shares_budget(config):
        document["shared_budget"] = _shared_budget(rows)
    document["configuration_problems"] = _configuration_problems(config, document["last_advance"])
    if json:
        print_json(document)
    else:
        _show(document, is_simulated=now is not None)


def _read(config: Path) -> "StatusRows":
    from stratawatch.adapters.status_queries import StoreNotReady, read_status
    from stratawatch.config.store_address import read_store_address

    reason: BaseException | None = None
    try:
        url = read_store_address(config)
        if url is not None:
            return read_status(url)
    except StoreNotReady as trouble:
        reason = trouble.__cause__
    # Slower, but this way says in a sentence what is wrong with the configuration or the store.
    from stratawatch.config.loading import load_configuration
    from stratawatch.wiring import open_store

    configuration = load_configuration(config)
    open_store(configuration)
    try:
        return read_status(configuration.store_url().get_secret_value())
    except StoreNotReady:
        raise Unreachable("the store could not be read", got=str(reason or ""), hint="try again") from None


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


def _document(rows: "StatusRows", configured: frozenset[str] | None, now: datetime, paused: "Pauses") -> dict[str, Any]:
    cycles = [
        {**row, "waits_for": "its panel, which is paused"} if row["panel"] in paused.panels else row
        for row in (cycle_row(cycle, now) for cycle in rows["cycles"])
    ]
    kept = (one for row in rows["limit_outlooks"] for one in outlooks_from(row["position"]))
    outlooks = outlooks_with_pauses(kept, paused)
    batches, silences = batches_of(rows), active_silences(rows, now)
    sent = [batch for batch in batches if batch["state"] == "sent" and not batch["away"]]
    return {
        "now": now,
        "panels": [
            {
                **panel,
                "configured": configured is None or panel["panel"] in configured,
                "paused": paused.sentence(panel["panel"]),
            }
            for panel in rows["panels"]
        ],
        "left_panels": _left_panels(rows, configured),
        "streams": [
            {
                **row,
                "shadow": row["classifier"] in paused.shadows_of(row["panel"]),
                "outlooks": [outlook_document(one) for one in outlooks if _is_of(one, row)],
            }
            for row in sorted(rows["streams"], key=lambda row: (row["panel"], URGENCY.index(row["state"])))
        ],
        "cycles": cycles,
        "refused": [
            with_command(row)
            for row in rows["refused"]
            if (configured is None or row["panel"] in configured) and row["panel"] not in paused.panels
        ],
        "incidents": incident_rows(rows, silences),
        "silences": silence_rows(silences),
        "oldest_unanswered_batch": min(sent, key=lambda batch: batch["waiting_since"], default=None),
        "batches": batches,
        "undelivered": undelivered_rows(rows, silences),
        "unplanned_batches": unplanned_batches(rows),
        "waiting_labels": dict(rows["waiting_labels"][0]),
        "set_aside": [dict(row) for row in rows["set_aside"]],
        "truth": [dict(row) for row in rows["truth"]],
        "truth_warnings": [dict(row) for row in rows["truth_warnings"]],
        "missing_answers": [
            kept
            for kept in (row["position"] for row in rows["missing_answers"])
            if kept and (configured is None or kept["panel"] in configured)
        ],
        "forecast_records": forecast_records(rows, configured),
        "lone_windows": [dict(row) for row in rows["lone_windows"]],
        "last_advance": last_advance(rows["last_advance"], now),
    }


def _is_of(outlook: LimitOutlook, stream: Mapping[str, Any]) -> bool:
    """Whether an outlook is of the judgement that a stream's row shows."""
    key = StreamKey(stream["panel"], stream["classifier"], stream["metric"], stream["segment"])
    return outlook.key == key and outlook.cycle == stream["cycle"]


def _shared_budget(rows: "StatusRows") -> dict[str, Any] | None:
    """The newest span of a budget that panels share, with the share of each window; None before the first."""
    from stratawatch.engine.model.budget_ledger import ENDED, budget_states

    ledger = rows["shared_budget"][0]["position"] if rows["shared_budget"] else {}
    states = budget_states(ledger, {row["cycle"]: (row["asked"], row["state"] in ENDED) for row in rows["asked"]})
    if not states:
        return None
    newest = states[-1]
    return {
        "start": newest.start,
        "end": newest.end,
        "labels": newest.labels,
        "spent": newest.spent,
        "reserved": newest.reserved,
        "left": newest.left,
        "sentence": newest.sentence,
        "windows": [{**asdict(one), "reserved": one.reserved, "sentence": one.sentence} for one in newest.windows],
    }


def _left_panels(rows: "StatusRows", configured: frozenset[str] | None) -> list[dict[str, Any]]:
    """Panels that left the configuration with cycles under way or incidents open, and what was decided about them."""
    if configured is None:
        return []
    decided = rows["left_panels"][0]["position"] if rows["left_panels"] else {}
    cycles = Counter(cycle["panel"] for cycle in rows["cycles"])
    incidents = Counter(incident["panel"] for incident in rows["incidents"])
    return [
        {
            "panel": name,
            "cycles": cycles[name],
            "incidents": incidents[name],
            "decision": decided.get(name, {}).get("decision"),
        }
        for name in sorted({*cycles, *incidents} - configured)
    ]


def last_advance(rows: Sequence[Mapping[str, Any]], now: datetime) -> dict[str, Any] | None:
    """When the last advance ended, the last good one, and the troubles of the last one; None before the first.

    Good is one that could do all its work; that the watcher outside was not reached is a trouble of a good one.
    """
    if not rows:
        return None
    (row,) = rows
    return {
        "finished_at": row["finished_at"],
        "age_seconds": round((now - row["finished_at"]).total_seconds()),
        "good_at": row["good_at"],
        "troubles": row["troubles"].splitlines(),
    }


def cycle_row(row: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """A cycle as JSON, with the warnings of its profile; `cycles show` has the whole profile."""
    facts = {name: value for name, value in row.items() if name != "profile"}
    return {**facts, "waits_for": waits_for(row, now), "warnings": list(row["profile"].get("warnings", ()))}


def waits_for(cycle: Mapping[str, Any], now: datetime) -> str:
    """What has to happen before a cycle moves."""
    match cycle["state"]:
        case "open":
            failed = f", {count_text(cycle['failures'], 'failed attempt')} so far" if cycle["failures"] else ""
            return f"its predictions to be read{failed}"
        case "frozen":
            return "its first round to be planned"
        case "settled" | "expired":
            return "its estimates"
    left, further = cycle["drawn"] - cycle["answered"], cycle.get("further_votes", 0)
    if left <= 0 and not further:
        return "the next advance, or for more votes: every drawn item has an answer"
    deadline = cycle["deadline_at"]
    until = "" if deadline is None else f", {_left(deadline - now)} ({time_text(deadline)})"
    parts = [f"answers for {left:,} of {count_text(cycle['drawn'], 'item')}"] if left > 0 else []
    parts += [f"second votes on {count_text(further, 'item')}"] if further else []
    return f"{' and '.join(parts)}{until}"


def age(length: timedelta) -> str:
    """A length of time in its largest unit.

    >>> age(timedelta(hours=30)), age(timedelta(minutes=5))
    ('30 hours', '5 minutes')
    """
    minutes = int(length.total_seconds() // 60)
    if minutes < 120:
        return count_text(minutes, "minute")
    return count_text(minutes // 60, "hour") if minutes < 72 * 60 else count_text(minutes // 1440, "day")


def _left(length: timedelta) -> str:
    return f"{age(length)} left" if length > timedelta(0) else "overdue"


def _show(document: Mapping[str, Any], *, is_simulated: bool) -> None:
    problems = document["configuration_problems"]
    if problems:
        print_line(f"! No advance can start: {count_text(len(problems), 'problem')} in the configuration")
        for problem in problems:
            print_line(problem, indent="  ")
    if not document["panels"]:
        print_line(
            "Nothing has run yet. `stratawatch open` opens a cycle for every window that is over, "
            "and asks first where several are."
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
