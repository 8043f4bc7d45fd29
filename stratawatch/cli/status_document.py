"""The document of `status`: what the store's rows say of one moment, which other tools are given too."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stratawatch.cli.output import time_text
from stratawatch.cli.refused_windows import with_command
from stratawatch.cli.status_batches import batches_of, unplanned_batches
from stratawatch.cli.status_judgements import forecast_records
from stratawatch.cli.status_silences import active_silences, incident_rows, silence_rows, undelivered_rows
from stratawatch.core.alarms.alarm_states import URGENCY
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.limit_outlook import LimitOutlook, outlook_document, outlooks_from, outlooks_with_pauses
from stratawatch.errors import Unreachable
from stratawatch.formatting import count_text

if TYPE_CHECKING:
    from stratawatch.adapters.status_queries import StatusRows
    from stratawatch.engine.model.pauses import Pauses


def status_rows(config: Path, more: Mapping[str, str] | None = None) -> "StatusRows":
    """What the store says, with `more` queries in the same moment; an error says what is wrong with it."""
    from stratawatch.adapters.status_queries import StoreNotReady, read_status
    from stratawatch.config.store_address import read_store_address

    reason: BaseException | None = None
    try:
        url = read_store_address(config)
        if url is not None:
            return read_status(url, more)
    except StoreNotReady as trouble:
        reason = trouble.__cause__
    # Slower, but this way says in a sentence what is wrong with the configuration or the store.
    from stratawatch.config.loading import load_configuration
    from stratawatch.wiring import open_store

    configuration = load_configuration(config)
    open_store(configuration)
    try:
        return read_status(configuration.store_url().get_secret_value(), more)
    except StoreNotReady:
        raise Unreachable("the store could not be read", got=str(reason or ""), hint="try again") from None


def status_document(
    rows: "StatusRows", configured: frozenset[str] | None, now: datetime, paused: "Pauses"
) -> dict[str, Any]:
    """The rows as `status --json` has them. `configured` are the configuration's panels, None where it cannot tell."""
    cycles = [
        {**row, "waits_for": "its panel, which is paused"} if row["panel"] in paused.panels else row
        for row in (cycle_row(cycle, now) for cycle in rows["cycles"])
    ]
    kept = (one for row in rows["limit_outlooks"] for one in outlooks_from(row["position"]))
    outlooks = outlooks_with_pauses(kept, paused)
    batches, silences = batches_of(rows), active_silences(rows, now)
    sent = [batch for batch in batches if batch["state"] == "sent" and not batch["away"]]
    newest = _newest_judged(rows["streams"])
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
                "in_newest_window": row["window_start"] == newest[row["panel"]],
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


def _newest_judged(streams: Sequence[Mapping[str, Any]]) -> dict[str, datetime]:
    """The start of the newest window by panel in which any of its streams was judged."""
    newest: dict[str, datetime] = {}
    for row in streams:
        newest[row["panel"]] = max(row["window_start"], newest.get(row["panel"], row["window_start"]))
    return newest


def _is_of(outlook: LimitOutlook, stream: Mapping[str, Any]) -> bool:
    """Whether an outlook is of the judgement that a stream's row shows."""
    key = StreamKey(stream["panel"], stream["classifier"], stream["metric"], stream["segment"])
    return outlook.key == key and outlook.cycle == stream["cycle"]


def shared_budget(rows: "StatusRows") -> dict[str, Any] | None:
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
