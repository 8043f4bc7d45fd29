"""How long a breach lasted that is over: at least, most likely, and at most."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from stratawatch.engine.evidence.loss_onset import loss_onset
from stratawatch.engine.evidence.panel_evidence import stream_when_paged
from stratawatch.engine.model.alarm_records import Incident
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.panel_spec import PanelSpec, WindowRule
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.formatting import count_text, span_text


@dataclass(frozen=True)
class Duration:
    """When a breach began (first, likely and last start of a window), was last proven, most likely ended, and was over.

    It lasted from the last window that it may have begun in up to that which last proves it at least, and at most from
    the first one until the window that proves it over. Windows in between that look fine are not proven to be.
    """

    first: datetime
    likely: datetime
    last: datetime
    proven: datetime
    ended: datetime
    over: datetime

    def sentence(self, windows: WindowRule) -> str:
        """It in words.

        >>> days = [datetime(2026, 1, day) for day in (12, 19, 26)] + [datetime(2026, 2, day) for day in (2, 9)]
        >>> week, sure = WindowRule(days[0], days[1] - days[0]), [days[0]] * 3
        >>> Duration(*sure, proven=days[1], ended=days[2], over=days[2]).sentence(week)
        'It lasted for 2 weeks (2026-01-12 to 2026-01-26).'
        >>> Duration(*sure, proven=days[0], ended=days[2], over=days[3]).sentence(week).partition(", at")[0]
        'It lasted for at least 1 week, most likely 2 (2026-01-12 to 2026-01-26)'
        >>> Duration(*days[:3], proven=days[2], ended=days[3], over=days[4]).sentence(week).partition(", at most ")[2]
        '4 (2026-01-12 to 2026-02-09); 90% sure.'
        """
        length, unit = windows.length, windows.unit
        least = (self.proven - self.last) // length + 1
        likely, most = (self.ended - self.likely) // length, (self.over - self.first) // length
        said = f"It lasted for {count_text(likely, unit)}"
        if least < likely:
            said = f"It lasted for at least {count_text(least, unit)}, most likely {likely}"
        said += f" ({span_text(self.likely, self.ended)})"
        if most > likely:
            said += f", at most {most} ({span_text(self.first, self.over)})"
        return f"{said}{'' if self.first == self.last else '; 90% sure'}."


@dataclass(frozen=True)
class LookedAt:
    """The starts of windows whose value is inside the limit, and of those of which the whole interval is outside."""

    fine: Collection[datetime] = ()
    outside: Collection[datetime] = ()


def duration(tx: Transaction, spec: PanelSpec, incident: Incident, over: Cycle, later: LookedAt) -> Duration | None:
    """How long a breach lasted that a window proves to be over, with what the windows `later` than its page say.

    None where it began no earlier than that window: other labels then put its own window inside.
    """
    paged, end, length = tx.cycles.get(incident.cycle_id).window.start, over.window.start, spec.windows.length
    likely = incident.since or paged
    if likely >= end:
        return None
    stream = stream_when_paged(tx, spec, incident) if incident.since else None
    found = loss_onset(tx, spec, stream).within if stream and stream.windows else (likely, paged)
    proven = min(max([paged, *later.outside]), end - length)  # it may be over by other labels of the window that paged
    ended = end
    while ended - length > proven and ended - length in later.fine:
        ended -= length
    last = min(max(found[1], likely), paged, proven)
    return Duration(min(found[0], likely), likely, last, proven, ended, end)
