"""Chains of two years from a cold start: false pages while every metric sits at its limit, with items that stay."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from benchmarks.alarms.chain import Chain, Stream, Watched
from benchmarks.alarms.chain_rules import ALL_LABELS, FIRST_USE, ChainRule, other_rules, product_rule
from benchmarks.alarms.frozen_weeks import GOALS, survey
from benchmarks.alarms.panel_years import RUN_WEEKS, WEEKS_A_YEAR, lower_rate, upper_rate
from benchmarks.alarms.staying_items import NONE_STAY, Staying, StayingItems
from benchmarks.labels.kinds import FOUR, TEN, Kind
from benchmarks.shape import Row, Verdict
from stratawatch.core.goals import Goal, SurveySpec

ITEMS: Final = 50_000
OURS: Final = "ours"


@dataclass(frozen=True)
class ChainCell:
    """A panel, what it asks for and whose items stay; `breaks` are the rules that are to break the promise there."""

    name: str
    kind: Kind
    survey: SurveySpec
    staying: Staying = NONE_STAY
    rounds: int | None = None
    breaks: tuple[str, ...] = ()

    @property
    def watched(self) -> Watched:
        """The panel, every metric at its limit."""
        return Watched(self.kind.classifiers, self.survey, rounds=self.rounds)


_FOUR, _TEN = survey(300), survey(300)
_FOR_GOALS: Final = SurveySpec(tuple(Goal(one.metric, 2 * one.margin) for one in GOALS), stop_at_goals=True)
CHAIN_CELLS: Final = (
    ChainCell("chain-0/0", FOUR, _FOUR),
    ChainCell("chain-5/10", FOUR, _FOUR, Staying(0.05, 0.1)),
    ChainCell("chain-50/50", FOUR, _FOUR, Staying(0.5, 0.5)),
    ChainCell("chain-20/35", FOUR, _FOUR, Staying(0.2, 0.35)),
    ChainCell("chain-50/75", FOUR, _FOUR, Staying(0.5, 0.75), breaks=(FIRST_USE,)),
    ChainCell("chain-called", FOUR, _FOUR, Staying(0.2, 0.5, called=True)),
    ChainCell("chain-95/95", FOUR, _FOUR, Staying(0.95, 0.95), breaks=(ALL_LABELS,)),
    ChainCell("chain-goals", FOUR, _FOR_GOALS, rounds=3),
    ChainCell("chain-K10", TEN, _TEN),
)


@dataclass
class _Totals:
    """What the weeks of all chains of a cell added up to."""

    weeks: int = 0
    pages: Counter[str] = field(default_factory=Counter)
    labels: int = 0
    persists: float = 0.0
    focused: int = 0
    by_window: int = 0


def chain_rows(cell: ChainCell, chains: int, seed: int, weeks: int = RUN_WEEKS) -> Iterator[Row]:
    """A row for every rule: its pages in all chains."""
    totals = _Totals()
    for number in range(chains):
        _watch(cell, (seed, number), weeks, totals)
    years = totals.weeks / WEEKS_A_YEAR
    for rule in (OURS, *other_rules()):
        pages = totals.pages[rule]
        yield {
            "chains": cell.name,
            "who stays": cell.staying.name,
            "rule": rule,
            "panel-years": round(years, 1),
            "false pages a year": round(pages / years, 3),
            "upper": round(upper_rate(pages, years), 3),
            "labels a week": round(totals.labels / totals.weeks, 1),
            "persists": round(totals.persists / totals.weeks, 3),
            "weeks with focus": round(totals.focused / totals.weeks, 3),
            "weeks by one window": round(totals.by_window / totals.weeks, 3),
        }


def _watch(cell: ChainCell, which: tuple[int, int], weeks: int, totals: _Totals) -> None:
    """Watch one chain from its first, cold week; its labels follow the suspicion of the product's rule.

    A stream that is paged in two weeks on end is paged once: it is not OK in between, so that its incident is open yet.
    """
    items = StayingItems(cell.kind, 1000 * which[0] + which[1], ITEMS, cell.staying)
    chain, ours = Chain(cell.watched, [*which, 7]), product_rule()
    rules: dict[str, ChainRule] = {OURS: ours, **other_rules()}
    before: dict[str, set[Stream]] = {name: set() for name in rules}
    for _ in range(weeks):
        focus = ours.focus
        week = chain.watch(*items.next_week(), focus)
        for name, rule in rules.items():
            paged = set(rule.pages(week))
            totals.pages[name] += len(paged - before[name])
            before[name] = paged
        totals.weeks += 1
        totals.labels += week.labels_new
        totals.persists += week.persists
        totals.focused += focus is not None
        totals.by_window += ours.falls_back_in(week)


def chain_verdicts(rows: Sequence[Row], *, quick: bool = False) -> Iterator[Verdict]:
    """The product keeps its promise in every cell, and the rules that leave something out break it where they must.

    A few panel-years of a quick run cannot show that it is kept, only that it is surely broken.
    """
    breaks = {(cell.name, rule) for cell in CHAIN_CELLS for rule in cell.breaks}
    for row in rows:
        cell, rule = str(row["chains"]), str(row["rule"])
        if rule == OURS:
            name, upper = f"chains {cell}: false pages a year", float(str(row["upper"]))
            yield Verdict(f"{name}, upper end", "aim" if quick else "must", upper, 1.0, "<=")
            years = float(str(row["panel-years"]))
            pages = round(float(str(row["false pages a year"])) * years)
            yield Verdict(f"{name}, lower end", "must", lower_rate(pages, years), 1.0, "<=")
        if (cell, rule) in breaks:
            name = f"chains {cell}: control, false pages where {rule}"
            yield Verdict(name, "must", float(str(row["false pages a year"])), 1.0, ">=")
