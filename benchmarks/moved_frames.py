"""The demo's weeks as frames to draw from again and again: designs as they were frozen, and the truth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from benchmarks.demo_worlds_loop import SKIPS, Cells, Integers, Memory, count, label, pool, spec_of
from stratawatch.core.alarms.moved import LabelledWindow
from stratawatch.core.alarms.rate_and_mix import DomainWeights, decompose
from stratawatch.core.alarms.scored_labels import ScoredWindow
from stratawatch.core.designs.frozen import FrozenDesign, pool_sizes
from stratawatch.core.metrics import metric_named
from stratawatch.core.population import Atom, Candidates, Floats, Segment
from stratawatch.core.score_bins import OWN_BIN_COUNT, own_bin_foot, own_bins_of
from stratawatch.core.stratification.stratify import stratify
from stratawatch.core.verdicts import VerdictsByItem
from stratawatch.demo.messages import REGIONS
from stratawatch.demo.models import CLASSIFIERS, SCORED_CLASSIFIERS
from stratawatch.demo.world import SimulatedWeek, SimulatedWorld, build_world
from stratawatch.engine.model.survey_of_panel import survey_of_panel

SEGMENTS: Final = tuple(Segment("region", name) for name in REGIONS)


@dataclass(frozen=True)
class WeekFrame:
    """A week whose design is frozen; `atoms` is by item, `pools` and `totals` by stratum."""

    week: SimulatedWeek
    design: FrozenDesign
    atoms: Integers
    pools: Integers
    totals: Integers

    @cached_property
    def _by_stratum(self) -> list[Integers]:
        strata = self.design.cells.strata[self.atoms]
        order = np.argsort(strata, kind="stable")
        return np.split(order, np.cumsum(np.bincount(strata, minlength=len(self.totals)))[:-1])

    def draw(self, rng: np.random.Generator) -> LabelledWindow:
        """Draw a pool, and as many items of every stratum as the plan, and label these; 1% are passed over."""
        strata = zip(self._by_stratum, self.pools.tolist(), self.totals.tolist(), strict=True)
        pools = [(rng.choice(items, pool, replace=False), drawn) for items, pool, drawn in strata]
        rows = np.concatenate([pool for pool, _ in pools]).astype(np.int64)
        is_drawn = np.concatenate([np.arange(len(pool)) < drawn for pool, drawn in pools])
        names = tuple(map(str, rows.tolist()))
        pooled = Candidates(
            items=names,
            atoms=self.atoms[rows],
            digests=tuple(format(place, "016x") for place in rng.permutation(len(rows)).tolist()),
            segments={"region": tuple(REGIONS[code] for code in self.week.region[rows])},
        )
        drawn = tuple(name for name, taken in zip(names, is_drawn.tolist(), strict=True) if taken)
        answered = rng.random(len(drawn)) >= SKIPS
        truth = zip(drawn, self.week.truth[rows[is_drawn]].tolist(), answered.tolist(), strict=True)
        ledger = VerdictsByItem({name: ("yes" if yes else "no") if said else "unresolved" for name, yes, said in truth})
        design = FrozenDesign(self.design.classifiers, self.design.atoms, pooled, self.design.survey)
        return LabelledWindow(design, ledger, drawn)

    def scored(self, labelled: LabelledWindow, classifier: str) -> ScoredWindow:
        """The window with the classifier's own score bins."""
        bins = self.own_bins[classifier]
        return ScoredWindow(labelled, {item: int(bins[int(item)]) for item in labelled.design.candidates.items})

    @cached_property
    def own_bins(self) -> Mapping[str, Integers]:
        """Of every item, by classifier."""
        return {name: own_bins_of(self.week.scores[:, i]) for i, name in enumerate(SCORED_CLASSIFIERS)}

    def domains(self, classifier: str) -> tuple[Floats, Floats]:
        """The true number of items, and of positives, of every region and side; and of no region."""
        called = self.week.calls[:, CLASSIFIERS.index(classifier)]
        domain = 2 * self.week.region + ~called
        sizes, positives = (np.bincount(domain, each, 2 * len(REGIONS) + 2) for each in (None, self.week.truth))
        return sizes.astype(np.float64), positives.astype(np.float64)


