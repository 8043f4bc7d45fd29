"""One world of the demo through the core alone, with the engine's rules for rounds and pages."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import numpy as np
from numpy.typing import NDArray

from stratawatch.core.alarms.states import judge, page_confidence
from stratawatch.core.bins import BIN_COUNT, bins_of
from stratawatch.core.design import Design, pool_sizes
from stratawatch.core.ledger import Ledger
from stratawatch.core.population import Atom, Candidates, Census, Segment
from stratawatch.core.results import AlarmState, Estimate, Goal, Limit, Verdict
from stratawatch.core.strata import cut_atoms
from stratawatch.demo.annotator import passes
from stratawatch.demo.comparison import Compared, compare
from stratawatch.demo.configuration import MARGINS
from stratawatch.demo.messages import REGIONS, inside
from stratawatch.demo.models import CLASSIFIERS
from stratawatch.demo.stage import BUDGET, START, WEEK
from stratawatch.demo.world import WEEKS, Week, World, build_world
from stratawatch.engine.judge import YEAR
from stratawatch.engine.plan import rounds_wanted
from stratawatch.engine.records import ClassifierSpec, Columns, PanelSpec, WindowRule

SKIPS: Final = 0.01
CONFIDENCE: Final = 0.95
_SEGMENTS: Final = tuple(Segment("region", name) for name in sorted(REGIONS))

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Told:
    """One estimate beside the truth, and what was judged of it, if it has a limit."""

    compared: Compared
    state: AlarmState | None

    @property
    def stream(self) -> tuple[str, str]:
        """Classifier and metric."""
        return self.compared.estimate.classifier, self.compared.estimate.metric


@dataclass(frozen=True)
class Cells:
    """Every item's (pattern, bin) as one number, and the census of these numbers."""

    of_item: Integers
    census: Census
    keys: Integers


def run_world(seed: int) -> list[Told]:
    """Build a world of its own (new classifiers, limits and data) and watch its weeks."""
    world = build_world(seed)
    spec = spec_of(world)
    return [told for number in range(1, WEEKS + 1) for told in watch(world, spec, world.week(number))]


def spec_of(world: World) -> PanelSpec:
    """The panel as the demo's configuration says it."""
    return PanelSpec(
        name="scam",
        question="",
        guideline="",
        seed=str(world.seed),
        classifiers=tuple(ClassifierSpec(name) for name in CLASSIFIERS),
        columns=Columns("item", "time", segments=("region",)),
        windows=WindowRule(START, WEEK),
        goals=tuple(Goal(metric, margin) for metric, margin in MARGINS.items()),
        limits=tuple(Limit(metric, floor=floor, of=(name,)) for (name, metric), floor in world.floors.items()),
        budget=BUDGET,
        deadline=timedelta(days=5),
        confidence=CONFIDENCE,
    )


def watch(world: World, spec: PanelSpec, week: Week) -> Iterator[Told]:
    """One cycle: census, atoms, pools, two rounds, estimates, states."""
    cells = count(week)
    atoms = cut_atoms(cells.census, spec.budget)
    wanted = pool_sizes(atoms, CLASSIFIERS, spec.goals, spec.budget)
    rng = np.random.default_rng([world.seed, week.number, 1])
    design = Design(CLASSIFIERS, atoms, pool(week, cells, atoms, wanted, rng))
    drawn, ledger = label(design, spec, week)
    estimates = design.estimate(ledger, drawn, confidence=spec.confidence, segments=_SEGMENTS)
    states = judged(design, spec, ledger, drawn, estimates)
    for compared in compare(week, estimates):
        one = compared.estimate
        yield Told(compared, states.get((one.classifier, one.metric)) if one.segment is None else None)


def count(week: Week) -> Cells:
    """The census query in numpy: pattern x bin of the mean score, with the counts of every region."""
    letters = week.calls @ (1 << np.arange(len(CLASSIFIERS))[::-1])
    of_item = letters * BIN_COUNT + bins_of(week.scores.mean(axis=1))
    keys, inverse, counts = np.unique(of_item, return_inverse=True, return_counts=True)
    patterns = tuple(format(key // BIN_COUNT, f"0{len(CLASSIFIERS)}b") for key in keys)
    segments = {
        segment: np.bincount(inverse[inside(week.region, segment.value)], minlength=len(keys)) for segment in _SEGMENTS
    }
    return Cells(of_item, Census(CLASSIFIERS, patterns, keys % BIN_COUNT, counts, segments), keys)


def pool(
    week: Week, cells: Cells, atoms: tuple[Atom, ...], wanted: tuple[int, ...], rng: np.random.Generator
) -> Candidates:
    """The candidates query in numpy. For speed random numbers come from a generator, not from md5 of an item's id."""
    atom_of_key = np.empty(len(cells.keys), dtype=np.int64)
    for number, atom in enumerate(atoms):
        bins = cells.keys % BIN_COUNT
        same = cells.keys // BIN_COUNT == int(atom.pattern, 2)
        atom_of_key[same & (bins >= atom.first_bin) & (bins <= atom.last_bin)] = number
    atom_of_item = atom_of_key[np.searchsorted(cells.keys, cells.of_item)]
    u = rng.integers(0, 2**63, len(atom_of_item))
    chosen = np.concatenate([_smallest(u, np.flatnonzero(atom_of_item == a), n) for a, n in enumerate(wanted)])
    return Candidates(
        items=tuple(map(str, chosen.tolist())),
        atoms=atom_of_item[chosen],
        digests=tuple(format(number, "016x") for number in u[chosen].tolist()),
        segments={"region": tuple(REGIONS[code] for code in week.region[chosen])},
    )


def label(design: Design, spec: PanelSpec, week: Week) -> tuple[frozenset[str], Ledger]:
    """Rounds as the engine has them: 40% of the budget, then all of it; the annotator passes on 1%."""
    drawn: frozenset[str] = frozenset()
    ledger = Ledger({})
    for ordinal, labels in enumerate(rounds_wanted(spec)):
        plan = design.plan(spec.goals, labels, ledger, drawn, phase="second" if ordinal else "first")
        drawn = frozenset(design.candidates.items[index] for index in design.draw(plan))
        ledger = Ledger({item: _say(week, item, spec.seed) for item in drawn})
    return drawn, ledger


def judged(
    design: Design, spec: PanelSpec, ledger: Ledger, drawn: frozenset[str], estimates: tuple[Estimate, ...]
) -> Mapping[tuple[str, str], AlarmState]:
    """The engine's page rule: an interval wide enough for all streams and all weeks of a year."""
    wide = design.estimate(
        ledger,
        drawn,
        confidence=page_confidence(len(spec.limits), YEAR / spec.windows.length, spec.pages_a_year),
        metrics=tuple(MARGINS),
    )
    for_page = {(estimate.classifier, estimate.metric): estimate for estimate in wide}
    ordinary = {(one.classifier, one.metric): one for one in estimates if one.segment is None}
    states = {}
    for limit in spec.limits:
        key = (limit.of[0], limit.metric)
        margin = MARGINS[limit.metric]
        states[key] = judge(ordinary[key], for_page[key], limit, margin, blind_at=spec.blind_at).state
    return states


def _smallest(u: Integers, items: Integers, number: int) -> Integers:
    if number < len(items):
        items = items[np.argpartition(u[items], number - 1)[:number]] if number else items[:0]
    return items[np.argsort(u[items])]


def _say(week: Week, item: str, seed: str) -> Verdict:
    if passes(f"{seed} {week.number} {item}", SKIPS):
        return "unresolved"
    return "yes" if week.truth[int(item)] else "no"
