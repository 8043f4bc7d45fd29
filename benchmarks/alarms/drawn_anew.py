"""`python -m benchmarks.alarms.drawn_anew [--quick]`: evidence on items that stay, by random numbers of each kind.

Every metric sits at its limit, so that every page is a false one. Three of four yes and half of the no stay from week
to week. First uses by permanent numbers then speak of newcomers and break the promise; by numbers of each window any
label may bet that was not there before.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
from scipy.stats import chi2

from benchmarks.alarms.frozen_weeks import METRICS, limits_of, survey
from benchmarks.alarms.losses import StillWorld
from benchmarks.alarms.panel_years import RUN_WEEKS, WEEKS_A_YEAR
from benchmarks.labels.chain import gone, handed_on
from benchmarks.labels.cycle import Period
from benchmarks.labels.kinds import FOUR
from benchmarks.labels.worlds import Flags, Floats, Integers, Items
from benchmarks.shape import Options, Result, Row, Verdict, main
from stratawatch.core.alarms.evidence.e_detector import page_threshold
from stratawatch.core.alarms.evidence.e_values import window_e_values
from stratawatch.core.alarms.evidence.linear_tests import LimitTest
from stratawatch.core.alarms.evidence.window_labels import DrawnLabel
from stratawatch.core.alarms.judge import page_by_window, page_confidence
from stratawatch.core.designs.frozen import FrozenDesign, pool_sizes
from stratawatch.core.drawn_items import DrawnItems
from stratawatch.core.goals import Limit
from stratawatch.core.history.past_labels import NO_HISTORY, History
from stratawatch.core.plan import Plan
from stratawatch.core.planning.round_sizes import most_rounds
from stratawatch.core.population import Candidates
from stratawatch.core.score_bins import centres
from stratawatch.core.stratification.stratify import stratify
from stratawatch.core.tuning import EVIDENCE
from stratawatch.core.verdicts import Verdict as Word
from stratawatch.core.verdicts import VerdictsByItem

Numbers = Literal["by window", "permanent"]

LABELS: Final = 300
ITEMS: Final = 50_000
YES_STAY, NO_STAY = 0.75, 0.5
WORLDS: Final = 7


@dataclass(frozen=True)
class Week:
    """Log E by test and bet, whether an interval alone pages, and how many labels were asked and used."""

    log_e: Floats
    outside: Flags
    asked: int
    used: int


class Chain:
    """A panel watched from its first week on, every metric at its limit."""

    def __init__(self, numbers: Numbers, seed: int, chain: int, items: int) -> None:
        self._numbers = numbers
        self._rng = np.random.default_rng([seed, chain, numbers == "permanent"])
        self._world = StillWorld(FOUR, seed + chain % WORLDS, items)
        self._items, self._week = self._world.week(1), 1
        self._u, self._labelled = self._rng.random(items), np.zeros(items, dtype=np.bool_)
        self._history, self._rows = NO_HISTORY, np.zeros(0, dtype=np.int64)

    def weeks(self, number: int) -> Iterator[Week]:
        """So many weeks."""
        for turn in range(number):
            if turn:
                self._turn_over()
            if self._numbers == "by window":
                self._u = self._rng.random(len(self._items))
            yield self._judged()

    def _turn_over(self) -> None:
        """Who leaves is replaced by an item of the same truth, so that all weeks are alike."""
        truth = self._items.truth
        new = np.flatnonzero(self._rng.random(len(truth)) >= np.where(truth, YES_STAY, NO_STAY))
        self._week += 1
        offered = self._world.week(1 + self._week % 50)
        rows = np.empty(len(new), dtype=np.int64)
        for word in (False, True):
            places = np.flatnonzero(truth[new] == word)
            rows[places] = self._rng.choice(np.flatnonzero(offered.truth == word), len(places), replace=False)
        columns = (offered.calls[rows], offered.z[rows], offered.truth[rows], offered.posterior[rows])
        self._items = self._items.replaced(new, Items(*columns))
        self._u[new], self._labelled[new] = self._rng.random(len(new)), False
        self._history = gone(self._history, self._rows, new)

    def _judged(self) -> Week:
        period, asked = Period(FOUR.classifiers, self._items), survey(LABELS)
        atoms = stratify(period.census, asked, self._history)
        homes = period.atoms_of_items(atoms)
        strata = np.array([atom.stratum for atom in atoms], dtype=np.int64)[homes]
        pool = _smallest(strata, self._u, pool_sizes(atoms, FOUR.classifiers, asked, self._history))
        design = FrozenDesign(FOUR.classifiers, atoms, _candidates(pool, homes, self._u))
        drawn, plans = self._rounds(design, pool)
        rows = np.array(sorted(row for each in drawn for row in each), dtype=np.int64)
        tests = limits_of(FOUR.classifiers, self._items)
        week = Week(
            self._log_e(design, homes, drawn, tests),
            self._outside(design, drawn, tests),
            int((~self._labelled[rows]).sum()),
            len(rows),
        )
        self._remember(rows, 1 / np.array(design.inclusion(plans[-1]))[strata[rows]])
        return week

    def _rounds(self, design: FrozenDesign, pool: Integers) -> tuple[list[list[int]], list[Plan]]:
        """The rows that each round adds, and the plans; labels that are there already are free."""
        free = set(pool[self._labelled[pool]].tolist())
        drawn: list[int] = []
        rounds: list[list[int]] = []
        plans: list[Plan] = []
        for ordinal in range(1, most_rounds(survey(LABELS)) + 1):
            ledger = VerdictsByItem({str(row): self._word(row) for row in free.union(drawn)})
            reused = [str(row) for row in free.intersection(drawn)]
            names = list(map(str, drawn))
            plan = design.plan(
                survey(LABELS), ledger, names, ordinal=ordinal, history=self._history, reused=reused, earlier=plans
            )
            new = [
                row for row in (int(design.candidates.items[place]) for place in design.draw(plan)) if row not in drawn
            ]
            if not new:
                break
            plans.append(plan)
            rounds.append(new)
            drawn += new
        return rounds, plans

    def _log_e(
        self, design: FrozenDesign, homes: Integers, rounds: Sequence[Sequence[int]], tests: Sequence[LimitTest]
    ) -> Floats:
        known = np.flatnonzero(self._labelled)
        labels = [[self._label(row) for row in drawn] for drawn in rounds]
        if self._numbers == "by window":
            outside = known[~np.isin(known, np.array(design.candidates.items, dtype=np.int64))]
            design = replace(design, candidates=design.candidates.joined(_candidates(outside, homes, self._u)))
            labels[0] += [self._label(row) for row in known.tolist()]
        found = np.zeros((len(tests), len(EVIDENCE.losses)))
        for one in window_e_values(design, labels, tests, losses=EVIDENCE.losses):
            found[one.test, EVIDENCE.losses.index(one.loss)] += one.log_e
        return found

    def _outside(self, design: FrozenDesign, rounds: Sequence[Sequence[int]], tests: Sequence[LimitTest]) -> Flags:
        """The streams whose interval alone pages, at its share of the promise."""
        drawn = DrawnItems.of_rounds(map(str, one) for one in rounds)
        ledger = VerdictsByItem({item: self._word(int(item)) for item in drawn})
        alone = page_confidence(len(tests), WEEKS_A_YEAR, 1 - EVIDENCE.evidence_share)
        ordinary, wide = (
            {(one.classifier, one.metric): one for one in design.estimate(ledger, drawn, **options)}
            for options in ({"metrics": METRICS}, {"metrics": METRICS, "confidence": alone})
        )
        keys = [(test.classifier, test.metric) for test in tests]
        return np.array(
            [
                bool(
                    page_by_window(ordinary[key], wide[key], Limit(test.metric, floor=test.limit, classifiers=key[:1]))
                )
                for key, test in zip(keys, tests, strict=True)
            ]
        )

    def _remember(self, rows: Integers, weights: Floats) -> None:
        latest = History(
            ages=np.ones(len(rows), dtype=np.int64),
            patterns=tuple(format(code, f"0{len(FOUR.classifiers)}b") for code in self._items.patterns[rows].tolist()),
            scores=centres(self._items.bins[rows]),
            positive=self._items.truth[rows],
            weights=weights,
            drawable=np.ones(len(rows), dtype=np.bool_),
        )
        self._history = handed_on(self._history, latest)
        self._rows = np.concatenate([rows, self._rows])[: len(self._history)]
        self._labelled[rows] = True

    def _label(self, row: int) -> DrawnLabel:
        known = bool(self._labelled[row])
        return DrawnLabel(str(row), not known, not known, self._word(row), answered_before=known)

    def _word(self, row: int) -> Word:
        return "yes" if self._items.truth[row] else "no"


def _smallest(strata: Integers, u: Floats, quotas: Sequence[int]) -> Integers:
    """Rows of the items with the smallest numbers of every stratum, as many as its quota."""
    order = np.lexsort((u, strata))
    place = np.arange(len(order)) - np.searchsorted(strata[order], strata[order])
    return np.asarray(order[place < np.array(quotas)[strata[order]]], dtype=np.int64)


def _candidates(rows: Integers, homes: Integers, u: Floats) -> Candidates:
    digests = tuple(format(number, "016x") for number in (u[rows] * 2.0**52).astype(np.int64).tolist())
    return Candidates(tuple(map(str, rows.tolist())), homes[rows], digests)


def row_of(numbers: Numbers, chains: int, weeks: int, items: int, seed: int) -> Row:
    """What chains of so many weeks come to by evidence and one window, at a promise of one false page a panel-year."""
    pages, by_evidence, asked, used, means = 0, 0, 0, 0, list[float]()
    for chain in range(chains):
        gathered = np.zeros(1)
        for week in Chain(numbers, seed, chain, items).weeks(weeks):
            gathered = (gathered + 1) * np.exp(week.log_e)
            enough = gathered.mean(axis=1).sum() >= page_threshold(len(week.log_e), WEEKS_A_YEAR, 1.0)
            pages, by_evidence = pages + bool(enough or week.outside.any()), by_evidence + bool(enough)
            gathered[week.outside] = 0.0
            gathered *= not enough
            asked, used = asked + week.asked, used + week.used
            means.append(float(np.exp(week.log_e).mean()))
    years, number = chains * weeks / WEEKS_A_YEAR, chains * weeks
    return {
        "random numbers": numbers,
        "panel-years": round(years, 1),
        "false pages a year": round(pages / years, 3),
        "upper": round(float(chi2.ppf(0.95, 2 * pages + 2)) / 2 / years, 3),
        "of them by evidence": round(by_evidence / years, 3),
        "mean E": round(float(np.mean(means)), 3),
        "its error": round(float(np.std(means)) / number**0.5, 3),
        "labels asked a week": round(asked / number, 1),
        "labels used a week": round(used / number, 1),
    }


def verdicts(rows: Sequence[Row], *, quick: bool) -> Iterator[Verdict]:
    """The promise by numbers of each window, and the control that breaks it; too few years have no narrow upper end."""
    by_window, permanent = rows
    column, end = ("false pages a year", "") if quick else ("upper", ", upper end")
    yield Verdict(f"false pages a year by window{end}", "must", float(str(by_window[column])), 1.0, "<=")
    least = float(str(by_window["mean E"])) - 3 * float(str(by_window["its error"]))
    yield Verdict("mean E by window, three errors below", "must", least, 1.0, "<=")
    name = "control: false pages a year of first uses by permanent numbers"
    yield Verdict(name, "must", float(str(permanent["false pages a year"])), 1.0, ">=")


def run(options: Options) -> Result:
    """Both kinds of numbers; fewer chains are enough for the control."""
    items, weeks = (ITEMS // 2, RUN_WEEKS // 2) if options.quick else (ITEMS, RUN_WEEKS)
    chains: dict[Numbers, int] = (
        {"by window": 16, "permanent": 1} if options.quick else {"by window": 25, "permanent": 2}
    )
    rows = [row_of(numbers, number, weeks, items, options.seed) for numbers, number in chains.items()]
    return Result(rows, list(verdicts(rows, quick=options.quick)))


def measure(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark; the exit status."""
    return main("alarms.drawn_anew", run, argv)


if __name__ == "__main__":
    raise SystemExit(measure())