def frames_of(seed: int, weeks: int) -> tuple[SimulatedWorld, list[WeekFrame]]:
    """The first weeks of a world, each cut with the labels of those before it."""
    world = build_world(seed)
    spec, memory, found = spec_of(world), Memory(), []
    survey = survey_of_panel(spec)
    for number in range(1, weeks + 1):
        week, history = world.week(number), memory.before(number)
        cells = count(week)
        atoms = stratify(cells.census, survey, history)
        pools = pool_sizes(atoms, CLASSIFIERS, survey, history)
        candidates = pool(week, cells, atoms, pools, np.random.default_rng([seed, number, 1]))
        design = FrozenDesign(CLASSIFIERS, atoms, candidates, survey)
        rounds, ledger = label(design, spec, week, history)
        memory.keep(number, cells, design, ledger)
        is_drawn = np.isin(candidates.items, [item for drawn in rounds for item in drawn])
        homes = design.cells.strata[candidates.atoms[is_drawn]]
        totals = np.bincount(homes, minlength=design.cells.stratum_count)
        found.append(WeekFrame(week, design, _atoms_of_items(week, cells, atoms), np.array(pools), totals))
    return world, found


def _atoms_of_items(week: SimulatedWeek, cells: Cells, atoms: tuple[Atom, ...]) -> Integers:
    """The atom of every item: a pool of all items knows it."""
    sizes = np.bincount([atom.stratum for atom in atoms], [atom.size for atom in atoms]).astype(np.int64)
    whole = pool(week, cells, atoms, tuple(sizes.tolist()), np.random.default_rng(0))
    found = np.empty(len(week.truth), dtype=np.int64)
    found[np.array(whole.items, dtype=np.int64)] = whole.atoms
    return found


def true_parts(
    before: Sequence[WeekFrame], after: Sequence[WeekFrame], classifier: str, metric: str
) -> tuple[Floats, Floats, float]:
    """The true rate and mix parts of every region, and the change."""
    weights = DomainWeights.of(metric_named(metric), len(REGIONS) + 1)
    shares, rates = [], []
    for frames in (before, after):
        sizes, positives = np.sum([frame.domains(classifier) for frame in frames], axis=0)
        shares.append(sizes / sizes.sum())
        rates.append(positives / np.maximum(sizes, 1))
    parts = decompose(weights, (shares[0], shares[1]), (rates[0], rates[1]))
    change = weights.ratio(shares[1], rates[1]) - weights.ratio(shares[0], rates[0])
    rate, mix = (part.reshape(-1, 2).sum(axis=1)[: len(REGIONS)] for part in parts)
    return rate, mix, float(change)


def true_share_of_scores(frames: Sequence[WeekFrame], classifier: str, low: float, high: float) -> float:
    """The share of positives among all items whose own score bin begins in a range; 1 belongs to the last one."""
    feet = np.array([own_bin_foot(bin_) for bin_ in range(OWN_BIN_COUNT)])
    inside = (feet >= low) & ((feet < high) | (high == 1))
    there = [inside[frame.own_bins[classifier]] for frame in frames]
    positives = sum(int((flags & frame.week.truth).sum()) for flags, frame in zip(there, frames, strict=True))
    return positives / max(sum(int(flags.sum()) for flags in there), 1)


def true_at_cut_off(
    world: SimulatedWorld, frames: Sequence[WeekFrame], classifier: str, score: float | None
) -> tuple[float, float, float]:
    """Precision, recall and calls a window at a cut-off (None: the one in use)."""
    place = SCORED_CLASSIFIERS.index(classifier)
    cut_off = float(world.models.cut_offs[classifier]) if score is None else score
    called = [frame.week.scores[:, place] >= cut_off for frame in frames]
    hits = sum(int((flags & frame.week.truth).sum()) for flags, frame in zip(called, frames, strict=True))
    calls = sum(int(flags.sum()) for flags in called)
    return hits / calls, hits / sum(int(frame.week.truth.sum()) for frame in frames), calls / len(frames)
