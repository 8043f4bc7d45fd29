"""What a page of an older window says first: which window it is of, and how the newest one is."""

from collections.abc import Iterator

from stratawatch.engine.alarms.notifications import start_text
from stratawatch.engine.alarms.stream_words import reason_text
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports.transaction import Transaction


def later_lines(tx: Transaction, spec: PanelSpec, cycle: Cycle, later: Cycle, key: StreamKey) -> Iterator[str]:
    """That a page is of the window of a cycle, and what the newest one, which is `later`, says of the stream."""
    unit = spec.windows.unit
    of, newest = start_text(cycle.window.start), start_text(later.window.start)
    said = next((one for one in tx.alarms.of_cycle(later.id) if one.key == key), None)
    state = "does not say how it is now" if said is None else f"is {said.state}: {reason_text(key, said.reason)}"
    yield f"An older {unit}: that of {of}. The newest one, of {newest}, {state}."
