"""Begins and ends silences, as people ask for them."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from stratawatch.engine.alarms.alarm_streams import watched_streams
from stratawatch.engine.audit import note_action
from stratawatch.engine.model.alarm_records import Silence, StreamKey
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.errors import StratawatchError
from stratawatch.formatting import did_you_mean, minute

LONGEST_SILENCE: Final = timedelta(days=30)


def silence_alerts(ports: Ports, asked: Silence) -> Silence:
    """Keep a silence, from now on; returns it with its number.

    Raises StratawatchError for one without an end within thirty days or a reason, and for one that covers no stream.
    """
    now = ports.clock.now()
    if not now < asked.until <= now + LONGEST_SILENCE:
        raise StratawatchError(
            "a silence needs an end",
            expected=f"in {LONGEST_SILENCE.days} days at most, as with --for 2d",
            got=minute(asked.until),
        )
    if not asked.reason.strip():
        raise StratawatchError("a silence needs a reason", expected="words for --why that tell others what is going on")
    with ports.store.begin() as tx:
        require_streams(_streams(tx, ports), asked)
        silence = replace(asked, created_at=now, by=ports.by)
        silence = replace(silence, id=tx.silences.add(silence))
        note_action(tx, ports, "silenced", f"{silence.scope} until {minute(silence.until)}", silence.reason)
        tx.commit()
    return silence


def end_silence(ports: Ports, silence_id: int, why: str = "") -> Silence:
    """End a silence before its time; one that is over stays as it is."""
    now = ports.clock.now()
    with ports.store.begin() as tx:
        tx.silences.end(silence_id, now)
        silence = next(one for one in tx.silences.all() if one.id == silence_id)
        if silence.ended_at == now:
            note_action(tx, ports, "unsilenced", silence.scope, why)
        tx.commit()
    return silence


def require_streams(streams: Collection[StreamKey], asked: Silence) -> None:
    """Raise StratawatchError, with the right names, where a silence names a stream that is not there."""
    left = [key for key in streams if key.panel == asked.panel]
    if not left:
        raise _unknown("panel with a limit", asked.panel, sorted({key.panel for key in streams}))
    for what in ("classifier", "metric", "segment"):
        name = getattr(asked, what)
        if name is None:
            continue
        right = sorted({getattr(key, what) for key in left} - {None})
        left = [key for key in left if getattr(key, what) == name]
        if not left:
            raise _unknown(f"{what} with a limit there", name, right)


def _unknown(what: str, name: str, right: Sequence[str]) -> StratawatchError:
    names = ", ".join(right) or "none"
    return StratawatchError(f"there is no {what} called '{name}'", expected=names, hint=did_you_mean(name, right))


def _streams(tx: Transaction, ports: Ports) -> frozenset[StreamKey]:
    """The streams that are watched, and those that have an open incident."""
    specs = {**tx.panels.latest(), **ports.configured}
    watched = {key for spec in specs.values() for key in watched_streams(spec)}
    return frozenset(watched | {incident.key for incident in tx.alarms.incidents(only_open=True)})
