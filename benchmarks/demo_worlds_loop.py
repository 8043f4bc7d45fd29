"""One world of the demo through the core alone, with the engine's rules for rounds and pages."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.alarms.evidence.e_detector import evidence_of, log_e_by_bet, page_threshold
from stratawatch.core.alarms.evidence.e_values import window_e_values
from stratawatch.core.alarms.evidence.linear_tests import LimitTest
from stratawatch.core.alarms.evidence.window_labels import DrawnLabel
from stratawatch.core.alarms.judge import page_by_window, page_confidence
from stratawatch.core.alarms.judge_state import judge_state
from stratawatch.core.designs.frozen import FrozenDesign, pool_sizes
from stratawatch.core.drawn_items import DrawnItems
from stratawatch.core.estimate import Estimate
from stratawatch.core.estimation.metric_estimates import EstimationRequest
from stratawatch.core.estimation.pooled_windows import PooledWindows, WindowLabels
from stratawatch.core.goals import Goal, Limit
from stratawatch.core.history.past_labels import NO_HISTORY, History
from stratawatch.core.population import Atom, Candidates, Census, Segment
from stratawatch.core.score_bins import BIN_COUNT, bins_of, centres
from stratawatch.core.stratification.stratify import stratify
from stratawatch.core.tuning import EVIDENCE
from stratawatch.core.verdicts import Verdict, VerdictsByItem
from stratawatch.demo.annotator import cannot_decide
from stratawatch.demo.comparison import ComparedEstimate, compare_with_truth
from stratawatch.demo.configuration import MARGINS
from stratawatch.demo.messages import REGIONS, in_region
from stratawatch.demo.models import CLASSIFIERS
from stratawatch.demo.week_files import BUDGET, START, WEEK
from stratawatch.demo.world import WEEKS, SimulatedWeek, SimulatedWorld, build_world
from stratawatch.engine.evidence.panel_evidence import YEAR
from stratawatch.engine.model.panel_spec import ClassifierSpec, Columns, PanelSpec, WindowRule
from stratawatch.engine.model.survey_of_panel import max_rounds, survey_of_panel

SKIPS: Final = 0.01
CONFIDENCE: Final = 0.95
_SEGMENTS: Final = tuple(Segment("region", name) for name in sorted(REGIONS))

Integers = NDArray[np.int64]
Stream = tuple[str, str]
"""Classifier and metric."""


@dataclass(frozen=True)
class JudgedEstimate:
    """One estimate beside the truth, and what was judged of it, if it has a limit."""

    compared: ComparedEstimate
    state: AlarmState | None

    @property
    def stream(self) -> Stream:
        """Classifier and metric."""
        return self.compared.estimate.classifier, self.compared.estimate.metric


@dataclass(frozen=True)
class Cells:
    """Every item's (pattern, bin) as one number, and the census of these numbers."""

    of_item: Integers
    census: Census
    keys: Integers


