"""stratawatch alerts show and ack: what happened to an incident, and that somebody looks after it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stratawatch.cli.cut_offs import cut_off_facts, show_cut_offs
from stratawatch.cli.options import DEFAULT_CONFIG, ByOption, ConfigOption, JsonOption, ReasonOption
from stratawatch.cli.output import metric_text, print_json, print_line, state_text, time_text
from stratawatch.formatting import count_text

if TYPE_CHECKING:
    from stratawatch.engine.model.alarm_records import Incident, Silence

IncidentArgument = Annotated[
    int, typer.Argument(help="The incident's number, as in `alerts list`.", metavar="INCIDENT")
]


def show(incident: IncidentArgument, config: ConfigOption = DEFAULT_CONFIG, json: JsonOption = False) -> None:
    """Show what happened to an incident: opened, judged, told to whom and when, acknowledged, silent, resolved.

    Of an open breach also cut-offs of the classifier's own score that were tried on the labels since it began, with
    precision, recall and flags a window. Nothing is applied.

    \b
    Example:
      stratawatch alerts show 3
    """
    from stratawatch.engine.alarms.incident_history import history_of
    from stratawatch.engine.evidence.compared_windows import ComparedWindows
    from stratawatch.engine.evidence.tried_cut_offs import cut_offs_of_incidents
    from stratawatch.wiring import build

    ports = build(config, only_reading=True).ports
    with ports.store.begin() as tx:
        found = tx.alarms.incident(incident)
        history = history_of(tx, found)
        facts = incident_facts(found, tx.silences.active(ports.clock.now()))
        tried = cut_offs_of_incidents(ComparedWindows(tx), [found]).get(found.id)
    if json:
        cut_offs = None if tried is None else cut_off_facts(tried)
        print_json({**facts, "history": [asdict(one) for one in history], "cut_offs": cut_offs})
        return
    show_incident(facts)
    print_line()
    for one in history:
        print_line(f"{time_text(one.at)}  {one.what}: {one.text}", indent="  ")
    if tried is not None and tried.is_worth_telling:
        show_cut_offs(tried)


def ack(
    incident: IncidentArgument,
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    by: ByOption = None,
    why: ReasonOption = "",
) -> None:
    """Say that somebody looks after an incident, and after all that were told with it: nobody is reminded any more.

    Channels hear of it at the next advance, under the same key.

    \b
    Example:
      stratawatch alerts ack 3 --by ann --why "rolling back"
    """
    from stratawatch.engine.alarms.acknowledgements import acknowledge_incident
    from stratawatch.wiring import build

    done = acknowledge_incident(build(config, by=by).ports, incident, why)
    found = done.incidents
    if json:
        print_json({"incidents": [incident_facts(one, ()) for one in found], "acknowledged": done.fresh})
        return
    newest = max(found, key=lambda one: (one.acknowledged_at is not None, one.acknowledged_at))
    by_whom = f"by {newest.acknowledged_by}, {time_text(newest.acknowledged_at)}"
    if done.fresh:
        print_line(f"{count_text(done.fresh, 'incident')} acknowledged {by_whom}")
    else:
        print_line(f"Nothing to do: acknowledged before, {by_whom}")


def incident_facts(incident: "Incident", silences: Sequence["Silence"]) -> dict[str, Any]:
    """An incident for programs; `silent_until` is null where nothing of `silences` covers it, or it is over."""
    from stratawatch.engine.model.alarm_records import covering

    silence = covering(silences, incident.key) if incident.resolved_at is None else None
    return {
        "id": incident.id,
        **asdict(incident.key),
        "kind": incident.kind.value,
        "opened_at": incident.opened_at,
        "resolved_at": incident.resolved_at,
        "since": incident.since,
        "rule": incident.rule or None,
        "evidence": incident.evidence,
        "cycle": incident.cycle_id,
        "acknowledged_at": incident.acknowledged_at,
        "acknowledged_by": incident.acknowledged_by or None,
        "acknowledged_why": incident.acknowledged_why or None,
        "silent_until": silence.over_at if silence else None,
        "dedup_key": incident.dedup_key,
    }


def show_incident(row: Mapping[str, Any]) -> None:
    """Print an incident in a line, and below it who looks after it and until when it is silent."""
    where = f" [{row['segment']}]" if row["segment"] else ""
    head = f"{state_text(row['kind'])}: {metric_text(row['metric'])} of {row['classifier']}{where} ({row['panel']})"
    ended = row["resolved_at"]
    over = f" until {time_text(ended)}" if ended else ", open"
    print_line(f"{row['id']}  {head}, opened {time_text(row['opened_at'])}{over}")
    print_care(row)


def print_care(row: Mapping[str, Any]) -> None:
    """Print who looks after an incident, and until when nobody is told of it."""
    if row["acknowledged_at"]:
        why = f": {row['acknowledged_why']}" if row["acknowledged_why"] else ""
        since = time_text(row["acknowledged_at"])
        print_line(f"acknowledged by {row['acknowledged_by']}, {since}{why}", indent="    ")
    if row["silent_until"]:
        print_line(f"silent until {time_text(row['silent_until'])}", indent="    ")
