"""Plan a round: allocate labels to atoms, draw the smallest random numbers, write the batches to the outbox."""

from collections.abc import Sequence

from stratawatch.core.design import pool_sizes
from stratawatch.core.ledger import Ledger
from stratawatch.core.population import Atom
from stratawatch.core.results import Plan
from stratawatch.core.rounds import cumulative_labels
from stratawatch.core.strata import cut_atoms
from stratawatch.engine.house import Ports
from stratawatch.engine.keys import batch_key, item_key, shuffle_key
from stratawatch.engine.ledgers import as_design, known_verdicts, load
from stratawatch.engine.records import CandidateItem, Cycle, Draw, NewBatch, PanelSpec, Profile, Round, Task, Window
from stratawatch.engine.states import CycleState, Entity, RoundState
from stratawatch.errors import InputRefused, StaleState


def rounds_wanted(spec: PanelSpec) -> tuple[int, ...]:
    """Cumulative labels after each round of a cycle."""
    return cumulative_labels(spec.budget)


def wants_plan(spec: PanelSpec, cycle: Cycle, rounds: Sequence[Round]) -> bool:
    """Whether the cycle's next move is a new round."""
    if cycle.state == CycleState.FROZEN:
        return not rounds
    settled = all(done.state == RoundState.SETTLED for done in rounds)
    return cycle.state == CycleState.LABELLING and settled and len(rounds) < len(rounds_wanted(spec))


def plan_round(ports: Ports, cycle_id: int) -> Plan | None:
    """Plan the cycle's next round, if it is time for one; returns its plan."""
    now = ports.clock.now()
    with ports.store.begin() as tx:
        cycle = tx.cycles.get(cycle_id)
        spec = tx.panels.get(cycle.panel_version)
        rounds = tx.rounds.of(cycle_id)
        if not wants_plan(spec, cycle, rounds) or (cycle.deadline_at and now >= cycle.deadline_at):
            return None
        labelled = load(tx, spec, cycle_id)
        items = {item.item: item for item in tx.cycles.candidates(cycle_id)}
        ordinal = len(rounds) + 1
        plan = labelled.design.plan(
            spec.goals,
            rounds_wanted(spec)[ordinal - 1],
            labelled.ledger,
            labelled.drawn,
            phase="first" if ordinal == 1 else "second",
        )
        drawn = [labelled.design.candidates.items[i] for i in labelled.design.draw(plan)]
        fresh = [items[item] for item in drawn if item not in labelled.drawn]
        known = known_verdicts(tx, spec, [item.item for item in fresh], opened_at=cycle.opened_at)
        inclusion = labelled.design.inclusion(plan)
        draws = [_draw(spec, item, inclusion[item.atom], reused=item.item in known) for item in fresh]
        batches = _batches(spec, cycle, ordinal, [item for item in fresh if item.item not in known])
        tx.rounds.add(cycle_id, plan, draws, batches, now)
        if cycle.state == CycleState.FROZEN:
            tx.move(Entity.CYCLE, cycle_id, cycle.state, CycleState.LABELLING, at=now, why="first round planned")
        if len(tx.rounds.of(cycle_id)) != ordinal:
            raise StaleState(f"round {ordinal} of cycle {cycle_id} was planned by someone else")
        tx.commit()
    return plan


def preview(ports: Ports, spec: PanelSpec, window: Window) -> tuple[tuple[Atom, ...], Plan]:
    """What a cycle on this window would ask for; nothing is written."""
    source = ports.sources[spec.name]
    counted = source.census(spec, window)
    census = counted.census
    atoms = cut_atoms(census, spec.budget)
    wanted = pool_sizes(atoms, census.classifiers, spec.goals, spec.budget)
    items = source.candidates(spec, window, atoms, wanted)
    _fit(spec, counted.profile, items)
    design = as_design(spec, atoms, items)
    return atoms, design.plan(spec.goals, spec.budget, Ledger({}), (), phase="first")


def _fit(spec: PanelSpec, profile: Profile, items: Sequence[CandidateItem]) -> None:
    """A preview does not run the input check, which leaves pages behind, but it hides no plain reason to refuse."""
    would = "a cycle on this window would be refused"
    if profile.bad_rows > spec.quarantine_share * profile.rows:
        share = f"at most {spec.quarantine_share:.2%} of rows that cannot be used"
        raise InputRefused(would, expected=share, got=f"{profile.bad_rows:,} of {profile.rows:,}")
    repeated = [item.item for item in items if item.copies > 1]
    if repeated:
        raise InputRefused(would, expected="every item once", got=f"{repeated[0]!r:.60} more than once")


def _draw(spec: PanelSpec, item: CandidateItem, inclusion: float, *, reused: bool) -> Draw:
    return Draw(
        item=item.item,
        item_key=item_key(spec.name, item.item),
        atom=item.atom,
        digest=item.digest,
        inclusion=inclusion,
        reused=reused,
    )


def _batches(spec: PanelSpec, cycle: Cycle, ordinal: int, items: Sequence[CandidateItem]) -> tuple[NewBatch, ...]:
    allowed = set(spec.columns.payload)
    tasks = [
        Task(item_key(spec.name, item.item), {k: v for k, v in item.payload.items() if k in allowed}) for item in items
    ]
    tasks.sort(key=lambda task: shuffle_key(spec.seed, cycle.period, ordinal, task.item_key))
    parts = [tasks[i : i + spec.batch_size] for i in range(0, len(tasks), spec.batch_size)]
    return tuple(
        NewBatch(batch_key(spec.name, cycle.period, ordinal, part), spec.question, spec.guideline, tuple(lines))
        for part, lines in enumerate(parts, start=1)
    )