@dataclass
class Memory:
    """What the engine's store would hand out of the weeks so far: labelled draws, estimates, evidence, open pages.

    `windows` are the labels of all weeks, to be pooled; `estimates` of a stream begin anew where it was paged.
    """

    weeks: dict[int, History] = field(default_factory=dict)
    estimates: dict[Stream, list[Estimate]] = field(default_factory=dict)
    windows: list[WindowLabels] = field(default_factory=list)
    paged: set[Stream] = field(default_factory=set)
    log_e: dict[Stream, list[Mapping[float, float]]] = field(default_factory=dict)
    """Of every stream the weeks since it began at 0: log E by the loss that is bet on."""

    def keep(self, number: int, cells: Cells, design: FrozenDesign, ledger: VerdictsByItem) -> None:
        """Add a week's answers, each with the items of its stratum for every one that was drawn."""
        strata = np.array([atom.stratum for atom in design.atoms])[design.candidates.atoms]
        drawn = np.array([item in ledger.verdicts for item in design.candidates.items])
        weights = design.cells.stratum_sizes / np.maximum(
            np.bincount(strata[drawn], minlength=design.cells.stratum_count), 1
        )
        said = np.array([ledger.verdicts.get(item) in ("yes", "no") for item in design.candidates.items])
        items = [item for item, is_yes in zip(design.candidates.items, said, strict=True) if is_yes]
        keys = cells.of_item[np.array(items, dtype=np.int64)]
        self.weeks[number] = History(
            ages=np.full(len(items), -number),
            patterns=tuple(format(key // BIN_COUNT, f"0{len(CLASSIFIERS)}b") for key in keys.tolist()),
            scores=centres(keys % BIN_COUNT),
            positive=np.array([ledger.verdicts[item] == "yes" for item in items], dtype=np.bool_),
            weights=weights[strata[said]],
            drawable=np.zeros(len(items), dtype=np.bool_),
        )

    def before(self, number: int) -> History:
        """The history of a week."""
        past = list(self.weeks.values())
        if not past:
            return NO_HISTORY
        return History(
            ages=number + np.concatenate([one.ages for one in past]),
            patterns=tuple(pattern for one in past for pattern in one.patterns),
            scores=np.concatenate([one.scores for one in past]),
            positive=np.concatenate([one.positive for one in past]),
            weights=np.concatenate([one.weights for one in past]),
            drawable=np.concatenate([one.drawable for one in past]),
        )


def run_world(seed: int) -> list[JudgedEstimate]:
    """Build a world of its own (new classifiers, limits and data) and watch its weeks."""
    world = build_world(seed)
    spec, memory = spec_of(world), Memory()
    return [one for number in range(1, WEEKS + 1) for one in watch(world, spec, world.week(number), memory)]


def spec_of(world: SimulatedWorld) -> PanelSpec:
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
        limits=tuple(Limit(metric, floor=floor, classifiers=(name,)) for (name, metric), floor in world.floors.items()),
        budget=BUDGET,
        deadline=timedelta(days=5),
        confidence=CONFIDENCE,
    )


def watch(world: SimulatedWorld, spec: PanelSpec, week: SimulatedWeek, memory: Memory) -> Iterator[JudgedEstimate]:
    """One cycle: census, strata, pools, at most two rounds, estimates, states; the memory then has its labels too."""
    cells, history = count(week), memory.before(week.number)
    atoms = stratify(cells.census, survey_of_panel(spec), history)
    wanted = pool_sizes(atoms, CLASSIFIERS, survey_of_panel(spec), history)
    rng = np.random.default_rng([world.seed, week.number, 1])
    design = FrozenDesign(CLASSIFIERS, atoms, pool(week, cells, atoms, wanted, rng))
    rounds, ledger = label(design, spec, week, history)
    drawn = DrawnItems.of_rounds(rounds)
    memory.keep(week.number, cells, design, ledger)
    estimates = design.estimate(ledger, drawn, confidence=spec.confidence, segments=_SEGMENTS)
    memory.windows.append(design.window_labels(ledger, drawn))
    states = judged(design, spec, ledger, rounds, estimates, memory)
    for compared in compare_with_truth(week, estimates):
        one = compared.estimate
        yield JudgedEstimate(compared, states.get((one.classifier, one.metric)) if one.segment is None else None)


def count(week: SimulatedWeek) -> Cells:
    """The census query in numpy: pattern x bin of the mean score, with the counts of every region."""
    letters = week.calls @ (1 << np.arange(len(CLASSIFIERS))[::-1])
    of_item = letters * BIN_COUNT + bins_of(week.scores.mean(axis=1))
    keys, inverse, counts = np.unique(of_item, return_inverse=True, return_counts=True)
    patterns = tuple(format(key // BIN_COUNT, f"0{len(CLASSIFIERS)}b") for key in keys)
    segments = {
        segment: np.bincount(inverse[in_region(week.region, segment.value)], minlength=len(keys))
        for segment in _SEGMENTS
    }
    return Cells(of_item, Census(CLASSIFIERS, patterns, keys % BIN_COUNT, counts, segments), keys)


def pool(
    week: SimulatedWeek, cells: Cells, atoms: tuple[Atom, ...], wanted: tuple[int, ...], rng: np.random.Generator
) -> Candidates:
    """The candidates query in numpy. For speed random numbers come from a generator, not from md5 of an item's id."""
    atom_of_key = np.empty(len(cells.keys), dtype=np.int64)
    for number, atom in enumerate(atoms):
        bins = cells.keys % BIN_COUNT
        same = cells.keys // BIN_COUNT == int(atom.pattern, 2)
        atom_of_key[same & (bins >= atom.first_bin) & (bins <= atom.last_bin)] = number
    atom_of_item = atom_of_key[np.searchsorted(cells.keys, cells.of_item)]
    strata = np.array([atom.stratum for atom in atoms])[atom_of_item]
    u = rng.integers(0, 2**63, len(atom_of_item))
    chosen = np.concatenate([_smallest(u, np.flatnonzero(strata == h), n) for h, n in enumerate(wanted)])
    return Candidates(
        items=tuple(map(str, chosen.tolist())),
        atoms=atom_of_item[chosen],
        digests=tuple(format(number, "016x") for number in u[chosen].tolist()),
        segments={"region": tuple(REGIONS[code] for code in week.region[chosen])},
    )


def label(
    design: FrozenDesign, spec: PanelSpec, week: SimulatedWeek, history: History
) -> tuple[list[frozenset[str]], VerdictsByItem]:
    """What each round draws, as the engine has them, until one adds nothing; the annotator passes on 1%."""
    rounds: list[frozenset[str]] = []
    ledger = VerdictsByItem({})
    for ordinal in range(1, max_rounds(spec) + 1):
        drawn = frozenset[str]().union(*rounds)
        plan = design.plan(survey_of_panel(spec), ledger, drawn, ordinal=ordinal, history=history)
        rounds.append(frozenset(design.candidates.items[index] for index in design.draw(plan)) - drawn)
        ledger = VerdictsByItem({item: _say(week, item, spec.seed) for item in drawn | rounds[-1]})
    return rounds, ledger


def judged(
    design: FrozenDesign,
    spec: PanelSpec,
    ledger: VerdictsByItem,
    rounds: Sequence[frozenset[str]],
    estimates: tuple[Estimate, ...],
    memory: Memory,
) -> Mapping[Stream, AlarmState]:
    """The engine's rules: pages by evidence or by one week's interval, else three readings, labels pooled.

    Items of the demo are new every week, so that no label was used before.
    """
    ordinary = {(one.classifier, one.metric): one for one in estimates if one.segment is None}
    alone = _paged_alone(design, spec, ledger, rounds, ordinary)
    leader = _paged_by_evidence(design, spec, ledger, rounds, memory)
    pooled = PooledWindows(tuple(memory.windows))
    states = {}
    for limit in spec.limits:
        key = (limit.classifiers[0], limit.metric)
        so_far = [*memory.estimates.get(key, ()), ordinary[key]]
        if key in alone or key == leader:
            states[key] = AlarmState.BREACH
        else:
            is_paged, factor = key in memory.paged, spec.blind_margin_factor
            states[key] = judge_state(
                so_far,
                1.0,
                limit,
                MARGINS[limit.metric],
                is_paged=is_paged,
                blind_margin_factor=factor,
                together=partial(_newest_together, pooled, key),
            ).state
        begins = states[key] == AlarmState.BREACH and key not in memory.paged
        ends = states[key] == AlarmState.OK and key in memory.paged
        memory.estimates[key] = [] if begins else so_far
        if begins:
            memory.paged.add(key)
        if ends:
            memory.paged.discard(key)
        if begins or ends:
            memory.log_e.pop(key, None)
    return states


def _newest_together(pooled: PooledWindows, stream: Stream, weeks: int) -> Estimate:
    """What the newest weeks say of a stream, label by label."""
    weeks_of_all, request = len(pooled.windows), EstimationRequest(CONFIDENCE, (stream[1],), (None,))
    found = pooled.estimates(range(weeks_of_all - weeks, weeks_of_all), CLASSIFIERS, request)
    return next(one for one in found if one.classifier == stream[0])


def _paged_alone(
    design: FrozenDesign,
    spec: PanelSpec,
    ledger: VerdictsByItem,
    rounds: Sequence[frozenset[str]],
    ordinary: Mapping[Stream, Estimate],
) -> set[Stream]:
    """The streams whose interval of this week lies outside at a fifth of the promise."""
    promise = (1 - EVIDENCE.evidence_share) * spec.false_pages_per_year
    wide = design.estimate(
        ledger,
        DrawnItems.of_rounds(rounds),
        confidence=page_confidence(len(spec.limits), YEAR / spec.windows.length, promise),
        metrics=tuple(MARGINS),
    )
    for_page = {(estimate.classifier, estimate.metric): estimate for estimate in wide}
    streams = {(limit.classifiers[0], limit.metric): limit for limit in spec.limits}
    return {key for key, limit in streams.items() if page_by_window(ordinary[key], for_page[key], limit)}


def _paged_by_evidence(
    design: FrozenDesign, spec: PanelSpec, ledger: VerdictsByItem, rounds: Sequence[frozenset[str]], memory: Memory
) -> Stream | None:
    """Add the week to the evidence; the stream that leads, where it is enough for a page: then all begin at 0."""
    floors = [(limit, limit.floor) for limit in spec.limits if limit.floor is not None]
    tests = [LimitTest(one.classifiers[0], one.metric, None, "floor", floor, is_floor=True) for one, floor in floors]
    labels = [[_first_use(item, ledger.verdicts[item]) for item in sorted(drawn)] for drawn in rounds]
    week: dict[Stream, dict[float, float]] = {(test.classifier, test.metric): {} for test in tests}
    for one in window_e_values(design, labels, tests):
        sums = week[tests[one.test].classifier, tests[one.test].metric]
        sums[one.loss] = sums.get(one.loss, 0.0) + one.log_e
    for key, sums in week.items():
        memory.log_e.setdefault(key, []).append(sums)
    found = {key: evidence_of(log_e_by_bet(memory.log_e[key])) for key in week if key not in memory.paged}
    if sum(found.values()) < page_threshold(len(tests), YEAR / spec.windows.length, spec.false_pages_per_year):
        return None
    memory.log_e.clear()
    return max(found, key=lambda key: found[key])


def _first_use(item: str, verdict: Verdict) -> DrawnLabel:
    return DrawnLabel(item, first_use=True, bets=verdict in ("yes", "no"), verdict=verdict)


def _smallest(u: Integers, items: Integers, number: int) -> Integers:
    if number < len(items):
        items = items[np.argpartition(u[items], number - 1)[:number]] if number else items[:0]
    return items[np.argsort(u[items])]


def _say(week: SimulatedWeek, item: str, seed: str) -> Verdict:
    if cannot_decide(f"{seed} {week.number} {item}", SKIPS):
        return "unresolved"
    return "yes" if week.truth[int(item)] else "no"
