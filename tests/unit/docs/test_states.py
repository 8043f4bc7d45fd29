"""The diagrams of the states are the table of moves, both ways."""

import re
from pathlib import Path

import pytest

from stratawatch.engine.model.states import TRANSITIONS, BatchState, CycleState, Entity, RoundState

ROOT = Path(__file__).parents[3]
STATES = {Entity.CYCLE: CycleState, Entity.ROUND: RoundState, Entity.BATCH: BatchState}
ARROW = re.compile(r"^\s*(\S+) --> (\S+?)(?::.*)?$", re.MULTILINE)


def diagram(path: str, heading: str) -> set[tuple[str, str]]:
    """The arrows of the state diagram below a heading."""
    text = (ROOT / path).read_text(encoding="utf-8")
    below = text[re.search(rf"^.*{re.escape(heading)}.*$", text, re.MULTILINE).end() :]
    block = re.search(r"```mermaid\nstateDiagram-v2\n(.*?)```", below, re.DOTALL).group(1)
    arrows = ARROW.findall(block)
    assert len(arrows) == len([line for line in block.splitlines() if line.strip()]), "a line that is no arrow"
    assert len(arrows) == len(set(arrows)), "an arrow twice"
    return set(arrows)


def table(entity: Entity) -> set[tuple[str, str]]:
    """The same arrows from the table, with the first state and the ends."""
    moves = TRANSITIONS[entity]
    arrows = {(str(old), str(new)) for old, news in moves.items() for new in news}
    ends = {(str(state), "[*]") for state, news in moves.items() if not news}
    return arrows | ends | {("[*]", str(next(iter(moves))))}


@pytest.mark.parametrize(
    ("path", "heading", "entity"),
    [
        ("docs/states.md", "## Cycle", Entity.CYCLE),
        ("docs/states.md", "## Round", Entity.ROUND),
        ("docs/states.md", "## Batch", Entity.BATCH),
        ("README.md", "A cycle is the work on one window", Entity.CYCLE),
    ],
)
def test_a_diagram_has_exactly_the_moves_of_the_table(path, heading, entity):
    assert diagram(path, heading) == table(entity)


@pytest.mark.parametrize("entity", list(Entity))
def test_the_table_has_every_state(entity):
    assert set(TRANSITIONS[entity]) == set(STATES[entity])


def test_every_alarm_state_is_explained():
    from stratawatch.core.alarms.alarm_states import SYMBOLS, AlarmState

    text = (ROOT / "docs/states.md").read_text(encoding="utf-8")
    for state in AlarmState:
        assert f"| {SYMBOLS[state]} {state.value} |" in text
